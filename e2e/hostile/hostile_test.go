package hostile_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/fakeupstream"
	"github.com/tollgate/tollgate/e2e/hostile"
	"github.com/tollgate/tollgate/e2e/wait"
)

func TestMain(m *testing.M) {
	if code, ok := hostile.Inside(); ok {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

func TestFlood_SendsWholeAndUnfinishedBodies(t *testing.T) {
	const size = 300_000
	var received atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		received.Add(n)
		if err != nil {
			return
		}
		w.WriteHeader(http.StatusTeapot)
	}))
	defer server.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, row := range []struct {
		name    string
		chunked bool
		missing int64
	}{{"whole", false, 0}, {"whole, chunked", true, 0}, {"unfinished", false, 1}} {
		received.Store(0)
		length := int64(size)
		if row.chunked {
			length = -1
		}
		f := hostile.Flood{
			Addr: strings.TrimPrefix(server.URL, "http://"), Conns: 3, Chunked: row.chunked,
			Head: hostile.PostHead("/", "", length, `{"a":"`), Filler: size - 8 - row.missing, Tail: `"}`,
		}
		var seen hostile.Outcome
		attack, leave := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if err := f.RunApart(attack, &seen); err != nil {
				t.Error(err)
			}
		}()
		if row.missing == 0 {
			<-ended
			if seen.Answers(http.StatusTeapot) != f.Conns || seen.String() != "3 answered 418" ||
				received.Load() != 3*size {
				t.Errorf("%s: %v, %d bytes", row.name, &seen, received.Load())
			}
		}
		leave()
		<-ended
		if row.missing > 0 && seen.Answered() != 0 {
			t.Errorf("%s: %v", row.name, &seen)
		}
	}
}

func TestFlood_LeavesTogether(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // the end of the test
	var begun, left atomic.Int64
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				in := bufio.NewReader(conn)
				_, _ = in.ReadString('\n')
				begun.Add(1)
				_, _ = io.Copy(io.Discard, in)
				left.Add(1)
			}()
		}
	}()
	ctx, leave := context.WithCancel(context.Background())
	f := hostile.Flood{Addr: listener.Addr().String(), Conns: 50, Head: "GET / HTTP/1.1\r\nX: "}
	var seen hostile.Outcome
	ended := make(chan error, 1)
	go func() { ended <- f.RunApart(ctx, &seen) }()
	until(t, func() bool { return begun.Load() == 50 })
	if left.Load() != 0 {
		t.Errorf("%d connections left early", left.Load())
	}
	leave()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	until(t, func() bool { return left.Load() == 50 })
	if seen.String() != "no answer" {
		t.Errorf("got %v", &seen)
	}
}

// until waits for at most 30 seconds until holds returns true.
func until(t *testing.T, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := wait.Until(ctx, func(context.Context) error {
		if !holds() {
			return io.ErrNoProgress
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestPoisons_AreFailuresOfTheUpstream(t *testing.T) {
	server := httptest.NewServer(fakeupstream.New())
	defer server.Close()
	names := map[string]bool{}
	for _, p := range hostile.Poisons() {
		if names[p.Name] {
			t.Errorf("%s occurs twice", p.Name)
		}
		names[p.Name] = true
		if p.Leave > 0 {
			p.Leave = 50 * time.Millisecond
		}
		status := p.Send(context.Background(), http.DefaultClient, server.URL, "token", "model")
		if strings.Contains(p.Script, "status=") != (status >= 400) {
			t.Errorf("%s: the upstream answers %d", p.Name, status)
		}
	}
}
