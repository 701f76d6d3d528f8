package pipeline

import (
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// The hold covers as many searches as the provider may make for the call, if that is limited.
func TestBoundTools_CoversTheSearchesOfACall(t *testing.T) {
	t.Parallel()
	price := money.USD / 100
	for _, row := range []struct {
		name          string
		dialect       catalog.Dialect
		max           int64 // max_tool_calls of the request
		uses, choices int64 // max_uses of the tool
		held, sent    int64
	}{
		{"responses without a limit", catalog.Responses, 0, 0, 1, 32, 32},
		{"responses with a limit of the request", catalog.Responses, 7, 0, 1, 7, 0},
		{"responses with a lower limit of the tool", catalog.Responses, 7, 3, 1, 3, 0},
		{"responses with a higher limit of the tool", catalog.Responses, 7, 50, 1, 7, 0},
		{"a chat without a limit", catalog.Chat, 0, 0, 1, 32, 0},
		{"a chat with a low limit of the tool", catalog.Chat, 0, 3, 1, 3, 0},
		{"a chat with a limit of the tool above the usual number", catalog.Chat, 0, 50, 1, 50, 0},
		{"a chat with two choices", catalog.Chat, 0, 20, 2, 40, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			request := &openai.Request{MaxToolCalls: row.max, Choices: row.choices,
				Charges: []charge.Charge{{Kind: charge.WebSearch, Calls: row.uses}}}
			terms := pricing.Terms{Price: &pricing.Price{}, Rule: pricing.Rule{Multiplier: money.One}}
			terms.Price.Rates.Tools.WebSearch = &price
			var bound costBound
			bound.boundTools(&admission{request: request, dialect: row.dialect, terms: terms}, 32)
			if got := bound.tools.WebSearchCalls; got != row.held || bound.sentCalls != row.sent {
				t.Errorf("got a hold for %d searches and a limit of %d, want %d and %d", got, bound.sentCalls,
					row.held, row.sent)
			}
		})
	}
}

// A limit of 0 is one: the hold covers no calls of tools, and the relay sends no limit of its own.
func TestBoundTools_HoldsNothingIfTheRequestAllowsNoCalls(t *testing.T) {
	t.Parallel()
	price := money.USD / 100
	terms := pricing.Terms{Price: &pricing.Price{}, Rule: pricing.Rule{Multiplier: money.One}}
	terms.Price.Rates.Tools.WebSearch = &price
	for limit, held := range map[string]int64{"0": 0, "2": 2, "null": 32} {
		request, err :=
			openai.ScanRequest([]byte(`{"model":"m","input":"hi","tools":[{"type":"web_search"}],"max_tool_calls":`+
				limit+`}`), catalog.Responses)
		if err != nil {
			t.Fatal(err)
		}
		var bound costBound
		bound.boundTools(&admission{request: request, dialect: catalog.Responses, terms: terms}, 32)
		sent := int64(0)
		if limit == "null" {
			sent = 32
		}
		if bound.tools.WebSearchCalls != held || bound.sentCalls != sent {
			t.Errorf("max_tool_calls %s: got a hold for %d searches and a limit of %d, want %d and %d", limit,
				bound.tools.WebSearchCalls, bound.sentCalls, held, sent)
		}
	}
}
