package service

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/config"
)

// health runs the command in an environment whose OPS_ADDR is addr.
func health(addr string) error {
	return checkHealth(&Program{Name: config.Relay, Environ: []string{"TOLLGATE_OPS_ADDR=" + addr}, Stdout: io.Discard,
		Stderr: io.Discard}, "")
}

func TestHealth_ReportsTheReasonOfReadyz(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		status int
		body   string
		want   string
	}{
		{"ready", http.StatusOK, "ready\n", ""},
		{"not ready", http.StatusServiceUnavailable, "not ready: the spool is full\n", "the spool is full"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			ops := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/readyz" {
					t.Errorf("request for %s, want /readyz", r.URL)
				}
				w.WriteHeader(row.status)
				_, _ = io.WriteString(w, row.body)
			}))
			defer ops.Close()
			_, port, err := net.SplitHostPort(ops.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			for _, host := range []string{"127.0.0.1", "0.0.0.0", ""} {
				err := health(host + ":" + port)
				switch {
				case row.want == "" && err != nil:
					t.Errorf("%q: %v", host, err)
				case row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)):
					t.Errorf("%q: %v, want %q", host, err, row.want)
				}
			}
		})
	}
}

func TestHealth_FailsWithoutAProgram(t *testing.T) {
	t.Parallel()
	mute := httptest.NewServer(http.NotFoundHandler())
	defer mute.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	for name, addr := range map[string]string{
		"another program listens":  mute.Listener.Addr().String(),
		"no program listens":       gone.Listener.Addr().String(),
		"no port":                  "127.0.0.1",
		"a malformed port":         "127.0.0.1:nonsense",
		"a port chosen at startup": "127.0.0.1:0",
	} {
		if err := health(addr); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestHealth_HasADefaultAddressForEachProgram(t *testing.T) {
	t.Parallel()
	for _, program := range []string{config.Relay, config.Console, config.Worker, config.Standalone} {
		if config.OpsAddr(program, nil) == "" {
			t.Errorf("%s has no default address", program)
		}
	}
}
