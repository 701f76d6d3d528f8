// Package session signs users of the console in and out and knows them by
// their cookie. A session's value is 32 random bytes; the store keeps only its
// SHA-256, so that a stolen database opens no session.
package session

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/tollgate/tollgate/apps/console/internal/issuer"
	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/person"
	"github.com/tollgate/tollgate/libs/store/signin"
)

// cookieName is the name of the session cookie. Behind HTTPS hostPrefix is put
// before it: browsers then take it from this host alone, for all paths, and
// never from a connection without TLS or from another host of the same domain.
const (
	cookieName = "tollgate_session"
	hostPrefix = "__Host-"
)

const seePatience = time.Second

// Sessions opens, finds and ends sessions. It is safe for concurrent use.
type Sessions struct {
	store     *store.Store
	passwords *Passwords
	sealer    *seal.Sealer
	party     *webauthn.WebAuthn // nil: passkeys are off
	issuer    *issuer.Issuer     // nil: there is none
	throttle  *throttle.Throttle
	lifetime  time.Duration
	secure    bool
	now       func() time.Time
	system    tenant.Scope
}

// Options make Sessions.
type Options struct {
	Store     *store.Store
	Passwords *Passwords
	Sealer    *seal.Sealer
	URL       string             // where browsers reach the console, "": passkeys are off
	OIDC      issuer.Config      // needs the URL
	Lifetime  time.Duration      // of a session, used or not
	Secure    bool               // whether the cookie is for HTTPS alone
	Throttle  *throttle.Throttle // nil: one of its own
	Now       func() time.Time   // nil: time.Now
}

// New returns Sessions. It fails where no passkeys
// can be made for the URL.
func New(o Options) (*Sessions, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Throttle == nil {
		o.Throttle = throttle.New()
	}
	party, err := newRelyingParty(o.URL)
	if err != nil {
		return nil, err
	}
	return &Sessions{
		store: o.Store, passwords: o.Passwords, sealer: o.Sealer, party: party, issuer: issuer.New(o.OIDC, o.URL+CallbackPath), throttle: o.Throttle,
		lifetime: o.Lifetime, secure: o.Secure, now: o.Now, system: tenant.SystemScope("console"),
	}, nil
}

// Credentials are what a user signs in with.
type Credentials struct {
	Email, Password string
	Address         netip.Addr // of the client
	Agent           string     // what the client calls itself
}

// Proven is a user whose identity is proven, with the hash of the password at
// that time.
type Proven struct {
	User         tenant.User
	PasswordHash string
	Means        signin.Means // "": by password
	Client       signin.Client
}

// Open is a session just opened, with the value its cookie carries.
type Open struct {
	signin.Session
	Value string
}

// refused is the same for an unknown user, a wrong password and a disabled
// account, so that nothing can be learnt from it.
func refused() error {
	return problem.New(problem.Unauthenticated, "E-mail address or password is wrong.")
}

// SignIn opens a session, or asks for a second factor. It fails with
// Unauthenticated, RateLimited or Overloaded problems. A refused attempt counts against the client's address
// and the account; a good one clears the account's count.
func (s *Sessions) SignIn(ctx context.Context, c Credentials) (_ Outcome, err error) {
	defer wrap(&err, "sign in")
	proven, err := s.prove(ctx, c)
	if err != nil {
		return Outcome{}, err
	}
	return s.Proceed(ctx, proven)
}

// Prove fails as SignIn does, and opens nothing.
func (s *Sessions) Prove(ctx context.Context, c Credentials) (err error) {
	defer wrap(&err, "prove the password")
	_, err = s.prove(ctx, c)
	return err
}

func (s *Sessions) prove(ctx context.Context, c Credentials) (Proven, error) {
	c.Email = strings.ToLower(strings.TrimSpace(c.Email))
	if err := s.checkAttempt(c); err != nil {
		return Proven{}, err
	}
	release, err := s.passwords.acquire(ctx)
	if err != nil {
		return Proven{}, err
	}
	defer release()
	proven, err := s.verify(ctx, c)
	if err == nil {
		s.throttle.Forgive(throttle.SignInByAccount, c.Email)
	}
	return proven, err
}

// verify runs within a slot of passwords. It asks the throttle again, for many
// attempts may have passed it while they waited for the slot.
func (s *Sessions) verify(ctx context.Context, c Credentials) (Proven, error) {
	if err := s.checkAttempt(c); err != nil {
		return Proven{}, err
	}
	user, hash, err := s.store.Identity.UserByEmail(ctx, s.system, c.Email)
	unknown := problem.Is(err, problem.NotFound)
	if err != nil && !unknown {
		return Proven{}, err
	}
	if unknown {
		hash = s.passwords.decoy
	}
	if !s.passwords.matches(c.Password, hash) || unknown || user.Status != tenant.Enabled {
		s.chargeAttempt(c)
		return Proven{}, refused()
	}
	return Proven{User: user, PasswordHash: hash, Client: signin.Client{Address: c.Address, Agent: c.Agent}}, nil
}

