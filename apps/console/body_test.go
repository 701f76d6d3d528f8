package console_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// wire is a connection on which a test writes requests byte by byte.
type wire struct {
	*consoletest.Stack
	net.Conn
}

// dial opens a connection and sends the head of a POST request with the given headers.
func dial(s *consoletest.Stack, path string, headers ...string) wire {
	s.Helper()
	conn, err := new(net.Dialer).DialContext(s.Context(), "tcp", strings.TrimPrefix(s.URL, "http://"))
	s.Must(err)
	s.Cleanup(func() { _ = conn.Close() })
	s.Must(conn.SetReadDeadline(time.Now().Add(5 * time.Minute)))
	w := wire{s, conn}
	w.send("POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
		strings.Join(append(headers, ""), "\r\n") + "\r\n")
	return w
}

func (w wire) send(text string) {
	w.Helper()
	_, err := io.WriteString(w.Conn, text)
	w.Must(err)
}

// answer reads the response. It returns status 0 if the connection was closed without one. It may run in any goroutine.
func (w wire) answer() (int, string) {
	response, err := http.ReadResponse(bufio.NewReader(w.Conn), nil)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	raw, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(raw)
}

func TestBodies_BrokenOnesAreRefusedWithoutErrorsInTheLog(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := consoletest.SetupFor(t, storetest.SQLite(t), config.Config{ConsoleURL: "http://localhost:8081",
		AccessLog: config.AllRequests})
	s.Logger = slog.New(slog.NewTextHandler(&log, nil))
	s.Serve()
	cookie := "Cookie: tollgate_session=" + s.As(s.Acme.Owner).Cookie
	for _, row := range []struct{ name, head, body string }{
		{"no chunk size", "Transfer-Encoding: chunked", "ZZ\r\n{}\r\n"},
		{"chunk size without end", "Transfer-Encoding: chunked", strings.Repeat("1", 100)},
		{"chunk without its line end", "Transfer-Encoding: chunked", "2\r\n{}0\r\n\r\n"},
		{"no last chunk", "Transfer-Encoding: chunked", "2\r\n{}\r\n"},
		{"cut in a chunk", "Transfer-Encoding: chunked", "8\r\n{}"},
		{"cut body", "Content-Length: 100", `{"name":"x"`},
		{"no body", "Content-Length: 100", ""},
	} {
		for _, path := range []string{"/api/session", "/api/tokens", "/api/playground/responses", "/api/nothing"} {
			w := dial(s, path, row.head, cookie, "X-Tollgate-Token: sk-x")
			w.send(row.body)
			tcp, _ := w.Conn.(*net.TCPConn)
			s.Must(tcp.CloseWrite())
			status, text := w.answer()
			if status != http.StatusBadRequest && status != 0 && (status != http.StatusNotFound ||
				path != "/api/nothing") && (status != http.StatusConflict || !strings.Contains(path, "playground")) {
				t.Errorf("%s to %s: got status %d, want 400 or none: %s", row.name, path, status, text)
			}
		}
	}
	s.Close()
	if strings.Contains(log.String(), "level=ERROR") || strings.Contains(log.String(), "level=WARN") {
		t.Errorf("the log has errors:\n%s", log.String())
	}
}

func TestBodies_HaveTheSizeOfTheirOperation(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	text := func(size int) string { return `{"name":"` + strings.Repeat("x", size) + `"}` }
	owner, member, operator := s.As(s.Acme.Owner), s.As(s.Acme.Member), s.As(s.Operator)
	for _, row := range []struct {
		name   string
		who    *consoletest.Client
		path   string
		size   int
		status int
	}{
		{"before sign-in", s.Anonymous(), "/api/session", 17 << 10, http.StatusRequestEntityTooLarge},
		{"before sign-in, within the limit", s.Anonymous(), "/api/session", 15 << 10, http.StatusBadRequest},
		{"signed in, public operation", owner, "/api/session", 17 << 10, http.StatusRequestEntityTooLarge},
		{"most operations", owner, "/api/invitations", 65 << 10, http.StatusRequestEntityTooLarge},
		{"most operations, within the limit", owner, "/api/invitations", 63 << 10, http.StatusBadRequest},
		{"token", owner, "/api/tokens", 513 << 10, http.StatusRequestEntityTooLarge},
		{"token, within the limit", owner, "/api/tokens", 511 << 10, http.StatusBadRequest},
		{"manifest", operator, "/api/operator/jobs/catalogue-import", 1025 << 10, http.StatusRequestEntityTooLarge},
		{"manifest, within the limit", operator, "/api/operator/jobs/catalogue-import", 1023 << 10,
			http.StatusBadRequest},
		{"manifest of a member", member, "/api/operator/jobs/catalogue-import", 1025 << 10, http.StatusForbidden},
		{"without a session", s.Anonymous(), "/api/tokens", 1025 << 10, http.StatusUnauthorized},
	} {
		if r := row.who.Post(row.path, text(row.size)); r.StatusCode != row.status {
			t.Errorf("%s: got status %d, want %d: %s", row.name, r.StatusCode, row.status, r.Raw)
		}
	}
}

