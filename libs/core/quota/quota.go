// Package quota holds accounts and the lease protocol: a relay takes a slice
// of an account's quota from the database once and spends it in memory. See
// README.md for the rules.
//
// The database's side is in lease.go, the relay's in locallease.go. Both are pure:
// the store and the relay carry their messages, and so does the simulation.
package quota

import (
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
)

// Kind tells whose account it is.
type Kind string

// The kinds. An account has the id of its owner.
const (
	Wallet   Kind = "tenant"
	UserCap  Kind = "user"
	TokenCap Kind = "token"
)

// Account is anything that has a quota limit.
type Account struct {
	ID       uuid.UUID // of the tenant, user or token
	Kind     Kind
	TenantID uuid.UUID
	Granted  *money.Amount // nil: unlimited, metered only; never nil for a Wallet
	Used     money.Amount
	Leased   money.Amount // in the hands of relays: the sum of its leases
}

// Left returns Granted - Used, what is not yet spent; nil where unlimited. It
// is negative where a grant was lowered below what was already used.
func (a *Account) Left() *money.Amount {
	if a.Granted == nil {
		return nil
	}
	left := *a.Granted - a.Used
	return &left
}

// available is what may be leased; 0 for an unlimited account, of which
// nothing needs to be.
func (a *Account) available() money.Amount {
	if a.Granted == nil {
		return 0
	}
	return *a.Granted - a.Used - a.Leased
}
