package tenant_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/page"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
)

// postWithKey sends a POST with an Idempotency-Key header.
func postWithKey(c *consoletest.Client, key, path string, body map[string]any) consoletest.Reply {
	c.Helper()
	raw, err := json.Marshal(body)
	c.Must(err)
	request, err := http.NewRequestWithContext(c.Context(), http.MethodPost, c.URL+path, bytes.NewReader(raw))
	c.Must(err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)
	return c.Send(request)
}

func TestLedger_ShowsAdjustmentsAndTransfers(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	adjusted := operator.Post("/api/operator/adjustments", map[string]any{"tenant_id": s.Acme.ID, "amount": "-1.5",
		"reason": "billed twice"}).Want(t, http.StatusCreated)
	consoletest.Equal(t, adjusted, "adjustment", "kind")
	consoletest.Equal(t, adjusted, "-1.5", "amount")
	consoletest.Equal(t, adjusted, "8.5", "granted")
	consoletest.Equal(t, adjusted, nil, "transfer_id")
	moved := operator.Post("/api/operator/transfers", map[string]any{
		"from_tenant_id": s.Acme.ID, "to_tenant_id": s.Globex.ID, "amount": "2", "reason": "a merger",
	}).Want(t, http.StatusCreated)
	consoletest.Equal(t, moved, "-2", "given", "amount")
	consoletest.Equal(t, moved, s.Globex.ID.String(), "given", "counterpart_id")
	consoletest.Equal(t, moved, "12", "received", "granted")
	consoletest.Equal(t, moved, consoletest.Text(t, moved, "given", "transfer_id"), "received", "transfer_id")

	actions := operator.Get("/api/operator/audit-log?limit=3").Want(t, http.StatusOK)
	consoletest.Equal(t, actions, "quota.transfer", "items", 0, "action")
	consoletest.Equal(t, actions, "quota.transfer", "items", 1, "action")
	consoletest.Equal(t, actions, "quota.adjustment", "items", 2, "action")
	for _, row := range []struct {
		who     tenant.User
		granted string
	}{{s.Acme.Owner, "6.5"}, {s.Globex.Admin, "12"}} {
		r := s.As(row.who).Get("/api/ledger")
		ledger := r.Want(t, http.StatusOK)
		consoletest.Equal(t, ledger, "transfer", "items", 0, "kind")
		consoletest.Equal(t, ledger, "a merger", "items", 0, "reason")
		consoletest.Equal(t, ledger, s.Operator.Email, "items", 0, "actor")
		consoletest.Equal(t, ledger, row.granted, "items", 0, "granted")
		consoletest.Equal(t, ledger, nil, "items", 0, "counterpart_id")
		if strings.Contains(r.Raw, s.Acme.ID.String()) && strings.Contains(r.Raw, s.Globex.ID.String()) {
			t.Errorf("the ledger shows %s the other tenant: %s", row.who.Email, r.Raw)
		}
		wallet := s.As(row.who).Get("/api/quota").Want(t, http.StatusOK)
		consoletest.Equal(t, wallet, row.granted, "wallet", "granted")
		consoletest.Equal(t, wallet, "0", "wallet", "leased")
	}
	acme, globex := s.Acme.ID.String(), s.Globex.ID.String()
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
		{"adjustments", `{"tenant_id":"` + s.Group.ID.String() + `","amount":"1","reason":"x"}`, 404, ""},
		{"transfers", `{"from_tenant_id":"` + acme + `","to_tenant_id":"` + globex + `","amount":"6.5","reason":"x"}`,
			409, "amount"},
		{"transfers", `{"from_tenant_id":"` + acme + `","to_tenant_id":"` + globex + `","amount":"-1","reason":"x"}`,
			400, "amount"},
		{"transfers", `{"from_tenant_id":"` + acme + `","to_tenant_id":"` + acme + `","amount":"1","reason":"x"}`, 400,
			"to_tenant_id"},
		{"transfers", `{"from_tenant_id":"` + acme + `","to_tenant_id":"` + s.Group.ID.String() +
			`","amount":"1","reason":"x"}`, 404, "to_tenant_id"},
		{"transfers", `{"from_tenant_id":"` + s.Group.ID.String() + `","to_tenant_id":"` + acme +
			`","amount":"1","reason":"x"}`, 404, "from_tenant_id"},
		{"transfers", `{"from_tenant_id":"` + acme + `","to_tenant_id":"` + globex + `","amount":"1"}`, 400, "reason"},
	} {
		operator.Post("/api/operator/"+row.path, row.body).Refused(t, row.status, row.param)
	}
	consoletest.Equal(t, s.As(s.Acme.Owner).Get("/api/quota").Want(t, http.StatusOK), "6.5", "wallet", "granted")
}

