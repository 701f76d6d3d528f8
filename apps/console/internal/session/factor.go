package session

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/signin"
)

// The ways to give a second factor.
const (
	TOTPCode     = "totp"
	RecoveryCode = "recovery_code"
	Passkey      = "passkey"
)

const (
	forSecondFactor = "second factor" // a challenge's purpose

	challengeLife  = 5 * time.Minute
	challengeTries = 5
)

// Outcome is the result of a sign-in step: an open session, or the second factor
// that is still required.
type Outcome struct {
	Open    Open
	Pending *Pending // nil: the session is open
}

// Pending is a sign-in that waits for a second factor.
type Pending struct {
	Challenge string // to be brought back
	ExpiresAt time.Time
	Methods   []string // of giving it
}

// Proceed continues a sign-in after the password was proven, or a mailed link. It
// opens a session, or asks for the second factor of a user who has one. It fails
// as Begin does.
func (s *Sessions) Proceed(ctx context.Context, p Proven) (_ Outcome, err error) {
	defer wrap(&err, "go on with the sign-in")
	factors, err := s.store.Signin.Factors(ctx, s.system, p.User.ID)
	if err != nil {
		return Outcome{}, err
	}
	if factors.TOTP.IsZero() {
		open, err := s.Begin(ctx, p)
		return Outcome{Open: open}, err
	}
	// Whose tenant is disabled learns nothing of his second factor.
	if _, err := s.home(ctx, p.User); err != nil {
		return Outcome{}, err
	}
	pending, err := s.ask(ctx, p, factors)
	return Outcome{Pending: pending}, err
}

func (s *Sessions) ask(ctx context.Context, p Proven, factors signin.Factors) (*Pending, error) {
	secret := seal.NewSecret()
	pending := &Pending{Challenge: secret.Value, ExpiresAt: s.now().Add(challengeLife).UTC().Truncate(time.Second), Methods: []string{TOTPCode}}
	if factors.RecoveryCodes > 0 {
		pending.Methods = append(pending.Methods, RecoveryCode)
	}
	if factors.Passkeys > 0 && s.PasskeysOn() {
		pending.Methods = append(pending.Methods, Passkey)
	}
	return pending, s.store.Signin.CreateChallenge(ctx, s.system, signin.Challenge{
		Hash: secret.Hash, Purpose: forSecondFactor, UserID: p.User.ID, PasswordHash: p.PasswordHash,
		Tries: challengeTries, ExpiresAt: pending.ExpiresAt,
	})
}

// Factor is how a user answers a challenge.
type Factor struct {
	Challenge string
	Code      string // of his authenticator, or a recovery code
	Passkey   []byte // in place of a code: the answer to what AskPasskey returned, JSON
	Client    signin.Client
}

// expired is the same for a challenge that is unknown, over, or used up.
func expired() error {
	return problem.New(problem.Unauthenticated, "This sign-in is over. Begin again.").At("challenge")
}

func wrongCode() error {
	return problem.New(problem.InvalidType, "The code is wrong, or was used before.").At("code")
}

// SecondFactor opens the session of a sign-in that waits for a second factor.
// It fails with an Unauthenticated problem where the sign-in is over, with an
// InvalidType problem where it may be tried again, and with RateLimited ones.
func (s *Sessions) SecondFactor(ctx context.Context, f Factor) (_ Open, err error) {
	defer wrap(&err, "check the second factor")
	if err := s.throttle.Check(throttle.SignInByAddress, throttle.Network(f.Client.Address), s.now()); err != nil {
		return Open{}, err
	}
	hash, ok := seal.HashSecret(f.Challenge)
	if !ok {
		return Open{}, expired()
	}
	challenge, err := s.tryChallenge(ctx, hash)
	if err == nil {
		err = s.checkFactor(ctx, challenge, f)
	}
	if problem.Is(err, problem.Unauthenticated) || problem.Is(err, problem.InvalidType) {
		s.throttle.Charge(throttle.SignInByAddress, throttle.Network(f.Client.Address), s.now())
	}
	if err != nil {
		return Open{}, err
	}
	return s.finish(ctx, challenge, f.Client)
}

func (s *Sessions) checkFactor(ctx context.Context, c signin.Challenge, f Factor) error {
	if len(f.Passkey) > 0 {
		return s.checkPasskey(ctx, c, f.Passkey)
	}
	return s.checkCode(ctx, c.UserID, f.Code)
}

// tryChallenge takes one of the tries of a sign-in that waits.
func (s *Sessions) tryChallenge(ctx context.Context, hash [sha256.Size]byte) (signin.Challenge, error) {
	challenge, err := s.store.Signin.TryChallenge(ctx, s.system, forSecondFactor, hash)
	if problem.Is(err, problem.NotFound) {
		return signin.Challenge{}, expired()
	}
	return challenge, err
}

