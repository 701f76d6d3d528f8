package quota_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
)

// relay is one relay of the simulation. A crash loses everything in run.
type relay struct {
	w     *world
	n     int
	rate  float64       // speed of its clock
	calls time.Duration // longest time between two calls, 0: no calls arrive

	up      bool
	epoch   int  // number of starts
	tainted bool // its leases were reclaimed since the start

	spool      []*event               // survives a crash
	unrecorded [accounts]money.Amount // spend without a recorded event
	run
}

// run is the memory of a relay process.
type run struct {
	share    [accounts]*side
	valid    time.Duration // time on its own clock until which it may spend
	reclaims int           // number of reclaims that it knows of
	shipping int           // message of events in flight, 0: none, -1: the relay is cut off
	waiting  []*call
	messages int
	kept     [accounts]money.Amount // sum of the events whose holds are not settled yet
}

// side is the relay's local lease of one account.
type side struct {
	quota.LocalLease
	awaited quota.OperationID   // message in flight, 0: none
	unsure  bool                // the last message had no response or a stale one
	used    time.Duration       // time of the last call
	scarce  time.Duration       // time until which free amounts go back, because another relay needs them
	last    quota.LeaseResponse // the last response to a request for quota
	owing   bool                // it must give back what is free when the message in flight is answered
	holds   int                 // number of holds
}

// left returns the quota of the account that is not spent, as far as the relay knows.
func (s *side) left() money.Amount { return s.Free + s.Held + s.last.Available + s.last.Elsewhere }

// call is a client's call.
type call struct {
	bound, actual money.Amount // largest and real cost
	// Smallest and usual share that the call can do with instead of its bound; 0: it needs its bound.
	least, usual money.Amount
	held         money.Amount // amount of its hold
	sides        []int        // accounts that limit it
	until        time.Duration
	done         func(admitted bool)
}

// need returns the smallest hold that the call can do with.
func (c *call) need() money.Amount {
	if c.least > 0 {
		return c.least
	}
	return c.bound
}

// clock returns the time on the relay's own clock.
func (r *relay) clock() time.Duration { return time.Duration(float64(r.w.now) * r.rate) }

// mine returns a function that runs do unless the relay has crashed since the call of mine.
func (r *relay) mine(do func()) func() { return r.in(r.epoch, do) }

// in returns a function that runs do if the relay is up and has not been restarted since epoch.
func (r *relay) in(epoch int, do func()) func() {
	return func() {
		if r.up && r.epoch == epoch {
			do()
		}
	}
}

func (r *relay) repeat(every time.Duration, do func()) {
	r.w.after(every, r.mine(func() {
		do()
		r.repeat(every, do)
	}))
}

// start records the events that an earlier run left in the spool, ends its leases, and serves. In the real system each
// of the two steps is a transaction that the relay retries until it succeeds, and locks order it after late messages.
// So the simulation does them at once.
func (r *relay) start() {
	r.up, r.epoch, r.tainted = true, r.epoch+1, false
	r.run = run{}
	for i := range r.share {
		r.share[i] = &side{}
	}
	w := r.w
	w.record(r, r.spool)
	r.spool = nil
	for i := range w.account {
		w.account[i].Reclaim(&w.lease[r.n][i])
	}
	w.seen[r.n], r.reclaims, r.valid = w.now, w.reclaims[r.n], r.clock()+grace-grace/10
	r.repeat(beatEvery, r.beat)
	r.repeat(w.upTo(200*time.Millisecond), r.ship)
	r.repeat(time.Second, r.tend)
	r.repeat(grace, r.endStrays)
	if !w.calm {
		r.calls = 100*time.Millisecond + w.upTo(2*time.Second)
		r.arrive()
	}
	if !w.calm && w.chance(70) {
		w.after(w.upTo(busyTime), r.mine(r.crash))
	}
	if !w.calm && w.chance(30) {
		w.after(w.upTo(busyTime), r.mine(r.cutOff))
	}
}