// Only operators may grant, adjust and transfer quota.
func TestLedger_IsChangedByOperatorsOnly(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	for path, body := range map[string]map[string]any{
		"grants":      {"tenant_id": s.Acme.ID, "amount": "1", "reason": "x"},
		"adjustments": {"tenant_id": s.Acme.ID, "amount": "1", "reason": "x"},
		"transfers":   {"from_tenant_id": s.Globex.ID, "to_tenant_id": s.Acme.ID, "amount": "1", "reason": "x"},
	} {
		for _, who := range []tenant.User{s.Acme.Owner, s.Acme.Admin, s.Acme.Member} {
			s.As(who).Post("/api/operator/"+path, body).Refused(t, http.StatusForbidden, "")
			postWithKey(s.As(who), "k", "/api/operator/"+path, body).Refused(t, http.StatusForbidden, "")
		}
		s.Anonymous().Post("/api/operator/"+path, body).Refused(t, http.StatusUnauthorized, "")
		s.As(s.Operator).Post("/api/operator/"+path, body).Want(t, http.StatusCreated)
	}
	consoletest.Equal(t, s.As(s.Acme.Member).Get("/api/quota").Want(t, http.StatusOK), "13", "wallet", "granted")
}

func TestIdempotencyKey_MakesRepeatedPostsSafe(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	requests := map[string]map[string]any{
		"/api/operator/grants":      {"tenant_id": s.Acme.ID, "amount": "1", "reason": "x"},
		"/api/operator/adjustments": {"tenant_id": s.Acme.ID, "amount": "1", "reason": "x"},
		"/api/operator/transfers": {"from_tenant_id": s.Globex.ID, "to_tenant_id": s.Acme.ID,
			"amount": "1", "reason": "x"},
	}
	for path, body := range requests {
		key := "key of " + path
		first := postWithKey(operator, key, path, body)
		first.Want(t, http.StatusCreated)
		again := postWithKey(operator, key, path, body)
		again.Want(t, http.StatusCreated)
		if again.Raw != first.Raw {
			t.Errorf("%s: got %s for the second request, want %s", path, again.Raw, first.Raw)
		}
		body["amount"] = "2"
		postWithKey(operator, key, path, body).Refused(t, http.StatusConflict, "Idempotency-Key")
		postWithKey(operator, strings.Repeat("k", 256), path, body).Refused(t, http.StatusBadRequest, "Idempotency-Key")
	}
	postWithKey(operator, "key of /api/operator/grants", "/api/operator/adjustments", requests["/api/operator/grants"]).
		Refused(t, http.StatusConflict, "Idempotency-Key")
	consoletest.Equal(t, s.As(s.Acme.Member).Get("/api/quota").Want(t, http.StatusOK), "13", "wallet", "granted")
}

