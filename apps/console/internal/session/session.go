// Package session signs users of the console in and out, and
// authenticates requests by session cookies and access keys.
//
// Sessions is the main type. A sign-in proves an identity and then opens a session:
//
//	password ------+
//	               +--> second factor, if the user has one --> session
//	mailed link ---+                                              ^
//	passkey, OpenID Connect --------------------------------------+
//
// The value of a session is 32 random bytes that only the cookie contains. The store keeps its SHA-256, so
// that a stolen database opens no session. Steps of a sign-in that span several requests are challenges in the
// store, with an expiry and a number of tries, so that any console process can finish them. Wrong secrets are
// counted (package throttle), and refusals do not reveal whether a user exists.
//
// Nobody can deny others the sign-in by password: clients take turns at hashing (package turn), and wrong passwords
// count against the client that sent them. A browser that signed in before is a known device, which depends on no
// other client (guess.go, device.go).
package session

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/netip"
	"time"

	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/issuer"
	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/person"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/web"
)

// cookieName is the name of the session cookie. If the console is served over HTTPS, the name gets
// hostPrefix: browsers then accept the cookie only over TLS, only from this host and only for all
// paths, so that another host of the same domain cannot set it (RFC 6265bis, section 4.1.3.2).
const (
	cookieName = "tollgate_session"
	hostPrefix = "__Host-"
)

// seePatience is the time-out for recording that a session or an access
// key is in use. Recording is best effort and must not delay requests.
const seePatience = time.Second

// Sessions opens, finds and ends sessions. It is safe for concurrent use.
type Sessions struct {
	store     *store.Store
	passwords *Passwords
	sealer    *seal.Sealer
	party     *webauthn.WebAuthn // nil: passkeys are disabled
	issuer    *issuer.Issuer     // the platform's; nil: none is configured
	pool      *issuer.Pool       // clients of tenants' issuers; nil: they are off
	throttle  *throttle.Throttle
	lifetime  time.Duration
	idle      time.Duration // 0: unlimited
	secure    bool
	operators bool // need a second factor
	now       func() time.Time
	system    tenant.Scope
}

// Options configures Sessions.
type Options struct {
	Store          *store.Store
	Passwords      *Passwords
	Sealer         *seal.Sealer
	URL            string             // URL at which browsers reach the console; "": passkeys and issuers are disabled
	OIDC           issuer.Config      // of the platform; needs URL
	Issuers        *issuer.Pool       // of tenants; nil: they are off
	Lifetime       time.Duration      // of a session, whether it is used or not
	Idle           time.Duration      // after which a session ends that is not used; 0: unlimited
	OperatorFactor bool               // whether operators need a second factor
	Secure         bool               // whether browsers may send the cookie only over HTTPS
	Throttle       *throttle.Throttle // nil: a new one
	Now            func() time.Time   // nil: time.Now
}

// New returns Sessions. It fails if the URL cannot be parsed or configured for passkeys.
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
	o.OIDC.CallbackURL = o.URL + issuer.CallbackPath
	return &Sessions{
		store: o.Store, passwords: o.Passwords, sealer: o.Sealer, party: party, issuer: issuer.New(o.OIDC),
		pool: o.Issuers, throttle: o.Throttle,
		lifetime: o.Lifetime, idle: o.Idle, operators: o.OperatorFactor, secure: o.Secure, now: o.Now,
		system: tenant.SystemScope("console"),
	}, nil
}

// Credentials holds the e-mail address and the password of a sign-in, and the client that sent them.
type Credentials struct {
	Email, Password string
	Address         netip.Addr // of the client
	Agent           string     // User-Agent header of the client
	Device          string     // value of the browser's device cookie, "" for none
	Session         *uuid.UUID // the session of a user who is signed in and proves the password again; nil: a sign-in
	UserID          uuid.UUID  // that user: another account may have the address; uuid.Nil: a sign-in
}

// Proven is a user whose identity is proven. PasswordHash is the hash of the password at
// that time: no session opens if the password changes before the sign-in is finished.
type Proven struct {
	User         tenant.User
	PasswordHash string
	Means        signin.Means // how the identity was proven; "": by password
	Client       signin.Client
	Challenge    *[sha256.Size]byte // of a sign-in with two factors; nil: none
	Passkey      uuid.UUID          // of a sign-in by passkey alone; uuid.Nil: none
}

