package operator_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
)

// channelOf creates a channel that serves the stack's model. change may change it first.
func channelOf(s *consoletest.Stack, name string, change func(*catalog.Channel)) catalog.Channel {
	s.Helper()
	c := catalog.Channel{
		Name: name, Type: "openai", BaseURL: "https://" + name + ".example", Dialects: []catalog.Dialect{catalog.Chat},
		Models: map[string]string{"gpt-4o-mini": "up-" + name}, Weight: 1, Priority: 5, Status: tenant.Enabled,
	}
	change(&c)
	created, err := s.Store.Catalog.CreateChannel(s.Context(), consoletest.System, c)
	s.Must(err)
	return created
}

// fingerprint returns the fingerprint of the credential of the stack's channel.
func fingerprint(s *consoletest.Stack) string {
	return seal.New(s.Secret).Fingerprint(consoletest.Credential)
}

// disableCredential disables the credential of the stack's channel, as a relay does when the upstream refuses it.
func disableCredential(s *consoletest.Stack) {
	s.Helper()
	_, err := s.Store.Catalog.DisableCredential(s.Context(), consoletest.System,
		catalogdb.Credential{ChannelID: s.Channel.ID, Fingerprint: fingerprint(s)}, catalog.ReasonDenied)
	s.Must(err)
}

func TestChannelHealth_ShowsProbesReportsAndDisabledCredentials(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	path := "/api/operator/channels/" + s.Channel.ID.String()
	health := operator.Get(path+"/health").Want(t, http.StatusOK)
	consoletest.Equal(t, health, "sk-u…6789", "credentials", 0, "mask")
	consoletest.Equal(t, health, "enabled", "credentials", 0, "status")
	consoletest.Equal(t, health, nil, "credentials", 0, "probe")

	disableCredential(s)
	s.Must(s.Store.Catalog.RecordProbe(t.Context(), consoletest.System, catalogdb.Probe{
		Credential: catalogdb.Credential{ChannelID: s.Channel.ID, Fingerprint: fingerprint(s)}, Status: 401,
		Latency: 20 * time.Millisecond, Error: "credential", ProbedAt: time.Now(),
	}))
	s.Must(s.Store.Catalog.PublishHealth(t.Context(), consoletest.System, uuid.New(), []catalogdb.ChannelHealth{{
		ChannelID: s.Channel.ID, Model: "upstream-mini", State: "cooling", Code: "timeout", Failures: 2,
		Until: time.Now().Add(time.Minute),
	}}))
	health = operator.Get(path+"/health").Want(t, http.StatusOK)
	consoletest.Equal(t, health, "disabled", "credentials", 0, "status")
	consoletest.Equal(t, health, "denied", "credentials", 0, "reason")
	consoletest.Equal(t, health, 401.0, "credentials", 0, "probe", "status")
	consoletest.Equal(t, health, 20.0, "credentials", 0, "probe", "latency_ms")
	consoletest.Equal(t, health, "timeout", "relays", 0, "error")
	consoletest.Equal(t, health, 2.0, "relays", 0, "failures")
	all := operator.Get("/api/operator/channel-health").Want(t, http.StatusOK)
	consoletest.Equal(t, all, s.Channel.ID.String(), "items", 0, "channel_id")
	consoletest.Equal(t, all, "denied", "items", 0, "credentials", 0, "reason")
	consoletest.Equal(t, all, "timeout", "items", 0, "relays", 0, "error")

	enable := path + "/credentials/enable"
	consoletest.Equal(t, operator.Post(enable, map[string]any{"fingerprint": fingerprint(s)}).Want(t, http.StatusOK),
		"enabled", "credentials", 0, "status")
	consoletest.Equal(t, operator.Get("/api/operator/audit-log?limit=1").Want(t, http.StatusOK),
		"channel.credential.enable", "items", 0, "action")
	operator.Post(enable, map[string]any{"fingerprint": fingerprint(s)}).Want(t, http.StatusOK) // idempotent
	operator.Post(enable, map[string]any{}).Refused(t, http.StatusBadRequest, "fingerprint")
	absent := "/api/operator/channels/" + uuid.NewString()
	operator.Get(absent+"/health").Refused(t, http.StatusNotFound, "")
	operator.Post(absent+"/credentials/enable", map[string]any{"fingerprint": "f"}).Refused(t, http.StatusNotFound, "")
	operator.Post(absent+"/test", map[string]any{}).Refused(t, http.StatusNotFound, "")
}

