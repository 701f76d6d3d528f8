package signin

import (
	"context"
	"strings"
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

// maxIdentities limits the list of a user's identities. A user has at most one for each issuer that was ever
// configured, which is fewer.
const maxIdentities = 100

// Identity links a user to an account at an issuer of OpenID Connect.
type Identity struct {
	ID              uuid.UUID
	UserID          uuid.UUID
	Issuer, Subject string // unique together, for issuers of tenants within the tenant; neither ever changes
	OfTenant        bool   // the issuer belongs to the user's tenant, and not to the platform
	Email           string // address that the issuer had when the identity was linked; informational
	CreatedAt       time.Time
	LastUsed        time.Time
}

// identityRow is a row of identities. (Issuer, Subject) and (UserID, Issuer) are unique.
type identityRow struct {
	bun.BaseModel `bun:"table:identities,alias:r"`

	ID        uuid.UUID `bun:"id,pk,type:uuid"`
	UserID    uuid.UUID `bun:"user_id,type:uuid"`
	TenantID  uuid.UUID `bun:"tenant_id,type:uuid,nullzero"`
	Issuer    string    `bun:"issuer"`
	Subject   string    `bun:"subject"`
	Email     string    `bun:"email"`
	CreatedAt time.Time `bun:"created_at"`
	LastUsed  time.Time `bun:"last_used"`
}

func (r identityRow) core() Identity {
	issuer, _, ofTenant := strings.Cut(r.Issuer, "#")
	return Identity{
		ID: r.ID, UserID: r.UserID, Issuer: issuer, OfTenant: ofTenant, Subject: r.Subject, Email: r.Email,
		CreatedAt: r.CreatedAt.UTC(), LastUsed: r.LastUsed.UTC(),
	}
}

// issuerKey returns the value of the column issuer: the URL for the platform's issuer (uuid.Nil), and the URL with the
// id of the tenant for the issuer of a tenant. So the issuer of a tenant cannot name the accounts of the platform's
// issuer, nor those of another tenant, whatever its URL is. URLs of issuers have no fragment.
func issuerKey(issuer string, tenantID uuid.UUID) string {
	if tenantID == uuid.Nil {
		return field.Clean(issuer)
	}
	return field.Clean(issuer) + "#" + tenantID.String()
}

// LinkIdentity (system scope) links a user to an identity. It returns a Conflict problem if the identity
// belongs to a user already, or if the user has another identity of the same issuer. The second rule protects
// an address that the issuer gave to a new person: that person cannot sign in as the user who had it before.
//
// The statement of the platform's issuer proves the address, which an account without a proof only claims: it gets a
// Conflict problem, also if it has lost the address since the caller found it. If somebody handed the account over by a
// link before, this person may not be the one who opened that link: everything by which that one could come back is
// deleted. The issuer of a tenant proves nothing to the platform, and also takes over accounts without a proof, which
// others of the tenant made.
func (s *Store) LinkIdentity(ctx context.Context, scope tenant.Scope, i Identity) (err error) {
	defer db.Wrap(&err, "link identity")

	if err := permission.Program(scope); err != nil {
		return err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		// Two identities at once must not both take the account over, nor one take it over from a proof that came
		// since.
		if err := person.LockCounted(ctx, tx.db, i.UserID); err != nil {
			return err
		}
		user, err := person.FindUser(ctx, tx.db, i.UserID)
		if err != nil {
			return err
		}
		key, err := tx.claim(ctx, scope, user, i)
		if err != nil {
			return err
		}
		now := tx.db.Now()
		row := identityRow{
			ID: id, UserID: user.ID, TenantID: user.TenantID, Issuer: key, Subject: field.Clean(i.Subject),
			Email:     field.Clean(i.Email),
			CreatedAt: now, LastUsed: now,
		}
		if err := tx.db.Insert(ctx, &row, "identity"); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "identity.link", Tenant: user.TenantID,
			Target: user.ID.String(), Detail: field.Changes{"issuer": row.core().Issuer, "subject": row.Subject}})
	})
}

// claim takes the account over if another person may have access to it, and returns the value of the column issuer.
func (s *Store) claim(ctx context.Context, scope tenant.Scope, user person.UserRow,
	i Identity) (key string, err error) {
	if !i.OfTenant {
		switch user.Proof {
		case tenant.Unproven:
			return "", problem.New(problem.Conflict, "the account has not proven its address")
		case tenant.HandedOver:
			err = s.takeOver(ctx, scope, user, tenant.ByIssuer)
		}
		return issuerKey(i.Issuer, uuid.Nil), err
	}
	key = issuerKey(i.Issuer, user.TenantID)
	if user.Proof != tenant.Unproven && user.Proof != tenant.HandedOver {
		return key, nil
	}
	// An issuer of the tenant has signed in the person of the account before, maybe at another URL.
	exists, err := s.db.NewSelect().Model((*identityRow)(nil)).Where("user_id = ?", user.ID).
		Where("issuer LIKE ?", "%#"+user.TenantID.String()).Exists(ctx)
	if err != nil || exists {
		return key, err
	}
	return key, s.takeOver(ctx, scope, user, user.Proof)
}

