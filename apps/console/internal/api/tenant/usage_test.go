package tenant_test

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/rollup"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestUsageLogs_ShowTheRequest(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	row := consoletest.At(t, s.As(s.Acme.Member).Get("/api/usage-logs").Want(t, http.StatusOK), "items", 0)
	for key, want := range map[string]any{
		"id": s.Acme.Log.ID.String(), "token_id": s.Acme.Token.ID.String(), "token_name": "ci of acme",
		"model": "gpt-4o-mini", "channel": "main",
		"outcome": "success", "status": 200.0, "quota": "0.000000893", "cost": "0.000000893", "latency_ms": 250.0,
		"first_byte_ms": 40.0,
		"stream":        false, "estimated": false,
	} {
		consoletest.Equal(t, row, want, key)
	}
	consoletest.Equal(t, row, 7.0, "tokens", "input")
	consoletest.Equal(t, row, 7.0, "tokens", "total")
}

func TestUsageLogs_ApplyTheirFilters(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	second := s.Call(&s.Acme, usage.Usage{Output: 5})
	me := s.As(s.Acme.Admin)
	split := second.CreatedAt.Format(time.RFC3339Nano)
	for _, row := range []struct {
		query string
		want  int
	}{
		{"", 2}, {"model=gpt-4o-mini", 2}, {"model=gpt-4o", 0}, {"token_id=" + s.Acme.Token.ID.String(), 2},
		{"token_id=" + s.Globex.Token.ID.String(), 0}, {"user_id=" + s.Acme.Member.ID.String(), 2},
		{"user_id=" + s.Acme.Owner.ID.String(), 0},
		{"channel_id=" + s.Channel.ID.String(), 2}, {"outcome=success", 2}, {"outcome=failed", 0},
		{"from=2001-01-01T00:00:00Z", 2}, {"to=2001-01-01T00:00:00Z", 0}, {"from=" + url.QueryEscape(split), 1},
		{"to=" + url.QueryEscape(split), 1},
		{"limit=1", 1},
	} {
		listed := consoletest.Items(t, me.Get("/api/usage-logs?"+row.query).Want(t, http.StatusOK))
		if len(listed) != row.want {
			t.Errorf("%q: got %d logs, want %d", row.query, len(listed), row.want)
		}
	}
	first := me.Get("/api/usage-logs?limit=1").Want(t, http.StatusOK)
	consoletest.Equal(t, first, second.ID.String(), "items", 0, "id")
	consoletest.Equal(t, me.Get("/api/usage-logs?limit=1&after="+url.QueryEscape(consoletest.Text(t, first, "next"))).
		Want(t, http.StatusOK), s.Acme.Log.ID.String(), "items", 0, "id")
	for _, query := range []string{"outcome=great", "from=yesterday",
		"from=2020-01-02T00:00:00Z&to=2020-01-01T00:00:00Z"} {
		param, _, _ := strings.Cut(query, "=")
		me.Get("/api/usage-logs?"+query).Refused(t, http.StatusBadRequest, param)
	}
}

func TestUsageLog_ShowsTheReceiptAndHidesTheUpstream(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	path := "/api/usage-logs/" + s.Acme.Log.ID.String()
	mine := s.As(s.Acme.Member).Get(path)
	detail := mine.Want(t, http.StatusOK)
	for key, want := range map[string]any{"class": "input", "quantity": 7.0, "rate": "0.15", "amount": "0.00000105"} {
		consoletest.Equal(t, detail, want, "receipt", "lines", 0, key)
	}
	consoletest.Equal(t, detail, "0.00000105", "receipt", "subtotal")
	consoletest.Equal(t, detail, "0.85", "receipt", "multiplier")
	consoletest.Equal(t, detail, "0.000000893", "receipt", "total")
	consoletest.Equal(t, detail, "main", "attempts", 0, "channel")
	consoletest.Equal(t, detail, false, "attempts", 0, "served")
	consoletest.Equal(t, detail, true, "attempts", 1, "served")
	for _, secret := range []string{"upstream-mini", "upstream.example", "\":503", "upstream_error",
		consoletest.Credential} {
		if strings.Contains(mine.Raw, secret) {
			t.Errorf("the response for a tenant contains %q: %s", secret, mine.Raw)
		}
	}
	full := s.As(s.Operator).Get(path).Want(t, http.StatusOK)
	consoletest.Equal(t, full, 503.0, "attempts", 0, "status")
	consoletest.Equal(t, full, "upstream_error", "attempts", 0, "error")
	consoletest.Equal(t, full, "upstream-mini", "upstream_model")
	s.As(s.Acme.Member).Get("/api/usage-logs/01900000-0000-7000-8000-000000000000").Refused(t, http.StatusNotFound, "")
}

