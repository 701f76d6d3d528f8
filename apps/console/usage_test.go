package console_test

import (
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
)

func TestUsageLogs_ShowTheRequest(t *testing.T) {
	t.Parallel()
	s := setup(t)
	row := at(t, s.as(s.acme.member).get("/api/usage-logs").want(t, http.StatusOK), "items", 0)
	for key, want := range map[string]any{
		"id": s.acme.log.ID.String(), "token_id": s.acme.token.ID.String(), "token_name": "ci of acme",
		"model": "gpt-4o-mini", "channel": "main",
		"outcome": "success", "status": 200.0, "quota": "0.000000893", "cost": "0.000000893", "latency_ms": 250.0,
		"first_byte_ms": 40.0,
		"stream":        false, "estimated": false,
	} {
		equal(t, row, want, key)
	}
	equal(t, row, 7.0, "tokens", "input")
	equal(t, row, 7.0, "tokens", "total")
}

func TestUsageLogs_ApplyTheirFilters(t *testing.T) {
	t.Parallel()
	s := setup(t)
	second := s.call(&s.acme, usage.Usage{Output: 5})
	me := s.as(s.acme.admin)
	split := second.CreatedAt.Format(time.RFC3339Nano)
	for _, row := range []struct {
		query string
		want  int
	}{
		{"", 2}, {"model=gpt-4o-mini", 2}, {"model=gpt-4o", 0}, {"token_id=" + s.acme.token.ID.String(), 2},
		{"token_id=" + s.globex.token.ID.String(), 0}, {"user_id=" + s.acme.member.ID.String(), 2},
		{"user_id=" + s.acme.owner.ID.String(), 0},
		{"channel_id=" + s.channel.ID.String(), 2}, {"outcome=success", 2}, {"outcome=failed", 0},
		{"from=2001-01-01T00:00:00Z", 2}, {"to=2001-01-01T00:00:00Z", 0}, {"from=" + url.QueryEscape(split), 1},
		{"to=" + url.QueryEscape(split), 1},
		{"limit=1", 1},
	} {
		listed := items(t, me.get("/api/usage-logs?"+row.query).want(t, http.StatusOK))
		if len(listed) != row.want {
			t.Errorf("%q: got %d logs, want %d", row.query, len(listed), row.want)
		}
	}
	first := me.get("/api/usage-logs?limit=1").want(t, http.StatusOK)
	equal(t, first, second.ID.String(), "items", 0, "id")
	equal(t, me.get("/api/usage-logs?limit=1&after="+url.QueryEscape(text(t, first, "next"))).want(t, http.StatusOK),
		s.acme.log.ID.String(), "items", 0, "id")
	for _, query := range []string{"outcome=great", "from=yesterday",
		"from=2020-01-02T00:00:00Z&to=2020-01-01T00:00:00Z"} {
		param, _, _ := strings.Cut(query, "=")
		me.get("/api/usage-logs?"+query).refused(t, http.StatusBadRequest, param)
	}
}

func TestUsageLog_ShowsTheReceiptAndHidesTheUpstream(t *testing.T) {
	t.Parallel()
	s := setup(t)
	path := "/api/usage-logs/" + s.acme.log.ID.String()
	mine := s.as(s.acme.member).get(path)
	detail := mine.want(t, http.StatusOK)
	for key, want := range map[string]any{"class": "input", "quantity": 7.0, "rate": "0.15", "amount": "0.00000105"} {
		equal(t, detail, want, "receipt", "lines", 0, key)
	}
	equal(t, detail, "0.00000105", "receipt", "subtotal")
	equal(t, detail, "0.85", "receipt", "multiplier")
	equal(t, detail, "0.000000893", "receipt", "total")
	equal(t, detail, "main", "attempts", 0, "channel")
	equal(t, detail, false, "attempts", 0, "served")
	equal(t, detail, true, "attempts", 1, "served")
	for _, secret := range []string{"upstream-mini", "upstream.example", "\":503", "upstream_error", credential} {
		if strings.Contains(mine.raw, secret) {
			t.Errorf("the response for a tenant contains %q: %s", secret, mine.raw)
		}
	}
	full := s.as(s.operator).get(path).want(t, http.StatusOK)
	equal(t, full, 503.0, "attempts", 0, "status")
	equal(t, full, "upstream_error", "attempts", 0, "error")
	equal(t, full, "upstream-mini", "upstream_model")
	s.as(s.acme.member).get("/api/usage-logs/01900000-0000-7000-8000-000000000000").refused(t, http.StatusNotFound, "")
}

