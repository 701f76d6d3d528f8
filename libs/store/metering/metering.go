// Package metering keeps what was used: RecordEvents writes usage logs, moves
// accounts and fills the outbox in one transaction; DrainOutbox moves the outbox
// into hourly and daily rollups. Usage logs are searched, summed, billed and, when
// they are old enough, dropped here.
//
// The exported functions that take a db.DB, and the names of columns and tables,
// are for other packages of the store.
package metering

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// Store reads and writes usage.
type Store struct{ db *db.DB }

// New returns the Store over a database, or over a transaction on it.
func New(d *db.DB) *Store { return &Store{db: d} }

func (s *Store) atomically(ctx context.Context, do func(*Store) error) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return do(New(tx)) })
}

func (s *Store) readAs(ctx context.Context, scope tenant.Scope, do func(*Store) error) error {
	return s.db.ReadAs(ctx, scope, func(in *db.DB) error { return do(New(in)) })
}
