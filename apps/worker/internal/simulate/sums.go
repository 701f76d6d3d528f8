package simulate

import (
	"cmp"
	"slices"

	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// maxKeys bounds what is told apart while calls are added up: those of further
// tenants, groups or models are in the rest.
const maxKeys = 20_000

// sum counts calls and what they cost, before and after.
type sum struct {
	Calls  int64        `json:"c"`
	Before money.Amount `json:"b"`
	After  money.Amount `json:"a"`
}

// add fails where a sum is more than an amount can be.
func (s *sum) add(o sum) error {
	if o.Before > money.Max-s.Before || o.After > money.Max-s.After {
		return problem.New(problem.InvalidType, "The calls would have cost more than can be counted: %s USD.", money.Max).At("price")
	}
	s.Calls, s.Before, s.After = s.Calls+o.Calls, s.Before+o.Before, s.After+o.After
	return nil
}

func (s *sum) totals() job.Totals {
	return job.Totals{Calls: s.Calls, Before: s.Before, After: s.After, Difference: s.After - s.Before}
}

// sums are all sums of a simulation. As a document they are its checkpoint.
type sums struct {
	All      sum    `json:"all"`
	Affected int64  `json:"affected"`
	Unpriced int64  `json:"unpriced"`
	Tenants  ledger `json:"tenants"`
	Groups   ledger `json:"groups"`
	Models   ledger `json:"models"`
}

func newSums() sums {
	return sums{Tenants: newLedger(), Groups: newLedger(), Models: newLedger()}
}

// add counts one call that would have cost after.
func (s *sums) add(l *usage.Log, after money.Amount) error {
	call := sum{Calls: 1, Before: l.Cost, After: after}
	if err := s.All.add(call); err != nil { // no part is more than all
		return err
	}
	s.Tenants.add(l.TenantID.String(), call)
	s.Groups.add(l.GroupID.String(), call)
	s.Models.add(l.Model, call)
	return nil
}

func (s *sums) result() job.SimulationResult {
	return job.SimulationResult{
		Totals: s.All.totals(), Affected: s.Affected, Unpriced: s.Unpriced,
		Tenants: s.Tenants.breakdown(), Groups: s.Groups.breakdown(), Models: s.Models.breakdown(),
	}
}

// ledger has a sum for each key.
type ledger struct {
	Of   map[string]*sum `json:"of"`
	Rest sum             `json:"rest"`
}

func newLedger() ledger { return ledger{Of: map[string]*sum{}} }

// add cannot fail where the sum of all calls did not.
func (l *ledger) add(key string, call sum) {
	of, known := l.Of[key]
	switch {
	case known:
	case len(l.Of) < maxKeys:
		of = &sum{}
		l.Of[key] = of
	default:
		of = &l.Rest
	}
	_ = of.add(call)
}

// breakdown orders the keys by their differences, however they are signed.
func (l *ledger) breakdown() job.Breakdown {
	shares := make([]job.Share, 0, len(l.Of))
	for key, of := range l.Of {
		shares = append(shares, job.Share{ID: key, Name: key, Totals: of.totals()})
	}
	slices.SortFunc(shares, func(a, b job.Share) int {
		return cmp.Or(cmp.Compare(size(b.Difference), size(a.Difference)), cmp.Compare(b.Before, a.Before), cmp.Compare(a.ID, b.ID))
	})
	rest := l.Rest
	for _, share := range shares[min(job.MaxShares, len(shares)):] {
		_ = rest.add(sum{share.Calls, share.Before, share.After}) // no more than the sum of all
	}
	return job.Breakdown{Items: shares[:min(job.MaxShares, len(shares))], Rest: rest.totals()}
}

func size(a money.Amount) money.Amount { return max(a, -a) }
