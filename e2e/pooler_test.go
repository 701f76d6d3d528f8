package e2e

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
	consoleclient "github.com/tollgate/tollgate/openapi/clients/go/console"
)

// TestPooler_AllProgramsWorkInTransactionMode runs all programs through a PgBouncer in transaction mode that has fewer
// connections of the server than the programs use. No program has a setting for that.
func TestPooler_AllProgramsWorkInTransactionMode(t *testing.T) {
	t.Parallel()
	w := testbedWith(t, stack.Options{PoolMode: "transaction", Relays: 2, Workers: 2})
	var sent ledger
	calls := func(w *testbed, n int) {
		l := newLoad(w, 20)
		l.run(story.Context(t), n)
		if served, failed := l.ledger.counts(); served != n || failed != 0 {
			t.Errorf("got %d successes and %d failures of %d calls", served, failed, n)
		}
		sent.successes = append(sent.successes, l.ledger.successes...)
		w.audit(t, &sent, 0, "acme", "discounted")
	}
	calls(w, 200)

	root := w.signIn(t, operator)
	flat := "0.5"
	for range 3 {
		w.applied(t, "catalog", func() {
			got, err := root.CreatePrice(story.Context(t),
				consoleclient.NewPrice{Model: "repriced", Price: consoleclient.Rates{Request: &flat}})
			story.Must(t, got, err)
		})
	}

	// A relay that starts when the pooler's connections of the server have served others.
	late := w.Relays[1]
	if err := late.Terminate(); err != nil {
		t.Error(err)
	}
	if err := late.Start(story.Context(t)); err != nil {
		t.Fatal(err)
	}
	behind := *w.Stack
	behind.Relay = late
	calls(&testbed{Stack: &behind, upstream: w.upstream}, 40)
	for _, slug := range []string{"acme", "discounted"} {
		w.auditSums(t, slug)
	}
	awaitMetric(t, w, "tollgate_spool_events", 0)

	for _, relay := range w.Relays {
		if log := relay.Log(); strings.Contains(log, "SQLSTATE") ||
			!strings.Contains(log, "TOLLGATE_DATABASE_DIRECT_URL") {
			t.Errorf("%s has errors of the database, or does not name the setting for notifications:\n%s",
				relay.Name, relay.Tail(30))
		}
	}
	for _, worker := range w.Workers {
		if log := worker.Log(); strings.Contains(log, "SQLSTATE") {
			t.Errorf("%s has errors of the database:\n%s", worker.Name, worker.Tail(30))
		}
	}
	w.auditSessions(t, "tollgate_relay")
	w.auditSessions(t, "tollgate_worker")
	w.migrateAtOnce(t, 4)
}

// auditSessions checks all connections of the server that the pooler gives to a role: none keeps a prepared statement,
// a subscription or a lock that the next program would find.
func (w *testbed) auditSessions(t *testing.T, role string) {
	t.Helper()
	ctx := story.Context(t)
	var held []*pgx.Conn // each transaction keeps a connection of the server
	defer func() {
		for _, conn := range held {
			_ = conn.Close(ctx) // a failure affects no other connection
		}
	}()
	for range 3 { // the pooler's default_pool_size
		conn, err := pgx.Connect(ctx, as(t, role, w.PgBouncer.URL))
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, conn)
		if _, err := conn.Exec(ctx, "BEGIN"); err != nil {
			t.Fatal(err)
		}
		var statements, channels, locks int
		err = conn.QueryRow(
			ctx, `SELECT (SELECT count(*) FROM pg_prepared_statements), (SELECT count(*) FROM pg_listening_channels()),
			(SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())`,
			pgx.QueryExecModeSimpleProtocol).Scan(&statements, &channels, &locks)
		if err != nil || statements+channels+locks != 0 {
			t.Errorf("a connection has %d prepared statements, %d subscriptions and %d locks, error %v", statements,
				channels, locks, err)
		}
	}
}

// as returns the URL with another user.
func as(t *testing.T, user, database string) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.User(user)
	return u.String()
}

