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
	"github.com/tollgate/tollgate/libs/store/clock"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

// windowRetention is the age at which Sweep deletes the account of a window, measured from the start of the
// window. Until then the account shows the amount that was spent in the window.
const windowRetention = 400 * 24 * time.Hour

// CapsPatch changes the caps of an owner. A nil field leaves its cap as it is; a Cap without an amount
// removes the cap.
type CapsPatch struct {
	Day, Week, Month *Cap
}

// of returns the change for the period; nil if the patch has none.
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

// CapsAt returns the patch that gives a new owner the caps.
func CapsAt(caps quota.Caps) CapsPatch {
	set := func(amount *money.Amount) *Cap {
		if amount == nil {
			return nil
		}
		return &Cap{Amount: amount}
	}
	return CapsPatch{Day: set(caps.Day), Week: set(caps.Week), Month: set(caps.Month)}
}

// CapRow is a row of the table caps: the amount that one owner may spend per period. A removed cap keeps its
// row, with no amount: a relay that does not know of the removal yet can then still open the window, which is
// unlimited.
type CapRow struct {
	bun.BaseModel `bun:"table:caps,alias:r"`

	OwnerID uuid.UUID    `bun:"owner_id,pk,type:uuid"`
	Period  quota.Period `bun:"period,pk"`
	Kind    quota.Kind   `bun:"kind"`
	// uuid.Nil: the owner is an operator or an operator's token
	TenantID uuid.UUID     `bun:"tenant_id,type:uuid,nullzero"`
	UserID   uuid.UUID     `bun:"user_id,type:uuid,nullzero"` // uuid.Nil: the owner is a tenant
	Amount   *money.Amount `bun:"amount"`                     // nil: the cap was removed
}

// OfTenant returns a CapRow that names the tenant as the owner. Period and Amount are not set.
func OfTenant(id uuid.UUID) CapRow { return CapRow{OwnerID: id, Kind: quota.TenantCap, TenantID: id} }

// OfUser returns a CapRow that names the user as the owner. Period and Amount are not set.
func OfUser(tenantID, id uuid.UUID) CapRow {
	return CapRow{OwnerID: id, Kind: quota.UserCap, TenantID: tenantID, UserID: id}
}

// limit returns the limit that the cap sets.
func (r CapRow) limit() quota.Limit {
	return quota.Limit{Owner: r.OwnerID, Kind: r.Kind, Period: r.Period}
}

// window returns the account of the cap for the window that contains now, with nothing spent.
func (r CapRow) window(now time.Time) AccountRow {
	ref := r.limit().Account(now)
	return AccountRow{
		ID: ref.ID, Kind: r.Kind, TenantID: r.TenantID, UserID: r.UserID, Granted: r.Amount,
		OwnerID: r.OwnerID, Period: r.Period, WindowStart: ref.Start,
	}
}

// AppendWindows appends a limit for each period in which the owner has a cap.
func AppendWindows(limits []quota.Limit, row CapRow, caps quota.Caps) []quota.Limit {
	for _, row.Period = range quota.Periods() {
		if caps.Of(row.Period) != nil {
			limits = append(limits, row.limit())
		}
	}
	return limits
}

// SetCaps sets the lifetime limit of an owner, which is a tenant, a user or a token, and applies the patch to its caps.
// A nil lifetime leaves the limit as it is. It notes every limit whose value changes in changes, for the audit log. The
// caller has locked the owner's row, so that no other transaction changes the same limits, but no account. A negative
// limit is an InvalidType problem.
func SetCaps(ctx context.Context, tx *db.DB, row CapRow, lifetime *Cap, patch CapsPatch, changes field.Changes) error {
	total, err := New(tx).newTotal(ctx, row.OwnerID, lifetime, changes)
	if err != nil {
		return err
	}
	changed, err := New(tx).newCaps(ctx, row, patch, changes)
	if err != nil || len(changed) == 0 && total == nil {
		return err
	}
	return New(tx).setGranted(ctx, row.OwnerID, total, changed)
}

