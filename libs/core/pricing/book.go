package pricing

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
)

// Book holds the versions of all prices and rules. It is immutable and safe
// for concurrent use.
type Book struct {
	prices map[string][]Price // newest first
	rules  map[ruleKey][]Rule // newest first
}

type ruleKey struct {
	group uuid.UUID
	model string
}

// NewBook returns a book of the given versions, in any order. Those that were
// withdrawn are left out: they never hold. Of versions
// with the same moment the one with the greater ID (made later) holds.
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

func newest(a, b time.Time, idA, idB uuid.UUID) int {
	return cmp.Or(b.Compare(a), slices.Compare(idB[:], idA[:]))
}

// Terms returns what the group pays for the model at now; false where the
// model has no price yet.
func (b *Book) Terms(model string, group uuid.UUID, now time.Time) (Terms, bool) {
	for _, p := range b.prices[model] {
		if !p.EffectiveFrom.After(now) {
			return Terms{Price: p, Rule: b.Rule(model, group, now)}, true
		}
	}
	return Terms{}, false
}

// Rule returns the rule that holds for the group's calls of the model at now,
// or for "" the group's rule for all models. It has no ID and multiplies by
// One where there is none.
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

// Free returns the terms of a free model that has no price.
func Free(group uuid.UUID) Terms {
	return Terms{Rule: Rule{GroupID: group, Multiplier: money.One}}
}
