package chaos

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// seen is an order that its client saw succeed, with its request id.
type seen struct {
	order
	id string
}

// Phase holds what the clients saw from the beginning of one fault to the end of the recovery from it.
type Phase struct {
	Name      string
	Requests  int
	Successes int
	Left      int            // clients that closed the connection on purpose
	Refusals  map[string]int // quota errors, by code
	Failures  map[string]int // other failures, by class
	Excess    map[string]int // failures and refusals that the fault does not explain, by class
	Stall     time.Duration  // longest time without any success
	Slowest   time.Duration  // slowest success, long streams excluded
	Recorded  time.Duration  // time from the recovery until all successes were in the database
	Err       error          // of the fault itself, or of the recovery from it
	Attack    *Attack        // nil unless hostile clients caused the fault

	began       time.Time
	timings     []timing // successes and failures of customers with enough quota, long streams excluded
	fault       *fault
	hitRelays   map[int]bool // indexes of the relays that the fault hit
	lastSuccess time.Time
	ids         []string               // request ids of its successes
	ofRelay     map[int]map[string]int // number of requests by relay and class
}

// ledger records what the clients of a run sent and saw. It is safe for concurrent use.
type ledger struct {
	mu        sync.Mutex
	phases    []*Phase
	sent      map[counts]order // all orders by their counts, which are unique
	successes []seen
	number    int64 // number of the next order; see countsOf
	// generation is the number of barriers so far. open is the number of requests in flight, by the generation
	// in which they began.
	generation int
	open       map[int]int
}

func newLedger() *ledger { return &ledger{sent: map[counts]order{}, open: map[int]int{}} }

// begin starts a phase. A request belongs to the phase in which it ends.
func (l *ledger) begin(f *fault) *Phase {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &Phase{
		Name: f.name, fault: f, Refusals: map[string]int{}, Failures: map[string]int{}, Excess: map[string]int{},
		hitRelays: map[int]bool{}, ofRelay: map[int]map[string]int{}, lastSuccess: time.Now(), began: time.Now(),
	}
	l.phases = append(l.phases, p)
	return p
}

// hit records that the fault hits a relay.
func (l *ledger) hit(p *Phase, relay int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.hitRelays[relay] = true
}

// send gives the order its counts and records that it is in flight.
func (l *ledger) send(o *order) (generation int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o.counts = countsOf(l.number)
	l.number++
	l.sent[o.counts] = *o
	l.open[l.generation]++
	return l.generation
}

// close records the result of an order.
func (l *ledger) close(o *order, r reply, generation int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[generation]--
	// The last phase is the current one.
	p := l.phases[len(l.phases)-1]
	p.Requests++
	if !o.customer.limited() && o.model != longStream {
		p.timings = append(p.timings, timing{o.relay, time.Now().Add(-r.took), r.took})
	}
	switch r.kind {
	case success:
		l.successes = append(l.successes, seen{*o, r.id})
		p.succeed(o, r)
	case disconnected:
		p.Left++
	case refusal:
		p.Refusals[r.class]++
		if !o.customer.limited() {
			p.Excess[r.class]++
		}
	case failure:
		p.Failures[r.class]++
		if !p.fault.explains(o, r.class, p.hitRelays[o.relay]) {
			p.Excess[r.class]++
		}
	}
	p.note(o, r)
}

// succeed updates the figures of the phase for one success.
func (p *Phase) succeed(o *order, r reply) {
	p.Successes++
	p.ids = append(p.ids, r.id)
	now := time.Now()
	p.Stall = max(p.Stall, now.Sub(p.lastSuccess))
	p.lastSuccess = now
	if o.model != longStream {
		p.Slowest = max(p.Slowest, r.took)
	}
}

// served is the class in ofRelay of successes of customers with enough quota.
const served = "served"

// note counts a request by relay and class.
func (p *Phase) note(o *order, r reply) {
	class := r.class
	if r.kind == success && !o.customer.limited() {
		class = served
	}
	if p.ofRelay[o.relay] == nil {
		p.ofRelay[o.relay] = map[string]int{}
	}
	p.ofRelay[o.relay][class]++
}

// at returns the number of requests of a class at a relay in the phase.
func (l *ledger) at(p *Phase, relay int, class string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return p.ofRelay[relay][class]
}

// barrier starts a generation. The returned function reports how many requests of earlier generations are still
// in flight; the caller polls it until it returns 0.
func (l *ledger) barrier() (older func() int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.generation++
	before := l.generation
	return func() (n int) {
		l.mu.Lock()
		defer l.mu.Unlock()
		for generation, open := range l.open {
			if generation < before {
				n += open
			}
		}
		return n
	}
}

// idsOf returns the ids of the phase's successes so far.
func (l *ledger) idsOf(p *Phase) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(p.ids)
}

// sum returns the sum of all counts.
func sum(classes map[string]int) (n int) {
	for count := range maps.Values(classes) {
		n += count
	}
	return n
}
