package web

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/polltest"
)

// headServer starts a server whose unfinished heads may use limit bytes.
func headServer(t *testing.T, limit int64) *Server {
	t.Helper()
	s := NewServer(ServerOptions{
		Name: "test", Addr: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			_, _ = fmt.Fprint(w, len(body))
		}),
	})
	s.heads.limit = limit
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop(t.Context()) })
	return s
}

// open opens a connection and sends the text.
func open(t *testing.T, s *Server, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

// inUse returns the memory of unfinished heads.
func (h *heads) inUse() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.used
}

// reaches waits until the memory of unfinished heads is at least, or exactly for 0, so many bytes.
func (h *heads) reaches(t *testing.T, want int64) {
	t.Helper()
	polltest.Until(t, "the heads use so much memory", func() bool {
		got := h.inUse()
		return got >= want && (want > 0 || got == 0)
	})
}

// counts waits until the connection's head is the last one that was counted.
func (h *heads) counts(t *testing.T, conn net.Conn) {
	t.Helper()
	polltest.Until(t, "the head of the connection counts", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		last := h.unfinished.Back()
		if last == nil {
			return false
		}
		c, ok := last.Value.(*gatheringConn)
		return ok && c.RemoteAddr().String() == conn.LocalAddr().String()
	})
}

const unfinished = "POST / HTTP/1.1\r\nHost: x\r\nX-Long: "

func TestHeads_CloseTheOldestWhenTheyUseTooMuch(t *testing.T) {
	const each = 3_000
	s := headServer(t, 20*each*headWeight)
	var conns []net.Conn
	for range 200 {
		conn := open(t, s, unfinished+strings.Repeat("x", each))
		s.heads.counts(t, conn) // the oldest is the one that was opened first
		conns = append(conns, conn)
		if used := s.heads.inUse(); used > s.heads.limit {
			t.Fatalf("got %d bytes in use, want at most %d", used, s.heads.limit)
		}
	}
	for _, conn := range conns[:180] {
		if n, _ := conn.Read(make([]byte, 1)); n != 0 {
			t.Error("the server answered an unfinished head")
		}
	}
	// A head that arrives in several parts without a pause is served meanwhile.
	late := open(t, s, unfinished+strings.Repeat("x", 10_000))
	if _, err := io.WriteString(late, strings.Repeat("x", 10_000)+"\r\nContent-Length: 5\r\n\r\nhello"); err != nil {
		t.Fatal(err)
	}
	if response, err := http.ReadResponse(bufio.NewReader(late), nil); err != nil ||
		response.StatusCode != http.StatusOK {
		t.Errorf("got %v, %v", response, err)
	}
	for _, conn := range append(conns, late) {
		_ = conn.Close()
	}
	s.heads.reaches(t, 0)
}

func TestHeads_CountEveryRequestOfAConnection(t *testing.T) {
	s := headServer(t, headMemory)
	conn := open(t, s, "")
	reader := bufio.NewReader(conn)
	for range 3 {
		if _, err := io.WriteString(conn, unfinished+strings.Repeat("x", 3_000)); err != nil {
			t.Fatal(err)
		}
		s.heads.reaches(t, 3_000*headWeight)
		if _, err := io.WriteString(conn, "\r\nContent-Length: 20000\r\n\r\n"+strings.Repeat("y", 20_000)); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, _ := io.ReadAll(response.Body); string(body) != "20000" {
			t.Errorf("the handler read %s bytes", body)
		}
		s.heads.reaches(t, 0) // the body is not part of the head
	}
}

func TestHeads_HaveABoundedNumberOfLines(t *testing.T) {
	s := headServer(t, headMemory)
	const first, last = "POST / HTTP/1.1\r\nHost: x\r\n", "Content-Length: 600\r\n\r\n"
	body := strings.Repeat("\n", 600) // lines of a body don't count
	for _, row := range []struct {
		name   string
		lines  int
		served bool
	}{{"as many as allowed", maxHeadLines - 4, true}, {"one more", maxHeadLines - 3, false}, {"many", 5_000, false}} {
		for _, parts := range []int{1, 7, 1 << 20} {
			text := first + strings.Repeat("a:b\r\n", row.lines) + last + body
			conn := open(t, s, "")
			for step := max(1, len(text)/parts); len(text) > 0; {
				n := min(step, len(text))
				if _, err := io.WriteString(conn, text[:n]); err != nil {
					break // the server has closed the connection
				}
				text = text[n:]
			}
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if served := err == nil && response.StatusCode == http.StatusOK; served != row.served {
				t.Errorf("%s, in %d parts: served %v, want %v (%v)", row.name, parts, served, row.served, err)
			}
			_ = conn.Close()
		}
	}
}

// net/http skips blank lines before a request that follows a POST.
func TestHeads_CountTheLinesBehindBlankLines(t *testing.T) {
	s := headServer(t, headMemory)
	const post = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n"
	for _, blank := range []string{"", "\n", "\r\n", "\n\n", "\r\n\r\n"} {
		conn := open(t, s, post+"\r\n")
		reader := bufio.NewReader(conn)
		first, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, first.Body); err != nil {
			t.Fatal(err)
		}
		// The server may close the connection before it has all.
		_, _ = io.WriteString(conn, blank+post+strings.Repeat("a:b\r\n", 5_000)+"\r\n")
		response, err := http.ReadResponse(reader, nil)
		if err == nil && response.StatusCode == http.StatusOK {
			t.Errorf("behind %q the server takes a head with 5,000 lines", blank)
		}
	}
}

// A client sends a request with a length and with chunks, and behind the chunks another request, which a proxy that
// goes by the length takes for a part of the first one's body.
func TestServer_AnswersNoRequestAfterAChunkedOne(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	s := NewServer(ServerOptions{
		Name: "test", Addr: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler),
		Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, r.Method+" "+r.URL.Path)
		}),
	})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop(context.Background()) })
	const smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
	for name, sent := range map[string]string{
		"both": "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 43\r\nTransfer-Encoding: " +
			"chunked\r\n\r\n0\r\n\r\n" + smuggled,
		"both, reversed": "POST / HTTP/1.1\r\nHost: x\r\ntransfer-encoding: chunked\r\ncontent-length: " +
			"43\r\n\r\n0\r\n\r\n" + smuggled,
		"behind another": "GET /first HTTP/1.1\r\nHost: x\r\n\r\nPOST / HTTP/1.1\r\nHost: x\r\nContent-Length: " +
			"43\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled,
	} {
		mu.Lock()
		seen = nil
		mu.Unlock()
		conn := open(t, s, sent)
		all, err := io.ReadAll(conn) // until the server closes the connection
		if err != nil || !strings.Contains(string(all), "Connection: close") {
			t.Errorf("%s: got %q, err %v; want an answer that closes the connection", name, all, err)
		}
		mu.Lock()
		got := slices.Clone(seen)
		mu.Unlock()
		if slices.Contains(got, "GET /smuggled") || !slices.Contains(got, "POST /") {
			t.Errorf("%s: the handler got %q", name, got)
		}
	}
}
