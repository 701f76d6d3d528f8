// Package reconcile compares what is kept twice: usage logs with rollups, rollups
// with totals, accounts with the usage and the ledger that moved them, leases with
// accounts. It keeps every difference as a Drift until it is gone.
package reconcile

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// Store reads and writes comparisons.
type Store struct{ db *db.DB }

// New returns the Store over a database, or over a transaction on it.
func New(d *db.DB) *Store { return &Store{db: d} }

func (s *Store) atomically(ctx context.Context, do func(*Store) error) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return do(New(tx)) })
}

// The same money is written down in several places: usage logs, hourly and
// daily rollups, their totals, accounts, leases, the ledger. Reconciling
// compares them and mends nothing. Every comparison is one statement on one snapshot, in which
// what is not drained yet is counted from the outbox, so that traffic never
// looks like a drift. What a run does is bounded; what it leaves is the next
// one's.

// Check is a comparison of two places that must say the same.
type Check string

// The checks, each named after what is expected and what was found.
const (
	CheckLogs       Check = "logs_hourly"    // usage logs against hourly rollups and outbox, by hour
	CheckDays       Check = "hourly_daily"   // hourly against daily rollups, by day
	CheckHourTotals Check = "hourly_totals"  // hourly rollups against their totals, by hour
	CheckDayTotals  Check = "daily_totals"   // daily rollups against their totals, by day
	CheckUsed       Check = "account_used"   // daily rollups and outbox against used of accounts
	CheckLeased     Check = "account_leased" // leases against leased of accounts
	CheckGrants     Check = "wallet_granted" // ledger against granted of wallets
)

// Checks returns all of them.
func Checks() []Check {
	return []Check{CheckLogs, CheckDays, CheckHourTotals, CheckDayTotals, CheckUsed, CheckLeased, CheckGrants}
}

// Measure is what a drift counts.
type Measure string

// The measures.
const (
	InQuota    Measure = "quota"    // nano-dollars
	InRequests Measure = "requests" // all of them; a differing outcome is in Difference alone
	InTokens   Measure = "tokens"   // of all classes
)

// Drift is one place that says something else than another. Expected and
// Found are sums over the keys (user, token, model, channel) that differ, and
// may be equal where one key has what another lacks; Difference adds up each
// key's own and is never 0.
type Drift struct {
	Check     Check
	Start     time.Time // of the hour or day; zero for accounts
	TenantID  uuid.UUID // uuid.Nil for the platform's totals
	AccountID uuid.UUID // uuid.Nil for hours and days
	Measure   Measure
	Expected  int64
	Found     int64

	Difference          int64
	FirstSeen, LastSeen time.Time
}

const (
	openHoursPerRun   = 24
	closedHoursPerRun = 2
	tenantsPerRun     = 200
	driftsPerCheck    = 1000
	// recheckAfter is how long a closed hour is left in peace.
	recheckAfter = 24 * time.Hour
)

// Result tells what one run did.
type Result struct {
	Hours int     // compared
	New   []Drift // that were not there before
}

// Run (system scope) runs every check once: on up to 24 hours that
// usage arrived for since they were last checked, the present one among them,
// and up to 2 that were found right more than a day ago; on their days, and the
// totals of both; on the accounts of the next 200 tenants; on all leases and
// wallets. It writes down the drifts it sees and strikes out those that are gone. A check that fails
// does not keep the others from running. Several may run at once.
func (s *Store) Run(ctx context.Context, scope tenant.Scope) (_ Result, err error) {
	defer db.Wrap(&err, "run")

	if err := permission.Program(scope); err != nil {
		return Result{}, err
	}
	r := reconciling{store: s}

	for _, step := range []func(context.Context) error{r.leased, r.granted, r.used, r.hours, r.days, r.hourTotals, r.dayTotals} {
		err = errors.Join(err, step(ctx))
	}
	if err == nil {
		err = r.finish(ctx)
	}
	return r.done, err
}

// reconciling is one run.
type reconciling struct {
	store  *Store
	done   Result
	starts []time.Time // of the hours compared
}

type reconcileState struct {
	bun.BaseModel `bun:"table:reconcile_state,alias:r"`

	ID          int       `bun:"id,pk"`
	OpenedUntil time.Time `bun:"opened_until,nullzero"`          // every hour before it was opened once
	LastTenant  uuid.UUID `bun:"last_tenant,type:uuid,nullzero"` // whose accounts were compared last
	FinishedAt  time.Time `bun:"finished_at,nullzero"`
	Hours       int       `bun:"hours"` // compared by the last run
}

func (s *Store) reconcileState(ctx context.Context) (state reconcileState, err error) {
	err = s.db.NewSelect().Model(&state).Where("id = 1").Scan(ctx)
	return state, err
}

// finish notes a run of which no part failed: where none ends well, that shows
// by the age of the last.
func (r *reconciling) finish(ctx context.Context) error {
	return r.store.setState(ctx, func(q *bun.UpdateQuery) *bun.UpdateQuery {
		return q.Set("finished_at = ?", r.store.db.Now()).Set("hours = ?", r.done.Hours)
	})
}

func (s *Store) setState(ctx context.Context, set func(*bun.UpdateQuery) *bun.UpdateQuery) error {
	return s.atomically(ctx, func(tx *Store) error {
		_, err := set(tx.db.NewUpdate().Model((*reconcileState)(nil))).Where("id = 1").Exec(ctx)
		return err
	})
}

// settle writes down what a check found in its region.
func (r *reconciling) settle(ctx context.Context, region region, found []Drift) error {
	return r.store.atomically(ctx, func(tx *Store) error {
		fresh, err := tx.replaceDrifts(ctx, region, found)
		r.done.New = append(r.done.New, fresh...)
		return err
	})
}

// State is what the runs found.
type State struct {
	CheckedAt time.Time // end of the last whole run, zero before the first
	Hours     int       // compared by it
	OpenHours int       // that wait for their check, up to the present one
	Drifts    []Drift   // the newest, up to the limit
	ByCheck   map[Check]DriftSum
}

// DriftSum adds up the drifts of one check.
type DriftSum struct {
	Count int
	Quota money.Amount // sum of the Difference of those that count quota
}

// State returns the state of the comparisons, with at most limit
// drifts.
func (s *Store) State(ctx context.Context, scope tenant.Scope, limit int) (_ State, err error) {
	defer db.Wrap(&err, "read state")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return State{}, err
	}
	var found State
	err = s.db.Consistently(ctx, func(in *db.DB) error {
		at := New(in)
		state, err := at.reconcileState(ctx)
		if err != nil {
			return err
		}
		found.CheckedAt, found.Hours = state.FinishedAt.UTC(), state.Hours
		if found.OpenHours, err = at.openHours(ctx); err != nil {
			return err
		}
		if found.ByCheck, err = at.driftSums(ctx); err != nil {
			return err
		}
		found.Drifts, err = at.newestDrifts(ctx, limit)
		return err
	})
	return found, err
}
