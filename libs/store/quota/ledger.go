package quota

import (
	"context"
	"database/sql"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/page"
)

// EntryKind is the kind of a ledger entry.
type EntryKind string

// The kinds of ledger entries.
const (
	Grant      EntryKind = "grant"      // new quota; the amount is greater than 0, the reason is optional
	Adjustment EntryKind = "adjustment" // a correction with a reason; a negative amount takes quota back
	Transfer   EntryKind = "transfer"   // one half of a transfer between two wallets, with a reason
)

// LedgerEntry is one immutable change of the quota that a tenant is granted. The amounts of a tenant's
// entries add up to Granted of its wallet.
type LedgerEntry struct {
	ID          uuid.UUID
	TenantID    uuid.UUID
	Kind        EntryKind
	Amount      money.Amount // negative: quota was taken back
	Granted     money.Amount // of the wallet after this entry
	Reason      string
	Actor       string    // name of the scope that made the entry
	TransferID  uuid.UUID // both halves of a transfer share it; uuid.Nil for other kinds
	Counterpart uuid.UUID // the other tenant of a transfer; uuid.Nil unless the reader is an operator
	CreatedAt   time.Time
}

// NewEntry is the argument of AddEntry: a Grant or an Adjustment.
type NewEntry struct {
	TenantID uuid.UUID
	Kind     EntryKind
	Amount   money.Amount // in nano-dollars; negative takes back, for an Adjustment only
	Reason   string       // at most 1,000 characters; required for an Adjustment
	// Key is an idempotency key of at most 255 bytes; "" for none. If an entry with the same key exists, no
	// entry is added: an equal entry is returned, a different entry is a Conflict problem. Keys are unique over
	// all tenants.
	Key     string
	Session SessionLimit
}

// NewTransfer is the argument of TransferQuota.
type NewTransfer struct {
	FromTenantID uuid.UUID
	ToTenantID   uuid.UUID
	Amount       money.Amount // greater than 0
	Reason       string       // required
	Key          string       // see NewEntry
	Session      SessionLimit
}

// LedgerRow is a row of the table ledger. Rows are never updated.
type LedgerRow struct {
	bun.BaseModel `bun:"table:ledger,alias:r"`

	ID          uuid.UUID    `bun:"id,pk,type:uuid"`
	TenantID    uuid.UUID    `bun:"tenant_id,type:uuid"`
	Kind        EntryKind    `bun:"kind"`
	Amount      money.Amount `bun:"amount"`
	Granted     money.Amount `bun:"granted"`
	Reason      string       `bun:"reason"`
	Actor       string       `bun:"actor"`
	TransferID  uuid.UUID    `bun:"transfer_id,type:uuid,nullzero"`
	Counterpart uuid.UUID    `bun:"counterpart,type:uuid,nullzero"`
	Key         string       `bun:"idempotency_key,nullzero"` // unique; of a transfer only the sender's entry has it
	CreatedAt   time.Time    `bun:"created_at"`
}

func (r LedgerRow) key() string { return r.ID.String() }

func (r LedgerRow) core() LedgerEntry {
	return LedgerEntry{
		ID: r.ID, TenantID: r.TenantID, Kind: r.Kind, Amount: r.Amount, Granted: r.Granted,
		Reason: r.Reason, Actor: r.Actor,
		TransferID: r.TransferID, Counterpart: r.Counterpart, CreatedAt: r.CreatedAt,
	}
}

// sameAs reports whether two rows stand for the same request: kind, tenants, amount and reason are equal.
func (r LedgerRow) sameAs(other LedgerRow) bool {
	return r.Kind == other.Kind && r.TenantID == other.TenantID && r.Counterpart == other.Counterpart &&
		r.Amount == other.Amount && r.Reason == other.Reason
}

const (
	maxReason = 1000 // characters
	maxKey    = 255  // bytes
)

