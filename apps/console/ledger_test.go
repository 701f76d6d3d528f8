package console_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/page"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
)

// postWithKey sends a POST with an Idempotency-Key header.
func (c *client) postWithKey(key, path string, body map[string]any) reply {
	c.Helper()
	raw, err := json.Marshal(body)
	c.must(err)
	request, err := http.NewRequestWithContext(c.Context(), http.MethodPost, c.url+path, bytes.NewReader(raw))
	c.must(err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)
	return c.send(request)
}

func TestLedger_ShowsAdjustmentsAndTransfers(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	adjusted := operator.post("/api/operator/adjustments", map[string]any{"tenant_id": s.acme.ID, "amount": "-1.5",
		"reason": "billed twice"}).want(t, http.StatusCreated)
	equal(t, adjusted, "adjustment", "kind")
	equal(t, adjusted, "-1.5", "amount")
	equal(t, adjusted, "8.5", "granted")
	equal(t, adjusted, nil, "transfer_id")
	moved := operator.post("/api/operator/transfers", map[string]any{
		"from_tenant_id": s.acme.ID, "to_tenant_id": s.globex.ID, "amount": "2", "reason": "a merger",
	}).want(t, http.StatusCreated)
	equal(t, moved, "-2", "given", "amount")
	equal(t, moved, s.globex.ID.String(), "given", "counterpart_id")
	equal(t, moved, "12", "received", "granted")
	equal(t, moved, text(t, moved, "given", "transfer_id"), "received", "transfer_id")

	actions := operator.get("/api/operator/audit-log?limit=3").want(t, http.StatusOK)
	equal(t, actions, "quota.transfer", "items", 0, "action")
	equal(t, actions, "quota.transfer", "items", 1, "action")
	equal(t, actions, "quota.adjustment", "items", 2, "action")
	for _, row := range []struct {
		who     tenant.User
		granted string
	}{{s.acme.owner, "6.5"}, {s.globex.admin, "12"}} {
		r := s.as(row.who).get("/api/ledger")
		ledger := r.want(t, http.StatusOK)
		equal(t, ledger, "transfer", "items", 0, "kind")
		equal(t, ledger, "a merger", "items", 0, "reason")
		equal(t, ledger, s.operator.Email, "items", 0, "actor")
		equal(t, ledger, row.granted, "items", 0, "granted")
		equal(t, ledger, nil, "items", 0, "counterpart_id")
		if strings.Contains(r.raw, s.acme.ID.String()) && strings.Contains(r.raw, s.globex.ID.String()) {
			t.Errorf("the ledger shows %s the other tenant: %s", row.who.Email, r.raw)
		}
		wallet := s.as(row.who).get("/api/quota").want(t, http.StatusOK)
		equal(t, wallet, row.granted, "wallet", "granted")
		equal(t, wallet, "0", "wallet", "leased")
	}
	acme, globex := s.acme.ID.String(), s.globex.ID.String()
	for _, row := range []struct {
		path, body string
		status     int
		param      string
	}{
		{"adjustments", `{"tenant_id":"` + acme + `","amount":"0","reason":"x"}`, 400, "amount"},
		{"adjustments", `{"tenant_id":"` + acme + `","amount":"1"}`, 400, "reason"},
		{"adjustments", `{"tenant_id":"` + acme + `","amount":"1","reason":""}`, 400, "reason"},
		{"adjustments", `{"tenant_id":"` + acme + `","amount":"-6.51","reason":"x"}`, 400, "amount"},
		{"adjustments", `{"amount":"1","reason":"x"}`, 400, "tenant_id"},
		{"adjustments", `{"tenant_id":"` + s.group.ID.String() + `","amount":"1","reason":"x"}`, 404, ""},
		{"transfers", `{"from_tenant_id":"` + acme + `","to_tenant_id":"` + globex + `","amount":"6.5","reason":"x"}`,
			409, "amount"},
		{"transfers", `{"from_tenant_id":"` + acme + `","to_tenant_id":"` + globex + `","amount":"-1","reason":"x"}`,
			400, "amount"},
		{"transfers", `{"from_tenant_id":"` + acme + `","to_tenant_id":"` + acme + `","amount":"1","reason":"x"}`, 400,
			"to_tenant_id"},
		{"transfers", `{"from_tenant_id":"` + acme + `","to_tenant_id":"` + s.group.ID.String() +
			`","amount":"1","reason":"x"}`, 404, "to_tenant_id"},
		{"transfers", `{"from_tenant_id":"` + s.group.ID.String() + `","to_tenant_id":"` + acme +
			`","amount":"1","reason":"x"}`, 404, "from_tenant_id"},
		{"transfers", `{"from_tenant_id":"` + acme + `","to_tenant_id":"` + globex + `","amount":"1"}`, 400, "reason"},
	} {
		operator.post("/api/operator/"+row.path, row.body).refused(t, row.status, row.param)
	}
	equal(t, s.as(s.acme.owner).get("/api/quota").want(t, http.StatusOK), "6.5", "wallet", "granted")
}

