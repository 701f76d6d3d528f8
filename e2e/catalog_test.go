package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
	consoleclient "github.com/tollgate/tollgate/openapi/clients/go/console"
)

// TestCatalog_PricesAllThatItsModelsDo creates models from entries of the built-in price catalog, and channels that
// refuse what has no price. Calls that use what the entries price are served and cost what the entries say. Others are
// refused at the field.
func TestCatalog_PricesAllThatItsModelsDo(t *testing.T) {
	t.Parallel()
	w := testbedWith(t, stack.Options{Manifest: join(
		"operators:", fmt.Sprintf("  - {email: %s, password: %q}", operator, everyonePassword),
		"groups:", `  - {name: g1, multiplier: "1", models: ["*"]}`,
		"tenants:", tenant("g1", "1000", "g1", fmt.Sprintf("[{name: main, value: %s}]", exampleToken("1"))),
	)})
	w.createFromCatalog(t)
	caller := w.caller(exampleToken("1"))
	priority := "priority"
	cached := map[string]any{"type": "text", "text": "hello world",
		"cache_control": map[string]any{"type": "ephemeral", "ttl": "1h"}}
	openAI := map[string]any{"input_tokens": 1_000, "output_tokens": 100, "total_tokens": 1_100}
	all := []struct {
		example *workedExample
		client  string
	}{
		{&workedExample{
			Name: "a service tier", upstream: "responses", id: "gpt-5.1", Tier: &priority, Usage: openAI,
			Ask:  map[string]any{"service_tier": "priority"},
			Cost: "0.0045", // 2 x (1000 x 1.25 + 100 x 10) / 1000000
		}, "responses"},
		{&workedExample{
			Name: "two searches of the web", upstream: "responses", id: "gpt-5.1", Usage: openAI,
			Tools: members{"web_search": members{"num_requests": 2}},
			Ask:   map[string]any{"tools": []any{map[string]any{"type": "web_search"}}},
			Cost:  "0.02225", // (1000 x 1.25 + 100 x 10) / 1000000 + 2 x 0.01
		}, "responses"},
		{&workedExample{
			Name: "a cache for one hour", upstream: "messages", id: "claude-haiku-4-5",
			Usage: map[string]any{"input_tokens": 21, "cache_creation_input_tokens": 2_000,
				"cache_creation": members{"ephemeral_1h_input_tokens": 2_000}, "output_tokens": 100},
			Ask:  map[string]any{"messages": []any{map[string]any{"role": "user", "content": []any{cached}}}},
			Cost: "0.004521", // (21 x 1 + 2000 x 2 + 100 x 5) / 1000000
		}, "chat"},
	}
	// The upstream has no usual message of Anthropic.
	w.upstream.SetReply(t, "claude-haiku-4-5", all[2].example.reply(t))
	for _, model := range []string{"gpt-5.1", "gpt-4.1-nano", "claude-haiku-4-5"} {
		story.Eventually(t, story.Patience, "the relay serves "+model, func() bool {
			r := caller.post(story.Context(t), ask(model, someCounts))
			return r.complete(false)
		})
	}
	for _, served := range all {
		b := served.example
		w.upstream.SetReply(t, b.id, b.reply(t))
		id := b.ask(t, w, served.client, "json")
		story.Eventually(t, story.Patience, "the call is in the usage log", func() bool {
			return w.query(t, `SELECT count(*) FROM usage_logs WHERE id = $1`, id) == 1
		})
		if cost := w.query(t, `SELECT cost FROM usage_logs WHERE id = $1`, id); cost != nanoUSD(t, b.Cost) {
			t.Errorf("%s: got a cost of %s USD, want %s", b.Name, usd(cost), b.Cost)
		}
	}

	for _, refused := range []struct{ model, member, param string }{
		{"gpt-5.1", `"service_tier":"scale"`, "service_tier"},
		{"gpt-4.1-nano", `"web_search_options":{}`, "web_search_options"},
		{"gpt-5.1", `"plugins":[{"id":"web"}]`, "plugins"},
		{"claude-haiku-4-5", `"tools":[{"type":"code_interpreter"}],"tool_choice":"required"`, "tools[0].type"},
	} {
		r := caller.post(story.Context(t), ask(refused.model, someCounts, refused.member))
		if f := r.failure(t); r.status != http.StatusBadRequest || text(f.Code) != "unsupported_parameter" ||
			text(f.Param) != refused.param {
			t.Errorf("%s with %s: got %d %s, want 400 unsupported_parameter at %s", refused.model, refused.member,
				r.status, r.body, refused.param)
		}
	}
}

// createFromCatalog creates models from entries of OpenAI and Anthropic, and a channel for the models of each, with the
// settings that new channels have.
func (w *testbed) createFromCatalog(t *testing.T) {
	t.Helper()
	root := w.signIn(t, operator)
	listed, err := root.ListPriceCatalogEntries(story.Context(t), &consoleclient.ListPriceCatalogEntriesParams{})
	story.Must(t, listed, err)
	unverified := []consoleclient.SelectedOfferConfirm{consoleclient.SelectedOfferConfirmUnverified}
	made, err := root.CreatePriceCatalogModels(story.Context(t),
		consoleclient.NewModels{Sha256: listed.JSON200.Sha256, Models: []consoleclient.SelectedOffer{
			{Entry: "openai/gpt-5.1", Confirm: &unverified}, {Entry: "openai/gpt-4.1-nano", Confirm: &unverified},
			{Entry: "anthropic/claude-haiku-4-5"},
		}})
	story.Must(t, made, err)
	if slices.ContainsFunc(made.JSON201.Items, func(m consoleclient.CreatedModel) bool { return !m.Created }) {
		t.Fatalf("got %+v, want all models created", made.JSON201.Items)
	}
	address, keys := w.upstream.URL+"/v1", []string{"upstream-key-0"}
	for _, channel := range []consoleclient.NewChannel{
		{Name: "openai", Type: "openai", Dialects: &[]consoleclient.NewChannelDialects{"chat", "responses"},
			Models: map[string]string{"gpt-5.1": "gpt-5.1", "gpt-4.1-nano": "gpt-4.1-nano"}},
		{Name: "anthropic", Type: "anthropic", Dialects: &[]consoleclient.NewChannelDialects{"messages"},
			Models: map[string]string{"claude-haiku-4-5": "claude-haiku-4-5"}},
	} {
		channel.BaseUrl, channel.ApiKeys = &address, &keys
		created, err := root.CreateChannel(story.Context(t), channel)
		story.Must(t, created, err)
	}
}
