package quota

import (
	"context"
	"database/sql"
	"errors"
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
	"github.com/tollgate/tollgate/libs/store/page"
)

// EntryKind says why a wallet was moved.
type EntryKind string

// The kinds of ledger entries.
const (
	Grant      EntryKind = "grant"      // new quota, > 0
	Adjustment EntryKind = "adjustment" // a correction, for a reason; negative takes back
	Transfer   EntryKind = "transfer"   // half of a move between two wallets, for a reason
)

// LedgerEntry is one immutable movement of what a tenant is granted. The
// amounts of a tenant's entries add up to its wallet's Granted.
type LedgerEntry struct {
	ID          uuid.UUID
	TenantID    uuid.UUID
	Kind        EntryKind
	Amount      money.Amount // negative takes away
	Granted     money.Amount // in all, this entry included
	Reason      string
	Actor       string
	TransferID  uuid.UUID // both halves of a transfer share it; uuid.Nil for other kinds
	Counterpart uuid.UUID // the other tenant of a transfer: operators alone see it
	CreatedAt   time.Time
}

// NewEntry is what AddEntry adds: a Grant or an Adjustment.
type NewEntry struct {
	TenantID uuid.UUID
	Kind     EntryKind
	Amount   money.Amount
	Reason   string // grants may do without
	// Key makes repeating safe: an entry or transfer with the same key is not
	// made again but returned, or refused as a Conflict where it differs. "":
	// no key.
	Key string
}

// NewTransfer is what TransferQuota moves.
type NewTransfer struct {
	FromTenantID uuid.UUID
	ToTenantID   uuid.UUID
	Amount       money.Amount // > 0
	Reason       string
	Key          string // as of NewEntry
}

type ledgerRow struct {
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
	Key         string       `bun:"idempotency_key,nullzero"` // of a transfer: the giver's entry has it
	CreatedAt   time.Time    `bun:"created_at"`
}

func (r ledgerRow) key() string { return r.ID.String() }

func (r ledgerRow) core() LedgerEntry {
	return LedgerEntry{
		ID: r.ID, TenantID: r.TenantID, Kind: r.Kind, Amount: r.Amount, Granted: r.Granted, Reason: r.Reason, Actor: r.Actor,
		TransferID: r.TransferID, Counterpart: r.Counterpart, CreatedAt: r.CreatedAt,
	}
}

// says reports whether the row has the content of another.
func (r ledgerRow) says(other ledgerRow) bool {
	return r.Kind == other.Kind && r.TenantID == other.TenantID && r.Counterpart == other.Counterpart &&
		r.Amount == other.Amount && r.Reason == other.Reason
}

const (
	maxReason = 1000
	maxKey    = 255
)

func checkReason(reason string, kind EntryKind) error {
	if len(reason) > maxReason {
		return problem.New(problem.InvalidType, "a reason has at most %d bytes", maxReason).At("reason")
	}
	if reason == "" && kind != Grant {
		return problem.New(problem.MissingParameter, "why is needed: an entry that is no grant has a reason").At("reason")
	}
	return nil
}

func checkKey(key string) error {
	if len(key) > maxKey || key != field.Clean(key) {
		return problem.New(problem.InvalidType, "a key has at most %d bytes of text", maxKey).At("Idempotency-Key")
	}
	return nil
}

func (n NewEntry) check() error {
	switch {
	case n.Kind == Grant && n.Amount <= 0:
		return problem.New(problem.InvalidType, "a grant is more than 0: an adjustment takes quota back").At("amount")
	case n.Kind == Adjustment && (n.Amount == 0 || n.Amount < -money.Max):
		return problem.New(problem.InvalidType, "an amount other than 0 is needed").At("amount")
	case n.Kind != Grant && n.Kind != Adjustment:
		return problem.New(problem.InvalidType, "an entry is a grant or an adjustment").At("kind")
	}
	return field.First(checkReason(n.Reason, n.Kind), checkKey(n.Key))
}

