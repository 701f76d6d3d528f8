package console_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
)

func TestChannelCosts_AreCreatedListedAndWithdrawn(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator, path := s.as(s.operator), "/api/operator/channels/"+s.channel.ID.String()+"/costs"
	body := map[string]any{"upstream_model": "upstream-mini", "factor": "0.9",
		"rates": map[string]any{"input": "0.1", "tiers": []any{map[string]any{"above_input": 1000, "input": "0.2"}}}}
	created := operator.post(path, body).want(t, http.StatusCreated)
	equal(t, created, "current", "state")
	equal(t, created, "0.9", "factor")
	equal(t, created, "0.2", "rates", "tiers", 0, "input")
	body["effective_from"] = time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	delete(body, "factor")
	later := operator.post(path, body).want(t, http.StatusCreated)
	equal(t, later, "scheduled", "state")
	equal(t, later, "1", "factor")
	withdraw := "/api/operator/channel-costs/" + later["id"].(string) + "/withdraw" //nolint:errcheck // a failed assertion fails the test
	equal(t, operator.post(withdraw, nil).want(t, http.StatusOK), "withdrawn", "state")
	list := operator.get(path).want(t, http.StatusOK)
	equal(t, list, "withdrawn", "items", 0, "state")
	equal(t, list, "current", "items", 1, "state")
	for field, wrong := range map[string]map[string]any{
		"rates":       {"upstream_model": "m", "rates": map[string]any{}},
		"rates.input": {"upstream_model": "m", "rates": map[string]any{"input": "-1"}},
		"body.factor": {"upstream_model": "m", "rates": map[string]any{"input": "1"}, "factor": "-1"},
		"effective_from": {"upstream_model": "m", "rates": map[string]any{"input": "1"},
			"effective_from": "2020-01-01T00:00:00Z"},
		"body.rates":      {"upstream_model": "m"},
		"body.rates.tool": {"upstream_model": "m", "rates": map[string]any{"tool": "1"}},
	} {
		r := operator.post(path, wrong)
		if r.StatusCode < 400 || r.StatusCode >= 500 || !strings.Contains(r.raw, strings.TrimPrefix(field, "body.")) {
			t.Errorf("%s: got %d %s", field, r.StatusCode, r.raw)
		}
	}
	operator.get("/api/operator/channels/"+uuid.NewString()+"/costs").refused(t, http.StatusNotFound, "")
	for _, who := range []tenant.User{s.acme.owner, s.acme.member} {
		s.as(who).get(path).refused(t, http.StatusForbidden, "")
		s.as(who).post(path, body).refused(t, http.StatusForbidden, "")
		s.as(who).post(withdraw, nil).refused(t, http.StatusForbidden, "")
	}
}

// supplied records a call of acme that cost the suppliers 0.003 USD for a failed attempt and 0.005 USD for the answer,
// and earned 0.009 USD.
func (s *stack) supplied() usage.Log {
	s.Helper()
	cost, err := s.store.Catalog.CreateChannelCost(s.Context(), system, costsOf(s.channel.ID))
	s.must(err)
	amount := func(usd int64) *money.Amount { a := money.Amount(usd * 1_000_000); return &a }
	id := uuid.Must(uuid.NewV7())
	log := usage.Log{
		ID: id, CreatedAt: time.Now(), TenantID: s.acme.ID, UserID: s.acme.member.ID, TokenID: s.acme.token.ID,
		GroupID: s.group.ID, ChannelID: s.channel.ID,
		Model: "gpt-4o-mini", UpstreamModel: "upstream-mini", Dialect: "chat", Outcome: usage.Success, Status: 200,
		Usage: usage.Usage{Input: 50_000},
		Cost:  9_000_000, Quota: 9_000_000, Formula: 1, SupplierCost: amount(8), CostID: cost.ID,
		Attempts: []usage.Attempt{
			{ChannelID: s.channel.ID, Status: 200, Error: "error_body", Usage: &usage.Usage{Input: 3_133_731_337_313},
				SupplierCost: amount(3), CostID: cost.ID},
			{ChannelID: s.channel.ID, Status: 200, SupplierCost: amount(5), CostID: cost.ID},
		},
	}
	_, err = s.store.Metering.RecordEvents(s.Context(), system, uuid.New(), []usage.Event{{Log: log}})
	s.must(err)
	_, err = s.store.Rollup.DrainCosts(s.Context(), system, 0)
	s.must(err)
	_, err = s.store.Rollup.DrainOutbox(s.Context(), system, 0)
	s.must(err)
	return log
}

