package web_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

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
