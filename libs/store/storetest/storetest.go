// Package storetest gives tests real, empty databases: SQLite files, and
// Postgres from the server that TEST_POSTGRES_URL names (a role that may
// create databases and roles) or from a private one, started from the machine's own
// binaries once per test program. Such programs call Main in their TestMain. With
// -short the tests on Postgres are skipped.
package storetest

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tollgate/tollgate/libs/store"
	storedb "github.com/tollgate/tollgate/libs/store/db"
)

// Main runs the tests of one program and stops the server that they started.
// It returns the exit code.
func Main(m *testing.M) int {
	defer private.stop()
	return m.Run()
}

// SQLite returns the URL of a fresh, empty SQLite database.
func SQLite(t testing.TB) string {
	t.Helper()
	return "sqlite:" + filepath.Join(t.TempDir(), "test.db")
}

// Open opens the database and migrates it. It is closed when the test ends.
func Open(t testing.TB, o storedb.Options) *store.Store {
	t.Helper()
	ctx := context.Background()
	if err := prefill(o.URL); err != nil {
		t.Fatalf("fill the database: %v", err)
	}
	s, err := store.Open(ctx, o)
	if err != nil {
		t.Fatalf("open the store: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	if err := s.Migrate(ctx); err != nil {
		t.Fatalf("migrate: %v", err)
	}
	return s
}

// migrated is the file of an empty SQLite database with the schema of today.
// SQLite takes seconds to make it under the race detector, and a copy none.
var migrated = sync.OnceValues(func() (file []byte, err error) {
	folder, err := os.MkdirTemp("", "tollgate-sqlite-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	name := filepath.Join(folder, "test.db")
	if err := migrate("sqlite:" + name); err != nil {
		return nil, err
	}
	return os.ReadFile(name)
})

// migrate brings the schema of a database up to date.
func migrate(url string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, storedb.Options{URL: url})
	if err != nil {
		return err
	}
	return errors.Join(s.Migrate(ctx), s.Close())
}

// prefill gives an empty database its schema.
func prefill(url string) error {
	name, sqlite := strings.CutPrefix(url, "sqlite:")
	if !sqlite {
		return fillPostgres(url)
	}
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	file, err := migrated()
	if err != nil {
		return err
	}
	return os.WriteFile(name, file, 0o600)
}

// Each runs the test on a fresh, migrated store of each kind.
func Each(t *testing.T, test func(t *testing.T, s *store.Store)) {
	t.Helper()
	for name, url := range map[string]func(testing.TB) string{"sqlite": SQLite, "postgres": migratedPostgres} {
		t.Run(name, func(t *testing.T) { test(t, Open(t, storedb.Options{URL: url(t)})) })
	}
}

// Kinds are the makers of a fresh, empty database, by its kind.
func Kinds() map[string]func(testing.TB) string {
	return map[string]func(testing.TB) string{"sqlite": SQLite, "postgres": Postgres}
}

// absent skips the test, or fails it where nothing may be left out.
func absent(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("TEST_REQUIRE") == "all" {
		t.Fatalf("Postgres is required: %s", why)
	}
	t.Skipf("needs Postgres: %s", why)
}

// Exec runs a statement on a database of either kind past the store, for what
// no store method does.
func Exec(t testing.TB, url, statement string) {
	t.Helper()
	run := execute
	if strings.HasPrefix(url, "sqlite:") {
		run = executeSQLite
	}
	if err := run(url, statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func executeSQLite(url, statement string) error {
	db, err := sql.Open("sqlite", "file:"+strings.TrimPrefix(url, "sqlite:")+"?_pragma=busy_timeout(15000)")
	if err != nil {
		return err
	}
	_, err = db.ExecContext(context.Background(), statement)
	return errors.Join(err, db.Close())
}