func TestUsageSummary_AddsUpByDimension(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.call(&s.acme, usage.Usage{Output: 5})
	s.drainUsage()
	me := s.as(s.acme.admin)
	total := me.get("/api/usage-summary").want(t, http.StatusOK)
	equal(t, total, 2.0, "items", 0, "requests")
	equal(t, total, "0.000003443", "items", 0, "quota")
	equal(t, total, nil, "items", 0, "start")
	for _, row := range []struct{ query, value, name string }{
		{"by=model&bucket=hour", "gpt-4o-mini", "gpt-4o-mini"},
		{"by=channel&bucket=day", s.channel.ID.String(), "main"},
		{"by=user", s.acme.member.ID.String(), "member@acme.example"},
		{"by=token", s.acme.token.ID.String(), "ci of acme"},
	} {
		summary := me.get("/api/usage-summary?"+row.query).want(t, http.StatusOK)
		equal(t, summary, row.value, "items", 0, "value")
		equal(t, summary, row.name, "items", 0, "name")
		equal(t, summary, 12.0, "items", 0, "tokens", "total")
	}
	all := s.as(s.operator).get("/api/usage-summary?by=tenant").want(t, http.StatusOK)
	if listed := items(t, all); len(listed) != 2 {
		t.Errorf("got %v, want 2 tenants", listed)
	}
	for _, query := range []string{"by=colour", "bucket=year", "from=x",
		"from=2020-01-02T00:00:00Z&to=2020-01-01T00:00:00Z"} {
		param, _, _ := strings.Cut(query, "=")
		me.get("/api/usage-summary?"+query).refused(t, http.StatusBadRequest, param)
	}
	if listed := items(t, s.as(s.acme.owner).
		get("/api/usage-summary?from=2001-01-01T00:00:00Z&to=2001-02-01T00:00:00Z").want(t, 200)); len(listed) > 1 {
		t.Errorf("got items %v, want at most 1", listed)
	}
}

func TestUsageOverview_EqualsTheSummariesThatItReplaces(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.call(&s.globex, usage.Usage{Output: 5})
	s.drainUsage()
	to := s.acme.log.CreatedAt.Add(time.Hour).UTC()
	span := func(from, to time.Time) string {
		return "from=" + url.QueryEscape(from.Format(time.RFC3339)) + "&to=" + url.QueryEscape(to.Format(time.RFC3339))
	}
	now := span(to.AddDate(0, 0, -7), to)
	for who, series := range map[*client]string{s.as(s.acme.admin): "token", s.as(s.operator): "tenant"} {
		overview := who.get("/api/usage-overview?"+now+"&bucket=day&series="+series+"&by=model&by="+series).
			want(t, http.StatusOK)
		same := func(query string, want ...any) {
			t.Helper()
			summary := who.get("/api/usage-summary?"+now+query).want(t, http.StatusOK)
			if got, want := at(t, overview, want...), at(t, summary, "items"); !reflect.DeepEqual(got, want) {
				t.Errorf("by %s: got %v, want %v", series, got, want)
			}
		}
		same("&bucket=day&by="+series, "series", "items")
		same("&by=model", "breakdowns", 0, "items")
		same("&by="+series, "breakdowns", 1, "items")
		equal(t, overview, "model", "breakdowns", 0, "by")
		total := at(t, who.get("/api/usage-summary?"+now).want(t, http.StatusOK), "items", 0)
		if got := at(t, overview, "total"); !reflect.DeepEqual(got, total) {
			t.Errorf("by %s: got the total %v, want %v", series, got, total)
		}
		equal(t, overview, 0.0, "previous", "requests")
	}
	later := span(to, to.AddDate(0, 0, 7))
	equal(t, s.as(s.acme.admin).get("/api/usage-overview?"+later).want(t, http.StatusOK), 1.0, "previous", "requests")
	equal(t, s.as(s.acme.admin).get("/api/usage-overview?"+now).want(t, http.StatusOK), 1.0, "total", "requests")
	me := s.as(s.acme.admin)
	me.get("/api/usage-overview?by=tenant").want(t, http.StatusForbidden)
	me.get("/api/usage-overview?series=tenant").want(t, http.StatusForbidden)
	me.get("/api/usage-overview?tenant_id="+s.globex.ID.String()).want(t, http.StatusNotFound)
	for _, query := range []string{"by=color", "series=year", "bucket=year", "from=x", "by=model&by=model"} {
		me.get("/api/usage-overview?"+query).want(t, http.StatusBadRequest)
	}
}