// newTotal returns the lifetime limit if it differs from the present one, otherwise nil.
func (s *Store) newTotal(ctx context.Context, id uuid.UUID, lifetime *Cap, changes field.Changes) (*Cap, error) {
	if lifetime == nil {
		return nil, nil //nolint:nilnil // nothing changes
	}
	if err := CheckCap(lifetime.Amount); err != nil {
		return nil, err
	}
	before, err := s.account(ctx, id)
	if err != nil || equal(before.Granted, lifetime.Amount) {
		return nil, err
	}
	changes.Note("quota", before.Granted, lifetime.Amount)
	return lifetime, nil
}

// changedCap is a cap with its new amount, and the amount that it had before.
type changedCap struct {
	CapRow
	before *money.Amount
}

// granted returns what an account grants under the new amount that granted present under the amount before. What a
// replaced token spent in the window stays taken off: see InheritWindows. A window that the cap did not limit grants
// the whole new amount.
func (c changedCap) granted(present *money.Amount) *money.Amount {
	if c.Amount == nil || c.before == nil || present == nil {
		return c.Amount
	}
	return new(*present - *c.before + *c.Amount)
}

// newCaps stores the caps of the patch that differ from the present ones and returns them.
func (s *Store) newCaps(ctx context.Context, row CapRow, patch CapsPatch,
	changes field.Changes) (changed []changedCap, err error) {
	if patch == (CapsPatch{}) {
		return nil, nil
	}
	caps, err := CapsOf(ctx, s.db, []uuid.UUID{row.OwnerID})
	if err != nil {
		return nil, err
	}
	var rows []CapRow
	for _, row.Period = range quota.Periods() {
		limit, current := patch.of(row.Period), caps[row.OwnerID].Of(row.Period)
		if limit == nil || equal(limit.Amount, current) {
			continue
		}
		name := "caps." + string(row.Period)
		if limit.Amount != nil && *limit.Amount < 0 {
			return nil, problem.New(problem.InvalidType, "A cap must not be negative.").At(name)
		}
		row.Amount = limit.Amount
		rows, changed = append(rows, row), append(changed, changedCap{CapRow: row, before: current})
		changes.Note(name, current, limit.Amount)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	_, err = s.db.NewInsert().Model(&rows).On("CONFLICT (owner_id, period) DO UPDATE").
		Set("amount = EXCLUDED.amount").Exec(ctx)
	return changed, err
}

// setGranted sets what the lifetime account and the open windows of the changed caps grant. total is nil if the
// lifetime limit does not change. Later windows change too: a relay with a fast clock may have opened the next window
// already.
func (s *Store) setGranted(ctx context.Context, owner uuid.UUID, total *Cap, changed []changedCap) error {
	now := s.db.Now()
	var accounts []AccountRow
	q := s.db.NewSelect().Model(&accounts).Column("id", "period", "granted").OrderExpr("id")
	if total != nil {
		s.db.Announce(db.AccountChanged, owner)
		q = q.WhereOr("id = ?", owner)
	}
	for _, row := range changed {
		// Relays know the id of the window without asking, so it is announced even if it has no row yet.
		window := row.window(now)
		s.db.Announce(db.AccountChanged, window.ID)
		q = q.WhereOr("owner_id = ? AND period = ? AND window_start >= ?", owner, row.Period, window.WindowStart)
	}
	// One statement locks all, in the order of their ids: see the documentation of the package.
	if err := s.db.Lock(q).Scan(ctx); err != nil {
		return err
	}
	caps := map[quota.Period]changedCap{}
	for _, c := range changed {
		caps[c.Period] = c
	}
	if total != nil {
		caps[quota.Lifetime] = changedCap{CapRow: CapRow{Amount: total.Amount}}
	}
	for _, account := range accounts {
		granted := caps[account.Period].granted(account.Granted)
		if _, err := s.db.NewUpdate().Model((*AccountRow)(nil)).Set("granted = ?", granted).
			Where("id = ?", account.ID).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// equal reports whether two limits are the same; nil is no limit.
func equal(a, b *money.Amount) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// CapsOf returns the caps of each owner that has any, without a check of the scope.
func CapsOf(ctx context.Context, tx *db.DB, owners []uuid.UUID) (map[uuid.UUID]quota.Caps, error) {
	rows, err := New(tx).capRows(ctx, owners)
	return capsIn(rows), err
}

// capsIn groups the caps by owner.
func capsIn(rows []CapRow) map[uuid.UUID]quota.Caps {
	caps := make(map[uuid.UUID]quota.Caps, len(rows))
	for _, row := range rows {
		amounts := caps[row.OwnerID]
		amounts.Set(row.Period, row.Amount)
		caps[row.OwnerID] = amounts
	}
	return caps
}

// capRows reads the caps of the owners. It leaves out removed caps.
func (s *Store) capRows(ctx context.Context, owners []uuid.UUID) (rows []CapRow, err error) {
	if len(owners) == 0 {
		return nil, nil
	}
	err = s.db.NewSelect().Model(&rows).Where("owner_id IN (?)", bun.List(owners)).Where("amount IS NOT NULL").Scan(ctx)
	return rows, err
}

// Caps returns the caps of the given tenants, users and tokens, by owner. It leaves out owners without a cap,
// and owners that the scope may not read.
func (s *Store) Caps(ctx context.Context, scope tenant.Scope,
	owners []uuid.UUID) (_ map[uuid.UUID]quota.Caps, err error) {
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
	return capsIn(slices.DeleteFunc(rows, func(row CapRow) bool { return !row.window(s.db.Now()).visibleTo(scope) })),
		nil
}

// OpenWindow inserts the account of a window if it does not exist, with the present amount of the cap. It
// returns a NotFound problem if the owner never had a cap for the period. Call it in the transaction that
// uses the window: it takes a shared lock on the cap, so that SetCaps cannot change the cap between the read
// here and the insert of the window.
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

// Rest holds the amounts that the accounts of a token had left: granted, not used, and not leased to relays.
type Rest struct {
	Lifetime *money.Amount // nil: unlimited
	Windows  quota.Caps    // of the present window of each cap; negative if the cap was lowered below what was spent
}

// TakeRest takes from the accounts of a token what they have left, for the token that replaces it. Relays may still
// spend what they have leased, but they can lease no more: a relay that does not know of the replacement yet would
// otherwise spend what the new token has got, too. The caller has locked the token.
func TakeRest(ctx context.Context, tx *db.DB, row CapRow) (rest Rest, err error) {
	caps, err := New(tx).capRows(ctx, []uuid.UUID{row.OwnerID})
	if err != nil {
		return Rest{}, err
	}
	ids := []uuid.UUID{row.OwnerID}
	for _, row := range caps {
		// A relay could open a window that does not exist yet, with the whole cap.
		window := row.window(tx.Now())
		if _, err := tx.NewInsert().Model(&window).On("CONFLICT (id) DO NOTHING").Exec(ctx); err != nil {
			return Rest{}, err
		}
		ids = append(ids, window.ID)
	}
	var rows []AccountRow
	if err := tx.Lock(tx.NewSelect().Model(&rows).Where("id IN (?)", bun.List(ids)).OrderExpr("id")).
		Scan(ctx); err != nil {
		return Rest{}, err
	}
	for _, row := range rows {
		if row.Granted == nil {
			continue
		}
		amount := *row.Granted - row.Used - row.Leased
		if row.Period == quota.Lifetime {
			rest.Lifetime = new(max(0, amount))
		} else {
			rest.Windows.Set(row.Period, &amount)
		}
		tx.Announce(db.AccountChanged, row.ID)
	}
	_, err = tx.NewUpdate().Model((*AccountRow)(nil)).Set("granted = used + leased").Where("id IN (?)", bun.List(ids)).
		Where("granted > used + leased").Exec(ctx)
	return rest, err
}

// InheritWindows opens the present windows of a new token with the amounts that TakeRest took from those of the token
// that it replaces. Without it, a user could spend a cap again by replacing the token. A later change of a cap adds the
// difference to what the window grants, unless the cap was removed in between.
func InheritWindows(ctx context.Context, tx *db.DB, row CapRow, caps quota.Caps) error {
	for _, row.Period = range quota.Periods() {
		if row.Amount = caps.Of(row.Period); row.Amount == nil {
			continue
		}
		if err := OpenAccount(ctx, tx, row.window(tx.Now())); err != nil {
			return err
		}
	}
	return nil
}

// RemainingOf returns what is left of each limit, in their order. caps are the caps of their owners. The window of a
// limit without an account has not been used yet.
func RemainingOf(ctx context.Context, tx *db.DB, limits []quota.Limit,
	caps map[uuid.UUID]quota.Caps) ([]quota.Remaining, error) {
	ids := make([]uuid.UUID, len(limits))
	remaining := make([]quota.Remaining, len(limits))
	now := tx.Now()
	for i, limit := range limits {
		ids[i] = limit.Account(now).ID
		remaining[i].AccountID = ids[i]
		if total := caps[limit.Owner].Of(limit.Period); total != nil {
			remaining[i].Amount, remaining[i].Whole = *total, *total
		}
	}
	var rows []AccountRow
	if err := tx.NewSelect().Model(&rows).Where("id IN (?)", bun.List(ids)).Scan(ctx); err != nil {
		return nil, err
	}
	for _, row := range rows {
		account := row.core()
		if amount := account.Remaining(); amount != nil {
			remaining[slices.Index(ids, row.ID)].Amount = *amount
		}
	}
	return remaining, nil
}

// Balance is a limit with its account: the lifetime account, or the account of the window that contains the
// present moment.
type Balance struct {
	quota.Account
	Limit  quota.Limit
	Resets time.Time // when the next window begins; zero: never
}

// Balances returns the balances of the given owners, in their order. For each owner the lifetime account
// comes first, then its windows, the shortest first. It returns a NotFound problem if an owner does not exist
// or the scope may not read the owner's accounts.
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

// balances does the work of Balances under the row-level security of the scope.
func (s *Store) balances(ctx context.Context, scope tenant.Scope, owners []uuid.UUID) ([]Balance, error) {
	accounts, err := s.Accounts(ctx, scope, owners)
	if err != nil {
		return nil, err
	}
	var balances []Balance
	for _, owner := range owners {
		account, ok := accounts[owner]
		if !ok {
			return nil, db.NoSuch("account")
		}
		balances = append(balances, Balance{Account: account, Limit: quota.Limit{Owner: owner, Kind: account.Kind}})
		if balances, err = s.windows(ctx, owner, balances); err != nil {
			return nil, err
		}
	}
	return balances, nil
}

// windows appends the present windows of an owner, the shortest first. A window without a row has not been
// used yet, so it appears with nothing spent.
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

// sweepWindows deletes the accounts of windows older than windowRetention. It keeps an account that still has a
// lease, so that the lease can be reclaimed. A clock that is ahead must not delete the present windows, because their
// caps could then be spent again. So their age is measured with two clocks, and on SQLite, which has only one, up to
// the start of the newest window.
func sweepWindows(ctx context.Context, tx *db.DB) error {
	now, err := clock.Earlier(ctx, tx)
	if err != nil {
		return err
	}
	if !tx.Postgres() {
		var starts []time.Time
		if err := tx.NewSelect().Model((*AccountRow)(nil)).Column("window_start").Where("window_start < ?", now).
			OrderExpr("window_start DESC").Limit(1).Scan(ctx, &starts); err != nil || len(starts) == 0 {
			return err
		}
		now = starts[0]
	}
	_, err = tx.NewDelete().Model((*AccountRow)(nil)).
		Where("window_start < ?", now.Add(-windowRetention)).Where("leased = 0").Exec(ctx)
	return err
}
