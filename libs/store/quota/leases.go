package quota

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

// leaseRetention is the time for which an empty lease is kept for its stamp, counted from the last request. A relay
// that uses it later gets a stale response and begins a new lease.
const leaseRetention = 24 * time.Hour

// leaseRow is a row of the table leases. Its account's lock guards it.
type leaseRow struct {
	bun.BaseModel `bun:"table:leases,alias:r"`

	RelayID   uuid.UUID         `bun:"relay_id,pk,type:uuid"`
	AccountID uuid.UUID         `bun:"account_id,pk,type:uuid"`
	Amount    money.Amount      `bun:"amount"`
	Spent     money.Amount      `bun:"spent"`
	Stamp     quota.OperationID `bun:"stamp"`
	RenewedAt time.Time         `bun:"renewed_at"`
}

func (r leaseRow) core() quota.Lease {
	return quota.Lease{Amount: r.Amount, Spent: r.Spent, Stamp: r.Stamp}
}

// GrantLease (system scope) applies a relay's request to its lease of an account and returns the new state of
// the lease. A duplicate or late request changes nothing: its response is stale. The first request for a
// window inserts the account of the window. It returns a NotFound problem if the account does not exist, or
// if the owner never had a cap for the period.
func (s *Store) GrantLease(ctx context.Context, scope tenant.Scope, relayID uuid.UUID, account quota.AccountRef,
	ask quota.LeaseRequest) (answer quota.LeaseResponse, err error) {
	defer db.Wrap(&err, "grant lease")

	if err := permission.Program(scope); err != nil {
		return answer, err
	}
	// Most windows exist already, so the first attempt does without the insert and its lock on the cap.
	answer, err = s.grantLease(ctx, relayID, account.ID, ask)
	if account.Period == quota.Lifetime || !problem.Is(err, problem.NotFound) {
		return answer, err
	}
	if err := s.atomically(ctx, func(tx *Store) error { return OpenWindow(ctx, tx.db, account) }); err != nil {
		return answer, err
	}
	return s.grantLease(ctx, relayID, account.ID, ask)
}

// grantLease does the work of GrantLease for an account that exists.
func (s *Store) grantLease(ctx context.Context, relayID, accountID uuid.UUID,
	ask quota.LeaseRequest) (answer quota.LeaseResponse, err error) {
	err = s.atomically(ctx, func(tx *Store) error {
		row, lease, err := tx.lease(ctx, relayID, accountID)
		if err != nil {
			return err
		}
		account, before := row.core(), lease
		answer = account.GrantLease(&lease, ask)
		if answer.Stale {
			return nil
		}
		if err := MoveAccounts(ctx, tx.db, []Move{{ID: accountID, Leased: before.Amount - lease.Amount}}); err != nil {
			return err
		}
		return tx.saveLease(ctx, leaseRow{
			RelayID: relayID, AccountID: accountID, Amount: lease.Amount, Spent: lease.Spent, Stamp: lease.Stamp,
			RenewedAt: tx.db.Now(),
		})
	})
	return answer, err
}

// lease locks the account and reads the relay's lease of it. The lease is zero if the relay has none.
func (s *Store) lease(ctx context.Context,
	relayID, accountID uuid.UUID) (account AccountRow, lease quota.Lease, err error) {
	err = s.db.Lock(s.db.NewSelect().Model(&account).Where("id = ?", accountID)).Scan(ctx)
	if err != nil {
		return account, lease, db.Missing(err, "account")
	}
	var row leaseRow
	err = s.db.NewSelect().Model(&row).Where("relay_id = ?", relayID).Where("account_id = ?", accountID).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return account, lease, nil
	}
	return account, row.core(), err
}

// saveLease inserts or updates a lease. It leaves spent alone: SpendLeases alone changes it.
func (s *Store) saveLease(ctx context.Context, row leaseRow) error {
	_, err := s.db.NewInsert().Model(&row).On("CONFLICT (relay_id, account_id) DO UPDATE").
		Set("amount = EXCLUDED.amount, stamp = EXCLUDED.stamp, renewed_at = EXCLUDED.renewed_at").Exec(ctx)
	return err
}

// RelayLeases (system scope) returns the leases of a relay that are not empty, by account.
func (s *Store) RelayLeases(ctx context.Context, scope tenant.Scope,
	relayID uuid.UUID) (_ map[uuid.UUID]quota.Lease, err error) {
	defer db.Wrap(&err, "read relay leases")

	if err := permission.Program(scope); err != nil {
		return nil, err
	}
	var rows []leaseRow
	if err := s.db.NewSelect().Model(&rows).Where("relay_id = ?", relayID).Where("amount > 0").Scan(ctx); err != nil {
		return nil, err
	}
	leases := make(map[uuid.UUID]quota.Lease, len(rows))
	for _, row := range rows {
		leases[row.AccountID] = row.core()
	}
	return leases, nil
}

// ReleaseLeases (system scope) ends all leases of a relay and returns their amounts to the accounts. A relay
// calls it when it starts, after its spool is recorded, and when it stops. Whatever the relay spent and did
// not record before the call becomes available to others.
func (s *Store) ReleaseLeases(ctx context.Context, scope tenant.Scope, relayID uuid.UUID) (err error) {
	defer db.Wrap(&err, "release leases")

	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		_, err := EndLeases(ctx, tx.db, relayID)
		return err
	})
}