func TestUsageSummary_AddsUpByDimension(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	s.Call(&s.Acme, usage.Usage{Output: 5})
	s.DrainUsage()
	me := s.As(s.Acme.Admin)
	total := me.Get("/api/usage-summary").Want(t, http.StatusOK)
	consoletest.Equal(t, total, 2.0, "items", 0, "requests")
	consoletest.Equal(t, total, "0.000003443", "items", 0, "quota")
	consoletest.Equal(t, total, nil, "items", 0, "start")
	for _, row := range []struct{ query, value, name string }{
		{"by=model&bucket=hour", "gpt-4o-mini", "gpt-4o-mini"},
		{"by=channel&bucket=day", s.Channel.ID.String(), "main"},
		{"by=user", s.Acme.Member.ID.String(), "member@acme.example"},
		{"by=token", s.Acme.Token.ID.String(), "ci of acme"},
	} {
		summary := me.Get("/api/usage-summary?"+row.query).Want(t, http.StatusOK)
		consoletest.Equal(t, summary, row.value, "items", 0, "value")
		consoletest.Equal(t, summary, row.name, "items", 0, "name")
		consoletest.Equal(t, summary, 12.0, "items", 0, "tokens", "total")
	}
	all := s.As(s.Operator).Get("/api/usage-summary?by=tenant").Want(t, http.StatusOK)
	if listed := consoletest.Items(t, all); len(listed) != 2 {
		t.Errorf("got %v, want 2 tenants", listed)
	}
	for _, query := range []string{"by=colour", "bucket=year", "from=x",
		"from=2020-01-02T00:00:00Z&to=2020-01-01T00:00:00Z"} {
		param, _, _ := strings.Cut(query, "=")
		me.Get("/api/usage-summary?"+query).Refused(t, http.StatusBadRequest, param)
	}
	if listed := consoletest.Items(t, s.As(s.Acme.Owner).
		Get("/api/usage-summary?from=2001-01-01T00:00:00Z&to=2001-02-01T00:00:00Z").Want(t, 200)); len(listed) > 1 {
		t.Errorf("got items %v, want at most 1", listed)
	}
}

func TestUsageSummary_HasTheDaysOfAZone(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	s.DrainUsage()
	kolkata, err := time.LoadLocation("Asia/Kolkata")
	s.Must(err)
	hour := s.Acme.Log.CreatedAt.Truncate(time.Hour)
	first := hour // of the hours that begin on the same day in Kolkata
	for first.Add(-time.Hour).In(kolkata).Day() == hour.In(kolkata).Day() {
		first = first.Add(-time.Hour)
	}
	for _, who := range []*consoletest.Client{s.As(s.Acme.Admin), s.As(s.Operator)} {
		summary := who.Get("/api/usage-summary?bucket=day&zone=Asia/Kolkata").Want(t, http.StatusOK)
		overview := who.Get("/api/usage-overview?zone=Asia/Kolkata").Want(t, http.StatusOK)
		consoletest.Equal(t, summary, first.UTC().Format(time.RFC3339), "items", 0, "start")
		consoletest.Equal(t, overview, first.UTC().Format(time.RFC3339), "series", "items", 0, "start")
	}
	for _, zone := range []string{"Local", "Europe/Bonn", "../etc/passwd", "/etc/localtime", "Europe", "%2B05:30",
		strings.Repeat("a", 65)} {
		for _, path := range []string{"usage-summary", "usage-overview"} {
			s.As(s.Acme.Admin).Get("/api/"+path+"?zone="+zone).Refused(t, http.StatusBadRequest, "zone")
		}
	}
}

