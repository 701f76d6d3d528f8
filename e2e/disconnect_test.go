package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/e2e/story"
	"github.com/tollgate/tollgate/e2e/wait"
)

// withHeader is a transport that adds a header to every request.
type withHeader struct {
	http.RoundTripper
	name, value string
}

func (h withHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set(h.name, h.value)
	return h.RoundTripper.RoundTrip(r)
}

func TestDisconnect_InMidStreamChargesTheDeliveredPart(t *testing.T) {
	w := sharedTestbed(t)
	caller, owner := w.caller(acmeToken), w.signIn(t, acmeOwner)
	ctx, disconnect := context.WithCancel(story.Context(t))
	barrier := uuid.NewString()
	resp, err := caller.open(ctx, askAt(barrier))
	if err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(resp.Body)
	for seen := 0; seen < 4; { // the first frame has the role, the second one the first content
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(line, "data:") {
			seen++
			if seen == 2 || seen == 3 {
				w.upstream.Pass(t, barrier)
			}
		}
	}
	disconnect()
	resp.Body.Close() //nolint:errcheck // the connection is gone
	l := owner.AwaitLog(t, resp.Header.Get("X-Request-Id"))
	if l.Outcome != "partial" || !l.Estimated || l.Quota == "0" {
		t.Errorf("usage log %+v, want partial, estimated and charged", l)
	}
}

func TestDisconnect_BeforeTheAnswerIsFree(t *testing.T) {
	w := sharedTestbed(t)
	failed := func() int64 {
		return w.query(t, `SELECT count(*) FROM usage_logs WHERE model = 'never-starts' AND outcome = 'failed'`)
	}
	arrived, before := w.upstream.Of(t, "never-starts").Requests, failed()
	ctx, disconnect := context.WithCancel(story.Context(t))
	left := make(chan reply, 1)
	go func() { left <- w.caller(acmeToken).post(ctx, ask("never-starts", someCounts, streaming)) }()
	story.Eventually(t, story.Patience, "the request reaches the upstream",
		func() bool { return w.upstream.Of(t, "never-starts").Requests > arrived })
	disconnect()
	if r := <-left; r.err == nil {
		t.Fatalf("got status %d, want no answer", r.status)
	}
	story.Eventually(t, story.Patience, "the request is recorded as failed", func() bool { return failed() > before })
	if charged := w.query(t, `SELECT count(*) FROM usage_logs WHERE model = 'never-starts' AND quota > 0`); charged >
		0 {
		t.Error("a request without an answer was charged")
	}
}

func TestSlowReader_GetsTheCompleteStream(t *testing.T) {
	w := sharedTestbed(t)
	resp, err := w.caller(acmeToken).open(story.Context(t), ask("huge", someCounts, streaming))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end below
	var total int
	piece := make([]byte, 256<<10)
	var end string
	for {
		n, err := io.ReadFull(resp.Body, piece)
		total += n
		if n > 0 {
			end = string(piece[max(0, n-32):n])
		}
		if err != nil {
			break
		}
		wait.For(t.Context(), 20*time.Millisecond)
	}
	if total < 3_000_000 || !strings.HasSuffix(end, "data: [DONE]\n\n") {
		t.Errorf("got %d bytes that end with %q", total, end)
	}
	if row := w.awaitRow(t, "acme", resp.Header.Get("X-Request-Id")); row.outcome != "success" {
		t.Errorf("got the usage log %+v", row)
	}
}

func TestDisconnect_InTheRequestBodyDoesNotAffectOthers(t *testing.T) {
	w := sharedTestbed(t)
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.Relay.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: "+
		"application/json\r\nContent-Length: 1000\r\n\r\n{\"model\"", acmeToken)
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if r := w.caller(acmeToken).post(story.Context(t), ask("gpt-4o-mini", someCounts)); !r.complete(false) {
		t.Errorf("the next request: got %+v", r)
	}
}
