// Package store keeps everything that outlives a process, in Postgres or SQLite
// through bun. Only the packages below this one know SQL:
//
//	store                                          opens the database, holds one Store of each package
//	identity signin token job relay metering reconcile
//	catalog quota person rollup audit response
//	db page                                        connection, transactions, change feed; lists by page
//	field                                          what rows of several tables share
//
//	identity   tenants, users, invitations         catalog    models, prices, groups, channels
//	signin     sessions, factors, passkeys         quota      accounts, caps, ledger, leases
//	token      API tokens, access keys             person     users and tenants for other packages
//	job        database jobs                       rollup     sums by hour and day
//	relay      relays that are alive               audit      the audit log
//	metering   usage logs, summaries, bills        response   stored conversations
//	reconcile  comparisons of what is kept twice
//
// A package imports packages of the rows below its own only. Its Store works on a db.DB, which
// is the database or a transaction, so that changes of several packages can
// share one transaction: see Store.Atomically.
//
// Every method of these Stores needs a tenant.Scope and enforces it; every
// change that people make writes the audit log in its own transaction, and what
// relays cache is announced in the change feed.
//
// Errors are *problem.Problem where the caller is at fault (NotFound,
// Conflict, Forbidden, InvalidType ...); all others are faults of the
// database. A thing out of the scope's reach is NotFound, exactly like one
// that does not exist. Times are UTC with microseconds.
package store

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/audit"
	"github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/job"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/reconcile"
	"github.com/tollgate/tollgate/libs/store/relay"
	"github.com/tollgate/tollgate/libs/store/response"
	"github.com/tollgate/tollgate/libs/store/rollup"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/token"
)

// Store holds the Store of each package, all on the same database or
// transaction. It is safe for concurrent use.
type Store struct {
	Audit     *audit.Store
	Catalog   *catalog.Store
	Identity  *identity.Store
	Job       *job.Store
	Metering  *metering.Store
	Quota     *quota.Store
	Reconcile *reconcile.Store
	Relay     *relay.Store
	Response  *response.Store
	Rollup    *rollup.Store
	Signin    *signin.Store
	Token     *token.Store

	db *db.DB
}

// Open connects, without migrating.
func Open(ctx context.Context, o db.Options) (*Store, error) {
	d, err := db.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return on(d), nil
}

// on returns the Store on a database, or on a transaction.
func on(d *db.DB) *Store {
	return &Store{
		Audit: audit.New(d), Catalog: catalog.New(d), Identity: identity.New(d), Job: job.New(d), Metering: metering.New(d),
		Quota: quota.New(d), Reconcile: reconcile.New(d), Relay: relay.New(d), Response: response.New(d),
		Rollup: rollup.New(d), Signin: signin.New(d), Token: token.New(d), db: d,
	}
}

// Close releases all connections. It may be called twice.
func (s *Store) Close() error { return s.db.Close() }

// Ping reports whether the database answers and its schema is the one this
// program was built for, or a later one.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// Connections returns the state of the pool. It sends no statement.
func (s *Store) Connections() db.Connections { return s.db.Connections() }

// Migrate brings the schema up to date, see db.DB.Migrate, and makes the
// partitions of usage logs that are needed soon.
func (s *Store) Migrate(ctx context.Context) error {
	return s.db.Migrate(ctx, func(ctx context.Context) error { return metering.MakePartitions(ctx, s.db) })
}

// Changes returns up to limit changes after version, see db.DB.Changes.
func (s *Store) Changes(ctx context.Context, scope tenant.Scope, version int64, limit int) (changes []db.Change, lost bool, err error) {
	if err := permission.Program(scope); err != nil {
		return nil, false, err
	}
	return s.db.Changes(ctx, version, limit)
}

// Listen calls wake soon after each committed change, see db.DB.Listen.
func (s *Store) Listen(ctx context.Context, scope tenant.Scope, wake func()) error {
	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.db.Listen(ctx, wake)
}

// Atomically runs do in one transaction: all of it is kept, or nothing. The
// Store handed to do must not outlive it, and on SQLite do must write through
// no other Store. It nests: an inner one that fails undoes its own part alone.
func (s *Store) Atomically(ctx context.Context, do func(*Store) error) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return do(on(tx)) })
}

// Sweep (system scope) deletes what expired, in every package.
func (s *Store) Sweep(ctx context.Context, scope tenant.Scope) error {
	if err := permission.Program(scope); err != nil {
		return err
	}
	err := s.db.Atomically(ctx, func(tx *db.DB) error {
		for _, sweep := range []func(context.Context, *db.DB) error{
			identity.Sweep, signin.Sweep, token.Sweep, db.SweepChanges, quota.Sweep, catalog.Sweep,
		} {
			if err := sweep(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	// These delete in batches, each in a transaction of its own.
	if err := response.Sweep(ctx, s.db); err != nil {
		return err
	}
	return job.Sweep(ctx, s.db)
}
