// Package issuer talks to an OpenID Connect issuer: discovery, the exchange of a
// code, and the claims about a user.
package issuer

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Config is an issuer of OpenID Connect that users may sign in with.
type Config struct {
	Issuer                 string // URL; "" for none
	ClientID, ClientSecret string
	Name                   string   // for people
	Domains                []string // of addresses by which users are linked; none: all
}

const (
	issuerPatience = 10 * time.Second // for all that one request asks the issuer
	issuerTimeout  = 5 * time.Second  // for one exchange with it
	issuerSlots    = 8                // requests that wait for it at once
	issuerBody     = 1 << 20          // bytes of an answer
)

// Issuer talks to an issuer, which it asks for its endpoints at the first use. It
// is safe for concurrent use.
type Issuer struct {
	URL, Name string
	domains   []string
	config    oauth2.Config // without endpoint
	http      *http.Client
	slots     chan struct{}
	found     chan *oidc.Provider // holds one: nil until the issuer was asked
}

// New returns the issuer that o configures, nil where it configures none.
func New(o Config, callbackURL string) *Issuer {
	if o.Issuer == "" {
		return nil
	}
	transport := &http.Transport{
		TLSHandshakeTimeout: issuerTimeout, MaxIdleConnsPerHost: issuerSlots, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
	}
	i := &Issuer{
		URL: o.Issuer, Name: o.Name,
		config: oauth2.Config{
			ClientID: o.ClientID, ClientSecret: o.ClientSecret, RedirectURL: callbackURL,
			Scopes: []string{oidc.ScopeOpenID, "email"},
		},
		http: &http.Client{
			Transport: bounded{transport}, Timeout: issuerTimeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		slots: make(chan struct{}, issuerSlots), found: make(chan *oidc.Provider, 1),
	}
	for _, domain := range o.Domains {
		i.domains = append(i.domains, strings.ToLower(domain))
	}
	i.found <- nil
	return i
}

// bounded cuts answers that are too long: the library reads them whole.
type bounded struct{ next http.RoundTripper }

// RoundTrip makes one exchange.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.next.RoundTrip(r)
	if err == nil {
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(response.Body, issuerBody), response.Body}
	}
	return response, err
}

// Connection is one request's use of an issuer. Release ends it.
type Connection struct {
	*Issuer
	ctx      context.Context //nolint:containedctx // it bounds all that the request asks for
	provider *oidc.Provider
	Release  func()
}

// Connect takes a slot, and asks the issuer for its endpoints unless they are
// known. It takes issuerPatience at most. Its errors are *Refusal.
func (i *Issuer) Connect(ctx context.Context) (*Connection, error) {
	select {
	case i.slots <- struct{}{}:
	default:
		return nil, &Refusal{Reason: Busy}
	}
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, i.http), issuerPatience)
	release := func() {
		cancel()
		<-i.slots
	}
	provider, err := i.discover(ctx)
	if err != nil {
		release()
		return nil, &Refusal{Unavailable, err}
	}
	return &Connection{Issuer: i, ctx: ctx, provider: provider, Release: release}, nil
}

// discover asks the issuer for its endpoints, one request at a time, until it
// has answered.
func (i *Issuer) discover(ctx context.Context) (provider *oidc.Provider, err error) {
	select {
	case provider = <-i.found:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { i.found <- provider }()
	if provider != nil {
		return provider, nil
	}
	found, err := oidc.NewProvider(ctx, i.URL)
	if err == nil {
		err = i.checkEndpoints(found)
	}
	if err != nil {
		return nil, err
	}
	provider = found
	return provider, nil
}

// checkEndpoints refuses to send secrets in the clear on behalf of an issuer
// that is reached by HTTPS.
func (i *Issuer) checkEndpoints(p *oidc.Provider) error {
	var keys struct {
		URL string `json:"jwks_uri"`
	}
	if err := p.Claims(&keys); err != nil {
		return fmt.Errorf("decode the issuer's configuration: %w", err)
	}
	for _, endpoint := range []string{p.Endpoint().AuthURL, p.Endpoint().TokenURL, keys.URL} {
		u, err := url.Parse(endpoint)
		if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || strings.HasPrefix(i.URL, "https:")) {
			return fmt.Errorf("the issuer names the endpoint %q", endpoint)
		}
	}
	return nil
}

func (c *Connection) oauth2() *oauth2.Config {
	config := c.config
	config.Endpoint = c.provider.Endpoint()
	return &config
}

// AuthRequest holds the random values of one sign-in. The browser keeps them,
// sealed, until it returns.
type AuthRequest struct {
	State, Nonce, Verifier string
}

// RedirectURL returns the URL at the issuer that a browser is sent to.
func (c *Connection) RedirectURL(request AuthRequest) string {
	return c.oauth2().AuthCodeURL(request.State, oidc.Nonce(request.Nonce), oauth2.S256ChallengeOption(request.Verifier))
}

// Claims are the issuer's statements about its user.
type Claims struct {
	Subject       string `json:"sub"`
	Email         string `json:"email"`
	EmailVerified any    `json:"email_verified"` // of some issuers a string

	token *oauth2.Token // to ask for more with
}

// Verified reports whether the issuer verified the e-mail address.
func (c Claims) Verified() bool { return c.EmailVerified == true || c.EmailVerified == "true" }

// Redeem exchanges the code and returns the claims about the user. Its errors are
// *Refusal.
func (c *Connection) Redeem(code string, request AuthRequest, now func() time.Time) (Claims, error) {
	token, err := c.oauth2().Exchange(c.ctx, code, oauth2.VerifierOption(request.Verifier))
	if refused := (*oauth2.RetrieveError)(nil); errors.As(err, &refused) && refused.ErrorCode != "" {
		return Claims{}, &Refusal{Rejected, fmt.Errorf("the issuer does not redeem its code: %s", refused.ErrorCode)}
	}
	if err != nil {
		return Claims{}, &Refusal{Unavailable, err}
	}
	raw, _ := token.Extra("id_token").(string)
	verified, err := c.provider.VerifierContext(c.ctx, &oidc.Config{ClientID: c.config.ClientID, Now: now}).Verify(c.ctx, raw)
	if err != nil {
		return Claims{}, &Refusal{Rejected, err}
	}
	if subtle.ConstantTimeCompare([]byte(verified.Nonce), []byte(request.Nonce)) != 1 {
		return Claims{}, &Refusal{Rejected, errors.New("the nonce is another")}
	}
	said := Claims{}
	if err := verified.Claims(&said); err != nil || said.Subject == "" {
		return Claims{}, &Refusal{Rejected, errors.Join(errors.New("claims that cannot be read"), err)}
	}
	said.token = token
	return said, nil
}

// Complete asks the issuer for the e-mail address where the token lacks it. Its
// errors are *Refusal.
func (c *Connection) Complete(said Claims) (Claims, error) {
	if said.Email != "" || c.provider.UserInfoEndpoint() == "" {
		return said, nil
	}
	info, err := c.provider.UserInfo(c.ctx, oauth2.StaticTokenSource(said.token))
	if err != nil {
		return said, &Refusal{Unavailable, err}
	}
	if info.Subject != said.Subject {
		return said, &Refusal{Rejected, errors.New("the user's details are another user's")}
	}
	said.Email, said.EmailVerified = info.Email, info.EmailVerified
	return said, nil
}

// Admits reports whether users may be linked by the address.
func (i *Issuer) Admits(email string) bool {
	_, domain, _ := strings.Cut(strings.ToLower(email), "@")
	return len(i.domains) == 0 || slices.Contains(i.domains, domain)
}
