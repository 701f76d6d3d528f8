// Package erase deletes the personal data of a user, or of all users of a tenant, on request. The bills stay: usage
// logs, rollups, accounts and the ledger name the user by id alone, and the row of the user stays without personal
// data, so that all ids still mean something.
//
// The list of personal data is rules in rules.go, what package alert erases, and the mails that wait. A test finds
// tables and columns that nobody has decided about.
//
// A user is erased in one transaction, and a tenant user by user: an interrupted erasure is continued by another one.
// An erasure may be repeated. It then finds what calls in flight stored after the first one.
package erase

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/email"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/person"
)

// Store erases users and tenants. It is safe for concurrent use unless it was made from a transaction.
type Store struct {
	db     *db.DB
	alerts Alerts
}

// Alerts erases what alerts know about a user, in the caller's transaction. It calls add with the number of rows of
// each kind.
type Alerts func(ctx context.Context, tx *db.DB, tenantID, userID uuid.UUID, add func(what string, rows int64)) error

// New returns the Store over a database, or over a transaction on it.
func New(d *db.DB, alerts Alerts) *Store { return &Store{db: d, alerts: alerts} }

// Request says how to erase.
type Request struct {
	// DryRun counts what an erasure would delete: it does the same and rolls it back.
	DryRun bool
	// Recipient returns the address that a waiting mail goes to, given its id and its sealed content, and "" for a mail
	// that it cannot open.
	Recipient func(id uuid.UUID, ciphertext []byte) string
}

// Erased says what was deleted of one user or of one tenant.
type Erased struct {
	ID       uuid.UUID   // of the user or the tenant
	TenantID uuid.UUID   // of the user; uuid.Nil for operators
	Name     string      // address of the user or slug of the tenant, as it was before
	Role     tenant.Role // of the user
	Rows     []Rows      // in the order of the rules, only those with rows
	// Elsewhere is the number of invitations with the address of the user in other tenants. They are data of these
	// tenants and stay.
	Elsewhere int64
}

// Rows is a number of deleted or changed rows of one kind.
type Rows struct {
	What string // such as "sessions"
	N    int64
}

// add adds to the number of rows of a kind.
func (e *Erased) add(what string, n int64) {
	if n == 0 {
		return
	}
	at := slices.IndexFunc(e.Rows, func(r Rows) bool { return r.What == what })
	if at < 0 {
		e.Rows, at = append(e.Rows, Rows{What: what}), len(e.Rows)
	}
	e.Rows[at].N += n
}

// detail returns the numbers for the audit log.
func (e *Erased) detail() field.Changes {
	numbers := field.Changes{}
	for _, r := range e.Rows {
		numbers[r.What] = r.N
	}
	return numbers
}

// errDryRun rolls the transaction of a dry run back.
var errDryRun = errors.New("nothing is erased in a dry run")

// Users (system scope) returns the users with the address, also those who only claim it, or the user with the id,
// oldest first.
func (s *Store) Users(ctx context.Context, scope tenant.Scope, who string) (users []tenant.User, err error) {
	defer db.Wrap(&err, "find the users to erase")

	if err := permission.Program(scope); err != nil {
		return nil, err
	}
	var rows []person.UserRow
	q := s.db.NewSelect().Model(&rows).OrderExpr("id")
	if id, notID := uuid.Parse(who); notID == nil {
		q = q.Where("id = ?", id)
	} else {
		q = q.Where("address = ?", field.Clean(email.Normalize(who)))
	}
	if err := q.Scan(ctx); err != nil {
		return nil, err
	}
	for _, row := range rows {
		users = append(users, row.Core())
	}
	return users, nil
}

// User (system scope) erases a user in one transaction. The user's sessions, tokens and access keys end with its
// commit. The last enabled owner of a tenant and the last enabled operator are a Conflict problem.
func (s *Store) User(ctx context.Context, scope tenant.Scope, id uuid.UUID, r Request) (result Erased, err error) {
	defer db.Wrap(&err, "erase user")

	if err := permission.Program(scope); err != nil {
		return Erased{}, err
	}
	return result, s.atomically(ctx, r, func(tx *Store) error {
		row, isLast, err := tx.lock(ctx, id)
		if err != nil {
			return err
		}
		if isLast {
			return problem.New(problem.Conflict,
				"the last enabled %s cannot be erased: give the role to somebody else first", row.Role)
		}
		result, err = tx.user(ctx, scope, row, r)
		return err
	})
}

