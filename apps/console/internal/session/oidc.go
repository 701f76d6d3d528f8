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

	"golang.org/x/oauth2"

	"github.com/tollgate/tollgate/apps/console/internal/issuer"
	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/signin"
)

const (
	flowCookie = "tollgate_oidc"
	flowPath   = "/api/session/oidc"
	flowLife   = 10 * time.Minute
	flowSeal   = "sign-in by OpenID Connect"
)

// CallbackPath is where the issuer sends the browser back to.
const CallbackPath = flowPath + "/callback"

// flow is what the browser keeps, sealed, between leaving for the issuer and
// coming back.
type flow struct {
	issuer.AuthRequest
	Return    string // local path to go to at last
	ExpiresAt time.Time
}

// OIDCName is what the button to sign in by OpenID Connect says, "" where one cannot.
func (s *Sessions) OIDCName() string {
	if s.issuer == nil {
		return ""
	}
	return s.issuer.Name
}

// Departure is how a browser leaves for the issuer.
type Departure struct {
	URL    string
	Cookie http.Cookie
}

// BeginOIDC returns where to send a browser that wants to sign in by OpenID
// Connect and to see the page back afterwards. Its errors are *Refusal.
func (s *Sessions) BeginOIDC(ctx context.Context, from netip.Addr, back string) (Departure, error) {
	if s.issuer == nil {
		return Departure{}, &issuer.Refusal{Reason: issuer.Off}
	}
	if err := s.throttle.Take(throttle.BeginsByAddress, throttle.Network(from), s.now()); err != nil {
		return Departure{}, &issuer.Refusal{Reason: issuer.Busy, Cause: err}
	}
	client, err := s.issuer.Connect(ctx)
	if err != nil {
		return Departure{}, err
	}
	defer client.Release()
	f := flow{
		AuthRequest: issuer.AuthRequest{State: seal.NewSecret().Value, Nonce: seal.NewSecret().Value, Verifier: oauth2.GenerateVerifier()},
		Return:      localPath(back), ExpiresAt: s.now().Add(flowLife),
	}
	raw, err := json.Marshal(f)
	if err != nil {
		return Departure{}, &issuer.Refusal{Reason: issuer.Failed, Cause: err}
	}
	cookie := s.flowCookie(base64.RawURLEncoding.EncodeToString(s.sealer.SealState(raw, []byte(flowSeal))))
	cookie.MaxAge = int(flowLife / time.Second)
	return Departure{URL: client.RedirectURL(f.AuthRequest), Cookie: cookie}, nil
}

// NoOIDCCookie makes a browser forget that it left for the issuer.
func (s *Sessions) NoOIDCCookie() http.Cookie {
	cookie := s.flowCookie("")
	cookie.MaxAge = -1
	return cookie
}

func (s *Sessions) flowCookie(value string) http.Cookie {
	return http.Cookie{
		Name: flowCookie, Value: value, Path: flowPath, HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode,
	}
}

// flowOf is what a browser that comes back has kept.
func (s *Sessions) flowOf(r *http.Request) (flow, bool) {
	var f flow
	cookie, err := r.Cookie(flowCookie)
	if err != nil {
		return f, false
	}
	sealed, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil {
		return f, false
	}
	raw, err := s.sealer.OpenState(sealed, []byte(flowSeal))
	if err != nil || json.Unmarshal(raw, &f) != nil {
		return f, false
	}
	same := subtle.ConstantTimeCompare([]byte(f.State), []byte(r.URL.Query().Get("state"))) == 1
	return f, same && s.now().Before(f.ExpiresAt)
}