func TestUsageOverview_EqualsTheSummariesThatItReplaces(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	s.Call(&s.Globex, usage.Usage{Output: 5})
	s.DrainUsage()
	to := s.Acme.Log.CreatedAt.Add(time.Hour).UTC()
	span := func(from, to time.Time) string {
		return "from=" + url.QueryEscape(from.Format(time.RFC3339)) + "&to=" + url.QueryEscape(to.Format(time.RFC3339))
	}
	now := span(to.AddDate(0, 0, -7), to)
	for who, series := range map[*consoletest.Client]string{s.As(s.Acme.Admin): "token", s.As(s.Operator): "tenant"} {
		overview := who.Get("/api/usage-overview?"+now+"&bucket=day&series="+series+"&by=model&by="+series).
			Want(t, http.StatusOK)
		same := func(query string, want ...any) {
			t.Helper()
			summary := who.Get("/api/usage-summary?"+now+query).Want(t, http.StatusOK)
			if got, want := consoletest.At(t, overview, want...),
				consoletest.At(t, summary, "items"); !reflect.DeepEqual(got, want) {
				t.Errorf("by %s: got %v, want %v", series, got, want)
			}
		}
		same("&bucket=day&by="+series, "series", "items")
		same("&by=model", "breakdowns", 0, "items")
		same("&by="+series, "breakdowns", 1, "items")
		consoletest.Equal(t, overview, "model", "breakdowns", 0, "by")
		total := consoletest.At(t, who.Get("/api/usage-summary?"+now).Want(t, http.StatusOK), "items", 0)
		if got := consoletest.At(t, overview, "total"); !reflect.DeepEqual(got, total) {
			t.Errorf("by %s: got the total %v, want %v", series, got, total)
		}
		consoletest.Equal(t, overview, 0.0, "previous", "requests")
	}
	later := span(to, to.AddDate(0, 0, 7))
	consoletest.Equal(t, s.As(s.Acme.Admin).Get("/api/usage-overview?"+later).Want(t, http.StatusOK), 1.0, "previous",
		"requests")
	consoletest.Equal(t, s.As(s.Acme.Admin).Get("/api/usage-overview?"+now).Want(t, http.StatusOK), 1.0, "total",
		"requests")
	me := s.As(s.Acme.Admin)
	me.Get("/api/usage-overview?by=tenant").Want(t, http.StatusForbidden)
	me.Get("/api/usage-overview?series=tenant").Want(t, http.StatusForbidden)
	me.Get("/api/usage-overview?tenant_id="+s.Globex.ID.String()).Want(t, http.StatusNotFound)
	for _, query := range []string{"by=color", "series=year", "bucket=year", "from=x", "by=model&by=model"} {
		me.Get("/api/usage-overview?"+query).Want(t, http.StatusBadRequest)
	}
}

// none fails the test unless the list at the path is empty.
func none(t testing.TB, body any, path ...any) {
	t.Helper()
	if found, isList := consoletest.At(t, body, path...).([]any); !isList || len(found) > 0 {
		t.Errorf("%v = %v, want an empty list", path, found)
	}
}

func TestUsageOverview_AppliesItsFilters(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t) // with one call of each company
	s.Call(&s.Globex, usage.Usage{Output: 5})
	s.DrainUsage()
	operator := s.As(s.Operator)
	for query, want := range map[string]float64{
		"":                                       3,
		"tenant_id=" + s.Acme.ID.String():        1,
		"token_id=" + s.Globex.Token.ID.String(): 2,
		"user_id=" + s.Acme.Owner.ID.String():    0,
		"channel_id=" + s.Channel.ID.String():    3,
		"channel_id=" + s.Acme.ID.String():       0,
		"model=gpt-4o-mini":                      3,
		"model=gpt-4o":                           0,
	} {
		overview := operator.Get("/api/usage-overview?by=model&"+query).Want(t, http.StatusOK)
		consoletest.Equal(t, overview, want, "total", "requests")
		sums := map[string]float64{}
		for _, part := range []any{consoletest.At(t, overview, "series", "items"),
			consoletest.At(t, overview, "breakdowns", 0, "items")} {
			for i, row := range part.([]any) { //nolint:errcheck // a failed assertion fails the test
				sums["requests"] += row.(map[string]any)["requests"].(float64) //nolint:errcheck // as above
				consoletest.Equal(t, part, "gpt-4o-mini", i, "value")
			}
		}
		if sums["requests"] != 2*want {
			t.Errorf("%q: the series and the breakdown have %v requests together, want %v", query,
				sums["requests"], 2*want)
		}
		if rows := consoletest.Items(t, operator.Get("/api/usage-summary?"+query).
			Want(t, http.StatusOK)); (len(rows) == 0) !=
			(want == 0) {
			t.Errorf("%q: the summary has the rows %v, want %v requests", query, rows, want)
		}
	}
}

