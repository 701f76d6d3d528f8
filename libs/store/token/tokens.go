package token

import (
	"context"
	"net/netip"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/person"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
)

// NewToken holds the parameters of CreateToken.
type NewToken struct {
	// TenantID is ignored, because the token gets the tenant of its user; the caller chooses ID, because the token's
	// value contains the id
	token.Token
	Hash     token.Hash
	PepperID string        // id of the pepper that Hash was made with
	Cap      *money.Amount // most that the token may spend in all; nil: unlimited
	Caps     quota.Caps    // most that the token may spend in each window
	// Replaces is the token of the same user that the new one replaces, see RetireToken; uuid.Nil: none. Windows are
	// the amounts that the replaced one had left in the present windows of its caps: the new token continues these
	// windows.
	Replaces uuid.UUID
	Windows  quota.Caps
	// Most is the largest number of tokens that the user may have with this one, without revoked ones and those of the
	// playground; 0: any number. It does not apply to a token that replaces another, or of the playground.
	Most int
}

// Patch changes the fields that are not nil. Lists are replaced as a whole: empty Models permit all models of
// the user's group, empty Addresses every address. Both lists of a token that is revoked become empty. Cap is the most
// that the token may spend in all, Caps the same per day, week and month.
type Patch struct {
	Name      *string
	Models    *[]string
	Addresses *[]string
	Status    *token.Status // Revoked is final
	ExpiresAt *time.Time    // zero: never
	Cap       *quotadb.Cap
	Caps      quotadb.CapsPatch
	Limits    limit.Change
}

// Query selects tokens. A zero field selects all, except that revoked tokens must be asked for.
type Query struct {
	TenantID  uuid.UUID    // uuid.Nil: all tenants that the scope reaches
	UserID    uuid.UUID    // uuid.Nil: all users that the scope reaches
	Revoked   bool         // include revoked tokens
	Status    token.Status // "": every status, revoked only if Revoked is true
	page.Page              // a search looks at names, masks and ids
}

// tokenRow is a row of tokens without the hash.
type tokenRow struct {
	bun.BaseModel `bun:"table:tokens,alias:r"`

	ID        uuid.UUID         `bun:"id,pk,type:uuid"`
	TenantID  uuid.UUID         `bun:"tenant_id,type:uuid"`
	UserID    uuid.UUID         `bun:"user_id,type:uuid"`
	Name      string            `bun:"name"`
	Mask      string            `bun:"mask"`
	Models    []string          `bun:"models,type:jsonb"`
	Addresses []netip.Prefix    `bun:"addresses,type:jsonb"`
	Status    token.Status      `bun:"status"`
	ExpiresAt time.Time         `bun:"expires_at,nullzero"`
	CreatedAt time.Time         `bun:"created_at"`
	LastUsed  time.Time         `bun:"last_used,nullzero"` // written by rollup.Store.DrainOutbox
	Purpose   token.Purpose     `bun:"purpose"`
	Limits    field.RateColumns `bun:"embed:limit_"`
	Locked    []string          `bun:"held,type:jsonb"`
}

// hashedToken is a tokenRow with the hash, for the insert. The hash is only compared and never read.
type hashedToken struct {
	bun.BaseModel `bun:"table:tokens,alias:r"`
	tokenRow
	Hash     []byte `bun:"hash"`
	PepperID string `bun:"pepper_id"`
}

func (r tokenRow) key() string { return r.ID.String() }

// core returns the token.
func (r tokenRow) core() token.Token {
	return token.Token{
		ID: r.ID, TenantID: r.TenantID, UserID: r.UserID, Name: r.Name, Mask: r.Mask, Models: r.Models,
		Addresses: r.Addresses,
		Status:    r.Status, ExpiresAt: r.ExpiresAt, CreatedAt: r.CreatedAt, LastUsed: r.LastUsed,
		Purpose: r.Purpose, Limits: r.Limits.Core(), Locked: r.Locked,
	}
}

// capOwner returns the token as the owner of caps.
func (r tokenRow) capOwner() quotadb.CapRow {
	return quotadb.CapRow{OwnerID: r.ID, Kind: quota.TokenCap, TenantID: r.TenantID, UserID: r.UserID}
}

// check returns a problem that names the first invalid field. The name is checked where it is set.
func (r tokenRow) check() error {
	switch r.Status {
	case token.Enabled, token.Disabled, token.Revoked:
	default:
		return problem.New(problem.InvalidType, "status must be one of: enabled, disabled, revoked").At("status")
	}
	if r.Purpose != token.ForCalls && r.Purpose != token.ForPlayground {
		return problem.New(problem.InvalidType, "purpose must be empty or playground").At("purpose")
	}
	return field.First(catalog.CheckPatterns(r.Models), tenant.CheckLimits(r.Limits.Core()))
}

