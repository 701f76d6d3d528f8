package quota

import (
	"context"
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

// Cap changes the limit of a user's or token's account.
type Cap struct {
	Amount *money.Amount // nil: unlimited
}

// AccountRow is a row of the accounts: the wallet of a tenant, the cap of a user or
// that of a token.
type AccountRow struct {
	bun.BaseModel `bun:"table:accounts,alias:r"`

	ID       uuid.UUID     `bun:"id,pk,type:uuid"`
	Kind     quota.Kind    `bun:"kind"`
	TenantID uuid.UUID     `bun:"tenant_id,type:uuid,nullzero"` // uuid.Nil: an operator's
	UserID   uuid.UUID     `bun:"user_id,type:uuid,nullzero"`   // uuid.Nil: a wallet
	Granted  *money.Amount `bun:"granted"`
	Used     money.Amount  `bun:"used"`
	Leased   money.Amount  `bun:"leased"`

	// A window's account has these beside; its id is quota.Limit.Account's.
	OwnerID     uuid.UUID    `bun:"owner_id,type:uuid,nullzero"`
	Period      quota.Period `bun:"period"`
	WindowStart time.Time    `bun:"window_start,nullzero"`
}

func (r AccountRow) core() quota.Account {
	return quota.Account{ID: r.ID, Kind: r.Kind, TenantID: r.TenantID, Granted: r.Granted, Used: r.Used, Leased: r.Leased}
}

// reached reports whether the scope may read the account: everybody in a
// tenant its wallet and its caps, members beside it their own cap and those of
// their tokens.
func (r AccountRow) reached(scope tenant.Scope) bool {
	if r.Kind == quota.Wallet || r.Kind == quota.TenantCap {
		return scope.Reaches(r.TenantID)
	}
	return db.ReachesUser(scope, r.TenantID, r.UserID)
}

// CheckCap returns a problem of the field quota where the limit is negative.
func CheckCap(limit *money.Amount) error {
	if limit != nil && *limit < 0 {
		return problem.New(problem.InvalidType, "a quota must not be negative").At("quota")
	}
	return nil
}

// OpenAccount inserts the account of a new tenant, user or token.
func OpenAccount(ctx context.Context, tx *db.DB, row AccountRow) error {
	_, err := tx.NewInsert().Model(&row).Exec(ctx)
	return err
}

// SetCap moves the limit of an account where a cap is given and differs, and
// notes it.
func SetCap(ctx context.Context, tx *db.DB, id uuid.UUID, limit *Cap, changed field.Changes) error {
	if limit == nil {
		return nil
	}
	if err := CheckCap(limit.Amount); err != nil {
		return err
	}
	done, err := tx.NewUpdate().Model((*AccountRow)(nil)).Set("granted = ?", limit.Amount).
		Where("id = ?", id).Where("granted IS DISTINCT FROM ?", limit.Amount).Exec(ctx)
	if err != nil {
		return err
	}
	if moved, err := done.RowsAffected(); err != nil || moved == 0 {
		return err
	}
	changed["quota"] = limit.Amount
	tx.Announce(db.AccountChanged, id)
	return nil
}

// Account returns the account of a tenant, user or token in reach.
func (s *Store) Account(ctx context.Context, scope tenant.Scope, id uuid.UUID) (_ quota.Account, err error) {
	defer db.Wrap(&err, "read account")

	if err := permission.Check(scope, permission.ReadQuota); err != nil {
		return quota.Account{}, err
	}
	var row AccountRow
	err = s.readAs(ctx, scope, func(in *Store) (err error) {
		row, err = in.account(ctx, id)
		return err
	})
	if err != nil {
		return quota.Account{}, err
	}
	if !row.reached(scope) {
		return quota.Account{}, db.NoSuch("account")
	}
	return row.core(), nil
}

// account reads an account whoever asks.
func (s *Store) account(ctx context.Context, id uuid.UUID) (row AccountRow, err error) {
	err = s.db.NewSelect().Model(&row).Where("id = ?", id).Scan(ctx)
	return row, db.Missing(err, "account")
}

// Accounts returns those of the given accounts that exist and are in reach.
func (s *Store) Accounts(ctx context.Context, scope tenant.Scope, ids []uuid.UUID) (_ map[uuid.UUID]quota.Account, err error) {
	defer db.Wrap(&err, "read accounts")

	if err := permission.Check(scope, permission.ReadQuota); err != nil {
		return nil, err
	}
	accounts := make(map[uuid.UUID]quota.Account, len(ids))
	if len(ids) == 0 {
		return accounts, nil
	}
	var rows []AccountRow
	err = s.readAs(ctx, scope, func(in *Store) error {
		return in.db.NewSelect().Model(&rows).Where("id IN (?)", bun.List(ids)).Scan(ctx)
	})
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if row.reached(scope) {
			accounts[row.ID] = row.core()
		}
	}
	return accounts, nil
}
