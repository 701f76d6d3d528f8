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
	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/web"
)

// The purposes of the challenges of passkeys in the store.
const (
	forRegistration  = "passkey registration"
	forPasskeySignIn = "passkey sign-in"
)

// newRelyingParty returns the relying party (Web Authentication Level 2) for the
// console's URL. It returns nil if browsers would not create passkeys for the URL:
// they need a host name, not an IP address, and HTTPS unless the host is localhost.
func newRelyingParty(consoleURL string) (*webauthn.WebAuthn, error) {
	u, err := url.Parse(consoleURL)
	if err != nil {
		return nil, fmt.Errorf("parse the console's URL: %w", err)
	}
	if u.Hostname() == "" {
		return nil, nil //nolint:nilnil // without a URL passkeys are disabled, which is not an error
	}
	_, notAddress := netip.ParseAddr(u.Hostname())
	if notAddress == nil || u.Scheme != "https" && u.Hostname() != "localhost" {
		return nil, nil //nolint:nilnil // passkeys are disabled, which is not an error
	}
	party, err := webauthn.New(&webauthn.Config{
		RPID: u.Hostname(), RPDisplayName: issuerName, RPOrigins: []string{consoleURL},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(),
			UserVerification: protocol.VerificationRequired,
		},
		// Some password managers send extension outputs that were not requested.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
	if err != nil {
		return nil, fmt.Errorf("configure passkeys: %w", err)
	}
	return party, nil
}

// PasskeysOn reports whether the console's URL allows passkeys.
func (s *Sessions) PasskeysOn() bool { return s.party != nil }

// needPasskeys returns a Conflict problem if passkeys are disabled.
func (s *Sessions) needPasskeys() error {
	if s.party == nil {
		return problem.New(problem.Conflict, "Passkeys are disabled. They need a console URL that is https:// with "+
			"a host name, or http://localhost.")
	}
	return nil
}

// refusedPasskey returns the error for every passkey that does not lead to a sign-in, whatever the reason.
func refusedPasskey() error {
	return problem.New(problem.Unauthenticated, "The passkey was not accepted. Start again.").At("credential")
}

// holder is a user with passkeys. It implements webauthn.User.
type holder struct {
	user        tenant.User
	keys        []signin.Passkey
	credentials []webauthn.Credential // the decoded credentials of keys, in the same order
}

// WebAuthnID returns the user handle under which the user's devices store passkeys.
func (h *holder) WebAuthnID() []byte { return h.user.ID[:] }

// WebAuthnName returns the account name that devices show.
func (h *holder) WebAuthnName() string { return h.user.Email }

// WebAuthnDisplayName returns the name of the user that devices show.
func (h *holder) WebAuthnDisplayName() string { return h.user.Email }

// WebAuthnCredentials returns the user's passkeys.
func (h *holder) WebAuthnCredentials() []webauthn.Credential { return h.credentials }

// key returns the user's passkey with the credential id.
func (h *holder) key(credentialID []byte) (signin.Passkey, bool) {
	for _, key := range h.keys {
		if bytes.Equal(key.CredentialID, credentialID) {
			return key, true
		}
	}
	return signin.Passkey{}, false
}

// holder loads the user's passkeys. The signature counter comes
// from the store's own column, which is updated at each use.
func (s *Sessions) holder(ctx context.Context, user tenant.User) (*holder, error) {
	keys, err := s.store.Signin.Passkeys(ctx, s.system, user.ID)
	if err != nil {
		return nil, err
	}
	h := &holder{user: user, keys: keys, credentials: make([]webauthn.Credential, len(keys))}
	for i, key := range keys {
		if err := json.Unmarshal(key.Credential, &h.credentials[i]); err != nil {
			return nil, fmt.Errorf("decode a passkey: %w", err)
		}
		h.credentials[i].Authenticator.SignCount = key.SignCount
	}
	return h, nil
}

// ceremony is a challenge that a device must sign, to register a passkey or to sign in.
type ceremony struct {
	purpose string
	userID  uuid.UUID // uuid.Nil if the response will name the user
	data    *webauthn.SessionData
}

// storeCeremony stores a ceremony under the hash of its challenge. The device's response
// contains the challenge, so the browser needs no other reference to the ceremony.
func (s *Sessions) storeCeremony(ctx context.Context, c ceremony) error {
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

// takeCeremony returns and deletes the ceremony with the challenge of a response: a response works
// only once. It returns the error of refusedPasskey if there is no such ceremony or it has expired.
func (s *Sessions) takeCeremony(ctx context.Context,
	purpose, challenge string) (signin.Challenge, webauthn.SessionData, error) {
	var data webauthn.SessionData
	hash, ok := seal.HashSecret(challenge)
	if !ok {
		return signin.Challenge{}, data, refusedPasskey()
	}
	ceremony, err := s.store.Signin.TakeChallenge(ctx, s.system, purpose, hash)
	if problem.Is(err, problem.NotFound) {
		return signin.Challenge{}, data, refusedPasskey()
	}
	if err != nil {
		return signin.Challenge{}, data, err
	}
	if err := json.Unmarshal(ceremony.Data, &data); err != nil {
		return ceremony, data, fmt.Errorf("decode a challenge: %w", err)
	}
	return ceremony, data, nil
}

// BeginPasskey returns the options with which the browser of a signed-in user creates a
// passkey: PublicKeyCredentialCreationOptions as JSON. They exclude devices that already
// have a passkey of the user. It returns a Conflict problem if passkeys are disabled.
func (s *Sessions) BeginPasskey(ctx context.Context, user tenant.User) (_ []byte, err error) {
	defer wrap(&err, "begin to create a passkey")
	if err := s.needPasskeys(); err != nil {
		return nil, err
	}
	owner, err := s.holder(ctx, user)
	if err != nil {
		return nil, err
	}
	options, data, err := s.party.BeginRegistration(owner,
		webauthn.WithExclusions(webauthn.Credentials(owner.credentials).CredentialDescriptors()))
	if err != nil {
		return nil, fmt.Errorf("create a challenge: %w", err)
	}
	if err := s.storeCeremony(ctx, ceremony{forRegistration, user.ID, data}); err != nil {
		return nil, err
	}
	return json.Marshal(options.Response)
}

// AddPasskey stores the passkey that the browser of a signed-in user has created.
// answer is the PublicKeyCredential as JSON. A response that is malformed, or does not
// belong to a ceremony of this user, is an InvalidType problem of the field credential.
func (s *Sessions) AddPasskey(ctx context.Context, actor permission.Confirmed, user tenant.User, name string,
	answer []byte) (_ signin.Passkey, err error) {
	defer wrap(&err, "add a passkey")
	if err := s.needPasskeys(); err != nil {
		return signin.Passkey{}, err
	}
	rejection := problem.New(problem.InvalidType, "The passkey was not accepted. Start again.").At("credential")
	response, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return signin.Passkey{}, rejection
	}
	challenge, data, err := s.takeCeremony(ctx, forRegistration, response.Response.CollectedClientData.Challenge)
	// A ceremony of another user must look like a missing one.
	if problem.Is(err, problem.Unauthenticated) || err == nil && challenge.UserID != user.ID {
		return signin.Passkey{}, rejection
	}
	if err != nil {
		return signin.Passkey{}, err
	}
	credential, err := s.party.CreateCredential(&holder{user: user}, data, response)
	if err != nil {
		return signin.Passkey{}, rejection
	}
	key, err := passkeyOf(credential)
	if err != nil {
		return signin.Passkey{}, err
	}
	key.Name = name
	return s.store.Signin.CreatePasskey(ctx, actor, key)
}

// passkeyOf returns the stored form of a credential. It drops the
// attestation, which identifies the device and is not needed.
func passkeyOf(c *webauthn.Credential) (signin.Passkey, error) {
	bare := *c
	bare.Attestation = webauthn.CredentialAttestation{}
	raw, err := json.Marshal(bare)
	return signin.Passkey{CredentialID: c.ID, Credential: raw, SignCount: c.Authenticator.SignCount}, err
}

// BeginPasskeySignIn returns the options with which a browser asks its user for a
// passkey: PublicKeyCredentialRequestOptions as JSON. It returns a RateLimited problem if
// the address starts too many sign-ins, and a Conflict problem if passkeys are disabled.
func (s *Sessions) BeginPasskeySignIn(ctx context.Context, from netip.Addr) (_ []byte, err error) {
	defer wrap(&err, "begin to sign in by passkey")
	if err := s.needPasskeys(); err != nil {
		return nil, err
	}
	if err := s.throttle.Take(throttle.BeginsByAddress, address.Network(from), s.now()); err != nil {
		return nil, err
	}
	options, data, err := s.party.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return nil, fmt.Errorf("create a challenge: %w", err)
	}
	if err := s.storeCeremony(ctx, ceremony{purpose: forPasskeySignIn, data: data}); err != nil {
		return nil, err
	}
	return json.Marshal(options.Response)
}