// Open is a session that was just opened, together with the value for its cookie.
type Open struct {
	signin.Session
	Value string
}

// refused returns the error of a refused sign-in. It is the same for an unknown user, a wrong
// password and a disabled user or tenant, so that a client cannot find out which users exist.
func refused() error {
	return problem.New(problem.Unauthenticated, "E-mail address or password is wrong.")
}

// SignIn checks the password and then opens a session or asks for a second factor. It returns an Unauthenticated
// problem if the sign-in is refused, a RateLimited problem after too many refused ones or too many of the user, and an
// Overloaded problem if too many passwords are being checked. A wrong password counts against the client, and for
// strangers also against their address and the account; a correct one clears the client's count.
func (s *Sessions) SignIn(ctx context.Context, c Credentials) (_ Outcome, err error) {
	defer wrap(&err, "sign in")
	proven, err := s.prove(ctx, c)
	if err != nil {
		return Outcome{}, err
	}
	return s.Proceed(ctx, proven)
}

// Prove checks the password as SignIn does, with the same errors and counts, but opens no session. It returns the hash
// that the password matched.
func (s *Sessions) Prove(ctx context.Context, c Credentials) (passwordHash string, err error) {
	defer wrap(&err, "prove the password")
	proven, err := s.prove(ctx, c)
	return proven.PasswordHash, err
}

// prove checks the password while it holds a slot for hashing.
func (s *Sessions) prove(ctx context.Context, c Credentials) (Proven, error) {
	user, err := s.userOfDevice(ctx, &c)
	if err != nil {
		return Proven{}, err
	}
	from := s.guesserOf(&c, user)
	record := web.RecordOf(ctx)
	record.SignIn, record.Account = true, from.account
	if err := s.checkGuess(ctx, from); err != nil {
		return Proven{}, err
	}
	// The slot is held from the second check of the throttle to the counting of the guess: otherwise many
	// concurrent guesses could be checked before the first of them counts.
	slot, err := s.passwords.slots.acquire(ctx, s.applicant(&from))
	if err != nil {
		return Proven{}, err
	}
	defer slot.Release()
	proven, err := s.verify(ctx, &c, from)
	if err == nil {
		s.throttle.Forgive(throttle.GuessesByClient, from.name())
	}
	return proven, err
}

// verify compares the password with the user's hash. The caller holds a slot for
// hashing. verify asks the throttle again, because many guesses may have passed
// it before while they waited for the slot.
func (s *Sessions) verify(ctx context.Context, c *Credentials, from guesser) (Proven, error) {
	if err := s.checkGuess(ctx, from); err != nil {
		return Proven{}, err
	}
	user, hash, err := s.store.Identity.UserWithPassword(ctx, s.system, from.account)
	unknown := problem.Is(err, problem.NotFound)
	if err != nil && !unknown {
		return Proven{}, err
	}
	web.RecordOf(ctx).AccountTenantID = user.TenantID
	isOther := c.UserID != uuid.Nil && c.UserID != user.ID
	if !s.passwords.matches(c.Password, hash) || unknown || isOther || user.Status != tenant.Enabled {
		s.countGuess(from)
		return Proven{}, refused()
	}
	return Proven{User: user, PasswordHash: hash, Client: signin.Client{Address: c.Address, Agent: c.Agent}}, nil
}

// beginSignIn opens a session as Begin does, for a sign-in. Each sign-in is an entry of the audit log, which nobody may
// delete, so it returns a RateLimited problem after too many of the user. Only who has proven the identity can use
// them up.
func (s *Sessions) beginSignIn(ctx context.Context, p Proven) (Open, error) {
	if err := s.throttle.Take(throttle.SignInsByUser, p.User.ID.String(), s.now()); err != nil {
		return Open{}, err
	}
	return s.Begin(ctx, p)
}

