package pricing_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
)

func TestVersionState_DependsOnTimeAndOtherVersions(t *testing.T) {
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	group := uuid.Max
	price := func(n byte, days int, withdrawn time.Time) pricing.Price {
		return pricing.Price{ID: uuid.UUID{n}, Model: "m", EffectiveFrom: at.AddDate(0, 0, days),
			WithdrawnAt: withdrawn}
	}
	prices := []pricing.Price{price(1, -2, time.Time{}), price(2, 0, time.Time{}), price(3, 2, time.Time{}),
		price(4, 1, at), price(5, -1, at.AddDate(0, 0, -2))}
	rules := []pricing.Rule{
		{ID: uuid.UUID{6}, GroupID: group, EffectiveFrom: at, Multiplier: money.One},
		{ID: uuid.UUID{7}, GroupID: group, Model: "m", EffectiveFrom: at},
		{ID: uuid.UUID{8}, GroupID: group, Model: "m", EffectiveFrom: at, WithdrawnAt: at},
		{ID: uuid.UUID{9}, GroupID: group, EffectiveFrom: at.Add(-1)},
		{ID: uuid.UUID{10}, GroupID: group, EffectiveFrom: at.Add(1)},
	}
	book := pricing.NewBook(prices, rules)
	for i, want := range []pricing.VersionState{pricing.Past, pricing.Current, pricing.Scheduled, pricing.Withdrawn,
		pricing.Withdrawn} {
		if got := book.PriceState(&prices[i], at); got != want {
			t.Errorf("price %d is %s, want %s", i, got, want)
		}
	}
	for i, want := range []pricing.VersionState{pricing.Current, pricing.Current, pricing.Withdrawn, pricing.Past,
		pricing.Scheduled} {
		if got := book.RuleState(&rules[i], at); got != want {
			t.Errorf("rule %d is %s, want %s", i, got, want)
		}
	}
	if terms, _ := book.Terms("m", group, at.AddDate(0, 0, 1)); terms.Price.ID != prices[1].ID ||
		terms.Rule.ID != rules[1].ID {
		t.Errorf("Terms a day later = %+v, want price 1 and rule 1", terms)
	}
}
