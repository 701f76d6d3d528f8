package store_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// newOldUsageStore returns a store with usage of eight months in a row, and the starts of the months. The
// present is in the middle of the last month. There is also usage of a much earlier month, which has no
// partition on Postgres. All usage is in the rollups.
func newOldUsageStore(t *testing.T, url string) (k *usageStore, months []time.Time) {
	t.Helper()
	k = &usageStore{url: url, clock: storetest.NewClock()}
	k.clock.Advance(-400 * 24 * time.Hour)
	k.Store = storetest.Open(t, db.Options{URL: url, Now: k.clock.Now})
	k.a, k.b = storetest.NewCustomer(t, k.Store, "acme"), storetest.NewCustomer(t, k.Store, "beta")
	k.record(t, k.clock.Now().AddDate(-1, 0, 0), 4)
	month := time.Date(k.clock.Now().Year(), k.clock.Now().Month(), 1, 0, 0, 0, 0, time.UTC)
	for range 8 {
		months = append(months, month)
		k.clock.Advance(month.AddDate(0, 0, 14).Sub(k.clock.Now()))
		storetest.OK(t, k.Metering.EnsurePartitions(background, platform))
		k.record(t, month, 4)
		k.record(t, month.AddDate(0, 1, 0).Add(-time.Second), 4) // the last second of the month
		month = month.AddDate(0, 1, 0)
	}
	storetest.Drain(t, k.Store)
	return k, months
}

// logs returns the number of usage logs, at most 200.
func (k *usageStore) logs(t testing.TB) int {
	t.Helper()
	return len(storetest.Need(k.Metering.UsageLogs(background, platform,
		metering.LogQuery{Page: page.Page{Limit: 200}}))(t).Items)
}

// requests returns the number of requests in the rollups.
func (k *usageStore) requests(t testing.TB, bucket metering.Bucket) (n int64) {
	t.Helper()
	for _, row := range storetest.Need(k.Metering.UsageSummary(background, platform,
		metering.SummaryQuery{Bucket: bucket}))(t) {
		n += row.Requests
	}
	return n
}

const day = 24 * time.Hour

func TestDropUsageLogs_DropsWholeMonths(t *testing.T) {
	t.Parallel()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			k, months := newOldUsageStore(t, url(t))
			storetest.Equal(t, "logs before", k.logs(t), 4+8*8)
			for range 4 {
				k.reconcile(t)
			}
			// The present is the 15th of the eighth month. 100 days earlier is in the fifth month, so the
			// first four are dropped.
			storetest.DrainAttribution(t, k.Store, 0)
			of := metering.AttributionQuery{TenantID: k.a.Tenant.ID, From: months[3], To: months[4], Limit: 1}
			storetest.Equal(t, "end users of the last month that is dropped",
				len(storetest.Need(k.Metering.Attribution(background, platform, of))(t).Items), 1)
			done := storetest.Need(k.Metering.DropUsageLogs(background, platform, 100*day))(t)
			if kind == "postgres" {
				storetest.Equal(t, "partitions", done.Partitions, 4)
				storetest.Equal(t, "rows of the default partition", done.Rows, 4)
			} else {
				storetest.Equal(t, "rows", done.Rows, 4+4*8)
			}
			storetest.Equal(t, "logs after", k.logs(t), 4*8)
			gone := storetest.Need(k.Metering.Attribution(background, platform, of))(t)
			storetest.Equal(t, "end users and tags after", len(gone.Items)+len(gone.Tags), 0)
			of.From, of.To = months[4], months[5]
			storetest.Equal(t, "end users of a month that stays",
				len(storetest.Need(k.Metering.Attribution(background, platform, of))(t).Items), 1)
			oldest := storetest.Need(k.Metering.UsageLogs(background, platform,
				metering.LogQuery{To: months[4], Page: page.Page{Limit: 200}}))(t)
			storetest.Equal(t, "logs of dropped months", len(oldest.Items), 0)
			storetest.Equal(t, "requests by hour", k.requests(t, metering.ByHour), 4+8*8)
			storetest.Equal(t, "requests by day", k.requests(t, metering.ByDay), 4+8*8)
			storetest.Equal(t, "dropped by a repeat",
				storetest.Need(k.Metering.DropUsageLogs(background, platform, 100*day))(t), metering.Dropped{})
		})
	}
}

