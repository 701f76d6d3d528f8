package session

import (
	"context"
	"net/http"

	"github.com/tollgate/tollgate/apps/console/internal/api"
)

// SignInMethods are the ways to sign in that the installation offers.
type SignInMethods struct {
	Password bool        `json:"password"`
	Passkeys bool        `json:"passkeys"`
	OIDC     *OIDCMethod `json:"oidc,omitempty" doc:"Absent where there is no issuer"`
}

// OIDCMethod is signing in by OpenID Connect.
type OIDCMethod struct {
	Name string `json:"name" doc:"For the button"`
	Path string `json:"path" doc:"Where the browser goes; with ?return=PATH it comes back to that page. Without success it comes to /sign-in?error=WORD"`
}

func signInMethods(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "getSignInMethods", Method: http.MethodGet, Path: "/session/methods", Tag: "session", Public: true,
		Summary:     "How one can sign in here",
		Description: "What the sign-in page offers. Needs nobody to be signed in.",
	}, h.getSignInMethods)
}

func (h *handlers) getSignInMethods(context.Context, *struct{}) (*api.Answer[SignInMethods], error) {
	methods := SignInMethods{Password: true, Passkeys: h.Sessions.PasskeysOn()}
	if name := h.Sessions.OIDCName(); name != "" {
		methods.OIDC = &OIDCMethod{Name: name, Path: oidcPath}
	}
	return api.NewAnswer(methods), nil
}
