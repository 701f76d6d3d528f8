// Package reconcile detects bookkeeping errors. The same money is stored in several places: usage logs,
// hourly and daily rollups, their totals, accounts, leases and the ledger. A run compares the places
// pairwise, in these checks:
//
//	logs_hourly     usage logs          = hourly rollups + outbox      by hour
//	hourly_daily    hourly rollups      = daily rollups                by day
//	hourly_totals   hourly rollups      = hourly totals                by hour
//	daily_totals    daily rollups       = daily totals                 by day
//	account_used    daily rollups + outbox = accounts.used             by tenant
//	account_leased  leases              = accounts.leased              all
//	wallet_granted  ledger              = accounts.granted of wallets  all
//
// Each difference is stored as a Drift in reconcile_drifts until a later run finds that it is gone. The
// package repairs nothing: a drift means that a program has a bug or that somebody changed the database by
// hand, and an operator must decide.
//
// # No false alarms
//
// Each comparison is one statement on one snapshot of the database. Rows that are still in the outbox count
// as if they were drained. So traffic never looks like a drift, and a run takes no locks that traffic waits
// for. Hours whose usage logs were dropped by retention leave the check of logs.
//
// # Bounded work
//
// A run checks a bounded number of hours and tenants, and the next run continues. reconcile_hours has a row
// for each hour, which is open as long as it must be checked (see rollup.HourRow). reconcile_state has the
// last tenant that was checked and the time of the last complete run. Concurrent runs do the same work twice
// and store the same result.
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

// Store runs the checks and reads their results. It is safe for concurrent use unless it was made from a
// transaction.
type Store struct{ db *db.DB }

// New returns the Store over a database, or over a transaction on it.
func New(d *db.DB) *Store { return &Store{db: d} }

// atomically runs a function as db.DB.Atomically does, with a Store on the transaction.
func (s *Store) atomically(ctx context.Context, do func(*Store) error) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return do(New(tx)) })
}

// Check names a comparison of two places that must be equal. The first place gives Drift.Expected, the second
// Drift.Found.
type Check string

// The checks. The comments name the expected side first.
const (
	CheckLogs       Check = "logs_hourly"    // usage logs against hourly rollups and outbox, by hour
	CheckDays       Check = "hourly_daily"   // hourly against daily rollups, by day
	CheckHourTotals Check = "hourly_totals"  // hourly rollups against their totals, by hour
	CheckDayTotals  Check = "daily_totals"   // daily rollups against their totals, by day
	CheckUsed       Check = "account_used"   // daily rollups and outbox against used of accounts
	CheckLeased     Check = "account_leased" // leases against leased of accounts
	CheckGrants     Check = "wallet_granted" // ledger against granted of wallets
)

// Checks returns all checks.
func Checks() []Check {
	return []Check{CheckLogs, CheckDays, CheckHourTotals, CheckDayTotals, CheckUsed, CheckLeased, CheckGrants}
}

// Measure is the unit of a drift.
type Measure string

// The measures.
const (
	InQuota Measure = "quota" // nano-dollars
	// Expected and Found count all requests; outcomes that differ count in Difference alone
	InRequests Measure = "requests"
	InTokens   Measure = "tokens" // of all classes
)

// Drift is a difference between the two places of a check, for one tenant and hour or day, or for one
// account. Expected and Found are sums over those keys (user, token, model, channel) that differ. They may be
// equal, if one key has too much and another too little. Difference is the sum of the absolute differences of
// the keys and is never 0.
type Drift struct {
	Check     Check
	Start     time.Time // of the hour or day; zero for accounts
	TenantID  uuid.UUID // uuid.Nil for the platform's totals
	AccountID uuid.UUID // uuid.Nil for hours and days
	Measure   Measure
	Expected  int64
	Found     int64

	Difference int64
	// FirstSeen is when a run first found the drift, LastSeen when a run last found it.
	FirstSeen, LastSeen time.Time
}

// The bounds of one run.
const (
	openHoursPerRun   = 24
	closedHoursPerRun = 2
	tenantsPerRun     = 200
	tenantsAtOnce     = 10          // whose usage one statement compares with their accounts
	usedPerRun        = time.Second // after which a run compares no more tenants
	driftsPerCheck    = 1000
	// recheckAfter is the time after which a closed hour is checked again.
	recheckAfter = 24 * time.Hour
)

// Result describes one run.
type Result struct {
	Hours int     // hours whose logs were compared
	New   []Drift // drifts that were not stored before
}