// Rollups know of calls in months whose logs are gone.
func TestUsageLogs_AreNotSearchedInDroppedMonths(t *testing.T) {
	t.Parallel()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			k, months := newOldUsageStore(t, url(t))
			for i := range 18 { // with the eight of the store more than one call may search
				k.record(t, months[0].AddDate(0, -1-i, 0), 2)
			}
			storetest.Drain(t, k.Store)
			storetest.Need(k.Metering.DropUsageLogs(background, platform, 100*day))(t)
			for _, sort := range []page.Sort{{}, {By: "created_at"}} {
				list := storetest.Need(k.Metering.UsageLogs(background, k.a.AsOwner,
					metering.LogQuery{EndUser: "nobody", Page: page.Page{Sort: sort}}))(t)
				storetest.Equal(t, "pages after the first, sorted by "+sort.By, list.Next, "")
			}
			totals := storetest.Need(k.Metering.UsageLogTotals(background, k.a.AsOwner,
				metering.LogQuery{Dialect: "chat"}))(t)
			storetest.Equal(t, "totals are complete", totals.Complete, true)
			storetest.Equal(t, "requests", totals.Requests, 2*8)
		})
	}
}

// Reconciling does not miss logs that retention dropped. It misses logs that were deleted in another way.
func TestDropUsageLogs_CausesNoDrift(t *testing.T) {
	t.Parallel()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			k, _ := newOldUsageStore(t, url(t))
			storetest.Need(k.Metering.DropUsageLogs(background, platform, 100*day))(t)
			for range 3 {
				all, _ := k.reconcile(t)
				expect(t, "drifts after the drop", all)
			}
			k.exec(t, "UPDATE reconcile_hours SET open = true")
			k.exec(t, "DELETE FROM usage_logs")
			for range 3 {
				k.reconcile(t)
			}
			all, _ := k.reconcile(t)
			storetest.Equal(t, "deleted logs of the kept months cause drifts", len(all) >= 3*2, true)
		})
	}
}

// A relay that was off for months sends its old spool again. The logs that would show which of its events were recorded
// are gone, so none of them is recorded or charged, and the relay sets them aside. Other events of the relay are
// recorded.
func TestRecordEvents_RefusesEventsOfDroppedMonths(t *testing.T) {
	t.Parallel()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			k, months := newOldUsageStore(t, url(t))
			at := func(at time.Time) usage.Event {
				event := k.a.Call(k.a.Owner, "m1", 7)
				event.CreatedAt, event.ID = at, storetest.IDAt(event.ID, at)
				return event
			}
			record := func(events ...usage.Event) (int, error) {
				return k.Metering.RecordEvents(background, platform, storetest.NewID(), events)
			}
			dropped, kept := at(months[4].Add(-time.Second)), at(months[4])
			storetest.Equal(t, "recorded at first", storetest.Need(record(dropped, kept))(t), 2)
			storetest.Need(k.Metering.DropUsageLogs(background, platform, 100*day))(t)
			used, _ := storetest.Account(t, k.Store, k.a.Tenant.ID)
			logs := k.logs(t)

			for name, events := range map[string][]usage.Event{
				"the recorded event": {dropped}, "an event that was never recorded": {at(months[0])},
				"a batch with such an event": {dropped, at(k.clock.Now())},
			} {
				if _, err := record(events...); !errors.Is(err, db.ErrRefused) ||
					!strings.Contains(err.Error(), months[4].Format(time.DateOnly)) {
					t.Errorf("%s: got error %v, want one of ErrRefused that names the date", name, err)
				}
			}
			storetest.Equal(t, "recorded again of a month that is kept", storetest.Need(record(kept))(t), 0)
			storetest.Equal(t, "logs", k.logs(t), logs)
			after, _ := storetest.Account(t, k.Store, k.a.Tenant.ID)
			storetest.Equal(t, "used", after, used)
			storetest.Equal(t, "recorded of the present", storetest.Need(record(at(k.clock.Now()), at(months[4])))(t),
				2)
		})
	}
}

// A worker boots with a clock that is a year ahead, which is corrected later.
func TestDropUsageLogs_DropsNothingForAClockThatIsAhead(t *testing.T) {
	t.Parallel()
	eachUsageStore(t, func(t *testing.T, k *usageStore) {
		logs := k.logs(t)
		k.clock.Advance(365 * day)
		storetest.Equal(t, "dropped",
			storetest.Need(k.Metering.DropUsageLogs(background, platform, 31*day))(t), metering.Dropped{})
		k.clock.Advance(-365 * day)
		storetest.Equal(t, "logs", k.logs(t), logs)

		now := k.clock.Now()
		event := k.a.Call(k.a.Owner, "m1", 7)
		event.CreatedAt = time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC).Add(-time.Second)
		event.ID = storetest.IDAt(event.ID, event.CreatedAt)
		storetest.Equal(t, "recorded of the last month", storetest.Need(k.Metering.RecordEvents(background, platform,
			storetest.NewID(), []usage.Event{event}))(t), 1)
	})
}

