package console

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/boot"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/web"
)

const contentPolicy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// secure wraps the routes with what every request needs: security headers,
// the refusal of requests that other origins make, answers to unknown paths,
// survival of panics, and metrics.
func secure(o *Options, mux *http.ServeMux) (http.Handler, error) {
	refuse := func(kind problem.Kind) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { web.WriteError(w, r, o.Log, problem.Of(kind)) }
	}
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		web.WriteError(w, r, o.Log, problem.New(problem.Forbidden, "Requests from other origins are refused."))
	}))
	routes := web.Routes(mux, refuse(problem.UnknownURL), refuse(problem.MethodNotAllowed))
	measured, err := measure(o.Registry, mux, origin.Handler(routes))
	if err != nil {
		return nil, err
	}
	return headers(&o.Config, web.Recover(o.Log, refuse(problem.Internal))(measured)), nil
}

// headers sets the security headers. Where cookies are Secure, browsers reach
// the console over HTTPS alone and are told to keep to it.
func headers(c *boot.Config, next http.Handler) http.Handler {
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
		if strings.HasPrefix(r.URL.Path, "/api") {
			h.Set("Cache-Control", "no-store")
		}
		next.ServeHTTP(w, r)
	})
}

// measure counts requests and their time by route and status. Unknown paths
// share one route, so that a client cannot make series.
func measure(registry *prometheus.Registry, mux *http.ServeMux, next http.Handler) (http.Handler, error) {
	elapsed := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "tollgate_console_request_seconds", Help: "Time to answer requests of the console, by route and status.",
	}, []string{"route", "status"})
	if err := registry.Register(elapsed); err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, seen := time.Now(), &statusWriter{ResponseWriter: w, status: http.StatusOK}
		_, route := mux.Handler(r)
		next.ServeHTTP(seen, r)
		elapsed.WithLabelValues(route, strconv.Itoa(seen.status)).Observe(time.Since(start).Seconds())
	}), nil
}

// statusWriter remembers the status. http.ResponseController reaches the
// writer beneath by Unwrap.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader remembers the status.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap returns the writer beneath.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