// Only operators may grant, adjust and transfer quota.
func TestLedger_IsChangedByOperatorsOnly(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for path, body := range map[string]map[string]any{
		"grants":      {"tenant_id": s.acme.ID, "amount": "1", "reason": "x"},
		"adjustments": {"tenant_id": s.acme.ID, "amount": "1", "reason": "x"},
		"transfers":   {"from_tenant_id": s.globex.ID, "to_tenant_id": s.acme.ID, "amount": "1", "reason": "x"},
	} {
		for _, who := range []tenant.User{s.acme.owner, s.acme.admin, s.acme.member} {
			s.as(who).post("/api/operator/"+path, body).refused(t, http.StatusForbidden, "")
			s.as(who).postWithKey("k", "/api/operator/"+path, body).refused(t, http.StatusForbidden, "")
		}
		s.anonymous().post("/api/operator/"+path, body).refused(t, http.StatusUnauthorized, "")
		s.as(s.operator).post("/api/operator/"+path, body).want(t, http.StatusCreated)
	}
	equal(t, s.as(s.acme.member).get("/api/quota").want(t, http.StatusOK), "13", "wallet", "granted")
}

func TestIdempotencyKey_MakesRepeatedPostsSafe(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	requests := map[string]map[string]any{
		"/api/operator/grants":      {"tenant_id": s.acme.ID, "amount": "1", "reason": "x"},
		"/api/operator/adjustments": {"tenant_id": s.acme.ID, "amount": "1", "reason": "x"},
		"/api/operator/transfers": {"from_tenant_id": s.globex.ID, "to_tenant_id": s.acme.ID,
			"amount": "1", "reason": "x"},
	}
	for path, body := range requests {
		key := "key of " + path
		first := operator.postWithKey(key, path, body)
		first.want(t, http.StatusCreated)
		again := operator.postWithKey(key, path, body)
		again.want(t, http.StatusCreated)
		if again.raw != first.raw {
			t.Errorf("%s: got %s for the second request, want %s", path, again.raw, first.raw)
		}
		body["amount"] = "2"
		operator.postWithKey(key, path, body).refused(t, http.StatusConflict, "Idempotency-Key")
		operator.postWithKey(strings.Repeat("k", 256), path, body).refused(t, http.StatusBadRequest, "Idempotency-Key")
	}
	operator.postWithKey("key of /api/operator/grants", "/api/operator/adjustments", requests["/api/operator/grants"]).
		refused(t, http.StatusConflict, "Idempotency-Key")
	equal(t, s.as(s.acme.member).get("/api/quota").want(t, http.StatusOK), "13", "wallet", "granted")
}

func TestBudgets_AreSetAndChangedForTokensUsersAndTenants(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator, owner, me := s.as(s.operator), s.as(s.acme.owner), s.as(s.acme.member)
	caps := map[string]any{"day": "1.50", "month": "20"}
	for _, row := range []struct {
		who          *client
		create, edit string
		body         map[string]any
	}{
		{me, "/api/tokens", "/api/tokens/", map[string]any{"name": "x"}},
		{owner, "/api/members", "/api/members/", map[string]any{"email": "a@acme.example", "password": password}},
		{operator, "/api/operator/users", "/api/operator/users/", map[string]any{
			"email": "b@acme.example", "password": password, "role": "member", "tenant_id": s.acme.ID,
			"group_id": s.group.ID,
		}},
		{operator, "/api/operator/tenants", "/api/operator/tenants/", map[string]any{"slug": "x", "name": "x"}},
	} {
		row.body["caps"] = map[string]any{"day": "-1"}
		row.who.post(row.create, row.body).refused(t, http.StatusBadRequest, "caps.day")
		row.body["caps"] = map[string]any{"year": "1"}
		row.who.post(row.create, row.body).refused(t, http.StatusBadRequest, "caps.year")
		row.body["caps"] = caps
		created := row.who.post(row.create, row.body).want(t, http.StatusCreated)
		equal(t, created, "1.5", "caps", "day")
		equal(t, created, nil, "caps", "week")
		equal(t, created, "20", "caps", "month")
		path := row.edit + text(t, created, "id")
		edited := row.who.patch(path, `{"caps":{"day":null,"week":"5"}}`).want(t, http.StatusOK)
		equal(t, edited, nil, "caps", "day")
		equal(t, edited, "5", "caps", "week")
		equal(t, edited, "20", "caps", "month")
		same := row.who.patch(path, `{}`).want(t, http.StatusOK)
		equal(t, same, "5", "caps", "week")
		for _, wrong := range []struct{ body, param string }{
			{`{"caps":{"week":"-1"}}`, "caps.week"}, {`{"caps":{"week":1}}`, "caps.week"},
			{`{"caps":{"hour":"1"}}`, "caps.hour"}, {`{"caps":null}`, "caps"},
		} {
			row.who.patch(path, wrong.body).refused(t, http.StatusBadRequest, wrong.param)
		}
		listed := false
		for _, item := range items(t, row.who.get(row.create).want(t, http.StatusOK)) {
			if at(t, item, "id") == created["id"] {
				listed = true
				equal(t, item, "5", "caps", "week")
			}
		}
		if !listed {
			t.Errorf("%s does not list the created resource", row.create)
		}
	}
}