func TestTestChannel_MakesARealCall(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	var seen string
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen = r.URL.Path + " " + string(body)
		if strings.Contains(seen, "broken") {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":{"message":"no such key: `+consoletest.Credential+`"}}`)
			return
		}
		_, _ = io.WriteString(w,
			`{"choices":[{"index":0,"message":{"role":"assistant","content":"pong"},"finish_reason":"length"}]}`)
	}))
	t.Cleanup(upstream.Close)
	key, err := seal.New(s.Secret).SealCredential(consoletest.Credential)
	s.Must(err)
	channel := channelOf(s, "live", func(c *catalog.Channel) {
		c.BaseURL, c.Credentials = upstream.URL, []catalog.SealedSecret{key}
		c.Models["broken"] = "broken"
	})
	path := "/api/operator/channels/" + channel.ID.String() + "/test"
	good := operator.Post(path, map[string]any{"model": "gpt-4o-mini"}).Want(t, http.StatusOK)
	consoletest.Equal(t, good, true, "ok")
	consoletest.Equal(t, good, 200.0, "status")
	consoletest.Equal(t, good, "sk-u…6789", "mask")
	consoletest.Equal(t, good, "chat", "endpoint")
	connect, _ := good["connect_ms"].(float64)
	first, _ := good["first_byte_ms"].(float64)
	if total, ok := good["latency_ms"].(float64); !ok || connect > first || first > total {
		t.Errorf("got connect_ms, first_byte_ms and latency_ms that do not increase: %v", good)
	}
	if !strings.Contains(consoletest.Text(t, good, "detail"), "pong") {
		t.Errorf("the detail lacks the response of the upstream: %v", good)
	}
	if !strings.HasPrefix(seen, "/chat/completions") || !strings.Contains(seen, `"max_completion_tokens":1`) ||
		!strings.Contains(seen, "up-live") {
		t.Errorf("the upstream received %s", seen)
	}
	r := operator.Post(path, map[string]any{}) // the first model is the broken one
	bad := r.Want(t, http.StatusOK)
	consoletest.Equal(t, bad, false, "ok")
	consoletest.Equal(t, bad, "credential", "error")
	consoletest.Equal(t, bad, "no such key: sk-u…6789", "detail")
	if strings.Contains(r.Raw, consoletest.Credential) {
		t.Errorf("the response shows the credential: %s", r.Raw)
	}
	translated := operator.Post(path, map[string]any{"model": "gpt-4o-mini", "endpoint": "responses"}).
		Want(t, http.StatusOK)
	consoletest.Equal(t, translated, true, "ok")
	if !strings.HasPrefix(seen, "/chat/completions") {
		t.Errorf("got %v, and the upstream received %s, want a translated call to /chat/completions", translated, seen)
	}
	operator.Post(path, map[string]any{"model": "unknown"}).Refused(t, http.StatusBadRequest, "model")
	operator.Post(path, map[string]any{"endpoint": "smoke"}).Refused(t, http.StatusBadRequest, "endpoint")
	operator.Post(path, map[string]any{"fingerprint": "another"}).Refused(t, http.StatusBadRequest, "fingerprint")
}

