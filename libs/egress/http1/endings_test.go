package http1_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/egress/http1"
	"github.com/tollgate/tollgate/libs/polltest"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

var exchanges = flag.Int("exchanges", 2_000, "how many exchanges TestTransport_LeavesNothingBehind makes")

// fate is the result that an exchange must have.
type fate int

const (
	echoed   fate = iota // the response has the query and the body of the request
	answered             // there is a response without a body
	refused              // the status is 413
	failed               // RoundTrip or the body has an error
	left                 // the error is the context's
	unclear              // a response or an error
)

// ending is one way in which an exchange can end. Most are the upstream's doing, which gets the name as the path.
type ending struct {
	name string
	fate fate
	// answer answers a request, whose body is read unless early is true. It returns false if the connection must be
	// closed.
	answer func(c net.Conn, in *bufio.Reader, r *http.Request, echo string) bool
	early  bool
	method string // POST if it is empty
	// What the caller does in place of reading the body.
	leave func(cancel func(), response *http.Response) (taken bool)
}

// says returns an answer with a format, whose arguments are the length of the echo and the echo.
func says(format string, keeps bool) func(net.Conn, *bufio.Reader, *http.Request, string) bool {
	return func(c net.Conn, _ *bufio.Reader, _ *http.Request, echo string) bool {
		_, err := fmt.Fprintf(c, format, len(echo), echo)
		return keeps && err == nil
	}
}

// repeats writes the text until the caller closes the connection.
func repeats(c net.Conn, begin, text string) bool {
	_, err := io.WriteString(c, begin)
	for err == nil {
		_, err = io.WriteString(c, text)
	}
	return false
}

// reset closes a connection so that the other side gets an error.
func reset(c net.Conn) {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}

const tooLarge = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n"

