package worker_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/worker"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/polltest"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/queue/embedded"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

func TestMain(m *testing.M) { os.Exit(storetest.Main(m)) }

var scope = tenant.SystemScope("test")

// stage is a store with a tenant, and a worker on the same store.
type stage struct {
	store  *store.Store
	client *queue.Client
	worker *worker.Worker
	key    usage.RollupKey // of the calls that the tests record
	relay  uuid.UUID
}

// newStage returns a stage whose worker is running and ready.
func newStage(t *testing.T, s *store.Store) *stage {
	t.Helper()
	st := build(t, s, worker.Options{Log: slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry()})
	st.start(t)
	for _, check := range st.worker.Checks() {
		if err := check.Ready(t.Context()); err != nil {
			t.Errorf("%s: %v", check.Name, err)
		}
	}
	return st
}

// build returns a stage whose worker is not started.
func build(t *testing.T, s *store.Store, o worker.Options) *stage {
	t.Helper()
	server, err := embedded.Start()
	if err != nil {
		t.Fatal(err)
	}
	redis := queue.Embed(server.Addr, server.Password, server.Close, o.Log)
	t.Cleanup(func() { _ = redis.Close() })
	st := &stage{store: s, client: queue.NewClient(redis), relay: uuid.Must(uuid.NewV7())}
	t.Cleanup(func() { _ = st.client.Close() })
	st.createTenant(t)
	o.Store, o.Redis, o.ReconcileEvery, o.Grace = s, redis, time.Second, 2*time.Second
	if st.worker, err = worker.New(o); err != nil {
		t.Fatal(err)
	}
	return st
}

func (st *stage) start(t *testing.T) {
	t.Helper()
	if err := st.worker.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.stop(t) })
}

func (st *stage) stop(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := st.worker.Stop(ctx); err != nil {
		t.Error(err)
	}
}

// createTenant creates a tenant with a user and a token.
func (st *stage) createTenant(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	group, err := st.store.Catalog.CreateGroup(ctx, scope, "default", []string{"*"})
	must(err)
	owner, err := st.store.Identity.CreateTenant(ctx, scope,
		identity.NewTenant{Slug: "acme", Name: "Acme", Quota: 10 * money.USD})
	must(err)
	user, err := st.store.Identity.CreateUser(ctx, storetest.Confirmed(scope), identity.NewUser{TenantID: owner.ID,
		Email: "a@acme.example", PasswordHash: "x", Role: tenant.Owner, GroupID: group.ID})
	must(err)
	id := uuid.Must(uuid.NewV7())
	_, err = st.store.Token.CreateToken(ctx, scope, tokendb.NewToken{
		Token: token.Token{ID: id, TenantID: owner.ID, UserID: user.ID, Name: "ci", Mask: "…", Status: token.Enabled},
		Hash:  token.HashOf([]byte("pepper"), token.New(id)),
	})
	must(err)
	st.key = usage.RollupKey{TenantID: owner.ID, UserID: user.ID, TokenID: id, Model: "m"}
}

// call returns the event of a call.
func (st *stage) call(at time.Time, outcome usage.Outcome, quota money.Amount) usage.Event {
	return usage.Event{Log: usage.Log{
		ID: uuid.Must(uuid.NewV7()), CreatedAt: at, TenantID: st.key.TenantID, UserID: st.key.UserID,
		TokenID: st.key.TokenID,
		Model:   st.key.Model, Dialect: "chat", Outcome: outcome, Status: 200, RelayID: st.relay,
		Usage: usage.Usage{Input: 7, Output: 3}, Cost: quota, Quota: quota,
	}}
}

// record records the events as a relay does and wakes the rollup.
func (st *stage) record(t *testing.T, events []usage.Event) {
	t.Helper()
	if _, err := st.store.Metering.RecordEvents(t.Context(), scope, st.relay, events); err != nil {
		t.Fatal(err)
	}
	if err := st.client.WakeRollup(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// wait waits until the rollups count that many requests, and returns them.
func (st *stage) wait(t *testing.T, bucket metering.Bucket, requests int64) []metering.SummaryRow {
	t.Helper()
	now := time.Now()
	var rows []metering.SummaryRow
	polltest.Until(t, fmt.Sprintf("%d requests are in the rollups", requests), func() bool {
		var err error
		rows, err = st.store.Metering.UsageSummary(t.Context(), scope, metering.SummaryQuery{
			TenantID: st.key.TenantID, Bucket: bucket, By: metering.ByModel, From: now.Add(-100 * time.Hour).
					Truncate(24 * time.Hour), To: now.Add(48 * time.Hour).Truncate(24 * time.Hour),
		})
		if err != nil {
			t.Fatal(err)
		}
		var sum int64
		for _, row := range rows {
			sum += row.Requests
		}
		return sum >= requests
	})
	return rows
}

func TestWorker_AddsEachEventToTheRollupsExactlyOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		st := newStage(t, s)
		hour := time.Now().UTC().Truncate(time.Hour)
		var want usage.Sums
		var all []usage.Event
		for i := range 2500 {
			event := st.call(hour.Add(-time.Duration(i%3)*time.Hour),
				[]usage.Outcome{usage.Success, usage.Partial, usage.Failed}[i%5%3], money.Amount(i))
			all = append(all, event)
			want.Add(&event.Log)
		}
		for i := 0; i < len(all); i += 100 {
			st.record(t, all[i:i+100])
			st.record(t, all[max(0, i-50):i+50]) // half of these events are duplicates
		}
		for _, bucket := range []metering.Bucket{metering.ByHour, metering.ByDay} {
			var got usage.Sums
			rows := st.wait(t, bucket, want.Requests)
			for _, row := range rows {
				got.Merge(row.Sums)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("rollups by %s differ from the events (-want +got):\n%s", bucket, diff)
			}
			if bucket == metering.ByHour && len(rows) != 3 {
				t.Errorf("got rollups of %d hours, want 3", len(rows))
			}
		}
	})
}

func TestWorker_RollsUpWithoutAWakeUp(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, db.Options{URL: storetest.SQLite(t)})
	st := newStage(t, s)
	if _, err := s.Metering.RecordEvents(t.Context(), scope, st.relay,
		[]usage.Event{st.call(time.Now(), usage.Success, 5)}); err != nil {
		t.Fatal(err)
	}
	if rows := st.wait(t, metering.ByHour, 1); rows[0].Quota != 5 {
		t.Errorf("got rollups %+v, want quota 5", rows)
	}
}

func TestWorker_ReconcilesPeriodically(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, db.Options{URL: storetest.SQLite(t)})
	st := newStage(t, s)
	st.record(t, []usage.Event{st.call(time.Now(), usage.Success, 5)})
	st.wait(t, metering.ByHour, 1)
	runs := map[time.Time]bool{}
	polltest.Until(t, "there were three runs", func() bool {
		found, err := s.Reconcile.State(t.Context(), scope, 10)
		if err != nil || len(found.Drifts) > 0 {
			t.Fatalf("got %+v, error %v; want no drifts", found, err)
		}
		if !found.CheckedAt.IsZero() {
			runs[found.CheckedAt] = true
		}
		return len(runs) == 3
	})
}
