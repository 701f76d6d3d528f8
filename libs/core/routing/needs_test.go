package routing_test

import (
	"encoding/json"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/routing"
)

func lacks(n byte, features ...catalog.Feature) *catalog.Channel {
	c := channel(n, 0, 1)
	c.Settings.Lacks = features
	return c
}

func TestRefuse_NamesTheFeatureThatNoChannelHas(t *testing.T) {
	all := routing.Needs{Stream: true, Tools: true, Vision: true, StructuredOutput: true}
	for _, row := range []struct {
		rule     string
		dialect  catalog.Dialect
		needs    routing.Needs
		channels []*catalog.Channel
		param    string // "" if the call is not refused for a missing feature
	}{
		{"tools", catalog.Chat, all, []*catalog.Channel{lacks(1, catalog.ToolCalling)}, "tools"},
		{"streams", catalog.Chat, all, []*catalog.Channel{lacks(1, catalog.Streaming)}, "stream"},
		{"images in a chat", catalog.Chat, all, []*catalog.Channel{lacks(1, catalog.Vision)}, "messages"},
		{"images in a response", catalog.Responses, all, []*catalog.Channel{lacks(1, catalog.Vision)}, "input"},
		{"a schema in a chat", catalog.Chat, all, []*catalog.Channel{lacks(1, catalog.StructuredOutput)},
			"response_format"},
		{"a schema in a response", catalog.Responses, all, []*catalog.Channel{lacks(1, catalog.StructuredOutput)},
			"text.format"},
		{"images in a message", catalog.Messages, all, []*catalog.Channel{lacks(1, catalog.Vision)}, "messages"},
		{"a schema in a message", catalog.Messages, all, []*catalog.Channel{lacks(1, catalog.StructuredOutput)},
			"output_config.format"},
		{"each channel lacks a different feature", catalog.Chat, all,
			[]*catalog.Channel{lacks(1, catalog.Vision), lacks(2, catalog.ToolCalling)}, "messages"},
		{"the call needs no feature", catalog.Chat, routing.Needs{},
			[]*catalog.Channel{lacks(1, catalog.Vision, catalog.ToolCalling, catalog.Streaming)}, ""},
		{"embeddings of a channel that speaks messages", catalog.Embeddings, routing.Needs{},
			[]*catalog.Channel{channel(1, 0, 1, catalog.Messages)}, "model"},
		{"embeddings of another channel", catalog.Embeddings, routing.Needs{},
			[]*catalog.Channel{channel(1, 0, 1, catalog.Messages), channel(2, 0, 1, catalog.Gemini)}, ""},
		{"another channel has the feature", catalog.Chat, all, []*catalog.Channel{lacks(1, catalog.Vision), lacks(2)},
			""},
	} {
		plan, usable := routing.Plan(routing.Query{Channels: row.channels, Dialect: row.dialect, Needs: row.needs,
			Pick: seeded(1)})
		if (usable == 0) != (row.param != "") {
			t.Errorf("%s: %d usable", row.rule, usable)
		}
		if row.param == "" {
			continue
		}
		if refusal := row.needs.Refuse(plan, row.dialect); refusal.Kind != problem.UnsupportedParameter ||
			refusal.Param != row.param {
			t.Errorf("%s: %v at %q, want %q", row.rule, refusal, refusal.Param, row.param)
		}
	}
}

func TestRefuse_IsNoChannelIfCredentialsAreMissing(t *testing.T) {
	channels := []*catalog.Channel{lacks(1, catalog.Vision), lacks(2)}
	plan, usable := routing.Plan(routing.Query{
		Channels: channels, Conditions: []routing.Condition{{}, {State: routing.NoCredentialLeft}},
		Dialect: catalog.Chat, Needs: routing.Needs{Vision: true}, Pick: seeded(1),
	})
	if refusal := (routing.Needs{}).Refuse(plan, catalog.Chat); usable != 0 || refusal.Kind != problem.NoChannel {
		t.Errorf("%d usable, %v", usable, refusal)
	}
	if refusal := (routing.Needs{}).Refuse(nil, catalog.Chat); refusal.Kind != problem.NoChannel {
		t.Errorf("without channels: %v", refusal)
	}
}

