package e2e

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
	"github.com/tollgate/tollgate/libs/porttest"
	consoleclient "github.com/tollgate/tollgate/openapi/clients/go/console"
)

const (
	relaySite   = "https://api.example.com"
	consoleSite = "https://console.example.com"
)

// proxy is a program in front of relay and console, with an example of docs/proxies.md.
type proxy struct {
	program string
	file    string                             // of the example; "": main has everything
	main    string                             // the configuration around the example, which replaces EXAMPLE
	command func(dir, config string) []string  // starts it in the foreground
	adapt   func(example string) (text string) // nil: the example needs no more than the addresses and the certificate
}

// apacheModules are the modules that docs/proxies.md names, and those that a server needs in any case.
var apacheModules = []string{"mpm_event", "authz_core", "setenvif", "env", "ssl", "http2", "proxy", "proxy_http",
	"headers", "socache_shmcb"}

// proxies are the tested programs. DIR, PORT, BOTH, CERT and KEY are replaced by folders and addresses of the test.
func proxies() map[string]proxy {
	var modules strings.Builder
	for _, module := range apacheModules {
		fmt.Fprintf(&modules, "LoadModule %s_module /usr/lib/apache2/modules/mod_%s.so\n", module, module)
	}
	return map[string]proxy{
		"nginx": {
			program: "nginx", file: "nginx.conf", main: `daemon off;
pid DIR/nginx.pid;
error_log stderr;
events {}
http {
access_log off;
client_body_temp_path DIR/body;
proxy_temp_path DIR/proxy;
fastcgi_temp_path DIR/fastcgi;
uwsgi_temp_path DIR/uwsgi;
scgi_temp_path DIR/scgi;
EXAMPLE
}
`,
			command: func(dir, config string) []string {
				return []string{"nginx", "-p", dir, "-c", config, "-e", "stderr"}
			},
		},
		"caddy": {
			program: "caddy", file: "Caddyfile", main: `{
	admin off
	auto_https disable_redirects
	https_port PORT
	default_bind 127.0.0.1
	storage file_system DIR
}
EXAMPLE`,
			adapt: func(example string) string {
				return strings.ReplaceAll(example, ".example.com {", ".example.com {\n\ttls CERT KEY")
			},
			command: func(_, config string) []string {
				return []string{"caddy", "run", "--adapter", "caddyfile", "--config", config}
			},
		},
		"haproxy": {
			program: "haproxy", file: "haproxy.cfg", main: `global
  maxconn 1000
EXAMPLE
`,
			command: func(_, config string) []string { return []string{"haproxy", "-db", "-f", config} },
		},
		"apache": {
			program: "apache2", file: "apache.conf",
			main: `ServerRoot DIR
PidFile DIR/apache.pid
Mutex file:DIR default
ErrorLog DIR/error.log
ServerName localhost
` + modules.String() + `Listen 127.0.0.1:PORT
EXAMPLE`,
			command: func(dir, config string) []string {
				return []string{"apache2", "-d", dir, "-f", config, "-DFOREGROUND"}
			},
		},
		"PROXY protocol": {
			program: "haproxy",
			main: `global
  maxconn 1000
defaults
  mode tcp
  timeout connect 2s
  timeout client 20m
  timeout server 20m
frontend all
  bind 127.0.0.1:PORT ssl crt BOTH alpn http/1.1
  use_backend console if { ssl_fc_sni console.example.com }
  default_backend relay
backend relay
  server relay RELAY send-proxy-v2
backend console
  server console CONSOLE send-proxy
`,
			command: func(_, config string) []string { return []string{"haproxy", "-db", "-f", config} },
		},
	}
}

// certificate writes a certificate for both sites, its key, and both in one file, and returns the pool of roots to
// trust.
func certificate(t *testing.T, dir string) (roots *x509.CertPool, cert, key, both string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		DNSNames: []string{"api.example.com", "console.example.com"}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})
	cert, key, both = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), filepath.Join(dir, "both.pem")
	for name, content := range map[string][]byte{cert: certPEM, key: keyPEM,
		both: append(bytes.Clone(certPEM), keyPEM...)} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	roots = x509.NewCertPool()
	roots.AppendCertsFromPEM(certPEM)
	return roots, cert, key, both
}

// example returns the content of a file that a page of docs shows.
func example(t *testing.T, page, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "<!-- file: "+file+" -->\n```")
	_, rest, _ = strings.Cut(rest, "\n")
	content, _, closed := strings.Cut(rest, "\n```")
	if !found || !closed {
		t.Fatalf("%s has no file %s", page, file)
	}
	return content
}

