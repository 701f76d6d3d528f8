package session

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/oauth2"

	"github.com/tollgate/tollgate/apps/console/internal/issuer"
	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/web"
)

const (
	flowCookie = "tollgate_oidc"
	flowPath   = issuer.Path
	flowLife   = 10 * time.Minute            // time that the user may take at the issuer
	flowSeal   = "sign-in by OpenID Connect" // context to which the cookie's encryption is bound
)

// flow is the state of a sign-in by OpenID Connect while the browser is at the issuer. The browser keeps
// it in an encrypted cookie, so that the console stores nothing for sign-ins that are never finished.
type flow struct {
	issuer.AuthRequest
	Return    string // local path to which the browser is sent at the end
	ExpiresAt time.Time
	Session   uuid.UUID `json:",omitzero"` // the session that the flow confirms; uuid.Nil: a sign-in
	Slug      string    `json:",omitzero"` // of the tenant whose issuer it is; "": the platform's issuer
}

// OIDCName returns the name of the issuer for the sign-in button, or "" if no issuer is configured.
func (s *Sessions) OIDCName() string {
	if s.issuer == nil {
		return ""
	}
	return s.issuer.Name
}

// Departure holds the URL of the issuer to redirect the browser to, and the cookie to set.
type Departure struct {
	URL    string
	Cookie http.Cookie
}

// BeginOIDC starts a sign-in by OpenID Connect for a client at the address from. back is the local path to
// which the browser is sent after the sign-in; another URL is replaced with /. Its errors are *issuer.Refusal.
func (s *Sessions) BeginOIDC(ctx context.Context, from netip.Addr, back string) (Departure, error) {
	if err := s.takeBegin(from); err != nil {
		return Departure{}, err
	}
	return s.depart(ctx, entry{Issuer: s.issuer}, flow{Return: localPath(back)})
}

// takeBegin counts a started sign-in of an address, or returns a Busy refusal after too many.
func (s *Sessions) takeBegin(from netip.Addr) error {
	if err := s.throttle.Take(throttle.BeginsByAddress, address.Network(from), s.now()); err != nil {
		return &issuer.Refusal{Reason: issuer.Busy, Cause: err}
	}
	return nil
}

// depart sends the browser to the issuer with the flow, to which it adds the random values and the expiry.
func (s *Sessions) depart(ctx context.Context, to entry, f flow) (Departure, error) {
	if to.Issuer == nil {
		return Departure{}, &issuer.Refusal{Reason: issuer.Off}
	}
	client, err := to.Connect(ctx)
	if err != nil {
		return Departure{}, err
	}
	defer client.Release()
	f.State, f.Nonce, f.Verifier = seal.NewSecret().Value, seal.NewSecret().Value, oauth2.GenerateVerifier()
	f.ExpiresAt, f.Slug = s.now().Add(flowLife), to.tenant.Slug
	raw, err := json.Marshal(f)
	if err != nil {
		return Departure{}, &issuer.Refusal{Reason: issuer.Failed, Cause: err}
	}
	cookie := s.flowCookie(base64.RawURLEncoding.EncodeToString(s.sealer.SealState(raw, []byte(flowSeal))))
	cookie.MaxAge = int(flowLife / time.Second)
	return Departure{URL: client.RedirectURL(f.AuthRequest), Cookie: cookie}, nil
}

// NoOIDCCookie returns the cookie that makes a browser delete the state of its sign-in.
func (s *Sessions) NoOIDCCookie() http.Cookie {
	cookie := s.flowCookie("")
	cookie.MaxAge = -1
	return cookie
}

func (s *Sessions) flowCookie(value string) http.Cookie {
	return http.Cookie{
		Name: flowCookie, Value: value, Path: flowPath, HttpOnly: true, Secure: s.secure,
		SameSite: http.SameSiteLaxMode,
	}
}

// flowOf returns the flow in the browser's cookie. It returns false if there is no
// valid cookie, if it has expired, or if the state in the query is not that of the
// flow: then the request was not started by this browser (RFC 6749, section 10.12).
func (s *Sessions) flowOf(r *http.Request) (flow, bool) {
	var f flow
	cookie, err := r.Cookie(flowCookie)
	if err != nil {
		return f, false
	}
	ciphertext, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil {
		return f, false
	}
	raw, err := s.sealer.OpenState(ciphertext, []byte(flowSeal))
	if err != nil || json.Unmarshal(raw, &f) != nil {
		return f, false
	}
	isSame := subtle.ConstantTimeCompare([]byte(f.State), []byte(r.URL.Query().Get("state"))) == 1
	return f, isSame && s.now().Before(f.ExpiresAt)
}

