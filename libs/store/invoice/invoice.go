// Package invoice stores the billing accounts at providers, and what the providers say that they charged.
//
//	console   creates and changes accounts, and stores uploaded files; it writes billing credentials and cannot read them
//	worker    claims accounts that are due, fetches their charges, and stores the report or the failure
//
// Only operators and programs may call the methods. The credential of an account is sealed. Only Claim returns it, and
// with a database role for each program, only the worker's role may read its column.
package invoice

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/invoice"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/person"
)

// Store reads and writes billing accounts and their charges.
type Store struct{ db *db.DB }

// New returns the Store on a database, or on a transaction.
func New(d *db.DB) *Store { return &Store{db: d} }

// atomically runs a function as db.DB.Atomically does, with a Store on the transaction.
func (s *Store) atomically(ctx context.Context, do func(*Store) error) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return do(New(tx)) })
}

// Credential is a sealed billing credential.
type Credential struct {
	Sealed []byte
	With   string // name of the key that sealed it, see seal.Sealer.BillingKey
}

// accountRow is a row of billing_accounts without the credential, which most roles must not read.
type accountRow struct {
	bun.BaseModel `bun:"table:billing_accounts,alias:r"`

	ID         uuid.UUID        `bun:"id,pk,type:uuid"`
	Name       string           `bun:"name"`
	Provider   invoice.Provider `bun:"provider"`
	BaseURL    string           `bun:"base_url"`
	Status     tenant.Status    `bun:"status"`
	Channels   []uuid.UUID      `bun:"channels,type:jsonb"`
	Keys       []invoice.Key    `bun:"keys,type:jsonb"`
	SealedWith string           `bun:"sealed_with"`
	CreatedAt  time.Time        `bun:"created_at"`
	UpdatedAt  time.Time        `bun:"updated_at"`
	DueAt      time.Time        `bun:"due_at"`
	FetchedAt  time.Time        `bun:"fetched_at,nullzero"`
	Failures   int              `bun:"failures"`
	Error      string           `bun:"error"`
}

// secretRow is a row of billing_accounts with the credential.
type secretRow struct {
	accountRow `bun:",extend"`

	Credential []byte `bun:"credential"`
}

func (r accountRow) key() string { return r.ID.String() }

func (r accountRow) core() invoice.Account {
	a := invoice.Account{
		ID: r.ID, Name: r.Name, Provider: r.Provider, BaseURL: r.BaseURL, Status: r.Status,
		Channels: r.Channels, Keys: r.Keys,
		Credential: r.SealedWith != "", CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
		DueAt: r.DueAt.UTC(), Error: r.Error,
	}
	if !r.FetchedAt.IsZero() {
		a.FetchedAt = r.FetchedAt.UTC()
	}
	return a
}

// CreateAccount stores an account, which is due at once. credential is nil for an account without one. A name that
// exists already is a Conflict problem.
func (s *Store) CreateAccount(ctx context.Context, scope tenant.Scope, a invoice.Account,
	credential *Credential) (_ invoice.Account, err error) {
	defer db.Wrap(&err, "create billing account")

	now := s.db.Now()
	row := secretRow{accountRow: accountRow{
		ID: a.ID, Name: a.Name, Provider: a.Provider, BaseURL: a.BaseURL, Status: tenant.OrEnabled(a.Status),
		Channels: field.OrEmpty(a.Channels),
		Keys:     field.OrEmpty(a.Keys), CreatedAt: now, UpdatedAt: now, DueAt: now,
	}}
	if row.ID == uuid.Nil {
		if row.ID, err = uuid.NewV7(); err != nil {
			return invoice.Account{}, err
		}
	}
	if credential != nil {
		row.Credential, row.SealedWith = credential.Sealed, credential.With
	}
	account := row.core()
	if err := field.First(permission.Check(scope, permission.WritePlatform), account.Check(),
		checkCredential(&account, credential)); err != nil {
		return invoice.Account{}, err
	}
	err = s.atomically(ctx, func(tx *Store) error {
		if err := field.First(tx.checkRoom(ctx), tx.checkChannels(ctx, row.Channels)); err != nil {
			return err
		}
		if err := tx.db.Insert(ctx, &row, "name"); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "billing_account.create", Target: row.ID.String(),
			Detail: field.Changes{
				"name": row.Name, "provider": row.Provider, "base_url": row.BaseURL, "status": row.Status,
				"channels": row.Channels,
				"keys":     row.Keys, "credential": credential != nil,
			}})
	})
	if err != nil {
		return invoice.Account{}, err
	}
	return account, nil
}