// crash stops the relay without warning and restarts it after some time.
func (r *relay) crash() {
	if r.w.calm {
		return
	}
	r.up = false
	away := r.w.upTo(20 * time.Second)
	if r.w.chance(30) {
		away = r.w.upTo(5 * grace)
	}
	epoch := r.epoch
	r.w.after(away, func() {
		if !r.up && r.epoch == epoch {
			r.start()
		}
	})
}

// cutOff disconnects the relay from the database for a while: none of its messages arrive. The relay continues to
// serve.
func (r *relay) cutOff() {
	r.shipping = -1
	r.w.after(r.w.upTo(3*grace), r.mine(func() { r.shipping = 0 }))
}

func (r *relay) cut() bool { return r.shipping == -1 && !r.w.calm }

// stop ends the relay gracefully: it records its events and returns its leases.
func (r *relay) stop() {
	w := r.w
	w.record(r, r.spool)
	r.spool, r.up = nil, false
	for i := range w.account {
		w.account[i].Reclaim(&w.lease[r.n][i])
	}
}

// arrive lets calls arrive at random times.
func (r *relay) arrive() {
	if r.calls == 0 {
		return
	}
	r.w.after(r.w.upTo(r.calls), r.mine(func() {
		if r.calls > 0 {
			r.admit(r.newCall())
		}
		r.arrive()
	}))
}

func (r *relay) newCall() *call {
	c := &call{bound: money.Amount(1 + r.w.dice.Int64N(400)), sides: []int{0}, done: func(bool) {}}
	c.actual = money.Amount(r.w.dice.Int64N(int64(c.bound) + 1))
	if r.w.chance(5) {
		c.actual = 2 * c.bound // an upstream that exceeds its bound
	}
	if r.w.chance(40) {
		c.sides = []int{0, 1}
	}
	if r.w.chance(40) {
		c.bound *= 100 // the longest answer; the client asks for no output cap
		c.least, c.usual = max(1, c.actual/4), max(1, c.actual)
	}
	return c
}

// admit queues a call and retries it until its hold succeeds or its time is over.
func (r *relay) admit(c *call) {
	c.until = r.w.now + patience
	r.waiting = append(r.waiting, c)
	r.w.after(patience, r.mine(r.retry))
	r.retry()
}

// retry tries the waiting calls in the order of their arrival.
func (r *relay) retry() {
	for _, c := range slices.Clone(r.waiting) {
		switch admitted := r.hold(c); {
		case admitted:
			r.leave(c, true)
			r.w.after(r.w.upTo(3*time.Second), r.mine(func() { r.settle(c) }))
		case r.w.now >= c.until:
			r.w.stats.inFlight++
			r.leave(c, false)
		}
	}
}

// leave removes a call from the queue.
func (r *relay) leave(c *call, admitted bool) {
	if i := slices.Index(r.waiting, c); i >= 0 {
		r.waiting = slices.Delete(r.waiting, i, i+1)
		c.done(admitted)
	}
}

// hold takes a hold of the bound, or of a share of what is left, on every account of the call, all or nothing.
func (r *relay) hold(c *call) bool {
	if r.clock() >= r.valid {
		return false
	}
	amount := c.bound
	for _, i := range c.sides {
		s := r.share[i]
		s.used = r.w.now
		if s.Free >= amount {
			continue
		}
		useful := r.useful(s, c)
		if s.Free < useful {
			r.ask(i, useful-s.Free)
			return false
		}
		amount = quota.FreeShare(s.Free, useful, amount, s.holds+len(r.waiting))
	}
	for _, i := range c.sides {
		s := r.share[i]
		if !s.Hold(amount) {
			panic("an account has less free than a moment ago")
		}
		s.holds++
	}
	c.held = amount
	return true
}

