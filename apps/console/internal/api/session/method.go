package session

import (
	"context"
	"net/http"

	"github.com/tollgate/tollgate/apps/console/internal/api"
)

// SignInMethods lists the ways to sign in that this installation offers.
type SignInMethods struct {
	Password bool        `json:"password"`
	Passkeys bool        `json:"passkeys"`
	OIDC     *OIDCMethod `json:"oidc,omitempty" doc:"Sign-in by OpenID Connect; absent if no issuer is configured"`

	TenantIssuers bool `json:"tenant_issuers" doc:"Whether a tenant has an issuer of its own. Send the browser to /api/session/oidc?domain=DOMAIN with the domain of the e-mail address, or ?tenant=SLUG"`
}

// OIDCMethod describes sign-in by OpenID Connect.
type OIDCMethod struct {
	Name string `json:"name" doc:"Name of the issuer, for the button"`
	Path string `json:"path" doc:"Path to send the browser to. With ?return=PATH the browser comes back to that page. If the sign-in fails, it comes back to /sign-in?error=REASON"`
}

func registerSignInMethods(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "getSignInMethods", Method: http.MethodGet, Path: "/session/methods", Tag: "session", Public: true,
		Summary:     "List the ways to sign in",
		Description: "For sign-in pages. Needs no session.",
	}, h.getSignInMethods)
}

// getSignInMethods reports which ways to sign in are configured. Passwords always work.
func (h *handlers) getSignInMethods(ctx context.Context, _ *struct{}) (*api.Answer[SignInMethods], error) {
	methods := SignInMethods{Password: true, Passkeys: h.Sessions.PasskeysOn()}
	if h.TenantIssuers {
		var err error
		if methods.TenantIssuers, err = h.Store.Identity.HasIssuers(ctx, system()); err != nil {
			return nil, err
		}
	}
	if name := h.Sessions.OIDCName(); name != "" {
		methods.OIDC = &OIDCMethod{Name: name, Path: oidcPath}
	}
	return api.NewAnswer(methods), nil
}