func TestExplainRouting_OrdersChannelsWithReasons(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	channelOf(s, "cooling", func(c *catalog.Channel) { c.Priority = 0 })
	channelOf(s, "translated", func(c *catalog.Channel) {
		c.Dialects, c.Priority = []catalog.Dialect{catalog.Responses}, 1
	})
	channelOf(s, "off", func(c *catalog.Channel) { c.Status = tenant.Disabled })
	channelOf(s, "elsewhere", func(c *catalog.Channel) { c.Models = map[string]string{"other": "x"} })
	cooling := channelOf(s, "heavy", func(c *catalog.Channel) { c.Weight, c.Priority = 9, 1 })
	snapshot, err := s.Store.Catalog.Snapshot(t.Context(), consoletest.System)
	s.Must(err)
	for _, channel := range snapshot.Channels() {
		if channel.Name == "cooling" {
			cooling = *channel
		}
	}
	fault := catalogdb.ChannelHealth{ChannelID: cooling.ID, Model: "up-cooling", State: "cooling", Code: "connect",
		Failures: 1, Until: time.Now().Add(time.Minute)}
	otherModel := fault
	otherModel.Model = "another"
	s.Must(s.Store.Catalog.PublishHealth(t.Context(), consoletest.System, uuid.New(),
		[]catalogdb.ChannelHealth{fault, otherModel}))
	demoted, down := channelOf(s, "demoted", func(c *catalog.Channel) { c.Priority = 1 }),
		channelOf(s, "down", func(c *catalog.Channel) { c.Priority = -1 })
	s.Must(s.Store.Catalog.PublishHealth(t.Context(), consoletest.System, uuid.New(), []catalogdb.ChannelHealth{
		{ChannelID: demoted.ID, Model: "up-demoted", Tenants: []uuid.UUID{s.Acme.Tenant.ID}, State: "cooling",
			Code: "status", Failures: 1, Until: time.Now().Add(time.Minute)},
		{ChannelID: down.ID, State: "cooling", Code: "connect", Failures: 1, Until: time.Now()},
	}))
	disableCredential(s)

	ask := func(extra map[string]any) map[string]any {
		body := map[string]any{"model": "gpt-4o-mini"}
		for key, value := range extra {
			body[key] = value
		}
		return operator.Post("/api/operator/routing/explain", body).Want(t, http.StatusOK)
	}
	answer := ask(map[string]any{"token_id": s.Acme.Token.ID})
	consoletest.Equal(t, answer, true, "visible")
	consoletest.Equal(t, answer, "visible", "verdict")
	for i, row := range []struct {
		name, reason string
		order        float64
	}{
		{"heavy", "kept", 1}, {"translated", "translated", 2}, {"down", "cooling", 3}, {"cooling", "cooling", 4},
		{"demoted", "cooling", 5},
		{"main", "no_credential", 0}, {"elsewhere", "model_not_served", 0}, {"off", "disabled", 0},
	} {
		consoletest.Equal(t, answer, row.name, "channels", i, "channel")
		consoletest.Equal(t, answer, row.reason, "channels", i, "reason")
		consoletest.Equal(t, answer, row.order, "channels", i, "order")
	}
	consoletest.Equal(t, answer, "connect", "channels", 3, "relays", 0, "error")
	consoletest.Equal(t, answer, s.Acme.Tenant.ID.String(), "channels", 4, "relays", 0, "tenants", 0)
	consoletest.Equal(t, answer, "disabled", "channels", 5, "credentials", 0, "status")
	// Demoted for one tenant alone.
	consoletest.Equal(t, ask(map[string]any{"group_id": s.Group.ID}), "kept", "channels", 1, "reason")
	consoletest.Equal(t, answer, nil, "refusal")

	consoletest.Equal(t, ask(map[string]any{"user_id": s.Acme.Member.ID}), "visible", "verdict")
	consoletest.Equal(t, ask(map[string]any{"group_id": s.Group.ID}), "visible", "verdict")
	consoletest.Equal(t, ask(map[string]any{"group_id": s.Group.ID, "endpoint": "responses"}), "translated",
		"channels", 0, "channel")
	unknown := ask(map[string]any{"group_id": s.Group.ID, "model": "unknown"})
	consoletest.Equal(t, unknown, "unknown_model", "verdict")
	consoletest.Equal(t, unknown, 503.0, "refusal", "status")

	channelOf(s, "searching", func(c *catalog.Channel) {
		c.Models = map[string]string{"gpt-4o-mini": "gpt-4o-search-preview"}
	})
	answer = ask(map[string]any{"group_id": s.Group.ID})
	at := slices.IndexFunc(consoletest.As[[]any](t, answer["channels"]),
		func(channel any) bool { return consoletest.Text(t, channel, "channel") == "searching" })
	consoletest.Equal(t, answer, "refuses_unpriced", "channels", at, "reason")
	consoletest.Equal(t, answer, 0.0, "channels", at, "order")
	consoletest.Equal(t, ask(map[string]any{"group_id": uuid.New()}), "group_disabled", "verdict")

	operator.Post("/api/operator/routing/explain", map[string]any{"model": "m"}).
		Refused(t, http.StatusBadRequest, "token_id")
	operator.Post("/api/operator/routing/explain", map[string]any{"model": "m", "user_id": s.Acme.Member.ID,
		"group_id": s.Group.ID}).Refused(t, http.StatusBadRequest, "token_id")
	operator.Post("/api/operator/routing/explain", map[string]any{"model": "m", "token_id": uuid.New()}).
		Refused(t, http.StatusNotFound, "")
}

func TestExplainRouting_ShowsTheCheapestChannel(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	consoletest.Equal(t, operator.Patch("/api/operator/models/gpt-4o-mini", map[string]any{"routing": "cheapest"}).
		Want(t, http.StatusOK), "cheapest", "routing")
	operator.Patch("/api/operator/models/gpt-4o-mini", map[string]any{"routing": "dearest"}).
		Refused(t, http.StatusBadRequest, "routing")
	dear := channelOf(s, "dear", func(c *catalog.Channel) { c.Priority = s.Channel.Priority })
	for channel, model := range map[uuid.UUID]string{s.Channel.ID: "upstream-mini", dear.ID: "up-dear"} {
		c := pricing.ChannelCost{ChannelID: channel, UpstreamModel: model, Factor: money.One,
			Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: consoletest.USD("0.1")}}}
		if channel == dear.ID {
			c.Factor = 2 * money.One
		}
		_, err := s.Store.Catalog.CreateChannelCost(t.Context(), consoletest.System, c)
		s.Must(err)
	}
	plan := operator.Post("/api/operator/routing/explain",
		map[string]any{"model": "gpt-4o-mini", "group_id": s.Group.ID, "input_tokens": 10_000}).Want(t, http.StatusOK)
	consoletest.Equal(t, plan, "cheapest", "routing")
	consoletest.Equal(t, plan, s.Channel.ID.String(), "channels", 0, "channel_id")
	consoletest.Equal(t, plan, "cheapest", "channels", 0, "reason")
	consoletest.Equal(t, plan, "0.001", "channels", 0, "supplier_cost")
	consoletest.Equal(t, plan, dear.ID.String(), "channels", 1, "channel_id")
	consoletest.Equal(t, plan, "0.002", "channels", 1, "supplier_cost")
}
