// Package retention prepares room for coming data and deletes what has expired.
package retention

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/tenant"
)

// Store is the part of the store that is kept in order.
type Store interface {
	EnsurePartitions(ctx context.Context, scope tenant.Scope) error
	Sweep(ctx context.Context, scope tenant.Scope) error
}

// Keeper is safe for concurrent use.
type Keeper struct {
	store Store
	scope tenant.Scope
}

// New returns a keeper of the store.
func New(store Store, scope tenant.Scope) *Keeper { return &Keeper{store: store, scope: scope} }

// EnsurePartitions makes the coming months' partitions of the usage logs.
func (k *Keeper) EnsurePartitions(ctx context.Context) error {
	return k.store.EnsurePartitions(ctx, k.scope)
}

// Sweep deletes expired sessions and old entries of the change feed.
func (k *Keeper) Sweep(ctx context.Context) error { return k.store.Sweep(ctx, k.scope) }
