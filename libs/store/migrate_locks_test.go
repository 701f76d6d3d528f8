package store_test

import (
	"context"
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	storedb "github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// behind is a database that lacks the last migration, of which a table is held
// by a transaction that goes on.
func behind(t *testing.T) (s *store.Store, f firm, holder *sql.Tx) {
	t.Helper()
	url := storetest.Postgres(t)
	s = storetest.Open(t, storedb.Options{URL: url})
	f = found(t, s, "acme")
	for _, statement := range []string{
		"ALTER TABLE tokens DROP COLUMN pepper_id", "ALTER TABLE access_keys DROP COLUMN pepper_id", "DELETE FROM bun_migrations WHERE name = '0016'",
	} {
		storetest.Exec(t, url, statement)
	}
	db := need(sql.Open("pgx", labelled(url)))(t)
	t.Cleanup(func() { ok(t, db.Close()) })
	holder = need(db.BeginTx(background, nil))(t)
	t.Cleanup(func() { _ = holder.Rollback() }) // where the test did not
	var n int
	ok(t, holder.QueryRowContext(background, "SELECT count(*) FROM access_keys").Scan(&n))
	return s, f, holder
}

// labelled has a name that pg_stat_activity shows.
func labelled(url string) string {
	mark := "?"
	if strings.Contains(url, "?") {
		mark = "&"
	}
	return url + mark + "application_name=report"
}

func TestAMigrationDoesNotWaitForALongQuery(t *testing.T) {
	s, _, _ := behind(t)
	err := s.MigrateHastily(background, 50*time.Millisecond, 3)
	if err == nil {
		t.Fatal("the table was altered under a transaction that reads it")
	}
	for _, told := range []string{"lock timeout", "report", "access_keys (AccessShareLock)", "pg_cancel_backend"} {
		if !strings.Contains(err.Error(), told) {
			t.Errorf("the error does not tell %q: %v", told, err)
		}
	}
	if err := s.Ping(background); err == nil {
		t.Error("half a step was kept")
	}
}

// While a migration waits again and again, tokens are looked up and usage is
// recorded; when the table is let go, the migration goes through by itself.
func TestRelaysGoOnWhileAMigrationWaits(t *testing.T) {
	s, f, holder := behind(t)
	done := make(chan error, 1)
	go func() { done <- s.MigrateHastily(background, 20*time.Millisecond, 1_000_000) }()
	owner := f.tokens[f.owner.ID]
	for range 50 {
		ctx, cancel := context.WithTimeout(background, 5*time.Second)
		need(s.Token.Caller(ctx, platform, hash(owner.ID)))(t)
		equal(t, "recorded", need(s.Metering.RecordEvents(ctx, platform, newID(), []usage.Event{f.call(f.owner, "m1", 1)}))(t), 1)
		cancel()
	}
	select {
	case err := <-done:
		t.Fatalf("the migration ended while the table was held: %v", err)
	default:
	}
	ok(t, holder.Rollback())
	ok(t, <-done)
	ok(t, s.Ping(background))
}
