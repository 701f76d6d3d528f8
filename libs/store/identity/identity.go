// Package identity stores tenants, their users, invitations to become a user, and password resets. Package
// signin stores how users prove who they are, package quota what they may spend.
//
// The rules of who may change whom:
//
//	operators   create and change every tenant and user; only they choose a user's group
//	owners      create and change users of their tenant, and rename the tenant
//	admins      create and change users of their tenant, but cannot change an owner or make somebody an owner
//	members     change their own password, as every user may, and nothing else
//
// Programs, such as the one that applies the manifest, have the same rights as operators. The last enabled
// owner of a tenant and the last enabled operator cannot be demoted or disabled. UpdateUser locks the user
// together with all enabled owners, in the order of their ids, so that two concurrent changes cannot remove
// the last two.
//
// The link of an invitation or a password reset holds a random secret. The database has only its SHA-256 hash. A
// link works once: of concurrent calls, one succeeds.
//
//	CreateInvitation --> pending --AcceptInvitation--> accepted (the user exists)
//	                     |  ^  \
//	                     |  |   `--RevokeInvitation--> revoked
//	                     `--' RenewInvitation: new secret, new lifetime
//
// A change of a tenant or user is announced to relays in the change feed. A change of a role, a status or a
// password also deletes the user's sessions and password resets.
//
// The exported functions that take a db.DB are for other packages of the store. They run in the caller's
// transaction and check no scope; the methods of Store check theirs.
package identity

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// Store reads and writes tenants, users, invitations and password resets.
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
