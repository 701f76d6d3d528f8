package session

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// OIDC is an issuer of OpenID Connect that users may sign in with.
type OIDC struct {
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

// issuer knows how to talk to an issuer once it was needed. It is safe for
// concurrent use.
type issuer struct {
	url, name string
	domains   []string
	config    oauth2.Config // without endpoint
	http      *http.Client
	slots     chan struct{}
	found     chan *oidc.Provider // holds one: nil until the issuer was asked
}

func newIssuer(o OIDC, consoleURL string) *issuer {
	if o.Issuer == "" {
		return nil
	}
	transport := &http.Transport{
		TLSHandshakeTimeout: issuerTimeout, MaxIdleConnsPerHost: issuerSlots, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
	}
	i := &issuer{
		url: o.Issuer, name: o.Name,
		config: oauth2.Config{
			ClientID: o.ClientID, ClientSecret: o.ClientSecret, RedirectURL: consoleURL + CallbackPath,
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

// connection is the use of an issuer by one request.
type connection struct {
	*issuer
	ctx      context.Context //nolint:containedctx // it bounds all that the request asks for
	provider *oidc.Provider
	release  func()
}

// connect waits for a slot, and asks the issuer for its endpoints where nobody
// has. It takes issuerPatience at most. Its errors are *Refusal.
func (i *issuer) connect(ctx context.Context) (*connection, error) {
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
	return &connection{issuer: i, ctx: ctx, provider: provider, release: release}, nil
}

// discover asks the issuer for its endpoints, one request at a time, until it
// has answered.
func (i *issuer) discover(ctx context.Context) (provider *oidc.Provider, err error) {
	select {
	case provider = <-i.found:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { i.found <- provider }()
	if provider != nil {
		return provider, nil
	}
	found, err := oidc.NewProvider(ctx, i.url)
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
func (i *issuer) checkEndpoints(p *oidc.Provider) error {
	var keys struct {
		URL string `json:"jwks_uri"`
	}
	if err := p.Claims(&keys); err != nil {
		return err
	}
	for _, endpoint := range []string{p.Endpoint().AuthURL, p.Endpoint().TokenURL, keys.URL} {
		u, err := url.Parse(endpoint)
		if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || strings.HasPrefix(i.url, "https:")) {
			return fmt.Errorf("the issuer names the endpoint %q", endpoint)
		}
	}
	return nil
}

func (c *connection) oauth2() *oauth2.Config {
	config := c.config
	config.Endpoint = c.provider.Endpoint()
	return &config
}

// departure is the URL at the issuer that a browser is sent to.
func (c *connection) departure(f flow) string {
	return c.oauth2().AuthCodeURL(f.State, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier))
}

// claims are what the issuer says of its user.
type claims struct {
	Subject       string `json:"sub"`
	Email         string `json:"email"`
	EmailVerified any    `json:"email_verified"` // of some issuers a string

	token *oauth2.Token // to ask for more with
}

func (c claims) verified() bool { return c.EmailVerified == true || c.EmailVerified == "true" }

// redeem returns what the issuer says of the user for whom it gave the code.
func (c *connection) redeem(code string, f flow, now func() time.Time) (claims, error) {
	token, err := c.oauth2().Exchange(c.ctx, code, oauth2.VerifierOption(f.Verifier))
	if refused := (*oauth2.RetrieveError)(nil); errors.As(err, &refused) && refused.ErrorCode != "" {
		return claims{}, &Refusal{Rejected, fmt.Errorf("the issuer does not redeem its code: %s", refused.ErrorCode)}
	}
	if err != nil {
		return claims{}, &Refusal{Unavailable, err}
	}
	raw, _ := token.Extra("id_token").(string)
	verified, err := c.provider.VerifierContext(c.ctx, &oidc.Config{ClientID: c.config.ClientID, Now: now}).Verify(c.ctx, raw)
	if err != nil {
		return claims{}, &Refusal{Rejected, err}
	}
	if subtle.ConstantTimeCompare([]byte(verified.Nonce), []byte(f.Nonce)) != 1 {
		return claims{}, &Refusal{Rejected, errors.New("the nonce is another")}
	}
	said := claims{}
	if err := verified.Claims(&said); err != nil || said.Subject == "" {
		return claims{}, &Refusal{Rejected, errors.Join(errors.New("claims that cannot be read"), err)}
	}
	said.token = token
	return said, nil
}

// complete asks the issuer for the address, where it is not in its token. What
// it says of another user is not believed.
func (c *connection) complete(said claims) (claims, error) {
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