// useful returns the amount for which a call waits.
func (r *relay) useful(s *side, c *call) money.Amount {
	if c.least == 0 {
		return c.bound
	}
	useful := quota.UsefulShare(s.left(), c.usual, c.bound, s.holds+len(r.waiting))
	if useful > s.left() || r.w.now >= c.until {
		return c.least
	}
	return useful
}

// settle puts the event into the spool before it ends the hold, as real relays do. So the event may be recorded before
// its hold ends.
func (r *relay) settle(c *call) {
	held, paid := c.held, c.actual
	if c.least > 0 {
		paid = min(paid, held) // the upstream keeps to the output cap
	}
	for _, i := range c.sides {
		paid = min(paid, r.share[i].Reach(held))
	}
	e := &event{id: len(r.w.events), relay: r, quota: paid, sides: c.sides, tainted: r.tainted}
	r.w.events = append(r.w.events, e)
	r.spool = append(r.spool, e)
	r.w.stats.served++
	for _, i := range c.sides {
		r.share[i].Hold(max(0, paid-held))
		r.w.spent[i] += paid
		r.unrecorded[i] += paid
		r.kept[i] += paid
	}
	end := r.mine(func() { r.end(c.sides, max(held, paid), paid) })
	if r.w.chance(50) {
		end()
		return
	}
	r.w.after(r.w.upTo(500*time.Millisecond), end)
}

func (r *relay) end(sides []int, held, paid money.Amount) {
	for _, i := range sides {
		r.kept[i] -= paid
		r.share[i].Settle(held, paid)
		r.share[i].holds--
		if r.w.now < r.share[i].scarce {
			r.giveBack(i)
		}
	}
	r.retry()
}

// talk sends one message about account i and applies the response, unless it arrives after the timeout.
func (r *relay) talk(i int, ask quota.LeaseRequest, answered func(quota.LeaseResponse, money.Amount)) {
	w, s, epoch := r.w, r.share[i], r.epoch
	s.awaited = ask.Stamp
	w.after(patience, r.mine(func() {
		if s.awaited == ask.Stamp {
			s.awaited, s.unsure = 0, true
		}
	}))
	if r.cut() {
		return
	}
	w.send(func() {
		answer, granted := w.account[i].GrantLease(&w.lease[r.n][i], ask), *w.account[i].Granted
		w.send(r.in(epoch, func() {
			if s.awaited != ask.Stamp {
				return
			}
			s.awaited, s.unsure = 0, answer.Stale
			s.Apply(answer)
			answered(answer, granted)
			r.retry()
			if s.owing {
				r.giveBack(i)
			}
		}))
	})
}

func (r *relay) stamp() quota.OperationID {
	return quota.OperationID(r.w.dice.Int64N(1<<62) + 1)
}

// ask requests need for account i, unless a message about it is in flight.
func (r *relay) ask(i int, need money.Amount) {
	s := r.share[i]
	if s.awaited != 0 || s.owing {
		return
	}
	want := money.Amount(0)
	if r.w.chance(50) {
		want = money.Amount(r.w.dice.Int64N(10_000))
	}
	ask := s.Request(r.stamp(), need, want)
	r.talk(i, ask, func(a quota.LeaseResponse, granted money.Amount) {
		if !a.Stale {
			s.last = a
		}
		if !a.Stale && a.Added == 0 {
			r.short(i, need, a, granted)
		}
	})
}

// short refuses the waiting calls that no settlement can make room for, and recalls amounts from other relays for the
// rest.
func (r *relay) short(i int, need money.Amount, a quota.LeaseResponse, granted money.Amount) {
	s := r.share[i]
	for _, c := range slices.Clone(r.waiting) {
		if slices.Contains(c.sides, i) && s.OutOfReach(c.need(), a) {
			r.w.exhausted(r, i, c, granted)
			r.leave(c, false)
		}
	}
	if a.Elsewhere == 0 || need == 0 {
		return
	}
	for _, other := range r.w.relays {
		r.w.send(func() {
			if other.up {
				other.share[i].scarce = r.w.now + patience
				other.giveBack(i)
			}
		})
	}
	r.w.after(100*time.Millisecond, r.mine(r.retry))
}

