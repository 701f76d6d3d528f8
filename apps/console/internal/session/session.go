// Package session signs users of the console in and out and knows them by
// their cookie. A session's value is 32 random bytes; the store keeps only its
// SHA-256, so that a stolen database opens no session.
package session

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
)

// CookieName is the name of the session cookie.
const CookieName = "tollgate_session"

const valueBytes = 32

// Sessions opens, finds and ends sessions. It is safe for concurrent use.
type Sessions struct {
	store     *store.Store
	passwords *Passwords
	throttle  *throttle
	lifetime  time.Duration
	secure    bool
	now       func() time.Time
	system    tenant.Scope
}

// Options make Sessions.
type Options struct {
	Store     *store.Store
	Passwords *Passwords
	Lifetime  time.Duration    // of a session, used or not
	Secure    bool             // whether the cookie is for HTTPS alone
	Now       func() time.Time // nil: time.Now
}

// New returns Sessions with a throttle of their own.
func New(o Options) *Sessions {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Sessions{
		store: o.Store, passwords: o.Passwords, throttle: newThrottle(),
		lifetime: o.Lifetime, secure: o.Secure, now: o.Now, system: tenant.SystemScope("console"),
	}
}

// Credentials are what a user signs in with.
type Credentials struct {
	Email, Password string
	Address         netip.Addr // of the client
}

// Proven is a user with the hash of the password that proved who he is.
type Proven struct {
	User         tenant.User
	PasswordHash string
}

// Open is a session just opened, with the value its cookie carries.
type Open struct {
	store.Session
	Value string
}

// refused is the same for an unknown user, a wrong password and a disabled
// account, so that nothing can be learnt from it.
func refused() error {
	return problem.New(problem.Unauthenticated, "E-mail address or password is wrong.")
}

// SignIn opens a session. It fails with Unauthenticated, RateLimited or
// Overloaded problems. A refused attempt counts against the client's address
// and the account; a good one clears the account's count.
func (s *Sessions) SignIn(ctx context.Context, c Credentials) (Open, error) {
	proven, err := s.prove(ctx, c)
	if err != nil {
		return Open{}, err
	}
	return s.Begin(ctx, proven)
}

// Prove fails as SignIn does, and opens nothing.
func (s *Sessions) Prove(ctx context.Context, c Credentials) error {
	_, err := s.prove(ctx, c)
	return err
}

func (s *Sessions) prove(ctx context.Context, c Credentials) (Proven, error) {
	c.Email = strings.ToLower(strings.TrimSpace(c.Email))
	if err := s.throttle.check(c, s.now()); err != nil {
		return Proven{}, err
	}
	release, err := s.passwords.acquire(ctx)
	if err != nil {
		return Proven{}, err
	}
	defer release()
	proven, err := s.verify(ctx, c)
	if err == nil {
		s.throttle.forgive(c)
	}
	return proven, err
}

// verify runs within a slot of passwords. It asks the throttle again, for many
// attempts may have passed it while they waited for the slot.
func (s *Sessions) verify(ctx context.Context, c Credentials) (Proven, error) {
	if err := s.throttle.check(c, s.now()); err != nil {
		return Proven{}, err
	}
	user, hash, err := s.store.UserByEmail(ctx, s.system, c.Email)
	unknown := problem.Is(err, problem.NotFound)
	if err != nil && !unknown {
		return Proven{}, err
	}
	if unknown {
		hash = s.passwords.decoy
	}
	if !s.passwords.matches(c.Password, hash) || unknown || user.Status != tenant.Enabled {
		s.throttle.charge(c, s.now())
		return Proven{}, refused()
	}
	return Proven{User: user, PasswordHash: hash}, nil
}

// Begin opens a session for a user whose identity is proven. It fails as a
// refused sign-in does where his tenant is disabled or his password was
// changed since.
func (s *Sessions) Begin(ctx context.Context, p Proven) (Open, error) {
	user := p.User
	open := Open{Session: store.Session{User: user, ExpiresAt: s.now().Add(s.lifetime).UTC().Truncate(time.Second)}}
	if user.Role != tenant.Operator {
		home, err := s.store.Tenant(ctx, s.system, user.TenantID)
		if err != nil {
			return Open{}, err
		}
		if home.Status != tenant.Enabled {
			return Open{}, refused()
		}
		open.Tenant = home
	}
	var raw [valueBytes]byte
	rand.Read(raw[:]) // never fails: crypto/rand ends the program instead
	open.Value = base64.RawURLEncoding.EncodeToString(raw[:])
	err := s.store.CreateSession(ctx, s.system, store.NewSession{
		UserID: user.ID, PasswordHash: p.PasswordHash, Hash: sha256.Sum256(raw[:]), ExpiresAt: open.ExpiresAt,
	})
	if problem.Is(err, problem.Unauthenticated) {
		return Open{}, refused()
	}
	if err != nil {
		return Open{}, err
	}
	return open, nil
}

// Find returns the live session of a cookie's value, or an Unauthenticated problem.
func (s *Sessions) Find(ctx context.Context, value string) (store.Session, error) {
	hash, ok := hashOf(value)
	if !ok {
		return store.Session{}, problem.Of(problem.Unauthenticated)
	}
	found, err := s.store.Session(ctx, s.system, hash)
	if problem.Is(err, problem.NotFound) || problem.Is(err, problem.Unauthenticated) {
		return store.Session{}, problem.Of(problem.Unauthenticated)
	}
	return found, err
}

// End ends the session of a cookie's value. A session that is no more is no error.
func (s *Sessions) End(ctx context.Context, value string) error {
	hash, ok := hashOf(value)
	if !ok {
		return nil
	}
	if err := s.store.DeleteSession(ctx, s.system, hash); !problem.Is(err, problem.NotFound) {
		return err
	}
	return nil
}

func hashOf(value string) (hash [sha256.Size]byte, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil || len(raw) != valueBytes {
		return hash, false
	}
	return sha256.Sum256(raw), true
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
		Name: CookieName, Value: value, Path: "/",
		HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode,
	}
}
