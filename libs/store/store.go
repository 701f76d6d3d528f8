// Package store keeps the data that must survive a restart, in Postgres or SQLite through bun. Only the
// packages below this one contain SQL:
//
//	store                                          opens the database, holds one Store of each package
//	erase                                          deletes the personal data of a user or a tenant
//	identity signin token job relay metering reconcile invoice alert
//	catalog quota person rollup audit response idempotency export
//	db page                                        connection, transactions, change feed; lists by page
//	field                                          helpers for columns that several tables have
//
//	identity   tenants, users, invitations         catalog    models, prices, groups, channels
//	signin     sessions, factors, passkeys         quota      accounts, caps, ledger, leases
//	token      API tokens, access keys             person     users and tenants for other packages
//	job        database jobs                       rollup     sums by hour and day
//	relay      relays that are alive               audit      the audit log
//	metering   usage logs, summaries, bills        response   stored conversations
//	reconcile  comparisons of redundant figures    invoice    what providers say that they charged
//	idempotency  keys and answers of calls that are charged once
//	alert      rules of alerts, their destinations, alerts and deliveries
//	export     usage logs that wait to be written to a bucket
//	client     from where and with which programs tokens were used
//
// A package imports only packages of the rows below its own. Each package has a type Store that works on a
// db.DB. A db.DB is the database or a transaction on it, so that changes of several packages can share one
// transaction: see Store.Atomically.
//
// Every method of these Stores takes a tenant.Scope, which names the caller, and enforces it. A method that
// changes something takes these steps:
//
//	check the permission      permission.Check or permission.Program
//	open a transaction        db.DB.WriteAs, or db.DB.Atomically if only programs and operators may call the method
//	lock the rows             db.DB.Lock; a row that the scope does not reach is reported as missing
//	change the rows           and write an entry of the audit log, with db.DB.Record, if a person made the change
//	announce the change       db.DB.Announce, for data that relays cache
//	commit                    the change, its audit entry and its announcement are stored together or not at all
//
// "(system scope)" in the comment of a method means that only the programs of the platform may call it (relay,
// console, worker; see tenant.SystemScope). Everybody else gets a Forbidden problem.
//
// Errors are a *problem.Problem if the caller is at fault (NotFound, Conflict, Forbidden, InvalidType ...). All
// other errors are faults of the database, wrapped with the operation; db.Transient tells which of them are
// worth a retry. For an object that the scope does not reach they return the same NotFound problem as for an
// object that does not exist. Times are UTC and have a precision of microseconds.
package store

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/alert"
	"github.com/tollgate/tollgate/libs/store/audit"
	"github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/client"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/erase"
	"github.com/tollgate/tollgate/libs/store/export"
	"github.com/tollgate/tollgate/libs/store/idempotency"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/invoice"
	"github.com/tollgate/tollgate/libs/store/job"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/reconcile"
	"github.com/tollgate/tollgate/libs/store/refusal"
	"github.com/tollgate/tollgate/libs/store/relay"
	"github.com/tollgate/tollgate/libs/store/response"
	"github.com/tollgate/tollgate/libs/store/rollup"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/statement"
	"github.com/tollgate/tollgate/libs/store/token"
)

// Store holds the Store of each package, all on the same database or the same transaction. A Store of Open is
// safe for concurrent use; the Store that Atomically passes to its function is not.
type Store struct {
	Alert       *alert.Store
	Audit       *audit.Store
	Catalog     *catalog.Store
	Client      *client.Store
	Erase       *erase.Store
	Export      *export.Store
	Idempotency *idempotency.Store
	Identity    *identity.Store
	Invoice     *invoice.Store
	Job         *job.Store
	Metering    *metering.Store
	Quota       *quota.Store
	Reconcile   *reconcile.Store
	Refusal     *refusal.Store
	Relay       *relay.Store
	Response    *response.Store
	Rollup      *rollup.Store
	Signin      *signin.Store
	Statement   *statement.Store
	Token       *token.Store

	db *db.DB
}

// Open connects to the database. It does not migrate: call Migrate, or Ping to learn whether the schema is
// recent enough. The caller closes the Store.
func Open(ctx context.Context, o db.Options) (*Store, error) {
	d, err := db.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return on(d), nil
}

