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
	"time"

	"github.com/tollgate/tollgate/e2e/story"
)

func TestTerminationLetsOpenStreamsFinish(t *testing.T) {
	t.Parallel()
	const streams = 200
	w := ownWorld(t, nil)
	caller := w.caller(acmeToken)
	var begun, ended sync.WaitGroup
	begun.Add(streams)
	var l ledger
	for range streams {
		ended.Go(func() {
			resp, err := caller.open(context.Background(), ask("slow-stream", someCounts, streaming))
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
			l.note(&reply{resp.StatusCode, resp.Header, append([]byte(first), rest...), err}, true, success{model: "slow-stream", quota: bill(someCounts, "1")})
		})
	}
	begun.Wait()
	if err := w.Relay.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	served := streams
	story.Eventually(t, 2*time.Second, "new connections are refused", func() bool {
		r := w.caller(acmeToken).post(story.Context(t), ask("gpt-4o-mini", someCounts))
		if r.err == nil && r.status == 200 { // it came before the signal was taken in
			l.note(&r, false, success{model: "gpt-4o-mini", quota: bill(someCounts, "1")})
			served++
		}
		return r.err != nil || r.status == 503
	})
	ended.Wait()
	if err := w.Relay.Wait(story.Context(t)); err != nil {
		t.Error(err)
	}
	if ok, failed := l.counts(); ok != served {
		t.Errorf("%d of %d calls were finished; the others %v", ok, served, l.failures[:min(3, failed)])
	}
	w.audit(t, &l, 0, "acme")
	w.auditLeases(t)
}

func TestTerminationEndsWhatTakesTooLong(t *testing.T) {
	t.Parallel()
	w := ownWorld(t, map[string]string{"TOLLGATE_DRAIN_TIMEOUT": "1s", "TOLLGATE_UPSTREAM_IDLE_TIMEOUT": "60s"})
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
	began := time.Now()
	if err := w.Relay.Terminate(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 8*time.Second {
		t.Errorf("it took %v to end", took)
	}
	r := <-got
	if data := events(r.body); len(data) == 0 || !strings.Contains(data[len(data)-1], `"error"`) {
		t.Errorf("the stream ended with %v, %q", r.err, r.body[max(0, len(r.body)-300):])
	}
	if row := w.awaitRow(t, "acme", r.id()); row.outcome != "partial" || row.quota == 0 {
		t.Errorf("usage log %+v", row)
	}
	w.auditLeases(t)
}

// Console and worker end on a signal, well within their drain time: a request
// whose body is still to come is answered first, and a connection that never
// asks holds nobody up.
func TestTerminationOfConsoleAndWorker(t *testing.T) {
	t.Parallel()
	w := ownWorld(t, map[string]string{"TOLLGATE_DRAIN_TIMEOUT": "20s"})
	address := strings.TrimPrefix(w.Console.URL, "http://")
	silent, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close() //nolint:errcheck // it is closed by then
	asking, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer asking.Close() //nolint:errcheck // read to its end below
	body := fmt.Sprintf(`{"email":%q,"password":%q}`, operator, everyonePassword)
	head := fmt.Sprintf("POST /api/session HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", address, len(body))
	if _, err := io.WriteString(asking, head); err != nil {
		t.Fatal(err)
	}
	answer := bufio.NewReader(asking)
	if line, err := answer.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") { // it is being served
		t.Fatalf("%q, %v", line, err)
	}
	if err := w.Console.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	story.Eventually(t, 5*time.Second, "new connections are refused", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
	if _, err := io.WriteString(asking, body); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(answer); err != nil || !strings.Contains(string(rest), "HTTP/1.1 200 OK") {
		t.Errorf("the request in flight: %v\n%s", err, rest)
	}
	began := time.Now()
	for _, wait := range []func() error{func() error { return w.Console.Wait(story.Context(t)) }, w.Worker.Terminate} {
		if err := wait(); err != nil {
			t.Error(err)
		}
	}
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("they took %v to end", took)
	}
}
