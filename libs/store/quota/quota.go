// Package quota stores how much may be spent: the accounts of tenants, users and tokens, their caps per day,
// week and month, the ledger of each tenant's wallet, and the leases by which relays spend. The rules are
// pure functions in libs/core/quota (how large a lease is, what a charge takes from it). This package reads
// the rows, applies a rule and writes the result, all in one transaction.
//
// # Tables
//
//	ledger    immutable grants, adjustments and transfers of a tenant
//	caps      the limit of a tenant, user or token per day, week or month
//	accounts  granted, used and leased of a wallet, of a user's or token's lifetime cap,
//	          or of one window (one day, week or month) of a cap
//	leases    what one relay may still spend of one account
//
//	ledger --AddEntry, TransferQuota--> accounts.granted of a wallet
//	caps   --SetCaps, OpenWindow------> accounts.granted of a window
//	accounts.leased --GrantLease--> leases.amount --RecordEvents of package metering--> accounts.used
//
// At the end of every transaction leased of an account is the sum of its leases, and granted of a wallet is
// the sum of its ledger entries. Package reconcile checks both.
//
// The account of a window is a row of its own, with an id that is computed from owner, period and start.
// Therefore no job resets counters at midnight: OpenWindow inserts the row when a relay first asks for a
// lease in the window, and Sweep deletes it 400 days after the window began.
//
// # Repeated calls
//
// GrantLease is idempotent by the stamp of the last operation: a duplicate or late request changes nothing
// and gets a stale response. AddEntry and TransferQuota are idempotent by an optional key. The other methods
// set a state and may be repeated.
//
// # Order of locks
//
// The lock on an account guards its leases. A transaction that changes several accounts locks all of them
// first, in the order of their ids, so that no two transactions can deadlock: LockSides locks accounts with
// the leases of one relay, lockWallets locks wallets. No transaction locks an account after a lease. No
// transaction locks rows of other packages after accounts, except the change feed, which every transaction
// writes last, and the session or access key of the caller, which bounds what it may grant.
//
// # Callers
//
// The methods of Store check the scope. The exported functions that take a db.DB are for other packages of
// the store: they run in the caller's transaction and check no scope.
package quota

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// Store reads and writes accounts, caps, the ledger and leases. It is safe for concurrent use unless it was
// made from a transaction.
type Store struct{ db *db.DB }

// New returns the Store over a database, or over a transaction on it.
func New(d *db.DB) *Store { return &Store{db: d} }

// atomically runs a function as db.DB.Atomically does, with a Store on the transaction.
func (s *Store) atomically(ctx context.Context, do func(*Store) error) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return do(New(tx)) })
}

// readAs runs a function as db.DB.ReadAs does, with a Store under the row-level security of the scope.
func (s *Store) readAs(ctx context.Context, scope tenant.Scope, do func(*Store) error) error {
	return s.db.ReadAs(ctx, scope, func(in *db.DB) error { return do(New(in)) })
}

// Sweep deletes empty leases that were not renewed for a day, and the accounts of windows that began more
// than 400 days ago.
func Sweep(ctx context.Context, tx *db.DB) error {
	if err := sweepLeases(ctx, tx); err != nil {
		return err
	}
	return sweepWindows(ctx, tx)
}