// CreateToken stores a token with the account and the windows of its caps. Owners, admins and operators may
// create tokens for every user that they reach, members for themselves. Operators have no tokens. A value that
// exists already is a Conflict problem; this happens only for imported values. Exceeding n.Most tokens is a Conflict
// problem, too. An empty Status means enabled.
func (s *Store) CreateToken(ctx context.Context, scope tenant.Scope, n NewToken) (_ token.Token, err error) {
	defer db.Wrap(&err, "create token")

	row := tokenRow{
		ID: n.ID, UserID: n.UserID, Name: n.Name, Mask: field.Clean(n.Mask), Models: field.OrEmpty(n.Models),
		Addresses: field.OrEmpty(n.Addresses),
		Status:    n.Status, ExpiresAt: field.Micros(n.ExpiresAt), CreatedAt: s.db.Now(),
		Purpose: n.Purpose, Limits: field.RateColumns(n.Limits), Locked: field.OrEmpty(slices.Clone(n.Locked)),
	}
	if row.Status == "" {
		row.Status = token.Enabled
	}
	if err := field.First(permission.Check(scope, permission.WriteTokens), tenant.CheckName(row.Name), row.check(),
		token.CheckSize(n.Models, n.Addresses), quotadb.CheckCap(n.Cap)); err != nil {
		return token.Token{}, err
	}
	err = s.writeAs(ctx, scope, func(tx *Store) error {
		user, err := person.FindUser(ctx, tx.db, n.UserID)
		if err != nil {
			return err
		}
		if !db.ReachesUser(scope, user.TenantID, user.ID) {
			return db.NoSuch("user")
		}
		if user.Role == tenant.Operator {
			return problem.New(problem.InvalidType, "operators cannot have tokens: choose a user of a tenant").
				At("user_id")
		}
		row.TenantID = user.TenantID
		if err := row.lockNewFields(scope, &n); err != nil {
			return err
		}
		if err := tx.checkNumber(ctx, &n); err != nil {
			return err
		}
		if err := tx.db.Insert(ctx, &hashedToken{tokenRow: row, Hash: n.Hash[:], PepperID: n.PepperID},
			"value"); err != nil {
			return err
		}
		account := quotadb.AccountRow{ID: row.ID, Kind: quota.TokenCap, TenantID: row.TenantID,
			UserID: row.UserID, Granted: n.Cap}
		if err := quotadb.OpenAccount(ctx, tx.db, account); err != nil {
			return err
		}
		detail := field.Changes{"user_id": row.UserID, "name": row.Name, "models": row.Models,
			"addresses": row.Addresses, "quota": n.Cap}
		if row.Purpose != token.ForCalls {
			detail["purpose"] = row.Purpose
		}
		field.NoteRates(detail, n.Limits)
		if err := quotadb.SetCaps(ctx, tx.db, row.capOwner(), nil, quotadb.CapsAt(n.Caps), detail); err != nil {
			return err
		}
		// After SetCaps: it opens the windows of the caps that SetCaps has stored.
		if err := quotadb.InheritWindows(ctx, tx.db, row.capOwner(), n.Windows); err != nil {
			return err
		}
		tx.db.Announce(db.TokenChanged, row.ID)
		return tx.db.Record(ctx, scope, db.Mutation{Action: "token.create", Tenant: row.TenantID,
			Target: row.ID.String(), Detail: detail})
	})
	if err != nil {
		return token.Token{}, err
	}
	return row.core(), nil
}

// checkNumber returns a Conflict problem if the user has n.Most tokens. It locks the
// user until the end of the transaction, so that two tokens cannot pass it at once.
func (s *Store) checkNumber(ctx context.Context, n *NewToken) error {
	if n.Most == 0 || n.Replaces != uuid.Nil || n.Purpose != token.ForCalls {
		return nil
	}
	if err := person.LockCounted(ctx, s.db, n.UserID); err != nil {
		return err
	}
	count, err := s.db.NewSelect().Model((*tokenRow)(nil)).
		Where("user_id = ?", n.UserID).Where("status <> ?", token.Revoked).Where("purpose = ?", token.ForCalls).
		Count(ctx)
	if err == nil && count >= int64(n.Most) {
		err = problem.New(problem.Conflict, "A user can have at most %d tokens (TOLLGATE_MAX_TOKENS_PER_USER). "+
			"Revoke tokens that are not used any more.", n.Most).At("user_id")
	}
	return err
}