func TestUsageOverview_AddsFailuresAndAttributionOnRequest(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	failed := s.Acme.Log
	failed.ID, failed.Outcome, failed.Status, failed.Error, failed.EndUser = uuid.Must(uuid.NewV7()), usage.Failed, 502,
		"upstream_error", "ann"
	_, err := s.Store.Metering.RecordEvents(t.Context(), consoletest.System, failed.RelayID,
		[]usage.Event{{Log: failed}})
	s.Must(err)
	s.DrainUsage()
	for drained := 1; drained > 0; {
		drained, err = s.Store.Rollup.DrainAttribution(t.Context(), consoletest.System, 100)
		s.Must(err)
	}
	owner := s.As(s.Acme.Owner)
	plain := owner.Get("/api/usage-overview").Want(t, http.StatusOK)
	none(t, plain, "failures")
	consoletest.Equal(t, plain, nil, "attribution")

	whole := owner.Get("/api/usage-overview?failures=5&attribution=true").Want(t, http.StatusOK)
	consoletest.Equal(t, whole, failed.ID.String(), "failures", 0, "id")
	consoletest.Equal(t, whole, "ci of acme", "failures", 0, "token_name")
	consoletest.Equal(t, whole, "ann", "attribution", "items", 0, "value")
	none(t, owner.Get("/api/usage-overview?failures=5&model=gpt-4o").Want(t, http.StatusOK), "failures")
	none(t, s.As(s.Globex.Owner).Get("/api/usage-overview?failures=5").Want(t, http.StatusOK), "failures")

	s.As(s.Acme.Member).Get("/api/usage-overview?attribution=true").Want(t, http.StatusForbidden)
	operator := s.As(s.Operator)
	operator.Get("/api/usage-overview?attribution=true").Refused(t, http.StatusBadRequest, "tenant_id")
	consoletest.Equal(t, operator.Get("/api/usage-overview?attribution=true&tenant_id="+s.Acme.ID.String()).
		Want(t, http.StatusOK), "ann", "attribution", "items", 0, "value")
	owner.Get("/api/usage-overview?failures=21").Refused(t, http.StatusBadRequest, "failures")
}

// A breakdown that exceeds a limit says so in its fault. The other figures are there nevertheless.
func TestUsageOverview_NamesTheFaultOfABreakdown(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	s.DrainUsage()
	multiplyModels(s, 10_001)
	overview := s.As(s.Acme.Owner).Get("/api/usage-overview?series=model&by=model&by=channel").Want(t, http.StatusOK)
	consoletest.Equal(t, overview, 10_001.0, "total", "requests")
	for _, part := range []any{consoletest.At(t, overview, "series"), consoletest.At(t, overview, "breakdowns", 0)} {
		consoletest.Equal(t, part, "The summary has more than 10000 rows. Choose a shorter range.", "fault")
		none(t, part, "items")
	}
	consoletest.Equal(t, overview, nil, "breakdowns", 1, "fault")
	consoletest.Equal(t, overview, 10_001.0, "breakdowns", 1, "items", 0, "requests")
}

