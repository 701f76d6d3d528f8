package http1_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/egress/http1"
	"github.com/tollgate/tollgate/libs/polltest"
)

// patience is the longest wait of a test for something that takes milliseconds.
const patience = 30 * time.Second

// large is a request body that is written by another goroutine and does not fit into the buffers of sockets.
var large = bytes.Repeat([]byte("x"), 16<<20)

// upstream accepts connections and handles each with a function, which may answer in any way.
type upstream struct {
	url      string
	accepted atomic.Int64
	open     atomic.Int64
}

// listen starts an upstream. handle gets a connection and its number, from 1; the connection is closed afterwards.
func listen(t *testing.T, handle func(c net.Conn, in *bufio.Reader, number int64)) *upstream {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	u := &upstream{url: "http://" + listener.Addr().String()}
	var running sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	running.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, c)
			mu.Unlock()
			number := u.accepted.Add(1)
			u.open.Add(1)
			running.Go(func() {
				defer u.open.Add(-1)
				defer func() { _ = c.Close() }()
				handle(c, bufio.NewReader(c), number)
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		mu.Lock()
		for _, c := range conns {
			_ = c.Close()
		}
		mu.Unlock()
		running.Wait()
	})
	return u
}

// answer returns a handler that answers each request of a connection with the same bytes, after it has read the
// request.
func answer(text string) func(net.Conn, *bufio.Reader, int64) {
	return func(c net.Conn, in *bufio.Reader, _ int64) {
		for {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, r.Body)
			if _, err := io.WriteString(c, text); err != nil {
				return
			}
		}
	}
}

// newTransport returns a transport whose idle connections end with the test.
func newTransport(t *testing.T, change func(*http1.Options)) *http1.Transport {
	t.Helper()
	o := options
	if change != nil {
		change(&o)
	}
	transport := http1.New(o)
	t.Cleanup(transport.CloseIdle)
	return transport
}

// exchange sends a POST, or a GET if there is no body, and reads the response. err is that of RoundTrip or of the body.
func exchange(ctx context.Context, transport *http1.Transport, url string,
	body []byte) (*http.Response, string, error) {
	method := http.MethodPost
	if len(body) == 0 {
		method = http.MethodGet
	}
	r, err := request(ctx, method, url, http.Header{}, body)
	if err != nil {
		return nil, "", err
	}
	response, err := transport.RoundTrip(r)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = response.Body.Close() }()
	got, err := io.ReadAll(response.Body)
	return response, string(got), err
}

// succeeds makes an exchange that must succeed.
func succeeds(t *testing.T, transport *http1.Transport, url string, body []byte) (*http.Response, string) {
	t.Helper()
	response, got, err := exchange(t.Context(), transport, url, body)
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	return response, got
}

func TestTransport_KeepsConnections(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
	tests := []struct {
		name, answer, body string
		keeps              bool
	}{
		{"a length", ok, "hi", true},
		{"no body", "HTTP/1.1 204 No Content\r\n\r\n", "", true},
		{"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nh\r\n1\r\ni\r\n0\r\n\r\n", "hi", true},
		{"chunks and a trailer", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: " +
			"A\r\n\r\n2\r\nhi\r\n0\r\nA: b\r\n\r\n", "hi", true},
		{"informational responses", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" +
			ok, "hi", true},
		{"Connection: close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi", "hi", false},
		{"HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", "hi", false},
		{"more than the response", ok + "HTTP/1.1 200 OK\r\n", "hi", false},
		{"another protocol", "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", "",
			false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u, transport := listen(t, answer(tt.answer)), newTransport(t, nil)
			for _, body := range [][]byte{nil, []byte("a body"), large[:smallBody+1]} {
				if _, got := succeeds(t, transport, u.url, body); got != tt.body {
					t.Errorf("got %q, want %q", got, tt.body)
				}
			}
			want := int64(3)
			if tt.keeps {
				want = 1
			}
			if got := u.accepted.Load(); got != want {
				t.Errorf("got %d connections, want %d", got, want)
			}
		})
	}
}

const smallBody = 64 << 10

func TestTransport_ReadsTrailers(t *testing.T) {
	u := listen(t, answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: "+
		"X-Sum\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 17\r\n\r\n"))
	response, _ := succeeds(t, newTransport(t, nil), u.url, nil)
	if got := response.Trailer.Get("X-Sum"); got != "17" {
		t.Errorf("got %q", got)
	}
}

