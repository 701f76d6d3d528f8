package pricecatalog_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// priceOf returns the change of a model's price to an input price, replacing the version that the preview shows.
func priceOf(t *testing.T, operator *consoletest.Client, model, input string, more map[string]any) map[string]any {
	t.Helper()
	change := map[string]any{"model": model, "price": map[string]any{"input": input, "output": "9"}}
	preview := operator.Post("/api/operator/prices/preview", map[string]any{"changes": []any{change}}).
		Want(t, http.StatusOK)
	change["price_id"] = consoletest.At(t, preview, "items", 0, "price_id")
	for name, value := range more {
		change[name] = value
	}
	return change
}

// addPriced creates a model that costs 1 USD and that the stack's channel serves.
func addPriced(s *consoletest.Stack, id string) {
	s.Helper()
	s.As(s.Operator).Post("/api/operator/models",
		map[string]any{"id": id, "owned_by": "x", "price": map[string]any{"input": "1"}}).Want(s.T, http.StatusCreated)
}

func TestPreviewPrices_ComparesWithTheCostsOfChannels(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	body := func(input string) map[string]any {
		return map[string]any{"changes": []any{map[string]any{"model": "gpt-4o-mini",
			"price": map[string]any{"input": input, "output": "3"}}}}
	}
	unknown := operator.Post("/api/operator/prices/preview", body("1")).Want(t, http.StatusOK)
	consoletest.Equal(t, unknown, false, "items", 0, "channels", 0, "known")
	consoletest.Equal(t, unknown, false, "items", 0, "loss")
	consoletest.Equal(t, unknown, "0.15", "items", 0, "current", "input")

	operator.Post("/api/operator/channels/"+s.Channel.ID.String()+"/costs",
		map[string]any{"upstream_model": "upstream-mini", "factor": "0.9",
			"rates": map[string]any{"input": "1", "output": "2"}}).Want(t, http.StatusCreated)
	gain := operator.Post("/api/operator/prices/preview", body("1")).Want(t, http.StatusOK)
	consoletest.Equal(t, gain, s.Channel.Name, "items", 0, "channels", 0, "channel")
	consoletest.Equal(t, gain, "0.9", "items", 0, "channels", 0, "classes", 0, "cost")
	consoletest.Equal(t, gain, "0.1", "items", 0, "channels", 0, "classes", 0, "margin")
	consoletest.Equal(t, gain, "1.2", "items", 0, "channels", 0, "classes", 1, "margin")
	consoletest.Equal(t, gain, false, "items", 0, "loss")
	loss := operator.Post("/api/operator/prices/preview", body("0.8")).Want(t, http.StatusOK)
	consoletest.Equal(t, loss, "-0.1", "items", 0, "channels", 0, "classes", 0, "margin")
	consoletest.Equal(t, loss, true, "items", 0, "loss")
	consoletest.Equal(t, operator.Get("/api/operator/prices?model=gpt-4o-mini").Want(t, http.StatusOK), "0.15", "items",
		0, "price", "input")
}

func TestCreatePrices_AddsAllOrNone(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	addPriced(s, "first")
	addPriced(s, "second")
	when := time.Now().Add(time.Hour).UTC().Truncate(time.Second).Format(time.RFC3339)
	bulk := func(changes ...any) consoletest.Reply {
		return operator.Post("/api/operator/prices/bulk", map[string]any{"effective_from": when, "changes": changes})
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
			consoletest.Equal(t, r.StatusCode, row.status)
			continue
		}
		r.Refused(t, row.status, row.field)
		if model, _ := row.change.(map[string]any)["model"].(string); !strings.Contains(r.Raw, model) {
			t.Errorf("%s: the answer does not name the model: %s", name, r.Raw)
		}
	}
	for _, model := range []string{"first", "second"} {
		if listed := consoletest.Items(t, operator.Get("/api/operator/prices?model="+model).
			Want(t, http.StatusOK)); len(listed) !=
			1 {
			t.Errorf("%s has %d versions, want the first alone", model, len(listed))
		}
	}
	created := bulk(good, priceOf(t, operator, "second", "3", nil)).Want(t, http.StatusCreated)
	consoletest.Equal(t, created, "second", "items", 1, "model")
	consoletest.Equal(t, created, "3", "items", 1, "price", "input")
	consoletest.Equal(t, created, when, "items", 1, "effective_from")
}

func TestCreatePrices_AsksAboutLosses(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	operator.Post("/api/operator/channels/"+s.Channel.ID.String()+"/costs",
		map[string]any{"upstream_model": "upstream-mini", "rates": map[string]any{"input": "1"}}).
		Want(t, http.StatusCreated)
	loss := priceOf(t, operator, "gpt-4o-mini", "0.5", nil)
	operator.Post("/api/operator/prices/bulk", map[string]any{"changes": []any{loss}}).
		Refused(t, http.StatusBadRequest, "changes[0].confirm_loss")
	loss["confirm_loss"] = true
	consoletest.Equal(t, operator.Post("/api/operator/prices/bulk", map[string]any{"changes": []any{loss}}).
		Want(t, http.StatusCreated), "0.5", "items", 0, "price", "input")
	for _, who := range []tenant.User{s.Acme.Owner, s.Acme.Member} {
		for _, path := range []string{"/api/operator/prices/bulk", "/api/operator/prices/preview"} {
			r := s.As(who).Post(path, map[string]any{"changes": []any{loss}})
			r.Refused(t, http.StatusForbidden, "")
			if strings.Contains(r.Raw, "cost") || strings.Contains(r.Raw, s.Channel.Name) {
				t.Errorf("%s: the refusal reports costs or channels: %s", path, r.Raw)
			}
		}
	}
}
