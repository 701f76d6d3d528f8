package pricing

import "time"

// VersionState is the state of a version of a price or rule at some moment.
type VersionState string

// The states. A version that was withdrawn before it held never holds.
const (
	Scheduled VersionState = "scheduled"
	Current   VersionState = "current"
	Past      VersionState = "past"
	Withdrawn VersionState = "withdrawn"
)

// PriceState returns the state at now of a version whose model's prices are
// all in the book.
func (b *Book) PriceState(p *Price, now time.Time) VersionState {
	terms, _ := b.Terms(p.Model, [16]byte{}, now)
	return state(p.WithdrawnAt, p.EffectiveFrom, now, terms.Price.ID == p.ID)
}

// RuleState is PriceState of a rule. A rule for all models is current even
// where others outrank it for theirs.
func (b *Book) RuleState(r *Rule, now time.Time) VersionState {
	return state(r.WithdrawnAt, r.EffectiveFrom, now, b.Rule(r.Model, r.GroupID, now).ID == r.ID)
}

func state(withdrawn, from, now time.Time, holds bool) VersionState {
	switch {
	case !withdrawn.IsZero():
		return Withdrawn
	case from.After(now):
		return Scheduled
	case holds:
		return Current
	}
	return Past
}