// checkCredential refuses a credential for an account that is never fetched.
func checkCredential(a *invoice.Account, credential *Credential) error {
	if credential != nil && a.Provider == invoice.Upload {
		return problem.New(problem.InvalidType, "an account of CSV files has no credential").At("credential")
	}
	return nil
}

// checkRoom returns a Conflict problem if there are as many accounts as there may be. It locks the operators until the
// transaction ends, so that two accounts cannot take the last place.
func (s *Store) checkRoom(ctx context.Context) error {
	if err := person.LockCountedOfTenant(ctx, s.db, uuid.Nil); err != nil {
		return err
	}
	n, err := s.db.NewSelect().Table("billing_accounts").Count(ctx)
	if err == nil && n >= invoice.MaxAccounts {
		return problem.New(problem.Conflict, "there may be at most %d billing accounts", invoice.MaxAccounts)
	}
	return err
}

// checkChannels returns an InvalidType problem unless all channels exist.
func (s *Store) checkChannels(ctx context.Context, ids []uuid.UUID) error {
	if len(ids) == 0 {
		return nil
	}
	n, err := s.db.NewSelect().Table("channels").Where("id IN (?)", bun.List(ids)).Count(ctx)
	if err == nil && int(n) != len(ids) {
		return problem.New(problem.InvalidType, "channels must be ids of channels that exist").At("channels")
	}
	return err
}

// Patch changes the fields that are not nil.
type Patch struct {
	Name       *string
	BaseURL    *string
	Status     *tenant.Status
	Channels   *[]uuid.UUID
	Keys       *[]invoice.Key
	Credential *Credential // replaces the stored one
}

// UpdateAccount changes an account, or returns a NotFound problem. The account is due at once.
//
// A change of BaseURL drops the stored credential, unless the patch has a Credential: a credential was given for one
// address, and must not be sent to another one by a person who cannot read it.
func (s *Store) UpdateAccount(ctx context.Context, scope tenant.Scope, id uuid.UUID,
	p Patch) (_ invoice.Account, err error) {
	defer db.Wrap(&err, "update billing account")

	if err := permission.Check(scope, permission.WritePlatform); err != nil {
		return invoice.Account{}, err
	}
	var row secretRow // the credential stays nil: it is written, and never read
	err = s.atomically(ctx, func(tx *Store) error {
		if err := tx.db.Lock(tx.db.NewSelect().Model(&row.accountRow).Where("id = ?", id)).Scan(ctx); err != nil {
			return db.Missing(err, "billing account")
		}
		before := row.core()
		changes := row.apply(p)
		account := row.core()
		if err := field.First(account.Check(), checkCredential(&account, p.Credential)); err != nil ||
			len(changes) == 0 {
			return err
		}
		if p.Channels != nil {
			if err := tx.checkChannels(ctx, row.Channels); err != nil {
				return err
			}
		}
		columns := []string{"name", "base_url", "status", "channels", "keys", "updated_at", "due_at"}
		switch {
		case p.Credential != nil:
			row.Credential, row.SealedWith = p.Credential.Sealed, p.Credential.With
			changes["credential"] = true
			columns = append(columns, "credential", "sealed_with")
		case row.BaseURL != before.BaseURL && before.Credential:
			row.Credential, row.SealedWith = nil, ""
			changes["credential"] = false
			columns = append(columns, "credential", "sealed_with")
		}
		row.UpdatedAt = tx.db.Now()
		row.DueAt = row.UpdatedAt
		if err := tx.db.Update(ctx, tx.db.NewUpdate().Model(&row).Column(columns...), "name"); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "billing_account.update", Target: id.String(),
			Detail: changes})
	})
	if err != nil {
		return invoice.Account{}, err
	}
	return row.core(), nil
}

// apply sets the fields of the patch in the row and returns those that differ.
func (r *secretRow) apply(p Patch) field.Changes {
	changes := field.Changes{}
	field.Assign(changes, "name", &r.Name, p.Name)
	field.Assign(changes, "base_url", &r.BaseURL, p.BaseURL)
	field.Assign(changes, "status", &r.Status, p.Status)
	field.AssignList(changes, "channels", &r.Channels, p.Channels)
	field.AssignList(changes, "keys", &r.Keys, p.Keys)
	if p.Credential != nil { // sealing is randomized: a given credential always counts as a change
		changes["credential"] = true
	}
	return changes
}

