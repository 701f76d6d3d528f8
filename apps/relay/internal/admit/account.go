package admit

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
)

// How long a refusal by the database is believed without asking again. A
// change of the limit ends it at once. Where other relays hold some, they are
// asked to give it back meanwhile.
const (
	refusedFor = time.Second
	shortFor   = 100 * time.Millisecond
	// failedFor is how long a database that did not answer is not asked again.
	failedFor = 500 * time.Millisecond
	// aheadEvery and aheadLater are the times between two messages ahead of need,
	// the latter where the account has no more to spare.
	aheadEvery = time.Second
	aheadLater = 30 * time.Second
	// scarceFor is how long an account that another relay is short of is
	// given back as it becomes free.
	scarceFor = 5 * time.Second
	// holdsPerSlice is how many holds like the one at hand a slice is for,
	// where the rate of spending asks for less.
	holdsPerSlice = 16
)

// account guards one share.
type account struct {
	ref    quota.AccountRef
	asking chan struct{} // a seat for the one that talks to the database

	mu        sync.Mutex
	share     quota.LocalLease
	rate      quota.SpendRate
	lastSlice money.Amount
	lastUse   time.Time
	aheadAt   time.Time           // when it may be asked ahead of need again
	short     quota.LeaseResponse // the database's last refusal
	shortAt   time.Time           // zero: none
	failedAt  time.Time           // when the database did not answer, zero: it did
	scarce    time.Time           // until then another relay is short of it
	recalled  time.Time           // when the other relays were last asked to give back
	returning bool                // a goroutine is about to give back
	unsure    bool                // an answer was lost: the database may have leased more
	changed   chan struct{}       // closed when Free may have grown or a refusal is forgotten; nil while nobody waits
}

func newAccount(ref quota.AccountRef) *account {
	return &account{ref: ref, asking: make(chan struct{}, 1)}
}

// touch marks the account as in use, which keeps it from being dropped.
func (a *account) touch(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lastUse = now
}

// hold reserves amount; low reports that it is time to ask ahead.
func (a *account) hold(amount money.Amount, now time.Time) (low, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.share.Hold(amount) {
		return false, false
	}
	if a.share.Free >= max(a.lastSlice/4, a.rate.Low()) || now.Before(a.aheadAt) {
		return false, true
	}
	a.aheadAt = now.Add(aheadEvery)
	return true, true
}

// settle ends a hold and reports whether what became free should be given
// back, which the caller must do then.
func (a *account) settle(held, cost money.Amount, now time.Time) (giveBack bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.share.Settle(held, cost)
	a.rate.Spend(cost)
	a.announce()
	if a.returning || !now.Before(a.scarce) {
		return false
	}
	a.returning = true
	return true
}

func (a *account) recorded(amount money.Amount) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.share.Recorded(amount)
}

// announce wakes all that wait for a change.
func (a *account) announce() {
	if a.changed != nil {
		close(a.changed)
		a.changed = nil
	}
}

func (a *account) changes() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.changed == nil {
		a.changed = make(chan struct{})
	}
	return a.changed
}

func (a *account) free() money.Amount {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.share.Free
}

// known is what need not be asked.
type known uint8

const (
	nothing known = iota
	enough        // the amount is free
	refusal       // the database does not have what is missing
	failure       // the database does not answer
)

// lacks returns what is missing for amount, and what is known about it.
func (a *account) lacks(amount money.Amount, now time.Time) (need money.Amount, known known) {
	a.mu.Lock()
	defer a.mu.Unlock()
	need = max(0, amount-a.share.Free)
	believed := refusedFor
	if a.short.Elsewhere > 0 {
		believed = shortFor
	}
	switch {
	case need == 0:
		return 0, enough
	case !a.failedAt.IsZero() && now.Sub(a.failedAt) < failedFor:
		return need, failure
	case !a.shortAt.IsZero() && now.Sub(a.shortAt) < believed && need > a.short.Available:
		return need, refusal
	}
	return need, nothing
}

// message makes the next message to the database.
func (a *account) message(need money.Amount, now time.Time) quota.LeaseRequest {
	a.mu.Lock()
	defer a.mu.Unlock()
	want := a.rate.Want(now)
	if want > 0 && need > 0 && need <= money.Max/holdsPerSlice {
		want = max(want, holdsPerSlice*need)
	}
	return a.share.Request(newStamp(), need, want)
}

// surrender gives up what is free beyond keep and reports whether there is
// something to tell the database.
func (a *account) surrender(keep money.Amount) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.returning = false
	return a.share.Surrender(keep) > 0 || a.unsure
}

// farewell makes the message that gives back what was surrendered.
func (a *account) farewell() quota.LeaseRequest {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.share.Return(newStamp())
}

// newStamp draws a stamp other than 0.
func newStamp() quota.OperationID { return quota.OperationID(rand.Int64N(1<<63-1) + 1) }

// answered takes in what the database said to a message.
func (a *account) answered(ask quota.LeaseRequest, answer quota.LeaseResponse, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.share.Apply(answer)
	a.failedAt, a.unsure = time.Time{}, answer.Stale
	switch {
	case answer.Stale || ask.Return:
	case answer.Added > 0:
		a.lastSlice, a.shortAt = answer.Added, time.Time{}
	case ask.Need == 0:
		a.aheadAt = now.Add(aheadLater)
	default:
		a.short, a.shortAt = answer, now
	}
	a.announce()
}

// failed notes that a message was sent and no answer came.
func (a *account) failed(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failedAt, a.unsure = now, true
}

// judge says whether amount could still be had once requests in flight here
// or on other relays have settled.
func (a *account) judge(amount money.Amount) verdict {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case amount <= a.share.Free:
		return refilled
	case a.share.OutOfReach(amount, a.short):
		return refused
	}
	return busy
}

// elsewhere reports whether other relays hold some of the account, and whether
// it is due to ask them for it, which the caller must do then.
func (a *account) elsewhere(now time.Time) (held, due bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	held = a.short.Elsewhere > 0
	due = held && now.Sub(a.recalled) >= shortFor
	if due {
		a.recalled = now
	}
	return held, due
}

// recall notes that another relay is short of the account, or that its limit
// has moved: what is known of it is not true any more. It reports whether to
// give back what is free, which the caller must do then.
func (a *account) recall(now time.Time) (giveBack bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.shortAt, a.scarce = time.Time{}, now.Add(scarceFor)
	a.announce()
	giveBack = !a.returning
	a.returning = true
	return giveBack
}

// lost notes that the lease was reclaimed.
func (a *account) lost() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.share.Reclaimed()
	a.shortAt = time.Time{}
	a.announce()
}

// surplus returns how much to keep of what is free: nothing where nothing is
// in flight and nothing was since moment, else twice what the rate asks for.
func (a *account) surplus(now, moment time.Time) (keep money.Amount) {
	a.mu.Lock()
	defer a.mu.Unlock()
	want := a.rate.Want(now)
	switch {
	case a.share.Held == 0 && a.lastUse.Before(moment):
		return 0
	case want == 0:
		return money.Max
	}
	return max(money.Add(want, want), a.share.Held, a.lastSlice/4)
}

// empty reports whether nothing is left here to keep the account for, and
// nobody has used it since moment.
func (a *account) empty(moment time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.share.Free == 0 && a.share.Held == 0 && a.share.Pending == 0 && !a.unsure &&
		len(a.asking) == 0 && a.lastUse.Before(moment)
}
