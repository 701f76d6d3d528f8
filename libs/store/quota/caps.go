package quota

import (
	"context"
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

// windowsKept is how long the account of a window stays as history.
const windowsKept = 400 * 24 * time.Hour

// CapsPatch changes the caps per period that are not nil.
type CapsPatch struct {
	Day, Week, Month *Cap
}

func (p CapsPatch) of(period quota.Period) *Cap {
	switch period {
	case quota.Day:
		return p.Day
	case quota.Week:
		return p.Week
	case quota.Month:
		return p.Month
	default:
		return nil
	}
}

// CapsAt is the patch that makes new things have caps.
func CapsAt(caps quota.Caps) CapsPatch {
	set := func(amount *money.Amount) *Cap {
		if amount == nil {
			return nil
		}
		return &Cap{Amount: amount}
	}
	return CapsPatch{Day: set(caps.Day), Week: set(caps.Week), Month: set(caps.Month)}
}

// CapRow is the cap of one owner per one period.
type CapRow struct {
	bun.BaseModel `bun:"table:caps,alias:r"`

	OwnerID  uuid.UUID     `bun:"owner_id,pk,type:uuid"`
	Period   quota.Period  `bun:"period,pk"`
	Kind     quota.Kind    `bun:"kind"`
	TenantID uuid.UUID     `bun:"tenant_id,type:uuid,nullzero"` // uuid.Nil: an operator's
	UserID   uuid.UUID     `bun:"user_id,type:uuid,nullzero"`   // uuid.Nil: a tenant's
	Amount   *money.Amount `bun:"amount"`                       // nil: taken away
}

// OfTenant returns the tenant as an owner of caps.
func OfTenant(id uuid.UUID) CapRow { return CapRow{OwnerID: id, Kind: quota.TenantCap, TenantID: id} }

// OfUser returns the user as an owner of caps.
func OfUser(tenantID, id uuid.UUID) CapRow {
	return CapRow{OwnerID: id, Kind: quota.UserCap, TenantID: tenantID, UserID: id}
}

func (r CapRow) limit() quota.Limit {
	return quota.Limit{Owner: r.OwnerID, Kind: r.Kind, Period: r.Period}
}

// window is the account of the cap in the window that now is in, as it begins.
func (r CapRow) window(now time.Time) AccountRow {
	ref := r.limit().Account(now)
	return AccountRow{
		ID: ref.ID, Kind: r.Kind, TenantID: r.TenantID, UserID: r.UserID, Granted: r.Amount,
		OwnerID: r.OwnerID, Period: r.Period, WindowStart: ref.Start,
	}
}

// AppendWindows appends the limits that the caps of an owner set.
func AppendWindows(limits []quota.Limit, of CapRow, caps quota.Caps) []quota.Limit {
	for _, of.Period = range quota.Periods() {
		if caps.Of(of.Period) != nil {
			limits = append(limits, of.limit())
		}
	}
	return limits
}

// SetCaps moves the caps of an owner, whose row is locked, where the patch has
// some that differ, and notes them.
func SetCaps(ctx context.Context, tx *db.DB, of CapRow, p CapsPatch, changed field.Changes) error {
	if p == (CapsPatch{}) {
		return nil
	}
	caps, err := CapsOf(ctx, tx, []uuid.UUID{of.OwnerID})
	if err != nil {
		return err
	}
	for _, of.Period = range quota.Periods() {
		wanted, is := p.of(of.Period), caps[of.OwnerID].Of(of.Period)
		if wanted == nil || wanted.Amount == is || wanted.Amount != nil && is != nil && *wanted.Amount == *is {
			continue
		}
		name := "caps." + string(of.Period)
		if wanted.Amount != nil && *wanted.Amount < 0 {
			return problem.New(problem.InvalidType, "a cap must not be negative").At(name)
		}
		of.Amount = wanted.Amount
		if err := New(tx).moveCap(ctx, of); err != nil {
			return err
		}
		changed[name] = wanted.Amount
	}
	return nil
}

// moveCap writes one cap, and moves the limit of its window where that is
// open. A window that a fast clock opened ahead moves too.
func (s *Store) moveCap(ctx context.Context, row CapRow) error {
	_, err := s.db.NewInsert().Model(&row).On("CONFLICT (owner_id, period) DO UPDATE").Set("amount = EXCLUDED.amount").Exec(ctx)
	if err != nil {
		return err
	}
	window := row.window(s.db.Now())
	s.db.Announce(db.AccountChanged, window.ID)
	var open []uuid.UUID
	q := s.db.NewSelect().Model((*AccountRow)(nil)).Column("id").Where("owner_id = ?", row.OwnerID).
		Where("period = ?", row.Period).Where("window_start >= ?", window.WindowStart).OrderExpr("id")
	if err := s.db.Lock(q).Scan(ctx, &open); err != nil || len(open) == 0 {
		return err
	}
	_, err = s.db.NewUpdate().Model((*AccountRow)(nil)).Set("granted = ?", row.Amount).Where("id IN (?)", bun.List(open)).Exec(ctx)
	return err
}

// CapsOf reads the caps of owners, whoever asks.
func CapsOf(ctx context.Context, tx *db.DB, owners []uuid.UUID) (map[uuid.UUID]quota.Caps, error) {
	rows, err := New(tx).capRows(ctx, owners)
	return capsIn(rows), err
}

// capsIn collects the caps of each owner.
func capsIn(rows []CapRow) map[uuid.UUID]quota.Caps {
	caps := make(map[uuid.UUID]quota.Caps, len(rows))
	for _, row := range rows {
		of := caps[row.OwnerID]
		of.Set(row.Period, row.Amount)
		caps[row.OwnerID] = of
	}
	return caps
}

func (s *Store) capRows(ctx context.Context, owners []uuid.UUID) (rows []CapRow, err error) {
	if len(owners) == 0 {
		return nil, nil
	}
	err = s.db.NewSelect().Model(&rows).Where("owner_id IN (?)", bun.List(owners)).Where("amount IS NOT NULL").Scan(ctx)
	return rows, err
}

// Caps returns the caps per period of those of the given tenants, users and
// tokens that are in reach and have some.
func (s *Store) Caps(ctx context.Context, scope tenant.Scope, owners []uuid.UUID) (_ map[uuid.UUID]quota.Caps, err error) {
	defer db.Wrap(&err, "read caps")

	if err := permission.Check(scope, permission.ReadQuota); err != nil {
		return nil, err
	}
	var rows []CapRow
	err = s.readAs(ctx, scope, func(in *Store) (err error) {
		rows, err = in.capRows(ctx, owners)
		return err
	})
	if err != nil {
		return nil, err
	}
	return capsIn(slices.DeleteFunc(rows, func(row CapRow) bool { return !row.window(s.db.Now()).reached(scope) })), nil
}

// OpenWindow makes the account of a window where it is not there yet, with the
// cap's present amount. A limit that never was has none, and none is made. It
// belongs into the transaction that uses the window: the lock on the cap keeps
// a change of it from passing by.
func OpenWindow(ctx context.Context, tx *db.DB, ref quota.AccountRef) error {
	var row CapRow
	q := tx.NewSelect().Model(&row).Where("owner_id = ?", ref.Owner).Where("period = ?", ref.Period)
	if tx.Postgres() {
		q = q.For("SHARE")
	}
	if err := q.Scan(ctx); err != nil {
		return db.Missing(err, "cap")
	}
	window := row.window(ref.Start)
	_, err := tx.NewInsert().Model(&window).On("CONFLICT (id) DO NOTHING").Exec(ctx)
	return err
}

// InheritWindows opens the windows of a new token with what those of the token
// that it replaces have left, so that replacing one makes nothing to spend.
func InheritWindows(ctx context.Context, tx *db.DB, of CapRow, replaced uuid.UUID) error {
	if replaced == uuid.Nil {
		return nil
	}
	rows, err := New(tx).capRows(ctx, []uuid.UUID{of.OwnerID})
	if err != nil {
		return err
	}
	for _, row := range rows {
		before := row
		before.OwnerID = replaced
		spent, err := New(tx).account(ctx, before.window(tx.Now()).ID)
		if problem.Is(err, problem.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		left := max(0, *row.Amount-spent.Used-spent.Leased)
		row.Amount = &left
		window := row.window(tx.Now())
		if err := OpenAccount(ctx, tx, window); err != nil {
			return err
		}
	}
	return nil
}

// Balance is what a limit has, for its whole life or in the window that is open.
type Balance struct {
	quota.Account
	Limit  quota.Limit
	Resets time.Time // when the next window begins; zero: never
}

// Balances returns the balances of the given owners, in their order: of each
// its account, and then its windows. An owner that is not there or out of
// reach is NotFound.
func (s *Store) Balances(ctx context.Context, scope tenant.Scope, owners []uuid.UUID) (balances []Balance, err error) {
	defer db.Wrap(&err, "read balances")

	if err := permission.Check(scope, permission.ReadQuota); err != nil {
		return nil, err
	}
	err = s.readAs(ctx, scope, func(in *Store) error {
		balances, err = in.balances(ctx, scope, owners)
		return err
	})
	return balances, err
}

func (s *Store) balances(ctx context.Context, scope tenant.Scope, owners []uuid.UUID) ([]Balance, error) {
	accounts, err := s.Accounts(ctx, scope, owners)
	if err != nil {
		return nil, err
	}
	var balances []Balance
	for _, owner := range owners {
		account, reached := accounts[owner]
		if !reached {
			return nil, db.NoSuch("account")
		}
		balances = append(balances, Balance{Account: account, Limit: quota.Limit{Owner: owner, Kind: account.Kind}})
		if balances, err = s.windows(ctx, owner, balances); err != nil {
			return nil, err
		}
	}
	return balances, nil
}

// windows appends the windows of an owner, the shortest first. One that
// nothing was spent from yet is as it will begin.
func (s *Store) windows(ctx context.Context, owner uuid.UUID, balances []Balance) ([]Balance, error) {
	rows, err := s.capRows(ctx, []uuid.UUID{owner})
	if err != nil {
		return nil, err
	}
	now := s.db.Now()
	for _, period := range quota.Periods() {
		for _, row := range rows {
			if row.Period != period {
				continue
			}
			window, err := s.account(ctx, row.window(now).ID)
			if problem.Is(err, problem.NotFound) {
				window, err = row.window(now), nil
			}
			if err != nil {
				return nil, err
			}
			balances = append(balances, Balance{Account: window.core(), Limit: row.limit(), Resets: period.End(now)})
		}
	}
	return balances, nil
}

// sweepWindows deletes windows that are history for long enough. What is
// still leased of one keeps it.
func sweepWindows(ctx context.Context, tx *db.DB) error {
	_, err := tx.NewDelete().Model((*AccountRow)(nil)).
		Where("window_start < ?", tx.Now().Add(-windowsKept)).Where("leased = 0").Exec(ctx)
	return err
}