// SignInWithPasskey checks the browser's response, a PublicKeyCredential as JSON, and opens
// a session. It asks for no second factor, because the device has verified its user. Every
// refusal is the same Unauthenticated problem, and counts against the client's address.
func (s *Sessions) SignInWithPasskey(ctx context.Context, answer []byte, client signin.Client) (_ Open, err error) {
	defer wrap(&err, "sign in by passkey")
	web.RecordOf(ctx).SignIn = true
	if err := s.needPasskeys(); err != nil {
		return Open{}, err
	}
	if err := s.throttle.Check(throttle.PasskeysByAddress, address.Network(client.Address), s.now()); err != nil {
		return Open{}, err
	}
	user, key, err := s.provePasskey(ctx, answer)
	if problem.Is(err, problem.Unauthenticated) {
		s.throttle.Charge(throttle.PasskeysByAddress, address.Network(client.Address), s.now())
	}
	if err != nil {
		return Open{}, err
	}
	return s.beginFor(ctx, user, Proven{Means: signin.ByPasskey, Client: client, Passkey: key})
}

// provePasskey checks the response and returns the user that its user handle names, and the id of the passkey.
func (s *Sessions) provePasskey(ctx context.Context, answer []byte) (tenant.User, uuid.UUID, error) {
	response, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return tenant.User{}, uuid.Nil, refusedPasskey()
	}
	_, data, err := s.takeCeremony(ctx, forPasskeySignIn, response.Response.CollectedClientData.Challenge)
	if err != nil {
		return tenant.User{}, uuid.Nil, err
	}
	userID, err := uuid.FromBytes(response.Response.UserHandle)
	if err != nil {
		return tenant.User{}, uuid.Nil, refusedPasskey()
	}
	owner, err := s.holderByID(ctx, userID)
	if err != nil {
		return tenant.User{}, uuid.Nil, err
	}
	byHandle := func([]byte, []byte) (webauthn.User, error) { return owner, nil } // owner was loaded by the same handle
	_, credential, err := s.party.ValidatePasskeyLogin(byHandle, data, response)
	if err != nil {
		return tenant.User{}, uuid.Nil, refusedPasskey()
	}
	key, _ := owner.key(credential.ID)
	return owner.user, key.ID, s.usePasskey(ctx, owner, credential)
}

