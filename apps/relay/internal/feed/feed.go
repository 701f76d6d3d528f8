// Package feed follows the database's change feed and informs the other parts of the relay about changes: of
// the catalog, of a token, user or tenant, or of an account's limit. This is how a revoked token or a new price
// takes effect on every relay within a second.
//
// The feed is a table of numbered changes. A Feed remembers the last change that it has applied and asks for later
// ones: when the database notifies it, and every 500 ms in case a notification is lost. Each change is applied at
// least once. A Feed reloads everything if it was cut off for longer than the database keeps changes, and if the
// database doesn't have the last change any more, because a failover lost it.
package feed

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// Changes is the database's side of the change feed. The store implements it.
type Changes interface {
	// Changes returns up to limit changes after another one, oldest first, and the last one that the caller then
	// knows. See db.DB.Changes.
	Changes(ctx context.Context, scope tenant.Scope, after db.Change, limit int) (changes []db.Change, next db.Change,
		lost bool, err error)
	// Listen calls wake for each notification and returns nil when ctx ends. Without notifications in the
	// database it only waits for ctx.
	Listen(ctx context.Context, scope tenant.Scope, wake func()) error
}

// Subscribers are the functions that a Feed calls with the changes. They run in the feed's goroutine, so none
// may block for long.
type Subscribers struct {
	Catalog func(context.Context) error // reloads the catalog; an error makes the Feed retry
	// Callers gets up to 1,000 changes at once, of all topics, because the cost of a call depends on what is cached.
	// It drops the callers whose token, user or tenant changed.
	Callers func([]db.Change)
	Account func(id uuid.UUID) // the account's limit changed, or another relay needs quota
	All     func()             // changes were missed: drop everything that is cached
}

const (
	pollInterval = 500 * time.Millisecond
	feedBatch    = 1_000
	feedTimeout  = 5 * time.Second
)

// Options configures a Feed. All fields are required.
type Options struct {
	Source      Changes
	Version     int64 // the Feed follows Source from this version on
	Subscribers Subscribers
	// Called after each change was applied, with the time since its commit.
	Applied func(topic db.Topic, delay time.Duration)
	Now     func() time.Time
	Log     *slog.Logger
}

// Feed follows the change feed. Create it with New.
type Feed struct {
	Options
	scope tenant.Scope

	last       db.Change     // the last change that was applied
	caughtUpAt atomic.Int64  // when everything that the database had was applied, in Unix milliseconds; 0: never
	wake       chan struct{} // has a value when a notification arrived
	stop       context.CancelFunc
	done       sync.WaitGroup
}

// New returns a Feed that follows the change feed once it is started.
func New(o Options) *Feed {
	return &Feed{Options: o, last: db.Change{Version: o.Version}, scope: tenant.SystemScope("relay"),
		wake: make(chan struct{}, 1)}
}

// Start starts the feed's goroutines and returns. They run until Stop, also after ctx ends.
func (f *Feed) Start(ctx context.Context) {
	ctx, f.stop = context.WithCancel(context.WithoutCancel(ctx))
	f.done.Go(func() { f.follow(ctx) })
	f.done.Go(func() {
		if err := f.Source.Listen(ctx, f.scope, f.nudge); err != nil && ctx.Err() == nil {
			f.Log.Error("change notifications ended; the relay continues to poll", "error", err)
		}
	})
}

// Stop ends the goroutines and waits for them. It may be called twice, and before Start.
func (f *Feed) Stop() {
	if f.stop != nil {
		f.stop()
	}
	f.done.Wait()
}

// CaughtUpAt returns the last time at which every known change had been applied; zero means never. The snapshot
// is at most as old as that.
func (f *Feed) CaughtUpAt() time.Time {
	ms := f.caughtUpAt.Load()
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

// nudge wakes follow. It never blocks: one pending wake-up is enough.
func (f *Feed) nudge() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// follow applies changes until ctx ends. It logs only when it starts or stops failing.
func (f *Feed) follow(ctx context.Context) {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-f.wake:
		}
		err := f.catchUp(ctx)
		if err == nil {
			f.caughtUpAt.Store(f.Now().UnixMilli())
		}
		if (err != nil) != failing && ctx.Err() == nil {
			failing = err != nil
			f.Log.Warn("change feed state changed", "following", !failing, "error", err)
		}
	}
}

// catchUp applies all changes that the database has. It remembers the last one only after the changes up to it were
// applied, so a failure repeats them. Its version may go down: a failover may lose versions, which later changes then
// have.
func (f *Feed) catchUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, feedTimeout)
	defer cancel()
	for {
		changes, next, lost, err := f.Source.Changes(ctx, f.scope, f.last, feedBatch)
		if err != nil {
			return fmt.Errorf("read changes: %w", err)
		}
		if lost {
			err = f.reloadAll(ctx)
		} else {
			err = f.apply(ctx, changes)
		}
		if err != nil {
			return err
		}
		f.last = next
		if len(changes) < feedBatch {
			return nil
		}
	}
}

// reloadAll drops and reloads everything, because changes were missed.
func (f *Feed) reloadAll(ctx context.Context) error {
	if err := f.Subscribers.Catalog(ctx); err != nil {
		return err
	}
	f.Subscribers.All()
	return nil
}

// apply calls the subscribers. It reloads the catalog once for all changes of it, and first: a new token may
// refer to a new model.
func (f *Feed) apply(ctx context.Context, changes []db.Change) error {
	ofCatalog := func(c db.Change) bool { return c.Topic == db.CatalogChanged }
	if slices.ContainsFunc(changes, ofCatalog) {
		if err := f.Subscribers.Catalog(ctx); err != nil {
			return err
		}
	}
	if len(changes) > 0 {
		f.Subscribers.Callers(changes)
	}
	for _, change := range changes {
		if change.Topic == db.AccountChanged || change.Topic == db.QuotaRecalled {
			f.Subscribers.Account(change.Ref)
		}
		f.Applied(change.Topic, f.Now().Sub(change.CreatedAt))
	}
	return nil
}
