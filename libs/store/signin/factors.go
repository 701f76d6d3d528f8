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

// Codes of a TOTP may be guessed freeTries times since the last good one, then
// once in each tryEvery, over all processes and challenges together.
const (
	freeTries = 10
	tryEvery  = time.Minute
)

// TOTP is a user's generator of time-based codes.
type TOTP struct {
	Sealed      []byte    // its secret
	ConfirmedAt time.Time // zero: begun, and not asked for yet
	LastStep    int64     // of the last code that was accepted
}

type totpRow struct {
	bun.BaseModel `bun:"table:totps,alias:r"`

	UserID      uuid.UUID `bun:"user_id,pk,type:uuid"`
	TenantID    uuid.UUID `bun:"tenant_id,type:uuid,nullzero"`
	Sealed      []byte    `bun:"sealed"`
	CreatedAt   time.Time `bun:"created_at"`
	ConfirmedAt time.Time `bun:"confirmed_at,nullzero"`
	LastStep    int64     `bun:"last_step"`
	Tries       int       `bun:"tries"`
	TriedAt     time.Time `bun:"tried_at"`
}

type recoveryCodeRow struct {
	bun.BaseModel `bun:"table:recovery_codes,alias:r"`

	UserID   uuid.UUID `bun:"user_id,pk,type:uuid"`
	TenantID uuid.UUID `bun:"tenant_id,type:uuid,nullzero"`
	Hash     []byte    `bun:"hash,pk"`
	UsedAt   time.Time `bun:"used_at,nullzero"`
}

// Factors are what a user has beside his password.
type Factors struct {
	TOTP          time.Time // since when codes are asked for, zero: never
	RecoveryCodes int       // that are left
	Passkeys      int
}

// self returns the signed-in user whose own things the scope's caller works on.
func self(scope tenant.Scope) (uuid.UUID, error) {
	if scope.Actor() == uuid.Nil || scope.Role() == "" {
		return uuid.Nil, problem.Of(problem.Forbidden)
	}
	return scope.Actor(), nil
}

// ownOr lets programs, and a user for himself, pass.
func ownOr(scope tenant.Scope, userID uuid.UUID) error {
	if own, err := self(scope); err == nil && own == userID {
		return nil
	}
	return permission.Program(scope)
}

// Factors returns what a user has; one's own, or, for programs, anybody's.
func (s *Store) Factors(ctx context.Context, scope tenant.Scope, userID uuid.UUID) (f Factors, err error) {
	defer db.Wrap(&err, "read factors")

	if err := ownOr(scope, userID); err != nil {
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

func factorsOf(ctx context.Context, in *db.DB, userID uuid.UUID) (f Factors, err error) {
	var row totpRow
	err = in.NewSelect().Model(&row).Where("user_id = ?", userID).Scan(ctx)
	if err := db.Missing(err, "TOTP"); err != nil && !problem.Is(err, problem.NotFound) {
		return Factors{}, err
	}
	f.TOTP = row.ConfirmedAt.UTC()
	for _, part := range []struct {
		count *int
		of    *bun.SelectQuery
	}{
		{&f.RecoveryCodes, in.NewSelect().Model((*recoveryCodeRow)(nil)).Where("used_at IS NULL")},
		{&f.Passkeys, in.NewSelect().Model((*passkeyRow)(nil))},
	} {
		n, err := part.of.Where("user_id = ?", userID).Count(ctx)
		if err != nil {
			return Factors{}, err
		}
		*part.count = int(n)
	}
	return f, nil
}

// BeginTOTP gives the scope's user a generator that is not asked for before
// ConfirmTOTP, in place of one that never was. Conflict where he has one.
func (s *Store) BeginTOTP(ctx context.Context, scope tenant.Scope, sealed []byte) (err error) {
	defer db.Wrap(&err, "begin TOTP")

	userID, err := self(scope)
	if err != nil {
		return err
	}
	now := s.db.Now()
	row := totpRow{UserID: userID, TenantID: scope.Tenant(), Sealed: sealed, CreatedAt: now, TriedAt: now}
	return s.writeAs(ctx, scope, func(tx *Store) error {
		result, err := tx.db.NewInsert().Model(&row).On("CONFLICT (user_id) DO UPDATE").
			Set("sealed = EXCLUDED.sealed").Set("created_at = EXCLUDED.created_at").
			Where("r.confirmed_at IS NULL").Exec(ctx)
		if err := affects(result, err, problem.New(problem.Conflict, "There is an authenticator already.")); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "totp.begin", Tenant: row.TenantID, Target: userID.String()})
	})
}

// TryTOTP (system scope) returns a user's generator and counts a guess at its
// codes. RateLimited where too many were wrong, of concurrent guesses too;
// NotFound where there is none.
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
		_, err := tx.db.NewUpdate().Model(&row).Set("tries = tries + 1").Set("tried_at = ?", now).WherePK().Exec(ctx)
		return err
	})
	if err != nil {
		return TOTP{}, err
	}
	return TOTP{Sealed: row.Sealed, ConfirmedAt: row.ConfirmedAt.UTC(), LastStep: row.LastStep}, nil
}

// UseTOTP (system scope) notes that the code of a step was given. Of concurrent
// calls with one step, and after one with a later step, it fails: NotFound.
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

