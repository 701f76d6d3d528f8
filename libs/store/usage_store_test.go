package store_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/reconcile"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// usageStore is a store with the usage of two customers: some in the rollups and some in the outbox, some of
// the present hour and some of earlier hours. A relay has a lease on the wallet of one customer.
type usageStore struct {
	*store.Store
	url   string
	clock *clock
	a, b  customer
	past  time.Time // start of an hour that has ended
}

// clock is the time of a store. It stands still in the middle of an hour until the test advances it.
type clock struct {
	start time.Time
	ahead atomic.Int64
}

func newClock() *clock {
	return &clock{start: time.Now().UTC().Truncate(time.Hour).Add(-30 * time.Minute)}
}

func (c *clock) now() time.Time { return c.start.Add(time.Duration(c.ahead.Load())) }

func (c *clock) advance(d time.Duration) { c.ahead.Add(int64(d)) }

// eachUsageStore runs the test on each kind of database.
func eachUsageStore(t *testing.T, test func(t *testing.T, k *usageStore)) {
	t.Helper()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) { test(t, newUsageStore(t, url(t))) })
	}
}

// newUsageStore returns a usageStore on the database.
func newUsageStore(t *testing.T, url string) *usageStore {
	t.Helper()
	k := &usageStore{url: url, clock: newClock()}
	k.Store = storetest.Open(t, db.Options{URL: url, Now: k.clock.now})
	k.a, k.b = newCustomer(t, k.Store, "acme"), newCustomer(t, k.Store, "beta")
	k.past = k.clock.now().Truncate(time.Hour).Add(-2 * time.Hour)
	k.record(t, k.past, 40)
	k.record(t, k.past.Add(time.Hour), 40)
	drain(t, k.Store)
	k.record(t, k.clock.now(), 40)
	k.record(t, k.past, 10)
	lease(t, k.Store, newID(), k.a.tenant.ID, 1000)
	return k
}

// dropLedgerTriggers drops the triggers that forbid changes of the ledger, so that a test can make a drift there.
func (k *usageStore) dropLedgerTriggers(t *testing.T) {
	t.Helper()
	drops := []string{"DROP TRIGGER ledger_is_not_updated", "DROP TRIGGER wallets_follow_the_ledger"}
	if strings.HasPrefix(k.url, "postgres") {
		drops = []string{"DROP TRIGGER ledger_is_immutable ON ledger",
			"DROP TRIGGER wallets_follow_the_ledger ON accounts"}
	}
	for _, drop := range drops {
		k.exec(t, drop)
	}
}

// record records calls of both customers with several users, models, channels and outcomes, made in the
// minute after at.
func (k *usageStore) record(t testing.TB, at time.Time, calls int) {
	t.Helper()
	channels := []uuid.UUID{uuid.Nil, k.a.group.ID}
	events := make([]usage.Event, calls)
	for i := range events {
		f := []*customer{&k.a, &k.b}[i%2]
		event := f.call([]tenant.User{f.owner, f.member}[i/2%2], fmt.Sprintf("m%d", i%3), money.Amount(i+1))
		event.CreatedAt = at.Add(time.Duration(i) * time.Millisecond)
		event.ID = idAt(event.ID, event.CreatedAt)
		event.ChannelID = channels[i%2]
		event.Outcome = []usage.Outcome{usage.Success, usage.Partial, usage.Failed}[i%3]
		events[i] = event
	}
	need(k.Metering.RecordEvents(background, platform, newID(), events))(t)
}

// reconcile runs the checks and returns all drifts and the new ones, each as check/measure, in order.
func (k *usageStore) reconcile(t testing.TB) (all, fresh []string) {
	t.Helper()
	done := need(k.Reconcile.Run(background, platform))(t)
	seen := need(k.Reconcile.State(background, platform, 1000))(t)
	return names(seen.Drifts), names(done.New)
}

// names returns the drifts as check/measure, in order.
func names(drifts []reconcile.Drift) []string {
	names := []string{}
	for _, d := range drifts {
		names = append(names, fmt.Sprintf("%s/%s", d.Check, d.Measure))
	}
	slices.Sort(names)
	return names
}

// exec runs a statement without the store.
func (k *usageStore) exec(t testing.TB, statement string) {
	t.Helper()
	storetest.Exec(t, k.url, statement)
}

// expect checks that got is want.
func expect(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// errorOf returns the error of a call: errorOf(f()).
func errorOf[T any](_ T, err error) error { return err }
