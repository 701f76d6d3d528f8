package admit

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
)

// How long the relay relies on an answer of the database, or on its failure, before it asks again. A change of
// the account's limit ends that time at once.
const (
	// refusedFor applies to a refusal while no other relay has leased a part of the account.
	refusedFor = time.Second
	// shortFor applies to a refusal while other relays have leased a part. They are asked to return it, so the
	// answer may soon be different.
	shortFor = 100 * time.Millisecond
	// failedFor applies after a message without an answer.
	failedFor = 500 * time.Millisecond
	// aheadEvery is the time between two messages ahead of need. aheadLater replaces it when the account has
	// nothing more to lease.
	aheadEvery = time.Second
	aheadLater = 30 * time.Second
	// scarceFor is the time after a recall during which the relay returns quota that becomes free.
	scarceFor = 5 * time.Second
	// holdsPerLease is the number of holds of the current size that a lease should cover, unless the rate of
	// spending asks for more.
	holdsPerLease = 16
)

// account is the relay's view of one account. mu guards the fields below it.
type account struct {
	ref    quota.AccountRef
	asking chan struct{} // semaphore with one place: its holder talks to the database

	mu           sync.Mutex
	lease        quota.LocalLease    // the lease: free, held and spent amounts
	rate         quota.SpendRate     // how fast requests spend the account
	lastAddition money.Amount        // amount that the database added last
	lastUse      time.Time           // when a request last used the account
	aheadAt      time.Time           // the earliest time of the next message ahead of need
	lastResponse quota.LeaseResponse // the last answer of the database to a message that asked for quota
	refusedAt    time.Time           // when lastResponse was received, if it was a refusal; zero: no refusal is known
	failedAt     time.Time           // when the database last did not answer; zero: it has answered since then
	scarce       time.Time           // time until which another relay probably needs quota of the account
	lastRecall   time.Time           // when the other relays were last asked to return quota
	returning    bool                // a goroutine is about to return quota
	// Quota that is left outside of the lease, as of the database's last answer: for any relay, or leased to others.
	outside      money.Amount
	outsideKnown bool // outside was received
	unsure       bool // a response was lost: the database may have leased more than the relay knows
	// Closed when more may be free or a refusal is forgotten; nil while no request waits.
	changed chan struct{}
	holds   int                 // number of holds that have not ended
	sharing int                 // number of requests that wait for a share of this account
	usual   map[string]*typical // what calls of a model usually need, by model; only of calls that shared the account
}

// newAccount returns an account without a lease.
func newAccount(ref quota.AccountRef) *account {
	return &account{ref: ref, asking: make(chan struct{}, 1)}
}

// touch records that a request uses the account, so that drop keeps it.
func (a *account) touch(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lastUse = now
}

// hold reserves amount and reports whether enough was free. low means that the lease runs low and the caller
// must ask for more; the caller gets it at most once for each aheadEvery.
func (a *account) hold(amount money.Amount, now time.Time) (low, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.lease.Hold(amount) {
		return false, false
	}
	a.holds++
	if a.lease.Free >= max(a.lastAddition/4, a.rate.RefillThreshold()) || now.Before(a.aheadAt) {
		return false, true
	}
	a.aheadAt = now.Add(aheadEvery)
	return true, true
}

// settle ends a hold of amount for a request that cost the amount cost. It reports whether another
// relay needs the freed quota; if so, the caller must return it to the database.
func (a *account) settle(amount, cost money.Amount, now time.Time) (giveBack bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lease.Settle(amount, cost)
	a.holds--
	a.rate.Spend(cost)
	a.announce()
	// What the requests that wait here leave goes back at the next recall.
	if a.returning || a.sharing > 0 || !now.Before(a.scarce) {
		return false
	}
	a.returning = true
	return true
}

// recorded notes that the database has deducted amount.
func (a *account) recorded(amount money.Amount) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lease.MarkRecorded(amount)
}

// announce wakes every request that waits for a change. The caller holds mu.
func (a *account) announce() {
	if a.changed != nil {
		close(a.changed)
		a.changed = nil
	}
}

// changes returns a channel that is closed at the next change. Get it before you look at the account: a change
// in between is then not missed.
func (a *account) changes() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.changed == nil {
		a.changed = make(chan struct{})
	}
	return a.changed
}

// free returns the unreserved part of the lease.
func (a *account) free() money.Amount {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.lease.Free
}

// remaining returns the quota that is left for calls other than those in flight on this relay, as of the last answer of
// the database. ok is false while there is no answer yet.
func (a *account) remaining() (free money.Amount, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return money.Add(a.lease.Free, a.outside), a.outsideKnown
}

// cachedAnswer is an answer that the account can give about missing quota without a message to the database.
type cachedAnswer uint8

const (
	askDatabase cachedAnswer = iota // the database must be asked
	enough                          // enough is free already
	refusal                         // the database recently refused that much
	failure                         // the database recently did not answer
)

