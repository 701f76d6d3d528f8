package pricing_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/usage"
)

var (
	gold   = uuid.MustParse("01900000-0000-7000-8000-0000000000aa")
	silver = uuid.MustParse("01900000-0000-7000-8000-0000000000bb")
)

func day(n int) time.Time { return time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC) }

func id(n byte) (id uuid.UUID) {
	id[15] = n
	return id
}

func price(n byte, model string, from time.Time) pricing.Price {
	return pricing.Price{ID: id(n), Model: model, EffectiveFrom: from,
		Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("1")}}}
}

func rule(n byte, group uuid.UUID, model string, from time.Time) pricing.Rule {
	return pricing.Rule{ID: id(n), GroupID: group, Model: model, EffectiveFrom: from, Multiplier: money.One}
}

func TestBookTerms_ReturnsTheVersionInEffect(t *testing.T) {
	book := pricing.NewBook(
		[]pricing.Price{
			price(2, "m", day(10)), // not in the order of time
			price(1, "m", day(1)),
			price(3, "m", day(20)),
			price(5, "twice", day(1)),
			price(6, "twice", day(1)),
			price(7, "later", day(20)),
		},
		[]pricing.Rule{
			rule(11, gold, "", day(5)),
			rule(12, gold, "", day(15)),
			rule(13, gold, "m", day(12)),
			rule(14, silver, "other", day(1)),
		})
	for _, row := range []struct {
		reason string
		model  string
		group  uuid.UUID
		at     time.Time
		price  byte // 0: no terms
		rule   byte // 0: no rule
	}{
		{"before the first version there is no price", "m", silver, day(1).Add(-1), 0, 0},
		{"a version is in effect from its start time", "m", silver, day(1), 1, 0},
		{"just before the next version", "m", silver, day(10).Add(-1), 1, 0},
		{"at the start time of the next version", "m", silver, day(10), 2, 0},
		{"the last version stays in effect", "m", silver, day(31), 3, 0},
		{"times are compared across time zones", "m", silver, day(10).In(time.FixedZone("west", -8*3600)), 2, 0},
		{"of two versions with equal start the newer one wins", "twice", silver, day(1), 6, 0},
		{"a scheduled price is not in effect yet", "later", gold, day(10), 0, 0},
		{"an unknown model has no price", "unknown", gold, day(31), 0, 0},
		{"a group's rule is in effect from its start time", "m", gold, day(5), 1, 11},
		{"just before the start time of the rule", "m", gold, day(5).Add(-1), 1, 0},
		{"a rule for the model takes precedence, newer or not", "m", gold, day(16), 2, 13},
		{"a rule for the model before its start time", "m", gold, day(11), 2, 11},
		{"a rule for one model does not apply to another", "twice", gold, day(16), 6, 12},
		{"a rule for one group does not apply to another", "m", silver, day(31), 3, 0},
		{"the nil group has no rule", "m", uuid.Nil, day(31), 3, 0},
	} {
		got, ok := book.Terms(row.model, row.group, row.at)
		if ok != (row.price != 0) || got.Price.ID != id(row.price) || got.Rule.ID != id(row.rule) {
			t.Errorf("%s: price %v, rule %v, %v; want %d, %d", row.reason, got.Price.ID, got.Rule.ID, ok,
				row.price, row.rule)
		}
		if ok && row.rule == 0 && got.Rule.Multiplier != money.One {
			t.Errorf("%s: without a rule the multiplier is %v", row.reason, got.Rule.Multiplier)
		}
	}
}

func TestNewBook_CopiesTheVersions(t *testing.T) {
	prices := []pricing.Price{price(1, "m", day(1)), price(2, "m", day(2))}
	book := pricing.NewBook(prices, nil)
	prices[0], prices[1] = pricing.Price{}, pricing.Price{}
	if got, ok := book.Terms("m", gold, day(3)); !ok || got.Price.ID != id(2) {
		t.Errorf("Terms = %v, %v after the caller's slice changed", got.Price.ID, ok)
	}
}

func TestBookRule_ReturnsTheRuleInEffect(t *testing.T) {
	book := pricing.NewBook(nil, []pricing.Rule{rule(1, gold, "", day(5)), rule(2, gold, "m", day(1))})
	for _, row := range []struct {
		reason string
		model  string
		at     time.Time
		want   byte // 0: no rule, with a multiplier of 1
	}{
		{"the rule for all models, without a price", "", day(5), 1},
		{"the rule for all models before its start time", "", day(4), 0},
		{"a rule for one model is not the rule for all", "", day(1), 0},
		{"the rule for the model takes precedence", "m", day(5), 2},
		{"a model without its own rule", "other", day(5), 1},
	} {
		got := book.Rule(row.model, gold, row.at)
		if got.ID != id(row.want) || got.Multiplier != money.One {
			t.Errorf("%s: rule %v x %v, want %d", row.reason, got.ID, got.Multiplier, row.want)
		}
	}
}

func TestFree_ChargesNothing(t *testing.T) {
	terms := pricing.Free(gold)
	cost, err := terms.Cost(usage.Usage{Input: 1 << 40, CachedInput: 7, Output: 1 << 40, AudioOutput: 3})
	bound, boundErr := terms.Bound(pricing.MaxUsage{Input: 1 << 62, Output: 1 << 62})
	if err != nil || boundErr != nil || cost != 0 || bound != 0 {
		t.Errorf("free terms cost %v, at most %v (%v, %v)", cost, bound, err, boundErr)
	}
	if terms.Price.ID != uuid.Nil || terms.Rule.GroupID != gold {
		t.Errorf("free terms name a price: %+v", terms)
	}
}
