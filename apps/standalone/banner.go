package standalone

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/manifest"
)

// banner is a service that prints the URLs and credentials when it starts. It is the last service to start, so
// everything that it prints already works.
type banner struct {
	out        io.Writer
	relay      func() net.Addr // address on which the relay listens
	consoleURL string
	demo       *demo // credentials of the demo, nil if another manifest was applied
	applied    manifest.Applied
}

// Start prints the banner.
func (b *banner) Start(context.Context) error {
	var text strings.Builder
	api := config.LocalURL(b.relay().String()) + "/v1"
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(&text, format+"\n", args...) }
	line("\nTollgate is running.\n")
	line("  API       %s", api)
	line("  Console   %s", b.consoleURL)
	for _, token := range b.applied.Tokens {
		line("  Token     %s  (%s of %s, shown only once)", token.Value, token.Name, token.User)
	}
	if b.demo != nil {
		b.demo.describe(line, api)
	}
	line("\nCtrl-C stops it.\n")
	if _, err := io.WriteString(b.out, text.String()); err != nil {
		return fmt.Errorf("print the banner: %w", err)
	}
	return nil
}

// describe prints the logins, the token, and a curl command that can be pasted into a shell.
func (d *demo) describe(line func(string, ...any), api string) {
	line("  Login     %s  %s", ownerLogin, d.OwnerPassword)
	line("  Operator  %s  %s", operatorLogin, d.OperatorPassword)
	line("  Token     %s", d.Token)
	line("\nThe passwords and the token are kept in %s. Sign in to the console, or try the API:\n", d.path)
	line(`curl -sS %s/chat/completions -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' `+
		`-d '{"model":"%s","messages":[{"role":"user","content":"Hello, Tollgate!"}]}'`, api, d.Token, demoModel)
}

// Stop does nothing.
func (b *banner) Stop(context.Context) error { return nil }

// reachable returns the address at which clients on this machine reach a listener. A listener on all addresses is
// reached at 127.0.0.1.
func reachable(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok {
		return addr.String()
	}
	if tcp.IP.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", fmt.Sprint(tcp.Port))
	}
	return tcp.String()
}
