package feed

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// table is a change feed in memory.
type table struct {
	mu      sync.Mutex
	changes []db.Change
	failing bool
	notify  chan struct{} // a value is a notification
}

// Changes implements Changes.
func (b *table) Changes(_ context.Context, _ tenant.Scope, after db.Change, limit int) ([]db.Change, db.Change, bool,
	error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failing {
		return nil, db.Change{}, false, errors.New("the database is unavailable")
	}
	newest := int64(len(b.changes))
	if after.Version > newest || !after.CreatedAt.IsZero() && b.change(after.Version) != after {
		return nil, b.change(newest), true, nil
	}
	next := min(newest, after.Version+int64(limit))
	return slices.Clone(b.changes[after.Version:next]), b.change(next), false, nil
}

// change returns the change with the version.
func (b *table) change(version int64) db.Change {
	if version == 0 {
		return db.Change{}
	}
	return b.changes[version-1]
}

// Listen implements Changes.
func (b *table) Listen(ctx context.Context, _ tenant.Scope, wake func()) error {
	for {
		select {
		case <-b.notify:
			wake()
		case <-ctx.Done():
			return nil
		}
	}
}

// fail makes reads fail, or succeed again.
func (b *table) fail(failing bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failing = failing
}

// lose drops the last change.
func (b *table) lose() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changes = b.changes[:len(b.changes)-1]
}

// commit adds a change of a token, without a notification.
func (b *table) commit() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changes = append(b.changes, db.Change{Version: int64(len(b.changes) + 1), Topic: db.TokenChanged, Ref: uuid.New(),
		CreatedAt: time.Now()})
}

// received has what a Feed reported so far.
type received struct {
	delays    []time.Duration // of each change that was applied
	calls     int             // of the subscriber Callers
	forgotten int             // changes in these calls
	reloads   int             // calls of the subscriber All
}

// following runs test in a bubble with a Feed that has run for 200 ms, so that its next poll is 300 ms away. got
// returns what it received after the Feed has done its work. A report of a change must follow the call of the
// subscriber.
func following(t *testing.T, test func(t *testing.T, source *table, got func() received)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		source := &table{notify: make(chan struct{})}
		var all received
		f := New(Options{
			Source: source, Now: time.Now, Log: slog.New(slog.DiscardHandler),
			Subscribers: Subscribers{
				Catalog: func(context.Context) error { return nil },
				Callers: func(changes []db.Change) {
					all.calls++
					all.forgotten += len(changes)
				},
				All: func() { all.reloads++ },
			},
			Applied: func(topic db.Topic, delay time.Duration) {
				all.delays = append(all.delays, delay)
				if topic != db.TokenChanged || all.forgotten < len(all.delays) {
					t.Errorf("report %d: got topic %s after the subscriber got %d changes", len(all.delays),
						topic, all.forgotten)
				}
			},
		})
		f.Start(t.Context())
		defer f.Stop()
		<-time.After(200 * time.Millisecond)
		test(t, source, func() received {
			synctest.Wait()
			return all
		})
	})
}

func TestFeed_AppliesAChangeAtItsNotification(t *testing.T) {
	following(t, func(t *testing.T, source *table, got func() received) {
		source.commit()
		source.notify <- struct{}{}
		if got := got().delays; !slices.Equal(got, []time.Duration{0}) {
			t.Errorf("got the delays %v, want one of 0", got)
		}
	})
}

func TestFeed_FindsAChangeWithoutANotificationAtItsNextPoll(t *testing.T) {
	following(t, func(t *testing.T, source *table, got func() received) {
		source.commit()
		<-time.After(pollInterval)
		if got := got().delays; !slices.Equal(got, []time.Duration{300 * time.Millisecond}) {
			t.Errorf("got the delays %v, want one of 300ms", got)
		}
	})
}

func TestFeed_AppliesEachChangeOnceAfterTheDatabaseFailed(t *testing.T) {
	following(t, func(t *testing.T, source *table, got func() received) {
		source.fail(true)
		source.commit()
		source.notify <- struct{}{}
		<-time.After(time.Second)
		if got := got().delays; len(got) != 0 {
			t.Errorf("got the delays %v while the database failed", got)
		}
		source.commit()
		source.fail(false)
		<-time.After(10 * time.Second)
		if got := got().delays; !slices.Equal(got, []time.Duration{1300 * time.Millisecond, 300 * time.Millisecond}) {
			t.Errorf("got the delays %v, want 1.3s and 300ms", got)
		}
	})
}

// The cost of a call of the subscriber depends on the number of cached callers.
func TestFeed_HandsAllChangesOfABatchOverAtOnce(t *testing.T) {
	following(t, func(t *testing.T, source *table, got func() received) {
		for range 2*feedBatch + 1 {
			source.commit()
		}
		source.notify <- struct{}{}
		if got := got(); got.calls != 3 || len(got.delays) != 2*feedBatch+1 {
			t.Errorf("got %d calls for %d changes, want 3 for %d", got.calls, len(got.delays), 2*feedBatch+1)
		}
	})
}

func TestFeed_AppliesChangesWhoseVersionsAFailoverLost(t *testing.T) {
	following(t, func(t *testing.T, source *table, got func() received) {
		source.commit()
		source.commit()
		<-time.After(pollInterval)
		source.lose()
		<-time.After(10 * time.Second)
		if got := got(); got.reloads != 1 {
			t.Errorf("got %d reloads after the failover, want 1", got.reloads)
		}
		source.commit()
		<-time.After(pollInterval)
		if got := got(); got.reloads != 1 || len(got.delays) != 3 {
			t.Errorf("got %d reloads and %d changes after the next commit, want 1 and 3", got.reloads, len(got.delays))
		}
	})
}

func TestFeed_ReloadsAfterAFailoverWhoseLostVersionsAreInUseAgain(t *testing.T) {
	following(t, func(t *testing.T, source *table, got func() received) {
		source.commit()
		<-time.After(pollInterval)
		source.lose()
		source.commit()
		source.commit()
		<-time.After(10 * time.Second)
		if got := got(); got.reloads != 1 {
			t.Errorf("got %d reloads, want 1", got.reloads)
		}
	})
}
