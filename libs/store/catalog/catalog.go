// Package catalog stores what the platform offers and through which upstreams: groups, models, prices, price
// rules, and channels with their credentials and health. Snapshot reads all of it for a relay.
//
//	group --- patterns of model ids ---> model <--- map of model ids --- channel
//	  |                                    |                               |
//	  price rules: what the group pays     prices: what the model costs    credentials, settings, health
//
// Everything here belongs to the platform: operators and programs change it. Users of tenants read a Snapshot
// that leaves out the groups of other tenants and the secrets of channels. Each change announces CatalogChanged,
// and every relay then loads a new Snapshot; its Version is the version of the change feed that it reflects.
//
// Prices and price rules are versions with a time from which they hold. A version is never changed: a new one
// supersedes it, and one that does not hold yet can be withdrawn. A usage log keeps the ids of the versions
// that priced it, so that the bill can be recomputed later.
//
//	version 1   created |--- future ---| current ------------------------| superseded
//	version 2                  created |------------- future ------------| current -------
//	                                    may be withdrawn, except in its last minute
//
// The state of upstreams is in two tables, whose changes the audit log leaves out: channel_health has the latest
// report of each relay, and channel_probes the latest measurement of the worker. Both expire. A credential that
// an upstream refuses gets a row in disabled_credentials, which makes every relay stop using it until an operator
// enables it or replaces the key.
//
// Credentials are sealed (package seal) before they get here. A fingerprint, a keyed hash, names a credential
// in tables and logs.
//
// The exported functions that take a db.DB are for other packages of the store. They run in the caller's
// transaction and check no scope.
package catalog

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// Store reads and writes the catalog.
type Store struct {
	db        *db.DB
	snapshots *sharedReads // nil on a transaction, which has a state of its own
}

// New returns the Store on a database, or on a transaction.
func New(d *db.DB) *Store {
	if d.InTransaction() {
		return &Store{db: d}
	}
	return &Store{db: d, snapshots: newSharedReads()}
}

// atomically runs a function as db.DB.Atomically does, with a Store on the transaction.
func (s *Store) atomically(ctx context.Context, do func(*Store) error) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return do(New(tx)) })
}

// readAs runs a function as db.DB.ReadAs does, with a Store on the transaction.
func (s *Store) readAs(ctx context.Context, scope tenant.Scope, do func(*Store) error) error {
	return s.db.ReadAs(ctx, scope, func(in *db.DB) error { return do(New(in)) })
}