// UpdateToken changes a token that the scope reaches, or returns a NotFound problem. Changing a revoked token
// is a Conflict problem, but revoking it again does nothing.
func (s *Store) UpdateToken(ctx context.Context, scope tenant.Scope, id uuid.UUID, p Patch) (_ token.Token, err error) {
	defer db.Wrap(&err, "update token")

	if err := permission.Check(scope, permission.WriteTokens); err != nil {
		return token.Token{}, err
	}
	var row tokenRow
	err = s.writeAs(ctx, scope, func(tx *Store) error {
		if err := tx.lock(ctx, scope, &row, id); err != nil {
			return err
		}
		// The patch is applied before the check for revoked tokens: a patch that changes nothing is fine for them.
		isRevoked := row.Status == token.Revoked
		changes, err := row.apply(p)
		if err != nil {
			return err
		}
		if err := field.First(changes.Check("name", tenant.CheckName(row.Name)), row.check(),
			row.checkSize(changes)); err != nil {
			return err
		}
		if isRevoked && (len(changes) > 0 || p.Cap != nil || p.Caps != quotadb.CapsPatch{}) {
			return problem.New(problem.Conflict, "the token is revoked")
		}
		return tx.saveToken(ctx, scope, &row, tokenChange{changes: changes, cap: p.Cap, caps: p.Caps})
	})
	if err != nil {
		return token.Token{}, err
	}
	return row.core(), nil
}

// RetireToken revokes a token that the scope reaches, and returns it as it was before with what its accounts had left,
// which they lose: it is for the token that replaces it. It returns a NotFound problem for another token. A token that
// is revoked already is a Conflict problem, so of concurrent calls one succeeds.
func (s *Store) RetireToken(ctx context.Context, scope tenant.Scope,
	id uuid.UUID) (previous token.Token, rest quotadb.Rest, err error) {
	defer db.Wrap(&err, "retire token")

	if err := permission.Check(scope, permission.WriteTokens); err != nil {
		return token.Token{}, quotadb.Rest{}, err
	}
	err = s.writeAs(ctx, scope, func(tx *Store) error {
		var row tokenRow
		if err := tx.lock(ctx, scope, &row, id); err != nil {
			return err
		}
		if row.Status == token.Revoked {
			return problem.New(problem.Conflict, "The token is already revoked. Create a new one.")
		}
		previous = row.core()
		if rest, err = quotadb.TakeRest(ctx, tx.db, row.capOwner()); err != nil {
			return err
		}
		status := token.Revoked
		changes, err := row.apply(Patch{Status: &status})
		if err != nil {
			return err
		}
		return tx.saveToken(ctx, scope, &row, tokenChange{changes: changes})
	})
	return previous, rest, err
}

// lock reads a token that the scope reaches, and locks it until the end of the transaction.
func (s *Store) lock(ctx context.Context, scope tenant.Scope, row *tokenRow, id uuid.UUID) error {
	if err := s.db.Lock(s.db.NewSelect().Model(row).Where("id = ?", id)).Scan(ctx); err != nil {
		return db.Missing(err, "token")
	}
	if !db.ReachesUser(scope, row.TenantID, row.UserID) {
		return db.NoSuch("token")
	}
	return nil
}

// apply sets the fields of the patch in the row and returns those that differ.
func (r *tokenRow) apply(p Patch) (field.Changes, error) {
	changes := field.Changes{}
	field.Assign(changes, "name", &r.Name, p.Name)
	field.AssignList(changes, "models", &r.Models, p.Models)
	field.Assign(changes, "status", &r.Status, p.Status)
	r.Limits.Assign(changes, p.Limits)
	if p.Addresses != nil {
		addresses, err := token.ParseAddresses(*p.Addresses)
		if err != nil {
			return nil, err
		}
		field.AssignList(changes, "addresses", &r.Addresses, &addresses)
	}
	if p.ExpiresAt != nil && !field.Micros(*p.ExpiresAt).Equal(r.ExpiresAt) {
		before := r.ExpiresAt
		r.ExpiresAt = field.Micros(*p.ExpiresAt)
		changes.Note("expires_at", before, r.ExpiresAt)
	}
	r.Models, r.Addresses = field.OrEmpty(r.Models), field.OrEmpty(r.Addresses)
	return changes, nil
}

