// Package signin stores how users sign in: sessions, passkeys, second factors (TOTP, RFC 6238, with recovery
// codes), identities of OpenID Connect, and the short-lived challenges of a sign-in that is in progress.
// Checking passwords and codes is the console's work; this package makes sure that each proof counts once, also
// when several processes see it at the same time:
//
//	challenge       TryChallenge takes one of its tries, TakeChallenge deletes it; each is one statement
//	TOTP code       UseTOTP stores the time step of the code, and fails unless it is later than the last one
//	TOTP guesses    TryTOTP counts them under a lock on the row, over all processes and challenges
//	recovery code   UseRecoveryCode marks it as used, in one statement
//	passkey         UsePasskey replaces the signature counter, and fails if it changed since it was read
//
// Secrets are never stored as such: sessions, challenges and recovery codes are looked up by a hash, and a TOTP
// secret is sealed with the user's id.
//
// Methods with "(system scope)" serve a sign-in, before which there is no user to check. The others work on the
// objects of the scope's own user, unless they take a user id. Reads of a user run in db.DB.ReadAs and changes
// in db.DB.WriteAs.
package signin

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// Store reads and writes sessions, passkeys, second factors, identities and challenges.
type Store struct{ db *db.DB }

// New returns the Store on a database, or on a transaction.
func New(d *db.DB) *Store { return &Store{db: d} }

// atomically is db.DB.Atomically with a Store on the transaction.
func (s *Store) atomically(ctx context.Context, do func(*Store) error) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return do(New(tx)) })
}

// readAs is db.DB.ReadAs with a Store on the transaction.
func (s *Store) readAs(ctx context.Context, scope tenant.Scope, do func(*Store) error) error {
	return s.db.ReadAs(ctx, scope, func(in *db.DB) error { return do(New(in)) })
}

// writeAs is db.DB.WriteAs with a Store on the transaction.
func (s *Store) writeAs(ctx context.Context, scope tenant.Scope, do func(*Store) error) error {
	return s.db.WriteAs(ctx, scope, func(tx *db.DB) error { return do(New(tx)) })
}