func TestVisibleModels_ShowEffectivePrices(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator, me := s.As(s.Operator), s.As(s.Acme.Member)
	model := consoletest.At(t, me.Get("/api/models").Want(t, http.StatusOK), "items", 0)
	consoletest.Equal(t, model, "gpt-4o-mini", "id")
	consoletest.Equal(t, model, "0.85", "multiplier")
	consoletest.Equal(t, model, "0.15", "rates", "input")
	for i, want := range [][2]string{
		{"input", "0.1275"}, {"cached_input", "0.06375"}, {"cache_write", "0.1275"}, {"cache_write_1h", "0.1275"},
		{"audio_input", "0.1275"}, {"image_input", "0.1275"}, {"output", "0.51"},
	} {
		consoletest.Equal(t, model, want[0], "effective", i, "class")
		consoletest.Equal(t, model, want[1], "effective", i, "price")
	}
	tiers := []any{map[string]any{"above_input": 200_000, "input": "0.30"}}
	operator.Post("/api/operator/prices",
		map[string]any{"model": "gpt-4o-mini", "price": map[string]any{"input": "0.15", "cached_input": "0.075",
			"output": "0.60", "tiers": tiers}}).Want(t, http.StatusCreated)
	model = consoletest.At(t, me.Get("/api/models").Want(t, http.StatusOK), "items", 0)
	consoletest.Equal(t, model, 200_000.0, "effective_tiers", 0, "above_input")
	for i, want := range [][2]string{{"input", "0.255"}, {"cached_input", "0.255"}} {
		consoletest.Equal(t, model, want[0], "effective_tiers", 0, "prices", i, "class")
		consoletest.Equal(t, model, want[1], "effective_tiers", 0, "prices", i, "price")
	}
	tiers = append(tiers, tiers[0])
	operator.Post("/api/operator/prices",
		map[string]any{"model": "gpt-4o-mini", "price": map[string]any{"input": "1", "tiers": tiers}}).
		Refused(t, http.StatusBadRequest, "price.tiers[1].above_input")
	operator.Get("/api/models").Refused(t, http.StatusBadRequest, "group_id")
	consoletest.Equal(t, operator.Get("/api/models?group_id="+s.Group.ID.String()).Want(t, http.StatusOK),
		"gpt-4o-mini", "items", 0, "id")
	me.Get("/api/models?group_id=01900000-0000-7000-8000-000000000000").Refused(t, http.StatusNotFound, "group_id")

	operator.Post("/api/operator/group-rules", map[string]any{"group_id": s.Group.ID, "model": "gpt-4o-mini",
		"fixed": "0.01"}).Want(t, http.StatusCreated)
	model = consoletest.At(t, me.Get("/api/models").Want(t, http.StatusOK), "items", 0)
	consoletest.Equal(t, model, "0.01", "fixed")
	consoletest.Equal(t, model, "request", "effective", 0, "class")

	operator.Patch("/api/operator/models/gpt-4o-mini", map[string]any{"status": "disabled"}).Want(t, http.StatusOK)
	if listed := consoletest.Items(t, me.Get("/api/models").Want(t, http.StatusOK)); len(listed) != 0 {
		t.Errorf("got %v, want no models: the only one is disabled", listed)
	}
}

func TestGetQuotaAndLedger_ShowTheTenantsQuota(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	own := s.As(s.Acme.Member).Get("/api/quota").Want(t, http.StatusOK)
	consoletest.Equal(t, own, "10", "wallet", "granted")
	consoletest.Equal(t, own, "0.000000893", "wallet", "used")
	consoletest.Equal(t, own, "9.999999107", "wallet", "left")
	consoletest.Equal(t, own, nil, "cap", "granted")
	consoletest.Equal(t, own, "0.000000893", "cap", "used")
	if s.As(s.Operator).Get("/api/quota").Want(t, http.StatusOK)["wallet"] != nil {
		t.Error("got a wallet for an operator, want none")
	}
	for _, who := range []tenant.User{s.Acme.Admin, s.Acme.Owner} {
		ledger := s.As(who).Get("/api/ledger").Want(t, http.StatusOK)
		consoletest.Equal(t, ledger, "10", "items", 0, "amount")
		consoletest.Equal(t, ledger, s.Acme.ID.String(), "items", 0, "tenant_id")
		if listed := consoletest.Items(t, ledger); len(listed) != 1 {
			t.Errorf("got ledger %v, want 1 entry", listed)
		}
	}
	s.As(s.Acme.Member).Get("/api/ledger").Refused(t, http.StatusForbidden, "")
}

