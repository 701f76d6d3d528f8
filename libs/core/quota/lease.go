package quota

import "github.com/tollgate/tollgate/libs/core/money"

// OperationID identifies one operation on a lease. The relay draws a random one for each operation. 0 means that
// there was no operation yet.
type OperationID int64

// Lease is the database's record of the part of an account's quota that one relay may spend. The zero Lease means
// that the relay has no lease.
//
// At any time Amount covers everything that the relay has free, holds, or has spent without a recorded event.
type Lease struct {
	Amount money.Amount // amount that the relay may still spend, not counting usage events that are not recorded yet
	Spent  money.Amount // amount that recorded events have deducted since the lease began
	Stamp  OperationID  // id of the last operation
}

// LeaseRequest is a relay's message to the database: how much of its lease the relay still claims, and how much more
// it asks for. It takes effect only if After is the last operation on the lease, so a duplicate or late message does
// nothing.
type LeaseRequest struct {
	After, Stamp OperationID // the last operation that the relay knows, and the id of this one
	// Everything that the relay has free, holds, or has spent since the lease began; the rest of the lease goes back.
	Claim money.Amount
	// Smallest useful addition; if less is available, nothing is added. 0: the relay asks ahead of need.
	Need   money.Amount
	Want   money.Amount // preferred addition; 0: the relay does not know its rate yet
	Return bool         // the relay asks for nothing and only gives quota back
}

// LeaseResponse is the result of a LeaseRequest: the state of the lease and of its account after the operation.
type LeaseResponse struct {
	Stale     bool         // the request did not follow the last operation: nothing was changed
	Stamp     OperationID  // id of the last operation
	Amount    money.Amount // amount of the lease
	Spent     money.Amount // recorded spend of the lease
	Added     money.Amount // amount that this request added
	Available money.Amount // amount that the account could still lease
	Elsewhere money.Amount // amount that is leased to other relays
}

// GrantLease applies a relay's request to its lease: it takes back the part that the relay does not claim, then adds
// to it. The caller holds the locks of the account and the lease, and stores both.
func (a *Account) GrantLease(l *Lease, request LeaseRequest) LeaseResponse {
	if l.Stamp != request.After {
		return a.response(l, LeaseResponse{Stale: true})
	}
	l.Stamp = request.Stamp
	if unclaimed := l.Amount - max(request.Claim-l.Spent, 0); unclaimed > 0 {
		l.Amount -= unclaimed
		a.Leased -= unclaimed
	}
	var addition money.Amount
	switch {
	case request.Return:
	case a.Granted == nil: // the limit was removed, and the relay does not know it yet: let the call through
		addition = request.Need
	default:
		addition = LeaseSize(a.available()-a.reserve(request), request.Need, request.Want)
	}
	l.Amount += addition
	a.Leased += addition
	return a.response(l, LeaseResponse{Added: addition})
}

// reserve returns the part of the account that stays for other relays: a quarter of the quota that is left if the
// relay asks ahead of need, and nothing if a call waits for the amount.
func (a *Account) reserve(request LeaseRequest) money.Amount {
	if balance := a.Remaining(); request.Need == 0 && balance != nil {
		return max(0, *balance/maxDivisor)
	}
	return 0
}

// response adds the state of the lease and the account to a response.
func (a *Account) response(l *Lease, response LeaseResponse) LeaseResponse {
	response.Stamp, response.Amount, response.Spent = l.Stamp, l.Amount, l.Spent
	response.Available, response.Elsewhere = a.available(), a.Leased-l.Amount
	return response
}

const (
	maxDivisor   = 4  // a lease grows by at most 1/4 of the available quota, unless the need is greater
	firstDivisor = 16 // a relay that does not know its rate gets 1/16 of the available quota
)

// LeaseSize returns the amount to lease to a relay that needs at least need and wants want: want, but at most a
// quarter of available, and at least need. It returns 0 if less than need is available. So a relay rarely asks
// while much quota is available, and the last cent of a nearly empty account can still be spent.
func LeaseSize(available, need, want money.Amount) money.Amount {
	if available < need || available <= 0 || need < 0 {
		return 0
	}
	if want <= 0 {
		want = available / firstDivisor
	}
	return max(need, min(want, available/maxDivisor))
}

// Reclaim ends the lease of a relay that was last seen too long ago, and makes its amount available again.
func (a *Account) Reclaim(l *Lease) {
	a.Leased -= l.Amount
	*l = Lease{}
}

// LeasedAccount is an account that limits a call, together with the lease of the call's relay on it.
type LeasedAccount struct {
	Account *Account
	Lease   *Lease
}

// Deduct charges the cost of a call to all accounts that limited it and returns the amount that it charged, which is
// the same for all of them. The leases cover the whole cost unless they were reclaimed before the event was recorded.
// In that case Deduct takes the difference from the available quota. If that is not enough either, it charges less
// than the cost: no account is ever used beyond its grant.
func Deduct(cost money.Amount, accounts []LeasedAccount) money.Amount {
	for _, a := range accounts {
		cost = min(cost, a.coverage())
	}
	for _, a := range accounts {
		leased := min(cost, a.Lease.Amount)
		a.Lease.Amount -= leased
		a.Lease.Spent += leased
		a.Account.Leased -= leased
		a.Account.Used += cost
	}
	return cost
}

// coverage returns the most that can be deducted from the account: its lease and the available quota.
func (s LeasedAccount) coverage() money.Amount {
	if s.Account.Granted == nil {
		return money.Max
	}
	return money.Add(s.Lease.Amount, max(0, s.Account.available()))
}
