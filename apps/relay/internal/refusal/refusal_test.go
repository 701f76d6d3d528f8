package refusal

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/refusal"
)

// fakeStore keeps what is recorded, or fails.
type fakeStore struct {
	calls  []usage.Refusal
	counts []usage.RefusalCount
	err    error
}

func (s *fakeStore) Record(_ context.Context, _ tenant.Scope, calls []usage.Refusal,
	counts []usage.RefusalCount) error {
	s.calls, s.counts = append(s.calls, calls...), append(s.counts, counts...)
	return s.err
}

func start(t *testing.T, store Store) *Recorder {
	t.Helper()
	return startWith(t, Options{Store: store, Clients: true})
}

func startWith(t *testing.T, o Options) *Recorder {
	t.Helper()
	o.Scope, o.Log, o.Registry = tenant.SystemScope("relay"), slog.New(slog.DiscardHandler), prometheus.NewRegistry()
	r := New(o)
	r.Start(t.Context())
	t.Cleanup(r.Stop)
	return r
}

func TestRecorder_ListsClientsUnlessTheyAreNotStored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		call := usage.Refusal{TenantID: uuid.New(), CreatedAt: time.Now(), Address: netip.MustParseAddr("192.0.2.1"),
			Agent: "curl/8"}
		for _, clients := range []bool{true, false} {
			store := &fakeStore{}
			r := startWith(t, Options{Store: store, Clients: clients})
			r.Add(call)
			r.Stop()
			if got := store.calls[0]; got.Address.IsValid() != clients || (got.Agent == "curl/8") != clients {
				t.Errorf("with clients %v: got %+v", clients, got)
			}
		}
	})
}

// sizes returns how much the recorder remembers.
func sizes(r *Recorder) (calls, counts, listed int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.calls), len(r.counts), len(r.listed)
}

func TestRecorder_ListsAHundredCallsOfATenantAndCountsAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{}
		r := start(t, store)
		acme := usage.Refusal{TenantID: uuid.New(), UserID: uuid.New(), Code: "rate_limit_exceeded",
			CreatedAt: time.Now(), Message: strings.Repeat("m", 10_000)}
		for range 70 {
			r.Add(acme)
		}
		time.Sleep(writeEvery) //nolint:forbidigo // on the fake clock
		for range 70 {
			r.Add(acme)
		}
		other := acme
		other.TenantID = uuid.New()
		r.Add(other)
		r.Stop()
		if len(store.calls) != refusal.PerHour+1 || len(store.calls[0].Message) != maxText {
			t.Errorf("got %d calls with a message of %d bytes, want %d with %d", len(store.calls),
				len(store.calls[0].Message), refusal.PerHour+1, maxText)
		}
		var total int64
		for _, count := range store.counts {
			total += count.Calls
		}
		if total != 141 {
			t.Errorf("got %d counted calls, want 141", total)
		}
		if lost := testutil.ToFloat64(r.lost); lost != 0 {
			t.Errorf("got %v lost calls", lost)
		}
	})
}

func TestRecorder_IsBoundedAndCountsWhatItLoses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{err: errors.New("the database is down")}
		r := start(t, store)
		for range maxCounts + 5 {
			r.Add(usage.Refusal{TenantID: uuid.New(), CreatedAt: time.Now()})
		}
		if calls, counts, _ := sizes(r); calls != maxCalls || counts != maxCounts {
			t.Errorf("got %d calls and %d counts, want %d and %d", calls, counts, maxCalls, maxCounts)
		}
		time.Sleep(writeEvery) //nolint:forbidigo // on the fake clock
		synctest.Wait()
		if lost := testutil.ToFloat64(r.lost); lost != maxCounts+5 {
			t.Errorf("got %v lost calls, want %d", lost, maxCounts+5)
		}
		if calls, counts, _ := sizes(r); calls+counts > 0 {
			t.Error("what was lost is still in memory")
		}
		time.Sleep(4 * time.Hour) //nolint:forbidigo // on the fake clock
		synctest.Wait()
		if _, _, listed := sizes(r); listed > 0 {
			t.Errorf("got %d remembered hours, want none after some hours", listed)
		}
	})
}
