package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/tollgate/tollgate/e2e/story"
)

func TestTermination_LetsOpenStreamsFinish(t *testing.T) {
	t.Parallel()
	const streams = 200
	w := ownTestbed(t, map[string]string{"TOLLGATE_DRAIN_TIMEOUT": "3m", "TOLLGATE_UPSTREAM_IDLE_TIMEOUT": "3m"})
	caller := w.caller(acmeToken)
	var begun, ended sync.WaitGroup
	begun.Add(streams)
	var l ledger
	for range streams {
		ended.Go(func() {
			resp, err := caller.open(context.Background(), ask("paused", someCounts, streaming))
			if err != nil {
				begun.Done()
				l.note(&reply{err: err}, true, success{})
				return
			}
			defer resp.Body.Close() //nolint:errcheck // read to its end below
			in := bufio.NewReader(resp.Body)
			first, err := in.ReadString('\n')
			begun.Done()
			rest, restErr := io.ReadAll(in)
			if err == nil {
				err = restErr
			}
			l.note(&reply{resp.StatusCode, resp.Header, append([]byte(first), rest...), err}, true,
				success{model: "paused", quota: bill(someCounts, "1")})
		})
	}
	begun.Wait()
	if err := w.Relay.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	served := streams
	story.Eventually(t, story.Patience, "new connections are refused", func() bool {
		r := w.caller(acmeToken).post(story.Context(t), ask("gpt-4o-mini", someCounts))
		if r.err == nil && r.status == 200 { // the request arrived before the relay handled the signal
			l.note(&r, false, success{model: "gpt-4o-mini", quota: bill(someCounts, "1")})
			served++
		}
		return r.err != nil || r.status == 503
	})
	w.upstream.Open(t, "paused")
	ended.Wait()
	if err := w.Relay.Wait(story.Context(t)); err != nil {
		t.Error(err)
	}
	if ok, failed := l.counts(); ok != served {
		t.Errorf("%d of %d calls succeeded; failures: %v", ok, served, l.failures[:min(3, failed)])
	}
	w.audit(t, &l, 0, "acme")
	w.auditLeases(t)
}

func TestTermination_CutsStreamsAfterTheDrainTimeout(t *testing.T) {
	t.Parallel()
	// The relay reserves the last 3 s of the drain time, but at most half of it, for canceling its calls and recording
	// them.
	w := ownTestbed(t, map[string]string{"TOLLGATE_DRAIN_TIMEOUT": "6s", "TOLLGATE_UPSTREAM_IDLE_TIMEOUT": "10m"})
	caller, got := w.caller(acmeToken), make(chan reply, 1)
	resp, err := caller.open(context.Background(), ask("odd-stall", someCounts, streaming))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer resp.Body.Close() //nolint:errcheck // read to its end below
		raw, err := io.ReadAll(resp.Body)
		got <- reply{resp.StatusCode, resp.Header, raw, err}
	}()
	if err := w.Relay.Terminate(); err != nil {
		t.Error(err)
	}
	r := <-got
	if data := events(r.body); len(data) == 0 || !strings.Contains(data[len(data)-1], `"error"`) {
		t.Errorf("the stream ended with %v, %q, want an error event", r.err, r.body[max(0, len(r.body)-300):])
	}
	if row := w.awaitRow(t, "acme", r.id()); row.outcome != "partial" || row.quota == 0 {
		t.Errorf("got the usage log %+v, want partial and charged", row)
	}
	w.auditLeases(t)
}

// TestTermination_OfConsoleAndWorker checks that console and worker end on a signal, without waiting for their drain
// timeout, which is longer than the test waits. A request whose body is still arriving is answered first. A connection
// without a request does not delay the end.
func TestTermination_OfConsoleAndWorker(t *testing.T) {
	t.Parallel()
	w := ownTestbed(t, map[string]string{"TOLLGATE_DRAIN_TIMEOUT": "10m"})
	address := strings.TrimPrefix(w.Console.URL, "http://")
	idle, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close() //nolint:errcheck // closed by the console
	inFlight, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer inFlight.Close() //nolint:errcheck // read to its end below
	body := fmt.Sprintf(`{"email":%q,"password":%q}`, operator, everyonePassword)
	head := fmt.Sprintf("POST /api/session HTTP/1.1\r\nHost: %s\r\nContent-Type: "+
		"application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", address, len(body))
	if _, err := io.WriteString(inFlight, head); err != nil {
		t.Fatal(err)
	}
	answer := bufio.NewReader(inFlight)
	// The console is serving the request.
	if line, err := answer.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("got %q, %v, want 100 Continue", line, err)
	}
	if err := w.Console.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	story.Eventually(t, story.Patience, "new connections are refused", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
	if _, err := io.WriteString(inFlight, body); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(answer); err != nil || !strings.Contains(string(rest), "HTTP/1.1 200 OK") {
		t.Errorf("the request in flight: got %v\n%s", err, rest)
	}
	for _, wait := range []func() error{func() error { return w.Console.Wait(story.Context(t)) }, w.Worker.Terminate} {
		if err := wait(); err != nil {
			t.Error(err)
		}
	}
}
