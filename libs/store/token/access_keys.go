package token

import (
	"context"
	"net/netip"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/person"
)

// maxAccessKeys is the highest number of access keys of a user.
const maxAccessKeys = 50

// NewAccessKey holds the parameters of CreateAccessKey. ID is chosen by the caller, because the value contains
// it. TenantID and UserID are ignored: the key belongs to the scope's user.
type NewAccessKey struct {
	token.AccessKey
	Hash     token.Hash
	PepperID string // id of the pepper that Hash was made with
}

// KeyUser is an access key with the user as whom it acts, within the key's scopes.
type KeyUser struct {
	Key    token.AccessKey
	User   tenant.User
	Tenant tenant.Tenant // zero for operators
}

// accessKeyRow is a row of access_keys.
type accessKeyRow struct {
	bun.BaseModel `bun:"table:access_keys,alias:r"`

	ID       uuid.UUID `bun:"id,pk,type:uuid"`
	Hash     []byte    `bun:"hash"`
	PepperID string    `bun:"pepper_id"`
	TenantID uuid.UUID `bun:"tenant_id,type:uuid,nullzero"`
	UserID   uuid.UUID `bun:"user_id,type:uuid"`
	Name     string    `bun:"name"`
	Mask     string    `bun:"mask"`
	// Access is read only by consoles of versions without scopes. It is always read, so that a key can change nothing
	// through such a console during an upgrade.
	Access     token.Access        `bun:"access"`
	Scopes     []token.AccessScope `bun:"scopes,type:jsonb"`
	GrantLimit money.Amount        `bun:"grant_limit"`
	Addresses  []netip.Prefix      `bun:"addresses,type:jsonb"`
	CreatedAt  time.Time           `bun:"created_at"`
	LastUsed   time.Time           `bun:"last_used,nullzero"`
	ExpiresAt  time.Time           `bun:"expires_at"`
	User       *person.UserRow     `bun:"rel:belongs-to,join:user_id=id"`
}

func (r accessKeyRow) key() string { return r.ID.String() }

// core returns the key without the hash.
func (r accessKeyRow) core() token.AccessKey {
	return token.AccessKey{
		ID: r.ID, TenantID: r.TenantID, UserID: r.UserID, Name: r.Name, Mask: r.Mask,
		Scopes: r.Scopes, GrantLimit: r.GrantLimit, Addresses: r.Addresses,
		CreatedAt: r.CreatedAt, LastUsed: r.LastUsed, ExpiresAt: r.ExpiresAt,
	}
}

// CreateAccessKey stores an access key of the scope's user. It returns a Forbidden problem for a scope that the user's
// role does not permit, and a Conflict problem if the user has 50 keys. An expired key counts until Sweep deletes it.
func (s *Store) CreateAccessKey(ctx context.Context, actor permission.Confirmed,
	n NewAccessKey) (_ token.AccessKey, err error) {
	defer db.Wrap(&err, "create access key")

	scope := actor.Scope()
	if err := field.First(permission.Check(scope, permission.WriteAccessKeys), n.Check(s.db.Now()),
		checkScopes(scope, n.Scopes)); err != nil {
		return token.AccessKey{}, err
	}
	row := accessKeyRow{
		ID: n.ID, Hash: n.Hash[:], PepperID: n.PepperID, TenantID: scope.Tenant(), UserID: scope.Actor(), Name: n.Name,
		Mask:   field.Clean(n.Mask),
		Access: token.ReadAccess, Scopes: n.Scopes, GrantLimit: n.GrantLimit, Addresses: field.OrEmpty(n.Addresses),
		CreatedAt: s.db.Now(), ExpiresAt: field.Micros(n.ExpiresAt),
	}
	err = s.writeAs(ctx, scope, func(tx *Store) error {
		if err := person.LockCounted(ctx, tx.db, row.UserID); err != nil {
			return err
		}
		count, err := tx.db.NewSelect().Model((*accessKeyRow)(nil)).Where("user_id = ?", row.UserID).Count(ctx)
		if err != nil {
			return err
		}
		if count >= maxAccessKeys {
			return problem.New(problem.Conflict, "a user can have at most %d access keys: revoke some first",
				maxAccessKeys)
		}
		if err := tx.db.Insert(ctx, &row, "value"); err != nil {
			return err
		}
		detail := field.Changes{"user_id": row.UserID, "name": row.Name, "mask": row.Mask, "scopes": row.Scopes,
			"addresses": row.Addresses, "expires_at": row.ExpiresAt}
		if row.GrantLimit > 0 {
			detail["grant_limit"] = row.GrantLimit
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "access_key.create", Tenant: row.TenantID,
			Target: row.ID.String(), Detail: detail})
	})
	if err != nil {
		return token.AccessKey{}, err
	}
	return row.core(), nil
}

// checkScopes returns a Forbidden problem for the first scope of a key that the caller's role does not permit.
func checkScopes(scope tenant.Scope, scopes []token.AccessScope) error {
	for _, s := range scopes {
		if err := permission.CheckAccessScope(scope, s); err != nil {
			return err
		}
	}
	return nil
}

