package pricing

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
)

// Book holds the versions of all prices and rules and finds the ones that are in effect at a given time. It is
// immutable and safe for concurrent use.
type Book struct {
	prices map[string][]Price // by model, the newest first
	rules  map[ruleKey][]Rule // the newest first
}

// ruleKey is the key of a group's rules: those for one model, or with an empty model those for all models.
type ruleKey struct {
	group uuid.UUID
	model string
}

// NewBook returns a book of the given versions, which may be in any order. It leaves out withdrawn versions, which
// never take effect. If two versions start at the same time, the one with the greater ID (created later) wins.
func NewBook(prices []Price, rules []Rule) *Book {
	b := &Book{prices: map[string][]Price{}, rules: map[ruleKey][]Rule{}}
	for _, p := range prices {
		if p.WithdrawnAt.IsZero() {
			b.prices[p.Model] = append(b.prices[p.Model], p)
		}
	}
	for _, r := range rules {
		key := ruleKey{r.GroupID, r.Model}
		if r.WithdrawnAt.IsZero() {
			b.rules[key] = append(b.rules[key], r)
		}
	}
	for _, versions := range b.prices {
		slices.SortFunc(versions, func(p, q Price) int { return newest(p.EffectiveFrom, q.EffectiveFrom, p.ID, q.ID) })
	}
	for _, versions := range b.rules {
		slices.SortFunc(versions, func(p, q Rule) int { return newest(p.EffectiveFrom, q.EffectiveFrom, p.ID, q.ID) })
	}
	return b
}

// newest compares versions for a sort that puts the newest first. Ids are UUIDv7, so a greater id was created later.
func newest(a, b time.Time, idA, idB uuid.UUID) int {
	return cmp.Or(b.Compare(a), slices.Compare(idB[:], idA[:]))
}

// Terms returns the versions of price and rule that are in effect for the group's calls of the model at now. It
// returns the terms of a free model and false if the model has no price at that time.
func (b *Book) Terms(model string, group uuid.UUID, now time.Time) (Terms, bool) {
	for i := range b.prices[model] {
		if p := &b.prices[model][i]; !p.EffectiveFrom.After(now) {
			return Terms{Price: p, Rule: b.Rule(model, group, now)}, true
		}
	}
	return Free(group), false
}

// Rule returns the rule that is in effect for the group's calls of the model at now: the group's rule for the
// model, else its rule for all models, else a rule without ID and with multiplier One. For the model "" it
// returns the group's rule for all models.
func (b *Book) Rule(model string, group uuid.UUID, now time.Time) Rule {
	for _, key := range [2]ruleKey{{group, model}, {group, ""}} {
		for _, r := range b.rules[key] {
			if !r.EffectiveFrom.After(now) {
				return r
			}
		}
	}
	return Rule{GroupID: group, Multiplier: money.One}
}

// free is the price of a free model without a price.
var free Price

// Free returns the terms of a free model without a price: every call costs nothing.
func Free(group uuid.UUID) Terms {
	return Terms{Price: &free, Rule: Rule{GroupID: group, Multiplier: money.One}}
}
