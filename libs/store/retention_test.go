package store_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// oldBooks returns the starts of eight months in a row, in the middle of the last of
// which is k's present. Usage of each is recorded and rolled up, and of one
// long before them, which on Postgres has no partition.
func oldBooks(t *testing.T, url string) (k *books, months []time.Time) {
	t.Helper()
	k = &books{url: url, clock: newClock()}
	k.clock.advance(-400 * 24 * time.Hour)
	k.Store = storetest.Open(t, db.Options{URL: url, Now: k.clock.now})
	k.a, k.b = found(t, k.Store, "acme"), found(t, k.Store, "beta")
	k.record(t, k.clock.now().AddDate(-1, 0, 0), 4)
	month := time.Date(k.clock.now().Year(), k.clock.now().Month(), 1, 0, 0, 0, 0, time.UTC)
	for range 8 {
		months = append(months, month)
		k.clock.advance(month.AddDate(0, 0, 14).Sub(k.clock.now()))
		ok(t, k.Metering.EnsurePartitions(background, platform))
		k.record(t, month, 4)
		k.record(t, month.AddDate(0, 1, 0).Add(-time.Second), 4) // up to the month's last moments
		month = month.AddDate(0, 1, 0)
	}
	drain(t, k.Store)
	return k, months
}

func (k *books) logs(t testing.TB) int {
	t.Helper()
	return len(need(k.Metering.UsageLogs(background, platform, metering.LogQuery{Page: page.Page{Limit: 200}}))(t).Items)
}

func (k *books) requests(t testing.TB, bucket metering.Bucket) (n int64) {
	t.Helper()
	for _, row := range need(k.Metering.UsageSummary(background, platform, metering.SummaryQuery{Bucket: bucket}))(t) {
		n += row.Requests
	}
	return n
}

const day = 24 * time.Hour

func TestOldUsageLogsAreDroppedByWholeMonths(t *testing.T) {
	t.Parallel()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			k, months := oldBooks(t, url(t))
			equal(t, "logs before", k.logs(t), 4+8*8)
			for range 4 {
				k.reconcile(t)
			}
			// The present is the 15th of the last month: 100 days before lie in the fifth.
			done := need(k.Metering.DropUsageLogs(background, platform, 100*day))(t)
			if kind == "postgres" {
				equal(t, "partitions", done.Partitions, 4)
				equal(t, "rows of the default partition", done.Rows, 4)
			} else {
				equal(t, "rows", done.Rows, 4+4*8)
			}
			equal(t, "logs after", k.logs(t), 4*8)
			oldest := need(k.Metering.UsageLogs(background, platform, metering.LogQuery{To: months[4], Page: page.Page{Limit: 200}}))(t)
			equal(t, "of dropped months", len(oldest.Items), 0)
			equal(t, "requests by hour", k.requests(t, metering.ByHour), 4+8*8)
			equal(t, "requests by day", k.requests(t, metering.ByDay), 4+8*8)
			equal(t, "dropped again", need(k.Metering.DropUsageLogs(background, platform, 100*day))(t), metering.Dropped{})
		})
	}
}

// What retention removed is not missed by reconciling, even where usage of a
// dropped month still comes; what somebody else removed is.
func TestDroppedLogsAreNoDrift(t *testing.T) {
	t.Parallel()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			k, months := oldBooks(t, url(t))
			need(k.Metering.DropUsageLogs(background, platform, 100*day))(t)
			k.record(t, months[1], 4)
			drain(t, k.Store)
			for range 3 {
				all, _ := k.reconcile(t)
				expect(t, "after the drop", all)
			}
			equal(t, "late rows go the next time", need(k.Metering.DropUsageLogs(background, platform, 100*day))(t).Rows, 4)
			k.meddle(t, "UPDATE reconcile_hours SET open = true")
			k.meddle(t, "DELETE FROM usage_logs")
			for range 3 {
				k.reconcile(t)
			}
			all, _ := k.reconcile(t)
			equal(t, "what was lost otherwise is missed", len(all) >= 3*2, true)
		})
	}
}

// A reader that holds the table makes the drop fail within its patience and
// stops nobody else for longer; the next attempt does the work.
func TestADropDoesNotWaitForLongReaders(t *testing.T) {
	t.Parallel()
	k, _ := oldBooks(t, storetest.Postgres(t))
	reader := need(pgx.Connect(background, k.url))(t)
	defer reader.Close(background) //nolint:errcheck // its end is the test's
	tx := need(reader.Begin(background))(t)
	need(tx.Exec(background, "SELECT count(*) FROM usage_logs"))(t)

	var traffic sync.WaitGroup
	traffic.Go(func() {
		for range 10 {
			k.record(t, k.clock.now(), 2)
		}
	})
	started := time.Now()
	if _, err := k.Metering.DropUsageLogs(background, platform, 100*day); err == nil {
		t.Error("the drop did not mind the reader")
	}
	if waited := time.Since(started); waited > 20*time.Second {
		t.Errorf("it waited %v", waited)
	}
	traffic.Wait()
	ok(t, tx.Commit(context.WithoutCancel(background)))
	need(k.Metering.DropUsageLogs(background, platform, 100*day))(t)
	equal(t, "logs", k.logs(t), 4*8+20)
}

func TestNothingIsKeptForNoTime(t *testing.T) {
	t.Parallel()
	eachBooks(t, func(t *testing.T, k *books) {
		if _, err := k.Metering.DropUsageLogs(background, platform, 0); err == nil {
			t.Error("a retention of nothing was taken")
		}
	})
}
