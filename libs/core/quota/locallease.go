package quota

import (
	"time"

	"github.com/tollgate/tollgate/libs/core/money"
)

// LocalLease is a relay's copy of one lease, split into a free, a held and a spent part. It is pure arithmetic and
// not safe for concurrent use: the relay guards it with a lock.
//
//	LeaseResponse ----> Free --- Hold ----> Held --- Settle ----> Spent
//	                     | ^                 |
//	     LeaseRequest <--+ +---- Release ----+
type LocalLease struct {
	Free  money.Amount // not reserved
	Held  money.Amount // reserved by requests in flight
	Spent money.Amount // spent since the lease began
	// Part of Spent that is not known to be recorded; negative if the record precedes the settlement.
	Pending money.Amount
	Stamp   OperationID // last operation that the relay knows of, 0 if it knows of no lease

	// Part of Held and Spent that no lease covers, because an earlier one was reclaimed. What becomes free pays for it.
	uncovered money.Amount
	// Spent at the last request, if nothing was held and everything was known to be recorded; else nil
	settledSpent *money.Amount
}

// Hold reserves amount for a request and reports whether enough was free. A hold ends with exactly one Release or
// Settle.
func (l *LocalLease) Hold(amount money.Amount) bool {
	if amount < 0 || l.Free < amount {
		return false
	}
	l.Free -= amount
	l.Held += amount
	return true
}

// Release ends a hold of a request that cost nothing.
func (l *LocalLease) Release(amount money.Amount) { l.Settle(amount, 0) }

// Reach returns the most that a hold can be settled at without a message to the database: its amount and
// everything that is free.
func (l *LocalLease) Reach(amount money.Amount) money.Amount { return money.Add(amount, l.Free) }

// Settle ends a hold of amount. cost is the cost of the request, which must not exceed
// Reach(amount). The rest of the hold is free again.
func (l *LocalLease) Settle(amount, cost money.Amount) {
	l.Held -= amount
	l.Free += amount - cost
	repaid := max(0, min(l.uncovered, l.Free))
	l.Free -= repaid
	l.uncovered -= repaid
	l.Spent += cost
	l.Pending += cost
}

// MarkRecorded notes that usage events worth amount are in the database. An event may be recorded before its hold is
// settled.
func (l *LocalLease) MarkRecorded(amount money.Amount) { l.Pending -= amount }

// Request returns a message that asks for at least need, and for want if the account has enough. The message also
// returns the quota that Surrender gave up before.
func (l *LocalLease) Request(stamp OperationID, need, want money.Amount) LeaseRequest {
	return l.message(LeaseRequest{Stamp: stamp, Need: need, Want: want})
}

// Return makes a message that asks for nothing and only gives back the quota that Surrender gave up before.
func (l *LocalLease) Return(stamp OperationID) LeaseRequest {
	return l.message(LeaseRequest{Stamp: stamp, Return: true})
}

// message adds the last known operation and the claim to a request.
func (l *LocalLease) message(request LeaseRequest) LeaseRequest {
	request.After, request.Claim, l.settledSpent = l.Stamp, l.Free+l.Held+l.Spent, nil
	if total := l.Spent; l.Pending == 0 && l.Held == 0 {
		l.settledSpent = &total
	}
	return request
}

// Surrender gives up the free amount beyond keep, and returns what it gave up. The next message gives it back to
// the account, because its claim no longer includes it.
func (l *LocalLease) Surrender(keep money.Amount) (idle money.Amount) {
	idle = max(0, l.Free-keep)
	l.Free -= idle
	return idle
}

// Apply applies the database's response to the last message. A stale response means that an earlier response was
// lost or that the lease was reclaimed; the relay should send a new request then. Apply keeps only the free quota that
// the lease covers.
func (l *LocalLease) Apply(response LeaseResponse) {
	if !response.Stale {
		l.Stamp, l.Free = response.Stamp, l.Free+response.Added
		if l.settledSpent != nil && *l.settledSpent == l.Spent && l.Held == 0 {
			l.Spent = response.Spent // everything is recorded, so a difference stems from an earlier lease
		}
	} else {
		if l.Stamp == 0 || response.Stamp == 0 {
			l.Spent = response.Spent + l.Pending // not the lease that the relay knew: count its own spend only
		}
		l.Stamp = response.Stamp
	}
	covered := response.Amount + response.Spent - l.Held - l.Spent
	l.Free, l.uncovered = min(l.Free, max(0, covered)), max(0, -covered)
}

// OutOfReach reports whether amount cannot become free, however the requests in flight on this and on other relays
// settle, according to the database's last response. The relay then refuses a call at once instead of waiting.
func (l *LocalLease) OutOfReach(amount money.Amount, response LeaseResponse) bool {
	reach := money.Add(l.Reach(l.Held), max(0, response.Available))
	return amount > money.Add(reach, max(0, response.Elsewhere))
}

// MarkReclaimed notes that the database has reclaimed the lease: no quota is free any more. Amounts that are held
// or not yet recorded will be deducted from the available quota of the account.
func (l *LocalLease) MarkReclaimed() {
	l.Free, l.Spent, l.Stamp = 0, l.Pending, 0
	l.uncovered = max(0, l.Held+l.Spent)
}

// SpendRate measures how fast an account is spent on this relay. The zero value has measured nothing. It is not safe
// for concurrent use.
type SpendRate struct {
	since    time.Time
	spent    money.Amount
	perSpan  money.Amount // rate of the last measurement, per span
	measured bool
}

const (
	// A lease should last this long, so that a relay can serve through an outage of the database.
	span         = 15 * time.Minute
	measureEvery = time.Second // shortest period of a measurement
)

// Spend notes that amount was spent.
func (r *SpendRate) Spend(amount money.Amount) { r.spent = money.Add(r.spent, amount) }

// Want returns the amount that is spent within a quarter of an hour at the rate since the last measurement. It
// returns 0 until the first measurement is complete, and at least 1 afterwards.
func (r *SpendRate) Want(now time.Time) money.Amount {
	elapsed := now.Sub(r.since)
	switch {
	case r.since.IsZero():
		r.since, r.spent = now, 0
	case elapsed >= measureEvery:
		r.perSpan, r.measured = scale(r.spent, span, elapsed), true
		r.since, r.spent = now, 0
	}
	if !r.measured {
		return 0
	}
	return max(r.perSpan, 1)
}

// RefillThreshold returns the free amount below which the relay should ask for more although no call needs it yet: half
// of the amount that Want returned last.
func (r *SpendRate) RefillThreshold() money.Amount { return r.perSpan / 2 }

// scale returns amount x to / from, both in whole seconds, or money.Max if that would overflow.
func scale(amount money.Amount, to, from time.Duration) money.Amount {
	perSecond := amount / money.Amount(max(1, from/time.Second))
	seconds := money.Amount(to / time.Second)
	if perSecond > money.Max/seconds {
		return money.Max
	}
	return perSecond * seconds
}