func TestMembers_CreateEditAndRefuse(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	admin := s.As(s.Acme.Admin)
	if listed := consoletest.Items(t, admin.Get("/api/members").Want(t, http.StatusOK)); len(listed) != 3 {
		t.Errorf("got %d members, want 3", len(listed))
	}
	created := admin.Post("/api/members", map[string]any{"email": "new@acme.example", "password": consoletest.Password,
		"quota": "5"}).Want(t, http.StatusCreated)
	consoletest.Equal(t, created, "member", "role")
	consoletest.Equal(t, created, s.Group.ID.String(), "group_id")
	consoletest.Equal(t, created, "5", "quota", "left")
	s.SignIn("new@acme.example", consoletest.Password)
	path := "/api/members/" + consoletest.Text(t, created, "id")
	consoletest.Equal(t, admin.Patch(path, `{"quota":null,"role":"admin"}`).Want(t, http.StatusOK), "admin", "role")
	consoletest.Equal(t, admin.Patch(path, map[string]any{"status": "disabled"}).Want(t, http.StatusOK), "disabled",
		"status")

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
		admin.Post("/api/members", row.body).Refused(t, row.status, row.param)
	}
	admin.Patch(path, `{"group_id":"`+s.Group.ID.String()+`"}`).Refused(t, http.StatusBadRequest, "group_id")
	member := s.As(s.Acme.Member)
	member.Get("/api/members").Refused(t, http.StatusForbidden, "")
	member.Post("/api/members", map[string]any{"email": "b@acme.example", "password": consoletest.Password}).
		Refused(t, http.StatusForbidden, "")
	s.As(s.Operator).Get("/api/members").Refused(t, http.StatusForbidden, "")
}

// Admins can neither change owners nor make anybody an owner, themselves included.
func TestUpdateMember_AdminsCannotChangeOwners(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	admin := s.As(s.Acme.Admin)
	for _, row := range []struct {
		name string
		who  tenant.User
		body string
	}{
		{"demote the owner", s.Acme.Owner, `{"role":"member"}`},
		{"disable the owner", s.Acme.Owner, `{"status":"disabled"}`},
		{"promote themself", s.Acme.Admin, `{"role":"owner"}`},
		{"promote a member", s.Acme.Member, `{"role":"owner"}`},
	} {
		r := admin.Patch("/api/members/"+row.who.ID.String(), row.body)
		if r.StatusCode != http.StatusForbidden && r.StatusCode != http.StatusConflict {
			t.Errorf("%s: got status %d, want 403 or 409: %s", row.name, r.StatusCode, r.Raw)
		}
	}
}

func TestUsageLogs_ShowUserAndTenant(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	newest := s.Call(&s.Acme, usage.Usage{Input: 1})
	admin, operator := s.As(s.Acme.Admin), s.As(s.Operator)
	shown := admin.Get("/api/usage-logs?newer_than="+s.Acme.Log.ID.String()).Want(t, http.StatusOK)
	if len(consoletest.Items(t, shown)) != 1 {
		t.Fatalf("got %v, want 1 log", shown)
	}
	consoletest.Equal(t, shown, newest.ID.String(), "items", 0, "id")
	consoletest.Equal(t, shown, s.Acme.Member.Email, "items", 0, "user_email")
	consoletest.Equal(t, shown, nil, "items", 0, "tenant")
	consoletest.Equal(t, operator.Get("/api/usage-logs?tenant_id="+s.Acme.ID.String()).Want(t, 200), "ACME", "items", 0,
		"tenant")
	for path, want := range map[string]int{"endpoint=chat": 2, "endpoint=responses": 0, "error=upstream_error": 0,
		"newer_than=" + newest.ID.String(): 0} {
		if found := consoletest.Items(t, admin.Get("/api/usage-logs?"+path).Want(t, 200)); len(found) != want {
			t.Errorf("%s: got %d logs, want %d", path, len(found), want)
		}
	}
	_, err := s.Store.Rollup.DrainOutbox(t.Context(), consoletest.System, 0)
	s.Must(err)
	consoletest.Equal(t, operator.Get("/api/usage-summary?by=tenant&tenant_id="+s.Acme.ID.String()).Want(t, 200),
		"ACME", "items", 0, "name")
}

// multiplyModels replaces the model of each total by n models with the same sums.
func multiplyModels(s *consoletest.Stack, n int) {
	s.Helper()
	for _, table := range []string{"usage_totals_hourly", "usage_totals_daily"} {
		names := slices.DeleteFunc(slices.Clone(rollup.Columns),
			func(name string) bool { return name == "user_id" || name == "token_id" })
		values := strings.Replace(strings.Join(names, ", r."), "r.model", "'model-' || n.i", 1)
		storetest.Exec(s, s.Database,
			fmt.Sprintf("INSERT INTO %s (%s) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "+
				"WHERE i < %d) SELECT r.%s FROM %s AS r, n", table, strings.Join(names, ", "), n, values, table))
		storetest.Exec(s, s.Database, "DELETE FROM "+table+" WHERE model NOT LIKE 'model-%'")
	}
}
