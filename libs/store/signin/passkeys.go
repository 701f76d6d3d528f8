package signin

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/person"
)

// MaxPasskeys is the highest number of passkeys of a user.
const MaxPasskeys = 20

// Passkey is a key pair of WebAuthn with which a user signs in. The user's device keeps the private key.
type Passkey struct {
	ID           uuid.UUID
	UserID       uuid.UUID
	CredentialID []byte // the device's id of the key pair, unique over all users
	Name         string
	Credential   []byte // JSON: the public key and what the device reported about itself
	SignCount    uint32 // the device's signature counter at the last use; 0 if the device does not count
	CreatedAt    time.Time
	LastUsed     time.Time // zero: never
}

// passkeyRow is a row of passkeys.
type passkeyRow struct {
	bun.BaseModel `bun:"table:passkeys,alias:r"`

	ID           uuid.UUID `bun:"id,pk,type:uuid"`
	UserID       uuid.UUID `bun:"user_id,type:uuid"`
	TenantID     uuid.UUID `bun:"tenant_id,type:uuid,nullzero"`
	CredentialID []byte    `bun:"credential_id"`
	Name         string    `bun:"name"`
	Credential   []byte    `bun:"credential"`
	SignCount    int64     `bun:"sign_count"`
	CreatedAt    time.Time `bun:"created_at"`
	LastUsed     time.Time `bun:"last_used,nullzero"`
}

func (r passkeyRow) core() Passkey {
	return Passkey{
		ID: r.ID, UserID: r.UserID, CredentialID: r.CredentialID, Name: r.Name, Credential: r.Credential,
		SignCount: uint32(r.SignCount), CreatedAt: r.CreatedAt.UTC(), LastUsed: r.LastUsed.UTC(),
	}
}

// CreatePasskey stores a passkey of the scope's user. It returns a Conflict problem if the credential exists
// already, or if the user has MaxPasskeys.
func (s *Store) CreatePasskey(ctx context.Context, actor permission.Confirmed, p Passkey) (_ Passkey, err error) {
	defer db.Wrap(&err, "create passkey")

	scope := actor.Scope()
	userID, err := self(scope)
	if err != nil {
		return Passkey{}, err
	}
	if err := tenant.CheckName(p.Name); err != nil {
		return Passkey{}, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return Passkey{}, err
	}
	row := passkeyRow{
		ID: id, UserID: userID, TenantID: scope.Tenant(), CredentialID: p.CredentialID, Name: p.Name,
		Credential: p.Credential, SignCount: int64(p.SignCount), CreatedAt: s.db.Now(),
	}
	err = s.writeAs(ctx, scope, func(tx *Store) error {
		if err := person.LockCounted(ctx, tx.db, userID); err != nil {
			return err
		}
		count, err := tx.db.NewSelect().Model((*passkeyRow)(nil)).Where("user_id = ?", userID).Count(ctx)
		if err != nil {
			return err
		}
		if count >= MaxPasskeys {
			return problem.New(problem.Conflict, "A user has at most %d passkeys.", MaxPasskeys)
		}
		if err := tx.db.Insert(ctx, &row, "credential"); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "passkey.create", Tenant: row.TenantID, Target: id.String(),
			Detail: field.Changes{"name": p.Name}})
	})
	if err != nil {
		return Passkey{}, err
	}
	return row.core(), nil
}

// Passkeys lists the passkeys of a user, oldest first. Users read their own, and programs those of every user.
func (s *Store) Passkeys(ctx context.Context, scope tenant.Scope, userID uuid.UUID) (_ []Passkey, err error) {
	defer db.Wrap(&err, "read passkeys")

	if err := selfOrProgram(scope, userID); err != nil {
		return nil, err
	}
	var rows []passkeyRow
	err = s.readAs(ctx, scope, func(in *Store) error {
		return in.db.NewSelect().Model(&rows).Where("user_id = ?", userID).OrderExpr("id").Limit(MaxPasskeys).Scan(ctx)
	})
	return field.Map(rows, passkeyRow.core), err
}

// RenamePasskey changes the name of a passkey of the scope's user, or returns a NotFound problem.
func (s *Store) RenamePasskey(ctx context.Context, actor permission.Confirmed, id uuid.UUID,
	name string) (_ Passkey, err error) {
	defer db.Wrap(&err, "rename passkey")

	scope := actor.Scope()
	userID, err := self(scope)
	if err != nil {
		return Passkey{}, err
	}
	if err := tenant.CheckName(name); err != nil {
		return Passkey{}, err
	}
	var row passkeyRow
	err = s.writeAs(ctx, scope, func(tx *Store) error {
		if err := tx.db.Lock(tx.db.NewSelect().Model(&row).Where("id = ?", id).Where("user_id = ?", userID)).
			Scan(ctx); err != nil {
			return db.Missing(err, "passkey")
		}
		changes := field.Changes{}
		field.Assign(changes, "name", &row.Name, &name)
		if len(changes) == 0 {
			return nil
		}
		if err := tx.db.Update(ctx, tx.db.NewUpdate().Model(&row).Column("name"), "passkey"); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "passkey.update", Tenant: row.TenantID, Target: id.String(),
			Detail: changes})
	})
	if err != nil {
		return Passkey{}, err
	}
	return row.core(), nil
}

// DeletePasskey deletes a passkey of the scope's user, or returns a NotFound problem.
func (s *Store) DeletePasskey(ctx context.Context, actor permission.Confirmed, id uuid.UUID) (err error) {
	defer db.Wrap(&err, "delete passkey")

	scope := actor.Scope()
	userID, err := self(scope)
	if err != nil {
		return err
	}
	return s.writeAs(ctx, scope, func(tx *Store) error {
		result, err := tx.db.NewDelete().Model((*passkeyRow)(nil)).Where("id = ?", id).
			Where("user_id = ?", userID).Exec(ctx)
		if err := affects(result, err, db.NoSuch("passkey")); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "passkey.delete", Tenant: scope.Tenant(),
			Target: id.String()})
	})
}

// UsePasskey (system scope) stores the credential and the signature counter that a passkey has after a use.
// before is the value that the counter had when the caller read the passkey. It returns a NotFound problem if
// the passkey was deleted, or if the counter has changed since then, because of a concurrent use. A device
// that does not count keeps 0, and its concurrent uses all succeed.
func (s *Store) UsePasskey(ctx context.Context, scope tenant.Scope, p Passkey, before uint32) (err error) {
	defer db.Wrap(&err, "use passkey")

	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		result, err := tx.db.NewUpdate().Model((*passkeyRow)(nil)).
			Set("credential = ?", p.Credential).Set("sign_count = ?", int64(p.SignCount)).
			Set("last_used = ?", tx.db.Now()).
			Where("id = ?", p.ID).Where("sign_count = ?", int64(before)).Exec(ctx)
		return affects(result, err, db.NoSuch("passkey"))
	})
}
