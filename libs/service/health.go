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

// healthPatience bounds the question, the answer included. A program looks
// after itself for less than that before it answers.
const healthPatience = 4 * time.Second

// Health is a program's command `health`. Images without a shell have it for
// their health check.
type Health struct{}

// Run asks the program that runs with this environment whether it may have
// traffic, and returns why not. It reads TOLLGATE_OPS_ADDR alone.
func (Health) Run(p *Program) error {
	ctx, cancel := context.WithTimeout(context.Background(), healthPatience)
	defer cancel()
	addr := config.OpsAddr(p.Name, p.Environ)
	if _, port, _ := net.SplitHostPort(addr); port == "0" {
		return fmt.Errorf("%sOPS_ADDR: port 0 is another port at each start: set the one that the program logged (\"listening\")", config.Prefix)
	}
	return askReady(ctx, reachable(addr))
}

// reachable returns the address at which the listener on addr is reached from
// the same machine.
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr // asking it will tell what is wrong
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}

func askReady(ctx context.Context, addr string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/readyz", nil)
	if err != nil {
		return fmt.Errorf("%sOPS_ADDR: %w", config.Prefix, err)
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r) // without a proxy of the environment
	if err != nil {
		return fmt.Errorf("ask %s/readyz: %w", addr, err)
	}
	defer resp.Body.Close() //nolint:errcheck // the process ends
	said, err := io.ReadAll(io.LimitReader(resp.Body, 1024))
	if err != nil {
		return fmt.Errorf("read the answer of %s/readyz: %w", addr, err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", resp.Status, strings.TrimSpace(string(said)))
	}
	return nil
}
