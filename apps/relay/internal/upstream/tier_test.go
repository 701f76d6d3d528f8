package upstream

import (
	"net/url"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

func TestOrdinaryTier_IsStatedWhereTheProviderCouldChooseAnother(t *testing.T) {
	const openAI, anthropic, groq = "https://api.openai.com/v1", "https://api.anthropic.com/v1",
		"https://api.groq.com/openai/v1"
	for name, c := range map[string]struct {
		client, speaks catalog.Dialect
		base, members  string
		policy         charge.Policy
		want           string
	}{
		"no field": {catalog.Chat, catalog.Chat, openAI, ``, charge.Refuse, "default"},
		"another tier": {catalog.Chat, catalog.Chat, openAI, `,"service_tier":"flex"`,
			charge.Refuse, ""},
		"the ordinary tier": {catalog.Chat, catalog.Chat, openAI, `,"service_tier":"default"`,
			charge.Refuse, ""},
		"auto, which Groq would not choose": {catalog.Chat, catalog.Chat, groq, `,"service_tier":"auto"`,
			charge.Refuse, "on_demand"},
		"a channel that allows it": {catalog.Chat, catalog.Chat, openAI, ``, charge.Allow, ""},
		"translated, no field": {catalog.Responses, catalog.Chat, openAI, ``,
			charge.Refuse, "default"},
		"translated, auto": {catalog.Responses, catalog.Chat, openAI, `,"service_tier":"auto"`,
			charge.Refuse, "default"},
		"translated, auto to Groq": {catalog.Responses, catalog.Chat, groq, `,"service_tier":"auto"`,
			charge.Refuse, ""},
		"translated, the ordinary tier": {catalog.Responses, catalog.Chat, openAI, `,"service_tier":"default"`,
			charge.Refuse, "default"},
		"translated, another tier": {catalog.Responses, catalog.Chat, openAI, `,"service_tier":"flex"`,
			charge.Refuse, ""},
		"to Anthropic, no field": {catalog.Chat, catalog.Messages, anthropic, ``, charge.Refuse,
			"standard_only"},
		"to Anthropic, the ordinary tier": {catalog.Chat, catalog.Messages, anthropic,
			`,"service_tier":"default"`, charge.Refuse, "standard_only"},
		"to Anthropic, another tier, left out": {catalog.Chat, catalog.Messages, anthropic,
			`,"service_tier":"priority"`, charge.Refuse, "standard_only"},
		"to a server like Anthropic's, no tier": {catalog.Chat, catalog.Messages, "http://127.0.0.1/v1", ``,
			charge.Refuse, ""},
	} {
		request, err := openai.ScanRequest([]byte(`{"model":"m","messages":[],"input":""`+c.members+`}`), c.client)
		if err != nil {
			t.Fatal(name, err)
		}
		base, err := url.Parse(c.base)
		if err != nil {
			t.Fatal(err)
		}
		channel := &catalog.Channel{Type: "openai", Dialects: []catalog.Dialect{c.speaks}, Unpriced: c.policy}
		if c.speaks == catalog.Messages {
			channel.Type = "anthropic"
		}
		call := Call{Dialect: c.client, Request: request, OrdinaryTier: true}
		if got := call.ordinaryTier(channel, base); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
