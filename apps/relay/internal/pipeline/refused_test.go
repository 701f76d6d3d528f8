package pipeline_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/refusal"
)

// A refused call is listed with its reason, on each endpoint and for streams too, and has no usage log. The answer to a
// token that may not be used from the address tells nothing about its tenant.
func TestRefusals_AreListedWithTheirReason(t *testing.T) {
	h := relaytest.NewLimited(t, "requests_per_minute: 1")
	h.Post(relaytest.LimitedToken, relaytest.ChatBody("cheap", ""))
	want := map[string]usage.Refusal{} // by request id
	refuse := func(bearer, path, body string, expected usage.Refusal) {
		t.Helper()
		r := h.Do(http.MethodPost, path, bearer, body)
		if r.Status != expected.Status {
			t.Errorf("%s %s: got status %d, want %d: %s", path, expected.Code, r.Status, expected.Status, r.Body)
		}
		if left := r.Header.Get("X-Tollgate-Quota-Remaining"); left != "" && expected.Code == "ip_not_allowed" {
			t.Errorf("the refusal tells that %s is left", left)
		}
		want[r.Header.Get("X-Request-Id")] = expected
	}
	const chat, messages, embeddings = "/v1/chat/completions", "/v1/messages", "/v1/embeddings"
	refuse(relaytest.LimitedToken, chat, relaytest.ChatBody("cheap", `,"stream":true`),
		usage.Refusal{Dialect: "chat", Model: "cheap", Status: 429, Code: "rate_limit_exceeded"})
	refuse(relaytest.Token, relaytest.ResponsesPath, `{"model":"gpt-99","input":"hi"}`,
		usage.Refusal{Dialect: "responses", Model: "gpt-99", Status: 404, Code: "model_not_found", Param: "model"})
	refuse(relaytest.Token, messages, `{"model":"cheap","max_tokens":true,"messages":[]}`,
		usage.Refusal{Dialect: "messages", Status: 400, Code: "invalid_type", Param: "max_tokens"})
	refuse(relaytest.Token, embeddings, `{"model":"gpt-99","input":"hi"}`,
		usage.Refusal{Dialect: "embeddings", Model: "gpt-99", Status: 404, Code: "model_not_found", Param: "model"})
	refuse(relaytest.LimitedToken, messages+"/count_tokens", `{"model":"cheap","messages":[]}`,
		usage.Refusal{Dialect: "count_tokens", Model: "cheap", Status: 429, Code: "rate_limit_exceeded"})
	refuse(relaytest.Token, relaytest.ResponsesPath+"/input_tokens", `{"model":"gpt-99","input":"hi"}`,
		usage.Refusal{Dialect: "count_tokens", Model: "gpt-99", Status: 404, Code: "model_not_found", Param: "model"})
	refuse("a-token-for-one-network", chat, relaytest.ChatBody("cheap", ""),
		usage.Refusal{Dialect: "chat", Status: 403, Code: "ip_not_allowed"})
	refuse(relaytest.SmallToken, chat, relaytest.ChatBody("cheap", `,"max_tokens":1000000`),
		usage.Refusal{Dialect: "chat", Model: "cheap", Status: 429, Code: "insufficient_quota"})
	h.Do(http.MethodPost, chat, "sk-unknown-token-of-nobody", relaytest.ChatBody("cheap", "")) // has no tenant

	scope, got := tenant.SystemScope("test"), map[string]usage.Refusal{}
	h.Eventually("all refusals are listed", func() bool {
		list, err := h.Store.Refusal.Calls(t.Context(), scope, refusal.Query{})
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range list.Items {
			got[call.ID.String()] = call
		}
		return len(got) >= len(want)
	})
	if len(got) != len(want) {
		t.Errorf("got %d refusals, want %d", len(got), len(want))
	}
	for id, expected := range want {
		call := got[id]
		if call.Message == "" || call.TenantID == uuid.Nil || call.UserID == uuid.Nil || call.TokenID == uuid.Nil ||
			call.CreatedAt.IsZero() {
			t.Errorf("%s: got the incomplete refusal %+v", expected.Code, call)
		}
		shown := usage.Refusal{Dialect: call.Dialect, Model: call.Model, Status: call.Status, Code: call.Code,
			Param: call.Param}
		if shown != expected {
			t.Errorf("got %+v, want %+v", shown, expected)
		}
	}
	h.LogOf("") // of the first call
	h.ExpectLogs(1)
}
