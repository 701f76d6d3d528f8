package e2e

import (
	"bufio"
	"context"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestTerminationLetsOpenStreamsFinish(t *testing.T) {
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
	eventually(t, 2*time.Second, "new connections are refused", func() bool {
		r := w.caller(acmeToken).post(testContext(t), ask("gpt-4o-mini", someCounts))
		if r.err == nil && r.status == 200 { // it came before the signal was taken in
			l.note(&r, false, success{model: "gpt-4o-mini", quota: bill(someCounts, "1")})
			served++
		}
		return r.err != nil || r.status == 503
	})
	ended.Wait()
	if err := w.Relay.Wait(testContext(t)); err != nil {
		t.Error(err)
	}
	if ok, failed := l.counts(); ok != served {
		t.Errorf("%d of %d calls were finished; the others %v", ok, served, l.failures[:min(3, failed)])
	}
	w.audit(t, &l, 0, "acme")
	w.auditLeases(t)
}

func TestTerminationEndsWhatTakesTooLong(t *testing.T) {
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