// stand starts the proxy in front of the testbed, and returns a client that reaches both sites through it. The client
// is at an address that is not the proxy's.
func (p *proxy) stand(t *testing.T, w *testbed) *http.Client {
	t.Helper()
	if _, err := exec.LookPath(p.program); err != nil {
		story.Missing(t, fmt.Errorf("%s: %w", p.program, stack.ErrMissing))
	}
	port, err := porttest.Reserve()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = port.Release() })
	dir := t.TempDir()
	roots, cert, key, both := certificate(t, dir)
	text := ""
	if p.file != "" {
		text = example(t, "proxies.md", p.file)
	}
	if p.adapt != nil {
		text = p.adapt(text)
	}
	host := func(base string) string { return strings.TrimPrefix(base, "http://") }
	at := fmt.Sprint(port.Number)
	text = strings.NewReplacer(
		"127.0.0.1:8080", host(w.Relay.URL), "127.0.0.1:8081", host(w.Console.URL), "RELAY", host(w.Relay.URL),
		"CONSOLE", host(w.Console.URL),
		"listen 443", "listen "+port.Addr(), "bind :443", "bind "+port.Addr(), "*:443", "*:"+at, "PORT", at, "DIR", dir,
		"/etc/ssl/example.com.pem", cert, "/etc/ssl/example.com.key", key, "/etc/ssl/example.com.both.pem", both,
		"CERT", cert, "KEY", key, "BOTH", both,
	).Replace(strings.Replace(p.main, "EXAMPLE", text, 1))
	config := filepath.Join(dir, "config")
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	process := stack.NewProcess("proxy", dir, p.command(dir, config)...)
	if err := process.Launch(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = process.Terminate() }) // nginx's workers would survive a kill of their master
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	client := &http.Client{Jar: jar, Timeout: story.Patience, Transport: &http.Transport{
		ForceAttemptHTTP2: true, DisableCompression: true,
		TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, port.Addr())
		},
	}}
	t.Cleanup(client.CloseIdleConnections)
	if err := process.Await(story.Context(t), func(ctx context.Context) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, relaySite+"/v1/models", http.NoBody)
		if err != nil {
			return err
		}
		response, err := client.Do(r)
		if err != nil {
			return err
		}
		return response.Body.Close()
	}); err != nil {
		t.Fatal(err)
	}
	return client
}

// forged adds the header with which a client claims another address.
func forged(_ context.Context, r *http.Request) error {
	r.Header.Set("X-Forwarded-For", "203.0.113.9")
	return nil
}

func TestProxies_PassStreamsBodiesAndTheClientsAddress(t *testing.T) {
	t.Parallel()
	w := ownTestbed(t, map[string]string{
		"TOLLGATE_TRUSTED_PROXIES": "127.0.0.1/32", "TOLLGATE_PROXY_PROTOCOL": "true", "TOLLGATE_RELAY_URL": relaySite,
		"TOLLGATE_CONSOLE_URL": consoleSite,
	})
	for name, p := range proxies() {
		t.Run(name, func(t *testing.T) {
			client := p.stand(t, w)
			c := &caller{base: relaySite, token: victimToken, client: client}
			if r := c.post(story.Context(t), ask("flat-model", someCounts)); !r.complete(false) {
				t.Errorf("a call: got %d, %v: %.200q", r.status, r.err, r.body)
			}

			barrier := "proxy-" + strings.ReplaceAll(name, " ", "-")
			response, err := c.open(story.Context(t), askAt(barrier))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = response.Body.Close() }()
			lines := bufio.NewReader(response.Body)
			for first := ""; !strings.Contains(first, `"content":"`); { // the rest is not sent before the barrier opens
				if first, err = lines.ReadString('\n'); err != nil {
					t.Fatalf("the first chunk: %v", err)
				}
			}
			w.upstream.Open(t, barrier)
			var rest bytes.Buffer
			if _, err := rest.ReadFrom(lines); err != nil ||
				!strings.HasSuffix(strings.TrimSpace(rest.String()), "data: [DONE]") {
				t.Errorf("the rest of a stream: %v: %.300q", err, rest.String())
			}

			large := ask("flat-model", someCounts, fmt.Sprintf(`"metadata":{"note":%q}`, strings.Repeat("x", 31<<20)))
			for size, want := range map[int]int{len(large): http.StatusBadRequest,
				(32 << 20) + 1024: http.StatusRequestEntityTooLarge} {
				r := c.post(story.Context(t), large+strings.Repeat(" ", size-len(large)))
				if r.err != nil || r.status != want {
					t.Errorf("a body of %d bytes: got %d, %v: %.200q, want %d of the relay", size, r.status,
						r.err, r.body, want)
					continue
				}
				r.failure(t)
			}

			console, err := consoleclient.NewClient(consoleSite, consoleclient.WithHTTPClient(client),
				consoleclient.WithRequestEditorFn(forged))
			if err != nil {
				t.Fatal(err)
			}
			opened, err := console.CreateSession(story.Context(t),
				consoleclient.SignIn{Email: victimOwner, Password: everyonePassword})
			story.Must(t, opened, err)
			sessions, err := console.ListSessions(story.Context(t), &consoleclient.ListSessionsParams{})
			story.Must(t, sessions, err)
			for _, s := range sessions.JSON200.Items {
				if s.Current && s.Address != "127.0.0.2" {
					t.Errorf("the session has the address %q, want that of the client", s.Address)
				}
			}
		})
	}
}
