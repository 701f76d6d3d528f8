package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/signin"
)

// The purposes of challenges that passkeys answer.
const (
	forRegistration  = "passkey registration"
	forPasskeySignIn = "passkey sign-in"
)

// newRelyingParty returns what passkeys are made for, nil where browsers make
// none: they want a host with a name, and HTTPS unless it is localhost.
func newRelyingParty(consoleURL string) (*webauthn.WebAuthn, error) {
	u, err := url.Parse(consoleURL)
	if err != nil {
		return nil, fmt.Errorf("parse the console's URL: %w", err)
	}
	if u.Hostname() == "" {
		return nil, nil //nolint:nilnil // there are no passkeys, which is no error
	}
	_, notAddress := netip.ParseAddr(u.Hostname())
	if notAddress == nil || u.Scheme != "https" && u.Hostname() != "localhost" {
		return nil, nil //nolint:nilnil // there are none, which is no error
	}
	party, err := webauthn.New(&webauthn.Config{
		RPID: u.Hostname(), RPDisplayName: issuerName, RPOrigins: []string{consoleURL},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(),
			UserVerification: protocol.VerificationRequired,
		},
		// Some password managers tell what nobody asked for.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
	if err != nil {
		return nil, fmt.Errorf("configure passkeys: %w", err)
	}
	return party, nil
}

// PasskeysOn reports whether users can have passkeys here.
func (s *Sessions) PasskeysOn() bool { return s.party != nil }

func (s *Sessions) needPasskeys() error {
	if s.party == nil {
		return problem.New(problem.Conflict, "Passkeys are off: they need the console's URL to be set, to https:// and a name, or to http://localhost.")
	}
	return nil
}

func refusedPasskey() error {
	return problem.New(problem.Unauthenticated, "The passkey was not accepted. Begin again.").At("credential")
}

// holder is a user as the relying party wants him.
type holder struct {
	user tenant.User
	keys []signin.Passkey
	all  []webauthn.Credential // one of each key
}

// WebAuthnID is what the user's devices call him.
func (h *holder) WebAuthnID() []byte { return h.user.ID[:] }

// WebAuthnName is what his devices show.
func (h *holder) WebAuthnName() string { return h.user.Email }

// WebAuthnDisplayName is what his devices show.
func (h *holder) WebAuthnDisplayName() string { return h.user.Email }

// WebAuthnCredentials are his passkeys.
func (h *holder) WebAuthnCredentials() []webauthn.Credential { return h.all }

// key is his passkey with the credential.
func (h *holder) key(credentialID []byte) (signin.Passkey, bool) {
	for _, key := range h.keys {
		if bytes.Equal(key.CredentialID, credentialID) {
			return key, true
		}
	}
	return signin.Passkey{}, false
}

func (s *Sessions) holder(ctx context.Context, user tenant.User) (*holder, error) {
	keys, err := s.store.Signin.Passkeys(ctx, s.system, user.ID)
	if err != nil {
		return nil, err
	}
	h := &holder{user: user, keys: keys, all: make([]webauthn.Credential, len(keys))}
	for i, key := range keys {
		if err := json.Unmarshal(key.Credential, &h.all[i]); err != nil {
			return nil, fmt.Errorf("decode a passkey: %w", err)
		}
		h.all[i].Authenticator.SignCount = key.SignCount
	}
	return h, nil
}

// ceremony is a challenge that a device answers.
type ceremony struct {
	purpose string
	userID  uuid.UUID // uuid.Nil: whoever it will be
	data    *webauthn.SessionData
}

// keep stores a ceremony under its own challenge, which the device's answer
// names: the browser has nothing else to bring back.
func (s *Sessions) keep(ctx context.Context, c ceremony) error {
	data, err := json.Marshal(c.data)
	if err != nil {
		return err
	}
	hash, ok := seal.HashSecret(c.data.Challenge)
	if !ok {
		return problem.Of(problem.Internal)
	}
	return s.store.Signin.CreateChallenge(ctx, s.system, signin.Challenge{
		Hash: hash, Purpose: c.purpose, UserID: c.userID, Data: data, Tries: 1, ExpiresAt: s.now().Add(challengeLife),
	})
}

// take ends the ceremony whose challenge an answer names. It works once.
func (s *Sessions) take(ctx context.Context, purpose, challenge string) (signin.Challenge, webauthn.SessionData, error) {
	var data webauthn.SessionData
	hash, ok := seal.HashSecret(challenge)
	if !ok {
		return signin.Challenge{}, data, refusedPasskey()
	}
	kept, err := s.store.Signin.TakeChallenge(ctx, s.system, purpose, hash)
	if problem.Is(err, problem.NotFound) {
		return signin.Challenge{}, data, refusedPasskey()
	}
	if err != nil {
		return signin.Challenge{}, data, err
	}
	if err := json.Unmarshal(kept.Data, &data); err != nil {
		return kept, data, fmt.Errorf("decode a challenge: %w", err)
	}
	return kept, data, nil
}

// BeginPasskey returns what a signed-in user's browser makes a passkey from:
// the JSON of PublicKeyCredentialCreationOptions. Conflict where passkeys are off.
func (s *Sessions) BeginPasskey(ctx context.Context, user tenant.User) (_ []byte, err error) {
	defer wrap(&err, "begin a passkey")
	if err := s.needPasskeys(); err != nil {
		return nil, err
	}
	owner, err := s.holder(ctx, user)
	if err != nil {
		return nil, err
	}
	options, data, err := s.party.BeginRegistration(owner, webauthn.WithExclusions(webauthn.Credentials(owner.all).CredentialDescriptors()))
	if err != nil {
		return nil, fmt.Errorf("make a challenge: %w", err)
	}
	if err := s.keep(ctx, ceremony{forRegistration, user.ID, data}); err != nil {
		return nil, err
	}
	return json.Marshal(options.Response)
}

// AddPasskey gives a signed-in user the passkey that his browser made: the
// JSON of its PublicKeyCredential. An answer that does not fit is an
// InvalidType problem at credential.
func (s *Sessions) AddPasskey(ctx context.Context, user tenant.User, name string, answer []byte) (_ signin.Passkey, err error) {
	defer wrap(&err, "add a passkey")
	if err := s.needPasskeys(); err != nil {
		return signin.Passkey{}, err
	}
	unfit := problem.New(problem.InvalidType, "The passkey was not accepted. Begin again.").At("credential")
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return signin.Passkey{}, unfit
	}
	kept, data, err := s.take(ctx, forRegistration, parsed.Response.CollectedClientData.Challenge)
	if problem.Is(err, problem.Unauthenticated) || err == nil && kept.UserID != user.ID {
		return signin.Passkey{}, unfit
	}
	if err != nil {
		return signin.Passkey{}, err
	}
	made, err := s.party.CreateCredential(&holder{user: user}, data, parsed)
	if err != nil {
		return signin.Passkey{}, unfit
	}
	key, err := passkeyOf(made)
	if err != nil {
		return signin.Passkey{}, err
	}
	key.Name = name
	return s.store.Signin.CreatePasskey(ctx, tenant.ScopeOf(user), key)
}

