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
)

// Cap is a new limit, in a patch where a nil *Cap means "leave the limit as it is".
type Cap struct {
	Amount *money.Amount // nil: unlimited
}

// AccountRow is a row of the table accounts: the wallet of a tenant, the lifetime cap of a user or token, or
// one window of a cap. Wallets and lifetime caps have the id of their owner.
type AccountRow struct {
	bun.BaseModel `bun:"table:accounts,alias:r"`

	ID   uuid.UUID  `bun:"id,pk,type:uuid"`
	Kind quota.Kind `bun:"kind"`
	// uuid.Nil: the owner is an operator or an operator's token
	TenantID uuid.UUID     `bun:"tenant_id,type:uuid,nullzero"`
	UserID   uuid.UUID     `bun:"user_id,type:uuid,nullzero"` // uuid.Nil: the owner is a tenant
	Granted  *money.Amount `bun:"granted"`                    // nil: unlimited
	Used     money.Amount  `bun:"used"`
	Leased   money.Amount  `bun:"leased"` // sum of the account's leases

	// Only accounts of windows have the next three fields. quota.Limit.Account computes the ID of such an account.
	OwnerID     uuid.UUID    `bun:"owner_id,type:uuid,nullzero"`
	Period      quota.Period `bun:"period"`
	WindowStart time.Time    `bun:"window_start,nullzero"`
}

// core returns the account. A window grants nothing if the cap is less than what a replaced token spent in it. The row
// then has a negative amount, so that a higher cap leaves the right rest.
func (r AccountRow) core() quota.Account {
	if r.Period != quota.Lifetime && r.Granted != nil {
		r.Granted = new(max(0, *r.Granted))
	}
	return quota.Account{ID: r.ID, Kind: r.Kind, TenantID: r.TenantID, Granted: r.Granted, Used: r.Used,
		Leased: r.Leased}
}

// visibleTo reports whether the scope may read the account. Every user of a tenant may read the tenant's
// wallet and caps. The accounts of users and tokens are visible to their user, and to scopes that are not
// limited to one user.
func (r AccountRow) visibleTo(scope tenant.Scope) bool {
	if r.Kind == quota.Wallet || r.Kind == quota.TenantCap {
		return scope.Reaches(r.TenantID)
	}
	return db.ReachesUser(scope, r.TenantID, r.UserID)
}

// CheckCap returns an InvalidType problem at the field "quota" if the limit is negative. nil (unlimited) is
// valid.
func CheckCap(limit *money.Amount) error {
	if limit != nil && *limit < 0 {
		return problem.New(problem.InvalidType, "A quota must not be negative.").At("quota")
	}
	return nil
}

// OpenAccount inserts an account. The caller made its owner in the same transaction.
func OpenAccount(ctx context.Context, tx *db.DB, row AccountRow) error {
	_, err := tx.NewInsert().Model(&row).Exec(ctx)
	return err
}

// Account returns the account with the id: a tenant's wallet, a user's or token's lifetime cap, or one window
// of a cap. It returns a NotFound problem if the scope may not read the account.
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
	if !row.visibleTo(scope) {
		return quota.Account{}, db.NoSuch("account")
	}
	return row.core(), nil
}

// account reads an account without a check of the scope.
func (s *Store) account(ctx context.Context, id uuid.UUID) (row AccountRow, err error) {
	err = s.db.NewSelect().Model(&row).Where("id = ?", id).Scan(ctx)
	return row, db.Missing(err, "account")
}

// Accounts returns the accounts with the given ids, by id. It leaves out accounts that do not exist or that
// the scope may not read.
func (s *Store) Accounts(ctx context.Context, scope tenant.Scope,
	ids []uuid.UUID) (_ map[uuid.UUID]quota.Account, err error) {
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
		if row.visibleTo(scope) {
			accounts[row.ID] = row.core()
		}
	}
	return accounts, nil
}
