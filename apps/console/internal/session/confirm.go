package session

import (
	"context"
	"encoding/json"
	"net/netip"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/web"
)

// The ways to confirm in addition to the kinds of second factor, as the API names them.
const (
	Password = "password"
	OIDC     = "oidc"
)

// Proof holds one proof of a signed-in user's identity: a password, a code or a passkey.
type Proof struct {
	Password string
	Code     string // of the authenticator app, or a recovery code
	Passkey  []byte // the browser's response to the options of BeginConfirmation, as JSON
	Client   signin.Client
}

// Ways returns the ways in which the user of the session can confirm, and the name of the issuer for OIDC. There are
// none for a user who must sign in again.
func (s *Sessions) Ways(ctx context.Context, live *signin.Session) (ways []string, issuerName string, err error) {
	defer wrap(&err, "list the ways to confirm")
	_, hash, err := s.store.Identity.Account(ctx, s.system, live.User.ID)
	if err != nil {
		return nil, "", err
	}
	factors, err := s.store.Signin.Factors(ctx, s.system, live.User.ID)
	if err != nil {
		return nil, "", err
	}
	e, err := s.entryFor(ctx, live)
	if err != nil {
		return nil, "", err
	}
	totp := !factors.TOTP.IsZero()
	for _, way := range []struct {
		name string
		has  bool
	}{
		{Passkey, factors.Passkeys > 0 && s.PasskeysOn()},
		{Password, hash != ""},
		{TOTPCode, totp},
		{RecoveryCode, totp && factors.RecoveryCodes > 0},
		{OIDC, e.Issuer != nil},
	} {
		if way.has {
			ways = append(ways, way.name)
		}
	}
	if e.Issuer != nil {
		issuerName = e.Name
	}
	return ways, issuerName, nil
}

// Confirm checks a proof of the user's identity, records it for the session and returns its time. The session expires
// when it did before. A wrong proof is an InvalidType problem of the field password, code or passkey. Wrong proofs are
// limited as those of sign-ins are: passwords and codes by session, passkeys by address, and codes also by user in the
// store. It returns an Unauthenticated problem if the session has ended.
func (s *Sessions) Confirm(ctx context.Context, live *signin.Session, p Proof) (at time.Time, err error) {
	defer wrap(&err, "confirm")
	record := web.RecordOf(ctx) // if the proof is wrong, the audit log has it as a refused sign-in
	record.SignIn, record.Account, record.AccountTenantID = true, live.User.Email, live.User.TenantID
	var means signin.Means
	switch {
	case p.Password != "":
		means, err = signin.ByPassword, s.confirmPassword(ctx, live, p)
	case p.Code != "":
		means, err = signin.ByCode, s.confirmCode(ctx, live, p.Code)
	default:
		means, err = signin.ByPasskey, s.confirmPasskey(ctx, live, p)
	}
	if err != nil {
		return time.Time{}, err
	}
	return s.confirmed(ctx, live.ID, means)
}

// confirmed records a proof for the session and returns its time.
func (s *Sessions) confirmed(ctx context.Context, id uuid.UUID, means signin.Means) (time.Time, error) {
	at, err := s.store.Signin.ConfirmSession(ctx, s.system, id, means)
	if problem.Is(err, problem.NotFound) {
		err = problem.Of(problem.Unauthenticated)
	}
	return at, err
}

// confirmPassword checks the password of the user of the session.
func (s *Sessions) confirmPassword(ctx context.Context, live *signin.Session, p Proof) error {
	_, err := s.prove(ctx, Credentials{
		Email: live.User.Email, Password: p.Password, Address: p.Client.Address, Agent: p.Client.Agent,
		Session: &live.ID, UserID: live.User.ID,
	})
	if problem.Is(err, problem.Unauthenticated) {
		return problem.New(problem.InvalidType, "The password is wrong.").At("password")
	}
	return err
}

// confirmCode checks and uses up a code of the user of the session. It counts the code before the check, so that
// concurrent requests have no more tries than others. Its allowance refills so slowly that a stolen session cannot use
// up the guesses that the store permits for the user, and so keep the user out.
func (s *Sessions) confirmCode(ctx context.Context, live *signin.Session, code string) error {
	if err := s.throttle.Take(throttle.CodesBySession, live.ID.String(), s.now()); err != nil {
		return err
	}
	if err := s.checkCode(ctx, live.User.ID, code); err != nil {
		return err
	}
	s.throttle.Forgive(throttle.CodesBySession, live.ID.String())
	return nil
}

// forConfirmation returns the purpose of the challenge that a passkey signs to confirm the
// session. A response to the challenge of one session does not confirm another.
func forConfirmation(live *signin.Session) string { return "confirmation of " + live.ID.String() }

// BeginConfirmation returns the options with which the browser asks for one of the user's passkeys:
// PublicKeyCredentialRequestOptions as JSON. It returns a Conflict problem if the user has no passkey or passkeys are
// disabled, and a RateLimited problem if the address starts too many ceremonies.
func (s *Sessions) BeginConfirmation(ctx context.Context, live *signin.Session, from netip.Addr) (_ []byte, err error) {
	defer wrap(&err, "begin to confirm by passkey")
	if err := s.needPasskeys(); err != nil {
		return nil, err
	}
	if err := s.throttle.Take(throttle.BeginsByAddress, address.Network(from), s.now()); err != nil {
		return nil, err
	}
	owner, err := s.holder(ctx, live.User)
	if err != nil {
		return nil, err
	}
	options, data, err := s.party.BeginLogin(owner, webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil { // the only error is that the user has no passkey
		return nil, problem.New(problem.Conflict, "You have no passkey. Confirm in another way.")
	}
	if err := s.storeCeremony(ctx, ceremony{purpose: forConfirmation(live), userID: live.User.ID, data: data}); err !=
		nil {
		return nil, err
	}
	return json.Marshal(options.Response)
}

// confirmPasskey checks the browser's response to the options of BeginConfirmation. Wrong responses count against the
// address, as those of sign-ins do.
func (s *Sessions) confirmPasskey(ctx context.Context, live *signin.Session, p Proof) error {
	if err := s.needPasskeys(); err != nil {
		return err
	}
	from := address.Network(p.Client.Address)
	if err := s.throttle.Check(throttle.PasskeysByAddress, from, s.now()); err != nil {
		return err
	}
	err := s.checkConfirmation(ctx, live, p.Passkey)
	if problem.Is(err, problem.Unauthenticated) {
		s.throttle.Charge(throttle.PasskeysByAddress, from, s.now())
		return problem.New(problem.InvalidType, "The passkey was not accepted. Try again.").At("passkey")
	}
	return err
}

// checkConfirmation checks that a passkey of the user signed the challenge of the session, which is then used up. Every
// refusal is the error of refusedPasskey.
func (s *Sessions) checkConfirmation(ctx context.Context, live *signin.Session, answer []byte) error {
	response, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return refusedPasskey()
	}
	_, data, err := s.takeCeremony(ctx, forConfirmation(live), response.Response.CollectedClientData.Challenge)
	if err != nil {
		return err
	}
	owner, err := s.holder(ctx, live.User)
	if err != nil {
		return err
	}
	credential, err := s.party.ValidateLogin(owner, data, response)
	if err != nil {
		return refusedPasskey()
	}
	return s.usePasskey(ctx, owner, credential)
}