// A rotated token keeps its budgets and what is left of them.
func TestRotateToken_KeepsBudgets(t *testing.T) {
	t.Parallel()
	s := setup(t)
	me := s.as(s.acme.member)
	created := me.post("/api/tokens", map[string]any{"name": "x", "caps": map[string]any{"week": "3"}}).
		want(t, http.StatusCreated)
	rotated := me.post("/api/tokens/"+text(t, created, "id")+"/rotate", nil).want(t, http.StatusCreated)
	equal(t, rotated, "3", "caps", "week")
	limits := me.get("/api/quota?token_id="+text(t, rotated, "id")).want(t, http.StatusOK)
	equal(t, limits, "3", "limits", 3, "left")
}

func TestGetQuota_ShowsEveryLimit(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator, admin, me := s.as(s.operator), s.as(s.acme.admin), s.as(s.acme.member)
	s.call(&s.acme, usage.Usage{Input: 1000})
	operator.patch("/api/operator/tenants/"+s.acme.ID.String(), `{"caps":{"month":"9"}}`).want(t, http.StatusOK)
	admin.patch("/api/members/"+s.acme.member.ID.String(), `{"quota":"8","caps":{"week":"7","day":"6"}}`).
		want(t, http.StatusOK)
	me.patch("/api/tokens/"+s.acme.token.ID.String(), `{"caps":{"day":"5"}}`).want(t, http.StatusOK)
	type line struct{ kind, period, granted string }
	wallet := []line{{"tenant", "lifetime", "10"}, {"tenant", "month", "9"}}
	mine := []line{{"user", "lifetime", "8"}, {"user", "day", "6"}, {"user", "week", "7"}}
	tokens := []line{{"token", "lifetime", "1"}, {"token", "day", "5"}}
	all := append(append(append([]line{}, wallet...), mine...), tokens...)
	user, own := "user_id="+s.acme.member.ID.String(), "token_id="+s.acme.token.ID.String()
	for _, row := range []struct {
		rule  string
		who   *client
		query string
		want  []line
	}{
		{"own limits", me, "", append(append([]line{}, wallet...), mine...)},
		{"own token", me, own, all},
		{"member, for an admin", admin, user, append(append([]line{}, wallet...), mine...)},
		{"token of a member, for an admin", admin, user + "&" + own, all},
		{"token of a member, for an operator", operator, own, all},
		{"operator's own limits", operator, "", []line{{"user", "lifetime", ""}}},
	} {
		body := row.who.get("/api/quota?"+row.query).want(t, http.StatusOK)
		limits := as[[]any](t, at(t, body, "limits"))
		if len(limits) != len(row.want) {
			t.Fatalf("%s: got %d limits, want %d: %v", row.rule, len(limits), len(row.want), limits)
		}
		for i, want := range row.want {
			limit := limits[i]
			granted, _ := at(t, limit, "granted").(string)
			if got := (line{text(t, limit, "kind"), text(t, limit, "period"), granted}); got != want {
				t.Errorf("%s: got limit %d = %v, want %v", row.rule, i, got, want)
			}
			resets, resetting := at(t, limit, "resets_at").(string)
			if resetting != (want.period != "lifetime") {
				t.Errorf("%s: got resets_at %[3]q for the period %[2]s", row.rule, want.period, resets)
			}
			if moment, err := time.Parse(time.RFC3339, resets); resetting && (err != nil || !moment.After(time.Now())) {
				t.Errorf("%s: got resets_at %[3]q for the period %[2]s", row.rule, want.period, resets)
			}
		}
	}
	body := me.get("/api/quota").want(t, http.StatusOK)
	equal(t, body, "8", "cap", "granted")
	equal(t, body, text(t, body, "limits", 2, "used"), "cap", "used")
	equal(t, body, text(t, body, "limits", 0, "left"), "wallet", "left")

	colleague := s.as(s.user(s.acme.ID, "colleague@acme.example", tenant.Member))
	for _, row := range []struct {
		rule   string
		who    *client
		query  string
		status int
	}{
		{"another member", colleague, user, http.StatusForbidden},
		{"token of another member", colleague, own, http.StatusNotFound},
		{"user of another tenant", s.as(s.globex.owner), user, http.StatusNotFound},
		{"token of another tenant", s.as(s.globex.owner), own, http.StatusNotFound},
		{"unknown user", admin, "user_id=" + uuid.NewString(), http.StatusNotFound},
	} {
		row.who.get("/api/quota?"+row.query).refused(t, row.status, "")
	}
	me.get("/api/quota?user_id=x").refused(t, http.StatusBadRequest, "user_id")
	admin.get("/api/quota?user_id="+s.acme.owner.ID.String()+"&"+own).refused(t, http.StatusBadRequest, "token_id")
}

