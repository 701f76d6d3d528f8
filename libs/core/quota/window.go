package quota

import (
	"time"

	"github.com/google/uuid"
)

// Period is the time after which a cap begins anew. All are of UTC, where no
// day is longer than another.
type Period string

// The periods.
const (
	Lifetime Period = "" // it never does
	Day      Period = "day"
	Week     Period = "week" // of ISO 8601: from Monday on
	Month    Period = "month"
)

// Periods returns those that begin anew, the shortest first.
func Periods() [3]Period { return [...]Period{Day, Week, Month} }

// Valid reports whether p is a known period.
func (p Period) Valid() bool {
	switch p {
	case Lifetime, Day, Week, Month:
		return true
	}
	return false
}

// Start returns the first moment of the window that now is in: midnight,
// Monday's midnight, the first of the month. It is zero for Lifetime.
func (p Period) Start(now time.Time) time.Time {
	year, month, day := now.UTC().Date()
	switch p {
	case Day:
	case Week:
		day -= (int(now.UTC().Weekday()) + 6) % 7 // days since Monday
	case Month:
		day = 1
	default:
		return time.Time{}
	}
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// End returns the first moment of the window after the one that now is in. It
// is zero for Lifetime, which has no end.
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

// TenantCap is the kind of a tenant's windows. Its lifetime limit is the Wallet.
const TenantCap Kind = "tenant_cap"

// Limit names something that limits a call: the wallet, or a cap of an owner.
type Limit struct {
	Owner  uuid.UUID // the tenant, user or token
	Kind   Kind      // whose the owner's accounts are
	Period Period
}

// AccountRef is the account of a limit at some moment.
type AccountRef struct {
	ID uuid.UUID
	Limit
	Start time.Time // of its window; zero for Lifetime
}

// windows is the namespace that windows' accounts have their ids from.
func windows() uuid.UUID {
	return uuid.UUID{0x01, 0x94, 0xc1, 0xf6, 0x5b, 0x9e, 0x7d, 0x1a, 0x9c, 0x3e, 0x2f, 0x6b, 0x8a, 0x7d, 0x4e, 0x10}
}

// Account returns the account that the limit has at now. A lifetime limit's
// has the owner's id. Each window has an account of its own, whose id follows
// from owner, period and start: so nothing needs to be reset when a window
// begins, and every relay knows the id without asking.
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
	return AccountRef{ID: uuid.NewSHA1(windows(), name), Limit: l, Start: start}
}