func (n NewTransfer) check() error {
	switch {
	case n.Amount <= 0:
		return problem.New(problem.InvalidType, "a transfer is more than 0").At("amount")
	case n.FromTenantID == n.ToTenantID:
		return problem.New(problem.InvalidType, "quota is transferred between two tenants").At("to_tenant_id")
	}
	return field.First(checkReason(n.Reason, Transfer), checkKey(n.Key))
}

// GrantQuota is AddEntry of a grant without a key.
func (s *Store) GrantQuota(ctx context.Context, scope tenant.Scope, tenantID uuid.UUID, amount money.Amount, reason string) (_ LedgerEntry, err error) {
	defer db.Wrap(&err, "grant quota")

	return s.AddEntry(ctx, scope, NewEntry{TenantID: tenantID, Kind: Grant, Amount: amount, Reason: reason})
}

// AddEntry adds an entry and moves the wallet's grant by it. What was granted
// in all stays within 0 and money.Max; it may fall below what was used.
func (s *Store) AddEntry(ctx context.Context, scope tenant.Scope, n NewEntry) (_ LedgerEntry, err error) {
	defer db.Wrap(&err, "add entry")

	if err := field.First(permission.Check(scope, permission.WritePlatform), n.check()); err != nil {
		return LedgerEntry{}, err
	}
	row := ledgerRow{TenantID: n.TenantID, Kind: n.Kind, Amount: n.Amount, Reason: field.Clean(n.Reason), Actor: field.Clean(scope.Name()), Key: n.Key}
	err = s.atomically(ctx, func(tx *Store) error {
		wallets, err := tx.lockWallets(ctx, n.TenantID)
		if err != nil {
			return err
		}
		if _, exists := wallets[n.TenantID]; !exists {
			return db.NoSuch("tenant")
		}
		fresh, err := tx.enter(ctx, &row, wallets)
		if err != nil || !fresh {
			return err
		}
		return tx.auditEntry(ctx, scope, row)
	})
	if err != nil {
		return LedgerEntry{}, err
	}
	return row.core(), nil
}

// TransferQuota moves quota from one tenant's wallet to another's. The giver
// must have as much available: neither used nor in the hands of relays.
func (s *Store) TransferQuota(ctx context.Context, scope tenant.Scope, n NewTransfer) (given, received LedgerEntry, err error) {
	defer db.Wrap(&err, "transfer quota")

	if err := field.First(permission.Check(scope, permission.WritePlatform), n.check()); err != nil {
		return LedgerEntry{}, LedgerEntry{}, err
	}
	transferID, err := uuid.NewV7()
	if err != nil {
		return LedgerEntry{}, LedgerEntry{}, err
	}
	give := ledgerRow{
		TenantID: n.FromTenantID, Counterpart: n.ToTenantID, Kind: Transfer, TransferID: transferID, Amount: -n.Amount,
		Reason: field.Clean(n.Reason), Actor: field.Clean(scope.Name()),
	}
	take := give
	take.TenantID, take.Counterpart, take.Amount = n.ToTenantID, n.FromTenantID, n.Amount
	give.Key = n.Key
	err = s.atomically(ctx, func(tx *Store) error { return tx.transfer(ctx, scope, &give, &take) })
	if err != nil {
		return LedgerEntry{}, LedgerEntry{}, err
	}
	return give.core(), take.core(), nil
}

func (s *Store) transfer(ctx context.Context, scope tenant.Scope, give, take *ledgerRow) error {
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
	fresh, err := s.enter(ctx, give, wallets)
	if err != nil {
		return err
	}
	if !fresh {
		return s.db.NewSelect().Model(take).Where("transfer_id = ?", give.TransferID).Where("tenant_id = ?", take.TenantID).Scan(ctx)
	}
	if available := *from.Granted - from.Used - from.Leased; available < take.Amount {
		return problem.New(problem.Conflict, "the giver has %s available, which is neither used nor in flight", max(0, available)).At("amount")
	}
	if _, err := s.enter(ctx, take, wallets); err != nil {
		return err
	}
	return field.First(s.auditEntry(ctx, scope, *give), s.auditEntry(ctx, scope, *take))
}