// Tenant (system scope) disables a tenant, erases its users one after the other, and then what else is personal of the
// tenant, its name and slug among it. It calls visit with every user that was erased. After an error, another call
// continues. A dry run is one transaction, which locks all users of the tenant.
func (s *Store) Tenant(ctx context.Context, scope tenant.Scope, id uuid.UUID, r Request,
	visit func(Erased)) (result Erased, err error) {
	defer db.Wrap(&err, "erase tenant")

	if err := permission.Program(scope); err != nil {
		return Erased{}, err
	}
	if r.DryRun {
		return result, s.atomically(ctx, r, func(tx *Store) error {
			result, err = tx.Tenant(ctx, scope, id, Request{Recipient: r.Recipient}, visit)
			return err
		})
	}
	// The tenant is disabled first, so that nobody works in it while its users are erased.
	if err := s.atomically(ctx, r, func(tx *Store) error { return tx.disable(ctx, scope, id) }); err != nil {
		return Erased{}, err
	}
	var users []uuid.UUID
	if err := s.db.NewSelect().Model((*person.UserRow)(nil)).Column("id").Where("tenant_id = ?", id).OrderExpr("id").
		Scan(ctx, &users); err != nil {
		return Erased{}, err
	}
	for _, user := range users {
		var member Erased
		err := s.atomically(ctx, r, func(tx *Store) error {
			row, _, err := tx.lock(ctx, user)
			if err == nil {
				member, err = tx.user(ctx, scope, row, r)
			}
			return err
		})
		if err != nil {
			return Erased{}, err
		}
		visit(member)
	}
	return result, s.atomically(ctx, r, func(tx *Store) error {
		result, err = tx.tenant(ctx, scope, id)
		return err
	})
}

// atomically runs do in one transaction, which a dry run rolls back.
func (s *Store) atomically(ctx context.Context, r Request, do func(*Store) error) error {
	err := s.db.Atomically(ctx, func(tx *db.DB) error {
		if err := do(New(tx, s.alerts)); err != nil {
			return err
		}
		if r.DryRun {
			return errDryRun
		}
		return nil
	})
	if errors.Is(err, errDryRun) {
		return nil
	}
	return err
}

// lock locks a user as person.LockUser does.
func (s *Store) lock(ctx context.Context, id uuid.UUID) (row person.UserRow, isLast bool, err error) {
	if row, err = person.FindUser(ctx, s.db, id); err != nil {
		return row, false, err
	}
	return person.LockUser(ctx, s.db, row)
}

// user erases a user whom the caller has locked.
func (s *Store) user(ctx context.Context, scope tenant.Scope, row person.UserRow,
	r Request) (result Erased, err error) {
	before := row.Core()
	result = Erased{ID: row.ID, TenantID: row.TenantID, Name: before.Email, Role: row.Role}
	who := subject{user: row.ID, tenant: row.TenantID, address: before.Email}
	if err := s.tokens(ctx, who, &result); err != nil {
		return result, err
	}
	if err := s.alerts(ctx, s.db, row.TenantID, row.ID, result.add); err != nil {
		return result, err
	}
	if err := s.apply(ctx, ofUser[:], who, &result); err != nil {
		return result, err
	}
	if err := s.mails(ctx, who, r, &result); err != nil {
		return result, err
	}
	if err := s.strip(ctx, row, &result); err != nil {
		return result, err
	}
	elsewhere, err := s.db.NewSelect().Table("invitations").Where("email = ?", who.address).
		Where("tenant_id IS DISTINCT FROM ?", who.ofTenant()).Count(ctx)
	if result.Elsewhere = elsewhere; err != nil || len(result.Rows) == 0 {
		return result, err
	}
	s.db.Announce(db.UserChanged, row.ID)
	return result, s.db.Record(ctx, scope,
		db.Mutation{Action: "user.erase", Tenant: row.TenantID, Target: row.ID.String(), Detail: result.detail()})
}

// strip removes the personal data of the row of a user, and disables the user.
func (s *Store) strip(ctx context.Context, row person.UserRow, result *Erased) error {
	if row.Erased() {
		return nil
	}
	row.Address, row.OwnedAt, row.Proof = person.ErasedEmail(row.ID), time.Time{}, tenant.Unproven
	row.Language, row.Status = "", tenant.Disabled
	if _, err := s.db.NewUpdate().Model(&row).Column("address", "owned_at", "proof", "language", "status").
		Set("password_hash = ''").WherePK().Exec(ctx); err != nil {
		return err
	}
	result.add("users", 1)
	return nil
}

