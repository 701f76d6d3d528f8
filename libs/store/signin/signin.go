// Package signin stores how users sign in: sessions, passkeys, second factors (TOTP, RFC 6238, with recovery
// codes), identities of OpenID Connect, and the short-lived challenges of a sign-in that is in progress.
// Checking passwords and codes is the console's work. This package makes sure that each proof counts once, also
// when several processes see it at the same time:
//
//	password          CreateSession, if the user has no second factor; otherwise:
//	second factor     CreateChallenge, and for each guess TryChallenge and one of
//	                     TryTOTP, then UseTOTP       a code of the authenticator
//	                     UseRecoveryCode             a recovery code
//	                     UsePasskey                  a passkey
//	                  and after a correct one CreateSession, which uses the challenge up
//	passkey alone     CreateChallenge, TakeChallenge, UsePasskey, CreateSession
//	OpenID Connect    UseIdentity, or LinkIdentity at the first time, then CreateSession
//
// What makes each step safe under concurrency:
//
//	TryChallenge      counts down the tries and returns the challenge in one statement
//	TakeChallenge     deletes the challenge and returns it in one statement
//	TryTOTP           counts guesses under a lock on the row, over all processes and challenges of the user
//	UseTOTP           stores the time step of the code, and fails unless it is later than the last one
//	UseRecoveryCode   marks the code as used in one statement
//	UsePasskey        stores the new signature counter, and fails if it changed since the passkey was read
//	CreateSession     locks the user, compares the password hash with the one that the sign-in began with, and checks
//	                  that the challenge and the passkey of the sign-in still exist
//
// Secrets are never stored as such: sessions, challenges and recovery codes are looked up by a hash, and a TOTP
// secret is sealed with the user's id.
//
// Methods with "(system scope)" serve a sign-in, before which there is no user to check. The others work on the
// objects of the scope's own user, unless they take a user id. Their reads run in db.DB.ReadAs and their
// changes in db.DB.WriteAs.
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
