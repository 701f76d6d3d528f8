package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// Session is a signed-in user.
type Session struct {
	User      tenant.User
	Tenant    tenant.Tenant // zero for operators
	ExpiresAt time.Time
}

type sessionRow struct {
	bun.BaseModel `bun:"table:sessions,alias:r"`

	Hash      []byte    `bun:"hash,pk"`
	UserID    uuid.UUID `bun:"user_id,type:uuid"`
	ExpiresAt time.Time `bun:"expires_at"`
	CreatedAt time.Time `bun:"created_at"`
	User      *userRow  `bun:"rel:belongs-to,join:user_id=id"`
}

// NewSession is what CreateSession stores.
type NewSession struct {
	UserID       uuid.UUID
	PasswordHash string   // by which the user proved who he is
	Hash         [32]byte // of the session's secret
	ExpiresAt    time.Time
}

// CreateSession (system scope) stores a session under the hash of its secret.
// It is Unauthenticated where the user's password hash is another by now: a
// sign-in that began before a password was changed does not outlive it.
func (s *Store) CreateSession(ctx context.Context, scope tenant.Scope, n NewSession) error {
	if err := run(scope); err != nil {
		return err
	}
	return s.Atomically(ctx, func(tx *Store) error {
		var user userRow
		if err := tx.lock(tx.db.NewSelect().Model(&user).Where("id = ?", n.UserID)).Scan(ctx); err != nil {
			return missing(err, "user")
		}
		if user.PasswordHash != n.PasswordHash {
			return problem.Of(problem.Unauthenticated)
		}
		row := sessionRow{Hash: n.Hash[:], UserID: user.ID, ExpiresAt: n.ExpiresAt.UTC(), CreatedAt: tx.now()}
		if err := tx.insert(ctx, &row, "session"); err != nil {
			return err
		}
		return tx.audit(ctx, scope, deed{"session.create", user.TenantID, user.ID.String(), fields{"expires_at": row.ExpiresAt}})
	})
}

// Session (system scope) returns the live session with the hash: not expired,
// user and tenant enabled.
func (s *Store) Session(ctx context.Context, scope tenant.Scope, hash [32]byte) (Session, error) {
	if err := run(scope); err != nil {
		return Session{}, err
	}
	var row sessionRow
	err := s.db.NewSelect().Model(&row).Relation("User").
		Where("r.hash = ?", hash[:]).Where("r.expires_at > ?", s.now()).Scan(ctx)
	if err != nil {
		return Session{}, missing(err, "session")
	}
	live := Session{User: row.User.core(), ExpiresAt: row.ExpiresAt}
	if live.User.TenantID != uuid.Nil {
		if live.Tenant, err = s.Tenant(ctx, scope, live.User.TenantID); err != nil {
			return Session{}, err
		}
	}
	if live.User.Status != tenant.Enabled || live.User.TenantID != uuid.Nil && live.Tenant.Status != tenant.Enabled {
		return Session{}, noSuch("session")
	}
	return live, nil
}

// DeleteSession (system scope) ends a session. It may be repeated.
func (s *Store) DeleteSession(ctx context.Context, scope tenant.Scope, hash [32]byte) error {
	if err := run(scope); err != nil {
		return err
	}
	return s.Atomically(ctx, func(tx *Store) error {
		var users []uuid.UUID
		err := tx.db.NewDelete().Model((*sessionRow)(nil)).Where("hash = ?", hash[:]).Returning("user_id").Scan(ctx, &users)
		if err != nil || len(users) == 0 {
			return err
		}
		user, err := tx.user(ctx, users[0])
		if err != nil {
			return err
		}
		return tx.audit(ctx, scope, deed{"session.delete", user.TenantID, user.ID.String(), nil})
	})
}
