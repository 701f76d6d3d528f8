package session

import (
	"context"
	"crypto/sha256"
	"net/netip"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/web"
)

// The kinds of second factor, as the API names them.
const (
	TOTPCode     = "totp"
	RecoveryCode = "recovery_code"
	Passkey      = "passkey"
)

const (
	forSecondFactor = "second factor" // purpose of the challenges in the store

	challengeLife  = 5 * time.Minute // time to finish a sign-in or to create a passkey
	challengeTries = 5               // wrong codes after which the sign-in must start again
)

// Outcome is the result of a sign-in step: either an open session, or the second factor that is still required.
type Outcome struct {
	Open    Open
	Pending *Pending // nil: the session is open
}

// Pending describes a sign-in that waits for a second factor.
type Pending struct {
	Challenge string // secret that the client must send with the second factor
	ExpiresAt time.Time
	Methods   []string // kinds of second factor that the user has
}

// Proceed continues a sign-in after the password is checked. It opens a session, or asks
// for the second factor if the user has an authenticator app, or has a passkey and needs a
// second factor. It has the errors of begin.
func (s *Sessions) Proceed(ctx context.Context, p Proven) (_ Outcome, err error) {
	defer wrap(&err, "continue the sign-in")
	factors, err := s.store.Signin.Factors(ctx, s.system, p.User.ID)
	if err != nil {
		return Outcome{}, err
	}
	// Users of a disabled tenant must get the usual refusal now, not after the second factor.
	t, err := s.enabledTenant(ctx, p.User)
	if err != nil {
		return Outcome{}, err
	}
	if err := checkMeans(t, p.User, p.Means); err != nil {
		return Outcome{}, err
	}
	if factors.TOTP.IsZero() && !(s.requires(p.User, t) && s.hasFactor(factors)) {
		open, err := s.beginSignIn(ctx, p)
		return Outcome{Open: open}, err
	}
	challenge, err := s.ask(ctx, p, factors)
	return Outcome{Pending: challenge}, err
}

// requires reports whether the user needs a second factor.
func (s *Sessions) requires(user tenant.User, t tenant.Tenant) bool {
	if user.Role == tenant.Operator {
		return s.operators
	}
	return t.RequireSecondFactor
}

// hasFactor reports whether one of the factors can be the second one of a sign-in.
func (s *Sessions) hasFactor(factors signin.Factors) bool {
	return !factors.TOTP.IsZero() || factors.Passkeys > 0 && s.PasskeysOn()
}

// mustEnrol reports whether the user of the session needs a second factor and has none. A passkey is two factors, and
// an issuer is trusted to ask for its own.
func (s *Sessions) mustEnrol(ctx context.Context, live *signin.Session) (bool, error) {
	if !s.requires(live.User, live.Tenant) || live.Means == signin.ByPasskey || live.Means == signin.ByOIDC ||
		live.Means == signin.ByTenantIssuer {
		return false, nil
	}
	factors, err := s.store.Signin.Factors(ctx, s.system, live.User.ID)
	return err == nil && !s.hasFactor(factors), err
}

// ask stores a challenge for the second factor and returns it with the kinds of second factor that the user has.
func (s *Sessions) ask(ctx context.Context, p Proven, factors signin.Factors) (*Pending, error) {
	secret := seal.NewSecret()
	challenge := &Pending{Challenge: secret.Value, ExpiresAt: s.now().Add(challengeLife).UTC().Truncate(time.Second)}
	if !factors.TOTP.IsZero() {
		challenge.Methods = append(challenge.Methods, TOTPCode)
	}
	if !factors.TOTP.IsZero() && factors.RecoveryCodes > 0 {
		challenge.Methods = append(challenge.Methods, RecoveryCode)
	}
	if factors.Passkeys > 0 && s.PasskeysOn() {
		challenge.Methods = append(challenge.Methods, Passkey)
	}
	return challenge, s.store.Signin.CreateChallenge(ctx, s.system, signin.Challenge{
		Hash: secret.Hash, Purpose: forSecondFactor, UserID: p.User.ID, PasswordHash: p.PasswordHash,
		Tries: challengeTries, ExpiresAt: challenge.ExpiresAt,
	})
}