// mails deletes the waiting mails to the user. There are few: see job.MaxMails. Mails of people who are not signed in
// have no tenant.
func (s *Store) mails(ctx context.Context, who subject, r Request, result *Erased) error {
	var rows []struct {
		ID      uuid.UUID
		Content []byte
	}
	if err := s.db.NewSelect().Table("mails").Column("id", "content").Where("tenant_id IS NULL OR tenant_id = ?",
		who.tenant).OrderExpr("id").Scan(ctx, &rows); err != nil {
		return err
	}
	var theirs []uuid.UUID
	for _, row := range rows {
		if email.Normalize(r.Recipient(row.ID, row.Content)) == who.address {
			theirs = append(theirs, row.ID)
		}
	}
	if len(theirs) == 0 {
		return nil
	}
	n, err := affected(s.db.NewDelete().Table("mails").Where("id IN (?)", bun.List(theirs)).Exec(ctx))
	result.add("waiting mails", n)
	return err
}

// tokens revokes the tokens of the user and removes their names, models and addresses. Relays learn of it from the
// change feed.
func (s *Store) tokens(ctx context.Context, who subject, result *Erased) error {
	var ids []uuid.UUID
	err := s.db.NewRaw("UPDATE tokens SET status = ?, name = ?, models = '[]', addresses = '[]' WHERE user_id = ? AND "+
		"(status <> ? OR name <> ?) RETURNING id",
		revoked, person.ErasedName, who.user, revoked, person.ErasedName).Scan(ctx, &ids)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	for _, id := range ids {
		s.db.Announce(db.TokenChanged, id)
	}
	result.add("tokens", int64(len(ids)))
	return nil
}

// disable disables a tenant, whose users then reach nothing.
func (s *Store) disable(ctx context.Context, scope tenant.Scope, id uuid.UUID) error {
	row, err := s.lockTenant(ctx, id)
	if err != nil || row.Status == tenant.Disabled {
		return err
	}
	changes, status := field.Changes{}, tenant.Disabled
	field.Assign(changes, "status", &row.Status, &status)
	if _, err := s.db.NewUpdate().Model(&row).Column("status").WherePK().Exec(ctx); err != nil {
		return err
	}
	s.db.Announce(db.TenantChanged, id)
	return s.db.Record(ctx, scope, db.Mutation{Action: "tenant.update", Tenant: id, Target: id.String(),
		Detail: changes})
}

// lockTenant reads and locks a tenant.
func (s *Store) lockTenant(ctx context.Context, id uuid.UUID) (row person.TenantRow, err error) {
	err = s.db.Lock(s.db.NewSelect().Model(&row).Where("id = ?", id)).Scan(ctx)
	return row, db.Missing(err, "tenant")
}

// tenant erases what is personal of a tenant without users.
func (s *Store) tenant(ctx context.Context, scope tenant.Scope, id uuid.UUID) (result Erased, err error) {
	row, err := s.lockTenant(ctx, id)
	if err != nil {
		return result, err
	}
	result = Erased{ID: id, TenantID: id, Name: row.Slug}
	if err := s.apply(ctx, ofTenant[:], subject{tenant: id}, &result); err != nil {
		return result, err
	}
	if !row.Erased() {
		row.Slug, row.Name, row.MetadataTags, row.Status = person.ErasedSlug(id), person.ErasedName, "", tenant.Disabled
		if _, err := s.db.NewUpdate().Model(&row).Column("slug", "name", "metadata_tags", "status").WherePK().
			Exec(ctx); err != nil {
			return result, err
		}
		result.add("tenants", 1)
	}
	if len(result.Rows) == 0 {
		return result, nil
	}
	s.db.Announce(db.TenantChanged, id)
	return result, s.db.Record(ctx, scope, db.Mutation{Action: "tenant.erase", Tenant: id, Target: id.String(),
		Detail: result.detail()})
}

// affected returns the number of rows that a statement changed.
func affected(result sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Total returns the number of all rows.
func (e *Erased) Total() (sum int64) {
	for _, r := range e.Rows {
		sum += r.N
	}
	return sum
}

// Title returns the role for a user and "tenant" for a tenant.
func (e *Erased) Title() string { return cmp.Or(string(e.Role), "tenant") }
