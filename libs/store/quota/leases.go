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

// The lock on an account guards its leases: whoever changes a lease changes or
// locks the account first, and several accounts in the order of their ids.
// accounts.leased is the sum of the account's leases at the end of every
// transaction. What is done to them is decided by package quota.

// leasesKept is how long a lease of nothing is kept for its stamp. A relay that
// comes back to it later learns from a stale answer that it is gone.
const leasesKept = 24 * time.Hour

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

// GrantLease carries out a relay's message on its lease of an account. It may
// come twice or late: then the answer is stale. The account of a window is
// made when it is asked for first.
func (s *Store) GrantLease(ctx context.Context, scope tenant.Scope, relayID uuid.UUID, account quota.AccountRef, ask quota.LeaseRequest) (answer quota.LeaseResponse, err error) {
	defer db.Wrap(&err, "read ask lease")

	if err := permission.Program(scope); err != nil {
		return answer, err
	}
	answer, err = s.askLease(ctx, relayID, account.ID, ask)
	if account.Period == quota.Lifetime || !problem.Is(err, problem.NotFound) {
		return answer, err
	}
	if err := s.atomically(ctx, func(tx *Store) error { return OpenWindow(ctx, tx.db, account) }); err != nil {
		return answer, err
	}
	return s.askLease(ctx, relayID, account.ID, ask)
}

func (s *Store) askLease(ctx context.Context, relayID, accountID uuid.UUID, ask quota.LeaseRequest) (answer quota.LeaseResponse, err error) {
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
		return tx.keepLease(ctx, leaseRow{
			RelayID: relayID, AccountID: accountID, Amount: lease.Amount, Spent: lease.Spent, Stamp: lease.Stamp, RenewedAt: tx.db.Now(),
		})
	})
	return answer, err
}

// lease locks the account and reads the relay's lease of it.
func (s *Store) lease(ctx context.Context, relayID, accountID uuid.UUID) (account AccountRow, lease quota.Lease, err error) {
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

func (s *Store) keepLease(ctx context.Context, row leaseRow) error {
	_, err := s.db.NewInsert().Model(&row).On("CONFLICT (relay_id, account_id) DO UPDATE").
		Set("amount = EXCLUDED.amount, stamp = EXCLUDED.stamp, renewed_at = EXCLUDED.renewed_at").Exec(ctx)
	return err
}

// RelayLeases returns the leases of a relay that hold anything, by account.
func (s *Store) RelayLeases(ctx context.Context, scope tenant.Scope, relayID uuid.UUID) (_ map[uuid.UUID]quota.Lease, err error) {
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

// ReleaseLeases gives back all that the relay still holds, at its start (with
// its spool recorded) and at its end.
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

// EndLeases reclaims the relay's leases and returns how much they held.
func EndLeases(ctx context.Context, tx *db.DB, relayID uuid.UUID) (held money.Amount, err error) {
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
		held += lease.Amount
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
	_, err = tx.NewDelete().Model((*leaseRow)(nil)).Where("relay_id = ?", relayID).Exec(ctx)
	return held, err
}

// LockSides locks those of the accounts that exist, in the order that
// everybody keeps, and reads the leases that the relay has on them.
func LockSides(ctx context.Context, tx *db.DB, relayID uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]*quota.Account, map[uuid.UUID]*quota.Lease, error) {
	ids = distinctIDs(ids)
	var rows []AccountRow
	if err := tx.Lock(tx.NewSelect().Model(&rows).Where("id IN (?)", bun.List(ids)).OrderExpr("id")).Scan(ctx); err != nil {
		return nil, nil, err
	}
	var held []leaseRow
	if err := tx.NewSelect().Model(&held).Where("relay_id = ?", relayID).Where("account_id IN (?)", bun.List(ids)).Scan(ctx); err != nil {
		return nil, nil, err
	}
	accounts, leases := make(map[uuid.UUID]*quota.Account, len(rows)), make(map[uuid.UUID]*quota.Lease, len(held))
	for _, row := range rows {
		account := row.core()
		accounts[row.ID] = &account
	}
	for _, row := range held {
		lease := row.core()
		leases[row.AccountID] = &lease
	}
	return accounts, leases, nil
}

func distinctIDs(ids []uuid.UUID) []uuid.UUID {
	ids = slices.Clone(ids)
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(ids)
}

// SpendLeases takes what was spent from leases that exist.
func SpendLeases(ctx context.Context, tx *db.DB, relayID uuid.UUID, moves []Move) error {
	_, err := tx.NewRaw(`
		WITH v (id, used, leased) AS (?)
		UPDATE leases SET amount = amount - v.leased, spent = spent + v.leased
		FROM v WHERE relay_id = ? AND account_id = v.id`, tx.NewValues(&moves), relayID).Exec(ctx)
	return err
}

// RecallQuota asks all relays to give back what they do not need of an
// account, of which one of them is short.
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

// Move is what is added to an account's used and taken from its leased.
type Move struct {
	ID     uuid.UUID    `bun:"id,type:uuid"`
	Used   money.Amount `bun:"used,type:bigint"`
	Leased money.Amount `bun:"leased,type:bigint"`
}

// MoveAccounts moves the counters of accounts. Those that do not exist are
// passed over.
func MoveAccounts(ctx context.Context, tx *db.DB, moves []Move) error {
	_, err := tx.NewRaw(`
		WITH v (id, used, leased) AS (?)
		UPDATE accounts SET used = accounts.used + v.used, leased = accounts.leased - v.leased
		FROM v WHERE accounts.id = v.id`, tx.NewValues(&moves)).Exec(ctx)
	return err
}

// sweepLeases deletes leases of nothing that were not used for a day.
func sweepLeases(ctx context.Context, tx *db.DB) error {
	_, err := tx.NewDelete().Model((*leaseRow)(nil)).Where("amount = 0").
		Where("renewed_at < ?", tx.Now().Add(-leasesKept)).Exec(ctx)
	return err
}
