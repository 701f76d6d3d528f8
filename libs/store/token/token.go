// Package token stores the credentials of programs: the API tokens of users, with which clients call relays,
// and the access keys of the console API.
//
// The value of a credential is shown once, when it is created. The database has a keyed hash of it (HMAC with a
// secret "pepper" that is not in the database) and a harmless mask for lists. Relays look a token up by its
// hash and get the Caller: the token with its user, its tenant and the accounts that limit its spending. If the
// operator changes the pepper, each hash is replaced when its credential is used next (Rehash); Unhashed counts
// those that are left.
//
//	client --"Bearer sk-tg-..."--> relay --HMAC(pepper, value)--> Caller(hash) --> token, user, tenant, limits
//	                                 ^                                              |
//	                                 `---- change feed: the cached Caller is stale <'
//
// A token has a quota account of its own, which limits its spend if it has a cap. Both are created in one
// transaction. Each change of a token is announced to relays. Revoking is final, and the row stays, because
// usage logs refer to it. Access keys have no quota; revoking one deletes its row.
//
// The exported functions that take a db.DB are for other packages of the store. They run in the caller's
// transaction and check no scope.
package token

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// Store reads and writes tokens and access keys.
type Store struct{ db *db.DB }

// New returns the Store on a database, or on a transaction.
func New(d *db.DB) *Store { return &Store{db: d} }

// atomically runs a function as db.DB.Atomically does, with a Store on the transaction.
func (s *Store) atomically(ctx context.Context, do func(*Store) error) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return do(New(tx)) })
}

// readAs runs a function as db.DB.ReadAs does, with a Store on the transaction.
func (s *Store) readAs(ctx context.Context, scope tenant.Scope, do func(*Store) error) error {
	return s.db.ReadAs(ctx, scope, func(in *db.DB) error { return do(New(in)) })
}

// writeAs runs a function as db.DB.WriteAs does, with a Store on the transaction.
func (s *Store) writeAs(ctx context.Context, scope tenant.Scope, do func(*Store) error) error {
	return s.db.WriteAs(ctx, scope, func(tx *db.DB) error { return do(New(tx)) })
}
