package store_test

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	storedb "github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// migrateURL is the argument, followed by a URL, with which this test program only migrates the database.
const migrateURL = "-migrate="

// migrateAndExit migrates the database and returns the exit code of the program.
func migrateAndExit(url string) int {
	s, err := store.Open(background, storedb.Options{URL: url})
	if err == nil {
		err = s.Migrate(background)
	}
	if err == nil {
		err = s.Ping(background)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func TestMigrate_ConcurrentProcesses(t *testing.T) {
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			database := url(t)
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					if out, err := exec.Command(os.Args[0], migrateURL+database).CombinedOutput(); err != nil {
						t.Errorf("a child process failed: %v: %s", err, out)
					}
				})
			}
			wg.Wait()
			s := storetest.Open(t, storedb.Options{URL: database})
			ok(t, s.Ping(background))
			newCustomer(t, s, "acme")
		})
	}
}

func TestPing_RequiresTheSchema(t *testing.T) {
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			s := need(store.Open(background, storedb.Options{URL: url(t)}))(t)
			defer s.Close() //nolint:errcheck // other tests check Close
			if err := s.Ping(background); err == nil {
				t.Error("Ping of a database without a schema: got no error")
			}
			ok(t, s.Migrate(background))
			ok(t, s.Ping(background))
			ok(t, s.Migrate(background))
		})
	}
}

func TestOpen_RefusesInvalidURLs(t *testing.T) {
	for _, url := range []string{"", "sqlite:", "sqlite::memory:", "mysql://x",
		"postgres://127.0.0.1:1/x?connect_timeout=1", "sqlite:/does/not/exist/x.db"} {
		if s, err := store.Open(background, storedb.Options{URL: url}); err == nil {
			t.Errorf("Open %q: got no error", url)
			ok(t, s.Close())
		}
	}
}

// Events of a month without a partition are in the default partition. They move when the month gets its
// partition; none is lost or duplicated.
func TestEnsurePartitions_MovesRowsOfTheDefaultPartition(t *testing.T) {
	url := storetest.Postgres(t)
	s := storetest.Open(t, storedb.Options{URL: url})
	f := newCustomer(t, s, "acme")
	later := time.Now().AddDate(0, 6, 0)
	var events []usage.Event
	for range 50 {
		soon, late := f.call(f.member, "m1", 1), f.call(f.member, "m1", 1)
		late.ID, late.CreatedAt = idAt(late.ID, later), later
		events = append(events, soon, late)
	}
	record := func() int { return need(s.Metering.RecordEvents(background, platform, newID(), events))(t) }
	equal(t, "recorded events", record(), 100)

	future := need(store.Open(background, storedb.Options{URL: url, Now: func() time.Time { return later }}))(t)
	defer future.Close() //nolint:errcheck // other tests check Close
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if err := future.Metering.EnsurePartitions(background, platform); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	equal(t, "events recorded by a repeat", record(), 0)
	found := need(s.Metering.UsageLogs(background, platform, metering.LogQuery{Page: page.Page{Limit: 200}}))(t)
	equal(t, "logs", len(found.Items), 100)
	month := need(s.Metering.UsageLogs(background, platform,
		metering.LogQuery{From: later.Add(-time.Second), Page: page.Page{Limit: 200}}))(t)
	equal(t, "logs of the later month", len(month.Items), 50)
	storetest.Exec(t, url, "DO $$ BEGIN IF EXISTS (SELECT 1 FROM usage_logs_default) THEN RAISE 'rows in the "+
		"default partition'; END IF; END $$")
}

// idAt returns the UUIDv7 with the time t and the random bits of id.
func idAt(id uuid.UUID, t time.Time) uuid.UUID {
	millis := t.UnixMilli()
	for i := range 6 {
		id[i] = byte(millis >> (40 - 8*i))
	}
	return id
}
