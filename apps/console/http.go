package console

import (
	"net/http"
	"strings"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	pagefiles "github.com/tollgate/tollgate/apps/console/web"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/web"
)

// contentPolicy is of all answers but the pages, which have pagePolicy.
const contentPolicy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// secure wraps the routes with what every request needs: security headers,
// the refusal of requests that other origins make, answers to unknown paths,
// survival of panics, and what is told of them.
func secure(o *Options, mux *http.ServeMux, cookie string) (http.Handler, error) {
	refuse := func(kind problem.Kind) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { web.WriteError(w, r, o.Log, problem.Of(kind)) }
	}
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		web.WriteError(w, r, o.Log, problem.New(problem.Forbidden, "Requests from other origins are refused."))
	}))
	application, err := newPages(pagefiles.Assets(), refuse(problem.UnknownURL))
	if err != nil {
		return nil, err
	}
	routes := split(web.Routes(mux, refuse(problem.UnknownURL), refuse(problem.MethodNotAllowed)), readOnly(application, refuse(problem.MethodNotAllowed)))
	survives := web.Recover(o.Log, refuse(problem.Internal))
	observed, err := observe(o, mux, survives(guarded(cookie, origin.Handler(routes), routes)))
	if err != nil {
		return nil, err
	}
	return headers(&o.Config, observed), nil
}

// split sends what is below /api to the API, and the rest to the pages.
func split(api, pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isAPI(r.URL.Path) {
			api.ServeHTTP(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	})
}

func isAPI(path string) bool { return path == "/api" || strings.HasPrefix(path, "/api/") }

// readOnly refuses methods that pages do not have.
func readOnly(pages, refused http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			refused.ServeHTTP(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	})
}

// guarded leaves calls of programs to routes: a bearer without the cookie is
// nothing that a browser adds by itself.
func guarded(cookie string, origin, routes http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, bearer := api.BearerValue(r.Header.Get("Authorization"))
		if _, err := r.Cookie(cookie); bearer && err != nil {
			routes.ServeHTTP(w, r)
			return
		}
		origin.ServeHTTP(w, r)
	})
}

// headers sets the security headers. Where cookies are Secure, browsers reach
// the console over HTTPS alone and are told to keep to it.
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
