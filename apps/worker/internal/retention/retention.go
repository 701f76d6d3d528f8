// Package retention prepares room for coming data and deletes what has expired.
package retention

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/metering"
)

// Store deletes what expired.
type Store interface {
	Sweep(ctx context.Context, scope tenant.Scope) error
}

// Logs keeps the tables of usage logs in order.
type Logs interface {
	EnsurePartitions(ctx context.Context, scope tenant.Scope) error
	DropUsageLogs(ctx context.Context, scope tenant.Scope, keep time.Duration) (metering.Dropped, error)
}

// Options holds the dependencies of a Sweeper.
type Options struct {
	Store Store
	Logs  Logs
	Scope tenant.Scope
	// KeepLogs is the least age at which usage logs are removed; 0: never.
	KeepLogs time.Duration
	Log      *slog.Logger
}

// Sweeper prepares partitions and deletes what has expired. It is safe for
// concurrent use.
type Sweeper struct {
	Options
}

// New returns a Sweeper of the store.
func New(o Options) *Sweeper { return &Sweeper{o} }

// EnsurePartitions makes the coming months' partitions of the usage logs.
func (k *Sweeper) EnsurePartitions(ctx context.Context) error {
	return k.Logs.EnsurePartitions(ctx, k.Scope)
}

// Sweep deletes expired sessions and old entries of the change feed.
func (k *Sweeper) Sweep(ctx context.Context) error { return k.Store.Sweep(ctx, k.Scope) }

// DropUsageLogs removes the usage logs of months that are over for longer than
// they are kept.
func (k *Sweeper) DropUsageLogs(ctx context.Context) error {
	if k.KeepLogs == 0 {
		return nil
	}
	dropped, err := k.Logs.DropUsageLogs(ctx, k.Scope, k.KeepLogs)
	if dropped != (metering.Dropped{}) {
		k.Log.InfoContext(ctx, "old usage logs dropped", "partitions", dropped.Partitions, "rows", dropped.Rows)
	}
	if err != nil {
		return fmt.Errorf("drop old usage logs: %w", err)
	}
	return nil
}
