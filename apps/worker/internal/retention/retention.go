// Package retention makes the partitions that coming usage logs need and deletes data that has expired:
// sessions, jobs and other rows with an expiry, and usage logs after the time that the operator configured.
// Rollups and accounts are never deleted, so summaries and bills remain.
package retention

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/metering"
)

// Store deletes expired rows of all packages of the store.
type Store interface {
	Sweep(ctx context.Context, scope tenant.Scope) error
}

// Logs makes and drops the partitions of the usage logs.
type Logs interface {
	EnsurePartitions(ctx context.Context, scope tenant.Scope) error
	DropUsageLogs(ctx context.Context, scope tenant.Scope, keep time.Duration) (metering.Dropped, error)
}

// Options configures a Sweeper.
type Options struct {
	Store Store
	Logs  Logs
	Scope tenant.Scope
	// KeepLogs is the age after which usage logs are deleted; 0: never.
	KeepLogs time.Duration
	Log      *slog.Logger
}

// Sweeper makes partitions and deletes expired data. It is safe for concurrent use.
type Sweeper struct {
	Options
}

// New returns a Sweeper with the options.
func New(o Options) *Sweeper { return &Sweeper{o} }

// EnsurePartitions makes the partitions of the usage logs for the coming months.
func (k *Sweeper) EnsurePartitions(ctx context.Context) error {
	return k.Logs.EnsurePartitions(ctx, k.Scope)
}

// Sweep deletes expired rows of all packages of the store: sessions, links, jobs, stored responses, old
// entries of the change feed and others.
func (k *Sweeper) Sweep(ctx context.Context) error { return k.Store.Sweep(ctx, k.Scope) }

// DropUsageLogs deletes the usage logs of whole months that ended more than KeepLogs ago. It does nothing if
// KeepLogs is 0.
func (k *Sweeper) DropUsageLogs(ctx context.Context) error {
	if k.KeepLogs == 0 {
		return nil
	}
	dropped, err := k.Logs.DropUsageLogs(ctx, k.Scope, k.KeepLogs)
	if dropped != (metering.Dropped{}) {
		k.Log.InfoContext(ctx, "dropped old usage logs", "partitions", dropped.Partitions, "rows", dropped.Rows)
	}
	if err != nil {
		return fmt.Errorf("drop old usage logs: %w", err)
	}
	return nil
}
