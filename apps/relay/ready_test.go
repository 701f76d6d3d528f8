package relay_test

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/relay"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/queue"
)

// unready returns the names of the checks that fail.
func unready(t *testing.T, r *relay.Relay) (names []string) {
	t.Helper()
	for _, check := range r.Checks() {
		if check.Ready(t.Context()) != nil {
			names = append(names, check.Name)
		}
	}
	return names
}

func (h *house) waitsUntil(what string, checks ...string) {
	h.t.Helper()
	h.eventually(what, soonEnough, func() bool { return slices.Equal(unready(h.t, h.relay), checks) })
}

func TestARelayThatHasNotStartedIsNotReady(t *testing.T) {
	h := newHouse(t)
	h.config.DataDir = t.TempDir()
	quiet := slog.New(slog.DiscardHandler)
	redis, err := queue.Open("", quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = redis.Close() })
	r, err := relay.New(relay.Options{Config: h.config, Store: h.store, Redis: redis, Log: quiet, RequestLog: quiet, Registry: prometheus.NewRegistry()})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := unready(t, r), []string{"relay_listens", "catalogue", "leases"}; !slices.Equal(got, want) {
		t.Errorf("not ready: %v, want %v", got, want)
	}
	if err := r.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestARelayThatDrainsIsNotReady(t *testing.T) {
	h := newHouse(t)
	h.waitsUntil("it is ready")
	h.stop()
	h.waitsUntil("it is not ready", "draining")
}

// A relay without its database is ready as long as it knows a token, and its
// leases are valid.
func TestReadinessWithoutADatabase(t *testing.T) {
	h := newHouse(t, func(c *config.Config) { c.LeaseGrace = 2 * time.Second })
	h.post(token, ask("cheap", ""))
	h.waitsUntil("it is ready")
	h.store.Close() //nolint:errcheck // what happens then is told below
	if got := unready(t, h.relay); slices.Contains(got, "tokens") {
		t.Errorf("a relay that knows a token is not ready: %v", got)
	}
	h.waitsUntil("its leases end", "leases")
}

func TestARelayThatKnowsNobodyNeedsItsDatabase(t *testing.T) {
	h := newHouse(t)
	h.waitsUntil("it is ready")
	h.store.Close() //nolint:errcheck // what happens then is told below
	h.waitsUntil("it knows nobody", "tokens")
}

func TestARelayWithAFullSpoolIsNotReady(t *testing.T) {
	h := newHouse(t, func(c *config.Config) { c.SpoolMaxBytes = 20_000 })
	h.post(token, ask("cheap", `,"max_tokens":1`))
	h.waitsUntil("it is ready")
	h.store.Close() //nolint:errcheck // so that events stay in the spool
	for range 100 {
		h.post(token, ask("cheap", `,"max_tokens":1`))
	}
	h.waitsUntil("it has no room", "spool_room")
}
