package session

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/issuer"
	"github.com/tollgate/tollgate/apps/console/internal/session"
	storepage "github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/signin"
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

func linkedOf(i *signin.Identity) LinkedIdentity {
	return LinkedIdentity{ID: i.ID, Issuer: i.Issuer, Email: i.Email, CreatedAt: i.CreatedAt, LastUsed: i.LastUsed}
}

func identities(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listIdentities", Method: http.MethodGet, Path: "/session/identities", Tag: "session", Summary: "List who one is to issuers of OpenID Connect",
		Description: "All are on the first page.",
	}, h.listIdentities)
	api.Register(h.API, api.Operation{
		ID: "deleteIdentity", Method: http.MethodDelete, Path: "/session/identities/{id}", Tag: "session", Person: true, Summary: "Unlink an identity",
		Description: "Signing in with the issuer links it again, while it has one's e-mail address.",
		Status:      http.StatusNoContent, Errors: []int{http.StatusNotFound},
	}, h.deleteIdentity)
}

func (h *handlers) listIdentities(ctx context.Context, _ *struct{}) (*api.Answer[api.List[LinkedIdentity]], error) {
	found, err := h.Store.Signin.Identities(ctx, api.ScopeOf(ctx))
	if err != nil {
		return nil, err
	}
	return api.PageOf(storepage.List[signin.Identity]{Items: found}, linkedOf), nil
}

func (h *handlers) deleteIdentity(ctx context.Context, in *api.ByID) (*struct{}, error) {
	return nil, h.Store.Signin.UnlinkIdentity(ctx, api.ScopeOf(ctx), in.ID)
}

// redirects are what browsers go through themselves: no client calls them, so
// that they are not operations.
func (h *handlers) redirects(mux *http.ServeMux) {
	mux.HandleFunc("GET "+oidcPath, h.beginOIDC)
	mux.HandleFunc("GET "+session.CallbackPath, h.finishOIDC)
}

// beginOIDC sends the browser to the issuer. The query's return is the page it
// wants to see at last.
func (h *handlers) beginOIDC(w http.ResponseWriter, r *http.Request) {
	departure, err := h.Sessions.BeginOIDC(r.Context(), web.ClientAddr(r, h.Trusted), r.URL.Query().Get("return"))
	if err != nil {
		h.goBack(w, r, err)
		return
	}
	http.SetCookie(w, &departure.Cookie)
	http.Redirect(w, r, departure.URL, http.StatusSeeOther)
}

func (h *handlers) finishOIDC(w http.ResponseWriter, r *http.Request) {
	forget := h.Sessions.NoOIDCCookie()
	http.SetCookie(w, &forget)
	open, page, err := h.Sessions.FinishOIDC(r, signin.Client{Address: web.ClientAddr(r, h.Trusted), Agent: r.UserAgent()})
	if err != nil {
		h.goBack(w, r, err)
		return
	}
	cookie := h.Sessions.Cookie(open)
	http.SetCookie(w, &cookie)
	http.Redirect(w, r, page, http.StatusSeeOther) //nolint:gosec // it was checked to be a local path, and came back sealed
}

// goBack sends the browser to the page to sign in, with the word of a Refusal.
func (h *handlers) goBack(w http.ResponseWriter, r *http.Request, err error) {
	refusal := &issuer.Refusal{Reason: issuer.Failed, Cause: err}
	errors.As(err, &refusal)
	h.Log.WarnContext(r.Context(), "sign-in by OpenID Connect refused", "reason", refusal.Reason, "error", refusal.Cause)
	http.Redirect(w, r, signInPage+"?error="+url.QueryEscape(string(refusal.Reason)), http.StatusSeeOther)
}
