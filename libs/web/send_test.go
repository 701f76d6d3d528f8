package web

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// countingListener counts the writes to its connections.
type countingListener struct {
	net.Listener
	writes *atomic.Int64
}

type countingConn struct {
	net.Conn
	writes *atomic.Int64
}

func (l countingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return countingConn{conn, l.writes}, err
}

func (c countingConn) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(p)
}

// wrapped is a writer that a handler puts around the server's.
type wrapped struct{ http.ResponseWriter }

func (w wrapped) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func TestSend_WritesOnceForEverySize(t *testing.T) {
	for _, size := range []int{1, buffered - 1, buffered, buffered + 1, 4096, 31_000, 300_000} {
		var writes atomic.Int64
		var perSend []int64
		payload := bytes.Repeat([]byte("x"), size)
		handler := func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusOK)
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
			for range 3 {
				before := writes.Load()
				if err := Send(wrapped{w}, payload); err != nil {
					t.Error(err)
				}
				perSend = append(perSend, writes.Load()-before)
			}
		}
		server := httptest.NewUnstartedServer(Recover(slog.New(slog.DiscardHandler), nil)(http.HandlerFunc(handler)))
		server.Listener = gatheringListener{Listener: countingListener{server.Listener, &writes}}
		server.Config.ConnContext = withConn
		server.Start()
		response, err := http.Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(response.Body)
		if err != nil || !bytes.Equal(got, bytes.Repeat(payload, 3)) {
			t.Errorf("%d bytes sent three times came as %d bytes, %v", size, len(got), err)
		}
		_ = response.Body.Close()
		server.Close()
		for _, n := range perSend {
			if n != 1 {
				t.Errorf("%d bytes were sent in %d writes, want 1", size, n)
			}
		}
	}
}

func TestSend_FailsIfTheClientHasDisconnected(t *testing.T) {
	failed := make(chan error, 1)
	handler := func(w http.ResponseWriter, _ *http.Request) {
		for {
			if err := Send(w, make([]byte, 100_000)); err != nil {
				failed <- err
				return
			}
		}
	}
	server := httptest.NewUnstartedServer(Recover(slog.New(slog.DiscardHandler), nil)(http.HandlerFunc(handler)))
	server.Listener = gatheringListener{Listener: server.Listener}
	server.Config.ConnContext = withConn
	server.Start()
	defer server.Close()
	response, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if err := <-failed; err == nil {
		t.Error("Send succeeded after the client disconnected")
	}
}

func TestSend_WorksWithAnyWriter(t *testing.T) {
	recorder := httptest.NewRecorder()
	if err := Send(recorder, []byte("hello")); err != nil || recorder.Body.String() != "hello" || !recorder.Flushed {
		t.Errorf("sent %q, flushed %v, %v", recorder.Body, recorder.Flushed, err)
	}
}
