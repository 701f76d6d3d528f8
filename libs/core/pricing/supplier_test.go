package pricing_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
)

func cost(n, channel byte, model string, from time.Time) pricing.ChannelCost {
	return pricing.ChannelCost{
		ID: id(n), ChannelID: id(channel), UpstreamModel: model, EffectiveFrom: from, Factor: money.One,
		Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("1")}},
	}
}

func TestCostBookFind_ReturnsTheVersionInEffect(t *testing.T) {
	withdrawn := cost(9, 1, "m", day(3))
	withdrawn.WithdrawnAt = day(2)
	book := pricing.NewCostBook([]pricing.ChannelCost{
		cost(2, 1, "m", day(10)), cost(1, 1, "m", day(1)), withdrawn, cost(4, 2, "m", day(1)), cost(5, 2, "m", day(1)),
		cost(3, 1, "n", day(5)),
	})
	for _, row := range []struct {
		reason  string
		channel byte
		model   string
		at      time.Time
		want    byte // 0: none
	}{
		{"before the first version", 1, "m", day(1).Add(-1), 0},
		{"from its start time", 1, "m", day(1), 1},
		{"a withdrawn version never takes effect", 1, "m", day(4), 1},
		{"just before the next version", 1, "m", day(10).Add(-1), 1},
		{"at the start of the next version", 1, "m", day(10), 2},
		{"another model of the channel", 1, "n", day(10), 3},
		{"of two versions with equal start the newer one wins", 2, "m", day(2), 5},
		{"a channel without costs", 3, "m", day(10), 0},
		{"a model without costs", 1, "o", day(10), 0},
	} {
		found := book.Find(id(row.channel), row.model, row.at)
		if row.want == 0 && found != nil || row.want != 0 && (found == nil || found.ID != id(row.want)) {
			t.Errorf("%s: got %+v, want version %d", row.reason, found, row.want)
		}
	}
	if (*pricing.CostBook)(nil).Find(id(1), "m", day(10)) != nil {
		t.Error("a nil book has a version")
	}
}

func TestCostBookState_ReturnsTheStateOfAVersion(t *testing.T) {
	past, current, next, withdrawn := cost(1, 1, "m", day(1)), cost(2, 1, "m", day(5)), cost(3, 1, "m", day(20)),
		cost(4, 1, "m", day(6))
	withdrawn.WithdrawnAt = day(2)
	book := pricing.NewCostBook([]pricing.ChannelCost{past, current, next, withdrawn})
	for want, version := range map[pricing.VersionState]pricing.ChannelCost{
		pricing.Past: past, pricing.Current: current, pricing.Scheduled: next, pricing.Withdrawn: withdrawn,
	} {
		if got := book.State(&version, day(10)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestChannelCost_IsTheFactorTimesTheFormula(t *testing.T) {
	rates := pricing.Rates{
		ClassRates: pricing.ClassRates{Input: usd("3"), CachedInput: usd("0.3"), Output: usd("15"),
			Request: usd("0.01")},
		Tiers: []pricing.Tier{{AboveInput: 1000, ClassRates: pricing.ClassRates{Input: usd("6"), Output: usd("22.5")}}},
	}
	for _, row := range []struct {
		reason  string
		used    usage.Usage
		outcome usage.Outcome
		formula int64
		factor  string
		want    string
	}{
		// 100 x 3 / 1M + 10 x 15 / 1M + 0.01 = 0.01045
		{"no discount", usage.Usage{Input: 100, Output: 10}, usage.Success, pricing.Formula, "1", "0.01045"},
		{"a discount of 15 %", usage.Usage{Input: 100, Output: 10}, usage.Success, pricing.Formula,
			"0.85", "0.0088825"},
		{"half a nano-dollar is rounded up", usage.Usage{CachedInput: 5}, usage.Failed, pricing.Formula,
			"0.001", "0.000000002"},
		{"a tier: 1001 x 6 / 1M + 10 x 22.5 / 1M + 0.01", usage.Usage{Input: 1001, Output: 10}, usage.Success,
			pricing.Formula, "1", "0.016231"},
		{"a formula without tiers", usage.Usage{Input: 1001, Output: 10}, usage.Success, 0, "1", "0.013153"},
		{"a partial answer", usage.Usage{Input: 100}, usage.Partial, pricing.Formula, "1", "0.0103"},
		{"a failed answer has no fee for the request", usage.Usage{Input: 100, Output: 10}, usage.Failed,
			pricing.Formula, "1", "0.00045"},
		{"a factor of 0", usage.Usage{Input: 100, Output: 10}, usage.Success, pricing.Formula, "0", "0"},
	} {
		factor, err := money.ParseFactor(row.factor)
		if err != nil {
			t.Fatal(err)
		}
		c := pricing.ChannelCost{ID: uuid.New(), Rates: rates, Factor: factor}
		got, err := c.Cost(row.used, row.outcome, row.formula)
		if err != nil || got.String() != row.want {
			t.Errorf("%s: got %s, %v, want %s", row.reason, got, err, row.want)
		}
		if receipt, err := c.Receipt(row.used, row.outcome, row.formula); err != nil || receipt.Total != got ||
			receipt.Multiplier != factor {
			t.Errorf("%s: the receipt has %+v, %v, want a total of %s", row.reason, receipt, err, got)
		}
	}
}

func TestChannelCostCheck_NamesTheField(t *testing.T) {
	valid := cost(1, 1, "m", day(1))
	for reason, row := range map[string]struct {
		change func(*pricing.ChannelCost)
		field  string // "": valid
	}{
		"a rate":      {func(*pricing.ChannelCost) {}, ""},
		"a rate of 0": {func(c *pricing.ChannelCost) { c.Rates.Input = usd("0") }, ""},
		"no rates":    {func(c *pricing.ChannelCost) { c.Rates = pricing.Rates{} }, "rates"},
		"a negative rate": {func(c *pricing.ChannelCost) {
			negative := money.Amount(-1)
			c.Rates.Output = &negative
		}, "rates.output"},
		"tiers in wrong order": {func(c *pricing.ChannelCost) {
			c.Rates.Tiers = []pricing.Tier{{AboveInput: 2}, {AboveInput: 1}}
		}, "rates.tiers[1].above_input"},
		"a negative factor":     {func(c *pricing.ChannelCost) { c.Factor = -1 }, "factor"},
		"a factor of 0 is free": {func(c *pricing.ChannelCost) { c.Factor = 0 }, ""},
	} {
		c := valid
		row.change(&c)
		err := c.Check()
		if (row.field == "") != (err == nil) || err != nil && problem.From(err).Param != row.field {
			t.Errorf("%s: got %v, want a problem at %q", reason, err, row.field)
		}
	}
}
