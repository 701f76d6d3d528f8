// Package issuer talks to an OpenID Connect issuer. It implements the client's part
// of the authorization code flow with PKCE (OpenID Connect Core 1.0, RFC 7636):
//
//	RedirectURL   the browser goes to the issuer with state, nonce and challenge
//	Redeem        the code that the browser brings back is exchanged for an ID token, which is verified
//	Complete      the userinfo endpoint is asked for what the token does not say about the e-mail address
//
// The issuer's endpoints are discovered at the first use, so that the console starts while the issuer is
// down. The number of concurrent requests and the size and duration of exchanges are limited. The package
// does not know users and sessions: package session links claims to users. All its errors are *Refusal.
//
// An Issuer is the platform's, or that of a tenant. Tenants choose their issuers, so a Pool makes these clients: they
// reach public addresses only, and those of one tenant cannot use up what the others need.
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
	"github.com/google/uuid"
	"golang.org/x/oauth2"

	"github.com/tollgate/tollgate/libs/core/claim"
	"github.com/tollgate/tollgate/libs/core/email"
	"github.com/tollgate/tollgate/libs/fair"
)

// Path is the path of the console under which browsers sign in by OpenID Connect.
const Path = "/api/session/oidc"

// CallbackPath is the path to which the platform's issuer sends the browser back. The issuer of a tenant has a path of
// its own, CallbackPathOf: otherwise it could send the browser to another issuer, and receive the code of that one (a
// mix-up attack, RFC 9700, section 4.4).
const CallbackPath = Path + "/callback"

// CallbackPathOf returns the path to which the issuer of the tenant with the slug sends the browser back.
func CallbackPathOf(slug string) string { return CallbackPath + "/" + slug }

// Config describes an OpenID Connect issuer with which users may sign in.
type Config struct {
	Issuer                 string // URL; "" if there is none
	ClientID, ClientSecret string
	Name                   string   // name that the sign-in page shows
	Domains                []string // domains of e-mail addresses that may sign in; empty: all
	CallbackURL            string   // to which the issuer sends the browser back; a different one for each issuer
	TrustEmail             bool     // an address counts as verified if the issuer does not say whether it is
	RequiredClaims         []claim.Requirement
	OfTenant               bool // a tenant has set the issuer, with settings of other names
}

const (
	issuerPatience = 10 * time.Second // for all exchanges of one Connection
	issuerTimeout  = 5 * time.Second  // for one exchange
	issuerSlots    = 8                // concurrent Connections
	issuerBody     = 1 << 20          // bytes of a response
	clockSkew      = time.Minute      // by which the issuer's clock may be behind
)

// Issuer is a client of one OpenID Connect issuer. It reads the issuer's
// endpoints and keys at the first use and then keeps them. It is safe for concurrent use.
type Issuer struct {
	URL, Name string
	settings  Config
	config    oauth2.Config // without the endpoints, which discovery returns
	http      *http.Client
	slots     *fair.Queue[uuid.UUID] // for Connections, by tenant
	tenant    uuid.UUID              // whose issuer it is; uuid.Nil for the platform's
	discovery chan *oidc.Provider    // holds one value, nil until discovery has succeeded; receiving it takes the lock
}

// New returns a client of the platform's issuer, or nil if none is configured.
func New(o Config) *Issuer {
	if o.Issuer == "" {
		return nil
	}
	return newIssuer(o, &http.Transport{
		TLSHandshakeTimeout: issuerTimeout, MaxIdleConnsPerHost: issuerSlots, IdleConnTimeout: time.Minute,
		ForceAttemptHTTP2: true,
	})
}

