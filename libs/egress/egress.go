// Package egress makes HTTP connections to upstreams, whose addresses operators configure, and keeps them
// away from addresses that the policy forbids, such as private networks and metadata services of clouds
// (server-side request forgery).
//
//	URL --host is an ambiguous form of an address?--> refuse
//	 |
//	resolve the name --> for each address, just before connect(2): does the policy permit it? --> connect
//
// The policy judges the resolved address at the moment of the connection, in the same step that uses it.
// Therefore a DNS server cannot pass the check with one answer and redirect the connection with another (DNS
// rebinding). Behind a proxy the gateway does not resolve the target: only a literal address is checked, and
// the proxy must enforce the rest.
//
// A Transport makes one exchange for each request. It follows no redirects, because their target is chosen by
// the upstream and not by the operator. It never uses the proxies of environment variables.
//
// Requests go over HTTP/1.1, made by package http1, because that is the cheapest. net/http makes those that http1 does
// not support, those through a proxy, and those over HTTP/2: to upstreams that speak nothing else, or if the options
// prefer it.
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
	"sync"
	"syscall"
	"time"

	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/egress/http1"
)

const (
	idlePerHost    = 4_096 // idle connections that are kept for each upstream
	idleTimeout    = 90 * time.Second
	continueWait   = time.Second
	tcpKeepAlive   = 30 * time.Second
	writeBuffer    = 16 << 10
	readBuffer     = 32 << 10 // large, so that reading a fast stream needs few system calls
	maxHeader      = 1 << 20
	defaultConnect = 5 * time.Second
)

// ForbiddenError means that the policy forbids the address of a host. No connection was made.
type ForbiddenError struct {
	Host string     // as in the URL
	Addr netip.Addr // the forbidden address; zero: the host is an ambiguous form of an address
}

// Error returns a text with the host and the address, for operators.
func (r *ForbiddenError) Error() string {
	if !r.Addr.IsValid() {
		return fmt.Sprintf("egress refused: %s is an ambiguous form of an IP address; write it in the usual form",
			r.Host)
	}
	return fmt.Sprintf("egress refused: %s has the address %s, which is %v", r.Host, r.Addr, address.KindOf(r.Addr))
}

// ErrRedirect is the error for a request that an http.Client makes to follow a redirect.
var ErrRedirect = errors.New("egress: redirects are not followed")

// Options configures a Transport.
type Options struct {
	Policy         address.Policy
	ConnectTimeout time.Duration // longest time of a connection attempt, and again of its TLS handshake; 0: 5 s
	Proxy          *url.URL      // http, https or socks5, with credentials; nil for none
	// Trusted instead of the roots of the system, also for an https proxy; nil: the roots of the system.
	Roots       *x509.CertPool
	Resolver    *net.Resolver // nil: the resolver of the system
	PreferHTTP2 bool          // use HTTP/2 with the upstreams of https that speak it

	// Protocols handle requests with other URL schemes, without a connection. The keys are the schemes.
	Protocols map[string]http.RoundTripper
}

// Transport is an http.RoundTripper that obeys a policy. It is safe for concurrent use.
type Transport struct {
	policy      address.Policy
	proxied     bool // connections go to a proxy
	preferHTTP2 bool
	http        *http.Transport
	http1       *http1.Transport // nil if connections go to a proxy
	http2       sync.Map         // the hosts, as in URLs, that refuse HTTP/1.1
}

// New returns a Transport with connections of its own.
func New(o Options) *Transport {
	if o.ConnectTimeout == 0 {
		o.ConnectTimeout = defaultConnect
	}
	dial := (&dialer{policy: o.Policy, timeout: o.ConnectTimeout, resolver: o.Resolver}).dial
	t := &Transport{policy: o.Policy, proxied: o.Proxy != nil, preferHTTP2: o.PreferHTTP2, http: &http.Transport{
		DialContext:           dial,
		TLSHandshakeTimeout:   o.ConnectTimeout,
		ForceAttemptHTTP2:     true,
		DisableCompression:    true, // clients get the bytes of the upstream unchanged
		MaxIdleConnsPerHost:   idlePerHost,
		IdleConnTimeout:       idleTimeout,
		ExpectContinueTimeout: continueWait,
		WriteBufferSize:       writeBuffer,
		ReadBufferSize:        readBuffer,
	}}
	if o.Roots != nil {
		t.http.TLSClientConfig = &tls.Config{RootCAs: o.Roots, MinVersion: tls.VersionTLS12}
	}
	if o.Proxy != nil {
		t.http.Proxy = http.ProxyURL(o.Proxy)
	} else {
		t.http1 = http1.New(http1.Options{
			Dial: dial, TLS: t.http.TLSClientConfig, HandshakeTimeout: o.ConnectTimeout,
			IdlePerHost: idlePerHost, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		})
	}
	for scheme, protocol := range o.Protocols {
		t.http.RegisterProtocol(scheme, protocol)
	}
	return t
}

// RoundTrip makes one exchange, as http.RoundTripper requires. Its errors are those of net/http, ErrRedirect,
// or wrap a *ForbiddenError if the policy forbids the address.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Response != nil { // set only by an http.Client that follows a redirect
		closeBody(r)
		return nil, ErrRedirect
	}
	if t.proxied {
		if err := t.checkTarget(r.URL.Hostname()); err != nil {
			closeBody(r)
			return nil, err
		}
	}
	if t.http1 == nil || !http1.Supports(r) || r.URL.Scheme == "https" && t.usesHTTP2(r.URL.Host) {
		return t.http.RoundTrip(r)
	}
	response, err := t.http1.RoundTrip(r)
	if !http1.RefusesVersion(err) {
		return response, err
	}
	t.http2.Store(r.URL.Host, true)
	return t.http.RoundTrip(r)
}

// usesHTTP2 reports whether HTTP/2 is preferred, or whether the host has refused HTTP/1.1 before.
func (t *Transport) usesHTTP2(host string) bool {
	if t.preferHTTP2 {
		return true
	}
	_, ok := t.http2.Load(host)
	return ok
}

// closeBody closes the body of a request, which a RoundTripper must do even if it fails.
func closeBody(r *http.Request) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
}

// checkTarget checks the host of a URL that the proxy will connect to. It can check only a literal address,
// because the proxy resolves names.
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

// CloseIdle closes the idle connections. Connections in use continue; they become idle and time out later.
func (t *Transport) CloseIdle() {
	t.http.CloseIdleConnections()
	if t.http1 != nil {
		t.http1.CloseIdle()
	}
}

// dialer makes connections to addresses that the policy permits.
type dialer struct {
	policy   address.Policy
	timeout  time.Duration
	resolver *net.Resolver
}

// dial connects to target, the host:port of an upstream or of its proxy. The host comes from an operator's
// configuration, because redirects are not followed. The policy uses that: it permits loopback and private
// addresses if the URL names them itself, see address.Policy.
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
		ControlContext: func(_ context.Context, _, addr string, _ syscall.RawConn) error {
			return d.check(name, host, addr)
		},
	}
	return dialer.DialContext(ctx, network, target)
}

// check returns a *ForbiddenError if the policy forbids a resolved address. It runs after the socket is
// created and before it is connected.
func (d *dialer) check(name string, host address.Host, addr string) error {
	at, err := netip.ParseAddrPort(addr)
	if err != nil {
		return fmt.Errorf("egress: the address %q: %w", addr, err)
	}
	if !d.policy.Permits(host, at.Addr()) {
		return &ForbiddenError{Host: name, Addr: at.Addr()}
	}
	return nil
}
