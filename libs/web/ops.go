package web

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/tollgate/tollgate/libs/config"
)

// readyTimeout is the timeout of all checks of one request together.
const readyTimeout = 2 * time.Second

// Check is a condition without which a process cannot serve requests.
type Check struct {
	Name string // stable word, in /readyz, in the metric and in logs
	Says string // public text of /readyz if Ready fails
	// Ready returns nil if the condition is met. Its error goes to the log only.
	Ready func(context.Context) error
}

// OpsOptions are the options of the operations endpoints.
type OpsOptions struct {
	Registry *prometheus.Registry
	// Checks are the conditions under which the process should get traffic. Without checks it is always ready.
	Checks []Check
	// Hosts are the host names, without port, under which the endpoints are reached. Addresses and localhost are always
	// permitted.
	Hosts []string
	// Profiles adds /debug/pprof/.
	Profiles bool
	Log      *slog.Logger
}

// readiness is the handler of /readyz and the collector of the metric tollgate_ready.
type readiness struct {
	OpsOptions
	was atomic.Pointer[string] // names of the checks that failed last, nil before the first time
}

// Ops returns the handler of /healthz (200 while the process runs), /readyz (200 while the checks succeed, else 503
// with the reasons), /metrics and, if the options say so, /debug/pprof/. It has no authentication, so its address must
// not be public. A request for a host that is not permitted gets 421: without this, a page in a browser that reaches
// the address could read it under a name that the page's owner points there (DNS rebinding).
func Ops(o OpsOptions) http.Handler {
	ready := &readiness{OpsOptions: o}
	o.Registry.MustRegister(ready)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok") })
	mux.Handle("GET /readyz", ready)
	mux.Handle("GET /metrics", promhttp.HandlerFor(o.Registry, promhttp.HandlerOpts{}))
	if o.Profiles {
		mux.HandleFunc("/debug/pprof/", pprof.Index)
		mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !o.permits(r.Host) {
			plain(w, http.StatusMisdirectedRequest, "This host name is not permitted here. Use an address, or add "+
				"the name to TOLLGATE_OPS_HOSTS.")
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// permits reports whether the Host header of a request names an address, localhost or a permitted name. HTTP/1.0
// clients such as load balancers send none, browsers always do.
func (o *OpsOptions) permits(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(host, ".")
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil || host == "" ||
		strings.EqualFold(host, "localhost") {
		return true
	}
	return slices.ContainsFunc(o.Hosts, func(name string) bool { return strings.EqualFold(name, host) })
}

// Readiness is the body of /readyz. Ready is true if all checks succeeded.
type Readiness struct {
	Ready  bool           `json:"ready"`
	Checks []CheckOutcome `json:"checks"`
}

// CheckOutcome is the result of one check.
type CheckOutcome struct {
	Check  string `json:"check"`
	Ready  bool   `json:"ready"`
	Reason string `json:"reason,omitempty"` // Check.Says if the check failed
}

// ServeHTTP answers 200 if all checks succeed, else 503.
func (r *readiness) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	report := r.runChecks(request.Context())
	status := http.StatusOK
	if !report.Ready {
		status = http.StatusServiceUnavailable
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(report) // it fails only if the client has disconnected
}

// runChecks runs all checks, and logs when the set of failed checks has changed.
func (r *readiness) runChecks(ctx context.Context) Readiness {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	report := Readiness{Ready: true, Checks: make([]CheckOutcome, len(r.Checks))}
	var names []string
	var errs []error
	for i, check := range r.Checks {
		report.Checks[i] = CheckOutcome{Check: check.Name, Ready: true}
		if err := check.Ready(ctx); err != nil {
			report.Ready, report.Checks[i] = false, CheckOutcome{Check: check.Name, Reason: check.Says}
			names, errs = append(names, check.Name), append(errs, err)
		}
	}
	now := strings.Join(names, ", ")
	switch was := r.was.Swap(&now); {
	case was != nil && *was == now, was == nil && now == "":
	case now == "":
		r.Log.InfoContext(ctx, "ready again")
	default:
		r.Log.WarnContext(ctx, "not ready", "checks", now, "error", errors.Join(errs...))
	}
	return report
}

var readyDesc = prometheus.NewDesc("tollgate_ready", "1 if the readiness check succeeds, 0 if it fails.",
	[]string{"check"}, nil)

// Describe implements prometheus.Collector.
func (r *readiness) Describe(descs chan<- *prometheus.Desc) { descs <- readyDesc }

// Collect implements prometheus.Collector. It runs all checks.
func (r *readiness) Collect(metrics chan<- prometheus.Metric) {
	for _, outcome := range r.runChecks(context.Background()).Checks {
		value := 0.0
		if outcome.Ready {
			value = 1
		}
		metrics <- prometheus.MustNewConstMetric(readyDesc, prometheus.GaugeValue, value, outcome.Check)
	}
}

// plain writes a text response.
func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n")) // it fails only if the client has disconnected
}

// NewOps returns a server for the operations endpoints that does not listen yet. The configuration decides its address,
// the permitted hosts, whether it serves profiles, and whose headers of the PROXY protocol it reads: a load balancer
// that sends them begins its health checks with them too.
func NewOps(c config.Config, o OpsOptions) *Server {
	o.Hosts, o.Profiles = c.OpsHosts, c.Pprof
	return NewServer(ServerOptions{Name: "ops", Addr: c.OpsAddr, Handler: Ops(o), Log: o.Log,
		Proxies: c.ProxyNetworks()})
}
