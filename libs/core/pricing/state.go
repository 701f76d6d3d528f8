package pricing

import "time"

// VersionState is the state of a version of a price or rule at a given time.
type VersionState string

// The states.
const (
	Scheduled VersionState = "scheduled" // takes effect later
	Current   VersionState = "current"   // in effect
	Past      VersionState = "past"      // a newer version is in effect
	Withdrawn VersionState = "withdrawn" // withdrawn before it took effect; it never takes effect
)

// PriceState returns the state of a price version at now. The book must hold all versions of the model's price.
func (b *Book) PriceState(p *Price, now time.Time) VersionState {
	terms, _ := b.Terms(p.Model, [16]byte{}, now)
	return state(p.WithdrawnAt, p.EffectiveFrom, now, terms.Price.ID == p.ID)
}

// RuleState returns the state of a rule version at now. The book must hold all versions of the group's rules. A
// rule for all models counts as current even if rules for single models take precedence over it.
func (b *Book) RuleState(r *Rule, now time.Time) VersionState {
	return state(r.WithdrawnAt, r.EffectiveFrom, now, b.Rule(r.Model, r.GroupID, now).ID == r.ID)
}

// state returns the state of a version. isCurrent tells whether the book returns this version for now.
func state(withdrawnAt, effectiveFrom, now time.Time, isCurrent bool) VersionState {
	switch {
	case !withdrawnAt.IsZero():
		return Withdrawn
	case effectiveFrom.After(now):
		return Scheduled
	case isCurrent:
		return Current
	}
	return Past
}
