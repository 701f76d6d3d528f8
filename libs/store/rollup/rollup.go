// Package rollup adds usage up by hour and day. RecordEvents of package metering
// writes an outbox row for each hour and key; DrainOutbox moves outbox rows into
// the rollups and their totals, and opens the hours for package reconcile.
//
// The rows, and the names of columns and tables, are for other packages of the
// store.
package rollup

import (
	"context"

	"github.com/tollgate/tollgate/libs/store/db"
)

// Store reads and writes rollups.
type Store struct{ db *db.DB }

// New returns the Store over a database, or over a transaction on it.
func New(d *db.DB) *Store { return &Store{db: d} }

func (s *Store) atomically(ctx context.Context, do func(*Store) error) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return do(New(tx)) })
}