// The size is refused before a byte of the body is sent, and without a length after the limit.
func TestBodies_TooLargeOnesAreNotRead(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	if status, text := dial(s, "/api/session", "Content-Length: 1048576").
		answer(); status != http.StatusRequestEntityTooLarge {
		t.Errorf("got status %d, want 413: %s", status, text)
	}
	for _, size := range []string{"1048576", "100"} {
		if status, text := dial(s, "/api/tokens", "Content-Length: "+size).answer(); status != http.StatusUnauthorized {
			t.Errorf("got status %d, want 401: %s", status, text)
		}
	}
	w := dial(s, "/api/session", "Transfer-Encoding: chunked")
	for range 5 {
		w.send("1000\r\n" + strings.Repeat(" ", 4096) + "\r\n")
	}
	w.send("0\r\n\r\n")
	if status, text := w.answer(); status != http.StatusRequestEntityTooLarge {
		t.Errorf("got status %d, want 413: %s", status, text)
	}
}

// 400 sign-ins that never end used to take all memory. Those of one address take a part of the room for bodies, and
// others sign in meanwhile.
func TestBodies_UnfinishedSignInsLeaveRoomForOthers(t *testing.T) {
	t.Parallel()
	s := consoletest.Besieged(t, consoletest.Cheap)
	const body = 15 << 10
	statuses := make(chan int, 400)
	for i := range cap(statuses) {
		w := dial(s, "/api/session", fmt.Sprintf("Content-Length: %d", body+1), "X-Forwarded-For: 192.0.2."+
			fmt.Sprint(i%4))
		w.send(strings.Repeat(" ", body))
		go func() {
			status, _ := w.answer()
			statuses <- status
		}()
	}
	// The others get no response as long as their connections are open.
	for i := range 150 {
		if status := <-statuses; status != http.StatusServiceUnavailable {
			t.Fatalf("response %d: got status %d, want 503", i, status)
		}
	}
	other := &consoletest.Client{Stack: s, Peer: "198.51.100.1"}
	other.Post("/api/session", consoletest.Credentials("owner@acme.example", consoletest.Password)).
		Want(t, http.StatusOK)
	s.As(s.Acme.Owner).Post("/api/tokens", map[string]any{"name": "x"}).Want(t, http.StatusCreated)
}

// A second spelling of a key used to reach the handler without validation, because Go's decoder ignores case. Of equal
// keys, the validation sees the last one, and the decoder merges their objects.
func TestBodies_HaveEachKeyOnceAndInItsSpelling(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	owner := s.As(s.Acme.Owner)
	models := `["` + strings.Repeat(`m","`, 4_000) + `m"]`
	for _, row := range []struct{ name, path, body string }{
		{"second spelling", "/api/invitations",
			`{"email":"a@b.example","role":"member","valid_days":7,"Valid_Days":100000}`},
		{"second spelling only", "/api/invitations", `{"email":"a@b.example","role":"member","Valid_Days":100000}`},
		{"second spelling of a list", "/api/tokens", `{"name":"x","models":[],"MODELS":` + models + `}`},
		{"second spelling in an object", "/api/tokens", `{"name":"x","limits":{"concurrency":1,"Concurrency":-1}}`},
		{"equal keys", "/api/invitations",
			`{"email":"a@b.example","role":"member","valid_days":100000,"valid_days":7}`},
		{"equal keys with an escape", "/api/invitations",
			`{"email":"a@b.example","role":"member","valid_days":100000,"valid_d\u0061ys":7}`},
		{"equal objects", "/api/tokens", `{"name":"x","limits":{"concurrency":-1},"limits":{}}`},
		{"equal lists", "/api/tokens", `{"name":"x","models":` + models + `,"models":[]}`},
		{"too many values", "/api/tokens", `{"name":"x","models":[` + strings.Repeat("[],", 100_000) + `[]]}`},
	} {
		if r := owner.Post(row.path, row.body); r.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: got status %d, want 400: %.300s", row.name, r.StatusCode, r.Raw)
		}
	}
	token := "/api/tokens/" + s.Acme.Token.ID.String()
	for _, body := range []string{
		`{"models":[],"Models":` + models + `}`, `{"Models":` + models + `}`,
		`{"limits":{"concurrency":-1},"limits":{}}`, `{"caps":{"day":"-1"},"caps":{}}`,
	} {
		if r := owner.Patch(token, body); r.StatusCode != http.StatusBadRequest {
			t.Errorf("%.80s: got status %d, want 400: %.300s", body, r.StatusCode, r.Raw)
		}
	}
	consoletest.Equal(t, owner.Get(token).Want(t, http.StatusOK), 0.0, "limits", "concurrency")
}
