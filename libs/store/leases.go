package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// The lock on an account guards its leases: whoever changes a lease changes or
// locks the account first, and several accounts in the order of their ids.
// accounts.leased is the sum of the account's leases at the end of every
// transaction.

// Leased is the answer to LeaseQuota.
type Leased struct {
	Slice     money.Amount // what the relay may now spend; 0 where even the need is not there
	Available money.Amount // granted - used - leased, after the slice was taken
	Elsewhere money.Amount // leased to other relays
}

type leaseRow struct {
	bun.BaseModel `bun:"table:leases,alias:r"`

	RelayID   uuid.UUID    `bun:"relay_id,pk,type:uuid"`
	AccountID uuid.UUID    `bun:"account_id,pk,type:uuid"`
	Amount    money.Amount `bun:"amount"`
	RenewedAt time.Time    `bun:"renewed_at"`
}

var errNegative = errors.New("a leased amount must not be negative")

// LeaseQuota moves a quota.Slice of the account into the relay's lease, in
// one conditional statement that can never lease more than is there. An
// unlimited account has nothing to lease: all figures are 0 but Elsewhere.
func (s *Store) LeaseQuota(ctx context.Context, scope tenant.Scope, relayID, accountID uuid.UUID, need money.Amount) (Leased, error) {
	if err := run(scope); err != nil {
		return Leased{}, err
	}
	if need < 0 {
		return Leased{}, errNegative
	}
	leased, err := s.takeSlice(ctx, relayID, accountID, need)
	if err != nil || leased.Slice > 0 {
		return leased, err
	}
	return s.leaseable(ctx, relayID, accountID)
}

func (s *Store) takeSlice(ctx context.Context, relayID, accountID uuid.UUID, need money.Amount) (leased Leased, err error) {
	err = s.Atomically(ctx, func(tx *Store) error {
		if tx.postgres() {
			leased, err = tx.takeSlicePostgres(ctx, relayID, accountID, need)
		} else {
			leased, err = tx.takeSliceSQLite(ctx, relayID, accountID, need)
		}
		return err
	})
	return leased, err
}

// takeSlicePostgres is quota.Slice in SQL. The inner query waits for the lock
// and sees what the holder before left; the update can only follow it.
func (s *Store) takeSlicePostgres(ctx context.Context, relayID, accountID uuid.UUID, need money.Amount) (Leased, error) {
	var rows []Leased
	err := s.db.NewRaw(`
		WITH enough AS (
			SELECT id, GREATEST(?0, (granted - used - leased) / 4) AS slice
			FROM accounts
			WHERE id = ?1 AND granted - used - leased >= GREATEST(?0, 1)
			FOR UPDATE
		), taken AS (
			UPDATE accounts AS a SET leased = a.leased + enough.slice
			FROM enough
			WHERE a.id = enough.id
			RETURNING a.id, enough.slice, a.granted - a.used - a.leased AS available, a.leased
		), lease AS (
			INSERT INTO leases AS l (relay_id, account_id, amount, renewed_at)
			SELECT ?2, id, slice, ?3 FROM taken
			ON CONFLICT (relay_id, account_id)
			DO UPDATE SET amount = l.amount + EXCLUDED.amount, renewed_at = EXCLUDED.renewed_at
			RETURNING l.amount
		)
		SELECT taken.slice, taken.available, taken.leased - lease.amount AS elsewhere FROM taken, lease`,
		need, accountID, relayID, s.now()).Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return Leased{}, err
	}
	return rows[0], nil
}

// takeSliceSQLite has the database to itself between reading and writing.
func (s *Store) takeSliceSQLite(ctx context.Context, relayID, accountID uuid.UUID, need money.Amount) (Leased, error) {
	account, err := s.account(ctx, accountID)
	if err != nil || account.Granted == nil {
		return Leased{}, err
	}
	available := *account.Granted - account.Used - account.Leased
	slice := quota.Slice(available, need)
	if slice == 0 {
		return Leased{}, nil
	}
	_, err = s.db.NewUpdate().Model((*accountRow)(nil)).Set("leased = leased + ?", slice).Where("id = ?", accountID).Exec(ctx)
	if err != nil {
		return Leased{}, err
	}
	lease := leaseRow{RelayID: relayID, AccountID: accountID, Amount: slice, RenewedAt: s.now()}
	_, err = s.db.NewInsert().Model(&lease).On("CONFLICT (relay_id, account_id) DO UPDATE").
		Set("amount = r.amount + EXCLUDED.amount, renewed_at = EXCLUDED.renewed_at").Returning("amount").Exec(ctx)
	if err != nil {
		return Leased{}, err
	}
	return Leased{Slice: slice, Available: available - slice, Elsewhere: account.Leased + slice - lease.Amount}, nil
}

