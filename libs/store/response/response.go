// Package response stores the responses of conversations that no upstream stores, until they expire. A later
// call names the last response of a conversation (previous_response_id) and the relay sends the earlier turns
// along.
//
// The table responses has a row for each turn. A row holds only the items that were new in its call and
// points to the turn before it (previous_id), so a conversation is a linked list that is read from its end:
//
//	r3 --previous_id--> r2 --previous_id--> r1
//
// A row has two times. expires_at ends the use of the response as the last turn of a conversation.
// kept_until, which is later, is when Sweep deletes the row: CreateResponse moves kept_until of all earlier
// turns, so that a turn stays as long as a later one needs it.
//
// Every statement names the tenant, and the user unless the caller may use the responses of all users. For a
// response out of reach they return a NotFound problem, as for a response that does not exist. Conversations and
// responses are bounded in bytes and turns, so that a client cannot make a relay load more than it can hold.
package response

import (
	"context"

	"github.com/tollgate/tollgate/libs/store/db"
)

// Store reads and writes responses. It is safe for concurrent use unless it was made from a transaction.
type Store struct{ db *db.DB }

// New returns the Store over a database, or over a transaction on it.
func New(d *db.DB) *Store { return &Store{db: d} }

// atomically runs a function as db.DB.Atomically does, with a Store on the transaction.
func (s *Store) atomically(ctx context.Context, do func(*Store) error) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return do(New(tx)) })
}
