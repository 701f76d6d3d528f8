package web_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/polltest"
	"github.com/tollgate/tollgate/libs/web"
)

// soon is a timeout that a test waits for; never is one that it does not reach.
const (
	soon  = 2 * time.Second // a request must arrive within it
	never = time.Hour
)

// connect starts a server with the options that change sets, and with timeouts that are never reached otherwise. It
// returns a client's connection to the server.
func connect(t *testing.T, handler http.HandlerFunc, change func(*web.ServerOptions)) (conn net.Conn, s *web.Server) {
	t.Helper()
	o := web.ServerOptions{
		Name: "test", Addr: "127.0.0.1:0", Handler: handler, Log: quiet(),
		HeaderTimeout: never, ReadTimeout: never, WriteTimeout: never, IdleTimeout: never,
	}
	change(&o)
	s = web.NewServer(o)
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop(t.Context()) })
	return dial(t, s), s
}

func dial(t *testing.T, s *web.Server) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// waitUntilClosed waits until the server has closed the connection.
func waitUntilClosed(t *testing.T, conn net.Conn) {
	t.Helper()
	if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the connection is still open")
	}
}

// drip sends the text byte by byte until the server closes the connection.
func drip(conn net.Conn, text string) {
	for i := range len(text) {
		if _, err := conn.Write([]byte{text[i]}); err != nil {
			return
		}
	}
}

func TestServer_ClosesConnectionsWithASlowHeader(t *testing.T) {
	t.Parallel()
	conn, _ := connect(t, func(http.ResponseWriter, *http.Request) { t.Error("the request was served") },
		func(o *web.ServerOptions) { o.HeaderTimeout = soon })
	drip(conn, "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ")
	waitUntilClosed(t, conn)
}

func TestServer_ClosesConnectionsWithASlowBody(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1)
	conn, _ := connect(t, func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		failed <- err
	}, func(o *web.ServerOptions) { o.ReadTimeout = soon })
	drip(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc")
	if err := <-failed; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("reading the body: %v", err)
	}
	waitUntilClosed(t, conn)
}

func TestServer_AbortsAResponseThatNobodyReads(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1)
	conn, _ := connect(t, func(w http.ResponseWriter, _ *http.Request) {
		chunk := bytes.Repeat([]byte("x"), 1<<20)
		for range 1000 { // far more than the kernel buffers
			if _, err := w.Write(chunk); err != nil {
				failed <- err
				return
			}
		}
		failed <- nil
	}, func(o *web.ServerOptions) { o.WriteTimeout = soon })
	drip(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	if err := <-failed; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("writing the response: %v", err)
	}
}

// The response has no end, so only the bound of each write can end it. Its bytes come in writes of all sizes.
func TestServer_AbortsEachWriteThatNobodyReads(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"small writes": 1 << 10, "large writes": 4 << 20} {
		failed := make(chan error, 1)
		conn, _ := connect(t, func(w http.ResponseWriter, _ *http.Request) {
			for chunk := bytes.Repeat([]byte("x"), size); ; {
				if _, err := w.Write(chunk); err != nil {
					failed <- err
					return
				}
			}
		}, func(o *web.ServerOptions) { o.WriteTimeout, o.EachWrite = web.Unbounded, soon })
		drip(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		if err := <-failed; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestServer_ClosesIdleConnections(t *testing.T) {
	t.Parallel()
	conn, _ := connect(t, func(http.ResponseWriter, *http.Request) {}, func(o *web.ServerOptions) {
		o.IdleTimeout = soon
	})
	drip(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	waitUntilClosed(t, conn)
}

func TestServer_RefusesALargeHeader(t *testing.T) {
	t.Parallel()
	conn, _ := connect(t, func(http.ResponseWriter, *http.Request) { t.Error("the request was served") },
		func(*web.ServerOptions) {})
	go func() { // the server answers before it has read everything
		_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nX-Large: "+strings.Repeat("x", 128<<10)+"\r\n\r\n")
	}()
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || response.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("%v, %v", response, err)
	}
}

func TestServer_QueuesConnectionsBeyondMaxConns(t *testing.T) {
	t.Parallel()
	served, answer := make(chan string, 3), make(chan struct{}, 3)
	first, s := connect(t, func(_ http.ResponseWriter, r *http.Request) {
		served <- r.URL.Path
		<-answer
	}, func(o *web.ServerOptions) { o.MaxConns = 2 })
	defer close(answer)
	ask := func(conn net.Conn, path string) { drip(conn, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n") }
	ask(first, "/first")
	ask(dial(t, s), "/second")
	<-served
	<-served
	ask(dial(t, s), "/third")
	answer <- struct{}{} // one of the first two waits for its next request and gives its place to the third
	if path := <-served; path != "/third" {
		t.Errorf("%s was served", path)
	}
}

// Connections that do nothing would keep everybody else out.
func TestServer_ClosesWaitingConnectionsAtMaxConns(t *testing.T) {
	t.Parallel()
	served, answer := make(chan struct{}), make(chan struct{})
	busy, s := connect(t, func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			served <- struct{}{}
			<-answer
		}
	}, func(o *web.ServerOptions) { o.MaxConns = 4 })
	drip(busy, "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
	<-served
	idle, unfinished, silent := dial(t, s), dial(t, s), dial(t, s)
	get(t, idle)
	drip(unfinished, "GET / HTTP/1.1\r\nHost:")
	for _, conn := range []net.Conn{idle, unfinished, silent} {
		polltest.Until(t, "a connection without a request is closed", func() bool {
			get(t, dial(t, s)) // takes the place of the one that has waited for the longest time
			return isClosed(conn)
		})
	}
	close(answer)
	response, err := http.ReadResponse(bufio.NewReader(busy), nil)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("the request that was being served: got %v, %v", response, err)
	}
}

// isClosed reports whether the server has closed the connection.
func isClosed(conn net.Conn) bool {
	_ = conn.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err := conn.Read(make([]byte, 1))
	return !errors.Is(err, os.ErrDeadlineExceeded)
}

// get sends a request and waits for the answer.
func get(t *testing.T, conn net.Conn) {
	t.Helper()
	drip(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("got %v, %v", response, err)
	}
}

func TestStop_WorksWithAllConnectionsInUse(t *testing.T) {
	t.Parallel()
	served := make(chan struct{})
	conn, s := connect(t, func(http.ResponseWriter, *http.Request) { close(served) }, func(o *web.ServerOptions) {
		o.MaxConns = 1
	})
	drip(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	<-served
	dial(t, s) // waits in the queue
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}