// Run (system scope) runs every check once. It checks:
//
//   - the logs of up to 24 open hours, the present hour among them, and of up to 2 closed
//     hours that were last checked more than a day ago;
//   - the days of these hours, and the totals of both;
//   - the accounts of the next tenants: 200, or fewer if these took a second;
//   - the leases of all accounts and the grants of all wallets.
//
// It stores the drifts that it finds and deletes those that are gone. If a check fails, the others still run,
// and the error joins all failures. Concurrent runs are safe.
func (s *Store) Run(ctx context.Context, scope tenant.Scope) (_ Result, err error) {
	defer db.Wrap(&err, "run")

	if err := permission.Program(scope); err != nil {
		return Result{}, err
	}
	r := reconciling{store: s}
	// The hours come before the days and the totals, which check the spans of the hours that were compared.
	for _, step := range []func(context.Context) error{r.leased, r.granted, r.used, r.hours, r.days,
		r.hourTotals, r.dayTotals} {
		err = errors.Join(err, step(ctx))
	}
	if err == nil {
		err = r.finish(ctx)
	}
	return r.result, err
}

// reconciling is the state of one run.
type reconciling struct {
	store  *Store
	result Result
	starts []time.Time // of the hours that were compared
}

// reconcileState is the only row of the table reconcile_state.
type reconcileState struct {
	bun.BaseModel `bun:"table:reconcile_state,alias:r"`

	ID          int       `bun:"id,pk"`
	OpenedUntil time.Time `bun:"opened_until,nullzero"`          // every hour before this moment was opened
	LastTenant  uuid.UUID `bun:"last_tenant,type:uuid,nullzero"` // the tenant whose accounts were compared last
	FinishedAt  time.Time `bun:"finished_at,nullzero"`           // of the last run without an error
	Hours       int       `bun:"hours"`                          // compared by that run
}

// reconcileState reads the row of reconcile_state, which a migration inserted.
func (s *Store) reconcileState(ctx context.Context) (state reconcileState, err error) {
	err = s.db.NewSelect().Model(&state).Where("id = 1").Scan(ctx)
	return state, err
}

// finish records the end of a run in which no check failed. If all later runs fail, the age of this record
// shows it.
func (r *reconciling) finish(ctx context.Context) error {
	return r.store.setState(ctx, func(q *bun.UpdateQuery) *bun.UpdateQuery {
		return q.Set("finished_at = ?", r.store.db.Now()).Set("hours = ?", r.result.Hours)
	})
}

// setState updates the row of reconcile_state.
func (s *Store) setState(ctx context.Context, set func(*bun.UpdateQuery) *bun.UpdateQuery) error {
	return s.atomically(ctx, func(tx *Store) error {
		_, err := set(tx.db.NewUpdate().Model((*reconcileState)(nil))).Where("id = 1").Exec(ctx)
		return err
	})
}

// settle stores the drifts that a check found in a region and adds the new ones to the result.
func (r *reconciling) settle(ctx context.Context, region region, drifts []Drift) error {
	return r.store.atomically(ctx, func(tx *Store) error {
		newDrifts, err := tx.replaceDrifts(ctx, region, drifts)
		r.result.New = append(r.result.New, newDrifts...)
		return err
	})
}

// State is the result of all runs so far.
type State struct {
	CheckedAt time.Time // end of the last run without an error; zero before the first
	Hours     int       // compared by that run
	OpenHours int       // hours that are still to be checked, the present one included
	Drifts    []Drift   // the newest, at most as many as asked for
	ByCheck   map[Check]DriftSum
}

// DriftSum is the sum of the drifts of one check.
type DriftSum struct {
	Count  int
	Quota  money.Amount // sum of Difference over the drifts in quota
	Newest time.Time    // the latest FirstSeen
}

// State returns the drifts by check, and the limit newest drifts. A limit of 0 or less returns no drifts.
func (s *Store) State(ctx context.Context, scope tenant.Scope, limit int) (_ State, err error) {
	defer db.Wrap(&err, "read state")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return State{}, err
	}
	var result State
	err = s.db.Consistently(ctx, func(in *db.DB) error {
		at := New(in)
		state, err := at.reconcileState(ctx)
		if err != nil {
			return err
		}
		result.CheckedAt, result.Hours = state.FinishedAt.UTC(), state.Hours
		if result.OpenHours, err = at.openHours(ctx); err != nil {
			return err
		}
		if result.ByCheck, err = at.driftSums(ctx); err != nil {
			return err
		}
		result.Drifts, err = at.newestDrifts(ctx, limit)
		return err
	})
	return result, err
}
