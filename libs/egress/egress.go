// Package egress is how the gateway reaches the outside: transports for
// upstreams whose addresses operators configure. Where a connection may go is
// decided at the moment it is made, on the address that the name was resolved
// to, so that no answer of a DNS server leads to where the policy does not.
//
// A Transport makes one exchange and follows no redirect. Proxies of the
// environment are never used.
package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"

	"github.com/tollgate/tollgate/libs/core/address"
)

const (
	idlePerHost    = 4_096
	idleTimeout    = 90 * time.Second
	continueWait   = time.Second
	tcpKeepAlive   = 30 * time.Second
	writeBuffer    = 16 << 10
	readBuffer     = 32 << 10 // few large reads of a fast stream
	defaultConnect = 5 * time.Second
)

// ForbiddenError says that the policy forbids the address, so that no
// connection was made.
type ForbiddenError struct {
	Host string // as the URL names it
	Addr netip.Addr
}

// Error names host and address: it is for operators.
func (r *ForbiddenError) Error() string {
	if !r.Addr.IsValid() {
		return fmt.Sprintf("egress refused: %s is an address in a form that is read in different ways", r.Host)
	}
	return fmt.Sprintf("egress refused: %s has the address %s, which is %v", r.Host, r.Addr, address.KindOf(r.Addr))
}

// ErrRedirect is the answer to a request that a client made of a redirect.
var ErrRedirect = errors.New("egress: redirects are not followed")

// Options of a Transport.
type Options struct {
	Policy         address.Policy
	ConnectTimeout time.Duration  // of one connection attempt, and of its TLS handshake; 0: 5 s
	Proxy          *url.URL       // http, https or socks5, with the credentials in it; nil for none
	Roots          *x509.CertPool // trusted in place of the system's, by the proxy's side too; nil: the system's
	Resolver       *net.Resolver  // nil: the system's

	// Protocols answer URL schemes of their own without any connection.
	Protocols map[string]http.RoundTripper
}

// Transport is an http.RoundTripper. It is safe for concurrent use.
type Transport struct {
	policy  address.Policy
	proxied bool
	http    *http.Transport
}

// New returns a Transport with connections of its own.
func New(o Options) *Transport {
	if o.ConnectTimeout == 0 {
		o.ConnectTimeout = defaultConnect
	}
	t := &Transport{policy: o.Policy, proxied: o.Proxy != nil, http: &http.Transport{
		DialContext:           (&dialer{policy: o.Policy, timeout: o.ConnectTimeout, resolver: o.Resolver}).dial,
		TLSHandshakeTimeout:   o.ConnectTimeout,
		ForceAttemptHTTP2:     true,
		DisableCompression:    true, // bytes are handed on as they are
		MaxIdleConnsPerHost:   idlePerHost,
		IdleConnTimeout:       idleTimeout,
		ExpectContinueTimeout: continueWait,
		WriteBufferSize:       writeBuffer,
		ReadBufferSize:        readBuffer,
	}}
	if o.Proxy != nil {
		t.http.Proxy = http.ProxyURL(o.Proxy)
	}
	if o.Roots != nil {
		t.http.TLSClientConfig = &tls.Config{RootCAs: o.Roots, MinVersion: tls.VersionTLS12}
	}
	for scheme, protocol := range o.Protocols {
		t.http.RegisterProtocol(scheme, protocol)
	}
	return t
}

// RoundTrip makes one exchange. Its errors are those of net/http, or wrap a
// *ForbiddenError where the address is forbidden.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Response != nil { // by an http.Client that follows
		closeBody(r)
		return nil, ErrRedirect
	}
	if t.proxied {
		if err := t.checkTarget(r.URL.Hostname()); err != nil {
			closeBody(r)
			return nil, err
		}
	}
	return t.http.RoundTrip(r)
}

// closeBody is a RoundTripper's duty, on errors too.
func closeBody(r *http.Request) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
}

// checkTarget judges a target that the proxy will connect to: of its address
// no more is known than a literal tells.
func (t *Transport) checkTarget(name string) error {
	host := address.ParseHost(name)
	if literal, ok := host.Literal(); ok && !t.policy.Permits(host, literal) {
		return &ForbiddenError{Host: name, Addr: literal}
	}
	if host.Ambiguous() {
		return &ForbiddenError{Host: name}
	}
	return nil
}

// CloseIdle closes the connections that are not in use. Those in use go on
// and are closed some time after.
func (t *Transport) CloseIdle() { t.http.CloseIdleConnections() }

// dialer connects where the policy permits.
type dialer struct {
	policy   address.Policy
	timeout  time.Duration
	resolver *net.Resolver
}

// dial connects to host:port of a URL: of the upstream, or of its proxy. What
// it names was written by an operator, for no redirect comes this way.
func (d *dialer) dial(ctx context.Context, network, target string) (net.Conn, error) {
	name, _, err := net.SplitHostPort(target)
	if err != nil {
		return nil, fmt.Errorf("split the address: %w", err)
	}
	host := address.ParseHost(name)
	if host.Ambiguous() {
		return nil, &ForbiddenError{Host: name}
	}
	dialer := net.Dialer{
		Timeout: d.timeout, KeepAlive: tcpKeepAlive, Resolver: d.resolver,
		ControlContext: func(_ context.Context, _, resolved string, _ syscall.RawConn) error {
			return d.check(name, host, resolved)
		},
	}
	return dialer.DialContext(ctx, network, target)
}

// check judges a resolved address just before the socket is connected to it.
func (d *dialer) check(name string, host address.Host, resolved string) error {
	at, err := netip.ParseAddrPort(resolved)
	if err != nil {
		return fmt.Errorf("egress: the address %q: %w", resolved, err)
	}
	if !d.policy.Permits(host, at.Addr()) {
		return &ForbiddenError{Host: name, Addr: at.Addr()}
	}
	return nil
}