func TestPlan_SendsWhatHasNoPriceToChannelsThatAllowIt(t *testing.T) {
	tier := charge.Charge{Kind: charge.ServiceTier, Field: "service_tier", Top: "service_tier"}
	search := charge.Charge{Kind: charge.WebSearch, Field: "tools[1].type", Top: "tools"}
	refuses, allows, lacksTools := channel(1, 0, 1), channel(2, 1, 1), lacks(3, catalog.ToolCalling)
	allows.Unpriced = charge.Allow
	removes := channel(4, 0, 1)
	removes.Settings.Parameters = map[string]json.RawMessage{"service_tier": json.RawMessage("null")}
	for _, row := range []struct {
		rule     string
		unpriced []charge.Charge
		channels []*catalog.Channel
		first    *catalog.Channel // that is tried; nil: none
		param    string
	}{
		{"everything has a price", nil, []*catalog.Channel{refuses, allows}, refuses, ""},
		{"one channel allows it", []charge.Charge{tier}, []*catalog.Channel{refuses, allows}, allows, ""},
		{"no channel allows it", []charge.Charge{tier}, []*catalog.Channel{refuses}, nil, "service_tier"},
		{"the first of several", []charge.Charge{search, tier}, []*catalog.Channel{refuses}, nil, "tools[1].type"},
		{"a channel removes the field", []charge.Charge{tier}, []*catalog.Channel{removes}, removes, ""},
		{"a channel removes one of two fields", []charge.Charge{tier, search}, []*catalog.Channel{removes}, nil,
			"tools[1].type"},
		{"another channel lacks a feature", []charge.Charge{search}, []*catalog.Channel{refuses, lacksTools}, nil,
			"tools[1].type"},
	} {
		needs := routing.Needs{Tools: true, Unpriced: row.unpriced}
		plan, usable := routing.Plan(routing.Query{Channels: row.channels, Dialect: catalog.Chat, Needs: needs,
			Pick: seeded(1)})
		if row.first != nil {
			if usable == 0 || plan[0].Channel != row.first {
				t.Errorf("%s: %d usable, first %v", row.rule, usable, plan[0])
			}
			continue
		}
		if refusal := needs.Refuse(plan, catalog.Chat); usable != 0 || refusal.Kind != problem.UnsupportedParameter ||
			refusal.Param != row.param {
			t.Errorf("%s: %d usable, %v at %q, want %q", row.rule, usable, refusal, refusal.Param, row.param)
		}
	}
	if got := (routing.Needs{Unpriced: []charge.Charge{tier, search}}).UnpricedKinds(removes); got != charge.Kinds(0).
		With(charge.WebSearch) {
		t.Errorf("what passes to a channel that removes a field: got %b", got)
	}
}

// The name of the upstream's model tells whether it searches in each call, and not the public name.
func TestPlan_RefusesModelsThatAlwaysSearchWithoutAPrice(t *testing.T) {
	serves := func(upstream string, policy charge.Policy) *catalog.Channel {
		c := channel(1, 0, 1)
		c.Models, c.Unpriced = map[string]string{"web": upstream, "gpt-4o-search-preview": upstream}, policy
		return c
	}
	for _, row := range []struct {
		rule, public, upstream string
		policy                 charge.Policy
		priced, refused        bool
		passing                charge.Kinds
	}{
		{"a search without a price", "web", "gpt-4o-search-preview", charge.Refuse, false, true, charge.Kinds(0).
			With(charge.WebSearch)},
		{"a search with a price", "web", "gpt-5-search-api", charge.Refuse, true, false, 0},
		{"a channel that allows it", "web", "gpt-5-search-api", charge.Allow, false, false, charge.Kinds(0).
			With(charge.WebSearch)},
		{"a fee for each request", "web", "perplexity/sonar-pro", charge.Refuse, false, true, charge.Kinds(0).
			With(charge.WebSearch)},
		{"a fee with a price", "web", "sonar", charge.Refuse, true, false, 0},
		{"tools of the model's choice", "web", "groq/compound-mini", charge.Refuse, true, true, charge.Kinds(0).
			With(charge.OtherTool)},
		{"citations", "web", "sonar-deep-research", charge.Refuse, true, true, charge.Kinds(0).With(charge.OtherTool)},
		{"another model of the name", "web", "lunar-sonar-1", charge.Refuse, false, false, 0},
		{"only the public name searches", "gpt-4o-search-preview", "gpt-4o", charge.Refuse, false, false, 0},
	} {
		served := serves(row.upstream, row.policy)
		needs := routing.Needs{Model: row.public, UnpricedOfModels: charge.Kinds(0).With(charge.OtherTool)}
		if !row.priced {
			needs.UnpricedOfModels = needs.UnpricedOfModels.With(charge.WebSearch)
		}
		plan, usable := routing.Plan(routing.Query{Channels: []*catalog.Channel{served}, Dialect: catalog.Chat,
			Needs: needs, Pick: seeded(1)})
		if (usable == 0) != row.refused || needs.UnpricedKinds(served) != row.passing {
			t.Errorf("%s: %d usable, %b passes", row.rule, usable, needs.UnpricedKinds(served))
		}
		if !row.refused {
			continue
		}
		if refusal := needs.Refuse(plan, catalog.Chat); refusal.Kind != problem.UnsupportedParameter ||
			refusal.Param != "model" {
			t.Errorf("%s: %v at %q", row.rule, refusal, refusal.Param)
		}
	}
}

func TestServes_EmbeddingsNeedOpenAIsProtocolOrGemini(t *testing.T) {
	for own, want := range map[catalog.Dialect]struct{ speaks, serves bool }{
		catalog.Chat: {true, true}, catalog.Responses: {true, true}, catalog.Gemini: {false, true},
		catalog.Messages: {false, false},
	} {
		c := channel(1, 0, 1, own)
		if c.Speaks(catalog.Embeddings) != want.speaks || routing.Serves(c, catalog.Embeddings) != want.serves {
			t.Errorf("a channel that speaks %s: speaks embeddings %t, serves them %t", own,
				c.Speaks(catalog.Embeddings), routing.Serves(c, catalog.Embeddings))
		}
		if !routing.Serves(c, catalog.Chat) || !routing.Serves(c, catalog.Messages) {
			t.Errorf("a channel that speaks %s does not serve chat and messages", own)
		}
	}
}
