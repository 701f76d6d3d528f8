package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/web"
)

// A page whose owner points its name at the operations address must not read it from a visitor's browser.
func TestOps_RefusesHostsThatAreNotPermitted(t *testing.T) {
	t.Parallel()
	ops := web.Ops(web.OpsOptions{Registry: prometheus.NewRegistry(), Log: quiet(),
		Hosts: []string{"relay-1", "tollgate-relay.default.svc"}})
	for host, want := range map[string]int{
		"127.0.0.1:8082": http.StatusOK, "10.1.2.3:8082": http.StatusOK, "10.1.2.3": http.StatusOK,
		"[::1]:8082": http.StatusOK, "[fd00::1]": http.StatusOK,
		"localhost:8082": http.StatusOK, "LOCALHOST": http.StatusOK, "": http.StatusOK, // HTTP/1.0
		"relay-1:8082": http.StatusOK, "Relay-1.": http.StatusOK, "tollgate-relay.default.svc:8082": http.StatusOK,

		"evil.example": http.StatusMisdirectedRequest, "evil.example:8082": http.StatusMisdirectedRequest,
		"127.0.0.1.evil.example:8082": http.StatusMisdirectedRequest,
		"localhost.evil.example":      http.StatusMisdirectedRequest,
		"relay-2:8082":                http.StatusMisdirectedRequest,
		"127.0.0.1:8082:evil":         http.StatusMisdirectedRequest,
	} {
		for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Host = host
			w := httptest.NewRecorder()
			ops.ServeHTTP(w, r)
			if w.Code != want {
				t.Errorf("%s for host %q: got status %d, want %d", path, host, w.Code, want)
			}
		}
	}
}

func TestOps_HasNoProfilesByDefault(t *testing.T) {
	t.Parallel()
	ops := web.Ops(web.OpsOptions{Registry: prometheus.NewRegistry(), Log: quiet()})
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/cmdline", "/debug/pprof/profile",
		"/debug/pprof/trace"} {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Host = "127.0.0.1"
		w := httptest.NewRecorder()
		ops.ServeHTTP(w, r)
		if w.Code != http.StatusNotFound {
			t.Errorf("%s: got status %d, want 404", path, w.Code)
		}
	}
}

// A Network Load Balancer of AWS with the PROXY protocol begins its health checks with a header that names no client.
func TestNewOps_ReadsTheProxyProtocolOfTrustedProxiesOnly(t *testing.T) {
	t.Parallel()
	const request = "GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
	const check = "\r\n\r\n\x00\r\nQUIT\n\x20\x00\x00\x00" + request
	const ready = `200 {"ready":true,"checks":[]}` + "\n"
	for name, c := range map[string]struct {
		proxies string
		enabled bool
		sent    string
		want    string
	}{
		"a health check with a header":      {"127.0.0.0/8", true, check, ready},
		"a health check without a header":   {"127.0.0.0/8", true, request, ready},
		"from another network":              {"192.0.2.0/24", true, check, "400 400 Bad Request"},
		"the PROXY protocol is not enabled": {"127.0.0.0/8", false, check, "400 400 Bad Request"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ops := web.NewOps(config.Config{OpsAddr: "127.0.0.1:0", ProxyProtocol: c.enabled,
				TrustedProxies: []netip.Prefix{netip.MustParsePrefix(c.proxies)}},
				web.OpsOptions{Registry: prometheus.NewRegistry(), Log: quiet()})
			if err := ops.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = ops.Stop(t.Context()) })
			if got := exchange(t, ops.Addr().String(), c.sent); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
