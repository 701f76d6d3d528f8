package tenant_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// streamed records a stream of the company's member whose first token came after 400 ms and that had 50 tokens/s, and a
// call that failed, if it is to have one.
func streamed(s *consoletest.Stack, by *consoletest.Company, failed bool) {
	s.Helper()
	event := func(outcome usage.Outcome) usage.Event {
		return usage.Event{Log: usage.Log{
			ID: uuid.Must(uuid.NewV7()), CreatedAt: time.Now(), TenantID: by.ID, UserID: by.Member.ID,
			TokenID: by.Token.ID, GroupID: s.Group.ID, ChannelID: s.Channel.ID,
			Model: "gpt-4o-mini", UpstreamModel: "upstream-mini", Dialect: "chat", Outcome: outcome, Status: 200,
			Stream: true, Usage: usage.Usage{Input: 9, Output: 100},
			FirstByte: 400 * time.Millisecond, Latency: 2400 * time.Millisecond, Formula: 1,
		}}
	}
	events := []usage.Event{event(usage.Success)}
	if failed {
		events = append(events, event(usage.Failed))
	}
	_, err := s.Store.Metering.RecordEvents(s.Context(), consoletest.System, uuid.New(), events)
	s.Must(err)
	_, err = s.Store.Rollup.DrainSpeeds(s.Context(), consoletest.System, 0)
	s.Must(err)
}

func TestVisibleModel_ShowsFactsPriceAndSpeed(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator, path := s.As(s.Operator), "/api/models/gpt-4o-mini"
	member := s.As(s.Acme.Member)
	plain := member.Get(path).Want(t, http.StatusOK)
	consoletest.Equal(t, plain, false, "max_output_stated")
	consoletest.Equal(t, plain, 0.0, "context_length")
	if kinds := consoletest.At(t, plain, "modalities", "input").([]any); len(kinds) != 0 { //nolint:errcheck // a failed assertion fails the test
		t.Errorf("got the modalities %v, want none", kinds)
	}
	consoletest.Equal(t, plain, "0.1275", "effective", 0, "price")
	consoletest.Equal(t, plain, nil, "recent") // the call of the setup is not drained yet

	operator.Patch("/api/operator/models/gpt-4o-mini", map[string]any{
		"max_output": 16384, "context_length": 128_000,
		"modalities": map[string]any{"input": []any{"text", "image"}, "output": []any{"text"}},
	}).Want(t, http.StatusOK)
	streamed(s, &s.Acme, true)
	for _, who := range []tenant.User{s.Acme.Owner, s.Acme.Member} {
		shown := s.As(who).Get(path).Want(t, http.StatusOK)
		consoletest.Equal(t, shown, true, "max_output_stated")
		consoletest.Equal(t, shown, 16384.0, "max_output")
		consoletest.Equal(t, shown, 128_000.0, "context_length")
		consoletest.Equal(t, shown, "image", "modalities", "input", 1)
		consoletest.Equal(t, shown, 1.0/3, "recent",
			"error_rate") // of the stream, the failed call and the call of the setup
		consoletest.Equal(t, shown, 50.0, "recent", "tokens_per_second")
		if ms := consoletest.At(t, shown, "recent", "first_token_ms").(float64); ms < 380 || ms > 420 { //nolint:errcheck // a failed assertion fails the test
			t.Errorf("got %v ms to the first token, want about 400", ms)
		}
	}
	other := s.As(s.Globex.Owner).Get(path).Want(t, http.StatusOK) // it has a call of the setup, which is not a stream
	consoletest.Equal(t, other, 0.0, "recent", "error_rate")
	consoletest.Equal(t, other, nil, "recent", "first_token_ms")
	consoletest.Equal(t, other, nil, "recent", "tokens_per_second")
	operator.Get(path).Refused(t, http.StatusBadRequest, "group_id")
	consoletest.Equal(t, operator.Get(path+"?group_id="+s.Group.ID.String()).Want(t, http.StatusOK), nil, "recent")
}

// Whatever the reason is why a caller may not use a model, the answer is that of a model that does not exist. Nothing
// of channels, suppliers and costs is in the answer of a model that the caller may use.
func TestVisibleModel_HidesWhatTheCallerMayNotUse(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator, me := s.As(s.Operator), s.As(s.Acme.Owner)
	s.Supplied()
	raw := me.Get("/api/models/gpt-4o-mini").Raw
	for _, secret := range []string{s.Channel.ID.String(), s.Channel.Name, "upstream-mini", "supplier",
		"cost", "margin"} {
		if strings.Contains(raw, secret) {
			t.Errorf("the answer has %q: %s", secret, raw)
		}
	}
	for _, id := range []string{"acme/secret", "not-served", "disabled"} {
		operator.Post("/api/operator/models", map[string]any{"id": id, "owned_by": "x",
			"price": map[string]any{"input": "1"}}).Want(t, http.StatusCreated)
	}
	operator.Post("/api/operator/channels", map[string]any{
		"name": "for globex", "type": "echo", "endpoints": []any{"chat"}, "models": map[string]any{"acme/secret": "x",
			"disabled": "x"}, "settings": map[string]any{"account_of": s.Globex.Slug},
	}).Want(t, http.StatusCreated)
	operator.Patch("/api/operator/models/disabled", map[string]any{"status": "disabled"}).Want(t, http.StatusOK)
	operator.Patch("/api/operator/groups/"+s.Group.ID.String(), map[string]any{"models": []any{"*"}}).
		Want(t, http.StatusOK)
	s.As(s.Globex.Owner).Get("/api/models/acme%2Fsecret").Want(t, http.StatusOK)
	unknown := me.Get("/api/models/unknown").Want(t, http.StatusNotFound)
	for _, id := range []string{"acme/secret", "not-served", "disabled"} {
		got := me.Get("/api/models/"+url.PathEscape(id)).Want(t, http.StatusNotFound)
		consoletest.Equal(t, got, consoletest.At(t, unknown, "detail"), "detail")
	}
	operator.Patch("/api/operator/groups/"+s.Group.ID.String(), map[string]any{"models": []any{"other-*"}}).
		Want(t, http.StatusOK)
	consoletest.Equal(t, me.Get("/api/models/gpt-4o-mini").Want(t, http.StatusNotFound),
		consoletest.At(t, unknown, "detail"), "detail")
}