// endings are all endings.
var endings = []ending{
	{name: "length", answer: says("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", true)},
	{name: "chunked", answer: says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", true)},
	{name: "extension",
		answer: says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x;a=b\r\n%s\r\n0\r\n\r\n", true)},
	{name: "trailer", answer: says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: "+
		"A\r\n\r\n%x\r\n%s\r\n0\r\nA: b\r\n\r\n", true)},
	{name: "hints",
		answer: says("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", true)},
	{name: "close", answer: says("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", false)},
	{name: "old", answer: says("HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n%s", false)},
	{name: "unbounded", answer: says("HTTP/1.1 200 OK\r\nA: %d\r\n\r\n%s", false)},
	{name: "head", method: http.MethodHead, fate: answered,
		answer: says("HTTP/1.1 200 OK\r\nContent-Length: %d\r\nB: %.0s\r\n\r\n", true)},
	{name: "empty", fate: answered, answer: says("HTTP/1.1 204 No Content\r\nA: %d%.0s\r\n\r\n", true)},
	{name: "unmodified", fate: answered,
		answer: says("HTTP/1.1 304 Not Modified\r\nContent-Length: %d\r\nB: %.0s\r\n\r\n", true)},
	{name: "switch", fate: answered,
		answer: says("HTTP/1.1 101 Switching Protocols\r\nUpgrade: %d%.0s\r\nConnection: upgrade\r\n\r\n", false)},
	{name: "more", fate: answered, answer: says("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 "+
		"OK\r\nContent-Length: %d\r\nB: %.0s\r\n\r\n", true)},
	{name: "nothing", fate: failed, answer: says("%.0d%.0s", false)},
	{name: "half", fate: failed, answer: says("HTTP/1.1 200 OK\r\nContent-Length: 1%d\r\n\r\n%s", false)},
	{name: "half a chunk", fate: failed,
		answer: says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1%x\r\n%s", false)},
	{name: "no last chunk", fate: failed,
		answer: says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", false)},
	{name: "malformed chunk", fate: failed,
		answer: says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s!!0\r\n\r\n", true)},
	{name: "two lengths", fate: failed,
		answer: says("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1%d\r\n\r\n%s", true)},
	{name: "no HTTP", fate: failed, answer: says("%d%s\r\n\r\n", true)},
	{name: "flood", fate: failed, answer: func(c net.Conn, _ *bufio.Reader, _ *http.Request, _ string) bool {
		return repeats(c, "", "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n")
	}},
	{name: "huge", fate: failed, answer: func(c net.Conn, _ *bufio.Reader, _ *http.Request, _ string) bool {
		return repeats(c, "HTTP/1.1 200 OK\r\nA: ", strings.Repeat("b", 1_000))
	}},
	{name: "reset", fate: failed, early: true,
		answer: func(c net.Conn, _ *bufio.Reader, _ *http.Request, echo string) bool {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n"+echo)
			reset(c)
			return false
		}},
	{name: "early", fate: refused, early: true,
		answer: func(c net.Conn, in *bufio.Reader, _ *http.Request, _ string) bool {
			_, _ = io.WriteString(c, tooLarge+"Connection: close\r\n\r\n")
			_, _ = io.Copy(io.Discard, in)
			return false
		}},
	{name: "early, then read", fate: refused, early: true,
		answer: func(c net.Conn, _ *bufio.Reader, r *http.Request, _ string) bool {
			_, _ = io.WriteString(c, tooLarge+"\r\n")
			_, err := io.Copy(io.Discard, r.Body)
			return err == nil
		}},
	{name: "early, then closed", fate: unclear, early: true,
		answer: func(c net.Conn, _ *bufio.Reader, _ *http.Request, _ string) bool {
			_, _ = io.WriteString(c, tooLarge+"Connection: close\r\n\r\n")
			return false
		}},
	{name: "never", fate: left, leave: func(cancel func(), response *http.Response) bool {
		cancel()
		return response != nil
	}, answer: func(_ net.Conn, in *bufio.Reader, _ *http.Request, _ string) bool {
		_, _ = in.ReadByte() // until the caller leaves
		return false
	}},
	{name: "endless", fate: left, leave: func(cancel func(), response *http.Response) bool {
		if response != nil {
			_, _ = response.Body.Read(make([]byte, 1))
			cancel()
		}
		return false
	}, answer: endless},
	{name: "unread", fate: unclear, leave: func(_ func(), response *http.Response) bool { return response != nil },
		answer: endless},
	{name: "closed in a read", fate: failed, leave: func(_ func(), response *http.Response) bool {
		if response != nil {
			go func() { _ = response.Body.Close() }()
		}
		return false
	}, answer: endless},
	{name: "late", fate: unclear, leave: func(cancel func(), response *http.Response) bool {
		if response == nil {
			go cancel()
		}
		return false
	}, answer: says("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", true)},
}

func endless(c net.Conn, _ *bufio.Reader, _ *http.Request, _ string) bool {
	return repeats(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n")
}

// endAsAsked ends each exchange as its path asks.
func endAsAsked(c net.Conn, in *bufio.Reader, _ int64) {
	byName := map[string]*ending{}
	for i := range endings {
		byName[endings[i].name] = &endings[i]
	}
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		e, body := byName[strings.TrimPrefix(r.URL.Path, "/")], []byte(nil)
		if !e.early {
			if body, err = io.ReadAll(r.Body); err != nil {
				return
			}
		}
		if !e.answer(c, in, r, r.URL.RawQuery+string(body)) {
			return
		}
	}
}

// memory is the memory of a request's body. It is overwritten after the last user has released it.
type memory struct {
	body  []byte
	users atomic.Int32
}

func (m *memory) Retain() { m.users.Add(1) }

func (m *memory) Release() {
	if m.users.Add(-1) == 0 {
		for i := range m.body {
			m.body[i] = '#'
		}
		m.body = nil
	}
}

// end makes an exchange and returns an error if it did not end as it should. used is the memory of its body if it was
// sent.
func (e *ending) end(ctx context.Context, transport http.RoundTripper, base, query string,
	body []byte) (used *memory, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	method := http.MethodPost
	if e.method != "" {
		method = e.method
	}
	echo := query + string(body)
	r, err := request(ctx, method, base+"/"+strings.ReplaceAll(e.name, " ", "%20")+"?"+query, http.Header{}, body)
	if err != nil {
		return nil, err
	}
	used = &memory{body: body}
	if len(body) > 0 {
		r.Body = rawjson.NewBody(body).ReaderOf(used)
	}
	if e.leave != nil {
		go e.leave(cancel, nil)
	}
	response, err := transport.RoundTrip(r)
	if err != nil {
		return nil, e.judge(err, nil, "", "")
	}
	defer func() { _ = response.Body.Close() }()
	if e.leave != nil && e.leave(cancel, response) {
		return used, nil
	}
	got, err := io.ReadAll(response.Body)
	return used, e.judge(err, response, string(got), echo)
}

// judge returns an error if an exchange with this result and body did not end as it should.
func (e *ending) judge(err error, response *http.Response, got, echo string) error {
	switch {
	case e.fate == unclear:
		return nil
	case e.fate == left && errors.Is(err, context.Canceled), e.fate == failed && err != nil:
		return nil //nolint:nilerr // the error is the right end
	case e.fate == left, e.fate == failed:
		return fmt.Errorf("got error %w and %d bytes", err, len(got))
	case err != nil:
		return err
	case e.fate == refused && response.StatusCode != http.StatusRequestEntityTooLarge:
		return fmt.Errorf("got status %d", response.StatusCode)
	case e.fate == echoed && got != echo, e.fate != echoed && got != "":
		return fmt.Errorf("got %d other bytes", len(got))
	}
	return nil
}

// secured starts an upstream over TLS, and returns its certificate in a pool.
func secured(t *testing.T, handle func(net.Conn, *bufio.Reader, int64)) (*upstream, *x509.CertPool) {
	t.Helper()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.StartTLS()
	server.Close()
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	u := listen(t, func(c net.Conn, _ *bufio.Reader, number int64) {
		secure := tls.Server(c, server.TLS)
		handle(secure, bufio.NewReader(secure), number)
	})
	u.url = strings.Replace(u.url, "http", "https", 1)
	return u, pool
}

// openFiles returns the number of open files of this process.
func openFiles(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("this system does not tell the open files")
	}
	return len(files)
}

func TestTransport_LeavesNothingBehind(t *testing.T) {
	plain := listen(t, endAsAsked)
	secure, pool := secured(t, endAsAsked)
	transport := newTransport(t, func(o *http1.Options) {
		o.MaxHeaderBytes = 32 << 10
		o.TLS = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	})
	upstreams := []*upstream{plain, secure}
	none := func() bool { return plain.open.Load()+secure.open.Load() == 0 }
	for _, u := range upstreams { // whatever the first exchange starts for good
		if _, err := endings[0].end(t.Context(), transport, u.url, "first", nil); err != nil {
			t.Fatal(err)
		}
	}
	transport.CloseIdle()
	polltest.Until(t, "no connection is left", none)
	goroutines, files := runtime.NumGoroutine(), openFiles(t)

	const callers = 8
	var memories [callers][]*memory
	var running sync.WaitGroup
	begun := time.Now()
	for caller := range callers {
		random := rand.New(rand.NewPCG(uint64(caller), 1))
		running.Go(func() {
			for i := range *exchanges / callers {
				e, u := &endings[random.IntN(len(endings))], upstreams[random.IntN(len(upstreams))]
				query, size := fmt.Sprintf("%d-%d-", caller, i),
					[]int{0, 1, 100, 10_000, smallBody + 1, 200_000}[random.IntN(6)]
				body := bytes.Repeat([]byte(query), size/len(query)+1)[:size]
				used, err := e.end(t.Context(), transport, u.url, query, body)
				if err != nil {
					t.Errorf("%s, %d bytes, %s: %v", e.name, len(body), u.url, err)
				}
				if used != nil {
					memories[caller] = append(memories[caller], used)
				}
			}
		})
	}
	running.Wait()
	t.Logf("%d exchanges in %v over %d connections", *exchanges, time.Since(begun).Round(time.Millisecond),
		plain.accepted.Load()+secure.accepted.Load())
	for _, used := range slices.Concat(memories[:]...) {
		polltest.Until(t, "the memory of each body is released once", func() bool { return used.users.Load() == 0 })
	}
	polltest.Until(t, "only idle connections are left",
		func() bool { return plain.open.Load()+secure.open.Load() <= 2*callers })
	transport.CloseIdle()
	polltest.Until(t, "no connection is left", none)
	polltest.Until(t, "no goroutine is left", func() bool { return runtime.NumGoroutine() <= goroutines })
	polltest.Until(t, "no file is left", func() bool { return openFiles(t) <= files })
	t.Logf("goroutines: %d before, %d after; open files: %d before, %d after", goroutines, runtime.NumGoroutine(),
		files, openFiles(t))
}
