package tenant

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/identity"
)

// IssuerSettings is the body of setTenantIssuer.
type IssuerSettings struct {
	Issuer         string                   `json:"issuer" minLength:"1" maxLength:"500" doc:"URL of the issuer, as in its discovery document: https"`
	ClientID       string                   `json:"client_id" minLength:"1" maxLength:"300"`
	ClientSecret   string                   `json:"client_secret,omitempty" maxLength:"1000" doc:"Absent: the stored one, which is sent to the same issuer and client only"`
	Domains        []string                 `json:"domains" minItems:"1" maxItems:"20" doc:"Domains of the e-mail addresses that may sign in through the issuer"`
	TrustEmail     bool                     `json:"trust_email,omitempty" doc:"Whether the address counts as verified if the issuer does not say whether it is. An address that the issuer reports as not verified is refused in any case"`
	RequiredClaims []resource.RequiredClaim `json:"required_claims,omitempty" maxItems:"10" doc:"Claims that the ID token must have at each sign-in. When they change, the sessions that the issuer opened end, except those of the caller"`
	Enforced       bool                     `json:"enforced,omitempty" doc:"Whether users of the tenant other than owners must sign in through the issuer. Their other sessions end"`
	CreateMembers  bool                     `json:"create_members,omitempty" doc:"Whether the first sign-in of a person without an account or invitation makes an account"`
	DefaultRole    string                   `json:"default_role,omitempty" enum:"member,admin" default:"member" doc:"Role of accounts that sign-ins make. Their group is that of the owner who set the issuer, unless an operator chose another"`
}

func registerIssuers(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "getTenantIssuer", Method: http.MethodGet, Path: "/tenant/issuer", Tag: "members",
		Summary:     "Get the tenant's OpenID Connect issuer",
		Description: "For owners and admins.",
	}, h.getIssuer)
	api.Register(h.API, api.Operation{
		ID: "setTenantIssuer", Method: http.MethodPut, Path: "/tenant/issuer", Tag: "members",
		Summary: "Set the tenant's OpenID Connect issuer",
		Description: "For owners. Replaces all settings. A new issuer or client needs the client secret, and its " +
			"discovery document is read first. Sessions that the previous issuer or client opened end, and after a " +
			"change of the required claims those of this one, except those of the caller.",
		Confirm: api.Always, Needs: permission.WriteTenant,
		Errors: []int{http.StatusConflict, http.StatusTooManyRequests},
	}, h.setIssuer)
	api.Register(h.API, api.Operation{
		ID: "deleteTenantIssuer", Method: http.MethodDelete, Path: "/tenant/issuer", Tag: "members",
		Summary: "Delete the tenant's OpenID Connect issuer",
		Description: "For owners. Nobody needs the issuer from then on, and the sessions that it opened end, except " +
			"those of the caller. Accounts that it made need an invitation or another issuer to sign in again.",
		Status: http.StatusNoContent, Confirm: api.Always, Errors: []int{http.StatusNotFound},
	}, h.deleteIssuer)
}

func (h *handlers) getIssuer(ctx context.Context, _ *struct{}) (*api.Answer[resource.TenantIssuer], error) {
	id, err := api.TenantOf(ctx)
	if err != nil {
		return nil, err
	}
	return h.Issuers.Show(ctx, id)
}

func (h *handlers) setIssuer(ctx context.Context,
	in *struct{ Body IssuerSettings }) (*api.Answer[resource.TenantIssuer], error) {
	id, err := api.TenantOf(ctx)
	if err != nil {
		return nil, err
	}
	if err := h.checkIssuer(ctx, id, &in.Body); err != nil {
		return nil, err
	}
	settings := identity.IssuerSettings{
		URL: in.Body.Issuer, ClientID: in.Body.ClientID, Domains: in.Body.Domains, Enforced: in.Body.Enforced,
		TrustEmail: in.Body.TrustEmail, RequiredClaims: resource.Requirements(in.Body.RequiredClaims),
		CreateMembers: in.Body.CreateMembers, DefaultRole: tenant.Role(in.Body.DefaultRole),
	}
	if in.Body.ClientSecret != "" {
		if settings.SealedSecret, err = h.Sealer.Seal(in.Body.ClientSecret, tenant.IssuerPurpose(id)); err != nil {
			return nil, err
		}
	}
	if _, err := h.Store.Identity.SetIssuer(ctx, api.CallerOf(ctx).Confirmed, settings); err != nil {
		return nil, err
	}
	return h.Issuers.Show(ctx, id)
}

// checkIssuer returns a problem unless the tenant can use the issuer. It calls a new issuer only, so that other
// settings can be changed while the issuer is down.
func (h *handlers) checkIssuer(ctx context.Context, id uuid.UUID, settings *IssuerSettings) error {
	if h.Issuers.Pool == nil {
		return problem.New(problem.Conflict, "This console does not know its own URL, which issuers need. Ask the "+
			"operator to set TOLLGATE_CONSOLE_URL.")
	}
	if !config.IsIssuer(settings.Issuer) {
		return problem.New(problem.InvalidType, "issuer must be an https:// URL without query").At("issuer")
	}
	if config.IsSharedIssuer(settings.Issuer) {
		return problem.New(problem.InvalidType, "issuer must name one Entra ID tenant, "+
			"https://login.microsoftonline.com/TENANT_ID/v2.0: common, organizations and consumers stand for many "+
			"tenants.").At("issuer")
	}
	if settings.TrustEmail && config.IsPublicIssuer(settings.Issuer) {
		return problem.New(problem.InvalidType,
			"trust_email must not be true for an issuer at which anybody can have an account.").At("trust_email")
	}
	current, err := h.Store.Identity.Issuer(ctx, api.ScopeOf(ctx), id)
	if err != nil && !problem.Is(err, problem.NotFound) {
		return err
	}
	isSame := err == nil && current.URL == settings.Issuer
	if isSame && current.ClientID == settings.ClientID {
		return nil
	}
	if err := h.Throttle.Take(throttle.IssuersByTenant, id.String(), h.Now()); err != nil || isSame {
		return err
	}
	t, err := h.Store.Identity.Tenant(ctx, api.ScopeOf(ctx), id)
	if err != nil {
		return err
	}
	return h.Issuers.Pool.Check(ctx, &t, settings.Issuer, settings.ClientID)
}

func (h *handlers) deleteIssuer(ctx context.Context, _ *struct{}) (*struct{}, error) {
	if _, err := api.TenantOf(ctx); err != nil {
		return nil, err
	}
	return nil, h.Store.Identity.DeleteIssuer(ctx, api.CallerOf(ctx).Confirmed)
}