// drainUsage adds all recorded usage to the rollups.
func (s *stack) drainUsage() {
	s.Helper()
	for drained := 1; drained > 0; {
		var err error
		drained, err = s.store.Rollup.DrainOutbox(s.Context(), system, 100)
		s.must(err)
	}
}

// none fails the test unless the list at the path is empty.
func none(t testing.TB, body any, path ...any) {
	t.Helper()
	if found, isList := at(t, body, path...).([]any); !isList || len(found) > 0 {
		t.Errorf("%v = %v, want an empty list", path, found)
	}
}

func TestUsageOverview_AppliesItsFilters(t *testing.T) {
	t.Parallel()
	s := setup(t) // with one call of each company
	s.call(&s.globex, usage.Usage{Output: 5})
	s.drainUsage()
	operator := s.as(s.operator)
	for query, want := range map[string]float64{
		"":                                       3,
		"tenant_id=" + s.acme.ID.String():        1,
		"token_id=" + s.globex.token.ID.String(): 2,
		"user_id=" + s.acme.owner.ID.String():    0,
		"channel_id=" + s.channel.ID.String():    3,
		"channel_id=" + s.acme.ID.String():       0,
		"model=gpt-4o-mini":                      3,
		"model=gpt-4o":                           0,
	} {
		overview := operator.get("/api/usage-overview?by=model&"+query).want(t, http.StatusOK)
		equal(t, overview, want, "total", "requests")
		sums := map[string]float64{}
		for _, part := range []any{at(t, overview, "series", "items"), at(t, overview, "breakdowns", 0, "items")} {
			for i, row := range part.([]any) { //nolint:errcheck // a failed assertion fails the test
				sums["requests"] += row.(map[string]any)["requests"].(float64) //nolint:errcheck // as above
				equal(t, part, "gpt-4o-mini", i, "value")
			}
		}
		if sums["requests"] != 2*want {
			t.Errorf("%q: the series and the breakdown have %v requests together, want %v", query,
				sums["requests"], 2*want)
		}
		if rows := items(t, operator.get("/api/usage-summary?"+query).want(t, http.StatusOK)); (len(rows) == 0) !=
			(want == 0) {
			t.Errorf("%q: the summary has the rows %v, want %v requests", query, rows, want)
		}
	}
}

func TestUsageOverview_AddsFailuresAndAttributionOnRequest(t *testing.T) {
	t.Parallel()
	s := setup(t)
	failed := s.acme.log
	failed.ID, failed.Outcome, failed.Status, failed.Error, failed.EndUser = uuid.Must(uuid.NewV7()), usage.Failed, 502,
		"upstream_error", "ann"
	_, err := s.store.Metering.RecordEvents(t.Context(), system, failed.RelayID, []usage.Event{{Log: failed}})
	s.must(err)
	s.drainUsage()
	for drained := 1; drained > 0; {
		drained, err = s.store.Rollup.DrainAttribution(t.Context(), system, 100)
		s.must(err)
	}
	owner := s.as(s.acme.owner)
	plain := owner.get("/api/usage-overview").want(t, http.StatusOK)
	none(t, plain, "failures")
	equal(t, plain, nil, "attribution")

	whole := owner.get("/api/usage-overview?failures=5&attribution=true").want(t, http.StatusOK)
	equal(t, whole, failed.ID.String(), "failures", 0, "id")
	equal(t, whole, "ci of acme", "failures", 0, "token_name")
	equal(t, whole, "ann", "attribution", "items", 0, "value")
	none(t, owner.get("/api/usage-overview?failures=5&model=gpt-4o").want(t, http.StatusOK), "failures")
	none(t, s.as(s.globex.owner).get("/api/usage-overview?failures=5").want(t, http.StatusOK), "failures")

	s.as(s.acme.member).get("/api/usage-overview?attribution=true").want(t, http.StatusForbidden)
	operator := s.as(s.operator)
	operator.get("/api/usage-overview?attribution=true").refused(t, http.StatusBadRequest, "tenant_id")
	equal(t, operator.get("/api/usage-overview?attribution=true&tenant_id="+s.acme.ID.String()).want(t, http.StatusOK),
		"ann", "attribution", "items", 0, "value")
	owner.get("/api/usage-overview?failures=21").refused(t, http.StatusBadRequest, "failures")
}

// A breakdown that exceeds a limit says so in its fault. The other figures are there nevertheless.
func TestUsageOverview_NamesTheFaultOfABreakdown(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.drainUsage()
	s.multiplyModels(10_001)
	overview := s.as(s.acme.owner).get("/api/usage-overview?series=model&by=model&by=channel").want(t, http.StatusOK)
	equal(t, overview, 10_001.0, "total", "requests")
	for _, part := range []any{at(t, overview, "series"), at(t, overview, "breakdowns", 0)} {
		equal(t, part, "The summary has more than 10000 rows. Choose a shorter range.", "fault")
		none(t, part, "items")
	}
	equal(t, overview, nil, "breakdowns", 1, "fault")
	equal(t, overview, 10_001.0, "breakdowns", 1, "items", 0, "requests")
}

