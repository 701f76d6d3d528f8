// Package quota defines accounts and the lease protocol, by which a relay leases a part of an account's quota from
// the database and spends it in memory, without a database query for each call. An account never spends more than it
// was granted, however many relays serve it.
//
//	relay (LocalLease)                    database (Account, Lease)
//	                    LeaseRequest  -->
//	Free += added      <-- LeaseResponse  lease += added
//	call: Free -> Held -> Spent
//	                    usage event   -->  used += paid, lease -= paid
//
// The database's side is in lease.go, the relay's in locallease.go. Both are pure: the store and the relay carry the
// messages, and so does the simulation that tests the protocol. Budgets by day, week and month are accounts of their
// own (window.go). README.md has the rules and their reasons.
package quota

import (
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
)

// Kind is the kind of owner that an account belongs to.
type Kind string

// The kinds of accounts without a window. Such an account has the id of its owner.
const (
	Wallet   Kind = "tenant"
	UserCap  Kind = "user"
	TokenCap Kind = "token"
)

// Account is a spending limit together with the amount that was spent of it.
type Account struct {
	ID       uuid.UUID // id of the tenant, user or token; windows have their own ids, see Limit.Account
	Kind     Kind
	TenantID uuid.UUID
	Granted  *money.Amount // nil: unlimited, metered only; never nil for a Wallet
	Used     money.Amount  // the sum of all recorded charges
	Leased   money.Amount  // the sum of all leases on the account
}

// Remaining returns Granted - Used, the quota that is not yet spent, or nil if the account is unlimited. It is negative
// if the grant was lowered below the amount that was already used.
func (a *Account) Remaining() *money.Amount {
	if a.Granted == nil {
		return nil
	}
	balance := *a.Granted - a.Used
	return &balance
}

// available returns the amount that can be leased. It is 0 for an unlimited account, which needs no leases.
func (a *Account) available() money.Amount {
	if a.Granted == nil {
		return 0
	}
	return *a.Granted - a.Used - a.Leased
}