func TestSupplierCost_IsShownToOperators(t *testing.T) {
	t.Parallel()
	s := setup(t)
	log := s.supplied()
	operator := s.as(s.operator)
	detail := operator.get("/api/usage-logs/"+log.ID.String()).want(t, http.StatusOK)
	equal(t, detail, "0.008", "supplier_cost")
	equal(t, detail, log.CostID.String(), "cost_id")
	equal(t, detail, "0.005", "supplier_receipt", "total")
	equal(t, detail, "0.003", "attempts", 0, "supplier_cost")
	equal(t, detail, 3_133_731_337_313.0, "attempts", 0, "tokens", "input")
	equal(t, operator.get("/api/usage-logs").want(t, http.StatusOK), "0.008", "items", 0, "supplier_cost")
	for _, by := range []string{"", "&by=tenant", "&by=model", "&by=channel"} {
		summary := operator.get("/api/usage-summary?tenant_id="+s.acme.ID.String()+by+"&from="+time.Now().
			Add(-time.Hour).UTC().Format(time.RFC3339)).want(t, http.StatusOK)
		row := -1
		for i := range items(t, summary) {
			if at(t, summary, "items", i, "supplier", "cost") == "0.008" {
				row = i
			}
		}
		if row < 0 {
			t.Errorf("%q: no row has the cost: %v", by, summary)
			continue
		}
		equal(t, summary, "0.009", "items", row, "supplier", "quota")
		equal(t, summary, "0.001", "items", row, "supplier", "margin")
		equal(t, summary, 1.0, "items", row, "supplier", "requests")
	}
	equal(t, operator.get("/api/usage-summary?by=user").want(t, http.StatusOK), nil, "items", 0, "supplier")
	for _, query := range []string{"tenant_id=" + s.acme.ID.String(), "outcome=success&from=" + time.Now().
		Add(-time.Hour).UTC().Format(time.RFC3339)} {
		totals := operator.get("/api/usage-log-totals?"+query).want(t, http.StatusOK)
		for key, want := range map[string]any{"cost": "0.008", "requests": 1.0, "quota": "0.009", "margin": "0.001"} {
			equal(t, totals, want, "supplier", key)
		}
	}
	equal(t, operator.get("/api/usage-log-totals?user_id="+s.acme.member.ID.String()).want(t, http.StatusOK),
		nil, "supplier")
}

// No answer that a user of a tenant can get contains anything of the supplier's costs: neither a field of that name,
// nor the version, nor what a failed attempt used.
func TestSupplierCost_IsNeverShownToTenants(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		log := s.supplied()
		secrets := []string{"supplier", "cost_id", "margin", log.CostID.String(), "3133731337313"}
		walked := 0
		for _, who := range []tenant.User{s.acme.owner, s.acme.admin, s.acme.member} {
			paths := []string{"/api/usage-logs?limit=1", "/api/usage-logs?tenant_id=" + s.acme.ID.String(),
				"/api/usage-summary?by=model", "/api/usage-summary?by=channel&bucket=hour",
				"/api/usage-summary?by=user", "/api/usage-log-totals", "/api/usage-log-totals?outcome=success",
				"/api/usage-overview?by=model&failures=5"}
			for _, a := range s.attacks(&s.acme) {
				if a.method == http.MethodGet {
					paths = append(paths, a.path)
				}
			}
			paths = append(paths, "/api/usage-logs/"+log.ID.String())
			for _, path := range paths {
				r := s.as(who).get(path)
				walked++
				for _, secret := range secrets {
					if strings.Contains(r.raw, secret) && !strings.Contains(path, secret) {
						s.Errorf("%s, %s: the answer contains %q: %s", who.Role, path, secret, r.raw)
					}
				}
			}
		}
		if walked < 60 {
			s.Errorf("asked for %d paths, want at least 60", walked)
		}
	})
}

func TestExplainRouting_ShowsTheCheapestChannel(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	equal(t, operator.patch("/api/operator/models/gpt-4o-mini", map[string]any{"routing": "cheapest"}).
		want(t, http.StatusOK), "cheapest", "routing")
	operator.patch("/api/operator/models/gpt-4o-mini", map[string]any{"routing": "dearest"}).
		refused(t, http.StatusBadRequest, "routing")
	dear := s.channelOf("dear", func(c *catalog.Channel) { c.Priority = s.channel.Priority })
	for channel, model := range map[uuid.UUID]string{s.channel.ID: "upstream-mini", dear.ID: "up-dear"} {
		c := costsOf(channel)
		c.UpstreamModel = model
		if channel == dear.ID {
			c.Factor = 2 * money.One
		}
		_, err := s.store.Catalog.CreateChannelCost(t.Context(), system, c)
		s.must(err)
	}
	plan := operator.post("/api/operator/routing/explain",
		map[string]any{"model": "gpt-4o-mini", "group_id": s.group.ID, "input_tokens": 10_000}).want(t, http.StatusOK)
	equal(t, plan, "cheapest", "routing")
	equal(t, plan, s.channel.ID.String(), "channels", 0, "channel_id")
	equal(t, plan, "cheapest", "channels", 0, "reason")
	equal(t, plan, "0.001", "channels", 0, "supplier_cost")
	equal(t, plan, dear.ID.String(), "channels", 1, "channel_id")
	equal(t, plan, "0.002", "channels", 1, "supplier_cost")
}

// costsOf returns costs of 0.10 USD per 1M input tokens.
func costsOf(channel uuid.UUID) pricing.ChannelCost {
	input := money.Amount(100_000_000)
	return pricing.ChannelCost{ChannelID: channel, UpstreamModel: "upstream-mini", Factor: money.One,
		Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: &input}}}
}
