// Package feed follows the database's change feed and tells the parts of the relay
// what changed: the catalogue, a token, user or tenant, an account.
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

// Changes is the database of changes.
type Changes interface {
	Changes(ctx context.Context, scope tenant.Scope, version int64, limit int) ([]db.Change, bool, error)
	Listen(ctx context.Context, scope tenant.Scope, wake func()) error
}

// Subscribers are called with the changes. None may block for long.
type Subscribers struct {
	Catalog func(context.Context) error // reload the catalog
	Token   func(id uuid.UUID)
	User    func(id uuid.UUID)
	Tenant  func(id uuid.UUID)
	Account func(id uuid.UUID) // its limit changed, or another relay needs quota
	All     func()             // changes were missed: forget everything
}

const (
	pollInterval = 500 * time.Millisecond
	feedBatch    = 1_000
	feedTimeout  = 5 * time.Second
)

// Feed follows the change feed. The database's notifications wake it, if it has
// them; it polls as well, in case one is lost.
type Feed struct {
	source      Changes
	subscribers Subscribers
	log         *slog.Logger
	scope       tenant.Scope

	version    int64
	caughtUpAt atomic.Int64 // when all there was had been applied, unix ms
	wake       chan struct{}
	stop       context.CancelFunc
	done       sync.WaitGroup
}

// New returns a Feed that follows source from the given version on, once started.
func New(source Changes, version int64, followers Subscribers, log *slog.Logger) *Feed {
	return &Feed{
		source: source, subscribers: followers, log: log, version: version,
		scope: tenant.SystemScope("relay"), wake: make(chan struct{}, 1),
	}
}

// Start launches the feed's goroutines.
func (f *Feed) Start(ctx context.Context) {
	ctx, f.stop = context.WithCancel(context.WithoutCancel(ctx))
	f.done.Go(func() { f.follow(ctx) })
	f.done.Go(func() {
		if err := f.source.Listen(ctx, f.scope, f.nudge); err != nil && ctx.Err() == nil {
			f.log.Error("change notifications ended; polling goes on", "error", err)
		}
	})
}

// Stop ends the goroutines. It may be called twice, or before Start.
func (f *Feed) Stop() {
	if f.stop != nil {
		f.stop()
	}
	f.done.Wait()
}

// CaughtUpAt is the last time at which every change was applied; zero: never.
func (f *Feed) CaughtUpAt() time.Time {
	ms := f.caughtUpAt.Load()
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

func (f *Feed) nudge() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

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
			f.caughtUpAt.Store(time.Now().UnixMilli())
		}
		if (err != nil) != failing && ctx.Err() == nil {
			failing = err != nil
			f.log.Warn("change feed", "following", !failing, "error", err)
		}
	}
}

// catchUp applies all changes there are. The version moves on only when what
// it stands for was applied.
func (f *Feed) catchUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, feedTimeout)
	defer cancel()
	for {
		changes, lost, err := f.source.Changes(ctx, f.scope, f.version, feedBatch)
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
		if len(changes) > 0 {
			f.version = changes[len(changes)-1].Version
		}
		if len(changes) < feedBatch {
			return nil
		}
	}
}

// startOver forgets everything: some changes are not kept any more.
func (f *Feed) reloadAll(ctx context.Context) error {
	if err := f.subscribers.Catalog(ctx); err != nil {
		return err
	}
	f.subscribers.All()
	return nil
}

func (f *Feed) apply(ctx context.Context, changes []db.Change) error {
	ofCatalog := func(c db.Change) bool { return c.Topic == db.CatalogChanged }
	if slices.ContainsFunc(changes, ofCatalog) {
		if err := f.subscribers.Catalog(ctx); err != nil {
			return err
		}
	}
	for _, change := range changes {
		switch change.Topic {
		case db.CatalogChanged:
		case db.TokenChanged:
			f.subscribers.Token(change.Ref)
		case db.UserChanged:
			f.subscribers.User(change.Ref)
		case db.TenantChanged:
			f.subscribers.Tenant(change.Ref)
		case db.AccountChanged, db.QuotaRecalled:
			f.subscribers.Account(change.Ref)
		}
	}
	return nil
}
