package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// streamed records a stream of the company's member whose first token came after 400 ms and that had 50 tokens/s, and a
// call that failed, if it is to have one.
func (s *stack) streamed(by *company, failed bool) {
	s.Helper()
	event := func(outcome usage.Outcome) usage.Event {
		return usage.Event{Log: usage.Log{
			ID: uuid.Must(uuid.NewV7()), CreatedAt: time.Now(), TenantID: by.ID, UserID: by.member.ID,
			TokenID: by.token.ID, GroupID: s.group.ID, ChannelID: s.channel.ID,
			Model: "gpt-4o-mini", UpstreamModel: "upstream-mini", Dialect: "chat", Outcome: outcome, Status: 200,
			Stream: true, Usage: usage.Usage{Input: 9, Output: 100},
			FirstByte: 400 * time.Millisecond, Latency: 2400 * time.Millisecond, Formula: 1,
		}}
	}
	events := []usage.Event{event(usage.Success)}
	if failed {
		events = append(events, event(usage.Failed))
	}
	_, err := s.store.Metering.RecordEvents(s.Context(), system, uuid.New(), events)
	s.must(err)
	_, err = s.store.Rollup.DrainSpeeds(s.Context(), system, 0)
	s.must(err)
}

func TestVisibleModel_ShowsFactsPriceAndSpeed(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator, path := s.as(s.operator), "/api/models/gpt-4o-mini"
	member := s.as(s.acme.member)
	plain := member.get(path).want(t, http.StatusOK)
	equal(t, plain, false, "max_output_stated")
	equal(t, plain, 0.0, "context_length")
	if kinds := at(t, plain, "modalities", "input").([]any); len(kinds) != 0 { //nolint:errcheck // a failed assertion fails the test
		t.Errorf("got the modalities %v, want none", kinds)
	}
	equal(t, plain, "0.1275", "effective", 0, "price")
	equal(t, plain, nil, "recent") // the call of the setup is not drained yet

	operator.patch("/api/operator/models/gpt-4o-mini", map[string]any{
		"max_output": 16384, "context_length": 128_000,
		"modalities": map[string]any{"input": []any{"text", "image"}, "output": []any{"text"}},
	}).want(t, http.StatusOK)
	s.streamed(&s.acme, true)
	for _, who := range []tenant.User{s.acme.owner, s.acme.member} {
		shown := s.as(who).get(path).want(t, http.StatusOK)
		equal(t, shown, true, "max_output_stated")
		equal(t, shown, 16384.0, "max_output")
		equal(t, shown, 128_000.0, "context_length")
		equal(t, shown, "image", "modalities", "input", 1)
		equal(t, shown, 1.0/3, "recent", "error_rate") // of the stream, the failed call and the call of the setup
		equal(t, shown, 50.0, "recent", "tokens_per_second")
		if ms := at(t, shown, "recent", "first_token_ms").(float64); ms < 380 || ms > 420 { //nolint:errcheck // a failed assertion fails the test
			t.Errorf("got %v ms to the first token, want about 400", ms)
		}
	}
	other := s.as(s.globex.owner).get(path).want(t, http.StatusOK) // it has a call of the setup, which is not a stream
	equal(t, other, 0.0, "recent", "error_rate")
	equal(t, other, nil, "recent", "first_token_ms")
	equal(t, other, nil, "recent", "tokens_per_second")
	operator.get(path).refused(t, http.StatusBadRequest, "group_id")
	equal(t, operator.get(path+"?group_id="+s.group.ID.String()).want(t, http.StatusOK), nil, "recent")
}

// Whatever the reason is why a caller may not use a model, the answer is that of a model that does not exist. Nothing
// of channels, suppliers and costs is in the answer of a model that the caller may use.
func TestVisibleModel_HidesWhatTheCallerMayNotUse(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator, me := s.as(s.operator), s.as(s.acme.owner)
	s.supplied()
	raw := me.get("/api/models/gpt-4o-mini").raw
	for _, secret := range []string{s.channel.ID.String(), s.channel.Name, "upstream-mini", "supplier",
		"cost", "margin"} {
		if strings.Contains(raw, secret) {
			t.Errorf("the answer has %q: %s", secret, raw)
		}
	}
	for _, id := range []string{"acme/secret", "not-served", "disabled"} {
		operator.post("/api/operator/models", map[string]any{"id": id, "owned_by": "x",
			"price": map[string]any{"input": "1"}}).want(t, http.StatusCreated)
	}
	operator.post("/api/operator/channels", map[string]any{
		"name": "for globex", "type": "echo", "endpoints": []any{"chat"}, "models": map[string]any{"acme/secret": "x",
			"disabled": "x"}, "settings": map[string]any{"account_of": s.globex.Slug},
	}).want(t, http.StatusCreated)
	operator.patch("/api/operator/models/disabled", map[string]any{"status": "disabled"}).want(t, http.StatusOK)
	operator.patch("/api/operator/groups/"+s.group.ID.String(), map[string]any{"models": []any{"*"}}).
		want(t, http.StatusOK)
	s.as(s.globex.owner).get("/api/models/acme%2Fsecret").want(t, http.StatusOK)
	unknown := me.get("/api/models/unknown").want(t, http.StatusNotFound)
	for _, id := range []string{"acme/secret", "not-served", "disabled"} {
		got := me.get("/api/models/"+url.PathEscape(id)).want(t, http.StatusNotFound)
		equal(t, got, at(t, unknown, "detail"), "detail")
	}
	operator.patch("/api/operator/groups/"+s.group.ID.String(), map[string]any{"models": []any{"other-*"}}).
		want(t, http.StatusOK)
	equal(t, me.get("/api/models/gpt-4o-mini").want(t, http.StatusNotFound), at(t, unknown, "detail"), "detail")
}
