package verify

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/usage"
)

var (
	first, second = uuid.UUID{15: 1}, uuid.UUID{15: 2} // channels
	dear, cheap   = uuid.UUID{14: 1}, uuid.UUID{14: 2} // their costs
)

// supplied returns a correct log of a call that failed over: the first channel reported 1,000 tokens although it
// failed. They cost 3 USD per 1M, and the 7 tokens of the answer 0.15 USD per 1M less 10 %: 0.003 USD and 945
// nano-dollars.
func supplied() usage.Log {
	log := bill()
	log.Formula = pricing.Formula
	log.ChannelID, log.UpstreamModel, log.CostID, log.SupplierCost = second, "up-m", cheap, amount(3_000_945)
	log.Attempts = []usage.Attempt{
		{ChannelID: first, Status: 200, Error: "error_body", Usage: &usage.Usage{Input: 1000}, CostID: dear,
			SupplierCost: amount(3_000_000)},
		{ChannelID: second, Status: 200, CostID: cheap, SupplierCost: amount(945)},
	}
	return log
}

func TestWalk_RecomputesTheCostsOfSuppliers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*usage.Log)
		why    string // part of the reason, "" if the costs are right
	}{
		"right costs": {func(*usage.Log) {}, ""},
		"a log of an earlier release": {func(l *usage.Log) {
			l.SupplierCost, l.CostID, l.Attempts = nil, uuid.Nil, l.Attempts[1:]
			l.Attempts[0] = usage.Attempt{ChannelID: second}
		}, ""},
		"a channel without costs": {func(l *usage.Log) {
			l.SupplierCost, l.CostID, l.Attempts[1].CostID, l.Attempts[1].SupplierCost = nil, uuid.Nil, uuid.Nil, nil
		}, ""},
		"a sum without an attempt's unknown cost": {func(l *usage.Log) {
			l.SupplierCost, l.CostID, l.Attempts[1].CostID, l.Attempts[1].SupplierCost = amount(3_000_000),
				uuid.Nil, uuid.Nil, nil
		}, "its attempts cost 0.003 USD"},
		"another sum": {func(l *usage.Log) { *l.SupplierCost++ },
			"the stored cost of the supplier is 0.003000946 USD"},
		"no sum": {func(l *usage.Log) { l.SupplierCost = nil },
			"the supplier's cost is missing"},
		"another cost of an attempt": {func(l *usage.Log) { *l.Attempts[0].SupplierCost--; *l.SupplierCost-- },
			"recomputed cost of the supplier is 0.003 USD"},
		"another usage of an attempt": {func(l *usage.Log) { l.Attempts[0].Usage.Input++ },
			"recomputed cost of the supplier is 0.003003 USD"},
		"an impossible usage": {func(l *usage.Log) { l.Attempts[0].Usage.Input = -1 },
			"a token count is negative"},
		"a cost for no usage":     {func(l *usage.Log) { l.Attempts[0].Usage = nil }, "reported no usage"},
		"costs that do not exist": {func(l *usage.Log) { l.Attempts[0].CostID = absent }, "does not exist"},
		"costs of another channel": {func(l *usage.Log) { l.Attempts[0].ChannelID = second },
			"the channel cost is of channel"},
		"costs of another model": {func(l *usage.Log) { l.UpstreamModel = "other" },
			"the channel cost is for model up-m"},
		"another version than the attempt": {func(l *usage.Log) { l.CostID = dear }, "the log names the costs"},
		"a cost without a version": {func(l *usage.Log) { l.Attempts[1].CostID, l.CostID = uuid.Nil, uuid.Nil },
			"the upstream reported a cost of 0 USD"},
		"a version without a cost": {func(l *usage.Log) { l.Attempts[1].SupplierCost = nil },
			"has a cost_id without a supplier_cost"},
		"a cost that the upstream reported": {func(l *usage.Log) {
			l.Attempts[1].CostID, l.CostID, l.Usage.ReportedCost = uuid.Nil, uuid.Nil, 945
		}, ""},
		"another cost than the upstream reported": {func(l *usage.Log) {
			l.Attempts[1].CostID, l.CostID, l.Usage.ReportedCost = uuid.Nil, uuid.Nil, 944
		}, "the upstream reported a cost of 0.000000944 USD"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := supplied()
			c.change(&log)
			b := newBooks(log)
			b.costs = []pricing.ChannelCost{
				{ID: dear, ChannelID: first, UpstreamModel: "up-a", Factor: money.One,
					Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: amount(3 * money.USD)}}},
				{ID: uuid.UUID{14: 9}, ChannelID: first, UpstreamModel: "up-b", Factor: money.One},
				{ID: cheap, ChannelID: second, UpstreamModel: "up-m", Factor: 900_000_000,
					Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: amount(150_000_000)}}},
			}
			var why []string
			sum, err := Walk(t.Context(), b.source(), Range{}, func(d Difference) { why = append(why, d.Reason) })
			if err != nil {
				t.Fatal(err)
			}
			if c.why == "" && len(why) > 0 || c.why != "" && (len(why) != 1 || !strings.Contains(why[0], c.why)) {
				t.Errorf("got the differences %q, want one with %q", why, c.why)
			}
			if log.SupplierCost != nil && (sum.Supplied != 1 || sum.SupplierCost != *log.SupplierCost) {
				t.Errorf("got a summary of %d logs with %s USD, want 1 with %s USD", sum.Supplied, sum.SupplierCost,
					*log.SupplierCost)
			}
		})
	}
}