// passkeyOf is what is kept of a credential: of its attestation, which nobody
// asked for, nothing.
func passkeyOf(c *webauthn.Credential) (signin.Passkey, error) {
	bare := *c
	bare.Attestation = webauthn.CredentialAttestation{}
	raw, err := json.Marshal(bare)
	return signin.Passkey{CredentialID: c.ID, Credential: raw, SignCount: c.Authenticator.SignCount}, err
}

// BeginPasskeySignIn returns what a browser asks its user's devices for a
// passkey with: the JSON of PublicKeyCredentialRequestOptions. RateLimited
// where an address begins too often; Conflict where passkeys are off.
func (s *Sessions) BeginPasskeySignIn(ctx context.Context, from netip.Addr) (_ []byte, err error) {
	defer wrap(&err, "begin a sign-in by passkey")
	if err := s.needPasskeys(); err != nil {
		return nil, err
	}
	if err := s.throttle.Take(throttle.BeginsByAddress, throttle.Network(from), s.now()); err != nil {
		return nil, err
	}
	options, data, err := s.party.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return nil, fmt.Errorf("make a challenge: %w", err)
	}
	if err := s.keep(ctx, ceremony{purpose: forPasskeySignIn, data: data}); err != nil {
		return nil, err
	}
	return json.Marshal(options.Response)
}

// SignInWithPasskey opens a session for the JSON of a PublicKeyCredential. The
// device has verified its user: nothing else is asked for. Every refusal looks
// the same.
func (s *Sessions) SignInWithPasskey(ctx context.Context, answer []byte, client signin.Client) (_ Open, err error) {
	defer wrap(&err, "sign in by passkey")
	if err := s.needPasskeys(); err != nil {
		return Open{}, err
	}
	if err := s.throttle.Check(throttle.SignInByAddress, throttle.Network(client.Address), s.now()); err != nil {
		return Open{}, err
	}
	user, err := s.provePasskey(ctx, answer)
	if problem.Is(err, problem.Unauthenticated) {
		s.throttle.Charge(throttle.SignInByAddress, throttle.Network(client.Address), s.now())
	}
	if err != nil {
		return Open{}, err
	}
	return s.beginFor(ctx, user, Proven{Means: signin.ByPasskey, Client: client})
}

