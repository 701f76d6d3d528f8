package resource

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/apps/console/internal/issuer"
	"github.com/tollgate/tollgate/libs/core/claim"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
)

// TenantIssuer describes the OpenID Connect issuer of a tenant. It never contains the client secret. A tenant without
// an issuer has one without a URL, which tells what to register at an issuer.
type TenantIssuer struct {
	Issuer         string          `json:"issuer" doc:"URL of the issuer, as in its discovery document; empty if the tenant has none"`
	ClientID       string          `json:"client_id"`
	Domains        []IssuerDomain  `json:"domains" doc:"Domains of the e-mail addresses that may sign in through the issuer"`
	TrustEmail     bool            `json:"trust_email" doc:"Whether the address counts as verified if the issuer does not say whether it is"`
	RequiredClaims []RequiredClaim `json:"required_claims" doc:"Claims that the ID token must have at each sign-in"`
	Enforced       bool            `json:"enforced" doc:"Whether users of the tenant other than owners must sign in through the issuer"`
	CreateMembers  bool            `json:"create_members" doc:"Whether the first sign-in of a person without an account or invitation makes an account"`
	DefaultRole    string          `json:"default_role" enum:"member,admin" doc:"Role of accounts that sign-ins make"`
	DefaultGroupID *uuid.UUID      `json:"default_group_id" doc:"Group of accounts that sign-ins make; null if the tenant has no issuer"`
	RedirectURI    string          `json:"redirect_uri" doc:"The redirect URI to register at the issuer"`
	SignInURL      string          `json:"sign_in_url" doc:"Link to the sign-in page that offers the issuer"`
	UpdatedAt      *time.Time      `json:"updated_at,omitempty" doc:"Absent if the tenant has no issuer"`
}

// IssuerDomain is a domain of the addresses that an issuer signs in.
type IssuerDomain struct {
	Domain   string `json:"domain"`
	Approved bool   `json:"approved" doc:"Whether an operator approved that the sign-in page sends people with addresses of the domain to the issuer. People sign in with the sign-in URL until then"`
}

// RequiredClaim is a claim that the ID tokens of an issuer must have.
type RequiredClaim struct {
	Claim  string   `json:"claim" minLength:"1" maxLength:"100" doc:"Name of the claim, such as hd, tid, groups or roles"`
	Values []string `json:"values" minItems:"1" maxItems:"50" doc:"The claim must have one of these values, or contain one if it is an array. They are compared exactly"`
}

// Requirements returns the requirements that the API's form states.
func Requirements(claims []RequiredClaim) []claim.Requirement {
	requirements := make([]claim.Requirement, len(claims))
	for i, r := range claims {
		requirements[i] = claim.Requirement(r)
	}
	return requirements
}

// Issuers shows the issuers of tenants.
type Issuers struct {
	Store *store.Store
	Pool  *issuer.Pool // nil: tenants can have no issuers
}

// Show returns the response with the issuer of the tenant, as far as the caller may see it.
func (i Issuers) Show(ctx context.Context, tenantID uuid.UUID) (*api.Answer[TenantIssuer], error) {
	t, err := i.Store.Identity.Tenant(ctx, api.ScopeOf(ctx), tenantID)
	if err != nil {
		return nil, err
	}
	issuer, err := i.Store.Identity.Issuer(ctx, api.ScopeOf(ctx), tenantID)
	if err != nil && !problem.Is(err, problem.NotFound) {
		return nil, err
	}
	return api.NewAnswer(i.issuerOf(&t, &issuer)), nil
}

func (i Issuers) issuerOf(t *tenant.Tenant, issuer *tenant.Issuer) TenantIssuer {
	body := TenantIssuer{
		Issuer: issuer.URL, ClientID: issuer.ClientID, Domains: make([]IssuerDomain, len(issuer.Domains)),
		TrustEmail: issuer.TrustEmail, RequiredClaims: make([]RequiredClaim, len(issuer.RequiredClaims)),
		Enforced:      t.RequireIssuer,
		CreateMembers: issuer.CreateMembers, DefaultRole: string(cmp.Or(issuer.DefaultRole, tenant.Member)),
		DefaultGroupID: null.ID(issuer.DefaultGroupID),
		RedirectURI:    i.Pool.CallbackURL(t.Slug), SignInURL: i.Pool.SignInURL(t.Slug),
	}
	if !issuer.UpdatedAt.IsZero() {
		body.UpdatedAt = &issuer.UpdatedAt
	}
	for n, r := range issuer.RequiredClaims {
		body.RequiredClaims[n] = RequiredClaim(r)
	}
	for n, domain := range issuer.Domains {
		body.Domains[n] = IssuerDomain{Domain: domain.Name, Approved: !domain.ApprovedAt.IsZero()}
	}
	return body
}
