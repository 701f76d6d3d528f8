package console_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
)

// channelOf creates a channel that serves the stack's model. change may change it first.
func (s *stack) channelOf(name string, change func(*catalog.Channel)) catalog.Channel {
	s.Helper()
	c := catalog.Channel{
		Name: name, Type: "openai", BaseURL: "https://" + name + ".example", Dialects: []catalog.Dialect{catalog.Chat},
		Models: map[string]string{"gpt-4o-mini": "up-" + name}, Weight: 1, Priority: 5, Status: tenant.Enabled,
	}
	change(&c)
	created, err := s.store.Catalog.CreateChannel(s.Context(), system, c)
	s.must(err)
	return created
}

// fingerprint returns the fingerprint of the credential of the stack's channel.
func (s *stack) fingerprint() string { return seal.New(s.secret).Fingerprint(credential) }

// disableCredential disables the credential of the stack's channel, as a relay does when the upstream refuses it.
func (s *stack) disableCredential() {
	s.Helper()
	_, err := s.store.Catalog.DisableCredential(s.Context(), system,
		catalogdb.Credential{ChannelID: s.channel.ID, Fingerprint: s.fingerprint()}, catalog.ReasonDenied)
	s.must(err)
}

func TestChannelHealth_ShowsProbesReportsAndDisabledCredentials(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	path := "/api/operator/channels/" + s.channel.ID.String()
	health := operator.get(path+"/health").want(t, http.StatusOK)
	equal(t, health, "sk-u…6789", "credentials", 0, "mask")
	equal(t, health, "enabled", "credentials", 0, "status")
	equal(t, health, nil, "credentials", 0, "probe")

	s.disableCredential()
	s.must(s.store.Catalog.RecordProbe(t.Context(), system, catalogdb.Probe{
		Credential: catalogdb.Credential{ChannelID: s.channel.ID, Fingerprint: s.fingerprint()}, Status: 401,
		Latency: 20 * time.Millisecond, Error: "credential", ProbedAt: time.Now(),
	}))
	s.must(s.store.Catalog.PublishHealth(t.Context(), system, uuid.New(), []catalogdb.ChannelHealth{{
		ChannelID: s.channel.ID, Model: "upstream-mini", State: "cooling", Word: "timeout", Failures: 2,
		Until: time.Now().Add(time.Minute),
	}}))
	health = operator.get(path+"/health").want(t, http.StatusOK)
	equal(t, health, "disabled", "credentials", 0, "status")
	equal(t, health, "denied", "credentials", 0, "reason")
	equal(t, health, 401.0, "credentials", 0, "probe", "status")
	equal(t, health, 20.0, "credentials", 0, "probe", "latency_ms")
	equal(t, health, "timeout", "relays", 0, "error")
	equal(t, health, 2.0, "relays", 0, "failures")
	all := operator.get("/api/operator/channel-health").want(t, http.StatusOK)
	equal(t, all, s.channel.ID.String(), "items", 0, "channel_id")
	equal(t, all, "denied", "items", 0, "credentials", 0, "reason")
	equal(t, all, "timeout", "items", 0, "relays", 0, "error")

	enable := path + "/credentials/enable"
	equal(t, operator.post(enable, map[string]any{"fingerprint": s.fingerprint()}).want(t, http.StatusOK), "enabled",
		"credentials", 0, "status")
	equal(t, operator.get("/api/operator/audit-log?limit=1").want(t, http.StatusOK), "channel.credential.enable",
		"items", 0, "action")
	operator.post(enable, map[string]any{"fingerprint": s.fingerprint()}).want(t, http.StatusOK) // idempotent
	operator.post(enable, map[string]any{}).refused(t, http.StatusBadRequest, "fingerprint")
	absent := "/api/operator/channels/" + uuid.NewString()
	operator.get(absent+"/health").refused(t, http.StatusNotFound, "")
	operator.post(absent+"/credentials/enable", map[string]any{"fingerprint": "f"}).refused(t, http.StatusNotFound, "")
	operator.post(absent+"/test", map[string]any{}).refused(t, http.StatusNotFound, "")
}