// exhausted checks that a refusal is justified: the grant, as far as the relay can know it, minus the spend is less
// than the call needs.
func (w *world) exhausted(r *relay, i int, c *call, granted money.Amount) {
	w.stats.exhausted++
	left := granted - w.spent[i]
	if c.need() <= left && !r.tainted {
		w.fault = fmt.Errorf("a call of %d was refused with %d left", c.need(), left)
	}
}

// giveBack returns everything that is free of account i, after the response if a message about it is in flight.
func (r *relay) giveBack(i int) {
	s := r.share[i]
	if s.owing = s.awaited != 0; s.owing {
		return
	}
	if s.Surrender(0) > 0 || s.unsure {
		r.talk(i, s.Return(r.stamp()), func(quota.LeaseResponse, money.Amount) {})
	}
}

// tend gives back leases that are idle, and those that the relay is unsure about.
func (r *relay) tend() {
	for i, s := range r.share {
		if s.unsure || s.Held == 0 && r.w.now-s.used > idleReturn {
			r.giveBack(i)
		}
	}
	r.retry()
}

// endStrays forgets accounts of which the relay has nothing. If the database still has a lease on one of them, the
// relay gives it back.
func (r *relay) endStrays() {
	for i, s := range r.share {
		if s.Free == 0 && s.Held == 0 && s.Pending == 0 && s.awaited == 0 && !r.cut() && r.w.now-s.used > idleReturn {
			s.LocalLease = quota.LocalLease{}
			if s.unsure = r.w.lease[r.n][i].Amount > 0; s.unsure {
				r.giveBack(i)
			}
		}
	}
}

// beat sends a heartbeat. Its response extends the time in which the relay may spend, and reports reclaimed leases.
func (r *relay) beat() {
	if r.cut() {
		return
	}
	w, sent, epoch := r.w, r.clock(), r.epoch
	w.send(func() {
		w.seen[r.n] = w.now
		reclaims := w.reclaims[r.n]
		w.send(r.in(epoch, func() {
			if reclaims != r.reclaims {
				for _, s := range r.share {
					s.MarkReclaimed()
				}
				r.reclaims = reclaims
			}
			r.valid = max(r.valid, sent+grace-grace/10)
		}))
	})
}

// ship sends a batch of events from the spool to the database.
func (r *relay) ship() {
	if len(r.spool) == 0 || r.shipping != 0 {
		return
	}
	w := r.w
	r.messages++
	message, batch := r.messages, slices.Clone(r.spool[:min(len(r.spool), 1+w.dice.IntN(20))])
	r.shipping = message
	w.after(patience, r.mine(func() {
		if r.shipping == message {
			r.shipping = 0
		}
	}))
	acknowledged := r.mine(func() {
		if r.shipping != message {
			return
		}
		r.shipping = 0
		r.spool = r.spool[len(batch):]
		for _, e := range batch {
			for _, i := range e.sides {
				r.share[i].MarkRecorded(e.quota)
			}
		}
	})
	w.send(func() {
		w.record(r, batch)
		w.send(acknowledged)
	})
}

// check compares the relay's copy of a lease with the database's.
func (r *relay) check(i int) error {
	if !r.up {
		return nil
	}
	s := r.share[i]
	if s.Free < 0 || s.Held < 0 {
		return fmt.Errorf("relay %d has %+v of account %d", r.n, s.LocalLease, i)
	}
	if r.tainted {
		return nil
	}
	claim := s.Free + s.Held - r.kept[i] + r.unrecorded[i]
	if lease := r.w.lease[r.n][i].Amount; claim > lease {
		return fmt.Errorf("relay %d may spend or has spent %d of account %d, leased are %d", r.n, claim, i, lease)
	}
	return nil
}