// AccessKeys lists the keys of one user, or with uuid.Nil of all users that the scope reaches, newest first.
// Members reach their own keys, owners and admins the keys of their tenant, operators all keys.
func (s *Store) AccessKeys(ctx context.Context, scope tenant.Scope, userID uuid.UUID,
	p page.Page) (_ page.List[token.AccessKey], err error) {
	defer db.Wrap(&err, "read access keys")

	if err := permission.Check(scope, permission.ReadAccessKeys); err != nil {
		return page.List[token.AccessKey]{}, err
	}
	var list page.List[token.AccessKey]
	err = s.readAs(ctx, scope, func(in *Store) error {
		q, err := db.InTenant(in.db.NewSelect(), scope, uuid.Nil)
		if err != nil {
			return err
		}
		list, err = page.RowsOf(page.NewestFirst, accessKeyRow.key, accessKeyRow.core).
			Read(ctx, db.OfUser(q, scope, userID), p)
		return err
	})
	return list, err
}

// AccessKey returns a key that the scope reaches, or a NotFound problem.
func (s *Store) AccessKey(ctx context.Context, scope tenant.Scope, id uuid.UUID) (_ token.AccessKey, err error) {
	defer db.Wrap(&err, "read access key")

	if err := permission.Check(scope, permission.ReadAccessKeys); err != nil {
		return token.AccessKey{}, err
	}
	var row accessKeyRow
	err = s.readAs(ctx, scope, func(in *Store) error {
		if err := in.db.NewSelect().Model(&row).Where("r.id = ?", id).Scan(ctx); err != nil {
			return db.Missing(err, "access key")
		}
		if !db.ReachesUser(scope, row.TenantID, row.UserID) {
			return db.NoSuch("access key")
		}
		return nil
	})
	if err != nil {
		return token.AccessKey{}, err
	}
	return row.core(), nil
}

// RevokeAccessKey deletes a key that the scope reaches, or returns a NotFound problem.
func (s *Store) RevokeAccessKey(ctx context.Context, actor permission.Confirmed, id uuid.UUID) (err error) {
	defer db.Wrap(&err, "revoke access key")

	scope := actor.Scope()
	if err := permission.Check(scope, permission.WriteAccessKeys); err != nil {
		return err
	}
	return s.writeAs(ctx, scope, func(tx *Store) error {
		var row accessKeyRow
		if err := tx.db.Lock(tx.db.NewSelect().Model(&row).Where("id = ?", id)).Scan(ctx); err != nil {
			return db.Missing(err, "access key")
		}
		if !db.ReachesUser(scope, row.TenantID, row.UserID) {
			return db.NoSuch("access key")
		}
		if _, err := tx.db.NewDelete().Model(&row).WherePK().Exec(ctx); err != nil {
			return err
		}
		detail := field.Changes{"user_id": row.UserID, "name": row.Name, "mask": row.Mask}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "access_key.revoke", Tenant: row.TenantID,
			Target: row.ID.String(), Detail: detail})
	})
}

// KeyUser (system scope) returns the key with the hash, and its user and tenant. It returns a NotFound problem
// if there is none, if it has expired, or if the user or the tenant is disabled.
func (s *Store) KeyUser(ctx context.Context, scope tenant.Scope, hash token.Hash) (_ KeyUser, err error) {
	defer db.Wrap(&err, "read key user")

	if err := permission.Program(scope); err != nil {
		return KeyUser{}, err
	}
	var row accessKeyRow
	err = s.db.NewSelect().Model(&row).Relation("User.Tenant").
		Where("r.hash = ?", slices.Clone(hash[:])).Where("r.expires_at > ?", s.db.Now()).Scan(ctx)
	if err != nil {
		return KeyUser{}, db.Missing(err, "access key")
	}
	user := KeyUser{Key: row.core()}
	user.User, user.Tenant, err = person.Enabled(row.User)
	return user, err
}

// SeeAccessKey (system scope) records that the key is in use, unless that was recorded less than a minute ago.
func (s *Store) SeeAccessKey(ctx context.Context, scope tenant.Scope, id uuid.UUID) (err error) {
	defer db.Wrap(&err, "see access key")

	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		_, err := tx.db.NewUpdate().Model((*accessKeyRow)(nil)).Set("last_used = ?", tx.db.Now()).
			Where("id = ?", id).Where("last_used IS NULL OR last_used <= ?", tx.db.Now().Add(-person.SeenEvery)).
			Exec(ctx)
		return err
	})
}

// Sweep deletes access keys that expired more than person.ExpiredRetention ago.
func Sweep(ctx context.Context, tx *db.DB) error {
	_, err := tx.NewDelete().Model((*accessKeyRow)(nil)).
		Where("expires_at <= ?", tx.Now().Add(-person.ExpiredRetention)).
		Exec(ctx)
	return err
}
