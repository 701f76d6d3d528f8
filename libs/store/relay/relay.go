// Package relay stores which relays are alive and what they report about themselves, and reclaims the leases
// of relays that disappeared.
//
// A relay holds leases: quota that no other relay may spend (see package quota). If the relay's machine is
// lost, that quota must become available again, but a relay that was only cut off must not spend it
// afterwards. The table relays has a row for each relay, with the time of its last heartbeat and a count of
// reclaims:
//
//	relay:   Beat every few seconds  -> seen_at = now, returns reclaims
//	worker:  ReclaimLeases(grace)    -> for each relay with seen_at before now - grace:
//	                                    return its leases to the accounts, reclaims + 1
//	relay:   Beat returns a count that has changed -> the relay drops its leases and
//	                                                  asks for new ones
//
// Both transactions lock the relay's row, so one sees the result of the other. A reclaim does nothing if a
// heartbeat came first. On Postgres all times are those of the database, so clocks of machines need not
// agree.
//
// What a reclaimed relay spent and had not recorded is not lost: its usage events arrive later and are
// charged to the quota that the accounts have available then.
package relay

import (
	"context"

	"github.com/tollgate/tollgate/libs/store/db"
)

// Store reads and writes relays. It is safe for concurrent use unless it was made from a transaction.
type Store struct{ db *db.DB }

// New returns the Store over a database, or over a transaction on it.
func New(d *db.DB) *Store { return &Store{db: d} }

// atomically runs a function as db.DB.Atomically does, with a Store on the transaction.
func (s *Store) atomically(ctx context.Context, do func(*Store) error) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return do(New(tx)) })
}