func TestTransport_FailsForBrokenResponses(t *testing.T) {
	tests := []struct{ name, answer, want string }{
		{"no response", "", "EOF"},
		{"not HTTP", "hello\r\n\r\n", "malformed HTTP response"},
		{"half a header", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n", "unexpected EOF"},
		{"half a body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhi", "unexpected EOF"},
		{"half a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhi", "unexpected EOF"},
		{"no last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n", "unexpected EOF"},
		{"a malformed chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\nhi\r\n0\r\n\r\n",
			"invalid byte in chunk length"},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nhi",
			"multiple Content-Length"},
		{"a header that is too large", "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("a", 1<<20),
			"the header of the response is too large"},
		{"too many informational responses", strings.Repeat("HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n", 100_000),
			"the header of the response is too large"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u := listen(t, func(c net.Conn, in *bufio.Reader, _ int64) {
				if _, err := http.ReadRequest(in); err == nil {
					_, _ = io.WriteString(c, tt.answer)
				}
			})
			if _, _, err := exchange(t.Context(), newTransport(t, nil), u.url, nil); err == nil ||
				!strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want %q", err, tt.want)
			}
			polltest.Until(t, "the connection is closed", func() bool { return u.open.Load() == 0 })
		})
	}
}

func TestTransport_ReturnsAnAnswerToHalfARequest(t *testing.T) {
	answered := make(chan struct{})
	u := listen(t, func(c net.Conn, in *bufio.Reader, _ int64) {
		if _, err := http.ReadRequest(in); err != nil {
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig")
		<-answered // closing at once could destroy the answer (RFC 9112, section 9.6)
	})
	transport := newTransport(t, nil)
	for range 2 {
		response, got := succeeds(t, transport, u.url, large)
		if response.StatusCode != http.StatusRequestEntityTooLarge || got != "big" {
			t.Errorf("got %d %q", response.StatusCode, got)
		}
	}
	if n := u.accepted.Load(); n != 2 {
		t.Errorf("got %d connections, want 2: half a request was written to the first one", n)
	}
	close(answered)
	polltest.Until(t, "the connections are closed", func() bool { return u.open.Load() == 0 })
}

func TestTransport_ReturnsTheAnswerOfAnUpstreamThatStopsReading(t *testing.T) {
	u := listen(t, func(c net.Conn, in *bufio.Reader, _ int64) {
		if _, err := http.ReadRequest(in); err != nil {
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 4\r\n\r\nslow")
		tcp, _ := c.(*net.TCPConn)
		_ = tcp.CloseWrite()
		_, _ = io.Copy(io.Discard, c) // lingers, so that the answer is not lost
	})
	response, got := succeeds(t, newTransport(t, nil), u.url, large)
	if response.StatusCode != http.StatusTooManyRequests || got != "slow" {
		t.Errorf("got %d %q", response.StatusCode, got)
	}
}

func TestTransport_EndsWithTheContext(t *testing.T) {
	head := "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
	tests := []struct {
		name   string
		body   []byte
		secure bool
		handle func(c net.Conn, in *bufio.Reader)
	}{
		{"before the TLS handshake ends", nil, true, func(_ net.Conn, in *bufio.Reader) { _, _ = in.Peek(1) }},
		{"while a large body is written", large, false, func(_ net.Conn, in *bufio.Reader) { _, _ = in.Peek(1) }},
		{"before the response", nil, false, func(_ net.Conn, in *bufio.Reader) { _, _ = http.ReadRequest(in) }},
		{"in the response's header", nil, false, func(c net.Conn, in *bufio.Reader) {
			_, _ = http.ReadRequest(in)
			_, _ = io.WriteString(c, head[:20])
		}},
		{"in the response's body", nil, false, func(c net.Conn, in *bufio.Reader) {
			_, _ = http.ReadRequest(in)
			_, _ = io.WriteString(c, head+"half")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cause := errors.New("the caller left")
			ctx, cancel := context.WithCancelCause(t.Context())
			ended := make(chan struct{})
			u := listen(t, func(c net.Conn, in *bufio.Reader, _ int64) {
				tt.handle(c, in)
				cancel(cause)
				<-ended
			})
			url := u.url
			if tt.secure {
				url = "https" + strings.TrimPrefix(url, "http")
			}
			_, _, err := exchange(ctx, newTransport(t, nil), url, tt.body)
			close(ended)
			if !errors.Is(err, cause) {
				t.Errorf("got error %v, want the cause", err)
			}
			polltest.Until(t, "the connection is closed", func() bool { return u.open.Load() == 0 })
		})
	}
}

func TestTransport_EndsWithTheContextWhileItConnects(t *testing.T) {
	cause := errors.New("the caller left")
	ctx, cancel := context.WithCancelCause(t.Context())
	transport := newTransport(t, func(o *http1.Options) {
		o.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
			cancel(cause)
			<-ctx.Done()
			return nil, ctx.Err()
		}
	})
	if _, _, err := exchange(ctx, transport, "http://upstream.example", nil); !errors.Is(err, cause) {
		t.Errorf("got error %v, want the cause", err)
	}
}

func TestTransport_DoesNotRepeatWhatTheUpstreamMayHave(t *testing.T) {
	var requests atomic.Int64
	u := listen(t, func(c net.Conn, in *bufio.Reader, _ int64) {
		for {
			if _, err := http.ReadRequest(in); err != nil {
				return
			}
			if requests.Add(1) == 2 {
				return // the second request gets no answer
			}
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
		}
	})
	transport := newTransport(t, nil)
	succeeds(t, transport, u.url, nil)
	if _, _, err := exchange(t.Context(), transport, u.url, nil); !errors.Is(err, io.EOF) &&
		!errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got error %v, want an end", err)
	}
	if n := requests.Load(); n != 2 {
		t.Errorf("the upstream got %d requests, want 2", n)
	}
}