// administrator returns the URL of the testbed's database as its superuser.
func (w *testbed) administrator(t *testing.T) string {
	t.Helper()
	return as(t, "root", w.DatabaseURL)
}

// migrateAtOnce creates an empty database and runs n commands at once that migrate it.
func (w *testbed) migrateAtOnce(t *testing.T, n int) {
	t.Helper()
	ctx := story.Context(t)
	conn, err := pgx.Connect(ctx, w.administrator(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx) //nolint:errcheck // a failure affects no other connection
	if _, err := conn.Exec(ctx, "CREATE DATABASE fresh OWNER tollgate"); err != nil {
		t.Fatal(err)
	}
	w.SetEnv("TOLLGATE_DATABASE_URL", strings.Replace(w.Env("TOLLGATE_DATABASE_URL"), "/tollgate?", "/fresh?", 1))
	var running sync.WaitGroup
	for range n {
		running.Go(func() {
			if _, err := w.Command(context.Background(), "console", "migrate"); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	fresh := strings.Replace(w.DatabaseURL, "/tollgate?", "/fresh?", 1)
	const steps = "SELECT count(*) FROM bun_migrations"
	if applied, want := story.Query(t, fresh, steps), w.query(t, steps); applied != want {
		t.Errorf("%d steps were applied, want %d", applied, want)
	}
	if locks := story.Query(t, fresh, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"); locks != 0 {
		t.Errorf("%d advisory locks were left", locks)
	}
}

// TestPooler_DirectURLBringsNotifications checks that a relay listens on the direct connection, and that it says so
// when the setting names the pooler.
func TestPooler_DirectURLBringsNotifications(t *testing.T) {
	t.Parallel()
	w := testbedWith(t, stack.Options{PoolMode: "transaction"})
	restart := func(direct string) {
		t.Helper()
		if err := w.Relay.Terminate(); err != nil {
			t.Error(err)
		}
		w.Relay.SetEnv("TOLLGATE_DATABASE_DIRECT_URL", as(t, "tollgate_relay", direct))
		if err := w.Relay.Start(story.Context(t)); err != nil {
			t.Fatal(err)
		}
	}
	const refused = "TOLLGATE_DATABASE_DIRECT_URL does not deliver notifications"
	restart(w.DatabaseURL)
	story.Eventually(t, story.Patience, "the relay listens", func() bool {
		return story.Query(t, w.administrator(t), "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' "+
			"AND usename = 'tollgate_relay'") == 1
	})
	if strings.Contains(w.Relay.Log(), refused) {
		t.Errorf("the relay refused the direct connection:\n%s", w.Relay.Tail(10))
	}
	restart(w.PgBouncer.URL)
	story.Eventually(t, story.Patience, "the relay says that the setting is wrong", func() bool {
		return strings.Contains(w.Relay.Log(), refused)
	})
}

// TestPooler_StatementModeIsRefused checks the error of a pooler that programs cannot work with.
func TestPooler_StatementModeIsRefused(t *testing.T) {
	t.Parallel()
	kit, ctx := suite.build(t), story.Context(t)
	server, err := stack.StartPostgres(ctx)
	if err != nil {
		story.Missing(t, err)
		t.Fatal(err)
	}
	t.Cleanup(func() { removed(t, server.Remove()) })
	pooler, err := stack.StartPgBouncer(ctx, server.URL, "statement")
	if err != nil {
		story.Missing(t, err)
		t.Fatal(err)
	}
	t.Cleanup(func() { removed(t, pooler.Remove()) })
	command := exec.CommandContext(ctx, kit.Bin("console"), "migrate")
	command.Env = append(os.Environ(), "TOLLGATE_DATABASE_URL="+pooler.URL)
	if out, err := command.CombinedOutput(); err == nil ||
		!strings.Contains(string(out), "pool_mode = transaction or session") {
		t.Errorf("got error %v and the output\n%s", err, out)
	}
}

// removed fails the test if a server could not be removed.
func removed(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}