// newIssuer returns a client of the issuer. Redirects of the issuer are not followed: they could lead secrets to
// another host.
func newIssuer(o Config, transport http.RoundTripper) *Issuer {
	i := &Issuer{
		URL: o.Issuer, Name: o.Name, settings: o,
		config: oauth2.Config{
			ClientID: o.ClientID, ClientSecret: o.ClientSecret, RedirectURL: o.CallbackURL,
			Scopes: []string{oidc.ScopeOpenID, "email"},
		},
		http: &http.Client{
			Transport: bounded{transport}, Timeout: issuerTimeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		slots: fair.New(fair.Options[uuid.UUID]{PerKey: issuerSlots}), discovery: make(chan *oidc.Provider, 1),
	}
	i.discovery <- nil
	return i
}

// bounded is a transport that cuts responses off after issuerBody
// bytes, because the OIDC library reads them into memory.
type bounded struct{ next http.RoundTripper }

// RoundTrip sends the request and limits the body of the response.
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

// Connection is the use of an issuer by one HTTP request. It occupies one
// of the slots until Release is called. It is not safe for concurrent use.
type Connection struct {
	*Issuer
	ctx      context.Context //nolint:containedctx // it limits the time of all exchanges together
	provider *oidc.Provider
	Release  func()
}

// Connect reserves a slot and discovers the issuer's endpoints unless they are known. The
// caller must call Release. All exchanges of the Connection together may take issuerPatience.
// Its errors are *Refusal: Busy if there is no slot, Unavailable if discovery fails.
func (i *Issuer) Connect(ctx context.Context) (*Connection, error) {
	slot, err := i.slots.TryAcquire(1, i.tenant)
	if err != nil {
		return nil, &Refusal{Reason: Busy}
	}
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, i.http), issuerPatience)
	release := func() {
		cancel()
		slot.Release()
	}
	provider, err := i.discover(ctx)
	if err != nil {
		release()
		return nil, &Refusal{Reason: Unavailable, Cause: err}
	}
	return &Connection{Issuer: i, ctx: ctx, provider: provider, Release: release}, nil
}

