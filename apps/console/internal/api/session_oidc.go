package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/session"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/web"
)

// oidcPath is where a browser begins to sign in by OpenID Connect.
const oidcPath = "/api/session/oidc"

// signInPage is the page that a sign-in without success goes back to.
const signInPage = "/sign-in"

// LinkedIdentity is who the user is to an issuer of OpenID Connect.
type LinkedIdentity struct {
	ID        uuid.UUID `json:"id"`
	Issuer    string    `json:"issuer"`
	Email     string    `json:"email" doc:"As the issuer gave it when it was linked"`
	CreatedAt time.Time `json:"created_at"`
	LastUsed  time.Time `json:"last_used"`
}

func linkedOf(i *store.Identity) LinkedIdentity {
	return LinkedIdentity{ID: i.ID, Issuer: i.Issuer, Email: i.Email, CreatedAt: i.CreatedAt, LastUsed: i.LastUsed}
}

func identities(a *API) {
	register(a, operation{
		id: "listIdentities", method: http.MethodGet, path: "/session/identities", tag: "session", summary: "List who one is to issuers of OpenID Connect",
		description: "All are on the first page.",
	}, a.listIdentities)
	register(a, operation{
		id: "deleteIdentity", method: http.MethodDelete, path: "/session/identities/{id}", tag: "session", person: true, summary: "Unlink an identity",
		description: "Signing in with the issuer links it again, while it has one's e-mail address.",
		status:      http.StatusNoContent, errors: []int{http.StatusNotFound},
	}, a.deleteIdentity)
}

func (a *API) listIdentities(ctx context.Context, _ *struct{}) (*Answer[List[LinkedIdentity]], error) {
	found, err := a.Store.Identities(ctx, scopeOf(ctx))
	if err != nil {
		return nil, err
	}
	return pageOf(store.List[store.Identity]{Items: found}, linkedOf), nil
}

func (a *API) deleteIdentity(ctx context.Context, in *ByID) (*struct{}, error) {
	return nil, a.Store.UnlinkIdentity(ctx, scopeOf(ctx), in.ID)
}

// redirects are what browsers go through themselves: no client calls them, so
// that they are not operations.
func (a *API) redirects(mux *http.ServeMux) {
	mux.HandleFunc("GET "+oidcPath, a.beginOIDC)
	mux.HandleFunc("GET "+session.CallbackPath, a.finishOIDC)
}

// beginOIDC sends the browser to the issuer. The query's return is the page it
// wants to see at last.
func (a *API) beginOIDC(w http.ResponseWriter, r *http.Request) {
	departure, err := a.Sessions.BeginOIDC(r.Context(), web.ClientAddr(r, a.Trusted), r.URL.Query().Get("return"))
	if err != nil {
		a.goBack(w, r, err)
		return
	}
	http.SetCookie(w, &departure.Cookie)
	http.Redirect(w, r, departure.URL, http.StatusSeeOther)
}

func (a *API) finishOIDC(w http.ResponseWriter, r *http.Request) {
	forget := a.Sessions.NoOIDCCookie()
	http.SetCookie(w, &forget)
	open, page, err := a.Sessions.FinishOIDC(r, store.Client{Address: web.ClientAddr(r, a.Trusted), Agent: r.UserAgent()})
	if err != nil {
		a.goBack(w, r, err)
		return
	}
	cookie := a.Sessions.Cookie(open)
	http.SetCookie(w, &cookie)
	http.Redirect(w, r, page, http.StatusSeeOther) //nolint:gosec // it was checked to be a local path, and came back sealed
}

// goBack sends the browser to the page to sign in, with the word of a Refusal.
func (a *API) goBack(w http.ResponseWriter, r *http.Request, err error) {
	refusal := &session.Refusal{Reason: session.Failed, Cause: err}
	errors.As(err, &refusal)
	a.Log.WarnContext(r.Context(), "sign-in by OpenID Connect refused", "reason", refusal.Reason, "error", refusal.Cause)
	http.Redirect(w, r, signInPage+"?error="+url.QueryEscape(string(refusal.Reason)), http.StatusSeeOther)
}
