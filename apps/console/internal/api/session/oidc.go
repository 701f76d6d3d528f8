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
	"github.com/tollgate/tollgate/libs/core/problem"
	storepage "github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/web"
)

// oidcPath is the path at which a browser starts to sign in by OpenID Connect.
const oidcPath = issuer.Path

// oidcConfirmPath is the path at which the browser of a signed-in user starts to confirm by OpenID Connect.
const oidcConfirmPath = oidcPath + "/confirmation"

// signInPage is the page that a browser is sent to after a failed sign-in.
const signInPage = "/sign-in"

// LinkedIdentity links the user to an account at an OpenID Connect issuer.
type LinkedIdentity struct {
	ID        uuid.UUID `json:"id"`
	Issuer    string    `json:"issuer" doc:"URL of the issuer"`
	Email     string    `json:"email" doc:"The e-mail address that the issuer reported when the account was linked"`
	CreatedAt time.Time `json:"created_at"`
	LastUsed  time.Time `json:"last_used"`
}

func linkedOf(i *signin.Identity) LinkedIdentity {
	return LinkedIdentity{ID: i.ID, Issuer: i.Issuer, Email: i.Email, CreatedAt: i.CreatedAt, LastUsed: i.LastUsed}
}

func registerIdentities(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listIdentities", Method: http.MethodGet, Path: "/session/identities", Tag: "session",
		Summary:     "List the caller's linked OpenID Connect accounts",
		Description: "The first page contains all of them.",
	}, h.listIdentities)
	api.Register(h.API, api.Operation{
		ID: "deleteIdentity", Method: http.MethodDelete, Path: "/session/identities/{id}", Tag: "session",
		Summary:     "Unlink an OpenID Connect account",
		Description: "The next sign-in with the account links it again if its e-mail address is that of the caller.",
		Status:      http.StatusNoContent, Confirm: api.Always, Errors: []int{http.StatusNotFound},
	}, h.deleteIdentity)
}

func (h *handlers) listIdentities(ctx context.Context, _ *struct{}) (*api.Answer[api.List[LinkedIdentity]], error) {
	identities, err := h.Store.Signin.Identities(ctx, api.ScopeOf(ctx))
	if err != nil {
		return nil, err
	}
	return api.PageOf(storepage.List[signin.Identity]{Items: identities}, linkedOf), nil
}

func (h *handlers) deleteIdentity(ctx context.Context, in *api.ByID) (*struct{}, error) {
	return nil, h.Store.Signin.UnlinkIdentity(ctx, api.CallerOf(ctx).Confirmed, in.ID)
}

// redirects adds the paths through which a browser signs in and confirms by OpenID
// Connect. API clients cannot use them, so they are not operations of the API.
func (h *handlers) redirects(mux *http.ServeMux) {
	mux.HandleFunc("GET "+oidcPath, h.beginOIDC)
	mux.HandleFunc("GET "+oidcConfirmPath, h.confirmByOIDC)
	mux.HandleFunc("GET "+issuer.CallbackPath, h.finishOIDC)
	mux.HandleFunc("GET "+issuer.CallbackPathOf("{slug}"), h.finishOIDC)
}

// beginOIDC redirects the browser to the issuer: the platform's, or with the query parameter tenant or domain that of
// the tenant with the slug or the approved domain. The query parameter return is the local page to show after the
// sign-in.
func (h *handlers) beginOIDC(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	from, back := web.ClientAddr(r, h.Trusted), query.Get("return")
	var departure session.Departure
	var err error
	if at := (issuer.Entrance{Slug: query.Get("tenant"), Domain: query.Get("domain")}); at == (issuer.Entrance{}) {
		departure, err = h.Sessions.BeginOIDC(r.Context(), from, back)
	} else if isForeign(r) {
		// A page of another site must not sign its visitors in to an account of a tenant that it controls: ask the
		// person.
		http.Redirect(w, r, signInPage+"?"+url.Values{"tenant": {at.Slug}}.Encode(), http.StatusSeeOther)
		return
	} else {
		departure, err = h.Sessions.BeginAt(r.Context(), from, at, back)
	}
	if err != nil {
		h.goBack(w, r, err)
		return
	}
	http.SetCookie(w, &departure.Cookie)
	http.Redirect(w, r, departure.URL, http.StatusSeeOther)
}

// isForeign reports whether a page of another origin sent the browser here.
func isForeign(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "cross-site" || site == "same-site"
}

// confirmByOIDC redirects the browser of a signed-in user to the issuer, to sign in there
// again. The query parameter return is the local page to show afterwards.
func (h *handlers) confirmByOIDC(w http.ResponseWriter, r *http.Request) {
	departure, err := h.Sessions.BeginOIDCConfirmation(r, web.ClientAddr(r, h.Trusted), r.URL.Query().Get("return"))
	if err != nil {
		h.goBack(w, r, err)
		return
	}
	http.SetCookie(w, &departure.Cookie)
	http.Redirect(w, r, departure.URL, http.StatusSeeOther)
}

// finishOIDC handles the browser's return from the issuer: it opens or confirms a session
// and redirects the browser to the page that it asked for. The cookie of the
// flow is deleted in any case, because a flow can be finished only once.
func (h *handlers) finishOIDC(w http.ResponseWriter, r *http.Request) {
	removal := h.Sessions.NoOIDCCookie()
	http.SetCookie(w, &removal)
	client := signin.Client{Address: web.ClientAddr(r, h.Trusted), Agent: r.UserAgent()}
	arrival, err := h.Sessions.FinishOIDC(r, r.PathValue("slug"), client)
	if err != nil {
		h.goBackTo(w, r, arrival.Return, err)
		return
	}
	if open := arrival.Open; open != nil {
		h.notifySignIn(r.Context(), open, h.DeviceOf(r), client)
		cookie := h.Sessions.Cookie(*open)
		http.SetCookie(w, &cookie)
		if device, ok := h.Sessions.DeviceCookie(h.DeviceOf(r), &open.User); ok {
			http.SetCookie(w, &device)
		}
	}
	// A local path: BeginOIDC checked it, and the browser kept it encrypted.
	http.Redirect(w, r, arrival.Return, http.StatusSeeOther)
}

// goBack redirects the browser to the sign-in page with the reason of the refusal.
func (h *handlers) goBack(w http.ResponseWriter, r *http.Request, err error) {
	h.goBackTo(w, r, signInPage, err)
}

// goBackTo redirects the browser to a local page with the reason of the refusal and the name of the claim that it is
// about. The cause goes to the log only, the advice to the audit log too.
func (h *handlers) goBackTo(w http.ResponseWriter, r *http.Request, page string, err error) {
	// The Refusal replaces this default if err is one.
	refusal := &issuer.Refusal{Reason: issuer.Failed, Cause: err}
	errors.As(err, &refusal)
	h.Log.WarnContext(r.Context(), "sign-in by OpenID Connect refused", "reason", refusal.Reason, "claim",
		refusal.Claim, "advice", refusal.Advice, "error", refusal.Cause)
	if refusal.OfPerson() {
		record := web.RecordOf(r.Context())
		record.SignIn, record.Failed, record.Kind, record.Refusal = true, true, problem.Unauthenticated,
			refusal.Summary()
	}
	target := url.URL{Path: signInPage}
	if u, err := url.Parse(page); err == nil && page != "" {
		target = *u
	}
	query := target.Query()
	query.Set("error", string(refusal.Reason))
	if refusal.Claim != "" {
		query.Set("claim", refusal.Claim)
	}
	target.RawQuery = query.Encode()
	http.Redirect(w, r, target.String(), http.StatusSeeOther)
}