// Factor holds the second factor that a user sends for a challenge: either a code or a passkey.
type Factor struct {
	Challenge string
	Code      string // of the authenticator app, or a recovery code
	Passkey   []byte // instead of a code: the browser's response to the options of AskPasskey, as JSON
	Client    signin.Client
}

// expired returns the error for a challenge that is unknown, expired or used up. It does not tell these apart.
func expired() error {
	return problem.New(problem.Unauthenticated, "This sign-in has expired. Sign in again.").At("challenge")
}

func wrongCode() error {
	return problem.New(problem.InvalidType, "The code is wrong or was used before. Try the next code.").At("code")
}

// SecondFactor checks the second factor of a pending sign-in and opens the
// session. It returns an Unauthenticated problem if the sign-in has expired or has
// no tries left, an InvalidType problem for a wrong factor, which may be retried,
// and a RateLimited problem if the address sends too many unknown challenges or the user
// signs in too often. Nothing else from the address refuses a challenge: who has it has proven the password.
func (s *Sessions) SecondFactor(ctx context.Context, f Factor) (_ Open, err error) {
	defer wrap(&err, "check the second factor")
	web.RecordOf(ctx).SignIn = true
	hash, ok := seal.HashSecret(f.Challenge)
	if !ok {
		return Open{}, s.refuseChallenge(f.Client.Address)
	}
	challenge, err := s.tryChallenge(ctx, hash)
	if problem.Is(err, problem.Unauthenticated) {
		return Open{}, s.refuseChallenge(f.Client.Address)
	}
	if err == nil { // before a recovery code is used up
		err = s.throttle.Check(throttle.SignInsByUser, challenge.UserID.String(), s.now())
	}
	if err == nil {
		err = s.checkFactor(ctx, challenge, f)
	}
	if err != nil {
		s.nameAccount(ctx, challenge.UserID)
		return Open{}, err
	}
	return s.finish(ctx, challenge, f.Client)
}

// nameAccount names the account of a refused sign-in for the audit log. It is best effort.
func (s *Sessions) nameAccount(ctx context.Context, userID uuid.UUID) {
	if user, err := s.store.Identity.User(ctx, s.system, userID); err == nil {
		record := web.RecordOf(ctx)
		record.Account, record.AccountTenantID = user.Email, user.TenantID
	}
}

// refuseChallenge counts a challenge that does not exist, and returns
// the error for it: that of expired, or a RateLimited problem.
func (s *Sessions) refuseChallenge(from netip.Addr) error {
	if err := s.throttle.Take(throttle.ChallengesByAddress, address.Network(from), s.now()); err != nil {
		return err
	}
	return expired()
}

// checkFactor checks the passkey or the code, whichever is given.
func (s *Sessions) checkFactor(ctx context.Context, c signin.Challenge, f Factor) error {
	if len(f.Passkey) > 0 {
		return s.checkPasskey(ctx, c, f.Passkey)
	}
	return s.checkCode(ctx, c.UserID, f.Code)
}

// tryChallenge returns the challenge of a pending sign-in and uses up one of its tries.
func (s *Sessions) tryChallenge(ctx context.Context, hash [sha256.Size]byte) (signin.Challenge, error) {
	challenge, err := s.store.Signin.TryChallenge(ctx, s.system, forSecondFactor, hash)
	if problem.Is(err, problem.NotFound) {
		return signin.Challenge{}, expired()
	}
	return challenge, err
}

