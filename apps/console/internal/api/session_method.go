package api

import (
	"context"
	"net/http"
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

func signInMethods(a *API) {
	register(a, operation{
		id: "getSignInMethods", method: http.MethodGet, path: "/session/methods", tag: "session", public: true,
		summary:     "How one can sign in here",
		description: "What the sign-in page offers. Needs nobody to be signed in.",
	}, a.getSignInMethods)
}

func (a *API) getSignInMethods(context.Context, *struct{}) (*Answer[SignInMethods], error) {
	methods := SignInMethods{Password: true, Passkeys: a.Sessions.PasskeysOn()}
	if name := a.Sessions.OIDCName(); name != "" {
		methods.OIDC = &OIDCMethod{Name: name, Path: oidcPath}
	}
	return answer(methods), nil
}