func TestTestChannel_MakesARealCall(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	var seen string
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen = r.URL.Path + " " + string(body)
		if strings.Contains(seen, "broken") {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":{"message":"no such key: `+credential+`"}}`)
			return
		}
		_, _ = io.WriteString(w,
			`{"choices":[{"index":0,"message":{"role":"assistant","content":"pong"},"finish_reason":"length"}]}`)
	}))
	t.Cleanup(upstream.Close)
	key, err := seal.New(s.secret).SealCredential(credential)
	s.must(err)
	channel := s.channelOf("live", func(c *catalog.Channel) {
		c.BaseURL, c.Credentials = upstream.URL, []catalog.SealedSecret{key}
		c.Models["broken"] = "broken"
	})
	path := "/api/operator/channels/" + channel.ID.String() + "/test"
	good := operator.post(path, map[string]any{"model": "gpt-4o-mini"}).want(t, http.StatusOK)
	equal(t, good, true, "ok")
	equal(t, good, 200.0, "status")
	equal(t, good, "sk-u…6789", "mask")
	equal(t, good, "chat", "endpoint")
	connect, _ := good["connect_ms"].(float64)
	first, _ := good["first_byte_ms"].(float64)
	if total, ok := good["latency_ms"].(float64); !ok || connect > first || first > total {
		t.Errorf("got connect_ms, first_byte_ms and latency_ms that do not increase: %v", good)
	}
	if !strings.Contains(text(t, good, "detail"), "pong") {
		t.Errorf("the detail lacks the response of the upstream: %v", good)
	}
	if !strings.HasPrefix(seen, "/chat/completions") || !strings.Contains(seen, `"max_completion_tokens":1`) ||
		!strings.Contains(seen, "up-live") {
		t.Errorf("the upstream received %s", seen)
	}
	r := operator.post(path, map[string]any{}) // the first model is the broken one
	bad := r.want(t, http.StatusOK)
	equal(t, bad, false, "ok")
	equal(t, bad, "credential", "error")
	equal(t, bad, "no such key: sk-u…6789", "detail")
	if strings.Contains(r.raw, credential) {
		t.Errorf("the response shows the credential: %s", r.raw)
	}
	translated := operator.post(path, map[string]any{"model": "gpt-4o-mini", "endpoint": "responses"}).
		want(t, http.StatusOK)
	equal(t, translated, true, "ok")
	if !strings.HasPrefix(seen, "/chat/completions") {
		t.Errorf("got %v, and the upstream received %s, want a translated call to /chat/completions", translated, seen)
	}
	operator.post(path, map[string]any{"model": "unknown"}).refused(t, http.StatusBadRequest, "model")
	operator.post(path, map[string]any{"endpoint": "smoke"}).refused(t, http.StatusBadRequest, "endpoint")
	operator.post(path, map[string]any{"fingerprint": "another"}).refused(t, http.StatusBadRequest, "fingerprint")
}

