// Package identity keeps the people: tenants, their users, and invitations to
// join a tenant. How people prove who they are is in package signin; what they
// may spend is in package quota.
//
// The exported functions that take a db.DB are for other packages of the store.
// They run in the caller's transaction and check no scope; the methods of Store
// check theirs.
package identity

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// Store reads and writes people.
type Store struct{ db *db.DB }

// New returns the Store over a database, or over a transaction on it.
func New(d *db.DB) *Store { return &Store{db: d} }

func (s *Store) atomically(ctx context.Context, do func(*Store) error) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return do(New(tx)) })
}

func (s *Store) readAs(ctx context.Context, scope tenant.Scope, do func(*Store) error) error {
	return s.db.ReadAs(ctx, scope, func(in *db.DB) error { return do(New(in)) })
}

func (s *Store) writeAs(ctx context.Context, scope tenant.Scope, do func(*Store) error) error {
	return s.db.WriteAs(ctx, scope, func(tx *db.DB) error { return do(New(tx)) })
}