// finish opens the session of a challenge whose second factor was correct. That
// uses the challenge up, so that of two concurrent requests only one succeeds.
func (s *Sessions) finish(ctx context.Context, c signin.Challenge, client signin.Client) (Open, error) {
	user, err := s.store.Identity.User(ctx, s.system, c.UserID)
	if err != nil {
		return Open{}, err
	}
	if user.Status != tenant.Enabled {
		return Open{}, refused()
	}
	open, err := s.beginSignIn(ctx, Proven{User: user, PasswordHash: c.PasswordHash, Client: client,
		Challenge: &c.Hash})
	if problem.Is(err, problem.NotFound) {
		return Open{}, expired()
	}
	return open, err
}

// checkCode checks and uses up a code of the user's authenticator app or a recovery
// code: each works only once. A wrong code is an InvalidType problem of the field code.
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

// useCode checks a code of a confirmed authenticator app and records
// its step, so that neither this code nor an earlier one works again.
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

// tryCode returns the user's TOTP secret, confirmed or not, and the time step of the code. It returns a
// NotFound problem if the user has no secret, and the error of a wrong code if the code fits no step.
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

// TOTPPurpose returns the context to which the encryption of a user's TOTP secret is
// bound: a secret that is copied to another user's row cannot be decrypted there.
func TOTPPurpose(userID uuid.UUID) string { return "totp of " + userID.String() }

// Enrolment holds a TOTP secret in the two forms in which authenticator apps take it.
type Enrolment struct {
	Secret string // base32
	URI    string // otpauth:// URI that contains the secret
}

// BeginTOTP creates and returns a new TOTP secret for a signed-in user. Signing in asks for codes
// only after ConfirmTOTP. It returns a Conflict problem if the user already has a confirmed secret.
func (s *Sessions) BeginTOTP(ctx context.Context, actor permission.Confirmed,
	user tenant.User) (_ Enrolment, err error) {
	defer wrap(&err, "begin to use an authenticator app")
	secret := newSecret()
	ciphertext, err := s.sealer.Seal(secret, TOTPPurpose(user.ID))
	if err != nil {
		return Enrolment{}, err
	}
	if err := s.store.Signin.BeginTOTP(ctx, actor, ciphertext); err != nil {
		return Enrolment{}, err
	}
	return Enrolment{Secret: secret, URI: uriOf(secret, user.Email)}, nil
}

// ConfirmTOTP checks a code of the secret that BeginTOTP created, makes it the user's second factor,
// and returns new recovery codes. It returns a Conflict problem if there is no secret to confirm.
func (s *Sessions) ConfirmTOTP(ctx context.Context, actor permission.Confirmed, code string) (_ []string, err error) {
	defer wrap(&err, "confirm the authenticator app")
	totp, step, err := s.tryCode(ctx, actor.Scope().Actor(), plain(code))
	if problem.Is(err, problem.NotFound) {
		return nil,
			problem.New(problem.Conflict, "There is no authenticator app to confirm. Start to set one up first.")
	}
	if err != nil {
		return nil, err
	}
	codes := newRecoveryCodes()
	return codes, s.store.Signin.ConfirmTOTP(ctx, actor, signin.Confirmation{
		Sealed: totp.Sealed, Step: step, Codes: recoveryHashes(actor.Scope().Actor(), codes),
	})
}

// RenewRecoveryCodes checks a code and replaces the user's recovery codes with new ones, which it returns.
func (s *Sessions) RenewRecoveryCodes(ctx context.Context, actor permission.Confirmed,
	code string) (_ []string, err error) {
	defer wrap(&err, "renew the recovery codes")
	if err := s.checkCode(ctx, actor.Scope().Actor(), code); err != nil {
		return nil, err
	}
	codes := newRecoveryCodes()
	return codes, s.store.Signin.ReplaceRecoveryCodes(ctx, actor, recoveryHashes(actor.Scope().Actor(), codes))
}

// EndTOTP checks a code and removes the user's authenticator app.
func (s *Sessions) EndTOTP(ctx context.Context, actor permission.Confirmed, code string) (err error) {
	defer wrap(&err, "remove the authenticator app")
	if err := s.checkCode(ctx, actor.Scope().Actor(), code); err != nil {
		return err
	}
	return s.store.Signin.DeleteTOTP(ctx, actor)
}
