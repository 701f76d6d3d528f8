// Package quota keeps what may be spent: the accounts of tenants, users and
// tokens, their caps per day, week and month, the ledger of a tenant's wallet, and
// the leases by which relays spend. The rules themselves are in libs/core/quota.
//
// # Order of locks
//
// The lock on an account guards its leases. A transaction that changes several
// accounts locks all of them first, in the order of their ids: LockSides does so
// for accounts with the leases of one relay, lockWallets for wallets. Nobody locks
// an account after a lease, and nobody locks rows of other packages after
// accounts, except the change feed, which every transaction writes last.
//
// The exported functions that take a db.DB are for other packages of the store.
// They run in the caller's transaction and check no scope.
package quota

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// Store reads and writes accounts and leases.
type Store struct{ db *db.DB }

// New returns the Store over a database, or over a transaction on it.
func New(d *db.DB) *Store { return &Store{db: d} }

func (s *Store) atomically(ctx context.Context, do func(*Store) error) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return do(New(tx)) })
}

func (s *Store) readAs(ctx context.Context, scope tenant.Scope, do func(*Store) error) error {
	return s.db.ReadAs(ctx, scope, func(in *db.DB) error { return do(New(in)) })
}

// Sweep deletes leases of nothing that were not used for a day, and accounts of
// windows older than 400 days.
func Sweep(ctx context.Context, tx *db.DB) error {
	if err := sweepLeases(ctx, tx); err != nil {
		return err
	}
	return sweepWindows(ctx, tx)
}