// What is left equals the sum of the ledger minus the usage, for every reader.
func TestGetQuota_IsLedgerMinusUsage(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	operator.post("/api/operator/grants", map[string]any{"tenant_id": s.acme.ID, "amount": "5", "reason": "x"}).
		want(t, http.StatusCreated)
	log := s.call(&s.acme, usage.Usage{Input: 1_000_000})
	_, err := s.store.Quota.GrantLease(t.Context(), system, uuid.Must(uuid.NewV7()), quota.AccountRef{ID: s.acme.ID},
		quota.LeaseRequest{Stamp: 1, Need: *usd("1"), Want: 1})
	s.must(err)
	entries, err := s.store.Quota.Ledger(t.Context(), system, s.acme.ID, page.Page{})
	s.must(err)
	sum := -s.acme.log.Quota - log.Quota
	for _, entry := range entries.Items {
		sum += entry.Amount
	}
	for _, who := range []*client{s.as(s.acme.member), s.as(s.acme.owner)} {
		equal(t, who.get("/api/quota").want(t, http.StatusOK), sum.String(), "wallet", "left")
	}
	shown := operator.get("/api/operator/tenants/"+s.acme.ID.String()).want(t, http.StatusOK)
	equal(t, shown, sum.String(), "quota", "left")
	equal(t, shown, "15", "quota", "granted")
	if leased := text(t, shown, "quota", "leased"); leased == "0" {
		t.Errorf("got leased = %s, want more than 0", leased)
	}
}

func TestGetQuota_ForecastsWhenQuotaRunsOut(t *testing.T) {
	t.Parallel()
	s := setup(t)
	_, err := s.store.Rollup.DrainOutbox(t.Context(), system, 0)
	s.must(err)
	body := s.as(s.acme.member).get("/api/quota").want(t, http.StatusOK)
	spent := s.acme.log.Quota.String() // all of it today, which is the tenant's first day
	equal(t, body, spent, "wallet_forecast", "daily_spend")
	equal(t, body, spent, "cap_forecast", "daily_spend")
	equal(t, body, nil, "cap_forecast", "runs_out_at")    // the user's quota is unlimited
	equal(t, body, nil, "wallet_forecast", "runs_out_at") // it would last longer than the horizon of a hundred years
	_, err = s.store.Quota.AddEntry(t.Context(), system, quotadb.NewEntry{Kind: quotadb.Adjustment, TenantID: s.acme.ID,
		Amount: -*usd("10"), Reason: "all of it"})
	s.must(err)
	if text(t, s.as(s.acme.member).get("/api/quota").want(t, 200), "wallet_forecast", "runs_out_at") == "" {
		t.Error("got no runs_out_at for a quota that has run out")
	}
	if operator := s.as(s.operator).get("/api/quota").want(t, 200); operator["wallet_forecast"] != nil ||
		operator["cap_forecast"] != nil {
		t.Errorf("got forecasts in %v, want none for an operator", operator)
	}
}
