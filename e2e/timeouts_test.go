package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/story"
)

// TestTimeouts checks each timeout of the relay with a peer that does nothing more. Only its testbed has short
// timeouts.
func TestTimeouts(t *testing.T) {
	t.Parallel()
	w := ownTestbed(t, map[string]string{
		"TOLLGATE_UPSTREAM_IDLE_TIMEOUT":       "5s",
		"TOLLGATE_UPSTREAM_FIRST_BYTE_TIMEOUT": "5s",
		"TOLLGATE_BODY_READ_TIMEOUT":           "5s",
	})
	t.Run("an upstream without a first byte", w.testNoFirstByte)
	t.Run("a stream that stalls", func(t *testing.T) { w.testBreak(t, "odd-stall") })
	t.Run("a stream of a response that stalls", func(t *testing.T) { w.testBrokenResponse(t, "odd-stall") })
	t.Run("a body that stalls", w.testSlowBody)
}

func (w *testbed) testNoFirstByte(t *testing.T) {
	r := w.caller(acmeToken).post(story.Context(t), ask("odd-stall-before-headers", someCounts))
	if f := r.failure(t); r.status != http.StatusGatewayTimeout || text(f.Code) != "upstream_timeout" ||
		r.header.Get("X-Should-Retry") != "true" {
		t.Errorf("got status %d: %s", r.status, r.body)
	}
}

func (w *testbed) testSlowBody(t *testing.T) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.Relay.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close() //nolint:errcheck // the relay closes the connection
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: "+
		"application/json\r\nContent-Length: 1000\r\n\r\n{", chatPath, acmeToken)
	if err := conn.SetReadDeadline(time.Now().Add(story.Patience)); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end below
	body, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusRequestTimeout || !bytes.Contains(body, []byte(`"request_timeout"`)) {
		t.Errorf("got status %d, want 408: %s", resp.StatusCode, body)
	}
}