// on returns the Store on a database or on a transaction.
func on(d *db.DB) *Store {
	return &Store{
		Alert: alert.New(d), Audit: audit.New(d), Catalog: catalog.New(d), Client: client.New(d),
		Erase:  erase.New(d, alert.Erase),
		Export: export.New(d), Idempotency: idempotency.New(d), Identity: identity.New(d), Invoice: invoice.New(d),
		Job: job.New(d), Metering: metering.New(d), Quota: quota.New(d), Reconcile: reconcile.New(d),
		Refusal: refusal.New(d), Relay: relay.New(d), Response: response.New(d), Rollup: rollup.New(d),
		Signin: signin.New(d), Statement: statement.New(d), Token: token.New(d), db: d,
	}
}

// Close releases all connections. It may be called twice; the second call returns the result of the first.
func (s *Store) Close() error { return s.db.Close() }

// Ping returns nil if the database answers and has every migration that this program knows. A schema that is
// newer than the program is fine.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// Connections returns the state of the connection pool. It sends no statement.
func (s *Store) Connections() db.Connections { return s.db.Connections() }

// Migrate brings the schema up to date (see db.DB.Migrate) and creates the partitions of usage logs that are
// needed soon. It may run while other processes use the database.
func (s *Store) Migrate(ctx context.Context) error {
	return s.db.Migrate(ctx, func(ctx context.Context) error { return metering.MakePartitions(ctx, s.db) })
}

// Changes (system scope) returns up to limit entries of the change feed after the one that the caller knows. If lost
// is true, entries are missing and the caller must reload everything that it cached. See db.DB.Changes.
func (s *Store) Changes(ctx context.Context, scope tenant.Scope, after db.Change,
	limit int) (changes []db.Change, next db.Change, lost bool, err error) {
	if err := permission.Program(scope); err != nil {
		return nil, after, false, err
	}
	return s.db.Changes(ctx, after, limit)
}

// Listen (system scope) calls wake soon after each committed change until ctx ends. It is best effort: callers
// poll Changes as well. See db.DB.Listen.
func (s *Store) Listen(ctx context.Context, scope tenant.Scope, wake func()) error {
	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.db.Listen(ctx, wake)
}

// Atomically runs do in one transaction: all its changes are stored, or none. The Store that do receives is
// valid until do returns, and on SQLite do must write through no other Store, because it would wait for itself.
// Calls nest: if an inner do fails, only its own changes are undone, and the outer one may continue.
func (s *Store) Atomically(ctx context.Context, do func(*Store) error) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return do(on(tx)) })
}

// ReadAs runs do, which must only read what the scope may read. All its reads see one state of the database, and share
// one transaction, which saves two round trips for each of them. The Store that do receives is valid until do returns.
// See db.DB.ReadAs.
func (s *Store) ReadAs(ctx context.Context, scope tenant.Scope, do func(*Store) error) error {
	return s.db.ReadAs(ctx, scope, func(in *db.DB) error { return do(on(in)) })
}

// Sweep (system scope) deletes expired rows of every package, such as sessions, invitations, old changes and
// stored responses. A worker calls it regularly. Nothing depends on it but the size of the tables: reads skip
// expired rows.
func (s *Store) Sweep(ctx context.Context, scope tenant.Scope) error {
	if err := permission.Program(scope); err != nil {
		return err
	}
	// One transaction for all of these would hold locks of many tables, in another order than the programs take them.
	for _, sweep := range []func(context.Context, *db.DB) error{
		identity.Sweep, signin.Sweep, token.Sweep, db.SweepChanges, quota.Sweep, catalog.Sweep, audit.Sweep,
	} {
		if err := s.db.Atomically(ctx, func(tx *db.DB) error { return sweep(ctx, tx) }); err != nil {
			return err
		}
	}
	// These delete in batches, each in a transaction of its own.
	for _, sweep := range []func(context.Context, *db.DB) error{
		response.Sweep, idempotency.Sweep, alert.Sweep, refusal.Sweep, client.Sweep, job.Sweep,
	} {
		if err := sweep(ctx, s.db); err != nil {
			return err
		}
	}
	return nil
}