func TestTransport_DoesNotUseDeadConnections(t *testing.T) {
	tests := []struct {
		name     string
		farewell string // sent after the first response
	}{
		{"closed", ""},
		{"closed with an answer to nobody", "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"},
	}
	for _, secure := range []bool{false, true} {
		for _, tt := range tests {
			t.Run(fmt.Sprintf("%s, TLS %t", tt.name, secure), func(t *testing.T) {
				t.Parallel()
				closed := make(chan struct{}, 1)
				server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					c, _, err := http.NewResponseController(w).Hijack()
					if err != nil {
						t.Error(err)
						return
					}
					_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"+tt.farewell)
					_ = c.Close()
					closed <- struct{}{}
				}))
				pool := x509.NewCertPool()
				if secure {
					server.StartTLS()
					pool.AddCert(server.Certificate())
				} else {
					server.Start()
				}
				t.Cleanup(server.Close)
				transport := newTransport(t,
					func(o *http1.Options) { o.TLS = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12} })
				for range 20 {
					if _, got := succeeds(t, transport, server.URL, nil); got != "hi" {
						t.Fatalf("got %q", got)
					}
					<-closed
				}
			})
		}
	}
}

// The sockets hold less than the request, so a reused connection takes only a part of it at once.
func TestTransport_WritesARequestThatIsLargerThanTheSocket(t *testing.T) {
	const small = 2 << 10
	shrink := func(c net.Conn) {
		tcp, _ := c.(*net.TCPConn)
		if err := errors.Join(tcp.SetReadBuffer(small), tcp.SetWriteBuffer(small)); err != nil {
			t.Error(err)
		}
	}
	u := listen(t, func(c net.Conn, in *bufio.Reader, _ int64) {
		shrink(c)
		for {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return
			}
			_, _ = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		}
	})
	transport := newTransport(t, func(o *http1.Options) {
		o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := new(net.Dialer).DialContext(ctx, network, address)
			if err == nil {
				shrink(c)
			}
			return c, err
		}
	})
	for i := range 5 {
		body := bytes.Repeat([]byte{'a' + byte(i)}, 16<<10)
		if _, got := succeeds(t, transport, u.url, body); got != string(body) {
			t.Fatalf("exchange %d: the upstream got %d bytes, want %d", i, len(got), len(body))
		}
	}
	if n := u.accepted.Load(); n != 1 {
		t.Errorf("got %d connections, want 1", n)
	}
}

func TestTransport_ReusesConnectionsOverTLS(t *testing.T) {
	var conns atomic.Int64
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body) // all of it first, because net/http's server cannot answer half a request
			_, _ = w.Write(body)
		}))
		server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				conns.Add(1)
			}
		}
		server.TLS = &tls.Config{MaxVersion: version, MinVersion: version}
		server.StartTLS()
		t.Cleanup(server.Close)
		pool := x509.NewCertPool()
		pool.AddCert(server.Certificate())
		transport := newTransport(t,
			func(o *http1.Options) { o.TLS = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12} })
		conns.Store(0)
		for _, size := range []int{1, 10_000, 17_000, 100_000, 1_000_000, 2} {
			if response, got := succeeds(t, transport, server.URL, large[:size]); len(got) != size ||
				response.TLS == nil || response.TLS.Version != version {
				t.Errorf("got %d bytes, want %d; TLS %+v", len(got), size, response.TLS)
			}
		}
		if n := conns.Load(); n != 1 {
			t.Errorf("TLS %x: %d connections, want 1", version, n)
		}
	}
}

