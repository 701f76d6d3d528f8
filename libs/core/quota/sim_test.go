package quota_test

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
)

// The simulation runs the lease protocol with several relays and one database in virtual time. The network loses,
// duplicates and delays messages. Relays crash, pause, are cut off and return, and their clocks run at different rates.
// After every step the invariants are checked. A seed determines the whole history, so a failure can be reproduced:
//
//	make sim
//	make sim SEED=17
//
// sim_test.go has the world: time, network, database and invariants. simrelay_test.go has the relays.

const usualSeeds = 200

func TestSimulation(t *testing.T) {
	if seed, ok := number(t, "QUOTA_SIM_SEED"); ok {
		simulate(t, seed)
		return
	}
	seeds, ok := number(t, "QUOTA_SIM_SEEDS")
	if !ok {
		seeds = usualSeeds
	}
	first, ok := number(t, "QUOTA_SIM_FIRST")
	if !ok {
		first = rand.Uint64N(1 << 40)
	}
	t.Logf("seeds %d to %d", first, first+seeds-1)
	for seed := first; seed < first+seeds && !t.Failed(); seed++ {
		simulate(t, seed)
	}
}

// number returns the value of an environment variable, and whether it is set.
func number(t *testing.T, name string) (uint64, bool) {
	text := os.Getenv(name)
	if text == "" {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n, true
}

func simulate(t *testing.T, seed uint64) {
	t.Helper()
	w := newWorld(seed)
	if err := w.run(); err != nil {
		t.Errorf("seed %d, after %v: %v\nrun it again with make sim SEED=%d", seed, w.now, err, seed)
	}
}

const (
	grace      = time.Minute           // silence after which the database reclaims a relay's leases
	beatEvery  = grace / 6             // period of heartbeats
	patience   = 5 * time.Second       // timeout of a message, and of a call that waits for quota
	accounts   = 2                     // account 0 is the wallet, account 1 a cap that some calls have
	busyTime   = 3 * time.Minute       // first phase: faults happen
	quietTime  = 4 * time.Minute       // second phase: no faults, so that everything must settle
	roundTrip  = 20 * time.Millisecond // of most messages
	idleReturn = 20 * time.Second      // time without use after which a relay gives a lease back
)

// world is the state of the simulation.
type world struct {
	dice   *rand.Rand
	now    time.Duration
	agenda agenda
	order  int  // number of scheduled events so far
	calm   bool // second phase: the network is perfect and no relay crashes

	// The database.
	account  [accounts]*quota.Account
	lease    []*[accounts]quota.Lease // by relay
	seen     []time.Duration          // time of the last heartbeat, by relay
	reclaims []int                    // number of reclaims, by relay
	recorded map[int]money.Amount     // deducted amount, by id of the event
	rows     [accounts]money.Amount   // sum of the recorded events, by account
	spent    [accounts]money.Amount   // spend by account, recorded or not

	relays []*relay
	events []*event // events of all calls that clients saw succeed
	fault  error    // first violated invariant
	stats  struct{ served, exhausted, inFlight, reclaimed, clamped int }
}

// event is the usage event of one call.
type event struct {
	id      int
	relay   *relay
	quota   money.Amount
	sides   []int // accounts that it is charged to
	tainted bool  // its lease was reclaimed before it was settled or recorded
}

// agenda is a heap of appointments, the earliest first.
type agenda []appointment

// appointment is a function that runs at a time. order makes equal times deterministic.
type appointment struct {
	at    time.Duration
	order int
	do    func()
}

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	return a[i].at < a[j].at || a[i].at == a[j].at && a[i].order < a[j].order
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(x any) {
	if item, ok := x.(appointment); ok {
		*a = append(*a, item)
	}
}
func (a *agenda) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

// after schedules the function do at the time d from now.
func (w *world) after(d time.Duration, do func()) {
	w.order++
	heap.Push(&w.agenda, appointment{w.now + d, w.order, do})
}

// upTo returns a random duration from 1 ns to d.
func (w *world) upTo(d time.Duration) time.Duration {
	return time.Duration(w.dice.Int64N(int64(d)) + 1)
}
func (w *world) chance(percent int) bool { return w.dice.IntN(100) < percent }

// send delivers a message to the other side: once, late, twice or never.
func (w *world) send(deliver func()) {
	if w.calm {
		w.after(roundTrip/2, deliver)
		return
	}
	times := 1
	switch dice := w.dice.IntN(100); {
	case dice < 8:
		times = 0
	case dice < 16:
		times = 2
	}
	for range times {
		delay := w.upTo(roundTrip)
		if w.chance(5) {
			delay = w.upTo(4 * patience)
		}
		w.after(delay, deliver)
	}
}

// newWorld returns a world with up to 4 relays, a worker that reclaims leases, and an operator who raises grants.
func newWorld(seed uint64) *world {
	w := &world{dice: rand.New(rand.NewPCG(seed, 1)), recorded: map[int]money.Amount{}}
	for i := range w.account {
		granted := money.Amount(w.dice.Int64N(50_000))
		w.account[i] = &quota.Account{Granted: &granted}
	}
	for i := range 1 + w.dice.IntN(4) {
		w.lease, w.seen, w.reclaims = append(w.lease, &[accounts]quota.Lease{}), append(w.seen, 0),
			append(w.reclaims, 0)
		r := &relay{w: w, n: i, rate: 0.96 + 0.08*w.dice.Float64()}
		w.relays = append(w.relays, r)
		r.start()
	}
	w.repeat(w.upTo(5*time.Second), w.reclaim)
	w.repeat(w.upTo(time.Minute), func() {
		if account := w.account[w.dice.IntN(accounts)]; !w.calm {
			granted := *account.Granted + money.Amount(w.dice.Int64N(5_000))
			account.Granted = &granted
		}
	})
	return w
}

func (w *world) repeat(every time.Duration, do func()) {
	w.after(every, func() {
		do()
		w.repeat(every, do)
	})
}

// run runs both phases and returns the first violated invariant.
func (w *world) run() error {
	w.stepUntil(busyTime)
	w.calm = true
	for _, r := range w.relays {
		r.calls = 0
		if !r.up {
			r.start()
		}
	}
	w.stepUntil(busyTime + quietTime)
	if w.fault == nil {
		w.fault = w.finish()
	}
	return w.fault
}

func (w *world) stepUntil(moment time.Duration) {
	for w.step(moment) {
	}
}

func (w *world) step(until time.Duration) bool {
	if w.fault != nil || len(w.agenda) == 0 || w.agenda[0].at > until {
		return false
	}
	next, _ := heap.Pop(&w.agenda).(appointment)
	w.now = next.at
	next.do()
	if w.fault == nil {
		w.fault = w.check()
	}
	return true
}

// check returns an error if the state violates an invariant.
func (w *world) check() error {
	for i, account := range w.account {
		var leased money.Amount
		for n := range w.relays {
			amount := w.lease[n][i].Amount
			if leased += amount; amount < 0 {
				return fmt.Errorf("relay %d's lease of account %d is %d", n, i, amount)
			}
		}
		if account.Leased != leased || account.Used != w.rows[i] {
			return fmt.Errorf("account %d: leased %d and used %d, its leases are %d and its rows %d", i, account.Leased,
				account.Used, leased, w.rows[i])
		}
		if account.Used+account.Leased > *account.Granted {
			return fmt.Errorf("account %d: %d used and %d leased of %d", i, account.Used, account.Leased,
				*account.Granted)
		}
		for _, r := range w.relays {
			if err := r.check(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// reclaim ends the leases of silent relays, as the worker does.
func (w *world) reclaim() {
	for n, r := range w.relays {
		if w.now-w.seen[n] <= grace || *w.lease[n] == [accounts]quota.Lease{} {
			continue
		}
		for i := range w.account {
			w.account[i].Reclaim(&w.lease[n][i])
		}
		w.reclaims[n]++
		w.stats.reclaimed++
		r.tainted = true
		for _, e := range r.spool {
			e.tainted = true
		}
	}
}

// record records a batch of events, as the database does when a relay ships its spool.
func (w *world) record(r *relay, batch []*event) {
	for _, e := range batch {
		if _, ok := w.recorded[e.id]; ok {
			continue
		}
		var sides []quota.LeasedAccount
		for _, i := range e.sides {
			sides = append(sides, quota.LeasedAccount{Account: w.account[i], Lease: &w.lease[r.n][i]})
		}
		deducted := quota.Deduct(e.quota, sides)
		if deducted != e.quota {
			w.stats.clamped++
			if !e.tainted && !r.tainted {
				w.fault = fmt.Errorf("%d of %d deducted though no lease was reclaimed", deducted, e.quota)
			}
		}
		w.recorded[e.id] = deducted
		for _, i := range e.sides {
			w.rows[i] += deducted
			w.spent[i] -= e.quota - deducted
			r.unrecorded[i] -= e.quota
		}
	}
}

// finish checks the end of the second phase: every event is recorded, a call can still get everything that is left, and
// nothing stays leased when the relays stop.
func (w *world) finish() error {
	for _, e := range w.events {
		if _, ok := w.recorded[e.id]; !ok {
			return fmt.Errorf("event %d was never recorded", e.id)
		}
	}
	if len(w.recorded) != len(w.events) {
		return fmt.Errorf("%d events are recorded, clients saw %d", len(w.recorded), len(w.events))
	}
	if w.chance(50) {
		if err := w.spendLast(); err != nil {
			return err
		}
	}
	last := w.relays[w.dice.IntN(len(w.relays))]
	if left := *w.account[0].Remaining(); left > 0 {
		got := 0
		last.admit(&call{bound: left, actual: left, sides: []int{0}, done: func(admitted bool) {
			if admitted {
				got++
			}
		}})
		w.stepUntil(w.now + 2*patience)
		if got != 1 {
			return fmt.Errorf("a call for the remaining %d was not admitted: %v", left, w)
		}
	}
	for _, r := range w.relays {
		r.stop()
	}
	for i, account := range w.account {
		if account.Leased != 0 {
			return fmt.Errorf("%d of account %d stays leased", account.Leased, i)
		}
	}
	return w.check()
}

// spendLast checks that calls without an output cap, many at a time on all relays, can spend all but less than the
// smallest share.
func (w *world) spendLast() error {
	const clients, calls = 8, 100
	left := *w.account[0].Remaining()
	usual := 1 + left/(4*calls)
	least, begun := 1+usual/2, 0
	for _, r := range w.relays {
		var next func(bool)
		next = func(bool) {
			if begun++; begun < 40*calls {
				c := &call{bound: 2 * (left + 1), actual: 1 + money.Amount(w.dice.Int64N(int64(usual))), least: least,
					usual: usual, sides: []int{0}}
				c.done = func(admitted bool) { w.after(w.upTo(time.Second), func() { next(admitted) }) }
				r.admit(c)
			}
		}
		for range clients {
			next(true)
		}
	}
	for wait := w.now; w.now < wait+10*time.Minute && w.fault == nil && *w.account[0].Remaining() >= least; {
		w.stepUntil(w.now + time.Second)
	}
	w.stepUntil(w.now + 2*patience)
	if left := *w.account[0].Remaining(); w.fault == nil && left >= least {
		return fmt.Errorf("%d are left after %d calls that can do with %d: %v", left, begun, least, w)
	}
	return w.fault
}

// String returns the state of accounts and leases.
func (w *world) String() string {
	text := fmt.Sprintf("%+v", w.stats)
	for i, account := range w.account {
		text += fmt.Sprintf("\naccount %d: granted %d, used %d, leased %d", i, *account.Granted,
			account.Used, account.Leased)
		for n, r := range w.relays {
			text += fmt.Sprintf("\n  relay %d: %+v, %+v, tainted %v", n, w.lease[n][i], *r.share[i], r.tainted)
		}
	}
	return text
}