// Confirmation is how a user shows that his generator works.
type Confirmation struct {
	Sealed []byte     // the secret whose code was given
	Step   int64      // of the code
	Codes  [][32]byte // hashes of the recovery codes he is given
}

// ConfirmTOTP makes the generator that the scope's user has begun his second
// factor. Conflict where it is another by now, or is confirmed.
func (s *Store) ConfirmTOTP(ctx context.Context, scope tenant.Scope, c Confirmation) (err error) {
	defer db.Wrap(&err, "confirm TOTP")

	userID, err := self(scope)
	if err != nil {
		return err
	}
	return s.writeAs(ctx, scope, func(tx *Store) error {
		result, err := tx.db.NewUpdate().Model((*totpRow)(nil)).
			Set("confirmed_at = ?", tx.db.Now()).Set("last_step = ?", c.Step).Set("tries = 0").
			Where("user_id = ?", userID).Where("sealed = ?", c.Sealed).Where("confirmed_at IS NULL").Exec(ctx)
		if err := affects(result, err, problem.New(problem.Conflict, "Begin again: the authenticator is another by now.")); err != nil {
			return err
		}
		if err := tx.setRecoveryCodes(ctx, scope, c.Codes); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "totp.confirm", Tenant: scope.Tenant(), Target: userID.String()})
	})
}

// ReplaceRecoveryCodes replaces the recovery codes of the scope's user, used
// and unused, by those with the hashes. Conflict where he has no second factor.
func (s *Store) ReplaceRecoveryCodes(ctx context.Context, scope tenant.Scope, hashes [][32]byte) (err error) {
	defer db.Wrap(&err, "replace recovery codes")

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
			return problem.New(problem.Conflict, "There is no authenticator.")
		}
		if err := tx.setRecoveryCodes(ctx, scope, hashes); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "recovery_codes.replace", Tenant: scope.Tenant(), Target: userID.String()})
	})
}

func (s *Store) setRecoveryCodes(ctx context.Context, scope tenant.Scope, hashes [][32]byte) error {
	if _, err := s.db.NewDelete().Model((*recoveryCodeRow)(nil)).Where("user_id = ?", scope.Actor()).Exec(ctx); err != nil {
		return err
	}
	rows := make([]recoveryCodeRow, 0, len(hashes))
	for _, hash := range hashes {
		rows = append(rows, recoveryCodeRow{UserID: scope.Actor(), TenantID: scope.Tenant(), Hash: hash[:]})
	}
	_, err := s.db.NewInsert().Model(&rows).Exec(ctx)
	return err
}

// UseRecoveryCode (system scope) takes a recovery code of a user: each works
// once. NotFound where there is none with the hash, or it was used.
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
		return tx.db.Record(ctx, scope, db.Mutation{Action: "recovery_code.use", Tenant: row.TenantID, Target: userID.String()})
	})
}

// DeleteTOTP ends the second factor of the scope's user. NotFound where he has
// none.
func (s *Store) DeleteTOTP(ctx context.Context, scope tenant.Scope) (err error) {
	defer db.Wrap(&err, "delete TOTP")

	userID, err := self(scope)
	if err != nil {
		return err
	}
	return s.writeAs(ctx, scope, func(tx *Store) error {
		result, err := tx.db.NewDelete().Model((*totpRow)(nil)).Where("user_id = ?", userID).Exec(ctx)
		if err := affects(result, err, db.NoSuch("authenticator")); err != nil {
			return err
		}
		if _, err := tx.db.NewDelete().Model((*recoveryCodeRow)(nil)).Where("user_id = ?", userID).Exec(ctx); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "totp.delete", Tenant: scope.Tenant(), Target: userID.String()})
	})
}

// ResetFactors takes a user's second factor, recovery codes and passkeys from
// him and ends his sessions: for one who lost them. Admins do not touch owners,
// and nobody resets his own.
func (s *Store) ResetFactors(ctx context.Context, scope tenant.Scope, userID uuid.UUID) (err error) {
	defer db.Wrap(&err, "reset factors")

	if err := permission.Check(scope, permission.WriteMembers); err != nil {
		return err
	}
	return s.writeAs(ctx, scope, func(tx *Store) error {
		user, err := person.FindUser(ctx, tx.db, userID)
		if err != nil {
			return err
		}
		if err := checkReset(scope, user); err != nil {
			return err
		}
		for _, model := range []any{(*totpRow)(nil), (*recoveryCodeRow)(nil), (*passkeyRow)(nil), (*challengeRow)(nil), (*sessionRow)(nil)} {
			if _, err := tx.db.NewDelete().Model(model).Where("user_id = ?", userID).Exec(ctx); err != nil {
				return err
			}
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "user.reset_factors", Tenant: user.TenantID, Target: userID.String()})
	})
}

func checkReset(scope tenant.Scope, user person.UserRow) error {
	switch {
	case !scope.Reaches(user.TenantID):
		return db.NoSuch("user")
	case scope.Actor() == user.ID:
		return problem.New(problem.Conflict, "Somebody else resets one's factors.")
	case scope.Role() == tenant.Admin && user.Role == tenant.Owner:
		return problem.New(problem.Forbidden, "only an owner changes owners")
	}
	return nil
}