// finish opens the session of a challenge whose user has done all that was
// asked. It works once.
func (s *Sessions) finish(ctx context.Context, c signin.Challenge, client signin.Client) (Open, error) {
	_, err := s.store.Signin.TakeChallenge(ctx, s.system, c.Purpose, c.Hash)
	if problem.Is(err, problem.NotFound) {
		return Open{}, expired()
	}
	if err != nil {
		return Open{}, err
	}
	user, err := s.store.Identity.User(ctx, s.system, c.UserID)
	if err != nil {
		return Open{}, err
	}
	if user.Status != tenant.Enabled {
		return Open{}, refused()
	}
	return s.Begin(ctx, Proven{User: user, PasswordHash: c.PasswordHash, Client: client})
}

// checkCode accepts a code of the user's authenticator, or a recovery code,
// once. Every other one is an InvalidType problem at code.
func (s *Sessions) checkCode(ctx context.Context, userID uuid.UUID, code string) error {
	code = plain(code)
	var err error
	if isCode(code) {
		err = s.useCode(ctx, userID, code)
	} else {
		err = s.store.Signin.UseRecoveryCode(ctx, s.system, userID, recoveryHash(userID, code))
	}
	if problem.Is(err, problem.NotFound) {
		return wrongCode()
	}
	return err
}

func (s *Sessions) useCode(ctx context.Context, userID uuid.UUID, code string) error {
	totp, step, err := s.tryCode(ctx, userID, code)
	if err != nil {
		return err
	}
	if totp.ConfirmedAt.IsZero() {
		return wrongCode()
	}
	return s.store.Signin.UseTOTP(ctx, s.system, userID, step)
}

// tryCode returns the user's generator and the step of the code.
func (s *Sessions) tryCode(ctx context.Context, userID uuid.UUID, code string) (signin.TOTP, int64, error) {
	totp, err := s.store.Signin.TryTOTP(ctx, s.system, userID)
	if err != nil {
		return signin.TOTP{}, 0, err
	}
	secret, err := s.sealer.Open(totp.Sealed, TOTPPurpose(userID))
	if err != nil {
		return signin.TOTP{}, 0, err
	}
	step, ok := stepOf(secret, code, s.now(), totp.LastStep)
	if !ok {
		return signin.TOTP{}, 0, wrongCode()
	}
	return totp, step, nil
}

// TOTPPurpose is what the secret of a user's codes is sealed for: moved to another
// user it opens nothing.
func TOTPPurpose(userID uuid.UUID) string { return "totp of " + userID.String() }

// Enrolment is what an authenticator app needs to make codes.
type Enrolment struct {
	Secret string // base32
	URI    string // the same as otpauth://...
}

// BeginTOTP gives a signed-in user the secret of a second factor, which is
// asked for after ConfirmTOTP. Conflict where he has one.
func (s *Sessions) BeginTOTP(ctx context.Context, user tenant.User) (_ Enrolment, err error) {
	defer wrap(&err, "begin an authenticator app")
	secret := newSecret()
	sealed, err := s.sealer.Seal(secret, TOTPPurpose(user.ID))
	if err != nil {
		return Enrolment{}, err
	}
	if err := s.store.Signin.BeginTOTP(ctx, tenant.ScopeOf(user), sealed); err != nil {
		return Enrolment{}, err
	}
	return Enrolment{Secret: secret, URI: uriOf(secret, user.Email)}, nil
}

// ConfirmTOTP makes the second factor that was begun the user's, for a code of
// it, and returns his recovery codes.
func (s *Sessions) ConfirmTOTP(ctx context.Context, user tenant.User, code string) (_ []string, err error) {
	defer wrap(&err, "confirm the authenticator app")
	totp, step, err := s.tryCode(ctx, user.ID, plain(code))
	if problem.Is(err, problem.NotFound) {
		return nil, problem.New(problem.Conflict, "Begin first.")
	}
	if err != nil {
		return nil, err
	}
	codes := newRecoveryCodes()
	return codes, s.store.Signin.ConfirmTOTP(ctx, tenant.ScopeOf(user), signin.Confirmation{
		Sealed: totp.Sealed, Step: step, Codes: recoveryHashes(user.ID, codes),
	})
}

// RenewRecoveryCodes replaces the user's recovery codes, for a code.
func (s *Sessions) RenewRecoveryCodes(ctx context.Context, user tenant.User, code string) (_ []string, err error) {
	defer wrap(&err, "renew the recovery codes")
	if err := s.checkCode(ctx, user.ID, code); err != nil {
		return nil, err
	}
	codes := newRecoveryCodes()
	return codes, s.store.Signin.ReplaceRecoveryCodes(ctx, tenant.ScopeOf(user), recoveryHashes(user.ID, codes))
}

// EndTOTP ends the user's second factor, for a code.
func (s *Sessions) EndTOTP(ctx context.Context, user tenant.User, code string) (err error) {
	defer wrap(&err, "end the authenticator app")
	if err := s.checkCode(ctx, user.ID, code); err != nil {
		return err
	}
	return s.store.Signin.DeleteTOTP(ctx, tenant.ScopeOf(user))
}