// checkAttempt returns a RateLimited problem where the client's address or the
// account had too many refused attempts.
func (s *Sessions) checkAttempt(c Credentials) error {
	if err := s.throttle.Check(throttle.SignInByAddress, throttle.Network(c.Address), s.now()); err != nil {
		return err
	}
	return s.throttle.Check(throttle.SignInByAccount, c.Email, s.now())
}

// chargeAttempt counts a refused attempt.
func (s *Sessions) chargeAttempt(c Credentials) {
	s.throttle.Charge(throttle.SignInByAddress, throttle.Network(c.Address), s.now())
	s.throttle.Charge(throttle.SignInByAccount, c.Email, s.now())
}

// Begin opens a session for a user whose identity is proven. It fails as a
// refused sign-in does where the tenant is disabled or the password was changed
// since.
func (s *Sessions) Begin(ctx context.Context, p Proven) (_ Open, err error) {
	defer wrap(&err, "open a session")
	user := p.User
	open := Open{Session: signin.Session{User: user, ExpiresAt: s.now().Add(s.lifetime).UTC().Truncate(time.Second)}}
	if open.Tenant, err = s.home(ctx, user); err != nil {
		return Open{}, err
	}
	secret := seal.NewSecret()
	open.Value = secret.Value
	err = s.store.Signin.CreateSession(ctx, s.system, signin.NewSession{
		UserID: user.ID, PasswordHash: p.PasswordHash, Hash: secret.Hash, Means: p.Means, Client: p.Client, ExpiresAt: open.ExpiresAt,
	})
	if problem.Is(err, problem.Unauthenticated) {
		return Open{}, refused()
	}
	if err != nil {
		return Open{}, err
	}
	return open, nil
}

// home is the user's tenant, zero for operators. Where it is disabled it fails
// as a refused sign-in does.
func (s *Sessions) home(ctx context.Context, user tenant.User) (tenant.Tenant, error) {
	if user.Role == tenant.Operator {
		return tenant.Tenant{}, nil
	}
	home, err := s.store.Identity.Tenant(ctx, s.system, user.TenantID)
	if err != nil {
		return tenant.Tenant{}, err
	}
	if home.Status != tenant.Enabled {
		return tenant.Tenant{}, refused()
	}
	return home, nil
}

// Find returns the live session of a cookie's value, or an Unauthenticated problem.
func (s *Sessions) Find(ctx context.Context, value string) (_ signin.Session, err error) {
	defer wrap(&err, "find the session")
	hash, ok := seal.HashSecret(value)
	if !ok {
		return signin.Session{}, problem.Of(problem.Unauthenticated)
	}
	found, err := s.store.Signin.Session(ctx, s.system, hash)
	if problem.Is(err, problem.NotFound) || problem.Is(err, problem.Unauthenticated) {
		return signin.Session{}, problem.Of(problem.Unauthenticated)
	}
	if err == nil {
		s.see(ctx, &found)
	}
	return found, err
}

// see notes that the session is in use, once a minute. One that could not be
// noted works all the same.
func (s *Sessions) see(ctx context.Context, found *signin.Session) {
	if s.now().Sub(found.LastSeen) < person.SeenEvery {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, seePatience)
	defer cancel()
	_ = s.store.Signin.SeeSession(ctx, s.system, found.ID)
}

// End ends the session of a cookie's value. A session that is no more is no error.
func (s *Sessions) End(ctx context.Context, value string) (err error) {
	defer wrap(&err, "end the session")
	hash, ok := seal.HashSecret(value)
	if !ok {
		return nil
	}
	if err := s.store.Signin.DeleteSession(ctx, s.system, hash); !problem.Is(err, problem.NotFound) {
		return err
	}
	return nil
}

// CookieName returns the name of the session cookie. For nil Sessions it is the
// name without HTTPS.
func (s *Sessions) CookieName() string {
	if s != nil && s.secure {
		return hostPrefix + cookieName
	}
	return cookieName
}

// Cookie returns the cookie that carries an open session.
func (s *Sessions) Cookie(open Open) http.Cookie {
	cookie := s.cookie(open.Value)
	cookie.Expires = open.ExpiresAt
	return cookie
}

// NoCookie returns the cookie that makes a browser forget its session.
func (s *Sessions) NoCookie() http.Cookie {
	cookie := s.cookie("")
	cookie.MaxAge = -1
	return cookie
}

func (s *Sessions) cookie(value string) http.Cookie {
	return http.Cookie{
		Name: s.CookieName(), Value: value, Path: "/",
		HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode,
	}
}

// wrap adds the operation to the error of the function that defers it.
func wrap(err *error, operation string) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", operation, *err)
	}
}