// FinishOIDC opens a session for a browser that comes back from the issuer, and
// returns the local path to go to. Its errors are *Refusal.
func (s *Sessions) FinishOIDC(r *http.Request, from signin.Client) (Open, string, error) {
	if s.issuer == nil {
		return Open{}, "", &issuer.Refusal{Reason: issuer.Off}
	}
	f, ok := s.flowOf(r)
	if !ok {
		return Open{}, "", &issuer.Refusal{Reason: issuer.Expired}
	}
	query := r.URL.Query()
	if query.Has("error") || query.Get("code") == "" {
		return Open{}, "", &issuer.Refusal{Reason: issuer.Denied, Cause: errors.New("the issuer says: " + strings.ToValidUTF8(query.Get("error"), "?"))}
	}
	open, err := s.redeem(r.Context(), query.Get("code"), f, from)
	return open, f.Return, err
}

func (s *Sessions) redeem(ctx context.Context, code string, f flow, from signin.Client) (Open, error) {
	client, err := s.issuer.Connect(ctx)
	if err != nil {
		return Open{}, err
	}
	defer client.Release()
	user, err := s.userOf(ctx, client, code, f)
	if err != nil {
		return Open{}, asRefusal(err)
	}
	open, err := s.beginFor(ctx, user, Proven{Means: signin.ByOIDC, Client: from})
	return open, asRefusal(err)
}

// asRefusal gives an error its reason, where it has none yet.
func asRefusal(err error) error {
	var known *issuer.Refusal
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case problem.Is(err, problem.Unauthenticated):
		return &issuer.Refusal{Reason: issuer.Disabled, Cause: err}
	}
	return &issuer.Refusal{Reason: issuer.Failed, Cause: err}
}

// userOf returns who the issuer's user is here: the one he was before,
// whatever became of his address since.
func (s *Sessions) userOf(ctx context.Context, client *issuer.Connection, code string, f flow) (tenant.User, error) {
	said, err := client.Redeem(code, f.AuthRequest, s.now)
	if err != nil {
		return tenant.User{}, err
	}
	user, err := s.store.Signin.UseIdentity(ctx, s.system, s.issuer.URL, said.Subject)
	if !problem.Is(err, problem.NotFound) {
		return user, err
	}
	if said, err = client.Complete(said); err != nil {
		return tenant.User{}, err
	}
	return s.recognise(ctx, said)
}

// recognise links who was not here before to the user with his verified e-mail
// address. Nobody is made.
func (s *Sessions) recognise(ctx context.Context, c issuer.Claims) (tenant.User, error) {
	if c.Email == "" || !c.Verified() {
		return tenant.User{}, &issuer.Refusal{Reason: issuer.Unverified}
	}
	if !s.issuer.Admits(c.Email) {
		return tenant.User{}, &issuer.Refusal{Reason: issuer.Unknown, Cause: errors.New("the domain of the address is not let in")}
	}
	user, _, err := s.store.Identity.UserByEmail(ctx, s.system, c.Email)
	if problem.Is(err, problem.NotFound) {
		return tenant.User{}, &issuer.Refusal{Reason: issuer.Unknown}
	}
	if err != nil {
		return tenant.User{}, err
	}
	return user, s.link(ctx, user, c)
}

// link makes an enabled user known by the identity.
func (s *Sessions) link(ctx context.Context, user tenant.User, c issuer.Claims) error {
	if user.Status != tenant.Enabled {
		return &issuer.Refusal{Reason: issuer.Disabled}
	}
	if _, err := s.home(ctx, user); err != nil {
		return err
	}
	err := s.store.Signin.LinkIdentity(ctx, s.system, signin.Identity{UserID: user.ID, Issuer: s.issuer.URL, Subject: c.Subject, Email: c.Email})
	if problem.Is(err, problem.Conflict) {
		return &issuer.Refusal{Reason: issuer.Taken, Cause: err}
	}
	return err
}

// paths are those of pages: what a browser takes for nothing else.
var paths = regexp.MustCompile(`^/([A-Za-z0-9._~!$&'()*+,;=:@%?#-][A-Za-z0-9._~!$&'()*+,;=:@%/?#-]*)?$`)

const maxPath = 1000

// localPath is the path where it is one of this site, else the first page.
func localPath(path string) string {
	if len(path) > maxPath || !paths.MatchString(path) {
		return "/"
	}
	return path
}
