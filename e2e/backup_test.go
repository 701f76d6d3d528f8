package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
)

// TestBackup_RestoresCompletelyAfterABackupUnderLoad makes a backup under load, loses everything except the
// relays' data directories, and restores it into another database. The restored records must verify, their sums
// must agree, and the same relays must continue with it.
func TestBackup_RestoresCompletelyAfterABackupUnderLoad(t *testing.T) {
	t.Parallel()
	w := ownTestbed(t, nil)
	l := newLoad(w, 8)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.run(ctx, 1_000_000)
	}()
	served := func(n int) {
		t.Helper()
		story.Eventually(t, 4*story.Patience, "enough successes", func() bool {
			ok, _ := l.ledger.counts()
			return ok >= n
		})
	}
	served(300)
	story.Eventually(t, story.Patience, "usage logs",
		func() bool { return w.query(t, "SELECT count(*) FROM usage_logs") >= 300 })
	file := filepath.Join(t.TempDir(), "tollgate.dump")
	if err := w.Postgres.Backup(story.Context(t), file); err != nil {
		t.Fatal(err)
	}
	before, _ := l.ledger.counts()
	served(before + 300)
	stop()
	<-done

	// Everything is lost except the relays' data directories and the backup.
	for _, p := range []*stack.Program{w.Relay, w.Console, w.Worker} {
		p.Kill()
	}
	restored, err := w.Postgres.Restore(story.Context(t), file, "restored")
	if err != nil {
		t.Fatal(err)
	}
	w.DatabaseURL = restored
	w.SetEnv("TOLLGATE_DATABASE_URL", restored)
	if kept := w.query(t, "SELECT count(*) FROM usage_logs"); kept < 300 {
		t.Fatalf("the backup has %d usage logs, want at least 300", kept)
	}
	for _, p := range []*stack.Program{w.Console, w.Worker, w.Relay} {
		if err := p.Start(story.Context(t)); err != nil {
			t.Fatal(err)
		}
	}
	r := w.caller(acmeToken).post(story.Context(t), ask("gpt-4o-mini", someCounts))
	if r.status != http.StatusOK {
		t.Fatalf("call after the restore: got status %d: %s", r.status, r.body)
	}
	w.awaitRow(t, "acme", r.id())
	w.auditSums(t, "acme")
	w.auditSums(t, "discounted")
	if bills, err := w.Command(story.Context(t), "console", "verify"); err != nil ||
		!strings.Contains(bills, " 0 are wrong") {
		t.Errorf("console verify: got %v\n%s", err, bills)
	}
	if err := w.Relay.Terminate(); err != nil {
		t.Error(err)
	}
	w.auditLeases(t)
}

// TestBackup_RestoresStandaloneCompletely does the same on SQLite. SQLite makes the copy itself, while Tollgate
// runs.
func TestBackup_RestoresStandaloneCompletely(t *testing.T) {
	t.Parallel()
	kit := suite.build(t)
	sqlite, err := exec.LookPath("sqlite3")
	if err != nil {
		story.Missing(t, fmt.Errorf("sqlite3 (Debian: apt-get install sqlite3): %w", stack.ErrMissing))
	}
	s, err := kit.Standalone(story.Context(t), stack.Options{Manifest: `
groups: [{name: default, models: ["*"]}]
models: [{id: practice, owned_by: acme, price: {request: "0.01"}}]
channels: [{name: practice, type: echo, endpoints: [chat], models: {practice: practice}}]
tenants:
  - {slug: acme, name: Acme, quota: "10", users: [{email: a@acme.example, role: owner, group: default, tokens: [{name: main, value: ` + acmeToken + `}]}]}
`})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the test ends; a failure shows earlier
	w := &testbed{Stack: &stack.Stack{Relay: &s.Program}}
	call := func(n int) {
		t.Helper()
		for range n {
			if r := w.caller(acmeToken).post(story.Context(t), ask("practice", someCounts)); r.status != http.StatusOK {
				t.Fatalf("got status %d: %s", r.status, r.body)
			}
		}
	}
	database, file := filepath.Join(s.DataDir, "tollgate.db"), filepath.Join(t.TempDir(), "backup.db")
	count := func(path string) string {
		t.Helper()
		out, err := exec.CommandContext(story.Context(t), sqlite, "-cmd", ".timeout 10000", path, "SELECT count(*) "+
			"|| ' ' || coalesce(sum(quota), 0) FROM usage_logs; SELECT sum(used) FROM accounts WHERE kind = "+
			"'tenant' AND period = ''").CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	call(20)
	story.Eventually(t, story.Patience, "20 usage logs",
		func() bool { return count(database) == "20 200000000\n200000000\n" })
	if out, err := exec.CommandContext(story.Context(t), sqlite, "-cmd", ".timeout 10000", database,
		"VACUUM INTO '"+file+"'").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	call(20)
	s.Kill()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if out, err := exec.CommandContext(story.Context(t), "rm", "-f", database+suffix).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if out, err := exec.CommandContext(story.Context(t), "cp", file, database).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := s.Start(story.Context(t)); err != nil {
		t.Fatal(err)
	}
	call(5)
	story.Eventually(t, story.Patience, "accounts are the sums of the usage logs", func() bool {
		rows := strings.Fields(count(database))
		return len(rows) == 3 && rows[1] == rows[2] && rows[1] >= "250000000"
	})
	key, err := os.ReadFile(filepath.Join(s.DataDir, "secret.key"))
	if err != nil {
		t.Fatal(err)
	}
	verify := exec.CommandContext(story.Context(t), kit.Bin("console"), "verify")
	verify.Env = append(os.Environ(), "TOLLGATE_DATABASE_URL=sqlite:"+database,
		"TOLLGATE_SECRET_KEY="+strings.TrimSpace(string(key)))
	if bills, err := verify.CombinedOutput(); err != nil || !strings.Contains(string(bills), " 0 are wrong") {
		t.Errorf("console verify: got %v\n%s", err, bills)
	}
}
