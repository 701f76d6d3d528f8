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
	"github.com/tollgate/tollgate/libs/store/person"
)

// The limits of guesses at the codes of one user. After the last accepted code, freeTries guesses are free, and
// then one guess is possible in each tryEvery, over all processes and challenges together.
const (
	freeTries = 10
	tryEvery  = time.Minute
)

// TOTP is a user's authenticator, which generates time-based codes (RFC 6238).
type TOTP struct {
	Sealed      []byte    // the secret, sealed for the user
	ConfirmedAt time.Time // zero: setup has begun, and sign-ins do not ask for codes yet
	LastStep    int64     // time step of the last accepted code
}

// totpRow is a row of totps. A user has at most one.
type totpRow struct {
	bun.BaseModel `bun:"table:totps,alias:r"`

	UserID      uuid.UUID `bun:"user_id,pk,type:uuid"`
	TenantID    uuid.UUID `bun:"tenant_id,type:uuid,nullzero"`
	Sealed      []byte    `bun:"sealed"`
	CreatedAt   time.Time `bun:"created_at"`
	ConfirmedAt time.Time `bun:"confirmed_at,nullzero"`
	LastStep    int64     `bun:"last_step"`
	Tries       int       `bun:"tries"` // guesses since the last accepted code
	TriedAt     time.Time `bun:"tried_at"`
}

// recoveryCodeRow is a row of recovery_codes. A used code keeps its row until the codes are replaced.
type recoveryCodeRow struct {
	bun.BaseModel `bun:"table:recovery_codes,alias:r"`

	UserID   uuid.UUID `bun:"user_id,pk,type:uuid"`
	TenantID uuid.UUID `bun:"tenant_id,type:uuid,nullzero"`
	Hash     []byte    `bun:"hash,pk"`
	UsedAt   time.Time `bun:"used_at,nullzero"`
}

// Factors are the means of a user to sign in that are used in addition to the password, or instead of it.
type Factors struct {
	TOTP          time.Time // time since which sign-ins ask for codes; zero: sign-ins ask for no codes
	RecoveryCodes int       // number of unused codes
	Passkeys      int
}

// self returns the user of the scope, or a Forbidden problem for a program.
func self(scope tenant.Scope) (uuid.UUID, error) {
	if scope.Actor() == uuid.Nil || scope.Role() == "" {
		return uuid.Nil, problem.Of(problem.Forbidden)
	}
	return scope.Actor(), nil
}

// selfOrProgram returns a Forbidden problem unless the scope is a program or belongs to the user.
func selfOrProgram(scope tenant.Scope, userID uuid.UUID) error {
	if actor, err := self(scope); err == nil && actor == userID {
		return nil
	}
	return permission.Program(scope)
}

// Factors returns the factors of a user. Users read their own, and programs those of every user.
func (s *Store) Factors(ctx context.Context, scope tenant.Scope, userID uuid.UUID) (f Factors, err error) {
	defer db.Wrap(&err, "read factors")

	if err := selfOrProgram(scope, userID); err != nil {
		return Factors{}, err
	}
	err = s.readAs(ctx, scope, func(in *Store) error {
		return in.db.Consistently(ctx, func(in *db.DB) (err error) {
			f, err = factorsOf(ctx, in, userID)
			return err
		})
	})
	return f, err
}

// factorsOf reads the factors of a user, without a check of the scope.
func factorsOf(ctx context.Context, in *db.DB, userID uuid.UUID) (f Factors, err error) {
	var row totpRow
	err = in.NewSelect().Model(&row).Where("user_id = ?", userID).Scan(ctx)
	if err := db.Missing(err, "TOTP"); err != nil && !problem.Is(err, problem.NotFound) {
		return Factors{}, err
	}
	f.TOTP = row.ConfirmedAt.UTC()
	for _, part := range []struct {
		count *int
		query *bun.SelectQuery
	}{
		{&f.RecoveryCodes, in.NewSelect().Model((*recoveryCodeRow)(nil)).Where("used_at IS NULL")},
		{&f.Passkeys, in.NewSelect().Model((*passkeyRow)(nil))},
	} {
		n, err := part.query.Where("user_id = ?", userID).Count(ctx)
		if err != nil {
			return Factors{}, err
		}
		*part.count = int(n)
	}
	return f, nil
}

// BeginTOTP stores a new authenticator of the scope's user with its sealed secret, in place of one that was not
// confirmed. Sign-ins ask for its codes only after ConfirmTOTP. It returns a Conflict problem if the user has a
// confirmed one.
func (s *Store) BeginTOTP(ctx context.Context, actor permission.Confirmed, ciphertext []byte) (err error) {
	defer db.Wrap(&err, "begin TOTP")

	scope := actor.Scope()
	userID, err := self(scope)
	if err != nil {
		return err
	}
	now := s.db.Now()
	row := totpRow{UserID: userID, TenantID: scope.Tenant(), Sealed: ciphertext, CreatedAt: now, TriedAt: now}
	return s.writeAs(ctx, scope, func(tx *Store) error {
		// tries and tried_at stay as they are: beginning again must not give new guesses at once.
		result, err := tx.db.NewInsert().Model(&row).On("CONFLICT (user_id) DO UPDATE").
			Set("sealed = EXCLUDED.sealed").Set("created_at = EXCLUDED.created_at").
			Where("r.confirmed_at IS NULL").Exec(ctx)
		if err := affects(result, err,
			problem.New(problem.Conflict, "You have an authenticator already. Delete it first.")); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope,
			db.Mutation{Action: "totp.begin", Tenant: row.TenantID, Target: userID.String()})
	})
}