func TestVisibleModels_ShowEffectivePrices(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator, me := s.as(s.operator), s.as(s.acme.member)
	model := at(t, me.get("/api/models").want(t, http.StatusOK), "items", 0)
	equal(t, model, "gpt-4o-mini", "id")
	equal(t, model, "0.85", "multiplier")
	equal(t, model, "0.15", "rates", "input")
	for i, want := range [][2]string{
		{"input", "0.1275"}, {"cached_input", "0.06375"}, {"cache_write", "0.1275"}, {"cache_write_1h", "0.1275"},
		{"audio_input", "0.1275"}, {"image_input", "0.1275"}, {"output", "0.51"},
	} {
		equal(t, model, want[0], "effective", i, "class")
		equal(t, model, want[1], "effective", i, "price")
	}
	tiers := []any{map[string]any{"above_input": 200_000, "input": "0.30"}}
	operator.post("/api/operator/prices",
		map[string]any{"model": "gpt-4o-mini", "price": map[string]any{"input": "0.15", "cached_input": "0.075",
			"output": "0.60", "tiers": tiers}}).want(t, http.StatusCreated)
	model = at(t, me.get("/api/models").want(t, http.StatusOK), "items", 0)
	equal(t, model, 200_000.0, "effective_tiers", 0, "above_input")
	for i, want := range [][2]string{{"input", "0.255"}, {"cached_input", "0.255"}} {
		equal(t, model, want[0], "effective_tiers", 0, "prices", i, "class")
		equal(t, model, want[1], "effective_tiers", 0, "prices", i, "price")
	}
	tiers = append(tiers, tiers[0])
	operator.post("/api/operator/prices",
		map[string]any{"model": "gpt-4o-mini", "price": map[string]any{"input": "1", "tiers": tiers}}).
		refused(t, http.StatusBadRequest, "price.tiers[1].above_input")
	operator.get("/api/models").refused(t, http.StatusBadRequest, "group_id")
	equal(t, operator.get("/api/models?group_id="+s.group.ID.String()).want(t, http.StatusOK), "gpt-4o-mini",
		"items", 0, "id")
	me.get("/api/models?group_id=01900000-0000-7000-8000-000000000000").refused(t, http.StatusNotFound, "group_id")

	operator.post("/api/operator/group-rules", map[string]any{"group_id": s.group.ID, "model": "gpt-4o-mini",
		"fixed": "0.01"}).want(t, http.StatusCreated)
	model = at(t, me.get("/api/models").want(t, http.StatusOK), "items", 0)
	equal(t, model, "0.01", "fixed")
	equal(t, model, "request", "effective", 0, "class")

	operator.patch("/api/operator/models/gpt-4o-mini", map[string]any{"status": "disabled"}).want(t, http.StatusOK)
	if listed := items(t, me.get("/api/models").want(t, http.StatusOK)); len(listed) != 0 {
		t.Errorf("got %v, want no models: the only one is disabled", listed)
	}
}

func TestGetQuotaAndLedger_ShowTheTenantsQuota(t *testing.T) {
	t.Parallel()
	s := setup(t)
	own := s.as(s.acme.member).get("/api/quota").want(t, http.StatusOK)
	equal(t, own, "10", "wallet", "granted")
	equal(t, own, "0.000000893", "wallet", "used")
	equal(t, own, "9.999999107", "wallet", "left")
	equal(t, own, nil, "cap", "granted")
	equal(t, own, "0.000000893", "cap", "used")
	if s.as(s.operator).get("/api/quota").want(t, http.StatusOK)["wallet"] != nil {
		t.Error("got a wallet for an operator, want none")
	}
	for _, who := range []tenant.User{s.acme.admin, s.acme.owner} {
		ledger := s.as(who).get("/api/ledger").want(t, http.StatusOK)
		equal(t, ledger, "10", "items", 0, "amount")
		equal(t, ledger, s.acme.ID.String(), "items", 0, "tenant_id")
		if listed := items(t, ledger); len(listed) != 1 {
			t.Errorf("got ledger %v, want 1 entry", listed)
		}
	}
	s.as(s.acme.member).get("/api/ledger").refused(t, http.StatusForbidden, "")
}