// checkSize returns an InvalidType problem if a list is too long that changes. A longer one
// that a token had before there was a bound stays valid.
func (r *tokenRow) checkSize(changes field.Changes) error {
	if changes["models"] == nil && changes["addresses"] == nil {
		return nil
	}
	return token.CheckSize(r.Models, r.Addresses)
}

// tokenChange holds the values that saveToken stores besides the row: the changed fields, for the audit log,
// and caps.
type tokenChange struct {
	changes field.Changes
	cap     *quotadb.Cap
	caps    quotadb.CapsPatch
}

// saveToken stores the changed fields and caps, and writes the audit log and the change feed if anything
// changed. A revoked token loses its lists: its row is never deleted, so frequent rotations would fill the database
// with them.
func (s *Store) saveToken(ctx context.Context, scope tenant.Scope, row *tokenRow, c tokenChange) error {
	if err := quotadb.SetCaps(ctx, s.db, row.capOwner(), c.cap, c.caps, c.changes); err != nil || len(c.changes) == 0 {
		return err
	}
	if err := row.lockFields(scope, c.changes); err != nil { // the transaction ends, and the caps stay as they were
		return err
	}
	if row.Status == token.Revoked {
		row.Models, row.Addresses = []string{}, []netip.Prefix{}
	}
	_, err := s.db.NewUpdate().Model(row).Column("name", "models", "addresses", "status", "expires_at", "held").
		Column(field.RateNames[:]...).WherePK().Exec(ctx)
	if err != nil {
		return err
	}
	s.db.Announce(db.TokenChanged, row.ID)
	return s.db.Record(ctx, scope, db.Mutation{Action: "token.update", Tenant: row.TenantID, Target: row.ID.String(),
		Detail: c.changes})
}

// Token returns a token that the scope reaches, or a NotFound problem.
func (s *Store) Token(ctx context.Context, scope tenant.Scope, id uuid.UUID) (_ token.Token, err error) {
	defer db.Wrap(&err, "read token")

	if err := permission.Check(scope, permission.ReadTokens); err != nil {
		return token.Token{}, err
	}
	var row tokenRow
	err = s.readAs(ctx, scope, func(in *Store) error {
		return in.db.NewSelect().Model(&row).Where("id = ?", id).Scan(ctx)
	})
	if err != nil {
		return token.Token{}, db.Missing(err, "token")
	}
	if !db.ReachesUser(scope, row.TenantID, row.UserID) {
		return token.Token{}, db.NoSuch("token")
	}
	return row.core(), nil
}

// TokenByHash returns the token of any status that has one of the hashes, or a NotFound problem if the scope reaches
// none.
func (s *Store) TokenByHash(ctx context.Context, scope tenant.Scope, hashes []token.Hash) (_ token.Token, err error) {
	defer db.Wrap(&err, "read token by its hash")

	if err := permission.Check(scope, permission.ReadTokens); err != nil {
		return token.Token{}, err
	}
	values := make([][]byte, 0, len(hashes))
	for _, hash := range hashes {
		values = append(values, hash[:])
	}
	var row tokenRow
	err = s.readAs(ctx, scope, func(in *Store) error {
		return in.db.NewSelect().Model(&row).Where("hash IN (?)", bun.List(values)).Scan(ctx)
	})
	if err != nil {
		return token.Token{}, db.Missing(err, "token")
	}
	if !db.ReachesUser(scope, row.TenantID, row.UserID) {
		return token.Token{}, db.NoSuch("token")
	}
	return row.core(), nil
}

// tokenRows are newest first, unless they are sorted by creation, name or last use.
func tokenRows() page.Rows[tokenRow, token.Token] {
	return page.RowsOf(page.NewestFirst, tokenRow.key, tokenRow.core).SortedBy(
		page.Text("name", func(r tokenRow) string { return r.Name }),
		page.Time("last_used", func(r tokenRow) time.Time { return r.LastUsed }),
	)
}

// Tokens lists the tokens that the scope reaches and the query selects, newest first. They can be sorted by created_at,
// name and last_used. A token that is used or renamed while a caller reads the pages may move between them.
func (s *Store) Tokens(ctx context.Context, scope tenant.Scope, query Query) (_ page.List[token.Token], err error) {
	defer db.Wrap(&err, "read tokens")

	if err := permission.Check(scope, permission.ReadTokens); err != nil {
		return page.List[token.Token]{}, err
	}
	var list page.List[token.Token]
	err = s.readAs(ctx, scope, func(in *Store) error {
		q, err := db.InTenant(in.db.NewSelect(), scope, query.TenantID)
		if err != nil {
			return err
		}
		q = db.OfUser(q, scope, query.UserID)
		// Most lists leave out revoked tokens, whose number only grows.
		switch {
		case query.Status != "":
			q = q.Where("r.status = ?", query.Status)
		case !query.Revoked:
			q = q.Where("r.status <> ?", token.Revoked)
		}
		list, err = tokenRows().
			Search(ctx, in.db, q, query.Page, page.Fields{Texts: []string{"name"}, Exact: []string{"mask"}})
		return err
	})
	return list, err
}

