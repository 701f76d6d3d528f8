// Package catalog keeps what is offered and through which upstreams: models,
// prices, groups with their price rules, channels with their credentials and
// health. Snapshot reads the whole for a relay. Prices and rules are versions:
// they are superseded or withdrawn, never changed.
//
// The exported functions that take a db.DB are for other packages of the store.
// They run in the caller's transaction and check no scope.
package catalog

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// Store reads and writes the catalog.
type Store struct{ db *db.DB }

// New returns the Store over a database, or over a transaction on it.
func New(d *db.DB) *Store { return &Store{db: d} }

func (s *Store) atomically(ctx context.Context, do func(*Store) error) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return do(New(tx)) })
}

func (s *Store) readAs(ctx context.Context, scope tenant.Scope, do func(*Store) error) error {
	return s.db.ReadAs(ctx, scope, func(in *db.DB) error { return do(New(in)) })
}
