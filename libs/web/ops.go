package web

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// readyTimeout bounds all checks of one question.
const readyTimeout = 2 * time.Second

// Check is one thing that a process cannot serve without.
type Check struct {
	Name string // stable word
	Says string // what is wrong where Ready fails, for everybody to read
	// Ready returns nil where nothing is wrong. Its error is for the log alone.
	Ready func(context.Context) error
}

// OpsOptions describes the operations endpoints.
type OpsOptions struct {
	Registry *prometheus.Registry
	// Checks are what must be well for the process to get traffic. None: always ready.
	Checks []Check
	Log    *slog.Logger
}

// readiness is what /readyz answers, and the metric of it.
type readiness struct {
	OpsOptions
	was atomic.Pointer[string] // the checks that failed the last time
}

// Ops returns the handler of /healthz (the process lives), /readyz (it may
// have traffic, or why not), /metrics and /debug/pprof/. It has no
// authentication: its address must not be public.
func Ops(o OpsOptions) http.Handler {
	ready := &readiness{OpsOptions: o}
	o.Registry.MustRegister(ready)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok") })
	mux.Handle("GET /readyz", ready)
	mux.Handle("GET /metrics", promhttp.HandlerFor(o.Registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

// Readiness is the answer of /readyz.
type Readiness struct {
	Ready  bool           `json:"ready"`
	Checks []CheckOutcome `json:"checks"`
}

// CheckOutcome is how one check went.
type CheckOutcome struct {
	Check  string `json:"check"`
	Ready  bool   `json:"ready"`
	Reason string `json:"reason,omitempty"` // why not
}

// ServeHTTP answers 200 where every check is well, 503 where one is not.
func (r *readiness) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	found := r.ask(request.Context())
	status := http.StatusOK
	if !found.Ready {
		status = http.StatusServiceUnavailable
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(found) // the prober is gone where this fails
}

// ask makes all checks and tells the log what changed.
func (r *readiness) ask(ctx context.Context) Readiness {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	found := Readiness{Ready: true, Checks: make([]CheckOutcome, len(r.Checks))}
	var failed []string
	var errs []error
	for i, check := range r.Checks {
		found.Checks[i] = CheckOutcome{Check: check.Name, Ready: true}
		if err := check.Ready(ctx); err != nil {
			found.Ready, found.Checks[i] = false, CheckOutcome{Check: check.Name, Reason: check.Says}
			failed, errs = append(failed, check.Name), append(errs, err)
		}
	}
	now := strings.Join(failed, ", ")
	switch was := r.was.Swap(&now); {
	case was != nil && *was == now, was == nil && now == "":
	case now == "":
		r.Log.InfoContext(ctx, "ready again")
	default:
		r.Log.WarnContext(ctx, "not ready", "checks", now, "error", errors.Join(errs...))
	}
	return found
}

var readyDesc = prometheus.NewDesc("tollgate_ready", "1 where the check of readiness is well, 0 where it is not.", []string{"check"}, nil)

// Describe names the metric.
func (r *readiness) Describe(descs chan<- *prometheus.Desc) { descs <- readyDesc }

// Collect makes the checks.
func (r *readiness) Collect(metrics chan<- prometheus.Metric) {
	for _, outcome := range r.ask(context.Background()).Checks {
		value := 0.0
		if outcome.Ready {
			value = 1
		}
		metrics <- prometheus.MustNewConstMetric(readyDesc, prometheus.GaugeValue, value, outcome.Check)
	}
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