// Arrival is a browser that came back from the issuer.
type Arrival struct {
	Open   *Open  // the session that was opened; nil: the browser's session was confirmed
	Return string // local path to send the browser to, also after a refused confirmation; "": the sign-in was refused
}

// FinishOIDC opens or confirms a session for a browser that comes back from the platform's issuer, or from that of the
// tenant with the slug. Its errors are *issuer.Refusal.
func (s *Sessions) FinishOIDC(r *http.Request, slug string, from signin.Client) (Arrival, error) {
	if s.issuer == nil && (slug == "" || s.pool == nil) {
		return Arrival{}, &issuer.Refusal{Reason: issuer.Off}
	}
	f, ok := s.flowOf(r)
	if !ok || f.Slug != slug {
		return Arrival{}, &issuer.Refusal{Reason: issuer.Expired}
	}
	// The query comes first: a flow that is sent again without a code reads nothing.
	code, err := codeOf(r)
	var e entry
	if err == nil {
		e, err = s.entryOf(r.Context(), slug)
	}
	if err == nil {
		err = checkIssuer(r, e)
	}
	if err == nil {
		err = s.useFlow(r.Context(), f)
	}
	if f.Session != uuid.Nil {
		if err == nil {
			err = s.redeemConfirmation(r, e, code, f)
		}
		return Arrival{Return: f.Return}, asRefusal(err)
	}
	if err != nil {
		return Arrival{}, err
	}
	open, err := s.redeem(r.Context(), e, code, f, from)
	if err != nil {
		return Arrival{}, err
	}
	return Arrival{Open: &open, Return: f.Return}, nil
}

// finishedFlow is the purpose of the challenges that stand for flows which were finished.
const finishedFlow = "finished sign-in by OpenID Connect"

// useFlow records that the flow is finished, until it expires. It refuses one that was finished before, with whatever
// code: a copy of the browser's cookie opens no second session.
func (s *Sessions) useFlow(ctx context.Context, f flow) error {
	hash, ok := seal.HashSecret(f.State)
	if !ok {
		return &issuer.Refusal{Reason: issuer.Expired}
	}
	err := s.store.Signin.CreateChallenge(ctx, s.system,
		signin.Challenge{Hash: hash, Purpose: finishedFlow, ExpiresAt: f.ExpiresAt})
	switch {
	case problem.Is(err, problem.Conflict):
		return &issuer.Refusal{Reason: issuer.Expired, Cause: err}
	case err != nil:
		return asRefusal(err)
	}
	return nil
}

// codeOf returns the code that the issuer gave the browser.
func codeOf(r *http.Request) (string, error) {
	query := r.URL.Query()
	if query.Has("error") || query.Get("code") == "" {
		// The error comes from the query of the request and may contain anything; it goes to the log only.
		return "", &issuer.Refusal{Reason: issuer.Denied,
			Cause: errors.New("the issuer returned the error " + strings.ToValidUTF8(query.Get("error"), "?"))}
	}
	return query.Get("code"), nil
}

// checkIssuer refuses a response that names another issuer than this one (RFC 9207).
func checkIssuer(r *http.Request, e entry) error {
	query := r.URL.Query()
	if query.Has("iss") && query.Get("iss") != e.URL {
		return &issuer.Refusal{Reason: issuer.Rejected, Cause: errors.New("the response comes from another issuer")}
	}
	return nil
}

// redeem exchanges the code and opens a session for the user that the issuer's account belongs to.
func (s *Sessions) redeem(ctx context.Context, e entry, code string, f flow, from signin.Client) (Open, error) {
	client, err := e.Connect(ctx)
	if err != nil {
		return Open{}, err
	}
	defer client.Release()
	web.RecordOf(ctx).AccountTenantID = e.tenant.ID
	user, err := s.userOf(ctx, e, client, code, f)
	if err != nil {
		return Open{}, asRefusal(err)
	}
	record := web.RecordOf(ctx)
	record.Account, record.AccountTenantID = user.Email, user.TenantID
	open, err := s.beginFor(ctx, user, Proven{Means: e.means(), Client: from})
	return open, asRefusal(err)
}