// checkReason returns a problem at the field "reason" if a reason is too long or missing.
func checkReason(reason string, kind EntryKind) error {
	if utf8.RuneCountInString(reason) > maxReason {
		return problem.New(problem.InvalidType, "A reason has at most %d characters.", maxReason).At("reason")
	}
	if reason == "" && kind != Grant {
		return problem.New(problem.MissingParameter, "A reason is required unless kind is grant.").At("reason")
	}
	return nil
}

// checkKey returns a problem of the header Idempotency-Key if a key is too long or not storable as it is.
func checkKey(key string) error {
	if len(key) > maxKey || key != field.Clean(key) {
		return problem.New(problem.InvalidType, "An idempotency key has at most %d bytes of text.", maxKey).
			At("Idempotency-Key")
	}
	return nil
}

// check returns a problem of the first invalid field.
func (n NewEntry) check() error {
	switch {
	case n.Kind == Grant && n.Amount <= 0:
		return problem.New(problem.InvalidType,
			"The amount of a grant must be greater than 0. Use an adjustment to take quota back.").At("amount")
	case n.Kind == Adjustment && (n.Amount == 0 || n.Amount < -money.Max):
		return problem.New(problem.InvalidType, "The amount of an adjustment must not be 0 or less than -%s.",
			money.Max).At("amount")
	case n.Kind != Grant && n.Kind != Adjustment:
		return problem.New(problem.InvalidType, "kind must be one of: grant, adjustment.").At("kind")
	}
	return field.First(checkReason(n.Reason, n.Kind), checkKey(n.Key))
}

// check returns a problem of the first invalid field.
func (n NewTransfer) check() error {
	switch {
	case n.Amount <= 0:
		return problem.New(problem.InvalidType, "The amount of a transfer must be greater than 0.").At("amount")
	case n.FromTenantID == n.ToTenantID:
		return problem.New(problem.InvalidType, "to_tenant_id must differ from from_tenant_id.").At("to_tenant_id")
	}
	return field.First(checkReason(n.Reason, Transfer), checkKey(n.Key))
}

// AddEntry adds an entry to the ledger, changes the grant of the tenant's wallet by its amount and writes the
// audit log, in one transaction. The grant must stay between 0 and money.Max; it may fall below the used
// amount, and then the tenant cannot spend anything more. It returns a NotFound problem if the tenant does
// not exist, a Forbidden problem if the scope's access key has granted too much today, and a
// ConfirmationRequired problem if the session has granted too much without a confirmation. It needs
// permission.WritePlatform.
func (s *Store) AddEntry(ctx context.Context, scope tenant.Scope, n NewEntry) (_ LedgerEntry, err error) {
	defer db.Wrap(&err, "add entry")

	if err := field.First(permission.Check(scope, permission.WritePlatform), n.check()); err != nil {
		return LedgerEntry{}, err
	}
	// The stored texts are cleaned before the comparison with an entry of the same key, which is clean.
	row := LedgerRow{TenantID: n.TenantID, Kind: n.Kind, Amount: n.Amount, Reason: field.Clean(n.Reason),
		Actor: field.Clean(scope.Name()), Key: n.Key}
	err = s.atomically(ctx, func(tx *Store) error {
		wallets, err := tx.lockWallets(ctx, n.TenantID)
		if err != nil {
			return err
		}
		if _, exists := wallets[n.TenantID]; !exists {
			return db.NoSuch("tenant")
		}
		if exists, err := tx.readByKey(ctx, &row); err != nil || exists {
			return err
		}
		// The charge comes before the checks of the amount, whose problems tell about the tenant.
		if err := tx.charge(ctx, scope, n.Session, row.Amount); err != nil {
			return err
		}
		isNew, err := tx.add(ctx, &row, wallets)
		if err != nil || !isNew {
			return err
		}
		return tx.auditEntry(ctx, scope, row)
	})
	if err != nil {
		return LedgerEntry{}, err
	}
	return row.core(), nil
}

