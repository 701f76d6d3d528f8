package issuer

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/claim"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/egress"
	"github.com/tollgate/tollgate/libs/fair"
)

const (
	poolSize    = 256           // clients of tenants' issuers that are kept
	poolRefresh = time.Hour     // after which a client discovers its issuer's endpoints again
	poolSlots   = 64            // concurrent Connections to all tenants' issuers together
	poolConnect = issuerTimeout // for a TCP connection, and again for its TLS handshake
)

// Pool keeps the clients of tenants' issuers, with their endpoints and keys. The URLs come from tenants, so the clients
// connect to public addresses and those of the policy only, whatever a URL, a redirect or a DNS server names. A slow
// issuer uses up the slots of its own tenant, not those of others. It is safe for concurrent use.
type Pool struct {
	url       string // of the console
	transport *egress.Transport
	slots     *fair.Queue[uuid.UUID] // for Connections, by tenant
	clients   *otter.Cache[uuid.UUID, pooled]
}

// pooled is the client of a tenant's issuer and the configuration that it was made for.
type pooled struct {
	*Issuer
	config Config
}

// NewPool returns a Pool for the console at the URL, or nil if that is "". Its clients may also connect to the
// addresses that the policy allows.
func NewPool(url string, policy address.Policy, metrics prometheus.Registerer) *Pool {
	if url == "" {
		return nil
	}
	policy.Strict = true
	return &Pool{
		url: url, transport: egress.New(egress.Options{Policy: policy, ConnectTimeout: poolConnect}),
		slots: fair.New(fair.Options[uuid.UUID]{Total: poolSlots, PerKey: issuerSlots, Metrics: metrics,
			Name: "issuers"}),
		clients: otter.Must(&otter.Options[uuid.UUID, pooled]{MaximumSize: poolSize,
			ExpiryCalculator: otter.ExpiryWriting[uuid.UUID, pooled](poolRefresh)}),
	}
}

// Entrance tells whose issuer a browser asks for: that of the tenant with the slug, or else that of the tenant with the
// approved domain.
type Entrance struct{ Slug, Domain string }

// tenantIssuerName is the name of every tenant's issuer for buttons.
const tenantIssuerName = "Single sign-on"

// CallbackURL returns the redirect URI that the tenant with the slug registers at its issuer, "" for a nil Pool.
func (p *Pool) CallbackURL(slug string) string { return p.at(CallbackPathOf(slug)) }

// SignInURL returns the link to the sign-in page for the issuer of the tenant with the slug, "" for a nil Pool.
func (p *Pool) SignInURL(slug string) string { return p.at("/sign-in?tenant=" + slug) }

func (p *Pool) at(path string) string {
	if p == nil {
		return ""
	}
	return p.url + path
}

// Get returns the client of the tenant's issuer with the opened client secret. It makes a new one if the configuration
// has changed, and at least hourly.
func (p *Pool) Get(t *tenant.Tenant, settings *tenant.Issuer, secret string) *Issuer {
	o := Config{
		Issuer: settings.URL, ClientID: settings.ClientID, ClientSecret: secret, Name: tenantIssuerName,
		CallbackURL: p.CallbackURL(t.Slug),
		TrustEmail:  settings.TrustEmail, RequiredClaims: settings.RequiredClaims, OfTenant: true,
	}
	if entry, ok := p.clients.GetIfPresent(t.ID); ok && entry.config.equal(&o) {
		return entry.Issuer
	}
	client := newIssuer(o, p.transport)
	client.slots, client.tenant = p.slots, t.ID // a client for another configuration has no slots of its own
	p.clients.Set(t.ID, pooled{client, o})
	return client
}

// Check reads the discovery document of an issuer that the tenant wants to use. It returns an InvalidType problem of
// the field issuer if that fails. The text does not tell what is at the address: the tenant might ask for addresses
// that only the console reaches.
func (p *Pool) Check(ctx context.Context, t *tenant.Tenant, url, clientID string) error {
	client, err := p.Get(t, &tenant.Issuer{URL: url, ClientID: clientID}, "").Connect(ctx)
	if err == nil {
		client.Release()
		return nil
	}
	var refusal *Refusal
	if errors.As(err, &refusal) && refusal.Reason == Busy {
		return problem.New(problem.Overloaded, "Too many requests to issuers are running. Try again in a few seconds.")
	}
	text := "The issuer's discovery document could not be read. It must be at .well-known/openid-configuration " +
		"below the issuer's URL, name this issuer, and have https endpoints."
	var forbidden *egress.ForbiddenError
	if errors.As(err, &forbidden) {
		text = "The issuer must have a public address. Operators permit others with TOLLGATE_EGRESS_ALLOW."
	}
	unusable := problem.New(problem.InvalidType, "%s", text).At("issuer")
	unusable.Cause = err
	return unusable
}

// equal reports whether two configurations are the same.
func (o *Config) equal(c *Config) bool {
	return o.Issuer == c.Issuer && o.ClientID == c.ClientID && o.ClientSecret == c.ClientSecret &&
		o.CallbackURL == c.CallbackURL && o.Name == c.Name && slices.Equal(o.Domains, c.Domains) &&
		o.TrustEmail == c.TrustEmail && o.OfTenant == c.OfTenant &&
		claim.Equal(o.RequiredClaims, c.RequiredClaims)
}