// leaseable tells what stands in the way of a slice.
func (s *Store) leaseable(ctx context.Context, relayID, accountID uuid.UUID) (Leased, error) {
	account, err := s.account(ctx, accountID)
	if err != nil {
		return Leased{}, err
	}
	var own []money.Amount
	err = s.db.NewSelect().Model((*leaseRow)(nil)).Column("amount").
		Where("relay_id = ?", relayID).Where("account_id = ?", accountID).Scan(ctx, &own)
	if err != nil {
		return Leased{}, err
	}
	found := Leased{Elsewhere: account.Leased}
	if len(own) > 0 {
		found.Elsewhere -= own[0]
	}
	if account.Granted != nil {
		found.Available = *account.Granted - account.Used - account.Leased
	}
	return found, nil
}

// ReturnQuota gives back an unspent part of a lease. Of more than the lease
// still has, as after a reclaim, only that is given back.
func (s *Store) ReturnQuota(ctx context.Context, scope tenant.Scope, relayID, accountID uuid.UUID, amount money.Amount) error {
	if err := run(scope); err != nil {
		return err
	}
	if amount < 0 {
		return errNegative
	}
	return s.Atomically(ctx, func(tx *Store) error {
		if err := tx.lockAccounts(ctx, []uuid.UUID{accountID}); err != nil {
			return err
		}
		return tx.shrinkLeases(ctx, relayID, map[uuid.UUID]money.Amount{accountID: amount})
	})
}

// ReleaseLeases gives back all that the relay still holds, at its start (with
// its spool recorded) and at its end.
func (s *Store) ReleaseLeases(ctx context.Context, scope tenant.Scope, relayID uuid.UUID) error {
	if err := run(scope); err != nil {
		return err
	}
	return s.Atomically(ctx, func(tx *Store) error {
		var held []leaseRow
		if err := tx.db.NewSelect().Model(&held).Where("relay_id = ?", relayID).Scan(ctx); err != nil || len(held) == 0 {
			return err
		}
		ids, all := make([]uuid.UUID, len(held)), make(map[uuid.UUID]money.Amount, len(held))
		for i, lease := range held {
			ids[i], all[lease.AccountID] = lease.AccountID, money.Max
		}
		if err := tx.lockAccounts(ctx, ids); err != nil {
			return err
		}
		if err := tx.shrinkLeases(ctx, relayID, all); err != nil {
			return err
		}
		_, err := tx.db.NewDelete().Model((*leaseRow)(nil)).Where("relay_id = ?", relayID).Where("amount = 0").Exec(ctx)
		return err
	})
}

// lockAccounts takes the locks in the order that everybody keeps.
func (s *Store) lockAccounts(ctx context.Context, ids []uuid.UUID) error {
	var locked []uuid.UUID
	q := s.db.NewSelect().Model((*accountRow)(nil)).Column("id").Where("id IN (?)", bun.List(ids)).OrderExpr("id")
	return s.lock(q).Scan(ctx, &locked)
}

// shrinkLeases takes up to the given amounts from the relay's leases and from
// the accounts, which are locked, and leaves no lease below 0.
func (s *Store) shrinkLeases(ctx context.Context, relayID uuid.UUID, by map[uuid.UUID]money.Amount) error {
	ids := make([]uuid.UUID, 0, len(by))
	for id := range by {
		ids = append(ids, id)
	}
	var held []leaseRow
	if err := s.db.NewSelect().Model(&held).Where("relay_id = ?", relayID).Where("account_id IN (?)", bun.List(ids)).Scan(ctx); err != nil {
		return err
	}
	var moves []accountMove
	for _, lease := range held {
		if amount := min(by[lease.AccountID], lease.Amount); amount > 0 {
			moves = append(moves, accountMove{ID: lease.AccountID, Leased: amount})
		}
	}
	if len(moves) == 0 {
		return nil
	}
	_, err := s.db.NewRaw(`
		WITH v (id, used, leased) AS (?)
		UPDATE leases SET amount = amount - v.leased FROM v WHERE relay_id = ? AND account_id = v.id`,
		s.db.NewValues(&moves), relayID).Exec(ctx)
	if err != nil {
		return err
	}
	return s.moveAccounts(ctx, moves)
}

// accountMove is what is added to an account's used and taken from its leased.
type accountMove struct {
	ID     uuid.UUID    `bun:"id,type:uuid"`
	Used   money.Amount `bun:"used,type:bigint"`
	Leased money.Amount `bun:"leased,type:bigint"`
}

// moveAccounts moves the counters of accounts. Those that do not exist are
// passed over.
func (s *Store) moveAccounts(ctx context.Context, moves []accountMove) error {
	_, err := s.db.NewRaw(`
		WITH v (id, used, leased) AS (?)
		UPDATE accounts SET used = accounts.used + v.used, leased = accounts.leased - v.leased
		FROM v WHERE accounts.id = v.id`, s.db.NewValues(&moves)).Exec(ctx)
	return err
}