func TestExplainRouting_OrdersChannelsWithReasons(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	s.channelOf("cooling", func(c *catalog.Channel) { c.Priority = 0 })
	s.channelOf("translated", func(c *catalog.Channel) {
		c.Dialects, c.Priority = []catalog.Dialect{catalog.Responses}, 1
	})
	s.channelOf("off", func(c *catalog.Channel) { c.Status = tenant.Disabled })
	s.channelOf("elsewhere", func(c *catalog.Channel) { c.Models = map[string]string{"other": "x"} })
	cooling := s.channelOf("heavy", func(c *catalog.Channel) { c.Weight, c.Priority = 9, 1 })
	snapshot, err := s.store.Catalog.Snapshot(t.Context(), system)
	s.must(err)
	for _, channel := range snapshot.Channels() {
		if channel.Name == "cooling" {
			cooling = *channel
		}
	}
	fault := catalogdb.ChannelHealth{ChannelID: cooling.ID, Model: "up-cooling", State: "cooling", Word: "connect",
		Failures: 1, Until: time.Now().Add(time.Minute)}
	otherModel := fault
	otherModel.Model = "another"
	s.must(s.store.Catalog.PublishHealth(t.Context(), system, uuid.New(), []catalogdb.ChannelHealth{fault, otherModel}))
	demoted, down := s.channelOf("demoted", func(c *catalog.Channel) { c.Priority = 1 }),
		s.channelOf("down", func(c *catalog.Channel) { c.Priority = -1 })
	s.must(s.store.Catalog.PublishHealth(t.Context(), system, uuid.New(), []catalogdb.ChannelHealth{
		{ChannelID: demoted.ID, Model: "up-demoted", Tenants: []uuid.UUID{s.acme.Tenant.ID}, State: "cooling",
			Word: "status", Failures: 1, Until: time.Now().Add(time.Minute)},
		{ChannelID: down.ID, State: "cooling", Word: "connect", Failures: 1, Until: time.Now()},
	}))
	s.disableCredential()

	ask := func(extra map[string]any) map[string]any {
		body := map[string]any{"model": "gpt-4o-mini"}
		for key, value := range extra {
			body[key] = value
		}
		return operator.post("/api/operator/routing/explain", body).want(t, http.StatusOK)
	}
	answer := ask(map[string]any{"token_id": s.acme.token.ID})
	equal(t, answer, true, "visible")
	equal(t, answer, "visible", "verdict")
	for i, row := range []struct {
		name, reason string
		order        float64
	}{
		{"heavy", "kept", 1}, {"translated", "translated", 2}, {"down", "cooling", 3}, {"cooling", "cooling", 4},
		{"demoted", "cooling", 5},
		{"main", "no_credential", 0}, {"elsewhere", "model_not_served", 0}, {"off", "disabled", 0},
	} {
		equal(t, answer, row.name, "channels", i, "channel")
		equal(t, answer, row.reason, "channels", i, "reason")
		equal(t, answer, row.order, "channels", i, "order")
	}
	equal(t, answer, "connect", "channels", 3, "relays", 0, "error")
	equal(t, answer, s.acme.Tenant.ID.String(), "channels", 4, "relays", 0, "tenants", 0)
	equal(t, answer, "disabled", "channels", 5, "credentials", 0, "status")
	// Demoted for one tenant alone.
	equal(t, ask(map[string]any{"group_id": s.group.ID}), "kept", "channels", 1, "reason")
	equal(t, answer, nil, "refusal")

	equal(t, ask(map[string]any{"user_id": s.acme.member.ID}), "visible", "verdict")
	equal(t, ask(map[string]any{"group_id": s.group.ID}), "visible", "verdict")
	equal(t, ask(map[string]any{"group_id": s.group.ID, "endpoint": "responses"}), "translated",
		"channels", 0, "channel")
	unknown := ask(map[string]any{"group_id": s.group.ID, "model": "unknown"})
	equal(t, unknown, "unknown_model", "verdict")
	equal(t, unknown, 503.0, "refusal", "status")

	s.channelOf("searching", func(c *catalog.Channel) {
		c.Models = map[string]string{"gpt-4o-mini": "gpt-4o-search-preview"}
	})
	answer = ask(map[string]any{"group_id": s.group.ID})
	at := slices.IndexFunc(as[[]any](t, answer["channels"]),
		func(channel any) bool { return text(t, channel, "channel") == "searching" })
	equal(t, answer, "refuses_unpriced", "channels", at, "reason")
	equal(t, answer, 0.0, "channels", at, "order")
	equal(t, ask(map[string]any{"group_id": uuid.New()}), "group_disabled", "verdict")

	operator.post("/api/operator/routing/explain", map[string]any{"model": "m"}).
		refused(t, http.StatusBadRequest, "token_id")
	operator.post("/api/operator/routing/explain", map[string]any{"model": "m", "user_id": s.acme.member.ID,
		"group_id": s.group.ID}).refused(t, http.StatusBadRequest, "token_id")
	operator.post("/api/operator/routing/explain", map[string]any{"model": "m", "token_id": uuid.New()}).
		refused(t, http.StatusNotFound, "")
}
