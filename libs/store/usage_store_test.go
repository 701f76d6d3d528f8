package store_test

import (
	"fmt"
	"slices"
	"strings"
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
	clock *storetest.Clock
	a, b  storetest.Customer
	past  time.Time // start of an hour that has ended
}

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
	k := &usageStore{url: url, clock: storetest.NewClock()}
	k.Store = storetest.Open(t, db.Options{URL: url, Now: k.clock.Now})
	k.a, k.b = storetest.NewCustomer(t, k.Store, "acme"), storetest.NewCustomer(t, k.Store, "beta")
	k.past = k.clock.Now().Truncate(time.Hour).Add(-2 * time.Hour)
	k.record(t, k.past, 40)
	k.record(t, k.past.Add(time.Hour), 40)
	storetest.Drain(t, k.Store)
	k.record(t, k.clock.Now(), 40)
	k.record(t, k.past, 10)
	storetest.Lease(t, k.Store, storetest.NewID(), k.a.Tenant.ID, 1000)
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
	channels := []uuid.UUID{uuid.Nil, k.a.Group.ID}
	events := make([]usage.Event, calls)
	for i := range events {
		f := []*storetest.Customer{&k.a, &k.b}[i%2]
		event := f.Call([]tenant.User{f.Owner, f.Member}[i/2%2], fmt.Sprintf("m%d", i%3), money.Amount(i+1))
		event.CreatedAt = at.Add(time.Duration(i) * time.Millisecond)
		event.ID = storetest.IDAt(event.ID, event.CreatedAt)
		event.ChannelID = channels[i%2]
		event.Outcome = []usage.Outcome{usage.Success, usage.Partial, usage.Failed}[i%3]
		events[i] = event
	}
	storetest.Need(k.Metering.RecordEvents(background, platform, storetest.NewID(), events))(t)
}

// reconcile runs the checks and returns all drifts and the new ones, each as check/measure, in order.
func (k *usageStore) reconcile(t testing.TB) (all, fresh []string) {
	t.Helper()
	done := storetest.Need(k.Reconcile.Run(background, platform))(t)
	seen := storetest.Need(k.Reconcile.State(background, platform, 1000))(t)
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