// TransferQuota moves quota from one tenant's wallet to another's and returns the two ledger entries. It
// returns a Conflict problem unless the sender has the amount available: granted, not used, and not leased to
// relays, and the problems of AddEntry for what its caller may grant. It needs permission.WritePlatform.
func (s *Store) TransferQuota(ctx context.Context, scope tenant.Scope,
	n NewTransfer) (debit, credit LedgerEntry, err error) {
	defer db.Wrap(&err, "transfer quota")

	if err := field.First(permission.Check(scope, permission.WritePlatform), n.check()); err != nil {
		return LedgerEntry{}, LedgerEntry{}, err
	}
	transferID, err := uuid.NewV7()
	if err != nil {
		return LedgerEntry{}, LedgerEntry{}, err
	}
	give := LedgerRow{
		TenantID: n.FromTenantID, Counterpart: n.ToTenantID, Kind: Transfer, TransferID: transferID, Amount: -n.Amount,
		Reason: field.Clean(n.Reason), Actor: field.Clean(scope.Name()),
	}
	take := give
	take.TenantID, take.Counterpart, take.Amount = n.ToTenantID, n.FromTenantID, n.Amount
	give.Key = n.Key
	err = s.atomically(ctx, func(tx *Store) error { return tx.transfer(ctx, scope, n.Session, &give, &take) })
	if err != nil {
		return LedgerEntry{}, LedgerEntry{}, err
	}
	return give.core(), take.core(), nil
}

// transfer adds both entries. If the transfer's key exists already, it reads them instead.
func (s *Store) transfer(ctx context.Context, scope tenant.Scope, session SessionLimit, give, take *LedgerRow) error {
	wallets, err := s.lockWallets(ctx, give.TenantID, take.TenantID)
	if err != nil {
		return err
	}
	from, exists := wallets[give.TenantID]
	if !exists {
		return db.NoSuch("tenant").At("from_tenant_id")
	}
	if _, exists := wallets[take.TenantID]; !exists {
		return db.NoSuch("tenant").At("to_tenant_id")
	}
	exists, err = s.readByKey(ctx, give)
	if err == nil && !exists {
		if err := s.charge(ctx, scope, session, give.Amount); err != nil {
			return err
		}
		var isNew bool
		isNew, err = s.add(ctx, give, wallets)
		exists = !isNew
	}
	if err != nil {
		return err
	}
	if exists {
		return s.db.NewSelect().Model(take).Where("transfer_id = ?", give.TransferID).
			Where("tenant_id = ?", take.TenantID).Scan(ctx)
	}
	if available := *from.Granted - from.Used - from.Leased; available < take.Amount {
		return problem.New(problem.Conflict,
			"The sending tenant has only %s that is neither used nor leased to relays.", max(0, available)).At("amount")
	}
	if _, err := s.add(ctx, take, wallets); err != nil {
		return err
	}
	return field.First(s.auditEntry(ctx, scope, *give), s.auditEntry(ctx, scope, *take))
}

// charge adds the amount of a new entry to what the caller has granted, and returns the problem of chargeKey or
// chargeSession if that is too much.
func (s *Store) charge(ctx context.Context, scope tenant.Scope, session SessionLimit, amount money.Amount) error {
	if err := s.chargeKey(ctx, scope, amount); err != nil {
		return err
	}
	return s.chargeSession(ctx, session, amount)
}

// auditEntry writes an entry to the audit log as quota.grant, quota.adjustment or quota.transfer.
func (s *Store) auditEntry(ctx context.Context, scope tenant.Scope, row LedgerRow) error {
	return s.db.Record(ctx, scope, db.Mutation{Action: "quota." + string(row.Kind), Tenant: row.TenantID,
		Target: row.TenantID.String(), Detail: field.Changes{
			"amount": row.Amount, "reason": row.Reason, "entry_id": row.ID,
		}})
}

