package quota

import (
	"time"

	"github.com/tollgate/tollgate/libs/core/money"
)

// LocalLease is a relay's copy of one lease, with the amounts that it holds and
// has spent. It is pure arithmetic and not safe for concurrent use: the relay
// guards it.
type LocalLease struct {
	Free    money.Amount // unreserved
	Held    money.Amount // reserved by requests in flight
	Spent   money.Amount // spent since the lease began
	Pending money.Amount // of that, what is not known to be recorded; negative while that is known first
	Stamp   OperationID  // of the last operation that the relay knows of, 0 where it knows of no lease

	settled *money.Amount // Spent at the last message, where nothing was held and all of it was known to be recorded
}

// Hold reserves amount and reports whether there was enough.
func (s *LocalLease) Hold(amount money.Amount) bool {
	if amount < 0 || s.Free < amount {
		return false
	}
	s.Free -= amount
	s.Held += amount
	return true
}

// Release ends a hold that spent nothing.
func (s *LocalLease) Release(held money.Amount) { s.Settle(held, 0) }

// Reach returns the most that a hold can be settled at without asking: what it
// reserved and all that is free.
func (s *LocalLease) Reach(held money.Amount) money.Amount { return money.Add(held, s.Free) }

// Settle ends a hold by spending paid, which must not exceed Reach(held).
func (s *LocalLease) Settle(held, paid money.Amount) {
	s.Held -= held
	s.Free += held - paid
	s.Spent += paid
	s.Pending += paid
}

// Recorded notes that the events of so much spending are in the database. They
// may get there before the hold is settled.
func (s *LocalLease) Recorded(amount money.Amount) { s.Pending -= amount }

// Request makes the message that asks for at least need, and for want if the
// account is rich. It also returns what was surrendered before.
func (s *LocalLease) Request(stamp OperationID, need, want money.Amount) LeaseRequest {
	return s.message(LeaseRequest{Stamp: stamp, Need: need, Want: want})
}

// Return makes the message that only gives back.
func (s *LocalLease) Return(stamp OperationID) LeaseRequest {
	return s.message(LeaseRequest{Stamp: stamp, Return: true})
}

func (s *LocalLease) message(ask LeaseRequest) LeaseRequest {
	ask.After, ask.Claim, s.settled = s.Stamp, s.Free+s.Held+s.Spent, nil
	if spent := s.Spent; s.Pending == 0 && s.Held == 0 {
		s.settled = &spent
	}
	return ask
}

// Surrender gives up what is free beyond keep, and returns how much that was.
// The next message tells the database.
func (s *LocalLease) Surrender(keep money.Amount) (idle money.Amount) {
	idle = max(0, s.Free-keep)
	s.Free -= idle
	return idle
}

// Apply applies the database's response. A stale one means that an earlier
// response was lost or the lease was reclaimed: the amount that the lease does
// not cover is no longer free. The relay should send a new request then.
func (s *LocalLease) Apply(answer LeaseResponse) {
	if !answer.Stale {
		s.Stamp, s.Free = answer.Stamp, s.Free+answer.Added
		if s.settled != nil && *s.settled == s.Spent && s.Held == 0 {
			s.Spent = answer.Spent // it can only differ by what an earlier lease paid for
		}
		return
	}
	if s.Stamp == 0 || answer.Stamp == 0 {
		s.Spent = answer.Spent + s.Pending // this lease is not the one that the relay knew
	}
	s.Stamp = answer.Stamp
	s.Surrender(max(0, answer.Amount+answer.Spent-s.Held-s.Spent))
}

// OutOfReach reports whether amount cannot be had, whatever settles here and
// elsewhere, given the database's last answer.
func (s *LocalLease) OutOfReach(amount money.Amount, answer LeaseResponse) bool {
	most := money.Add(s.Reach(s.Held), max(0, answer.Available))
	return amount > money.Add(most, max(0, answer.Elsewhere))
}

// Reclaimed records that the lease was reclaimed: nothing is free any more. What
// is held and spent will be deducted from what is available.
func (s *LocalLease) Reclaimed() { s.Free, s.Spent, s.Stamp = 0, s.Pending, 0 }

// SpendRate measures how fast an account is spent.
type SpendRate struct {
	since    time.Time
	spent    money.Amount
	perSpan  money.Amount // of the last measurement
	measured bool
}

// A slice lasts for span at the present rate, so that a relay lives on its
// leases through an outage of the database. It is measured at most once in
// measureEvery.
const (
	span         = 15 * time.Minute
	measureEvery = time.Second
)

// Spend notes that amount was spent.
func (r *SpendRate) Spend(amount money.Amount) { r.spent = money.Add(r.spent, amount) }

// Want is how much is spent within a quarter of an hour at the rate of the
// time since it was measured last; 0 while that is not known.
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

// Low is the level below which it is time to ask ahead: half of what was last
// wanted.
func (r *SpendRate) Low() money.Amount { return r.perSpan / 2 }

// scale returns amount x to / from in steps that cannot overflow.
func scale(amount money.Amount, to, from time.Duration) money.Amount {
	perSecond := amount / money.Amount(max(1, from/time.Second))
	seconds := money.Amount(to / time.Second)
	if perSecond > money.Max/seconds {
		return money.Max
	}
	return perSecond * seconds
}
