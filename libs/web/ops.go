package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// readyTimeout bounds one readiness check.
const readyTimeout = 2 * time.Second

// OpsOptions describes the operations endpoints.
type OpsOptions struct {
	Registry *prometheus.Registry
	// Ready returns why the process should get no traffic, nil where it should.
	// nil: always ready.
	Ready func(context.Context) error
	Log   *slog.Logger
}

// Ops returns the handler of /healthz (the process lives), /readyz (it may
// have traffic), /metrics and /debug/pprof/. It has no authentication: its
// address must not be public.
func Ops(o OpsOptions) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", o.ready)
	mux.Handle("GET /metrics", promhttp.HandlerFor(o.Registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

func (o *OpsOptions) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	if o.Ready == nil {
		plain(w, http.StatusOK, "ready")
		return
	}
	if err := o.Ready(ctx); err != nil {
		o.Log.WarnContext(ctx, "not ready", "error", err)
		plain(w, http.StatusServiceUnavailable, "not ready")
		return
	}
	plain(w, http.StatusOK, "ready")
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n")) // the prober is gone where this fails
}

// NewOps returns the server of the operations endpoints.
func NewOps(addr string, o OpsOptions) *Server {
	return NewServer(ServerOptions{Name: "ops", Addr: addr, Handler: Ops(o), Log: o.Log})
}
