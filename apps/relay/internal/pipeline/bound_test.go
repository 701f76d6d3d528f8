package pipeline

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	core "github.com/tollgate/tollgate/libs/core/snapshot"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// The hold covers the service tier in which a channel can answer, whatever the client asks for.
func TestBoundCost_CoversTheTierThatAChannelSends(t *testing.T) {
	t.Parallel()
	const ordinary, priority = 100 * money.USD / 1000, 200 * money.USD / 1000 // of 100 tokens of output at 1 and 2 USD per 1,000
	rate, twice := 1000*money.USD, 2*money.One
	price := &pricing.Price{Rates: pricing.Rates{ClassRates: pricing.ClassRates{Output: &rate}, ServiceTiers: map[string]pricing.ServiceTier{"priority": {Multiplier: &twice}}}}
	native := catalog.Channel{Dialects: []catalog.Dialect{catalog.Chat}}
	for _, row := range []struct {
		name, asked string
		channel     catalog.Channel
		want        money.Amount
	}{
		{"the channel sends the client's tier", "default", native, ordinary},
		{"the channel sends the client's dearer tier", "Priority", native, priority},
		{"no tier is asked for", "", native, priority},
		{"the channel's parameters set a tier", "default", catalog.Channel{
			Dialects: native.Dialects, Settings: catalog.Settings{Parameters: map[string]json.RawMessage{"service_tier": json.RawMessage(`"priority"`)}},
		}, priority},
		{"the channel speaks another dialect", "default", catalog.Channel{Dialects: []catalog.Dialect{catalog.Messages}}, priority},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			row.channel.ID, row.channel.Status, row.channel.Models = uuid.New(), tenant.Enabled, map[string]string{"m": "m"}
			models := []catalog.Model{{ID: "m"}}
			bound, err := boundCost(&admission{
				request: &openai.Request{Model: "m", OutputCap: 100, Choices: 1, ServiceTier: row.asked}, model: &models[0], dialect: catalog.Chat, caller: &token.Caller{},
				terms:    pricing.Terms{Price: price, Rule: pricing.Rule{Multiplier: money.One}},
				snapshot: &snapshot.Snapshot{Snapshot: core.New(1, nil, models, []catalog.Channel{row.channel}, pricing.NewBook(nil, nil))},
			}, 32)
			if err != nil || bound.most != row.want {
				t.Errorf("got a hold of %s, %v, want %s", bound.most, err, row.want)
			}
		})
	}
}

func TestBoundCost_CoversTheSearchOfAModelThatAlwaysSearches(t *testing.T) {
	t.Parallel()
	price := money.USD / 100
	for name, row := range map[string]struct {
		upstream string
		price    *money.Amount
		want     int64
	}{
		"the upstream's model always searches": {"gpt-4o-search-preview", &price, 2},
		"the upstream's model does not search": {"gpt-4o", &price, 0},
		"a search has no price":                {"gpt-4o-search-preview", nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rates := pricing.Rates{}
			rates.Tools.WebSearch = row.price
			models := []catalog.Model{{ID: "m"}}
			channel := catalog.Channel{ID: uuid.New(), Status: tenant.Enabled, Dialects: []catalog.Dialect{catalog.Chat}, Models: map[string]string{"m": row.upstream}}
			bound, err := boundCost(&admission{
				request: &openai.Request{Model: "m", OutputCap: 100, Choices: 2}, model: &models[0], dialect: catalog.Chat, caller: &token.Caller{},
				terms:    pricing.Terms{Price: &pricing.Price{Rates: rates}, Rule: pricing.Rule{Multiplier: money.One}},
				snapshot: &snapshot.Snapshot{Snapshot: core.New(1, nil, models, []catalog.Channel{channel}, pricing.NewBook(nil, nil))},
			}, 32)
			if err != nil || bound.tools.WebSearchCalls != row.want || (bound.least > 0) != (row.want > 0) {
				t.Errorf("got a hold of %s for %d searches, %v, want %d searches", bound.least, bound.tools.WebSearchCalls, err, row.want)
			}
		})
	}
}
