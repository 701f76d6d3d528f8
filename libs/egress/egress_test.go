package egress_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/egress"
	"github.com/tollgate/tollgate/libs/egress/egresstest"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// get makes a GET request without following redirects.
func get(t *testing.T, transport http.RoundTripper, target string) (*http.Response, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := transport.RoundTrip(r)
	if err == nil {
		t.Cleanup(func() { _ = response.Body.Close() })
	}
	return response, err
}

// reaches checks that a GET of the target returns the response of here.
func reaches(t *testing.T, transport http.RoundTripper, target string) {
	t.Helper()
	response, err := get(t, transport, target)
	if err != nil {
		t.Errorf("%s: got error %v", target, err)
		return
	}
	if body, _ := io.ReadAll(response.Body); string(body) != "here" {
		t.Errorf("%s: got %d %s, want here", target, response.StatusCode, body)
	}
}

// refuses checks that a GET of the target returns a ForbiddenError.
func refuses(t *testing.T, transport http.RoundTripper, target string) {
	t.Helper()
	_, err := get(t, transport, target)
	var forbidden *egress.ForbiddenError
	if !errors.As(err, &forbidden) {
		t.Errorf("%s: got error %v, want a ForbiddenError", target, err)
	}
}

// here is the handler of the upstreams.
func here(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "here") }

// serve starts an upstream. port is ":" and its number.
func serve(t *testing.T, handler http.HandlerFunc) (server *httptest.Server, port string) {
	t.Helper()
	server = httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server, server.URL[strings.LastIndexByte(server.URL, ':'):]
}

func TestTransport_ConnectsOnlyToPermittedAddresses(t *testing.T) {
	server, port := serve(t, here)
	loopback := netip.MustParseAddr("127.0.0.1")
	plain := egress.New(egress.Options{Resolver: egresstest.Names(t, loopback)})
	defer plain.CloseIdle()

	reaches(t, plain, server.URL)
	reaches(t, plain, "http://localhost"+port)
	refuses(t, plain, "http://rebound.example"+port)
	refuses(t, plain, "http://2130706433"+port)
	refuses(t, plain, "http://0x7f.1"+port)
	refuses(t, plain, "http://0.0.0.0"+port)
	refuses(t, plain, "http://[::]"+port)
	refuses(t, plain, "http://169.254.169.254/latest/meta-data/")
	refuses(t, plain, "http://[fd00:ec2::254]/latest/meta-data/")
	refuses(t, plain, "http://[::ffff:169.254.169.254]/")

	allowing := egress.New(egress.Options{
		Resolver: egresstest.Names(t, loopback),
		Policy:   address.Policy{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
	})
	defer allowing.CloseIdle()
	reaches(t, allowing, "http://rebound.example"+port)

	metadata := egress.New(egress.Options{Resolver: egresstest.Names(t, netip.MustParseAddr("169.254.169.254"))})
	refuses(t, metadata, "http://metadata.example/")
}

func TestForbiddenError_NamesTheAddressAndItsKind(t *testing.T) {
	_, err := get(t, egress.New(egress.Options{Resolver: egresstest.Names(t, netip.MustParseAddr("10.1.2.3"))}),
		"http://rebound.example/")
	if want := "egress refused: rebound.example has the address 10.1.2.3, which is private"; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want %s", err, want)
	}
}

func TestTransport_DoesNotFollowRedirects(t *testing.T) {
	var followed atomic.Bool
	target, _ := serve(t, func(http.ResponseWriter, *http.Request) { followed.Store(true) })
	redirecting, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, target.URL, http.StatusFound)
	})
	transport := egress.New(egress.Options{})
	defer transport.CloseIdle()

	response, err := get(t, transport, redirecting.URL)
	if err != nil || response.StatusCode != http.StatusFound {
		t.Errorf("RoundTrip: got %v, error %v; want the redirect itself", response, err)
	}
	client := http.Client{Transport: transport}
	_, err = client.Get(redirecting.URL)
	if !errors.Is(err, egress.ErrRedirect) || followed.Load() {
		t.Errorf("http.Client: got error %v, followed %v; want %v", err, followed.Load(), egress.ErrRedirect)
	}
}

func TestTransport_IgnoresProxiesOfTheEnvironment(t *testing.T) {
	var used atomic.Bool
	proxy, _ := serve(t, func(http.ResponseWriter, *http.Request) { used.Store(true) })
	server, _ := serve(t, here)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	transport := egress.New(egress.Options{})
	defer transport.CloseIdle()
	reaches(t, transport, server.URL)
	if used.Load() {
		t.Error("the environment's proxy was used")
	}
}

// proxy starts a proxy that answers for every target and sends the requests to the channel.
func proxy(t *testing.T, asked chan<- *http.Request) *httptest.Server {
	server, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked <- r
		here(w, r)
	})
	return server
}

func TestTransport_UsesTheProxyAndChecksItsAddress(t *testing.T) {
	asked := make(chan *http.Request, 1)
	server := proxy(t, asked)
	through, _ := url.Parse(server.URL)
	through.User = url.UserPassword("gate", "hunter2")
	transport := egress.New(egress.Options{Proxy: through})
	defer transport.CloseIdle()

	reaches(t, transport, "http://api.example/v1")
	r := <-asked
	if user, password, ok := proxyAuth(r); r.RequestURI != "http://api.example/v1" || !ok || user != "gate" ||
		password != "hunter2" {
		t.Errorf("got a proxy request for %s by %s", r.RequestURI, user)
	}
	reaches(t, transport, "http://10.1.2.3/v1") // a private address is permitted if the operator wrote it
	<-asked
	refuses(t, transport, "http://169.254.169.254/")
	refuses(t, transport, "http://2130706433/")
	refuses(t, transport, "http://0x7f.1/")

	named, _ := url.Parse("http://proxy.example:3128")
	refuses(t,
		egress.New(egress.Options{Proxy: named, Resolver: egresstest.Names(t, netip.MustParseAddr("127.0.0.1"))}),
		"http://api.example/")
}

