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

// books are two firms' usage: some in the rollups, some in the outbox, some of
// the present hour and some of hours before, with a lease on a wallet.
type books struct {
	*store.Store
	url   string
	clock *clock
	a, b  firm
	past  time.Time // start of an hour that is over
}

// clock is the store's time. It stands still, in the middle of an hour, until
// it is moved.
type clock struct {
	start time.Time
	ahead atomic.Int64
}

func newClock() *clock {
	return &clock{start: time.Now().UTC().Truncate(time.Hour).Add(-30 * time.Minute)}
}

func (c *clock) now() time.Time { return c.start.Add(time.Duration(c.ahead.Load())) }

func (c *clock) advance(d time.Duration) { c.ahead.Add(int64(d)) }

// eachBooks runs the test on either database.
func eachBooks(t *testing.T, test func(t *testing.T, k *books)) {
	t.Helper()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) { test(t, keepBooks(t, url(t))) })
	}
}

func keepBooks(t *testing.T, url string) *books {
	t.Helper()
	k := &books{url: url, clock: newClock()}
	k.Store = storetest.Open(t, db.Options{URL: url, Now: k.clock.now})
	k.a, k.b = found(t, k.Store, "acme"), found(t, k.Store, "beta")
	k.past = k.clock.now().Truncate(time.Hour).Add(-2 * time.Hour)
	k.record(t, k.past, 40)
	k.record(t, k.past.Add(time.Hour), 40)
	drain(t, k.Store)
	k.record(t, k.clock.now(), 40)
	k.record(t, k.past, 10)
	lease(t, k.Store, newID(), k.a.tenant.ID, 1000)
	return k
}

// disarm removes what keeps the ledger from being falsified.
func (k *books) disarm(t *testing.T) {
	t.Helper()
	drops := []string{"DROP TRIGGER ledger_is_not_updated", "DROP TRIGGER wallets_follow_the_ledger"}
	if strings.HasPrefix(k.url, "postgres") {
		drops = []string{"DROP TRIGGER ledger_is_immutable ON ledger", "DROP TRIGGER wallets_follow_the_ledger ON accounts"}
	}
	for _, drop := range drops {
		k.meddle(t, drop)
	}
}

// record records calls of both firms, of several keys, that were accepted in
// the minute after at.
func (k *books) record(t testing.TB, at time.Time, calls int) {
	t.Helper()
	channels := []uuid.UUID{uuid.Nil, k.a.group.ID}
	events := make([]usage.Event, calls)
	for i := range events {
		f := []*firm{&k.a, &k.b}[i%2]
		event := f.call([]tenant.User{f.owner, f.member}[i/2%2], fmt.Sprintf("m%d", i%3), money.Amount(i+1))
		event.CreatedAt = at.Add(time.Duration(i) * time.Millisecond)
		event.ID = idAt(event.ID, event.CreatedAt)
		event.ChannelID = channels[i%2]
		event.Outcome = []usage.Outcome{usage.Success, usage.Partial, usage.Failed}[i%3]
		events[i] = event
	}
	need(k.Metering.RecordEvents(background, platform, newID(), events))(t)
}

// reconcile returns the drifts there are after a run, and those that are new,
// each as check/measure, in order.
func (k *books) reconcile(t testing.TB) (all, fresh []string) {
	t.Helper()
	done := need(k.Reconcile.Run(background, platform))(t)
	seen := need(k.Reconcile.State(background, platform, 1000))(t)
	return names(seen.Drifts), names(done.New)
}

func names(drifts []reconcile.Drift) []string {
	names := []string{}
	for _, d := range drifts {
		names = append(names, fmt.Sprintf("%s/%s", d.Check, d.Measure))
	}
	slices.Sort(names)
	return names
}

// meddle runs a statement past the store.
func (k *books) meddle(t testing.TB, statement string) {
	t.Helper()
	storetest.Exec(t, k.url, statement)
}

func expect(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func second[T any](_ T, err error) error { return err }
