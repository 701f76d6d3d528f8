package relay_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// tokenUsage is the part of the answer that the tests read.
type tokenUsage struct {
	Budgets []struct {
		Period, Used  string
		Granted, Left *string
	}
	Data []struct {
		Date, Model, Quota string
		Requests           int
		InputTokens        int `json:"input_tokens"`
	}
	HasMore  bool    `json:"has_more"`
	NextPage *string `json:"next_page"`
}

// usageOf returns the usage of a token.
func usageOf(h *relaytest.Relay, bearer, query string) (u tokenUsage) {
	h.T.Helper()
	got := h.Do(http.MethodGet, "/v1/usage"+query, bearer, "")
	if err := json.Unmarshal([]byte(got.Body), &u); err != nil || got.Status != http.StatusOK {
		h.T.Fatalf("%s: got %d %s", query, got.Status, got.Body)
	}
	return u
}

func TestUsage_ShowsTheTokensOwnBudgetsAndDays(t *testing.T) {
	h := relaytest.New(t)
	for range 2 {
		h.Log(h.Post(token, relaytest.ChatBody("cheap", "")))
	}
	h.Log(h.Post(relaytest.PoorToken, relaytest.ChatBody("flat", "")))
	if _, err := h.Store.Rollup.DrainOutbox(t.Context(), tenant.SystemScope("test"), 0); err != nil {
		t.Fatal(err)
	}

	rich, poor := usageOf(h, token, ""), usageOf(h, relaytest.PoorToken, "")
	if len(rich.Data) != 1 || rich.Data[0].Model != "cheap" || rich.Data[0].Requests != 2 ||
		rich.Data[0].InputTokens != 14 || rich.Data[0].Date != time.Now().UTC().Format(time.DateOnly) {
		t.Errorf("the first token: got %+v", rich)
	}
	if len(rich.Budgets) != 1 || rich.Budgets[0].Granted != nil || rich.Budgets[0].Left != nil {
		t.Errorf("the first token has no budget: got %+v", rich.Budgets)
	}
	if len(poor.Data) != 1 || poor.Data[0].Model != "flat" || poor.Data[0].Quota != "0.0085" {
		t.Errorf("the token with a budget: got %+v", poor.Data)
	}
	if b := poor.Budgets; len(b) != 1 || b[0].Period != "total" || *b[0].Granted != "0.03" || b[0].Used != "0.0085" ||
		*b[0].Left != "0.0215" {
		t.Errorf("the budget: got %+v", b)
	}
	// Another tenant sees nothing of it.
	if other := usageOf(h, relaytest.SmallToken, ""); len(other.Data) != 0 || len(other.Budgets) != 1 ||
		other.Budgets[0].Used != "0" {
		t.Errorf("another tenant: got %+v", other)
	}
}

func TestUsage_HasPagesOfDays(t *testing.T) {
	h := relaytest.New(t)
	first := usageOf(h, token, "?from=2026-01-01&to=2026-01-05&limit=3")
	if !first.HasMore || first.NextPage == nil || *first.NextPage != "2026-01-04" {
		t.Fatalf("the first page: got %+v", first)
	}
	if last := usageOf(h, token, "?from=2026-01-01&to=2026-01-05&limit=3&page="+*first.NextPage); last.HasMore ||
		last.NextPage != nil {
		t.Errorf("the last page: got %+v", last)
	}
	for query, param := range map[string]string{
		"?from=yesterday": "from", "?to=2026-02-30": "to", "?from=2026-01-02&to=2026-01-01": "from",
		"?from=2024-01-01&to=2026-01-01": "from",
		"?limit=32":                      "limit", "?limit=x": "limit", "?page=2020-01-01": "page", "?page=%00": "page",
	} {
		if got := h.Do(http.MethodGet, "/v1/usage"+query, token, ""); got.Status != http.StatusBadRequest ||
			!strings.Contains(got.Body, `"param":"`+param+`"`) {
			t.Errorf("%s: got %d %s", query, got.Status, got.Body)
		}
	}
	if got := h.Do(http.MethodGet, "/v1/usage", "not-a-token", ""); got.Status != http.StatusUnauthorized {
		t.Errorf("an unknown token: got %d", got.Status)
	}
}