// asRefusal returns err as a *issuer.Refusal: unchanged if it is one, otherwise
// with the reason Disabled for a refused sign-in, Enforced for a user who must use
// another issuer, Busy for too many sign-ins, and Failed for all other errors.
func asRefusal(err error) error {
	var refusal *issuer.Refusal
	switch {
	case err == nil || errors.As(err, &refusal):
		return err
	case problem.Is(err, problem.Unauthenticated):
		return &issuer.Refusal{Reason: issuer.Disabled, Cause: err}
	case problem.Is(err, problem.Forbidden):
		return &issuer.Refusal{Reason: issuer.Enforced, Cause: err}
	case problem.Is(err, problem.RateLimited):
		return &issuer.Refusal{Reason: issuer.Busy, Cause: err}
	}
	return &issuer.Refusal{Reason: issuer.Failed, Cause: err}
}

// userOf returns the user who belongs to the account at the issuer. An account that is
// already linked keeps its user, even if its e-mail address has changed: the issuer's
// subject identifies it. Otherwise the account is linked by its e-mail address.
func (s *Sessions) userOf(ctx context.Context, e entry, client *issuer.Connection, code string,
	f flow) (tenant.User, error) {
	claims, err := client.Redeem(code, f.AuthRequest, s.now)
	web.RecordOf(ctx).Account = claims.Email
	if err != nil {
		return tenant.User{}, err
	}
	user, err := s.store.Signin.UseIdentity(ctx, s.system, e.tenant.ID, e.URL, claims.Subject)
	if !problem.Is(err, problem.NotFound) {
		return user, err
	}
	claims, err = client.Complete(claims)
	web.RecordOf(ctx).Account = claims.Email
	if err != nil {
		return tenant.User{}, err
	}
	if e.ofTenant() {
		user, err = s.arrive(ctx, e, claims)
	} else {
		user, err = s.linkByEmail(ctx, claims)
	}
	if err != nil {
		return tenant.User{}, err
	}
	return user, s.link(ctx, e, user, claims)
}

// linkByEmail returns the user with the e-mail address of an account of the platform's issuer, which vouches for
// the address. Its domain must be allowed. It never creates a user. It refuses an account that
// somebody made for the address without the consent of its person: anybody who may add members could
// otherwise receive that person's sign-ins. A link that was handed over proves consent only if no other account
// claims the address: who made it may have opened it.
func (s *Sessions) linkByEmail(ctx context.Context, c issuer.Claims) (tenant.User, error) {
	if !s.issuer.Admits(c.Email) {
		return tenant.User{}, &issuer.Refusal{Reason: issuer.Unknown,
			Cause: errors.New("the domain of the e-mail address is not allowed")}
	}
	user, err := s.store.Identity.UserByEmail(ctx, s.system, c.Email)
	if problem.Is(err, problem.NotFound) {
		return tenant.User{}, &issuer.Refusal{Reason: issuer.Unknown}
	}
	if err != nil {
		return tenant.User{}, err
	}
	unproven := user.Proof == tenant.Unproven
	if user.Proof == tenant.HandedOver {
		if unproven, err = s.store.Identity.ClaimedElsewhere(ctx, s.system, user); err != nil {
			return tenant.User{}, err
		}
	}
	if unproven {
		return tenant.User{}, &issuer.Refusal{Reason: issuer.Unproven}
	}
	return user, nil
}

// link links an enabled user to the account. It refuses with Taken
// if the user is already linked to another account at the issuer.
func (s *Sessions) link(ctx context.Context, e entry, user tenant.User, c issuer.Claims) error {
	if user.Status != tenant.Enabled {
		return &issuer.Refusal{Reason: issuer.Disabled}
	}
	t, err := s.enabledTenant(ctx, user)
	if err != nil {
		return err
	}
	if err := checkMeans(t, user, e.means()); err != nil {
		return err
	}
	err = s.store.Signin.LinkIdentity(ctx, s.system,
		signin.Identity{UserID: user.ID, Issuer: e.URL, OfTenant: e.ofTenant(), Subject: c.Subject, Email: c.Email})
	if problem.Is(err, problem.Conflict) {
		return &issuer.Refusal{Reason: issuer.Taken, Cause: err}
	}
	return err
}

// paths matches the paths of pages. It admits no // at the start and
// no backslash, which browsers would take for the URL of another host.
var paths = regexp.MustCompile(`^/([A-Za-z0-9._~!$&'()*+,;=:@%?#-][A-Za-z0-9._~!$&'()*+,;=:@%/?#-]*)?$`)

// maxPath is the largest length of a return path in bytes.
const maxPath = 1000

// localPath returns the path if it is one of this site, otherwise /. It prevents open redirects.
func localPath(path string) string {
	if len(path) > maxPath || !paths.MatchString(path) {
		return "/"
	}
	return path
}
