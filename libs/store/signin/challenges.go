package signin

import (
	"context"
	"database/sql"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/person"
)

// Challenge is the state of a sign-in, or of the creation of a passkey, between two requests of the browser. It
// is valid for one purpose, for the given number of tries and until it expires. The browser has only the
// secret, and the database only its hash. Purpose is a word that the console chooses: a challenge of one
// purpose is not found for another.
type Challenge struct {
	Hash         [32]byte // SHA-256 of the secret that the browser sends back
	Purpose      string
	UserID       uuid.UUID // uuid.Nil: not known yet
	PasswordHash string    // the hash that the given password matched, "" if the user gave none; see NewSession
	Data         []byte    // state of the purpose's protocol, such as a WebAuthn session; may be empty
	Tries        int       // remaining attempts
	ExpiresAt    time.Time
}

// challengeRow is a row of challenges. TenantID is that of the user, by which row-level security finds the row.
type challengeRow struct {
	bun.BaseModel `bun:"table:challenges,alias:r"`

	Hash         []byte    `bun:"hash,pk"`
	Purpose      string    `bun:"purpose"`
	UserID       uuid.UUID `bun:"user_id,type:uuid,nullzero"`
	TenantID     uuid.UUID `bun:"tenant_id,type:uuid,nullzero"`
	PasswordHash string    `bun:"password_hash"`
	Data         []byte    `bun:"data"`
	Tries        int       `bun:"tries"`
	ExpiresAt    time.Time `bun:"expires_at"`
}

func (r *challengeRow) core() Challenge {
	return Challenge{
		Hash: [32]byte(r.Hash), Purpose: r.Purpose, UserID: r.UserID, PasswordHash: r.PasswordHash,
		Data: r.Data, Tries: r.Tries, ExpiresAt: r.ExpiresAt.UTC(),
	}
}

// CreateChallenge (system scope) stores a challenge under the hash of its secret.
func (s *Store) CreateChallenge(ctx context.Context, scope tenant.Scope, c Challenge) (err error) {
	defer db.Wrap(&err, "create challenge")

	if err := permission.Program(scope); err != nil {
		return err
	}
	row := challengeRow{
		Hash: c.Hash[:], Purpose: c.Purpose, UserID: c.UserID, PasswordHash: c.PasswordHash,
		Data: field.OrEmpty(c.Data), Tries: c.Tries, ExpiresAt: field.Micros(c.ExpiresAt),
	}
	return s.atomically(ctx, func(tx *Store) error {
		if c.UserID != uuid.Nil {
			user, err := person.FindUser(ctx, tx.db, c.UserID)
			if err != nil {
				return err
			}
			row.TenantID = user.TenantID
		}
		return tx.db.Insert(ctx, &row, "challenge")
	})
}

// TryChallenge (system scope) uses up one try of a challenge and returns it. It returns a NotFound problem if
// there is no challenge of this purpose with the hash, or if it has expired or has no try left. Of concurrent
// calls, at most as many succeed as there were tries.
func (s *Store) TryChallenge(ctx context.Context, scope tenant.Scope, purpose string,
	hash [32]byte) (_ Challenge, err error) {
	defer db.Wrap(&err, "try challenge")

	if err := permission.Program(scope); err != nil {
		return Challenge{}, err
	}
	var row challengeRow
	err = s.atomically(ctx, func(tx *Store) error {
		return tx.db.NewUpdate().Model(&row).Set("tries = tries - 1").
			Where("hash = ?", hash[:]).Where("purpose = ?", purpose).Where("expires_at > ?", tx.db.Now()).
			Where("tries > 0").
			Returning("*").Scan(ctx)
	})
	if err != nil {
		return Challenge{}, db.Missing(err, "challenge")
	}
	return row.core(), nil
}

// TakeChallenge (system scope) deletes a challenge and returns it. Of concurrent calls, one succeeds. It
// returns a NotFound problem if there is no challenge of this purpose with the hash, or if it has expired.
func (s *Store) TakeChallenge(ctx context.Context, scope tenant.Scope, purpose string,
	hash [32]byte) (_ Challenge, err error) {
	defer db.Wrap(&err, "take challenge")

	if err := permission.Program(scope); err != nil {
		return Challenge{}, err
	}
	var row challengeRow
	err = s.atomically(ctx, func(tx *Store) error {
		return tx.db.NewDelete().Model(&row).
			Where("hash = ?", hash[:]).Where("purpose = ?", purpose).Where("expires_at > ?", tx.db.Now()).
			Returning("*").Scan(ctx)
	})
	if err != nil {
		return Challenge{}, db.Missing(err, "challenge")
	}
	return row.core(), nil
}

// SetChallengeData (system scope) replaces the data of a challenge. It returns a NotFound problem if there is
// none.
func (s *Store) SetChallengeData(ctx context.Context, scope tenant.Scope, hash [32]byte, data []byte) (err error) {
	defer db.Wrap(&err, "set challenge data")

	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		result, err := tx.db.NewUpdate().Model((*challengeRow)(nil)).Set("data = ?", field.OrEmpty(data)).
			Where("hash = ?", hash[:]).Exec(ctx)
		return affects(result, err, db.NoSuch("challenge"))
	})
}

// affects returns err, or the error otherwise if a statement without an error changed no row.
func affects(result sql.Result, err error, otherwise error) error {
	if err != nil {
		return err
	}
	if rows, err := result.RowsAffected(); err != nil || rows > 0 {
		return err
	}
	return otherwise
}

// Sweep deletes expired sessions and challenges.
func Sweep(ctx context.Context, tx *db.DB) error {
	for _, row := range []any{(*sessionRow)(nil), (*challengeRow)(nil)} {
		if _, err := tx.NewDelete().Model(row).Where("expires_at <= ?", tx.Now()).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}
