package store_test

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

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
			storetest.OK(t, s.Ping(background))
			storetest.NewCustomer(t, s, "acme")
		})
	}
}

func TestPing_RequiresTheSchema(t *testing.T) {
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			s := storetest.Need(store.Open(background, storedb.Options{URL: url(t)}))(t)
			defer s.Close() //nolint:errcheck // other tests check Close
			if err := s.Ping(background); err == nil {
				t.Error("Ping of a database without a schema: got no error")
			}
			storetest.OK(t, s.Migrate(background))
			storetest.OK(t, s.Ping(background))
			storetest.OK(t, s.Migrate(background))
		})
	}
}

func TestOpen_RefusesInvalidURLs(t *testing.T) {
	for _, url := range []string{"", "sqlite:", "sqlite::memory:", "mysql://x",
		"postgres://127.0.0.1:1/x?connect_timeout=1", "sqlite:/does/not/exist/x.db"} {
		if s, err := store.Open(background, storedb.Options{URL: url}); err == nil {
			t.Errorf("Open %q: got no error", url)
			storetest.OK(t, s.Close())
		}
	}
}

// Events of a month without a partition are in the default partition. They move when the month gets its
// partition; none is lost or duplicated.
func TestEnsurePartitions_MovesRowsOfTheDefaultPartition(t *testing.T) {
	url := storetest.Postgres(t)
	s := storetest.Open(t, storedb.Options{URL: url})
	f := storetest.NewCustomer(t, s, "acme")
	later := time.Now().AddDate(0, 6, 0)
	var events []usage.Event
	for range 50 {
		soon, late := f.Call(f.Member, "m1", 1), f.Call(f.Member, "m1", 1)
		late.ID, late.CreatedAt = storetest.IDAt(late.ID, later), later
		events = append(events, soon, late)
	}
	record := func() int {
		return storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(), events))(t)
	}
	storetest.Equal(t, "recorded events", record(), 100)

	future := storetest.Need(store.Open(background, storedb.Options{URL: url, Now: func() time.Time { return later }}))(
		t)
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
	storetest.Equal(t, "events recorded by a repeat", record(), 0)
	found := storetest.Need(s.Metering.UsageLogs(background, platform, metering.LogQuery{Page: page.Page{Limit: 200}}))(
		t)
	storetest.Equal(t, "logs", len(found.Items), 100)
	month := storetest.Need(s.Metering.UsageLogs(background, platform,
		metering.LogQuery{From: later.Add(-time.Second), Page: page.Page{Limit: 200}}))(t)
	storetest.Equal(t, "logs of the later month", len(month.Items), 50)
	storetest.Exec(t, url, "DO $$ BEGIN IF EXISTS (SELECT 1 FROM usage_logs_default) THEN RAISE 'rows in the "+
		"default partition'; END IF; END $$")
}
