package stack

import (
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// echo starts a server that sends back everything that it receives, and reports each piece on the channel.
func echo(t *testing.T) (addr string, received chan []byte) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	received = make(chan []byte, 16)
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
					received <- append([]byte(nil), buffer[:n]...)
					if _, err := conn.Write(buffer[:n]); err != nil {
						return
					}
				}
			}()
		}
	}()
	return listener.Addr().String(), received
}

func newTestLink(t *testing.T) (*Link, chan []byte) {
	t.Helper()
	addr, received := echo(t)
	l, err := NewLink(addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l, received
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

// ask sends text and returns the echo, which must arrive within patience.
func ask(conn net.Conn, text string, patience time.Duration) (string, error) {
	if _, err := conn.Write([]byte(text)); err != nil {
		return "", err
	}
	return receive(conn, len(text), patience)
}

func receive(conn net.Conn, length int, patience time.Duration) (string, error) {
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
		t.Fatalf("echo: got %q, %v, want %q", got, err, text)
	}
}

func TestLinkCut_BreaksOpenAndNewConnections(t *testing.T) {
	l, _ := newTestLink(t)
	conn := dial(t, l)
	mustAsk(t, conn, "before")
	l.Cut()
	if got, err := ask(conn, "during", soon); err == nil {
		t.Errorf("an open connection got %q during the cut", got)
	}
	if got, err := ask(dial(t, l), "during", soon); err == nil {
		t.Errorf("a new connection got %q during the cut", got)
	}
	l.Restore()
	mustAsk(t, dial(t, l), "after")
}

func TestLinkBlackhole_HoldsDataBackAndKeepsConnections(t *testing.T) {
	l, received := newTestLink(t)
	conn := dial(t, l)
	mustAsk(t, conn, "before")
	<-received
	l.Blackhole()
	if got, err := ask(conn, "during", silence); !os.IsTimeout(err) {
		t.Errorf("an open connection got %q, %v, want a timeout", got, err)
	}
	if got, err := ask(dial(t, l), "during", silence); !os.IsTimeout(err) {
		t.Errorf("a new connection got %q, %v, want a timeout", got, err)
	}
	if len(received) != 0 {
		t.Errorf("the server received %q during the blackhole", <-received)
	}
	l.Restore()
	if got, err := receive(conn, len("during"), soon); got != "during" || err != nil {
		t.Errorf("after Restore: got %q, %v, want the delayed data", got, err)
	}
}

func TestLinkDelay_DelaysBothDirections(t *testing.T) {
	l, _ := newTestLink(t)
	conn := dial(t, l)
	l.Delay(150 * time.Millisecond)
	began := time.Now()
	mustAsk(t, conn, "slowly")
	if took := time.Since(began); took < 300*time.Millisecond {
		t.Errorf("the round trip took %v, want at least 300ms", took)
	}
}

func TestLinkLoseCommits_LosesTheAnswerToEveryNthCommit(t *testing.T) {
	l, received := newTestLink(t)
	l.LoseCommits(2)
	conn := dial(t, l)
	for range 2 {
		mustAsk(t, conn, "insert")
		<-received
	}
	mustAsk(t, conn, "Q....commit\x00")
	<-received
	if got, err := ask(conn, "Q....commit\x00", soon); err == nil || os.IsTimeout(err) {
		t.Errorf("the second commit got %q, %v, want a closed connection", got, err)
	}
	if got := string(<-received); got != "Q....commit\x00" {
		t.Errorf("the server received %q, want the commit", got)
	}
	if l.Lost() != 1 {
		t.Errorf("Lost() = %d, want 1", l.Lost())
	}
}
