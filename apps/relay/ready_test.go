package relay_test

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/relay"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/queue/embedded"
)

// failingChecks returns the names of the checks that fail.
func failingChecks(t *testing.T, r *relay.Relay) (names []string) {
	t.Helper()
	for _, check := range r.Checks() {
		if check.Ready(t.Context()) != nil {
			names = append(names, check.Name)
		}
	}
	return names
}

// waitChecks waits until exactly the checks fail.
func waitChecks(h *relaytest.Relay, what string, checks ...string) {
	h.T.Helper()
	h.Eventually(what, func() bool { return slices.Equal(failingChecks(h.T, h.Relay), checks) })
}

// A relay that restarts gets its traffic back as soon as its readiness is asked, and not after an interval.
func TestChecks_PassAsSoonAsTheRelayHasStarted(t *testing.T) {
	if failing := failingChecks(t, relaytest.New(t).Relay); len(failing) > 0 {
		t.Errorf("the checks %v fail after Start", failing)
	}
}

func TestChecks_FailBeforeTheStart(t *testing.T) {
	h := relaytest.New(t)
	h.Config.DataDir = t.TempDir()
	discard := slog.New(slog.DiscardHandler)
	server, err := embedded.Start()
	if err != nil {
		t.Fatal(err)
	}
	redis := queue.Embed(server.Addr, server.Password, server.Close, discard)
	t.Cleanup(func() { _ = redis.Close() })
	r, err := relay.New(relay.Options{Config: h.Config, Store: h.Store, Redis: redis, Log: discard, RequestLog: discard,
		Registry: prometheus.NewRegistry()})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := failingChecks(t, r), []string{"relay_listens", "catalogue", "leases"}; !slices.Equal(got, want) {
		t.Errorf("failing checks: got %v, want %v", got, want)
	}
	if err := r.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestChecks_FailWhileTheRelayDrains(t *testing.T) {
	h := relaytest.New(t)
	waitChecks(h, "it is ready")
	h.Stop()
	waitChecks(h, "it is not ready", "draining")
}

// A relay without its database is ready while it knows a token and its leases are valid.
func TestChecks_PassWithoutADatabaseUntilTheLeasesEnd(t *testing.T) {
	h := relaytest.New(t, func(c *config.Config) { c.LeaseGrace = 2 * time.Second })
	h.Post(token, relaytest.ChatBody("cheap", ""))
	waitChecks(h, "it is ready")
	h.LoseDatabase()
	if got := failingChecks(t, h.Relay); slices.Contains(got, "tokens") {
		t.Errorf("failing checks of a relay that knows a token: %v", got)
	}
	waitChecks(h, "the leases have ended", "leases")
}

func TestChecks_FailWithoutADatabaseWhenNoTokenIsKnown(t *testing.T) {
	h := relaytest.New(t)
	waitChecks(h, "it is ready")
	h.LoseDatabase()
	waitChecks(h, "no token is known", "tokens")
}

func TestChecks_FailWhenTheSpoolIsFull(t *testing.T) {
	h := relaytest.New(t, func(c *config.Config) { c.SpoolMaxBytes = 20_000 })
	h.Post(token, relaytest.ChatBody("cheap", `,"max_tokens":1`))
	waitChecks(h, "it is ready")
	h.LoseDatabase() // so that events stay in the spool
	for range 100 {
		h.Post(token, relaytest.ChatBody("cheap", `,"max_tokens":1`))
	}
	waitChecks(h, "the spool has no room", "spool_room")
}
