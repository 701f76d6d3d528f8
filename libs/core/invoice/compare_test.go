package invoice_test

import (
	"math"
	"testing"

	"github.com/tollgate/tollgate/libs/core/invoice"
	"github.com/tollgate/tollgate/libs/core/money"
)

// charged is a charge with an amount, input tokens and requests.
func charged(model, key, amount string, tokens, requests int64) invoice.Charge {
	return invoice.Charge{Model: model, Key: key, Figures: invoice.Figures{Amount: usd(amount), InputTokens: to(tokens),
		OutputTokens: to(int64(0)), Requests: to(requests)}}
}

// logged is the same of our logs.
func logged(model, key, cost string, tokens, requests int64) invoice.Own {
	return invoice.Own{Model: model, Key: key, Cost: *usd(cost), InputTokens: tokens, Requests: requests}
}

func TestCompare_SaysWhyADayDiffers(t *testing.T) {
	t.Parallel()
	keys := []invoice.Key{{ID: "key_1", Mask: "sk-…1"}}
	unpriced := logged("gpt-4o", "sk-…1", "5", 1000, 10)
	unpriced.Unpriced = 3
	guessed := logged("gpt-4o", "sk-…1", "5", 500, 10)
	guessed.Estimated = 4
	for name, c := range map[string]struct {
		keys    []invoice.Key
		charges []invoice.Charge
		own     []invoice.Own
		status  invoice.Status
		reason  invoice.Reason
	}{
		"equal": {nil, []invoice.Charge{charged("gpt-4o-2024-08-06", "key_1", "10", 1000, 10)},
			[]invoice.Own{logged("gpt-4o", "sk-…1", "10", 1000, 10)}, invoice.Matches, ""},
		"nothing on either side": {nil, nil, nil, invoice.Matches, ""},
		"a cent of rounding":     {nil, []invoice.Charge{charged("m", "", "0.01", 1, 1)}, nil, invoice.Matches, ""},
		"half a percent": {nil, []invoice.Charge{charged("m", "", "100.5", 1000, 10)},
			[]invoice.Own{logged("m", "", "100", 1000, 10)}, invoice.Matches, ""},
		"more than half a percent": {nil, []invoice.Charge{charged("m", "", "101", 1000, 10)},
			[]invoice.Own{logged("m", "", "100", 1000, 10)}, invoice.Differs, invoice.UnpricedClass},
		"calls without rates": {nil, []invoice.Charge{charged("gpt-4o", "", "10", 1000, 10)},
			[]invoice.Own{unpriced}, invoice.Differs, invoice.NoRates},
		"same counts, dearer": {nil, []invoice.Charge{charged("gpt-4o", "", "12", 1000, 10)},
			[]invoice.Own{logged("gpt-4o", "", "10", 1000, 10)}, invoice.Differs, invoice.UnpricedClass},
		"same counts, cheaper": {nil, []invoice.Charge{charged("gpt-4o", "", "8", 1000, 10)},
			[]invoice.Own{logged("gpt-4o", "", "10", 1000, 10)}, invoice.Differs, invoice.RatesDiffer},
		"more calls than ours": {nil, []invoice.Charge{charged("gpt-4o", "", "12", 1200, 12)},
			[]invoice.Own{logged("gpt-4o", "", "10", 1000, 10)}, invoice.Differs, invoice.MissingCalls},
		"fewer calls than ours": {nil, []invoice.Charge{charged("gpt-4o", "", "8", 800, 8)},
			[]invoice.Own{logged("gpt-4o", "", "10", 1000, 10)}, invoice.Differs, invoice.NotCharged},
		"no charge for our calls": {nil, nil, []invoice.Own{logged("gpt-4o", "", "10", 1000, 10)}, invoice.Differs,
			invoice.NotCharged},
		"a model that is not ours": {nil, []invoice.Charge{charged("o3", "", "12", 1200, 12)}, nil, invoice.Differs,
			invoice.OtherUse},
		"a charge for no model": {nil,
			[]invoice.Charge{{Model: "web search tool calls", Figures: invoice.Figures{Amount: usd("3")}}}, nil,
			invoice.Differs, invoice.NoModel},
		"estimated counts": {nil, []invoice.Charge{charged("gpt-4o", "", "10", 1000, 10)}, []invoice.Own{guessed},
			invoice.Differs, invoice.Estimated},
		"amounts alone": {nil, []invoice.Charge{{Model: "gpt-4o", Figures: invoice.Figures{Amount: usd("12")}}},
			[]invoice.Own{logged("gpt-4o", "", "10", 1000, 10)}, invoice.Differs, invoice.Unknown},
		"a key that is not ours": {keys, []invoice.Charge{charged("gpt-4o", "key_1", "10", 1000, 10),
			charged("gpt-4o", "key_2", "5", 500, 5)},
			[]invoice.Own{logged("gpt-4o", "sk-…1", "10", 1000, 10)}, invoice.Differs, invoice.OtherUse},
		"calls with keys of another account do not count": {keys,
			[]invoice.Charge{charged("gpt-4o", "key_1", "10", 1000, 10)},
			[]invoice.Own{logged("gpt-4o", "sk-…1", "10", 1000, 10), logged("gpt-4o", "sk-…9", "99", 9, 9)},
			invoice.Matches, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := invoice.Compare(&invoice.Account{Keys: c.keys}, true, c.charges, c.own)
			if got.Status != c.status || got.Reason != c.reason {
				t.Errorf("got %s %q, want %s %q: %+v", got.Status, got.Reason, c.status, c.reason, got)
			}
		})
	}
}