func TestBudgets_AreSetAndChangedForTokensUsersAndTenants(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator, owner, me := s.As(s.Operator), s.As(s.Acme.Owner), s.As(s.Acme.Member)
	caps := map[string]any{"day": "1.50", "month": "20"}
	for _, row := range []struct {
		who          *consoletest.Client
		create, edit string
		body         map[string]any
	}{
		{me, "/api/tokens", "/api/tokens/", map[string]any{"name": "x"}},
		{owner, "/api/members", "/api/members/", map[string]any{"email": "a@acme.example",
			"password": consoletest.Password}},
		{operator, "/api/operator/users", "/api/operator/users/", map[string]any{
			"email": "b@acme.example", "password": consoletest.Password, "role": "member", "tenant_id": s.Acme.ID,
			"group_id": s.Group.ID,
		}},
		{operator, "/api/operator/tenants", "/api/operator/tenants/", map[string]any{"slug": "x", "name": "x"}},
	} {
		row.body["caps"] = map[string]any{"day": "-1"}
		row.who.Post(row.create, row.body).Refused(t, http.StatusBadRequest, "caps.day")
		row.body["caps"] = map[string]any{"year": "1"}
		row.who.Post(row.create, row.body).Refused(t, http.StatusBadRequest, "caps.year")
		row.body["caps"] = caps
		created := row.who.Post(row.create, row.body).Want(t, http.StatusCreated)
		consoletest.Equal(t, created, "1.5", "caps", "day")
		consoletest.Equal(t, created, nil, "caps", "week")
		consoletest.Equal(t, created, "20", "caps", "month")
		path := row.edit + consoletest.Text(t, created, "id")
		edited := row.who.Patch(path, `{"caps":{"day":null,"week":"5"}}`).Want(t, http.StatusOK)
		consoletest.Equal(t, edited, nil, "caps", "day")
		consoletest.Equal(t, edited, "5", "caps", "week")
		consoletest.Equal(t, edited, "20", "caps", "month")
		same := row.who.Patch(path, `{}`).Want(t, http.StatusOK)
		consoletest.Equal(t, same, "5", "caps", "week")
		for _, wrong := range []struct{ body, param string }{
			{`{"caps":{"week":"-1"}}`, "caps.week"}, {`{"caps":{"week":1}}`, "caps.week"},
			{`{"caps":{"hour":"1"}}`, "caps.hour"}, {`{"caps":null}`, "caps"},
		} {
			row.who.Patch(path, wrong.body).Refused(t, http.StatusBadRequest, wrong.param)
		}
		listed := false
		for _, item := range consoletest.Items(t, row.who.Get(row.create).Want(t, http.StatusOK)) {
			if consoletest.At(t, item, "id") == created["id"] {
				listed = true
				consoletest.Equal(t, item, "5", "caps", "week")
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
	s := consoletest.Setup(t)
	me := s.As(s.Acme.Member)
	created := me.Post("/api/tokens", map[string]any{"name": "x", "caps": map[string]any{"week": "3"}}).
		Want(t, http.StatusCreated)
	rotated := me.Post("/api/tokens/"+consoletest.Text(t, created, "id")+"/rotate", nil).Want(t, http.StatusCreated)
	consoletest.Equal(t, rotated, "3", "caps", "week")
	limits := me.Get("/api/quota?token_id="+consoletest.Text(t, rotated, "id")).Want(t, http.StatusOK)
	consoletest.Equal(t, limits, "3", "limits", 3, "left")
}

func TestGetQuota_ShowsEveryLimit(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator, admin, me := s.As(s.Operator), s.As(s.Acme.Admin), s.As(s.Acme.Member)
	s.Call(&s.Acme, usage.Usage{Input: 1000})
	operator.Patch("/api/operator/tenants/"+s.Acme.ID.String(), `{"caps":{"month":"9"}}`).Want(t, http.StatusOK)
	admin.Patch("/api/members/"+s.Acme.Member.ID.String(), `{"quota":"8","caps":{"week":"7","day":"6"}}`).
		Want(t, http.StatusOK)
	me.Patch("/api/tokens/"+s.Acme.Token.ID.String(), `{"caps":{"day":"5"}}`).Want(t, http.StatusOK)
	type line struct{ kind, period, granted string }
	wallet := []line{{"tenant", "lifetime", "10"}, {"tenant", "month", "9"}}
	mine := []line{{"user", "lifetime", "8"}, {"user", "day", "6"}, {"user", "week", "7"}}
	tokens := []line{{"token", "lifetime", "1"}, {"token", "day", "5"}}
	all := append(append(append([]line{}, wallet...), mine...), tokens...)
	user, own := "user_id="+s.Acme.Member.ID.String(), "token_id="+s.Acme.Token.ID.String()
	for _, row := range []struct {
		rule  string
		who   *consoletest.Client
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
		body := row.who.Get("/api/quota?"+row.query).Want(t, http.StatusOK)
		limits := consoletest.As[[]any](t, consoletest.At(t, body, "limits"))
		if len(limits) != len(row.want) {
			t.Fatalf("%s: got %d limits, want %d: %v", row.rule, len(limits), len(row.want), limits)
		}
		for i, want := range row.want {
			limit := limits[i]
			granted, _ := consoletest.At(t, limit, "granted").(string)
			if got := (line{consoletest.Text(t, limit, "kind"), consoletest.Text(t, limit, "period"),
				granted}); got != want {
				t.Errorf("%s: got limit %d = %v, want %v", row.rule, i, got, want)
			}
			resets, resetting := consoletest.At(t, limit, "resets_at").(string)
			if resetting != (want.period != "lifetime") {
				t.Errorf("%s: got resets_at %[3]q for the period %[2]s", row.rule, want.period, resets)
			}
			if moment, err := time.Parse(time.RFC3339, resets); resetting && (err != nil || !moment.After(time.Now())) {
				t.Errorf("%s: got resets_at %[3]q for the period %[2]s", row.rule, want.period, resets)
			}
		}
	}
	body := me.Get("/api/quota").Want(t, http.StatusOK)
	consoletest.Equal(t, body, "8", "cap", "granted")
	consoletest.Equal(t, body, consoletest.Text(t, body, "limits", 2, "used"), "cap", "used")
	consoletest.Equal(t, body, consoletest.Text(t, body, "limits", 0, "left"), "wallet", "left")

	colleague := s.As(s.User(s.Acme.ID, "colleague@acme.example", tenant.Member))
	for _, row := range []struct {
		rule   string
		who    *consoletest.Client
		query  string
		status int
	}{
		{"another member", colleague, user, http.StatusForbidden},
		{"token of another member", colleague, own, http.StatusNotFound},
		{"user of another tenant", s.As(s.Globex.Owner), user, http.StatusNotFound},
		{"token of another tenant", s.As(s.Globex.Owner), own, http.StatusNotFound},
		{"unknown user", admin, "user_id=" + uuid.NewString(), http.StatusNotFound},
	} {
		row.who.Get("/api/quota?"+row.query).Refused(t, row.status, "")
	}
	me.Get("/api/quota?user_id=x").Refused(t, http.StatusBadRequest, "user_id")
	admin.Get("/api/quota?user_id="+s.Acme.Owner.ID.String()+"&"+own).Refused(t, http.StatusBadRequest, "token_id")
}

// What is left equals the sum of the ledger minus the usage, for every reader.
func TestGetQuota_IsLedgerMinusUsage(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	operator.Post("/api/operator/grants", map[string]any{"tenant_id": s.Acme.ID, "amount": "5", "reason": "x"}).
		Want(t, http.StatusCreated)
	log := s.Call(&s.Acme, usage.Usage{Input: 1_000_000})
	_, err := s.Store.Quota.GrantLease(t.Context(), consoletest.System, uuid.Must(uuid.NewV7()),
		quota.AccountRef{ID: s.Acme.ID}, quota.LeaseRequest{Stamp: 1, Need: *consoletest.USD("1"), Want: 1})
	s.Must(err)
	entries, err := s.Store.Quota.Ledger(t.Context(), consoletest.System, s.Acme.ID, page.Page{})
	s.Must(err)
	sum := -s.Acme.Log.Quota - log.Quota
	for _, entry := range entries.Items {
		sum += entry.Amount
	}
	for _, who := range []*consoletest.Client{s.As(s.Acme.Member), s.As(s.Acme.Owner)} {
		consoletest.Equal(t, who.Get("/api/quota").Want(t, http.StatusOK), sum.String(), "wallet", "left")
	}
	shown := operator.Get("/api/operator/tenants/"+s.Acme.ID.String()).Want(t, http.StatusOK)
	consoletest.Equal(t, shown, sum.String(), "quota", "left")
	consoletest.Equal(t, shown, "15", "quota", "granted")
	if leased := consoletest.Text(t, shown, "quota", "leased"); leased == "0" {
		t.Errorf("got leased = %s, want more than 0", leased)
	}
}

func TestGetQuota_ForecastsWhenQuotaRunsOut(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	_, err := s.Store.Rollup.DrainOutbox(t.Context(), consoletest.System, 0)
	s.Must(err)
	body := s.As(s.Acme.Member).Get("/api/quota").Want(t, http.StatusOK)
	spent := s.Acme.Log.Quota.String() // all of it today, which is the tenant's first day
	consoletest.Equal(t, body, spent, "wallet_forecast", "daily_spend")
	consoletest.Equal(t, body, spent, "cap_forecast", "daily_spend")
	consoletest.Equal(t, body, nil, "cap_forecast", "runs_out_at") // the user's quota is unlimited
	consoletest.Equal(t, body, nil, "wallet_forecast",
		"runs_out_at") // it would last longer than the horizon of a hundred years
	_, err = s.Store.Quota.AddEntry(t.Context(), consoletest.System,
		quotadb.NewEntry{Kind: quotadb.Adjustment, TenantID: s.Acme.ID,
			Amount: -*consoletest.USD("10"), Reason: "all of it"})
	s.Must(err)
	if consoletest.Text(t, s.As(s.Acme.Member).Get("/api/quota").Want(t, 200), "wallet_forecast", "runs_out_at") == "" {
		t.Error("got no runs_out_at for a quota that has run out")
	}
	if operator := s.As(s.Operator).Get("/api/quota").Want(t, 200); operator["wallet_forecast"] != nil ||
		operator["cap_forecast"] != nil {
		t.Errorf("got forecasts in %v, want none for an operator", operator)
	}
}
