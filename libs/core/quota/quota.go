// Package quota holds accounts and the lease protocol: a relay takes a slice
// of an account's quota from the database once and spends it in memory. See
// README.md for the rules.
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
	Leased   money.Amount // in the hands of relays
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

// Slice returns how much a relay that needs at least need is leased of what
// is available: large when rich, as small as the need when nearly empty, 0
// where even that is not there.
func Slice(available, need money.Amount) money.Amount {
	if available < need || available <= 0 {
		return 0
	}
	return max(need, available/4)
}

// Lease is a relay's copy of one lease. It is pure arithmetic and not safe
// for concurrent use: the relay guards it.
//
// Free and Held together are what the relay may still spend. What it has
// spent has left the Lease already, and leaves the database's copy when the
// usage events that spent it are recorded.
type Lease struct {
	Free money.Amount // unreserved
	Held money.Amount // reserved by requests in flight
}

// Hold reserves amount and reports whether there was enough.
func (l *Lease) Hold(amount money.Amount) bool {
	if amount < 0 || l.Free < amount {
		return false
	}
	l.Free -= amount
	l.Held += amount
	return true
}

// Release ends a hold that spent nothing.
func (l *Lease) Release(held money.Amount) {
	l.Held -= held
	l.Free += held
}

// Reach returns the most that a hold can be settled at without asking: what it
// reserved and all that is free.
func (l *Lease) Reach(held money.Amount) money.Amount { return money.Add(held, l.Free) }

// Settle ends a hold by spending paid, which must not exceed Reach(held).
func (l *Lease) Settle(held, paid money.Amount) {
	l.Held -= held
	l.Free += held - paid
}

// Add puts a slice in.
func (l *Lease) Add(slice money.Amount) { l.Free += slice }

// Surrender takes out all that is free, to be given back.
func (l *Lease) Surrender() (idle money.Amount) {
	idle, l.Free = l.Free, 0
	return idle
}
