package service

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/tollgate/tollgate/libs/config"
)

// healthPatience is the timeout of the request. It is longer than the time that /readyz takes for its checks at most.
const healthPatience = 4 * time.Second

// healthCommand is the command "health" of every program. Images without a shell and curl use it for their health
// check.
var healthCommand = Command{
	Name: "health",
	Help: "Ask /readyz of the running program at TOLLGATE_OPS_ADDR. Exits with status 1 and prints the reason if " +
		"the program is not ready.",
	Run: checkHealth,
}

// checkHealth asks /readyz of the program that runs with the same environment. It returns nil if the program is ready,
// else an error with the reason. It reads no variable but TOLLGATE_OPS_ADDR.
func checkHealth(p *Program, _ string) error {
	ctx, cancel := context.WithTimeout(context.Background(), healthPatience)
	defer cancel()
	addr := config.OpsAddr(p.Name, p.Environ)
	if _, port, _ := net.SplitHostPort(addr); port == "0" {
		return fmt.Errorf("%sOPS_ADDR: port 0 stands for a different port at each start: set the port from the log "+
			"line \"listening\"", config.Prefix)
	}
	return askReady(ctx, reachable(addr))
}

// reachable returns the address at which a listener on addr can be reached from the same machine: localhost in place of
// an unspecified host.
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr // the request fails with an error that explains the malformed address
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}

// askReady returns nil if /readyz at addr answers 200, else an error with the body of the answer.
func askReady(ctx context.Context, addr string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/readyz", nil)
	if err != nil {
		return fmt.Errorf("%sOPS_ADDR: %w", config.Prefix, err)
	}
	// Not http.DefaultTransport, which may use a proxy.
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		return fmt.Errorf("ask %s/readyz: %w", addr, err)
	}
	defer resp.Body.Close() //nolint:errcheck // the process ends
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1024))
	if err != nil {
		return fmt.Errorf("read the answer of %s/readyz: %w", addr, err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", resp.Status, strings.TrimSpace(string(body)))
	}
	return nil
}