// lockWallets locks the wallets of the tenants in the order of their ids, as every transaction does, and
// returns them by tenant. Tenants that do not exist are left out.
func (s *Store) lockWallets(ctx context.Context, tenantIDs ...uuid.UUID) (map[uuid.UUID]AccountRow, error) {
	var rows []AccountRow
	q := s.db.NewSelect().Model(&rows).Where("id IN (?)", bun.List(tenantIDs)).Where("kind = ?", quota.Wallet).
		OrderExpr("id")
	if err := s.db.Lock(q).Scan(ctx); err != nil {
		return nil, err
	}
	wallets := make(map[uuid.UUID]AccountRow, len(rows))
	for _, row := range rows {
		wallets[row.ID] = row
	}
	return wallets, nil
}

// add inserts the entry and changes the grant of its wallet, which the caller has locked. The caller has also found no
// entry with the same key; if there is one since, add sets row to that entry and returns false. The id is made under
// the lock, so that the order of ids is the order of a tenant's entries.
func (s *Store) add(ctx context.Context, row *LedgerRow, wallets map[uuid.UUID]AccountRow) (isNew bool, err error) {
	balance := *wallets[row.TenantID].Granted
	if row.Amount > money.Max-balance || row.Amount < -balance {
		return false, problem.New(problem.InvalidType,
			"The sum of all entries of the tenant must stay between 0 and %s.", money.Max).At("amount")
	}
	if row.ID, err = uuid.NewV7(); err != nil {
		return false, err
	}
	row.Granted, row.CreatedAt = balance+row.Amount, s.db.Now()
	result, err := s.db.NewInsert().Model(row).On("CONFLICT (idempotency_key) DO NOTHING").Exec(ctx)
	if err != nil {
		return false, err
	}
	if count, err := result.RowsAffected(); err != nil || count == 0 {
		_, reread := s.readByKey(ctx, row) // a concurrent request, for another tenant, inserted it
		return false, errors.Join(err, reread)
	}
	_, err = s.db.NewUpdate().Model((*AccountRow)(nil)).Set("granted = ?", row.Granted).
		Where("id = ?", row.TenantID).Exec(ctx)
	s.db.Announce(db.AccountChanged, row.TenantID)
	return true, err
}

// readByKey reads the entry with the row's idempotency key into row and reports whether there is one. If the
// entry belongs to a different request, it returns a Conflict problem. Without a key it returns false.
func (s *Store) readByKey(ctx context.Context, row *LedgerRow) (bool, error) {
	if row.Key == "" {
		return false, nil
	}
	var entry LedgerRow
	err := s.db.NewSelect().Model(&entry).Where("idempotency_key = ?", row.Key).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err == nil && !entry.sameAs(*row) {
		err = problem.New(problem.Conflict,
			"The idempotency key was already used for a different entry. Use a new key.").At("Idempotency-Key")
	}
	if err != nil {
		return false, err
	}
	*row = entry
	return true, nil
}

// Ledger lists the ledger entries of a tenant, newest first, or for uuid.Nil of all tenants that the scope
// may read. Counterpart is set for operators alone: a tenant must not learn with whom quota was exchanged.
func (s *Store) Ledger(ctx context.Context, scope tenant.Scope, tenantID uuid.UUID,
	p page.Page) (_ page.List[LedgerEntry], err error) {
	defer db.Wrap(&err, "read ledger")

	if err := permission.Check(scope, permission.ReadLedger); err != nil {
		return page.List[LedgerEntry]{}, err
	}
	var list page.List[LedgerEntry]
	err = s.readAs(ctx, scope, func(in *Store) error {
		q, err := db.InTenant(in.db.NewSelect(), scope, tenantID)
		if err != nil {
			return err
		}
		list, err = page.RowsOf(page.NewestFirst, LedgerRow.key, LedgerRow.core).Read(ctx, q, p)
		return err
	})
	if !scope.Everywhere() {
		for i := range list.Items {
			list.Items[i].Counterpart = uuid.Nil
		}
	}
	return list, err
}