func TestMembers_CreateEditAndRefuse(t *testing.T) {
	t.Parallel()
	s := setup(t)
	admin := s.as(s.acme.admin)
	if listed := items(t, admin.get("/api/members").want(t, http.StatusOK)); len(listed) != 3 {
		t.Errorf("got %d members, want 3", len(listed))
	}
	created := admin.post("/api/members", map[string]any{"email": "new@acme.example", "password": password,
		"quota": "5"}).want(t, http.StatusCreated)
	equal(t, created, "member", "role")
	equal(t, created, s.group.ID.String(), "group_id")
	equal(t, created, "5", "quota", "left")
	s.signIn("new@acme.example", password)
	path := "/api/members/" + text(t, created, "id")
	equal(t, admin.patch(path, `{"quota":null,"role":"admin"}`).want(t, http.StatusOK), "admin", "role")
	equal(t, admin.patch(path, map[string]any{"status": "disabled"}).want(t, http.StatusOK), "disabled", "status")

	for _, row := range []struct {
		body   string
		status int
		param  string
	}{
		{`{"email":"new@acme.example","password":"correct horse battery"}`, 409, "email"},
		{`{"email":"nobody","password":"correct horse battery"}`, 400, "email"},
		{`{"email":"a@acme.example","password":"short"}`, 400, "password"},
		{`{"email":"a@acme.example"}`, 400, "password"},
		{`{"email":"a@acme.example","password":"correct horse battery","role":"operator"}`, 400, "role"},
		{`{"email":"a@acme.example","password":"correct horse battery","tenant_id":"x"}`, 400, "tenant_id"},
	} {
		admin.post("/api/members", row.body).refused(t, row.status, row.param)
	}
	admin.patch(path, `{"group_id":"`+s.group.ID.String()+`"}`).refused(t, http.StatusBadRequest, "group_id")
	member := s.as(s.acme.member)
	member.get("/api/members").refused(t, http.StatusForbidden, "")
	member.post("/api/members", map[string]any{"email": "b@acme.example", "password": password}).
		refused(t, http.StatusForbidden, "")
	s.as(s.operator).get("/api/members").refused(t, http.StatusForbidden, "")
}

// Admins can neither change owners nor make anybody an owner, themselves included.
func TestUpdateMember_AdminsCannotChangeOwners(t *testing.T) {
	t.Parallel()
	s := setup(t)
	admin := s.as(s.acme.admin)
	for _, row := range []struct {
		name string
		who  tenant.User
		body string
	}{
		{"demote the owner", s.acme.owner, `{"role":"member"}`},
		{"disable the owner", s.acme.owner, `{"status":"disabled"}`},
		{"promote themself", s.acme.admin, `{"role":"owner"}`},
		{"promote a member", s.acme.member, `{"role":"owner"}`},
	} {
		r := admin.patch("/api/members/"+row.who.ID.String(), row.body)
		if r.StatusCode != http.StatusForbidden && r.StatusCode != http.StatusConflict {
			t.Errorf("%s: got status %d, want 403 or 409: %s", row.name, r.StatusCode, r.raw)
		}
	}
}

func TestUsageLogs_ShowUserAndTenant(t *testing.T) {
	t.Parallel()
	s := setup(t)
	newest := s.call(&s.acme, usage.Usage{Input: 1})
	admin, operator := s.as(s.acme.admin), s.as(s.operator)
	shown := admin.get("/api/usage-logs?newer_than="+s.acme.log.ID.String()).want(t, http.StatusOK)
	if len(items(t, shown)) != 1 {
		t.Fatalf("got %v, want 1 log", shown)
	}
	equal(t, shown, newest.ID.String(), "items", 0, "id")
	equal(t, shown, s.acme.member.Email, "items", 0, "user_email")
	equal(t, shown, nil, "items", 0, "tenant")
	equal(t, operator.get("/api/usage-logs?tenant_id="+s.acme.ID.String()).want(t, 200), "ACME", "items", 0, "tenant")
	for path, want := range map[string]int{"endpoint=chat": 2, "endpoint=responses": 0, "error=upstream_error": 0,
		"newer_than=" + newest.ID.String(): 0} {
		if found := items(t, admin.get("/api/usage-logs?"+path).want(t, 200)); len(found) != want {
			t.Errorf("%s: got %d logs, want %d", path, len(found), want)
		}
	}
	_, err := s.store.Rollup.DrainOutbox(t.Context(), system, 0)
	s.must(err)
	equal(t, operator.get("/api/usage-summary?by=tenant&tenant_id="+s.acme.ID.String()).want(t, 200), "ACME",
		"items", 0, "name")
}
