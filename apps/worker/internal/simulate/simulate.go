// Package simulate computes what past calls would have cost under a proposed price or rule. It reads the
// usage logs of a range of time, newest first, and prices each call again with the same arithmetic that
// priced it (core/pricing): the recorded token counts, the price and rule versions of the call, and the
// proposed change in place of the version that it would have replaced. It writes nothing except the job's
// checkpoint and result.
//
// Its memory is bounded: one page of calls, all versions of prices and rules, and sums for at most 20,000
// tenants, groups and models each.
package simulate

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/worker/internal/jobs"
	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/snapshot"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
	"github.com/tollgate/tollgate/libs/store/metering"
	storepage "github.com/tollgate/tollgate/libs/store/page"
)

const (
	billPage  = 5000             // calls that are read at once
	saveEvery = 10 * time.Second // time between two checkpoints
)

// Store is the part of the store that a simulation reads.
type Store struct {
	UsageLogs
	Versions
	Tenants
}

// UsageLogs is the part of the store that reads calls and counts them.
type UsageLogs interface {
	Bills(ctx context.Context, scope tenant.Scope, q metering.BillQuery) ([]usage.Log, error)
	UsageSummary(ctx context.Context, scope tenant.Scope, query metering.SummaryQuery) ([]metering.SummaryRow, error)
}

// Versions is the part of the store that lists all versions of prices and rules, and the groups with their names.
type Versions interface {
	Snapshot(ctx context.Context, scope tenant.Scope) (*snapshot.Snapshot, error)
	Prices(ctx context.Context, scope tenant.Scope, model string,
		page storepage.Page) (storepage.List[pricing.Price], error)
	Rules(ctx context.Context, scope tenant.Scope, query catalogdb.RuleQuery,
		page storepage.Page) (storepage.List[pricing.Rule], error)
}

// Tenants is the part of the store that reads the names of tenants.
type Tenants interface {
	Tenant(ctx context.Context, scope tenant.Scope, id uuid.UUID) (tenant.Tenant, error)
}

// Simulator is the jobs.Work of price simulations. It is safe for concurrent use.
type Simulator struct {
	Store Store
	// Page is the number of calls that are read at once; 0: 5,000.
	Page int
	// SaveEvery is the time between two checkpoints; 0: 10 s.
	SaveEvery time.Duration
}

// state is the checkpoint of a simulation.
type state struct {
	Before uuid.UUID `json:"before"` // the oldest call that was read; the next page has older ones
	Total  int64     `json:"total"`  // calls of the range, 0 if unknown
	Read   int64     `json:"read"`   // calls that were read
	Sums   sums      `json:"sums"`
}

// progress returns the progress to show. Total is an estimate, so it is never less than Done.
func (s *state) progress() job.Progress {
	at := job.Progress{Done: s.Read, Total: s.Total}
	if at.Total > 0 {
		at.Total = max(at.Total, at.Done)
	}
	return at
}

// run is a simulation that is running.
type run struct {
	*Simulator
	task   *jobs.Claim
	query  metering.BillQuery
	change *change
	state
}

// Do prices every call of the range and finishes the job. It holds no transaction open between two pages.
func (s *Simulator) Do(ctx context.Context, t *jobs.Claim) error {
	r, err := s.open(ctx, t)
	if err != nil {
		return err
	}
	lastSave := time.Now()
	for {
		isLast, err := r.page(ctx)
		if err != nil {
			return err
		}
		if isLast {
			return r.finish(ctx)
		}
		if time.Since(lastSave) >= r.SaveEvery {
			if err := t.Save(ctx, jobdb.Step{Progress: r.progress()}, r.state); err != nil {
				return err
			}
			lastSave = time.Now()
		}
	}
}

// open decodes the job and reads the versions. A resumed job continues from its checkpoint.
func (s *Simulator) open(ctx context.Context, t *jobs.Claim) (*run, error) {
	settings := *s
	if settings.Page == 0 {
		settings.Page = billPage
	}
	if settings.SaveEvery == 0 {
		settings.SaveEvery = saveEvery
	}
	r := &run{Simulator: &settings, task: t, state: state{Sums: newSums()}}
	var p job.SimulationParameters
	if err := t.Read(&p, &r.state); err != nil {
		return nil, err
	}
	r.query = metering.BillQuery{From: p.From, To: p.To, Before: r.Before, Limit: settings.Page}
	r.change = changeOf(&p)
	// The total is only shown to users. Without it, or if it cannot be read, the job runs anyway.
	if t.Checkpoint == nil {
		rows, err := s.Store.UsageSummary(ctx, t.As(), metering.SummaryQuery{From: p.From, To: p.To})
		if err == nil && len(rows) == 1 {
			r.Total = rows[0].Requests
		}
	}
	return r, r.readVersions(ctx)
}

// page prices one page of calls and reports whether it was the last.
func (r *run) page(ctx context.Context) (isLast bool, err error) {
	bills, err := r.Store.Bills(ctx, r.task.As(), r.query)
	if err != nil {
		return false, err
	}
	for i := range bills {
		if !r.change.knows(&bills[i]) { // the version was created after the versions were read
			if err := r.readVersions(ctx); err != nil {
				return false, err
			}
			break
		}
	}
	for i := range bills {
		if err := r.change.add(&r.Sums, &bills[i]); err != nil {
			return false, err
		}
	}
	if len(bills) > 0 {
		r.Before = bills[len(bills)-1].ID
		r.query.Before = r.Before
	}
	r.Read += int64(len(bills))
	r.task.Show(r.progress())
	return len(bills) < r.Page, nil
}

// readVersions reads all versions of prices and rules.
func (r *run) readVersions(ctx context.Context) error {
	prices, err := storepage.All(func(page storepage.Page) (storepage.List[pricing.Price], error) {
		return r.Store.Prices(ctx, r.task.As(), "", page)
	})
	if err != nil {
		return err
	}
	rules, err := storepage.All(func(page storepage.Page) (storepage.List[pricing.Rule], error) {
		return r.Store.Rules(ctx, r.task.As(), catalogdb.RuleQuery{}, page)
	})
	r.change.setVersions(prices, rules)
	return err
}

// finish ends the job with the sums.
func (r *run) finish(ctx context.Context) error {
	result := r.Sums.result()
	if err := r.name(ctx, &result); err != nil {
		return err
	}
	at := job.Progress{Done: r.Read, Total: r.Read}
	return r.task.Finish(ctx, jobdb.End{Step: jobdb.Step{Progress: at}, Result: result})
}

// name sets the names of tenants and groups. One that was deleted is shown with its id.
func (r *run) name(ctx context.Context, result *job.SimulationResult) error {
	snapshot, err := r.Store.Snapshot(ctx, r.task.As())
	if err != nil {
		return err
	}
	for i := range result.Groups.Items {
		share := &result.Groups.Items[i]
		if group := snapshot.Group(uuid.MustParse(share.ID)); group != nil {
			share.Name = group.Name
		}
	}
	for i := range result.Tenants.Items {
		share := &result.Tenants.Items[i]
		if owner, err := r.Store.Tenant(ctx, r.task.As(), uuid.MustParse(share.ID)); err == nil {
			share.Name = owner.Name
		}
	}
	return nil
}
