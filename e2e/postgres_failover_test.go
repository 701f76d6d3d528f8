package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
)

// newPair starts a primary and its standby.
func newPair(t *testing.T) (primary, standby *stack.Postgres) {
	t.Helper()
	primary, err := stack.StartPostgres(story.Context(t))
	if err != nil {
		story.Missing(t, err)
		t.Fatal(err)
	}
	t.Cleanup(func() { removed(t, primary.Remove()) })
	if standby, err = primary.Standby(story.Context(t)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removed(t, standby.Stop()) })
	return primary, standby
}

// TestFailover_ProgramsFollowThePrimary gives all programs a URL with two hosts. The primary becomes read-only without
// breaking a connection, as a demoted primary behind a virtual address does, and the standby is promoted a moment
// later.
func TestFailover_ProgramsFollowThePrimary(t *testing.T) {
	t.Parallel()
	suite.build(t)
	primary, standby := newPair(t)
	both := fmt.Sprintf("postgres://tollgate@127.0.0.1:%s,127.0.0.1:%s/tollgate?sslmode=disable",
		standby.Port(), primary.Port())
	w := testbedWith(t, stack.Options{PostgresURL: both})
	w.DatabaseURL = primary.URL
	l := newLoad(w, 8)
	l.run(context.Background(), 40)
	w.audit(t, &l.ledger, 0, "acme", "discounted")

	if err := primary.Demote(story.Context(t), standby); err != nil {
		t.Fatal(err)
	}
	l.run(context.Background(), 40)
	story.Eventually(t, story.Patience, "the relay cannot record",
		func() bool { return strings.Contains(w.Relay.Log(), "the server only reads") })
	if err := standby.Promote(story.Context(t)); err != nil {
		t.Fatal(err)
	}
	w.DatabaseURL = standby.URL
	w.audit(t, &l.ledger, 0, "acme", "discounted")
	story.Eventually(t, story.Patience, "the relay listens to the new primary", func() bool {
		return w.query(t, "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND pid <> "+
			"pg_backend_pid()") == 1
	})

	if err := primary.Stop(); err != nil {
		t.Error(err)
	}
	l.run(context.Background(), 40)
	if ok, failed := l.ledger.counts(); ok != 120 || failed != 0 {
		t.Errorf("got %d successes and %d failures of 120 calls", ok, failed)
	}
	w.audit(t, &l.ledger, 0, "acme", "discounted")
	w.auditSums(t, "acme")
}

// TestReplica_IsRefusedAtStart checks what a program says if its only database is a replica.
func TestReplica_IsRefusedAtStart(t *testing.T) {
	t.Parallel()
	kit := suite.build(t)
	_, standby := newPair(t)
	console := stack.NewProcess("console", t.TempDir(), kit.Bin("console"), "migrate")
	console.SetEnv("TOLLGATE_DATABASE_URL", standby.URL)
	if err := console.Launch(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(console.Kill)
	story.Eventually(t, story.Patience, "the console says that its database is a replica", func() bool {
		return strings.Contains(console.Log(), "the server only reads: it is a replica")
	})
}
