package web

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
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

// deadlines is a connection that takes a second for each write, and records the sizes of the writes, the time that each
// of them had left, and how often its deadline was set.
type deadlines struct {
	net.Conn
	deadline time.Time
	sizes    []int
	least    time.Duration
	set      int
}

func (d *deadlines) SetWriteDeadline(at time.Time) error {
	d.deadline, d.set = at, d.set+1
	return nil
}

func (d *deadlines) Write(p []byte) (int, error) {
	d.sizes = append(d.sizes, len(p))
	d.least = min(d.least, time.Until(d.deadline))
	<-time.After(time.Second)
	return len(p), nil
}

func TestEachWrite_GivesEachPieceItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &deadlines{least: time.Hour}
		conn := &gatheringConn{Conn: d, each: 10 * time.Second}
		for _, size := range []int{1, maxPiece, 2*maxPiece + 1} {
			if n, err := conn.Write(make([]byte, size)); n != size || err != nil {
				t.Errorf("%d bytes: wrote %d, %v", size, n, err)
			}
		}
		if want := []int{1, maxPiece, maxPiece, maxPiece, 1}; !slices.Equal(d.sizes, want) {
			t.Errorf("got writes of %v bytes, want %v", d.sizes, want)
		}
		for range 100 {
			_, _ = conn.Write([]byte("x"))
		}
		if d.least < 10*time.Second || d.set > 12 {
			t.Errorf("a write had %v, and the deadline was set %d times", d.least, d.set)
		}
		<-time.After(time.Hour) // an idle connection
		if _, _ = conn.Write([]byte("x")); d.least < 10*time.Second {
			t.Errorf("after an idle hour, a write had %v", d.least)
		}
	})
}

func TestEachWrite_LeavesTheDeadlineOfAHandler(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &deadlines{least: time.Hour}
		conn := &gatheringConn{Conn: d, each: 10 * time.Second}
		_, _ = conn.Write([]byte("x"))
		soon := time.Now().Add(5 * time.Second)
		_ = conn.SetWriteDeadline(soon)
		if _, _ = conn.Write([]byte("x")); !d.deadline.Equal(soon) {
			t.Errorf("the deadline is %v, want that of the handler, %v", d.deadline, soon)
		}
		_ = conn.SetWriteDeadline(time.Time{})
		if _, _ = conn.Write([]byte("x")); d.deadline.Before(soon.Add(10 * time.Second)) {
			t.Errorf("afterwards the deadline is %v, want the bound of a write", d.deadline)
		}
	})
}

func TestEachWrite_CostsNothingWithoutABound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &deadlines{}
		if n, err := (&gatheringConn{Conn: d}).Write(make([]byte, 2*maxPiece)); n != 2*maxPiece || err != nil ||
			len(d.sizes) != 1 || d.set != 0 {
			t.Errorf("wrote %d bytes in %d writes with %d deadlines, %v", n, len(d.sizes), d.set, err)
		}
	})
}
