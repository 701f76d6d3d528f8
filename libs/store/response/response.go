// Package response keeps the responses of stored conversations until they expire,
// so that a later call can resume one.
package response

import (
	"context"

	"github.com/tollgate/tollgate/libs/store/db"
)

// Store reads and writes responses.
type Store struct{ db *db.DB }

// New returns the Store over a database, or over a transaction on it.
func New(d *db.DB) *Store { return &Store{db: d} }

func (s *Store) atomically(ctx context.Context, do func(*Store) error) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return do(New(tx)) })
}