func TestCompare_WaitsForADayThatTheProviderHasNotReported(t *testing.T) {
	t.Parallel()
	got := invoice.Compare(&invoice.Account{}, false, nil, []invoice.Own{logged("gpt-4o", "", "10", 1000, 10)})
	if got.Status != invoice.Pending || got.Reason != "" || got.Difference != 0 || len(got.Lines) != 1 ||
		got.Own.Cost != *usd("10") {
		t.Errorf("got %+v, want a pending day with our cost", got)
	}
}

// OpenAI may state the amounts without keys, while it counts tokens by key.
func TestCompare_ShowsCountsByKeyWhereAmountsHaveNone(t *testing.T) {
	t.Parallel()
	counts := charged("gpt-4o", "key_1", "0", 1000, 10)
	counts.Amount = nil
	got := invoice.Compare(&invoice.Account{Keys: []invoice.Key{{ID: "key_1", Mask: "sk-…1"}}}, true,
		[]invoice.Charge{{Model: "gpt-4o", Figures: invoice.Figures{Amount: usd("10")}}, counts},
		[]invoice.Own{logged("gpt-4o", "sk-…1", "10", 1000, 10)})
	if got.Status != invoice.Matches || len(got.Lines) != 1 || len(got.Lines[0].Keys) != 1 {
		t.Fatalf("got %+v, want one model with one key", got)
	}
	if key := got.Lines[0].Keys[0]; key.Name != "sk-…1" || !key.Ours || key.Status != invoice.Matches ||
		key.Difference != nil {
		t.Errorf("got key %+v, want a match by counts without an amount", key)
	}
}

func TestCompare_DoesNotOverflow(t *testing.T) {
	t.Parallel()
	huge := invoice.Charge{Model: "m",
		Figures: invoice.Figures{Amount: to(money.Max), InputTokens: to(int64(math.MaxInt64))}}
	got := invoice.Compare(&invoice.Account{}, true, []invoice.Charge{huge, huge},
		[]invoice.Own{logged("m", "", "-1", 1, 1)})
	if got.Status != invoice.Differs || *got.Provider.Amount != money.Max || got.Difference != money.Max {
		t.Errorf("got %+v, want the largest amount", got)
	}
}
