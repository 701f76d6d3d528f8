// Package storetest gives tests of the store real databases, and customers, calls and other rows to fill them with.
// Each test gets a database of its own, either empty or with today's schema:
//
//	SQLite    a file in the test's temporary folder
//	Postgres  a database on the server that TEST_POSTGRES_URL names, with a role that may
//	          create databases and roles; or on a private server, which the first
//	          test that needs it starts from the machine's own binaries
//
// A test program that uses Postgres calls Main in its TestMain, which stops the private server at the end.
// With -short, and on machines without Postgres, tests on Postgres are skipped. If TEST_REQUIRE is "all", a
// machine without Postgres fails them instead.
//
// The migrations run once for each kind of database and test program. Open then copies the migrated file or
// template database, which takes a tenth of the time.
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

// Main runs the tests of a program and stops the private Postgres server, if a test started it. It returns
// the exit code for os.Exit.
func Main(m *testing.M) int {
	defer private.stop()
	return m.Run()
}

// SQLite returns the URL of a new SQLite database without tables. It is deleted when the test ends.
func SQLite(t testing.TB) string {
	t.Helper()
	return "sqlite:" + filepath.Join(t.TempDir(), "test.db")
}

// Open opens a database, migrates it, and closes it when the test ends. Migrating a database that SQLite,
// Postgres or Kinds made is fast, because Open replaces it by a migrated copy.
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

// migrated returns the content of the file of a SQLite database with today's schema and no rows. Under the
// race detector the migrations take seconds.
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

// prefill replaces a database without tables by a migrated copy. It leaves other databases alone.
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

// Each runs the test as a subtest on each kind of database, with a new store that is migrated and empty.
func Each(t *testing.T, test func(t *testing.T, s *store.Store)) {
	t.Helper()
	for name, url := range map[string]func(testing.TB) string{"sqlite": SQLite, "postgres": migratedPostgres} {
		t.Run(name, func(t *testing.T) { test(t, Open(t, storedb.Options{URL: url(t)})) })
	}
}

// Kinds returns a function for each kind of database, by name. The function returns the URL of a new database
// without tables.
func Kinds() map[string]func(testing.TB) string {
	return map[string]func(testing.TB) string{"sqlite": SQLite, "postgres": Postgres}
}

// absent skips the test because Postgres is not available. It fails the test if TEST_REQUIRE is "all".
func absent(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv("TEST_REQUIRE") == "all" {
		t.Fatalf("Postgres is required: %s", reason)
	}
	t.Skipf("needs Postgres: %s", reason)
}

// Exec runs a statement on a database of either kind without the store. Tests use it for changes that no
// method of the store makes. It fails the test on an error.
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

// executeSQLite runs a statement on a SQLite database.
func executeSQLite(url, statement string) error {
	db, err := sql.Open("sqlite", "file:"+strings.TrimPrefix(url, "sqlite:")+"?_pragma=busy_timeout(15000)")
	if err != nil {
		return err
	}
	_, err = db.ExecContext(context.Background(), statement)
	return errors.Join(err, db.Close())
}
