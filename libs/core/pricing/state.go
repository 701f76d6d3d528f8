package pricing

import "time"

// State is what has become of a version.
type State string

// The states. A version that was withdrawn before it held never holds.
const (
	Scheduled State = "scheduled"
	Current   State = "current"
	Past      State = "past"
	Withdrawn State = "withdrawn"
)

// PriceState returns the state at now of a version whose model's prices are
// all in the book.
func (b *Book) PriceState(p *Price, now time.Time) State {
	terms, _ := b.Terms(p.Model, [16]byte{}, now)
	return state(p.WithdrawnAt, p.EffectiveFrom, now, terms.Price.ID == p.ID)
}

// RuleState is PriceState of a rule. A rule for all models is current even
// where others outrank it for theirs.
func (b *Book) RuleState(r *Rule, now time.Time) State {
	return state(r.WithdrawnAt, r.EffectiveFrom, now, b.Rule(r.Model, r.GroupID, now).ID == r.ID)
}

func state(withdrawn, from, now time.Time, holds bool) State {
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
