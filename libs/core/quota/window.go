package quota

import (
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
)

// Period is the length of the windows of a cap. Windows begin and end in UTC, which has no daylight saving time.
type Period string

// The periods.
const (
	Lifetime Period = "" // a single window without end
	Day      Period = "day"
	Week     Period = "week" // an ISO 8601 week, which begins on Monday
	Month    Period = "month"
)

// Periods returns the periods that have windows, the shortest first. Lifetime is not among them.
func Periods() [3]Period { return [...]Period{Day, Week, Month} }

// Valid reports whether p is a known period.
func (p Period) Valid() bool {
	switch p {
	case Lifetime, Day, Week, Month:
		return true
	}
	return false
}

// Start returns the beginning of the window that contains now: midnight, midnight of Monday, or midnight of the first
// of the month, in UTC. It is zero for Lifetime.
func (p Period) Start(now time.Time) time.Time {
	year, month, day := now.UTC().Date()
	switch p {
	case Day:
	case Week:
		day -= (int(now.UTC().Weekday()) + 6) % 7 // back to Monday; time.Date normalizes a day below 1
	case Month:
		day = 1
	default:
		return time.Time{}
	}
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// End returns the end of the window that contains now, which is the start of the next one. It is zero for Lifetime.
func (p Period) End(now time.Time) time.Time {
	start := p.Start(now)
	switch p {
	case Day:
		return start.AddDate(0, 0, 1)
	case Week:
		return start.AddDate(0, 0, 7)
	case Month:
		return start.AddDate(0, 1, 0)
	default:
		return time.Time{}
	}
}

// TenantCap is the kind of the accounts of a tenant's windows. A tenant's lifetime limit is its Wallet.
const TenantCap Kind = "tenant_cap"

// Limit identifies a spending limit of a call: the wallet, or a cap of a tenant, user or token.
type Limit struct {
	Owner  uuid.UUID // id of the tenant, user or token
	Kind   Kind      // kind of the owner's accounts
	Period Period
}

// AccountRef identifies the account that a limit has at a given time.
type AccountRef struct {
	ID uuid.UUID
	Limit
	Start time.Time // start of the window; zero for Lifetime
}

// Remaining holds what a limit had left when it was read. Leases count as not spent.
type Remaining struct {
	AccountID uuid.UUID    // account that the limit had then
	Amount    money.Amount // nano-dollars; negative if the grant was lowered below what was spent
	Whole     money.Amount // what an account of a later window has at its beginning
}

// AmountOrWhole returns what is left of the account: the amount that was read, or the whole amount if the account is of
// a later window.
func (r Remaining) AmountOrWhole(accountID uuid.UUID) money.Amount {
	if r.AccountID == accountID {
		return r.Amount
	}
	return r.Whole
}

// windowNamespace returns the namespace of the ids of windows' accounts. It must never change: the ids are stored.
func windowNamespace() uuid.UUID {
	return uuid.UUID{0x01, 0x94, 0xc1, 0xf6, 0x5b, 0x9e, 0x7d, 0x1a, 0x9c, 0x3e, 0x2f, 0x6b, 0x8a, 0x7d, 0x4e, 0x10}
}

// Account returns the account that the limit has at now. For a lifetime limit the account has the owner's id. Each
// window has an account of its own, whose id is a hash (UUIDv5) of owner, period and start. So nothing needs to be
// reset when a window begins, and every relay can compute the id without a query.
func (l Limit) Account(now time.Time) AccountRef {
	if l.Period == Lifetime {
		return AccountRef{ID: l.Owner, Limit: l}
	}
	start := l.Period.Start(now)
	name := make([]byte, 0, len(l.Owner)+len(l.Period)+len(time.DateOnly)+2)
	name = append(name, l.Owner[:]...)
	name = append(name, l.Period...)
	name = append(name, ' ')
	name = start.AppendFormat(name, time.DateOnly)
	return AccountRef{ID: uuid.NewSHA1(windowNamespace(), name), Limit: l, Start: start}
}