// proxyAuth returns the credentials of a request to a proxy.
func proxyAuth(r *http.Request) (user, password string, ok bool) {
	borrowed := &http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}
	return borrowed.BasicAuth()
}

func TestTransport_HidesTheProxyCredentialsInErrors(t *testing.T) {
	refusing, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusProxyAuthRequired)
	})
	closing, _ := serve(t, func(http.ResponseWriter, *http.Request) {})
	closing.Close()
	for _, proxy := range []string{refusing.URL, closing.URL, "https" + closing.URL[4:], "socks5" + closing.URL[4:]} {
		through, _ := url.Parse(strings.Replace(proxy, "://", "://gate:hunter2@", 1))
		if _, err := get(t, egress.New(egress.Options{Proxy: through}), "https://api.example/"); err == nil ||
			strings.Contains(fmt.Sprintf("%v %+v", err, err), "hunter2") {
			t.Errorf("%s: got error %v, want one without the password", proxy, err)
		}
	}
}

func TestTransport_TrustsTheConfiguredCA(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(here))
	t.Cleanup(server.Close)
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))

	pool := egress.NewPool(egress.Options{})
	t.Cleanup(pool.Close)
	trusting, err := pool.Transport(egress.TransportConfig{CA: ca})
	if err != nil {
		t.Fatal(err)
	}
	reaches(t, trusting, server.URL)
	plain, _ := pool.Transport(egress.TransportConfig{})
	if _, err := get(t, plain, server.URL); err == nil {
		t.Error("a certificate of an unknown CA is trusted")
	}
}

func TestTransport_ChoosesTheVersionOfHTTP(t *testing.T) {
	tests := []struct {
		name   string
		prefer bool
		speaks []string // what the upstream offers, by ALPN
		want   string
	}{
		{"HTTP/1.1 by default", false, []string{"h2", "http/1.1"}, "HTTP/1.1"},
		{"HTTP/2 if the upstream speaks nothing else", false, []string{"h2"}, "HTTP/2.0"},
		{"HTTP/2 if it is preferred", true, []string{"h2", "http/1.1"}, "HTTP/2.0"},
		{"HTTP/1.1 although HTTP/2 is preferred", true, []string{"http/1.1"}, "HTTP/1.1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				_, _ = fmt.Fprintf(w, "%s %s", r.Proto, body)
			}))
			server.EnableHTTP2 = true
			server.TLS = &tls.Config{NextProtos: tt.speaks}
			server.TLS.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
				if !slices.Contains(tt.speaks, "http/1.1") && !slices.Contains(hello.SupportedProtos, "h2") {
					// Go would use HTTP/1.1
					return &tls.Config{Certificates: server.TLS.Certificates, NextProtos: []string{"none"}}, nil
				}
				return nil, nil
			}
			server.StartTLS()
			t.Cleanup(server.Close)
			roots := x509.NewCertPool()
			roots.AddCert(server.Certificate())
			transport := egress.New(egress.Options{Roots: roots, PreferHTTP2: tt.prefer})
			t.Cleanup(transport.CloseIdle)
			for range 2 { // the second time the version is known
				body := rawjson.NewBody([]byte(`"hello"`))
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, body.Reader())
				if err != nil {
					t.Fatal(err)
				}
				r.ContentLength = body.Size()
				response, err := transport.RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(response.Body)
				_ = response.Body.Close()
				if want := tt.want + ` "hello"`; string(got) != want || err != nil {
					t.Errorf("the upstream got %s, %v; want %s", got, err, want)
				}
			}
		})
	}
}

func TestPool_SharesAndDropsTransports(t *testing.T) {
	pool := egress.NewPool(egress.Options{})
	slow := egress.TransportConfig{ConnectTimeout: time.Minute}
	plain, _ := pool.Transport(egress.TransportConfig{})
	first, _ := pool.Transport(slow)
	again, _ := pool.Transport(slow)
	if first != again || first == plain {
		t.Error("equal configs do not share a transport, or different ones do")
	}
	pool.Retain(map[egress.TransportConfig]bool{{}: true})
	kept, _ := pool.Transport(egress.TransportConfig{})
	anew, _ := pool.Transport(slow)
	if kept != plain || anew == first {
		t.Error("Retain dropped the wrong transport")
	}
	for _, invalid := range []egress.TransportConfig{{CA: "none"}, {Proxy: "http://gate:hunter2@%zz"}} {
		if _, err := pool.Transport(invalid); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("invalid config: got error %v, want one without the password", err)
		}
	}
	pool.Close()
	if last, _ := pool.Transport(egress.TransportConfig{}); last == plain {
		t.Error("a closed pool keeps a transport")
	}
}

func TestPool_ClosesIdleConnectionsOfDroppedTransports(t *testing.T) {
	closed := make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(here))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			close(closed)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	pool := egress.NewPool(egress.Options{})
	transport, _ := pool.Transport(egress.TransportConfig{ConnectTimeout: 30 * time.Second})
	reaches(t, transport, server.URL)
	pool.Retain(nil)
	select {
	case <-closed:
	case <-time.After(30 * time.Second):
		t.Error("the connection is still open after 30 s")
	}
}