// missing returns how much free quota the account lacks for an amount, and whether the recent answers of the
// database make a message useless.
func (a *account) missing(amount money.Amount, now time.Time) (need money.Amount, answer cachedAnswer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	need = max(0, amount-a.lease.Free)
	validity := refusedFor
	if a.lastResponse.Elsewhere > 0 {
		validity = shortFor
	}
	switch {
	case need == 0:
		return 0, enough
	case !a.failedAt.IsZero() && now.Sub(a.failedAt) < failedFor:
		return need, failure
	case !a.refusedAt.IsZero() && now.Sub(a.refusedAt) < validity && need > a.lastResponse.Available:
		return need, refusal
	}
	return need, askDatabase
}

// message returns the next message to the database. need is the least that helps; 0 means that the relay asks
// ahead. The message asks for more than need when the rate of spending suggests it.
func (a *account) message(need money.Amount, now time.Time) quota.LeaseRequest {
	a.mu.Lock()
	defer a.mu.Unlock()
	want := a.rate.Want(now)
	if want > 0 && need > 0 && need <= money.Max/holdsPerLease {
		want = max(want, holdsPerLease*need)
	}
	return a.lease.Request(newStamp(), need, want)
}

// surrender gives up the free quota beyond the amount keep. It reports whether the database needs a message,
// because quota was given up or because the state of the lease is uncertain.
func (a *account) surrender(keep money.Amount) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.returning = false
	return a.lease.Surrender(keep) > 0 || a.unsure
}

// returnMessage returns the message that gives the surrendered amount back and asks for nothing.
func (a *account) returnMessage() quota.LeaseRequest {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.lease.Return(newStamp())
}

// newStamp returns a random operation id. 0 is excluded because it means "no operation".
func newStamp() quota.OperationID { return quota.OperationID(rand.Int64N(1<<63-1) + 1) }

// applyResponse applies the database's response to a message.
func (a *account) applyResponse(ask quota.LeaseRequest, answer quota.LeaseResponse, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lease.Apply(answer)
	a.failedAt, a.unsure = time.Time{}, answer.Stale
	a.outside, a.outsideKnown = money.Add(max(0, answer.Available), max(0, answer.Elsewhere)), true
	switch {
	case answer.Stale || ask.Return:
	case answer.Added > 0:
		a.lastAddition, a.lastResponse, a.refusedAt = answer.Added, answer, time.Time{}
	case ask.Need == 0:
		a.aheadAt = now.Add(aheadLater)
	default:
		a.lastResponse, a.refusedAt = answer, now
	}
	a.announce()
}

// failed records that a message was sent and no response came. The database may or may not have applied it.
func (a *account) failed(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failedAt, a.unsure = now, true
}

// judge reports whether amount is free, may become free when requests in flight settle, or cannot become free.
func (a *account) judge(amount money.Amount) verdict {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case amount <= a.lease.Free:
		return refilled
	case a.lease.OutOfReach(amount, a.lastResponse):
		return refused
	}
	return busy
}

// leasedElsewhere reports whether other relays have leased a part of the account. recallDue means that the caller must
// ask them to return it; it is true at most once for each shortFor.
func (a *account) leasedElsewhere(now time.Time) (isLeased, recallDue bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	isLeased = a.lastResponse.Elsewhere > 0
	recallDue = isLeased && now.Sub(a.lastRecall) >= shortFor
	if recallDue {
		a.lastRecall = now
	}
	return isLeased, recallDue
}

// recall notes that another relay needs the account or that its limit has changed, so an earlier refusal no
// longer holds. It reports whether the caller must return the free quota to the database.
func (a *account) recall(now time.Time) (giveBack bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refusedAt, a.scarce = time.Time{}, now.Add(scarceFor)
	a.announce()
	giveBack = !a.returning
	a.returning = true
	return giveBack
}

// reclaimed notes that the database has reclaimed the lease: nothing of it may be spent any more.
func (a *account) reclaimed() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lease.MarkReclaimed()
	a.refusedAt = time.Time{}
	a.announce()
}

// amountToKeep returns how much of the free amount to keep. It is 0 if nothing is in flight and no request has used
// the account since cutoff, everything if the rate of spending is unknown, and else enough for twice the time
// that a lease is meant to last.
func (a *account) amountToKeep(now, cutoff time.Time) (keep money.Amount) {
	a.mu.Lock()
	defer a.mu.Unlock()
	want := a.rate.Want(now)
	switch {
	case a.lease.Held == 0 && a.lastUse.Before(cutoff):
		return 0
	case want == 0:
		return money.Max
	}
	return max(money.Add(want, want), a.lease.Held, a.lastAddition/4)
}

// empty reports whether the account can be forgotten: nothing is free, held or unrecorded, no message is under
// way, and no request has used the account since cutoff.
func (a *account) empty(cutoff time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.lease.Free == 0 && a.lease.Held == 0 && a.lease.Pending == 0 && !a.unsure &&
		len(a.asking) == 0 && a.lastUse.Before(cutoff)
}