// discover returns the issuer's endpoints. Only one caller at a time asks the issuer;
// the others wait for its result. After a failure the next caller tries again.
func (i *Issuer) discover(ctx context.Context) (provider *oidc.Provider, err error) {
	select {
	case provider = <-i.discovery:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { i.discovery <- provider }()
	if provider != nil {
		return provider, nil
	}
	p, err := oidc.NewProvider(ctx, i.URL)
	if err == nil {
		err = i.checkEndpoints(p)
	}
	if err != nil {
		return nil, err
	}
	provider = p
	return provider, nil
}

// checkEndpoints returns an error if an endpoint has no absolute URL, or if it is
// not HTTPS although the issuer is: the client secret must not be sent unencrypted.
func (i *Issuer) checkEndpoints(p *oidc.Provider) error {
	var keys struct {
		URL string `json:"jwks_uri"`
	}
	if err := p.Claims(&keys); err != nil {
		return fmt.Errorf("decode the issuer's configuration: %w", err)
	}
	endpoints := []string{p.Endpoint().AuthURL, p.Endpoint().TokenURL, keys.URL}
	if p.UserInfoEndpoint() != "" {
		endpoints = append(endpoints, p.UserInfoEndpoint())
	}
	for _, endpoint := range endpoints {
		u, err := url.Parse(endpoint)
		if err != nil || u.Host == "" || u.Scheme != "https" &&
			(u.Scheme != "http" || strings.HasPrefix(i.URL, "https:")) {
			return fmt.Errorf("the issuer's configuration has the endpoint %q: it must be an https URL", endpoint)
		}
	}
	return nil
}

// oauth2 returns the OAuth 2.0 configuration with the discovered endpoints.
func (c *Connection) oauth2() *oauth2.Config {
	config := c.config
	config.Endpoint = c.provider.Endpoint()
	config.Scopes = slices.Concat(config.Scopes, c.scopesOfRequirements())
	return &config
}

// scopesOfRequirements returns the scopes to ask for because claims are required: Okta and Dex send groups only with
// the scope of this name. Issuers refuse scopes that they do not know, so only those of the discovery document are
// asked for.
func (c *Connection) scopesOfRequirements() (scopes []string) {
	var metadata struct {
		Scopes []string `json:"scopes_supported"`
	}
	if c.provider.Claims(&metadata) != nil {
		return nil
	}
	for _, r := range c.settings.RequiredClaims {
		if slices.Contains(metadata.Scopes, r.Claim) && !slices.Contains(c.config.Scopes, r.Claim) {
			scopes = append(scopes, r.Claim)
		}
	}
	return scopes
}

// AuthRequest holds the random values of one sign-in: state binds it to the
// browser, the nonce binds the ID token to it, and the verifier (PKCE) binds the
// code to it. The browser keeps them, encrypted, until it returns from the issuer.
type AuthRequest struct {
	State, Nonce, Verifier string
	// After is the time after which the user must have signed in at the issuer; zero: any time.
	After time.Time `json:",omitzero"`
}

// RedirectURL returns the URL of the issuer to which the browser is sent.
func (c *Connection) RedirectURL(request AuthRequest) string {
	options := []oauth2.AuthCodeOption{oidc.Nonce(request.Nonce), oauth2.S256ChallengeOption(request.Verifier)}
	if !request.After.IsZero() {
		// max_age makes the issuer send auth_time, which Redeem checks; prompt alone binds only the browser.
		options = append(options, oauth2.SetAuthURLParam("prompt", "login"), oauth2.SetAuthURLParam("max_age", "0"))
	}
	return c.oauth2().AuthCodeURL(request.State, options...)
}

// Redeem exchanges the code for an ID token, verifies the token (signature, audience,
// expiry, nonce), and returns its claims. Its errors are *Refusal: Rejected if the
// code or the token is not valid, Unavailable if the issuer cannot be reached, Requirement if
// a required claim is not met. With the last one it returns the claims too.
func (c *Connection) Redeem(code string, request AuthRequest, now func() time.Time) (Claims, error) {
	token, err := c.oauth2().Exchange(c.ctx, code, oauth2.VerifierOption(request.Verifier))
	if failure := (*oauth2.RetrieveError)(nil); errors.As(err, &failure) && failure.ErrorCode != "" {
		return Claims{},
			&Refusal{Reason: Rejected, Cause: fmt.Errorf("the issuer refused the code: %s", failure.ErrorCode)}
	}
	if err != nil {
		return Claims{}, &Refusal{Reason: Unavailable, Cause: err}
	}
	raw, _ := token.Extra("id_token").(string)
	// The keys of the issuer are kept. An unknown key id makes the verifier fetch them again, with the client of
	// discover.
	idToken, err := c.provider.Verifier(&oidc.Config{ClientID: c.config.ClientID, Now: now}).Verify(c.ctx, raw)
	if err != nil {
		return Claims{}, &Refusal{Reason: Rejected, Cause: err}
	}
	if subtle.ConstantTimeCompare([]byte(idToken.Nonce), []byte(request.Nonce)) != 1 {
		return Claims{},
			&Refusal{Reason: Rejected, Cause: errors.New("the nonce of the ID token is not that of the sign-in")}
	}
	// A token for several clients names the one that asked for it (OpenID Connect Core 1.0, section 3.1.3.7). The
	// library checks the audience only.
	var party struct {
		Authorized *string `json:"azp"`
	}
	if err := idToken.Claims(&party); err != nil {
		return Claims{},
			&Refusal{Reason: Rejected, Cause: fmt.Errorf("the claim azp of the ID token is malformed: %w", err)}
	}
	if party.Authorized != nil && *party.Authorized != c.config.ClientID || party.Authorized == nil &&
		len(idToken.Audience) > 1 {
		return Claims{}, &Refusal{Reason: Rejected,
			Cause: errors.New("the ID token was issued to another client: azp is not the client id")}
	}
	claims, err := c.claimsOf(idToken)
	if err != nil {
		return claims, err
	}
	if err := checkAuthTime(idToken, request.After); err != nil {
		return Claims{}, err
	}
	claims.token = token
	return claims, nil
}

// checkAuthTime returns a Stale refusal unless the ID token says that the user signed in at the issuer after the time.
// It checks nothing if the time is zero: then the claim is optional, and issuers need not send it.
func checkAuthTime(token *oidc.IDToken, after time.Time) error {
	if after.IsZero() {
		return nil
	}
	var claims struct {
		AuthTime int64 `json:"auth_time"` // Unix seconds
	}
	if err := token.Claims(&claims); err != nil {
		return &Refusal{Reason: Stale, Cause: err}
	}
	if time.Unix(claims.AuthTime, 0).Before(after.Add(-clockSkew)) {
		return &Refusal{Reason: Stale}
	}
	return nil
}

// Admits reports whether the domain of the e-mail address is among the
// configured ones. Without configured domains it admits every address.
func (i *Issuer) Admits(address string) bool {
	return len(i.settings.Domains) == 0 || email.InDomains(address, i.settings.Domains)
}