// holderByID loads the user with the id and the passkeys. It
// returns the error of refusedPasskey if there is no such user.
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

// usePasskey records the use of a passkey with its new signature counter. It refuses a device whose
// counter did not increase, because it may be a copy (Web Authentication Level 2, section 6.1.1).
func (s *Sessions) usePasskey(ctx context.Context, owner *holder, credential *webauthn.Credential) error {
	before, ok := owner.key(credential.ID)
	if !ok || credential.Authenticator.CloneWarning {
		return refusedPasskey()
	}
	after, err := passkeyOf(credential)
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

// beginFor opens a session for a user who has proven the identity by passkey or OpenID
// Connect. It reads the user again, because begin needs the current password hash.
func (s *Sessions) beginFor(ctx context.Context, user tenant.User, p Proven) (Open, error) {
	user, hash, err := s.store.Identity.Account(ctx, s.system, user.ID)
	if err != nil {
		return Open{}, err
	}
	if user.Status != tenant.Enabled {
		return Open{}, refused()
	}
	p.User, p.PasswordHash = user, hash
	return s.beginSignIn(ctx, p)
}

// AskPasskey returns the options with which the browser asks the user of a pending sign-in
// for a passkey as the second factor: PublicKeyCredentialRequestOptions as JSON, for the
// user's passkeys only. It uses up one try of the challenge. It returns a Conflict problem
// if the user has no passkey, and the other errors of BeginPasskeySignIn and SecondFactor.
func (s *Sessions) AskPasskey(ctx context.Context, challenge string, from netip.Addr) (_ []byte, err error) {
	defer wrap(&err, "ask for a passkey")
	if err := s.needPasskeys(); err != nil {
		return nil, err
	}
	if err := s.throttle.Take(throttle.BeginsByAddress, address.Network(from), s.now()); err != nil {
		return nil, err
	}
	hash, ok := seal.HashSecret(challenge)
	if !ok {
		return nil, expired()
	}
	ceremony, err := s.tryChallenge(ctx, hash)
	if err != nil {
		return nil, err
	}
	owner, err := s.holderByID(ctx, ceremony.UserID)
	if err != nil {
		return nil, err
	}
	options, data, err := s.party.BeginLogin(owner, webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil { // the only error is that the user has no passkey
		return nil, problem.New(problem.Conflict, "You have no passkey. Use another second factor.")
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

// checkPasskey checks the browser's response to the options of AskPasskey, which are stored
// with the challenge. A wrong response is an InvalidType problem of the field passkey.
func (s *Sessions) checkPasskey(ctx context.Context, c signin.Challenge, answer []byte) error {
	rejection := problem.New(problem.InvalidType, "The passkey was not accepted. Try again.").At("passkey")
	response, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil || len(c.Data) == 0 || s.party == nil {
		return rejection
	}
	var data webauthn.SessionData
	if err := json.Unmarshal(c.Data, &data); err != nil {
		return fmt.Errorf("decode a challenge: %w", err)
	}
	owner, err := s.holderByID(ctx, c.UserID)
	if err != nil {
		return err
	}
	credential, err := s.party.ValidateLogin(owner, data, response)
	if err != nil {
		return rejection
	}
	if err = s.usePasskey(ctx, owner, credential); problem.Is(err, problem.Unauthenticated) {
		return rejection
	}
	return err
}
