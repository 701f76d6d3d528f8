package identity

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

// maxResets is the highest number of open resets of a user. A new one deletes the oldest.
const maxResets = 5

// resetRow is a row of password_resets: a link that sets the password of a user, once.
type resetRow struct {
	bun.BaseModel `bun:"table:password_resets,alias:r"`

	ID        uuid.UUID       `bun:"id,pk,type:uuid"`
	Hash      []byte          `bun:"hash"`
	TenantID  uuid.UUID       `bun:"tenant_id,type:uuid,nullzero"`
	UserID    uuid.UUID       `bun:"user_id,type:uuid"`
	Proof     tenant.Proof    `bun:"proof"`
	CreatedAt time.Time       `bun:"created_at"`
	ExpiresAt time.Time       `bun:"expires_at"`
	User      *person.UserRow `bun:"rel:belongs-to,join:user_id=id"`
}

// NewReset holds the parameters of CreatePasswordReset.
type NewReset struct {
	UserID    uuid.UUID
	Hash      [32]byte     // SHA-256 of the secret in the link
	Proof     tenant.Proof // of the address, that using the link gives
	ExpiresAt time.Time
}

// CreatePasswordReset stores a link. Anyone who has its secret can set the user's password, once. A scope may
// do this for users whom it may change (see UpdateUser), but not for its own user, who must give the current
// password instead. A disabled user is a Conflict problem. A user has at most 5 open resets: the oldest are
// deleted.
func (s *Store) CreatePasswordReset(ctx context.Context, actor permission.Confirmed,
	n NewReset) (_ tenant.User, err error) {
	defer db.Wrap(&err, "create password reset")

	scope := actor.Scope()
	if err := permission.Check(scope, permission.ResetPasswords); err != nil {
		return tenant.User{}, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return tenant.User{}, err
	}
	var user person.UserRow
	err = s.writeAs(ctx, scope, func(tx *Store) error {
		if err := tx.db.Lock(tx.db.NewSelect().Model(&user).Where("id = ?", n.UserID)).Scan(ctx); err != nil {
			return db.Missing(err, "user")
		}
		if err := checkReset(scope, user); err != nil {
			return err
		}
		row := resetRow{ID: id, Hash: n.Hash[:], Proof: n.Proof, TenantID: user.TenantID, UserID: user.ID,
			CreatedAt: tx.db.Now(), ExpiresAt: field.Micros(n.ExpiresAt)}
		if err := tx.db.Insert(ctx, &row, "reset"); err != nil {
			return err
		}
		if err := tx.dropOldResets(ctx, user.ID); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "password_reset.create", Tenant: user.TenantID,
			Target: user.ID.String(), Detail: field.Changes{"expires_at": row.ExpiresAt}})
	})
	return user.Core(), err
}

// checkReset returns a problem unless the scope may reset the password of the user.
func checkReset(scope tenant.Scope, user person.UserRow) error {
	switch {
	case !scope.Reaches(user.TenantID):
		return db.NoSuch("user")
	case user.ID == scope.Actor():
		return problem.New(problem.Forbidden, "you cannot reset your own password: change it with the current one")
	case scope.Role() == tenant.Admin && user.Role == tenant.Owner:
		return problem.New(problem.Forbidden, "only an owner can change an owner")
	case user.Status != tenant.Enabled:
		return problem.New(problem.Conflict, "the user is disabled")
	}
	return nil
}

// dropOldResets deletes all but the newest resets of a user.
func (s *Store) dropOldResets(ctx context.Context, userID uuid.UUID) error {
	newest := s.db.NewSelect().Model((*resetRow)(nil)).Column("id").Where("user_id = ?", userID).OrderExpr("id DESC").
		Limit(maxResets)
	_, err := s.db.NewDelete().Model((*resetRow)(nil)).Where("user_id = ?", userID).
		Where("id NOT IN (?)", newest).Exec(ctx)
	return err
}

// PasswordReset (system scope) returns the user of the reset with the hash of its secret. It returns a NotFound
// problem if the reset is used, deleted or expired, or if the user or the user's tenant is disabled.
func (s *Store) PasswordReset(ctx context.Context, scope tenant.Scope, hash [32]byte) (_ tenant.User, err error) {
	defer db.Wrap(&err, "read password reset")

	if err := permission.Program(scope); err != nil {
		return tenant.User{}, err
	}
	var row resetRow
	err = s.db.NewSelect().Model(&row).Relation("User.Tenant").Where("r.hash = ?", hash[:]).
		Where("r.expires_at > ?", s.db.Now()).Scan(ctx)
	if err != nil {
		return tenant.User{}, db.Missing(err, "password reset")
	}
	user, _, err := person.Enabled(row.User)
	return user, err
}

// ResetPassword (system scope) sets the user's password, proves the address, and deletes the user's sessions and
// resets. Pending invitations for the account count as accepted then. It fails as PasswordReset does, and with a
// Conflict problem if another account has the address and does not yield to the proof of the reset. Of concurrent calls
// with the same hash, one succeeds.
func (s *Store) ResetPassword(ctx context.Context, scope tenant.Scope, hash [32]byte,
	passwordHash string) (user tenant.User, err error) {
	defer db.Wrap(&err, "reset password")

	if err := permission.Program(scope); err != nil {
		return tenant.User{}, err
	}
	err = s.atomically(ctx, func(tx *Store) error {
		if user, err = tx.PasswordReset(ctx, scope, hash); err != nil {
			return err
		}
		// updateUser below locks the user and then deletes the resets. The same order here prevents a deadlock with
		// a concurrent UpdateUser.
		if _, _, err := person.LockUser(ctx, tx.db, person.UserRow{ID: user.ID, TenantID: user.TenantID}); err != nil {
			return err
		}
		// If there is no row, a concurrent call has used the reset since it was read.
		var proof tenant.Proof
		if err := tx.db.NewDelete().Model((*resetRow)(nil)).Where("hash = ?", hash[:]).Returning("proof").
			Scan(ctx, &proof); err != nil {
			return db.Missing(err, "password reset")
		}
		if err := tx.prove(ctx, scope, user, proof); err != nil {
			return err
		}
		if proof != tenant.Unproven {
			if err := tx.closeInvitations(ctx, scope, user); err != nil {
				return err
			}
		}
		user, err = tx.updateUser(ctx, scope, user.ID, UserPatch{PasswordHash: &passwordHash})
		return err
	})
	return user, err
}
