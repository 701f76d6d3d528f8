package simulate

import (
	"cmp"
	"slices"

	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// maxKeys bounds the tenants, groups or models that have a sum of their own. Calls of further ones are summed
// in the rest, so that memory and checkpoints stay bounded.
const maxKeys = 20_000

// sum counts calls and sums their costs.
type sum struct {
	Calls  int64        `json:"c"`
	Before money.Amount `json:"b"` // as the calls were priced
	After  money.Amount `json:"a"` // under the change
}

// add adds o. It returns an InvalidType problem, and changes nothing, if a sum would exceed money.Max.
func (s *sum) add(o sum) error {
	if o.Before > money.Max-s.Before || o.After > money.Max-s.After {
		return problem.New(problem.InvalidType, "The calls would have cost more than can be counted: %s USD.",
			money.Max).At("price")
	}
	s.Calls, s.Before, s.After = s.Calls+o.Calls, s.Before+o.Before, s.After+o.After
	return nil
}

// totals returns the sum as results show it.
func (s *sum) totals() job.Totals {
	return job.Totals{Calls: s.Calls, Before: s.Before, After: s.After, Difference: s.After - s.Before}
}

// sums are all sums of a simulation. They are part of its checkpoint.
type sums struct {
	All      sum    `json:"all"`
	Affected int64  `json:"affected"` // calls that the change concerns
	Unpriced int64  `json:"unpriced"` // calls that could not be priced
	Tenants  ledger `json:"tenants"`
	Groups   ledger `json:"groups"`
	Models   ledger `json:"models"`
}

// newSums returns sums of nothing.
func newSums() sums {
	return sums{Tenants: newLedger(), Groups: newLedger(), Models: newLedger()}
}

// add adds one call. after is the cost of the call under the simulated change. add fails if the sum of all
// calls is too large.
func (s *sums) add(l *usage.Log, after money.Amount) error {
	call := sum{Calls: 1, Before: l.Cost, After: after}
	// If this succeeds, the sums below cannot overflow either, because none of them exceeds All.
	if err := s.All.add(call); err != nil {
		return err
	}
	s.Tenants.add(l.TenantID.String(), call)
	s.Groups.add(l.GroupID.String(), call)
	s.Models.add(l.Model, call)
	return nil
}

// result returns the sums as the result of the job.
func (s *sums) result() job.SimulationResult {
	return job.SimulationResult{
		Totals: s.All.totals(), Affected: s.Affected, Unpriced: s.Unpriced,
		Tenants: s.Tenants.breakdown(), Groups: s.Groups.breakdown(), Models: s.Models.breakdown(),
	}
}

// ledger has a sum for each of up to 20,000 keys (ids of tenants or groups, or names of models).
type ledger struct {
	Of   map[string]*sum `json:"of"`
	Rest sum             `json:"rest"` // of all further keys
}

func newLedger() ledger { return ledger{Of: map[string]*sum{}} }

// add adds a call to the sum of its key. It cannot overflow, because the sum of all calls did not overflow.
func (l *ledger) add(key string, call sum) {
	entry, ok := l.Of[key]
	switch {
	case ok:
	case len(l.Of) < maxKeys:
		entry = &sum{}
		l.Of[key] = entry
	default:
		entry = &l.Rest
	}
	_ = entry.add(call)
}

// breakdown returns the job.MaxShares keys with the largest absolute difference, the largest first, and the
// sum of the others as the rest.
func (l *ledger) breakdown() job.Breakdown {
	shares := make([]job.Share, 0, len(l.Of))
	for key, entry := range l.Of {
		shares = append(shares, job.Share{ID: key, Name: key, Totals: entry.totals()})
	}
	slices.SortFunc(shares, func(a, b job.Share) int {
		return cmp.Or(cmp.Compare(size(b.Difference), size(a.Difference)), cmp.Compare(b.Before, a.Before),
			cmp.Compare(a.ID, b.ID))
	})
	remainder := l.Rest
	for _, share := range shares[min(job.MaxShares, len(shares)):] {
		_ = remainder.add(sum{share.Calls, share.Before, share.After}) // cannot overflow, see add
	}
	return job.Breakdown{Items: shares[:min(job.MaxShares, len(shares))], Rest: remainder.totals()}
}

// size returns the absolute value.
func size(a money.Amount) money.Amount { return max(a, -a) }
