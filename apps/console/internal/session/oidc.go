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
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
)

// Reason is why a sign-in by OpenID Connect ended without a session: a word
// for the page that it goes back to.
type Reason string

// The reasons.
const (
	Off         Reason = "off"         // there is no issuer
	Busy        Reason = "busy"        // too many sign-ins at once, or from one address
	Unavailable Reason = "unavailable" // the issuer does not answer, or not as one
	Expired     Reason = "expired"     // it took too long, or began in another browser
	Denied      Reason = "denied"      // by the issuer, or by the user there
	Rejected    Reason = "rejected"    // what the issuer said of the user is not to be believed
	Unverified  Reason = "unverified"  // there is no e-mail address, or it is not verified
	Unknown     Reason = "unknown"     // nobody here has the address, or its domain is not let in
	Disabled    Reason = "disabled"    // the user or his tenant
	Taken       Reason = "taken"       // the user is somebody else to the issuer
	Failed      Reason = "failed"      // a fault of ours
)

// Refusal is a sign-in by OpenID Connect that ended without a session.
type Refusal struct {
	Reason Reason
	Cause  error // nil, or more for the log; never for the client
}

// Error is for logs.
func (r *Refusal) Error() string {
	if r.Cause == nil {
		return string(r.Reason)
	}
	return string(r.Reason) + ": " + r.Cause.Error()
}

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return r.Cause }

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
	State, Nonce, Verifier string
	Return                 string // local path to go to at last
	ExpiresAt              time.Time
}

// OIDCName is what the button to sign in by OpenID Connect says, "" where one cannot.
func (s *Sessions) OIDCName() string {
	if s.issuer == nil {
		return ""
	}
	return s.issuer.name
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
		return Departure{}, &Refusal{Reason: Off}
	}
	if err := s.throttle.Take(beginsByAddress, Network(from), s.now()); err != nil {
		return Departure{}, &Refusal{Busy, err}
	}
	client, err := s.issuer.connect(ctx)
	if err != nil {
		return Departure{}, err
	}
	defer client.release()
	f := flow{State: NewSecret().Value, Nonce: NewSecret().Value, Verifier: oauth2.GenerateVerifier(), Return: localPath(back), ExpiresAt: s.now().Add(flowLife)}
	raw, err := json.Marshal(f)
	if err != nil {
		return Departure{}, &Refusal{Failed, err}
	}
	cookie := s.flowCookie(base64.RawURLEncoding.EncodeToString(s.sealer.SealState(raw, []byte(flowSeal))))
	cookie.MaxAge = int(flowLife / time.Second)
	return Departure{URL: client.departure(f), Cookie: cookie}, nil
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
func (s *Sessions) FinishOIDC(r *http.Request, from store.Client) (Open, string, error) {
	if s.issuer == nil {
		return Open{}, "", &Refusal{Reason: Off}
	}
	f, ok := s.flowOf(r)
	if !ok {
		return Open{}, "", &Refusal{Reason: Expired}
	}
	query := r.URL.Query()
	if query.Has("error") || query.Get("code") == "" {
		return Open{}, "", &Refusal{Denied, errors.New("the issuer says: " + strings.ToValidUTF8(query.Get("error"), "?"))}
	}
	open, err := s.redeem(r.Context(), query.Get("code"), f, from)
	return open, f.Return, err
}

func (s *Sessions) redeem(ctx context.Context, code string, f flow, from store.Client) (Open, error) {
	client, err := s.issuer.connect(ctx)
	if err != nil {
		return Open{}, err
	}
	defer client.release()
	user, err := s.userOf(ctx, client, code, f)
	if err != nil {
		return Open{}, asRefusal(err)
	}
	open, err := s.beginFor(ctx, user, Proven{Means: store.ByOIDC, Client: from})
	return open, asRefusal(err)
}

// asRefusal gives an error its reason, where it has none yet.
func asRefusal(err error) error {
	var known *Refusal
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case problem.Is(err, problem.Unauthenticated):
		return &Refusal{Disabled, err}
	}
	return &Refusal{Failed, err}
}

// userOf returns who the issuer's user is here: the one he was before,
// whatever became of his address since.
func (s *Sessions) userOf(ctx context.Context, client *connection, code string, f flow) (tenant.User, error) {
	said, err := client.redeem(code, f, s.now)
	if err != nil {
		return tenant.User{}, err
	}
	user, err := s.store.UseIdentity(ctx, s.system, s.issuer.url, said.Subject)
	if !problem.Is(err, problem.NotFound) {
		return user, err
	}
	if said, err = client.complete(said); err != nil {
		return tenant.User{}, err
	}
	return s.recognise(ctx, said)
}

// recognise links who was not here before to the user with his verified e-mail
// address. Nobody is made.
func (s *Sessions) recognise(ctx context.Context, c claims) (tenant.User, error) {
	if c.Email == "" || !c.verified() {
		return tenant.User{}, &Refusal{Reason: Unverified}
	}
	if !s.issuer.admits(c.Email) {
		return tenant.User{}, &Refusal{Unknown, errors.New("the domain of the address is not let in")}
	}
	user, _, err := s.store.UserByEmail(ctx, s.system, c.Email)
	if problem.Is(err, problem.NotFound) {
		return tenant.User{}, &Refusal{Reason: Unknown}
	}
	if err != nil {
		return tenant.User{}, err
	}
	return user, s.link(ctx, user, c)
}

// link makes an enabled user known by the identity.
func (s *Sessions) link(ctx context.Context, user tenant.User, c claims) error {
	if user.Status != tenant.Enabled {
		return &Refusal{Reason: Disabled}
	}
	if _, err := s.home(ctx, user); err != nil {
		return err
	}
	err := s.store.LinkIdentity(ctx, s.system, store.Identity{UserID: user.ID, Issuer: s.issuer.url, Subject: c.Subject, Email: c.Email})
	if problem.Is(err, problem.Conflict) {
		return &Refusal{Taken, err}
	}
	return err
}

// admits reports whether users may be linked by the address.
func (i *issuer) admits(email string) bool {
	_, domain, _ := strings.Cut(strings.ToLower(email), "@")
	return len(i.domains) == 0 || slices.Contains(i.domains, domain)
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
