package stack

import (
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// echo is a server that says again what it hears, and how much that was.
func echo(t *testing.T) (addr string, heard chan []byte) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	heard = make(chan []byte, 16)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close() //nolint:errcheck // a test's connection
				buffer := make([]byte, 1024)
				for {
					n, err := conn.Read(buffer)
					if err != nil {
						return
					}
					heard <- append([]byte(nil), buffer[:n]...)
					if _, err := conn.Write(buffer[:n]); err != nil {
						return
					}
				}
			}()
		}
	}()
	return listener.Addr().String(), heard
}

func newTestLink(t *testing.T) (*Link, chan []byte) {
	t.Helper()
	addr, heard := echo(t)
	l, err := NewLink(addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l, heard
}

func dial(t *testing.T, l *Link) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// ask says text and returns the answer, which must come within patience.
func ask(conn net.Conn, text string, patience time.Duration) (string, error) {
	if _, err := conn.Write([]byte(text)); err != nil {
		return "", err
	}
	return hear(conn, len(text), patience)
}

func hear(conn net.Conn, length int, patience time.Duration) (string, error) {
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return "", err
	}
	answer := make([]byte, length)
	n, err := io.ReadFull(conn, answer)
	return string(answer[:n]), err
}

const (
	soon    = 10 * time.Second
	silence = 200 * time.Millisecond
)

func mustAsk(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	if got, err := ask(conn, text, soon); got != text || err != nil {
		t.Fatalf("got %q, %v", got, err)
	}
}

func TestLinkCutBreaksOldAndNewConnections(t *testing.T) {
	l, _ := newTestLink(t)
	conn := dial(t, l)
	mustAsk(t, conn, "before")
	l.Cut()
	if got, err := ask(conn, "during", soon); err == nil {
		t.Errorf("an old connection says %q", got)
	}
	if got, err := ask(dial(t, l), "during", soon); err == nil {
		t.Errorf("a new connection says %q", got)
	}
	l.Restore()
	mustAsk(t, dial(t, l), "after")
}

func TestLinkBlackholeIsSilentAndBreaksNothing(t *testing.T) {
	l, heard := newTestLink(t)
	conn := dial(t, l)
	mustAsk(t, conn, "before")
	<-heard
	l.Blackhole()
	if got, err := ask(conn, "during", silence); !os.IsTimeout(err) {
		t.Errorf("an old connection says %q, %v", got, err)
	}
	if got, err := ask(dial(t, l), "during", silence); !os.IsTimeout(err) {
		t.Errorf("a new connection says %q, %v", got, err)
	}
	if len(heard) != 0 {
		t.Errorf("the server heard %q", <-heard)
	}
	l.Restore()
	if got, err := hear(conn, len("during"), soon); got != "during" || err != nil {
		t.Errorf("afterwards: %q, %v", got, err)
	}
}

func TestLinkDelays(t *testing.T) {
	l, _ := newTestLink(t)
	conn := dial(t, l)
	l.Delay(150 * time.Millisecond)
	began := time.Now()
	mustAsk(t, conn, "slowly")
	if took := time.Since(began); took < 300*time.Millisecond {
		t.Errorf("there and back took %v", took)
	}
}

func TestLinkLosesTheAnswerToEveryOtherCommit(t *testing.T) {
	l, heard := newTestLink(t)
	l.LoseCommits(2)
	conn := dial(t, l)
	for range 2 {
		mustAsk(t, conn, "insert")
		<-heard
	}
	mustAsk(t, conn, "Q....commit\x00")
	<-heard
	if got, err := ask(conn, "Q....commit\x00", soon); err == nil || os.IsTimeout(err) {
		t.Errorf("the second commit was answered with %q, %v", got, err)
	}
	if got := string(<-heard); got != "Q....commit\x00" {
		t.Errorf("the server heard %q in place of the commit", got)
	}
	if l.Lost() != 1 {
		t.Errorf("%d are counted as lost", l.Lost())
	}
}