// TryTOTP (system scope) counts a guess and returns the user's authenticator, with which the caller checks the
// code. It returns a RateLimited problem after too many wrong guesses, concurrent ones included, and a NotFound
// problem if the user has no authenticator. It also serves authenticators that are not confirmed. A correct
// code must be reported with UseTOTP or ConfirmTOTP, which reset the count.
func (s *Store) TryTOTP(ctx context.Context, scope tenant.Scope, userID uuid.UUID) (_ TOTP, err error) {
	defer db.Wrap(&err, "try TOTP")

	if err := permission.Program(scope); err != nil {
		return TOTP{}, err
	}
	var row totpRow
	err = s.atomically(ctx, func(tx *Store) error {
		if err := tx.db.Lock(tx.db.NewSelect().Model(&row).Where("user_id = ?", userID)).Scan(ctx); err != nil {
			return db.Missing(err, "TOTP")
		}
		now := tx.db.Now()
		if wait := row.TriedAt.Add(tryEvery).Sub(now); row.Tries >= freeTries && wait > 0 {
			return problem.New(problem.RateLimited, "Too many wrong codes. Try again later.").After(wait)
		}
		// Counted before the caller checks the code, so that guesses at the same time cannot exceed the limit.
		_, err := tx.db.NewUpdate().Model(&row).Set("tries = tries + 1").Set("tried_at = ?", now).WherePK().Exec(ctx)
		return err
	})
	if err != nil {
		return TOTP{}, err
	}
	return TOTP{Sealed: row.Sealed, ConfirmedAt: row.ConfirmedAt.UTC(), LastStep: row.LastStep}, nil
}

// UseTOTP (system scope) records that the code of a time step was accepted, so that the code works once. It
// returns a NotFound problem if the same or a later step was used before, also by a concurrent call, or if the
// user has no confirmed authenticator.
func (s *Store) UseTOTP(ctx context.Context, scope tenant.Scope, userID uuid.UUID, step int64) (err error) {
	defer db.Wrap(&err, "use TOTP")

	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		result, err := tx.db.NewUpdate().Model((*totpRow)(nil)).Set("last_step = ?", step).Set("tries = 0").
			Where("user_id = ?", userID).Where("confirmed_at IS NOT NULL").Where("last_step < ?", step).Exec(ctx)
		return affects(result, err, db.NoSuch("TOTP"))
	})
}

// Confirmation is the proof that a user can generate codes.
type Confirmation struct {
	Sealed []byte     // the secret whose code the user gave, as BeginTOTP stored it
	Step   int64      // time step of that code
	Codes  [][32]byte // hashes of the user's new recovery codes
}

// ConfirmTOTP makes the authenticator that the scope's user has set up a second factor, and stores recovery
// codes. It returns a Conflict problem if the authenticator was replaced since, or is confirmed already.
func (s *Store) ConfirmTOTP(ctx context.Context, actor permission.Confirmed, c Confirmation) (err error) {
	defer db.Wrap(&err, "confirm TOTP")

	scope := actor.Scope()
	userID, err := self(scope)
	if err != nil {
		return err
	}
	return s.writeAs(ctx, scope, func(tx *Store) error {
		// The condition on sealed: the code belongs to this secret, and not to one of a later BeginTOTP.
		result, err := tx.db.NewUpdate().Model((*totpRow)(nil)).
			Set("confirmed_at = ?", tx.db.Now()).Set("last_step = ?", c.Step).Set("tries = 0").
			Where("user_id = ?", userID).Where("sealed = ?", c.Sealed).Where("confirmed_at IS NULL").Exec(ctx)
		if err := affects(result, err, problem.New(problem.Conflict,
			"This authenticator setup is no longer valid. Start the setup again.")); err != nil {
			return err
		}
		if err := tx.setRecoveryCodes(ctx, scope, c.Codes); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "totp.confirm", Tenant: scope.Tenant(),
			Target: userID.String()})
	})
}