// EndLeases deletes the leases of a relay, returns their amounts to the accounts, and reports the sum of the
// amounts. It runs in the caller's transaction, which holds no lock on an account.
func EndLeases(ctx context.Context, tx *db.DB, relayID uuid.UUID) (amount money.Amount, err error) {
	var ids []uuid.UUID
	err = tx.NewSelect().Model((*leaseRow)(nil)).Column("account_id").Where("relay_id = ?", relayID).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	accounts, leases, err := LockSides(ctx, tx, relayID, ids)
	if err != nil {
		return 0, err
	}
	var moves []Move
	for id, lease := range leases {
		amount += lease.Amount
		if account := accounts[id]; account != nil {
			moves = append(moves, Move{ID: id, Leased: lease.Amount})
			account.Reclaim(lease)
		}
	}
	for part := range slices.Chunk(moves, field.BatchSize) {
		if err := MoveAccounts(ctx, tx, part); err != nil {
			return 0, err
		}
	}
	// Only the leases on the locked accounts: the relay may be alive again, and have leased from another account since
	// they were listed. That account still counts the lease.
	for part := range slices.Chunk(ids, field.BatchSize) {
		if _, err := tx.NewDelete().Model((*leaseRow)(nil)).Where("relay_id = ?", relayID).
			Where("account_id IN (?)", bun.List(part)).Exec(ctx); err != nil {
			return 0, err
		}
	}
	return amount, nil
}

// LockSides locks the accounts in the order of their ids and reads the leases that the relay has on them,
// both by the account's id. Accounts that do not exist are left out, and so are leases that the relay does
// not have. The caller holds no lock on an account yet.
func LockSides(ctx context.Context, tx *db.DB, relayID uuid.UUID,
	ids []uuid.UUID) (map[uuid.UUID]*quota.Account, map[uuid.UUID]*quota.Lease, error) {
	ids = distinctIDs(ids)
	var accountRows []AccountRow
	if err := tx.Lock(tx.NewSelect().Model(&accountRows).Where("id IN (?)", bun.List(ids)).OrderExpr("id")).
		Scan(ctx); err != nil {
		return nil, nil, err
	}
	var leaseRows []leaseRow
	if err := tx.NewSelect().Model(&leaseRows).Where("relay_id = ?", relayID).Where("account_id IN (?)", bun.List(ids)).
		Scan(ctx); err != nil {
		return nil, nil, err
	}
	accounts, leases := make(map[uuid.UUID]*quota.Account, len(accountRows)),
		make(map[uuid.UUID]*quota.Lease, len(leaseRows))
	for _, row := range accountRows {
		account := row.core()
		accounts[row.ID] = &account
	}
	for _, row := range leaseRows {
		lease := row.core()
		leases[row.AccountID] = &lease
	}
	return accounts, leases, nil
}

// distinctIDs returns the ids in order, each once. It does not change its argument.
func distinctIDs(ids []uuid.UUID) []uuid.UUID {
	ids = slices.Clone(ids)
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(ids)
}

// SpendLeases moves Leased of each move from amount to spent of the relay's lease on the account. It skips
// leases that do not exist. The caller has locked the accounts.
func SpendLeases(ctx context.Context, tx *db.DB, relayID uuid.UUID, moves []Move) error {
	_, err := tx.NewRaw(`
		WITH v (id, used, leased) AS (?)
		UPDATE leases SET amount = amount - v.leased, spent = spent + v.leased
		FROM v WHERE relay_id = ? AND account_id = v.id`, tx.NewValues(&moves), relayID).Exec(ctx)
	return err
}

// RecallQuota (system scope) asks all relays, through the change feed, to return the quota of an account that
// they do not need. A relay calls it when it cannot lease enough while others hold quota.
func (s *Store) RecallQuota(ctx context.Context, scope tenant.Scope, accountID uuid.UUID) (err error) {
	defer db.Wrap(&err, "recall quota")

	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		tx.db.Announce(db.QuotaRecalled, accountID)
		return nil
	})
}

// Move is a change of an account's counters.
type Move struct {
	ID     uuid.UUID    `bun:"id,type:uuid"`
	Used   money.Amount `bun:"used,type:bigint"`   // added to used
	Leased money.Amount `bun:"leased,type:bigint"` // subtracted from leased; negative if the leased amount grows
}

// MoveAccounts adds Used to used of each account and subtracts Leased from leased. It skips accounts that do
// not exist. The caller has locked the accounts; each appears once in moves.
func MoveAccounts(ctx context.Context, tx *db.DB, moves []Move) error {
	_, err := tx.NewRaw(`
		WITH v (id, used, leased) AS (?)
		UPDATE accounts SET used = accounts.used + v.used, leased = accounts.leased - v.leased
		FROM v WHERE accounts.id = v.id`, tx.NewValues(&moves)).Exec(ctx)
	return err
}

// sweepLeases deletes empty leases that were not renewed for leaseRetention.
func sweepLeases(ctx context.Context, tx *db.DB) error {
	_, err := tx.NewDelete().Model((*leaseRow)(nil)).Where("amount = 0").
		Where("renewed_at < ?", tx.Now().Add(-leaseRetention)).Exec(ctx)
	return err
}