// DeleteAccount deletes an account with its charges, or returns a NotFound problem.
func (s *Store) DeleteAccount(ctx context.Context, scope tenant.Scope, id uuid.UUID) (err error) {
	defer db.Wrap(&err, "delete billing account")

	if err := permission.Check(scope, permission.WritePlatform); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		var row accountRow
		if err := tx.db.Lock(tx.db.NewSelect().Model(&row).Where("id = ?", id)).Scan(ctx); err != nil {
			return db.Missing(err, "billing account")
		}
		// The foreign keys delete the charges.
		if _, err := tx.db.NewDelete().Model(&row).WherePK().Exec(ctx); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "billing_account.delete", Target: id.String(),
			Detail: field.Changes{"name": row.Name}})
	})
}

// Account returns an account, or a NotFound problem.
func (s *Store) Account(ctx context.Context, scope tenant.Scope, id uuid.UUID) (_ invoice.Account, err error) {
	defer db.Wrap(&err, "read billing account")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return invoice.Account{}, err
	}
	var row accountRow
	if err := s.db.NewSelect().Model(&row).Where("id = ?", id).Scan(ctx); err != nil {
		return invoice.Account{}, db.Missing(err, "billing account")
	}
	return row.core(), nil
}

// Accounts lists all accounts, oldest first.
func (s *Store) Accounts(ctx context.Context, scope tenant.Scope,
	p page.Page) (_ page.List[invoice.Account], err error) {
	defer db.Wrap(&err, "read billing accounts")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return page.List[invoice.Account]{}, err
	}
	return page.RowsOf(page.OldestFirst, accountRow.key, accountRow.core).Read(ctx, s.db.NewSelect(), p)
}

// FetchNow makes an account due at once, or returns a NotFound problem.
func (s *Store) FetchNow(ctx context.Context, scope tenant.Scope, id uuid.UUID) (err error) {
	defer db.Wrap(&err, "fetch billing account")

	if err := permission.Check(scope, permission.WritePlatform); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		result, err := tx.db.NewUpdate().Model((*accountRow)(nil)).Set("due_at = ?", tx.db.Now()).
			Where("id = ?", id).Exec(ctx)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return cmp.Or(err, error(db.NoSuch("billing account")))
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "billing_account.fetch", Target: id.String()})
	})
}

// Claim is an account that a worker fetches, with its credential.
type Claim struct {
	invoice.Account
	Credential Credential // zero: none
	Failures   int        // consecutive failed fetches before this one
}

// Claim (system scope) returns an enabled account that is due, and makes it due again after the lease, so that no other
// worker claims it meanwhile. It returns nil if no account is due.
func (s *Store) Claim(ctx context.Context, scope tenant.Scope, lease time.Duration) (claim *Claim, err error) {
	defer db.Wrap(&err, "claim billing account")

	if err := permission.Program(scope); err != nil {
		return nil, err
	}
	err = s.atomically(ctx, func(tx *Store) error {
		var row secretRow
		q := tx.db.NewSelect().Model(&row).Where("r.status = ?", tenant.Enabled).Where("r.due_at <= ?", tx.db.Now()).
			OrderExpr("r.due_at, r.id").Limit(1)
		if tx.db.Postgres() {
			q = q.For("UPDATE SKIP LOCKED")
		}
		if err := q.Scan(ctx); err != nil {
			if errors.Is(err, sql.ErrNoRows) {
				return nil
			}
			return err
		}
		claim = &Claim{Account: row.core(), Credential: Credential{row.Credential, row.SealedWith},
			Failures: row.Failures}
		_, err := tx.db.NewUpdate().Model(&row).Set("due_at = ?", tx.db.Now().Add(lease)).WherePK().Exec(ctx)
		return err
	})
	return claim, err
}

// Reseal (system scope) replaces the credential by the same one under another key, unless it was changed since it was
// claimed.
func (s *Store) Reseal(ctx context.Context, scope tenant.Scope, id uuid.UUID, before []byte,
	now Credential) (err error) {
	defer db.Wrap(&err, "reseal billing credential")

	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		_, err := tx.db.NewUpdate().Model((*accountRow)(nil)).Set("credential = ?", now.Sealed).
			Set("sealed_with = ?", now.With).
			Where("id = ?", id).Where("credential = ?", before).Exec(ctx)
		return err
	})
}

// Stale (system scope) returns the number of credentials that are sealed with another key than the named one.
func (s *Store) Stale(ctx context.Context, scope tenant.Scope, key string) (_ int, err error) {
	defer db.Wrap(&err, "count billing credentials")

	if err := permission.Program(scope); err != nil {
		return 0, err
	}
	n, err := s.db.NewSelect().Model((*accountRow)(nil)).Where("sealed_with NOT IN ('', ?)", key).Count(ctx)
	return int(n), err
}