// ReplaceRecoveryCodes replaces all recovery codes of the scope's user, used and unused, by those with the
// hashes. It returns a Conflict problem if the user has no confirmed authenticator.
func (s *Store) ReplaceRecoveryCodes(ctx context.Context, actor permission.Confirmed, hashes [][32]byte) (err error) {
	defer db.Wrap(&err, "replace recovery codes")

	scope := actor.Scope()
	userID, err := self(scope)
	if err != nil {
		return err
	}
	return s.writeAs(ctx, scope, func(tx *Store) error {
		var row totpRow
		err := tx.db.Lock(tx.db.NewSelect().Model(&row).Where("user_id = ?", userID)).Scan(ctx)
		if err := db.Missing(err, "TOTP"); err != nil && !problem.Is(err, problem.NotFound) {
			return err
		}
		if row.ConfirmedAt.IsZero() {
			return problem.New(problem.Conflict, "You have no authenticator. Set one up first.")
		}
		if err := tx.setRecoveryCodes(ctx, scope, hashes); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "recovery_codes.replace", Tenant: scope.Tenant(),
			Target: userID.String()})
	})
}

// setRecoveryCodes replaces the recovery codes of the scope's user.
func (s *Store) setRecoveryCodes(ctx context.Context, scope tenant.Scope, hashes [][32]byte) error {
	if _, err := s.db.NewDelete().Model((*recoveryCodeRow)(nil)).Where("user_id = ?", scope.Actor()).
		Exec(ctx); err != nil {
		return err
	}
	rows := make([]recoveryCodeRow, 0, len(hashes))
	for _, hash := range hashes {
		rows = append(rows, recoveryCodeRow{UserID: scope.Actor(), TenantID: scope.Tenant(), Hash: hash[:]})
	}
	_, err := s.db.NewInsert().Model(&rows).Exec(ctx)
	return err
}

// UseRecoveryCode (system scope) marks a recovery code of a user as used. Each code works once. It returns a
// NotFound problem if the user has no code with the hash, or if it was used before.
func (s *Store) UseRecoveryCode(ctx context.Context, scope tenant.Scope, userID uuid.UUID, hash [32]byte) (err error) {
	defer db.Wrap(&err, "use recovery code")

	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		var row recoveryCodeRow
		err := tx.db.NewUpdate().Model(&row).Set("used_at = ?", tx.db.Now()).
			Where("user_id = ?", userID).Where("hash = ?", hash[:]).Where("used_at IS NULL").Returning("*").Scan(ctx)
		if err != nil {
			return db.Missing(err, "recovery code")
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "recovery_code.use", Tenant: row.TenantID,
			Target: userID.String()})
	})
}

// DeleteTOTP deletes the authenticator and the recovery codes of the scope's user. It returns a NotFound
// problem if the user has no authenticator.
func (s *Store) DeleteTOTP(ctx context.Context, actor permission.Confirmed) (err error) {
	defer db.Wrap(&err, "delete TOTP")

	scope := actor.Scope()
	userID, err := self(scope)
	if err != nil {
		return err
	}
	return s.writeAs(ctx, scope, func(tx *Store) error {
		result, err := tx.db.NewDelete().Model((*totpRow)(nil)).Where("user_id = ?", userID).Exec(ctx)
		if err := affects(result, err, db.NoSuch("authenticator")); err != nil {
			return err
		}
		if _, err := tx.db.NewDelete().Model((*recoveryCodeRow)(nil)).Where("user_id = ?", userID).
			Exec(ctx); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "totp.delete", Tenant: scope.Tenant(),
			Target: userID.String()})
	})
}

// ResetFactors deletes a user's authenticator, recovery codes and passkeys, for example when they are lost, and
// ends the user's sessions and sign-ins in progress. Members may not call it, admins cannot reset owners, and
// users cannot reset their own factors.
func (s *Store) ResetFactors(ctx context.Context, actor permission.Confirmed, userID uuid.UUID) (err error) {
	defer db.Wrap(&err, "reset factors")

	scope := actor.Scope()
	if err := permission.Check(scope, permission.WriteMembers); err != nil {
		return err
	}
	return s.writeAs(ctx, scope, func(tx *Store) error {
		// A sign-in that opens its session now waits, and then finds its proof gone: see CreateSession.
		if err := person.LockCounted(ctx, tx.db, userID); err != nil {
			return err
		}
		user, err := person.FindUser(ctx, tx.db, userID)
		if err != nil {
			return err
		}
		if err := checkReset(scope, user); err != nil {
			return err
		}
		// Sessions and challenges too: a person who has the lost device may be signed in, or about to be.
		for _, model := range []any{(*totpRow)(nil), (*recoveryCodeRow)(nil), (*passkeyRow)(nil), (*challengeRow)(nil),
			(*sessionRow)(nil)} {
			if _, err := tx.db.NewDelete().Model(model).Where("user_id = ?", userID).Exec(ctx); err != nil {
				return err
			}
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "user.reset_factors", Tenant: user.TenantID,
			Target: userID.String()})
	})
}

// checkReset returns a problem unless the scope may reset the factors of the user.
func checkReset(scope tenant.Scope, user person.UserRow) error {
	switch {
	case !scope.Reaches(user.TenantID):
		return db.NoSuch("user")
	case scope.Actor() == user.ID:
		return problem.New(problem.Conflict, "You cannot reset your own factors. Ask another administrator.")
	case scope.Role() == tenant.Admin && user.Role == tenant.Owner:
		return problem.New(problem.Forbidden, "only an owner can change an owner")
	}
	return nil
}
