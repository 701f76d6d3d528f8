// Package retention makes the partitions that coming usage logs need and deletes data that has expired:
// sessions, jobs and other rows with an expiry, and usage logs and entries of the audit log after the times that the
// operator configured.
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

// Audit deletes old entries of the audit log.
type Audit interface {
	Prune(ctx context.Context, scope tenant.Scope, keep time.Duration) (n int64, err error)
}

// Clients deletes the clients of all tokens.
type Clients interface {
	Clear(ctx context.Context, scope tenant.Scope) error
}

// Options configures a Sweeper.
type Options struct {
	Store   Store
	Logs    Logs
	Audit   Audit
	Clients Clients
	Scope   tenant.Scope
	// KeepLogs is the age after which usage logs are deleted; 0: never.
	KeepLogs time.Duration
	// KeepAudit is the age after which entries of the audit log are deleted, at least 31 days; 0: never.
	KeepAudit time.Duration
	// ForgetClients deletes the clients of all tokens, because none are stored.
	ForgetClients bool
	Log           *slog.Logger
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
// entries of the change feed and others. If ForgetClients is set, it deletes the clients of all tokens.
func (k *Sweeper) Sweep(ctx context.Context) error {
	if err := k.Store.Sweep(ctx, k.Scope); err != nil || !k.ForgetClients {
		return err
	}
	return k.Clients.Clear(ctx, k.Scope)
}

// DropUsageLogs deletes the usage logs of whole months that ended more than KeepLogs ago. It does nothing if
// KeepLogs is 0. Months that wait for the export to a bucket stay.
func (k *Sweeper) DropUsageLogs(ctx context.Context) error {
	if k.KeepLogs == 0 {
		return nil
	}
	drop, err := k.Logs.DropUsageLogs(ctx, k.Scope, k.KeepLogs)
	if drop.Unexported {
		k.Log.WarnContext(ctx, "old usage logs stay because they are not exported to the bucket yet")
	}
	if drop.Partitions > 0 || drop.Rows > 0 {
		k.Log.InfoContext(ctx, "dropped old usage logs", "partitions", drop.Partitions, "rows", drop.Rows)
	}
	if err != nil {
		return fmt.Errorf("drop old usage logs: %w", err)
	}
	return nil
}

// PruneAuditLog deletes the entries of the audit log of whole days that ended more than KeepAudit ago. It does nothing
// if KeepAudit is 0.
func (k *Sweeper) PruneAuditLog(ctx context.Context) error {
	if k.KeepAudit == 0 {
		return nil
	}
	n, err := k.Audit.Prune(ctx, k.Scope, k.KeepAudit)
	if n > 0 {
		k.Log.InfoContext(ctx, "deleted old entries of the audit log", "entries", n)
	}
	return err
}