// TokenNames returns the names of the given tokens by id, revoked ones included. It leaves out tokens that the
// scope does not reach.
func (s *Store) TokenNames(ctx context.Context, scope tenant.Scope,
	ids []uuid.UUID) (_ map[uuid.UUID]string, err error) {
	defer db.Wrap(&err, "read token names")

	if err := permission.Check(scope, permission.ReadTokens); err != nil {
		return nil, err
	}
	names := make(map[uuid.UUID]string, len(ids))
	if len(ids) == 0 {
		return names, nil
	}
	var rows []tokenRow
	err = s.readAs(ctx, scope, func(in *Store) error {
		q, err := db.InTenant(in.db.NewSelect().Model(&rows).Column("id", "name"), scope, uuid.Nil)
		if err != nil {
			return err
		}
		return db.OfUser(q, scope, uuid.Nil).Where("r.id IN (?)", bun.List(ids)).Scan(ctx)
	})
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		names[row.ID] = row.Name
	}
	return names, nil
}

// callerRow joins a token with its user, its tenant and the accounts of both caps, in one statement.
type callerRow struct {
	bun.BaseModel `bun:"table:tokens,alias:r"`
	tokenRow

	User        *person.UserRow     `bun:"rel:belongs-to,join:user_id=id"`
	Tenant      *person.TenantRow   `bun:"rel:belongs-to,join:tenant_id=id"`
	UserAccount *quotadb.AccountRow `bun:"rel:belongs-to,join:user_id=id"`
	OwnAccount  *quotadb.AccountRow `bun:"rel:belongs-to,join:id=id"`
}

// Caller (system scope) returns the token with the hash together with its user, its tenant and the limits of
// its spending. It returns tokens of every status: the caller checks token.Caller.Usable. It returns a NotFound
// problem if there is no such token. Relays cache the result until the change feed names the token, the user,
// the tenant or an account.
func (s *Store) Caller(ctx context.Context, scope tenant.Scope, hash token.Hash) (_ *token.Caller, err error) {
	defer db.Wrap(&err, "read caller")

	if err := permission.Program(scope); err != nil {
		return nil, err
	}
	var row callerRow
	err = s.db.NewSelect().Model(&row).Relation("User").Relation("Tenant").Relation("UserAccount").
		Relation("OwnAccount").
		Where("r.hash = ?", slices.Clone(hash[:])).Scan(ctx)
	if err != nil {
		return nil, db.Missing(err, "token")
	}
	caps, err := quotadb.CapsOf(ctx, s.db, []uuid.UUID{row.TenantID, row.UserID, row.ID})
	if err != nil {
		return nil, err
	}
	limits := row.limits(caps)
	remaining, err := quotadb.RemainingOf(ctx, s.db, limits, caps)
	if err != nil {
		return nil, err
	}
	return &token.Caller{
		Token: row.tokenRow.core(), User: row.User.Core(), Tenant: row.Tenant.Core(), Limits: limits,
		Remaining: remaining,
	}, nil
}

// limits returns the limits of the token's spending, in the order of token.Caller.Limits. The tenant's quota
// always limits; the caps of the user and the token do if they are set.
func (r callerRow) limits(caps map[uuid.UUID]quota.Caps) []quota.Limit {
	limits := []quota.Limit{{Owner: r.TenantID, Kind: quota.Wallet}}
	limits = quotadb.AppendWindows(limits, quotadb.OfTenant(r.TenantID), caps[r.TenantID])
	if r.UserAccount.Granted != nil {
		limits = append(limits, quota.Limit{Owner: r.UserID, Kind: quota.UserCap})
	}
	limits = quotadb.AppendWindows(limits, quotadb.OfUser(r.TenantID, r.UserID), caps[r.UserID])
	if r.OwnAccount.Granted != nil {
		limits = append(limits, quota.Limit{Owner: r.ID, Kind: quota.TokenCap})
	}
	return quotadb.AppendWindows(limits, r.tokenRow.capOwner(), caps[r.ID])
}