func TestTransport_BoundsIdleConnections(t *testing.T) {
	const limit, exchanges = 3, 10
	var together sync.WaitGroup
	together.Add(exchanges)
	u := listen(t, func(c net.Conn, in *bufio.Reader, _ int64) {
		if _, err := http.ReadRequest(in); err != nil {
			return
		}
		together.Done()
		together.Wait()
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
		_, _ = in.ReadByte()
	})
	transport := newTransport(t, func(o *http1.Options) { o.IdlePerHost = limit })
	var running sync.WaitGroup
	for range exchanges {
		running.Go(func() {
			if _, _, err := exchange(t.Context(), transport, u.url, nil); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	polltest.Until(t, "the others are closed", func() bool { return u.open.Load() == limit })
	transport.CloseIdle()
	polltest.Until(t, "all are closed", func() bool { return u.open.Load() == 0 })
}

func TestTransport_ClosesIdleConnectionsInTime(t *testing.T) {
	u := listen(t, answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"))
	transport := newTransport(t, func(o *http1.Options) { o.IdleTimeout = 20 * time.Millisecond })
	for range 2 { // the second time after all of them were closed
		succeeds(t, transport, u.url, nil)
		polltest.Until(t, "the idle connection is closed", func() bool { return u.open.Load() == 0 })
	}
}

func TestTransport_ClosesAConnectionWhoseBodyIsNotRead(t *testing.T) {
	u := listen(t, answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"))
	transport := newTransport(t, nil)
	r, err := request(t.Context(), http.MethodGet, u.url, http.Header{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := response.Body.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := response.Body.Read(make([]byte, 1)); !errors.Is(err, http.ErrBodyReadAfterClose) {
		t.Errorf("got error %v after Close", err)
	}
	polltest.Until(t, "the connection is closed", func() bool { return u.open.Load() == 0 })
}

func TestTransport_ClosesABodyThatAnotherGoroutineReads(t *testing.T) {
	u := listen(t, func(c net.Conn, in *bufio.Reader, _ int64) {
		if _, err := http.ReadRequest(in); err != nil {
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nh")
		_, _ = in.ReadByte()
	})
	r, err := request(t.Context(), http.MethodGet, u.url, http.Header{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := newTransport(t, nil).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan error)
	go func() {
		_, err := io.ReadAll(response.Body)
		read <- err
	}()
	_ = response.Body.Close()
	if err := <-read; err == nil {
		t.Error("got no error from a body that was closed")
	}
}

func TestTransport_FailsIfTheBodyHasAnotherSize(t *testing.T) {
	u := listen(t, answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"))
	r, err := request(t.Context(), http.MethodPost, u.url, http.Header{}, []byte("a body"))
	if err != nil {
		t.Fatal(err)
	}
	r.ContentLength++
	if _, err := newTransport(t, nil).RoundTrip(r); err == nil ||
		!strings.Contains(err.Error(), "ContentLength is 7, but the body has 6 bytes") {
		t.Errorf("got error %v", err)
	}
}

func TestSupports(t *testing.T) {
	tests := []struct {
		name   string
		change func(*http.Request)
		want   bool
	}{
		{"a POST", func(*http.Request) {}, true},
		{"a GET", func(r *http.Request) { r.Method, r.Body, r.ContentLength = http.MethodGet, nil, 0 }, true},
		{"an unusual method", func(r *http.Request) { r.Method = "BREW" }, false},
		{"a CONNECT", func(r *http.Request) { r.Method = http.MethodConnect }, false},
		{"another scheme", func(r *http.Request) { r.URL.Scheme = "ftp" }, false},
		{"a host that is not ASCII", func(r *http.Request) { r.URL.Host = "bücher.example" }, false},
		{"a host with a line break", func(r *http.Request) { r.Host = "a\r\nb" }, false},
		{"no host", func(r *http.Request) { r.URL.Host = "" }, false},
		{"a query with a line break", func(r *http.Request) { r.URL.RawQuery = "a=b HTTP/1.1\r\nc: d" }, false},
		{"a query with a space", func(r *http.Request) { r.URL.RawQuery = "a=b c" }, false},
		{"an opaque URL", func(r *http.Request) { r.URL.Opaque = "//x" }, false},
		{"a body that is not in memory", func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader("a body")) },
			false},
		{"a body of unknown size", func(r *http.Request) { r.ContentLength = -1 }, false},
		{"no body, but a size", func(r *http.Request) { r.Body = nil }, false},
		{"a trailer", func(r *http.Request) { r.Trailer = http.Header{"A": {"b"}} }, false},
		{"an upgrade", func(r *http.Request) { r.Header["Upgrade"] = []string{"websocket"} }, false},
		{"a length of its own", func(r *http.Request) { r.Header["Content-Length"] = []string{"1"} }, false},
		{"an encoding of its own", func(r *http.Request) { r.Header["Transfer-Encoding"] = []string{"chunked"} },
			false},
		{"a name with a line break", func(r *http.Request) { r.Header["A\r\nB"] = []string{"c"} }, false},
		{"a value with a line break", func(r *http.Request) { r.Header["A"] = []string{"b\r\nc: d"} }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := request(t.Context(), http.MethodPost, "https://upstream.example/v1", http.Header{},
				[]byte("a body"))
			if err != nil {
				t.Fatal(err)
			}
			if tt.change(r); http1.Supports(r) != tt.want {
				t.Errorf("got %t, want %t", !tt.want, tt.want)
			}
		})
	}
}
