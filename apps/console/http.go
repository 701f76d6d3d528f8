package console

import (
	"net/http"
	"strings"

	"github.com/tollgate/tollgate/apps/console/internal/auditbuffer"
	pagefiles "github.com/tollgate/tollgate/apps/console/web"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/web"
)

// contentPolicy is the content security policy of all responses except the pages, which have pagePolicy.
const contentPolicy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors " +
	"'none'"

// secure returns the handler of the console: the API in mux and the pages, wrapped with
// security headers, the refusal of cross-origin requests, errors for unknown paths and
// methods, recovery from panics, and observation. cookie is the name of the session cookie.
func secure(o *Options, mux *http.ServeMux, events *auditbuffer.Buffer, cookie string) (http.Handler, error) {
	refuse := func(kind problem.Kind) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { web.WriteError(w, r, o.Log, problem.Of(kind)) }
	}
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		web.WriteError(w, r, o.Log, problem.New(problem.Forbidden, "Requests from pages of other origins are refused."))
	}))
	application, err := newPages(pagefiles.Assets(), o.RelayURL, cookie, refuse(problem.UnknownURL))
	if err != nil {
		return nil, err
	}
	routes := split(web.Routes(mux, refuse(problem.UnknownURL), refuse(problem.MethodNotAllowed)),
		readOnly(application, refuse(problem.MethodNotAllowed)))
	recovery := web.Recover(o.Log, refuse(problem.Internal))
	handler, err := observe(o, mux, events, recovery(guarded(cookie, origin.Handler(routes), routes)))
	if err != nil {
		return nil, err
	}
	return headers(&o.Config, handler), nil
}

// split sends requests below /api to the API, and all others to the pages.
func split(api, pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isAPI(r.URL.Path) {
			api.ServeHTTP(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	})
}

// isAPI reports whether the path belongs to the API.
func isAPI(path string) bool { return path == "/api" || strings.HasPrefix(path, "/api/") }

// readOnly refuses methods other than GET and HEAD.
func readOnly(pages, refusal http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			refusal.ServeHTTP(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	})
}

// guarded sends requests with a bearer token and without the session cookie to routes, past the
// cross-origin check. That is safe: browsers never add a bearer token by themselves, so a page
// of another origin cannot use a user's rights in this way. All other requests go to origin.
func guarded(cookie string, origin, routes http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, bearer := web.BearerValue(r.Header.Get("Authorization"))
		if _, err := r.Cookie(cookie); bearer && err != nil {
			routes.ServeHTTP(w, r)
			return
		}
		origin.ServeHTTP(w, r)
	})
}

// headers sets the security headers. If the session cookie is for HTTPS only, a header makes browsers
// use HTTPS only (HSTS). Responses of the API are not cached, because they contain data of users.
func headers(c *config.Config, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if c.ConsoleSecureCookies {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		h.Set("Cache-Control", "no-cache")
		if isAPI(r.URL.Path) {
			h.Set("Cache-Control", "no-store")
		}
		next.ServeHTTP(w, r)
	})
}
