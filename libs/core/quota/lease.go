package quota

import "github.com/tollgate/tollgate/libs/core/money"

// OperationID identifies one operation on a lease. The relay draws a random one
// for each operation. 0 means that there was none yet.
type OperationID int64

// Lease is the database's record of what one relay may spend of one account.
// The zero Lease is that of a relay that has none.
//
// At any time Amount covers all that the relay has free, holds, or has spent
// and not yet recorded.
type Lease struct {
	Amount money.Amount
	Spent  money.Amount // what was recorded and taken from it since it began
	Stamp  OperationID  // of the last operation
}

// LeaseRequest is a relay's message to the database: how much of its lease the
// relay still needs, and how much more it asks for. It takes effect only if
// After is the last operation on the lease, so that a duplicate or late message
// does nothing.
type LeaseRequest struct {
	After, Stamp OperationID
	Claim        money.Amount // all that the relay has free, holds or has spent since the lease began; what was leased beyond it goes back
	Need         money.Amount // the least to be added, or nothing is; 0: the relay asks ahead
	Want         money.Amount // how much would be of use; 0: the relay cannot tell
	Return       bool         // ask for nothing
}

// LeaseResponse is the result of a LeaseRequest.
type LeaseResponse struct {
	Stale     bool         // another operation came first: nothing was done
	Stamp     OperationID  // of the last operation now
	Amount    money.Amount // of the lease now
	Spent     money.Amount // of it, as recorded
	Added     money.Amount // what was added
	Available money.Amount // what else could be leased
	Elsewhere money.Amount // leased to other relays
}

// GrantLease applies a relay's request to its lease.
func (a *Account) GrantLease(l *Lease, ask LeaseRequest) LeaseResponse {
	if l.Stamp != ask.After {
		return a.answer(l, LeaseResponse{Stale: true})
	}
	l.Stamp = ask.Stamp
	if back := l.Amount - max(ask.Claim-l.Spent, 0); back > 0 {
		l.Amount -= back
		a.Leased -= back
	}
	var slice money.Amount
	switch {
	case ask.Return:
	case a.Granted == nil: // not limited any more, which the relay will learn
		slice = ask.Need
	default:
		slice = SliceSize(a.available()-a.reserve(ask), ask.Need, ask.Want)
	}
	l.Amount += slice
	a.Leased += slice
	return a.answer(l, LeaseResponse{Added: slice})
}

// reserve is what stays for others when a relay asks ahead of its need: a
// quarter of what is left.
func (a *Account) reserve(ask LeaseRequest) money.Amount {
	if left := a.Left(); ask.Need == 0 && left != nil {
		return max(0, *left/mostPart)
	}
	return 0
}

func (a *Account) answer(l *Lease, answer LeaseResponse) LeaseResponse {
	answer.Stamp, answer.Amount, answer.Spent = l.Stamp, l.Amount, l.Spent
	answer.Available, answer.Elsewhere = a.available(), a.Leased-l.Amount
	return answer
}

// The parts of what is available that a relay is leased at most, and where it
// cannot tell what it wants.
const (
	mostPart  = 4
	firstPart = 16
)

// SliceSize returns how much of the available quota a relay is leased that needs
// at least need and wants want: what it wants up to a quarter when rich, as
// small as the need when nearly empty, 0 where even that is not there.
func SliceSize(available, need, want money.Amount) money.Amount {
	if available < need || available <= 0 || need < 0 {
		return 0
	}
	if want <= 0 {
		want = available / firstPart
	}
	return max(need, min(want, available/mostPart))
}

// Reclaim ends the lease of a relay that stays away.
func (a *Account) Reclaim(l *Lease) {
	a.Leased -= l.Amount
	*l = Lease{}
}

// LeasedAccount is an account that limits a call, with the lease that the call's
// relay has on it.
type LeasedAccount struct {
	Account *Account
	Lease   *Lease
}

// Deduct charges what a call has cost to all the accounts that limited it and
// returns how much that was. It is the whole cost as long as the leases cover
// it, which is always so unless they were reclaimed meanwhile. What they lack
// is taken from what is available; what is not there either is not charged:
// no account is ever used beyond its grant.
func Deduct(cost money.Amount, sides []LeasedAccount) money.Amount {
	for _, side := range sides {
		cost = min(cost, side.coverage())
	}
	for _, side := range sides {
		leased := min(cost, side.Lease.Amount)
		side.Lease.Amount -= leased
		side.Lease.Spent += leased
		side.Account.Leased -= leased
		side.Account.Used += cost
	}
	return cost
}

func (s LeasedAccount) coverage() money.Amount {
	if s.Account.Granted == nil {
		return money.Max
	}
	return money.Add(s.Lease.Amount, max(0, s.Account.available()))
}
