package console_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/tenant"
)

// priceOf returns the change of a model's price to an input price, replacing the version that the preview shows.
func priceOf(t *testing.T, operator *client, model, input string, more map[string]any) map[string]any {
	t.Helper()
	change := map[string]any{"model": model, "price": map[string]any{"input": input, "output": "9"}}
	preview := operator.post("/api/operator/prices/preview", map[string]any{"changes": []any{change}}).
		want(t, http.StatusOK)
	change["price_id"] = at(t, preview, "items", 0, "price_id")
	for name, value := range more {
		change[name] = value
	}
	return change
}

// addPriced creates a model that costs 1 USD and that the stack's channel serves.
func (s *stack) addPriced(id string) {
	s.Helper()
	s.as(s.operator).post("/api/operator/models",
		map[string]any{"id": id, "owned_by": "x", "price": map[string]any{"input": "1"}}).want(s.T, http.StatusCreated)
}

func TestPreviewPrices_ComparesWithTheCostsOfChannels(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	body := func(input string) map[string]any {
		return map[string]any{"changes": []any{map[string]any{"model": "gpt-4o-mini",
			"price": map[string]any{"input": input, "output": "3"}}}}
	}
	unknown := operator.post("/api/operator/prices/preview", body("1")).want(t, http.StatusOK)
	equal(t, unknown, false, "items", 0, "channels", 0, "known")
	equal(t, unknown, false, "items", 0, "loss")
	equal(t, unknown, "0.15", "items", 0, "current", "input")

	operator.post("/api/operator/channels/"+s.channel.ID.String()+"/costs",
		map[string]any{"upstream_model": "upstream-mini", "factor": "0.9",
			"rates": map[string]any{"input": "1", "output": "2"}}).want(t, http.StatusCreated)
	gain := operator.post("/api/operator/prices/preview", body("1")).want(t, http.StatusOK)
	equal(t, gain, s.channel.Name, "items", 0, "channels", 0, "channel")
	equal(t, gain, "0.9", "items", 0, "channels", 0, "classes", 0, "cost")
	equal(t, gain, "0.1", "items", 0, "channels", 0, "classes", 0, "margin")
	equal(t, gain, "1.2", "items", 0, "channels", 0, "classes", 1, "margin")
	equal(t, gain, false, "items", 0, "loss")
	loss := operator.post("/api/operator/prices/preview", body("0.8")).want(t, http.StatusOK)
	equal(t, loss, "-0.1", "items", 0, "channels", 0, "classes", 0, "margin")
	equal(t, loss, true, "items", 0, "loss")
	equal(t, operator.get("/api/operator/prices?model=gpt-4o-mini").want(t, http.StatusOK), "0.15", "items", 0,
		"price", "input")
}

func TestCreatePrices_AddsAllOrNone(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	s.addPriced("first")
	s.addPriced("second")
	when := time.Now().Add(time.Hour).UTC().Truncate(time.Second).Format(time.RFC3339)
	bulk := func(changes ...any) reply {
		return operator.post("/api/operator/prices/bulk", map[string]any{"effective_from": when, "changes": changes})
	}
	good := priceOf(t, operator, "first", "2", nil)
	stale := priceOf(t, operator, "second", "3", map[string]any{"price_id": "01900000-0000-7000-8000-000000000000"})
	for name, row := range map[string]struct {
		change any
		status int
		field  string
	}{
		"another version": {stale, http.StatusConflict, "changes[1].model"},
		"no such model": {map[string]any{"model": "nothing", "price": map[string]any{"input": "1"}},
			http.StatusBadRequest, "changes[1].model"},
		"the same model": {good, http.StatusBadRequest, "changes[1].model"},
		"a negative price": {map[string]any{"model": "second", "price": map[string]any{"input": "-1"}},
			http.StatusBadRequest, ""},
		"a price of nothing": {priceOf(t, operator, "second", "3", map[string]any{"price": map[string]any{}}),
			http.StatusBadRequest, "changes[1].price"},
		"a malformed service": {priceOf(t, operator, "second", "3",
			map[string]any{"price": map[string]any{"input": "0.000000001",
				"service_tiers": map[string]any{"flex": map[string]any{"multiplier": "0.5"}}}}), http.StatusBadRequest,
			"changes[1].price.service_tiers.flex.multiplier"},
	} {
		r := bulk(good, row.change)
		if row.field == "" {
			equal(t, r.StatusCode, row.status)
			continue
		}
		r.refused(t, row.status, row.field)
		if model, _ := row.change.(map[string]any)["model"].(string); !strings.Contains(r.raw, model) {
			t.Errorf("%s: the answer does not name the model: %s", name, r.raw)
		}
	}
	for _, model := range []string{"first", "second"} {
		if listed := items(t, operator.get("/api/operator/prices?model="+model).want(t, http.StatusOK)); len(listed) !=
			1 {
			t.Errorf("%s has %d versions, want the first alone", model, len(listed))
		}
	}
	created := bulk(good, priceOf(t, operator, "second", "3", nil)).want(t, http.StatusCreated)
	equal(t, created, "second", "items", 1, "model")
	equal(t, created, "3", "items", 1, "price", "input")
	equal(t, created, when, "items", 1, "effective_from")
}

func TestCreatePrices_AsksAboutLosses(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	operator.post("/api/operator/channels/"+s.channel.ID.String()+"/costs",
		map[string]any{"upstream_model": "upstream-mini", "rates": map[string]any{"input": "1"}}).
		want(t, http.StatusCreated)
	loss := priceOf(t, operator, "gpt-4o-mini", "0.5", nil)
	operator.post("/api/operator/prices/bulk", map[string]any{"changes": []any{loss}}).
		refused(t, http.StatusBadRequest, "changes[0].confirm_loss")
	loss["confirm_loss"] = true
	equal(t, operator.post("/api/operator/prices/bulk", map[string]any{"changes": []any{loss}}).
		want(t, http.StatusCreated), "0.5", "items", 0, "price", "input")
	for _, who := range []tenant.User{s.acme.owner, s.acme.member} {
		for _, path := range []string{"/api/operator/prices/bulk", "/api/operator/prices/preview"} {
			r := s.as(who).post(path, map[string]any{"changes": []any{loss}})
			r.refused(t, http.StatusForbidden, "")
			if strings.Contains(r.raw, "cost") || strings.Contains(r.raw, s.channel.Name) {
				t.Errorf("%s: the refusal reports costs or channels: %s", path, r.raw)
			}
		}
	}
}