func (s *Sessions) provePasskey(ctx context.Context, answer []byte) (tenant.User, error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return tenant.User{}, refusedPasskey()
	}
	_, data, err := s.take(ctx, forPasskeySignIn, parsed.Response.CollectedClientData.Challenge)
	if err != nil {
		return tenant.User{}, err
	}
	userID, err := uuid.FromBytes(parsed.Response.UserHandle)
	if err != nil {
		return tenant.User{}, refusedPasskey()
	}
	owner, err := s.holderByID(ctx, userID)
	if err != nil {
		return tenant.User{}, err
	}
	whoever := func([]byte, []byte) (webauthn.User, error) { return owner, nil }
	_, used, err := s.party.ValidatePasskeyLogin(whoever, data, parsed)
	if err != nil {
		return tenant.User{}, refusedPasskey()
	}
	return owner.user, s.usePasskey(ctx, owner, used)
}

func (s *Sessions) holderByID(ctx context.Context, userID uuid.UUID) (*holder, error) {
	user, err := s.store.Identity.User(ctx, s.system, userID)
	if problem.Is(err, problem.NotFound) {
		return nil, refusedPasskey()
	}
	if err != nil {
		return nil, err
	}
	return s.holder(ctx, user)
}

// usePasskey notes the use of a passkey. A device whose count did not rise
// may be a copy, and is refused.
func (s *Sessions) usePasskey(ctx context.Context, owner *holder, used *webauthn.Credential) error {
	before, known := owner.key(used.ID)
	if !known || used.Authenticator.CloneWarning {
		return refusedPasskey()
	}
	after, err := passkeyOf(used)
	if err != nil {
		return err
	}
	after.ID = before.ID
	err = s.store.Signin.UsePasskey(ctx, s.system, after, before.SignCount)
	if problem.Is(err, problem.NotFound) {
		return refusedPasskey()
	}
	return err
}

// beginFor opens a session for a user who has proven who he is by other means
// than his password: those of p.
func (s *Sessions) beginFor(ctx context.Context, user tenant.User, p Proven) (Open, error) {
	user, hash, err := s.store.Identity.UserByEmail(ctx, s.system, user.Email)
	if err != nil {
		return Open{}, err
	}
	if user.Status != tenant.Enabled {
		return Open{}, refused()
	}
	p.User, p.PasswordHash = user, hash
	return s.Begin(ctx, p)
}

// AskPasskey returns what a sign-in that waits for a second factor asks its
// user's devices for a passkey with, as BeginPasskeySignIn does.
func (s *Sessions) AskPasskey(ctx context.Context, challenge string, from netip.Addr) (_ []byte, err error) {
	defer wrap(&err, "ask for a passkey")
	if err := s.needPasskeys(); err != nil {
		return nil, err
	}
	if err := s.throttle.Take(throttle.BeginsByAddress, throttle.Network(from), s.now()); err != nil {
		return nil, err
	}
	hash, ok := seal.HashSecret(challenge)
	if !ok {
		return nil, expired()
	}
	kept, err := s.tryChallenge(ctx, hash)
	if err != nil {
		return nil, err
	}
	owner, err := s.holderByID(ctx, kept.UserID)
	if err != nil {
		return nil, err
	}
	options, data, err := s.party.BeginLogin(owner, webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil { // he has none
		return nil, problem.New(problem.Conflict, "There is no passkey.")
	}
	raw, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	if err := s.store.Signin.SetChallengeData(ctx, s.system, hash, raw); err != nil {
		return nil, err
	}
	return json.Marshal(options.Response)
}

// checkPasskey accepts the answer to what AskPasskey returned.
func (s *Sessions) checkPasskey(ctx context.Context, c signin.Challenge, answer []byte) error {
	unfit := problem.New(problem.InvalidType, "The passkey was not accepted.").At("passkey")
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil || len(c.Data) == 0 || s.party == nil {
		return unfit
	}
	var data webauthn.SessionData
	if err := json.Unmarshal(c.Data, &data); err != nil {
		return fmt.Errorf("decode a challenge: %w", err)
	}
	owner, err := s.holderByID(ctx, c.UserID)
	if err != nil {
		return err
	}
	used, err := s.party.ValidateLogin(owner, data, parsed)
	if err != nil {
		return unfit
	}
	if err = s.usePasskey(ctx, owner, used); problem.Is(err, problem.Unauthenticated) {
		return unfit
	}
	return err
}