// RemoveAccess deletes everything that gives access to the account, except for the password: the second factor,
// passkeys, identities, access keys, sessions, unfinished sign-ins and links for a new password.
func RemoveAccess(ctx context.Context, tx *db.DB, userID uuid.UUID) error {
	for _, table := range []string{"totps", "recovery_codes", "passkeys", "challenges", "identities", "sessions",
		"access_keys", "password_resets"} {
		if _, err := tx.NewDelete().Table(table).Where("user_id = ?", userID).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// takeOver removes the password, the second factor, passkeys, identities, access keys and sessions of the user, and
// stores the proof of the address.
func (s *Store) takeOver(ctx context.Context, scope tenant.Scope, user person.UserRow, proof tenant.Proof) error {
	if err := RemoveAccess(ctx, s.db, user.ID); err != nil {
		return err
	}
	action := "user.prove_email"
	if proof == user.Proof {
		action = "user.take_over"
	}
	secret := person.SecretUserRow{UserRow: user}
	secret.Proof = proof
	if _, err := s.db.NewUpdate().Model(&secret).Column("password_hash", "proof").WherePK().Exec(ctx); err != nil {
		return err
	}
	s.db.Announce(db.UserChanged, user.ID)
	return s.db.Record(ctx, scope, db.Mutation{Action: action, Tenant: user.TenantID, Target: user.ID.String(),
		Detail: field.Changes{
			"email": user.Core().Email, "proof": proof, "removed": "password, factors, passkeys, identities, access " +
				"keys and sessions",
		}})
}

// UseIdentity (system scope) returns the user of an identity and records the time of use. The issuer is that of a
// tenant, and the user of this tenant, or the platform's for uuid.Nil. It returns a NotFound problem if nobody has the
// identity. The caller checks that the user is enabled.
func (s *Store) UseIdentity(ctx context.Context, scope tenant.Scope, tenantID uuid.UUID,
	issuer, subject string) (_ tenant.User, err error) {
	defer db.Wrap(&err, "use identity")

	if err := permission.Program(scope); err != nil {
		return tenant.User{}, err
	}
	var user person.UserRow
	err = s.atomically(ctx, func(tx *Store) error {
		var row identityRow
		err := tx.db.NewUpdate().Model(&row).Set("last_used = ?", tx.db.Now()).
			Where("issuer = ?", issuerKey(issuer, tenantID)).Where("subject = ?", field.Clean(subject)).
			Returning("*").Scan(ctx)
		if err != nil {
			return db.Missing(err, "identity")
		}
		user, err = person.FindUser(ctx, tx.db, row.UserID)
		return err
	})
	return user.Core(), err
}

// Identities lists the identities of the scope's user, oldest first.
func (s *Store) Identities(ctx context.Context, scope tenant.Scope) (_ []Identity, err error) {
	defer db.Wrap(&err, "read identities")

	userID, err := self(scope)
	if err != nil {
		return nil, err
	}
	var rows []identityRow
	err = s.readAs(ctx, scope, func(in *Store) error {
		return in.db.NewSelect().Model(&rows).Where("user_id = ?", userID).OrderExpr("id").
			Limit(maxIdentities).Scan(ctx)
	})
	return field.Map(rows, identityRow.core), err
}

// UnlinkIdentity deletes an identity of the scope's user, or returns a NotFound problem.
func (s *Store) UnlinkIdentity(ctx context.Context, actor permission.Confirmed, id uuid.UUID) (err error) {
	defer db.Wrap(&err, "unlink identity")

	scope := actor.Scope()
	userID, err := self(scope)
	if err != nil {
		return err
	}
	return s.writeAs(ctx, scope, func(tx *Store) error {
		var row identityRow
		err := tx.db.NewDelete().Model(&row).Where("id = ?", id).Where("user_id = ?", userID).Returning("*").Scan(ctx)
		if err != nil {
			return db.Missing(err, "identity")
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "identity.unlink", Tenant: row.TenantID,
			Target: userID.String(), Detail: field.Changes{"issuer": row.core().Issuer, "subject": row.Subject}})
	})
}