// auditEntry notes an entry as quota.grant, quota.adjustment or quota.transfer.
func (s *Store) auditEntry(ctx context.Context, scope tenant.Scope, row ledgerRow) error {
	return s.db.Record(ctx, scope, db.Mutation{Action: "quota." + string(row.Kind), Tenant: row.TenantID, Target: row.TenantID.String(), Detail: field.Changes{
		"amount": row.Amount, "reason": row.Reason, "entry_id": row.ID,
	}})
}

// lockWallets locks the wallets of those of the tenants that there are, in the
// order of their ids, which is the one that everybody keeps.
func (s *Store) lockWallets(ctx context.Context, tenantIDs ...uuid.UUID) (map[uuid.UUID]AccountRow, error) {
	var rows []AccountRow
	q := s.db.NewSelect().Model(&rows).Where("id IN (?)", bun.List(tenantIDs)).Where("kind = ?", quota.Wallet).OrderExpr("id")
	if err := s.db.Lock(q).Scan(ctx); err != nil {
		return nil, err
	}
	wallets := make(map[uuid.UUID]AccountRow, len(rows))
	for _, row := range rows {
		wallets[row.ID] = row
	}
	return wallets, nil
}

// enter adds the entry and moves its wallet, which is locked, by it. Where the
// entry's key stands already, row becomes the entry with it; fresh is false.
// Ids are made under the lock, so that they follow the order of the entries.
func (s *Store) enter(ctx context.Context, row *ledgerRow, wallets map[uuid.UUID]AccountRow) (fresh bool, err error) {
	if repeated, err := s.repeated(ctx, row); err != nil || repeated {
		return false, err
	}
	granted := *wallets[row.TenantID].Granted
	if row.Amount > money.Max-granted || row.Amount < -granted {
		return false, problem.New(problem.InvalidType, "what was granted in all must stay between 0 and %s", money.Max).At("amount")
	}
	if row.ID, err = uuid.NewV7(); err != nil {
		return false, err
	}
	row.Granted, row.CreatedAt = granted+row.Amount, s.db.Now()
	done, err := s.db.NewInsert().Model(row).On("CONFLICT (idempotency_key) DO NOTHING").Exec(ctx)
	if err != nil {
		return false, err
	}
	if inserted, err := done.RowsAffected(); err != nil || inserted == 0 {
		_, found := s.repeated(ctx, row) // by a request at the same time
		return false, errors.Join(err, found)
	}
	_, err = s.db.NewUpdate().Model((*AccountRow)(nil)).Set("granted = ?", row.Granted).Where("id = ?", row.TenantID).Exec(ctx)
	s.db.Announce(db.AccountChanged, row.TenantID)
	return true, err
}

// repeated reports whether there is an entry with the row's key, and reads it
// into row. One that says something else is a Conflict.
func (s *Store) repeated(ctx context.Context, row *ledgerRow) (bool, error) {
	if row.Key == "" {
		return false, nil
	}
	var found ledgerRow
	err := s.db.NewSelect().Model(&found).Where("idempotency_key = ?", row.Key).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err == nil && !found.says(*row) {
		err = problem.New(problem.Conflict, "the key was used for another entry").At("Idempotency-Key")
	}
	if err != nil {
		return false, err
	}
	*row = found
	return true, nil
}

// Ledger lists entries, newest first, of one tenant or of all that the scope
// reaches for uuid.Nil. Who the other tenant of a transfer was, operators
// alone are told.
func (s *Store) Ledger(ctx context.Context, scope tenant.Scope, tenantID uuid.UUID, asked page.Page) (_ page.List[LedgerEntry], err error) {
	defer db.Wrap(&err, "read ledger")

	if err := permission.Check(scope, permission.ReadLedger); err != nil {
		return page.List[LedgerEntry]{}, err
	}
	var found page.List[LedgerEntry]
	err = s.readAs(ctx, scope, func(in *Store) error {
		q, err := db.InTenant(in.db.NewSelect(), scope, tenantID)
		if err != nil {
			return err
		}
		found, err = page.RowsOf(page.NewestFirst, ledgerRow.key, ledgerRow.core).Read(ctx, q, asked)
		return err
	})
	if !scope.Everywhere() {
		for i := range found.Items {
			found.Items[i].Counterpart = uuid.Nil
		}
	}
	return found, err
}
