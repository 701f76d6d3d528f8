package admit

import (
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/store"
)

// knownFor is how long a refusal by the database is believed without asking
// again; a change of the limit ends it at once.
const knownFor = time.Second

// account guards one lease.
type account struct {
	id        uuid.UUID
	refilling chan struct{} // a seat for the one that asks the database

	mu        sync.Mutex
	lease     quota.Lease
	lastSlice money.Amount
	lastUse   time.Time
	short     store.Leased  // the database's last refusal
	shortAt   time.Time     // zero: none
	changed   chan struct{} // closed when Free may have grown or a refusal is forgotten; nil while nobody waits
}

func newAccount(id uuid.UUID) *account {
	return &account{id: id, refilling: make(chan struct{}, 1)}
}

// touch marks the account as in use, which keeps it from being dropped.
func (a *account) touch(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lastUse = now
}

// hold reserves amount; low reports that it is time to lease more.
func (a *account) hold(amount money.Amount) (low, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.lease.Hold(amount) {
		return false, false
	}
	return a.shortAt.IsZero() && a.lease.Free < a.lastSlice/4, true
}

func (a *account) settle(held, cost money.Amount) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lease.Settle(held, cost)
	a.announce()
}

func (a *account) add(slice money.Amount) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lease.Add(slice)
	a.lastSlice = slice
	a.shortAt = time.Time{}
	a.announce()
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
	return a.lease.Free
}

// target is the level that a refill ahead of need fills up to.
func (a *account) target() money.Amount {
	a.mu.Lock()
	defer a.mu.Unlock()
	return max(a.lastSlice/4, 1)
}

// lacks returns what is missing for amount, and whether it is already known
// that the database does not have it.
func (a *account) lacks(amount money.Amount, now time.Time) (need money.Amount, known bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	need = max(0, amount-a.lease.Free)
	fresh := !a.shortAt.IsZero() && now.Sub(a.shortAt) < knownFor
	return need, fresh && need > a.short.Available
}

func (a *account) learn(short store.Leased, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.short, a.shortAt = short, now
}

// judge says whether amount could still be had once requests in flight here
// or on other relays have settled.
func (a *account) judge(amount money.Amount) verdict {
	a.mu.Lock()
	defer a.mu.Unlock()
	if amount <= a.lease.Free {
		return refilled
	}
	atMost := money.Add(a.lease.Reach(a.lease.Held), max(0, a.short.Available))
	if amount <= money.Add(atMost, max(0, a.short.Elsewhere)) {
		return busy
	}
	return refused
}

func (a *account) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.shortAt = time.Time{}
	a.announce()
}

func (a *account) surrender() money.Amount {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.lease.Surrender()
}

// idle reports whether nothing is in flight and nothing was since moment.
func (a *account) idle(since time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.lease.Held == 0 && a.lastUse.Before(since)
}

// empty reports whether nothing is left here to keep the account for.
func (a *account) empty() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.lease == (quota.Lease{}) && len(a.refilling) == 0
}
