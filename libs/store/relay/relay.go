// Package relay keeps which relays are alive and what they report of themselves.
// It takes the leases of relays that are gone back.
package relay

import (
	"context"

	"github.com/tollgate/tollgate/libs/store/db"
)

// Store reads and writes relays.
type Store struct{ db *db.DB }

// New returns the Store over a database, or over a transaction on it.
func New(d *db.DB) *Store { return &Store{db: d} }

func (s *Store) atomically(ctx context.Context, do func(*Store) error) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return do(New(tx)) })
}
