package store_test

import (
	"context"
	"database/sql"
	"embed"
	"io/fs"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	storedb "github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/migrations"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// nextStep has a step after those of this version, which changes two tables.
type nextStep struct{ embed.FS }

const nextName = "postgres/9999_next.tx.up.sql"

func (s nextStep) Glob(pattern string) ([]string, error) {
	names, err := fs.Glob(s.FS, pattern)
	if ok, _ := path.Match(pattern, nextName); ok {
		names = append(names, nextName)
	}
	return names, err
}

func (s nextStep) ReadFile(name string) ([]byte, error) {
	if name == nextName {
		return []byte("ALTER TABLE tokens ADD COLUMN next text; ALTER TABLE access_keys ADD COLUMN next text;"), nil
	}
	return s.FS.ReadFile(name)
}

// newOutdatedStore returns a store that lacks the next step, and a transaction that has locked a table which that step
// changes.
func newOutdatedStore(t *testing.T, url string) (s *store.Store, f storetest.Customer, holder *sql.Tx) {
	t.Helper()
	s = storetest.Open(t, storedb.Options{URL: url})
	f = storetest.NewCustomer(t, s, "acme")
	db := storetest.Need(sql.Open("pgx", withApplicationName(url)))(t)
	t.Cleanup(func() { storetest.OK(t, db.Close()) })
	holder = storetest.Need(db.BeginTx(background, nil))(t)
	t.Cleanup(func() { _ = holder.Rollback() }) // does nothing if the test ended it
	var n int
	storetest.OK(t, holder.QueryRowContext(background, "SELECT count(*) FROM access_keys").Scan(&n))
	return s, f, holder
}

// withApplicationName returns the URL with the application name "report", which pg_stat_activity shows.
func withApplicationName(url string) string {
	separator := "?"
	if strings.Contains(url, "?") {
		separator = "&"
	}
	return url + separator + "application_name=report"
}

func TestMigrate_GivesUpOnALockedTable(t *testing.T) {
	url := storetest.Postgres(t)
	s, _, _ := newOutdatedStore(t, url)
	err := s.MigrateWith(background, nextStep{migrations.Files}, 50*time.Millisecond, 3)
	if err == nil {
		t.Fatal("the migration succeeded while a transaction had the table locked")
	}
	for _, part := range []string{"lock timeout", "report", "access_keys (AccessShareLock)", "pg_cancel_backend"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("got error %v, want it to contain %q", err, part)
		}
	}
	if err := storetest.Try(t, url, "SELECT next FROM tokens"); err == nil {
		t.Error("a part of the step was kept")
	}
}

// The statement that waits for the lock takes longer than the server permits.
func TestMigrate_SwitchesTheTimeLimitOfTheServerOff(t *testing.T) {
	url := storetest.Postgres(t)
	newOutdatedStore(t, url)
	storetest.Exec(t, url, "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET statement_timeout = ''1s''', "+
		"current_database()); END $$")
	s := storetest.Need(store.Open(background, storedb.Options{URL: url}))(t)
	defer s.Close() //nolint:errcheck // the database is dropped
	if err := s.MigrateWith(background, nextStep{migrations.Files}, 3*time.Second, 1); err == nil ||
		!strings.Contains(err.Error(), "lock timeout") {
		t.Errorf("got error %v, want one of the lock timeout", err)
	}
}

// While a migration waits for a table, relays look up tokens and record usage. When the table is free, the
// migration succeeds.
func TestMigrate_LetsRelaysWorkWhileItWaits(t *testing.T) {
	url := storetest.Postgres(t)
	s, f, holder := newOutdatedStore(t, url)
	done := make(chan error, 1)
	go func() { done <- s.MigrateWith(background, nextStep{migrations.Files}, 20*time.Millisecond, 1_000_000) }()
	owner := f.Tokens[f.Owner.ID]
	for range 50 {
		ctx, cancel := context.WithTimeout(background, 30*time.Second)
		storetest.Need(s.Token.Caller(ctx, platform, storetest.Hash(owner.ID)))(t)
		storetest.Equal(t, "recorded events", storetest.Need(s.Metering.RecordEvents(ctx, platform, storetest.NewID(),
			[]usage.Event{f.Call(f.Owner, "m1", 1)}))(t), 1)
		cancel()
	}
	select {
	case err := <-done:
		t.Fatalf("the migration ended while the table was locked: %v", err)
	default:
	}
	storetest.OK(t, holder.Rollback())
	storetest.OK(t, <-done)
	storetest.Exec(t, url, "SELECT tokens.next, access_keys.next FROM tokens, access_keys")
}