// locked begins a transaction that reads a table and keeps its lock, as an export or pg_dump does.
func (k *usageStore) locked(t *testing.T, table string) pgx.Tx {
	t.Helper()
	reader := storetest.Need(pgx.Connect(background, k.url))(t)
	t.Cleanup(func() { _ = reader.Close(background) })
	tx := storetest.Need(reader.Begin(background))(t)
	storetest.Need(tx.Exec(background, "SELECT count(*) FROM "+table))(t)
	return tx
}

// work records events and reads pages, as often as rounds says.
func (k *usageStore) work(t *testing.T, rounds int) {
	t.Helper()
	for range rounds {
		k.record(t, k.clock.Now(), 2)
		k.logs(t)
	}
}

// While a reader has the table locked, a drop waits for it, and relays and pages work meanwhile. When the reader ends,
// the drop succeeds.
func TestDropUsageLogs_WaitsForAReaderAndDelaysNobody(t *testing.T) {
	t.Parallel()
	k, _ := newOldUsageStore(t, storetest.Postgres(t))
	reader := k.locked(t, "usage_logs")
	dropped := make(chan error, 1)
	go func() { dropped <- storetest.ErrorOf(k.Metering.DropUsageLogs(background, platform, 100*day)) }()
	k.awaitLockWaiter(t)
	k.work(t, 10)
	select {
	case err := <-dropped:
		t.Fatalf("the drop ended while a reader had the table locked: %v", err)
	default:
	}
	storetest.Equal(t, "logs before", k.logs(t), 4+8*8+20)
	storetest.OK(t, reader.Commit(background))
	storetest.OK(t, <-dropped)
	storetest.Equal(t, "logs", k.logs(t), 4*8+20)
}

// The same for the partition of a coming month.
func TestEnsurePartitions_WaitsForAReaderAndDelaysNobody(t *testing.T) {
	t.Parallel()
	k, _ := newOldUsageStore(t, storetest.Postgres(t))
	k.clock.Advance(62 * day)
	reader := k.locked(t, "usage_logs_default")
	made := make(chan error, 1)
	go func() { made <- k.Metering.EnsurePartitions(background, platform) }()
	k.awaitLockWaiter(t)
	k.work(t, 10)
	select {
	case err := <-made:
		t.Fatalf("the partition was made while a reader had the default partition locked: %v", err)
	default:
	}
	storetest.OK(t, reader.Commit(background))
	storetest.OK(t, <-made)
}

// awaitLockWaiter waits until a statement of the database waits for a lock on a table.
func (k *usageStore) awaitLockWaiter(t *testing.T) {
	t.Helper()
	conn := storetest.Need(pgx.Connect(background, k.url))(t)
	defer conn.Close(background) //nolint:errcheck // the connection ends with the test
	ctx, cancel := context.WithTimeout(background, 30*time.Second)
	defer cancel()
	for waits := false; !waits; {
		storetest.OK(t,
			conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'relation' AND NOT granted
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`).Scan(&waits))
	}
}

// A drop that is interrupted while a reader has the table locked leaves everything in place.
func TestDropUsageLogs_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	k, _ := newOldUsageStore(t, storetest.Postgres(t))
	k.locked(t, "usage_logs")
	ctx, cancel := context.WithCancel(background)
	dropped := make(chan error, 1)
	go func() { dropped <- storetest.ErrorOf(k.Metering.DropUsageLogs(ctx, platform, 100*day)) }()
	k.awaitLockWaiter(t)
	cancel()
	if err := <-dropped; !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want context.Canceled", err)
	}
	storetest.Equal(t, "logs", k.logs(t), 4+8*8)
}

func TestDropUsageLogs_RefusesARetentionOfZero(t *testing.T) {
	t.Parallel()
	eachUsageStore(t, func(t *testing.T, k *usageStore) {
		if _, err := k.Metering.DropUsageLogs(background, platform, 0); err == nil {
			t.Error("a retention of 0 was accepted")
		}
	})
}
