package contract

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// tapped returns a tap in front of the handler, and its checker.
func tapped(t *testing.T, handler http.HandlerFunc) (*Tap, *Checker) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c, err := parse(t).Checker()
	if err != nil {
		t.Fatal(err)
	}
	tap, err := c.Tap(strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tap.Close)
	return tap, c
}

func TestTap_HandsExchangesToTheChecker(t *testing.T) {
	t.Parallel()
	tap, c := tapped(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":7}`)
	})
	for range 3 {
		answer, err := http.Post("http://"+tap.Addr()+"/v1/things/7", "application/json",
			strings.NewReader(`{"content":[]}`))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		if err != nil || string(text) != `{"id":7}` {
			t.Errorf("got %q, %v", text, err)
		}
		_ = answer.Body.Close()
	}
	tap.Close()
	if err := c.Close(); err == nil ||
		!strings.Contains(err.Error(), "answer with 200 at /id: got number, want string\n    7\n    3 times") {
		t.Errorf("got %v, want the difference 3 times", err)
	}
}

// TestTap_PassesTheEndOfBothDirections checks that a client's half-close, a client's end and a server's end pass.
func TestTap_PassesTheEndOfBothDirections(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // the test ends
	c, err := parse(t).Checker()
	if err != nil {
		t.Fatal(err)
	}
	tap, err := c.Tap(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer tap.Close()
	client, server := both(t, tap, listener)
	_, _ = io.WriteString(client, "question")
	_ = client.CloseWrite()
	if text, err := io.ReadAll(server); err != nil || string(text) != "question" {
		t.Errorf("the server got %q, %v", text, err)
	}
	_, _ = io.WriteString(server, "answer")
	_ = server.Close()
	if text, err := io.ReadAll(client); err != nil || string(text) != "answer" {
		t.Errorf("the client got %q, %v", text, err)
	}

	client, server = both(t, tap, listener)
	_ = client.SetLinger(0)
	_ = client.Close() // a reset
	if _, err := bufio.NewReader(server).ReadByte(); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("the server got %v, want a reset", err)
	}

	client, server = both(t, tap, listener)
	_ = server.SetLinger(0)
	_ = server.Close()
	if _, err := bufio.NewReader(client).ReadByte(); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("the client got %v, want a reset", err)
	}
}

// both returns the two ends of a connection through the tap.
func both(t *testing.T, tap *Tap, listener net.Listener) (client, server *net.TCPConn) {
	t.Helper()
	dialed, err := net.Dial("tcp", tap.Addr())
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	for _, conn := range []net.Conn{dialed, accepted} {
		t.Cleanup(func() { _ = conn.Close() })
		if err := conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	client, clientOK := dialed.(*net.TCPConn)
	server, serverOK := accepted.(*net.TCPConn)
	if !clientOK || !serverOK {
		t.Fatalf("got %T and %T, want TCP connections", dialed, accepted)
	}
	return client, server
}