// Begin opens a session for a user whose identity is proven. The caller bounds how often. It returns the error of a
// refused sign-in if the tenant is disabled, or if the password has changed or the passkey was deleted since the
// identity was proven, a NotFound problem if the challenge is gone, and a Forbidden problem if the user must sign in
// with the tenant's issuer.
func (s *Sessions) Begin(ctx context.Context, p Proven) (_ Open, err error) {
	defer wrap(&err, "open a session")
	user := p.User
	open := Open{Session: signin.Session{User: user, Means: p.Means,
		ExpiresAt: s.now().Add(s.lifetime).UTC().Truncate(time.Second)}}
	if open.Tenant, err = s.enabledTenant(ctx, user); err != nil {
		return Open{}, err
	}
	if err := checkMeans(open.Tenant, user, p.Means); err != nil {
		return Open{}, err
	}
	if open.MustEnrol, err = s.mustEnrol(ctx, &open.Session); err != nil {
		return Open{}, err
	}
	secret := seal.NewSecret()
	open.Value = secret.Value
	err = s.store.Signin.CreateSession(ctx, s.system, signin.NewSession{
		UserID: user.ID, PasswordHash: p.PasswordHash, Hash: secret.Hash, Means: p.Means, Client: p.Client,
		ExpiresAt: open.ExpiresAt,
		Challenge: p.Challenge, Passkey: p.Passkey,
	})
	if problem.Is(err, problem.Unauthenticated) {
		return Open{}, refused()
	}
	if err != nil {
		return Open{}, err
	}
	return open, nil
}

// enabledTenant returns the user's tenant, or the zero Tenant for an operator.
// If the tenant is disabled, it returns the error of a refused sign-in.
func (s *Sessions) enabledTenant(ctx context.Context, user tenant.User) (tenant.Tenant, error) {
	if user.Role == tenant.Operator {
		return tenant.Tenant{}, nil
	}
	t, err := s.store.Identity.Tenant(ctx, s.system, user.TenantID)
	if err != nil {
		return tenant.Tenant{}, err
	}
	if t.Status != tenant.Enabled {
		return tenant.Tenant{}, refused()
	}
	return t, nil
}

// Find returns the session with the value of a cookie, and its user and tenant
// as they are now. It returns an Unauthenticated problem if there is no such
// session, if it has expired or was not used for too long, or if the user may
// not sign in any more. Times of use have a precision of a minute.
func (s *Sessions) Find(ctx context.Context, value string) (_ signin.Session, err error) {
	defer wrap(&err, "find the session")
	hash, ok := seal.HashSecret(value)
	if !ok {
		return signin.Session{}, problem.Of(problem.Unauthenticated)
	}
	live, err := s.store.Signin.Session(ctx, s.system, hash)
	if problem.Is(err, problem.NotFound) || problem.Is(err, problem.Unauthenticated) {
		return signin.Session{}, problem.Of(problem.Unauthenticated)
	}
	if err != nil {
		return live, err
	}
	if s.idle > 0 && s.now().Sub(live.LastSeen) >= s.idle {
		if err := s.store.Signin.DeleteSession(ctx, s.system, hash); err != nil {
			return signin.Session{}, err
		}
		return signin.Session{}, problem.Of(problem.Unauthenticated)
	}
	s.see(ctx, &live)
	live.MustEnrol, err = s.mustEnrol(ctx, &live)
	return live, err
}

// see records that the session is in use, at most once a minute. It
// is best effort: if recording fails, the session works nevertheless.
func (s *Sessions) see(ctx context.Context, live *signin.Session) {
	if s.now().Sub(live.LastSeen) < person.SeenEvery {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, seePatience)
	defer cancel()
	_ = s.store.Signin.SeeSession(ctx, s.system, live.ID)
}

// End ends the session with the value of a cookie. It returns no error if there is no such session.
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

// CookieName returns the name of the session cookie. It may be called on nil
// Sessions, to generate the OpenAPI document: the name is then that without HTTPS.
func (s *Sessions) CookieName() string {
	if s != nil && s.secure {
		return hostPrefix + cookieName
	}
	return cookieName
}

// Cookie returns the cookie for a new session. It expires with the session.
func (s *Sessions) Cookie(open Open) http.Cookie {
	cookie := s.cookie(open.Value)
	cookie.Expires = open.ExpiresAt
	return cookie
}

// NoCookie returns the cookie that makes a browser delete its session cookie.
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

// wrap adds the operation to *err unless it is nil. Exported methods defer it.
func wrap(err *error, operation string) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", operation, *err)
	}
}
