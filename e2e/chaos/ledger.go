package chaos

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// seen is an order that its client saw succeed.
type seen struct {
	order
	id string
}

// Phase is what the clients saw from one fault's beginning to its end.
type Phase struct {
	Name      string
	Requests  int
	Successes int
	Left      int            // clients that went away on purpose
	Refusals  map[string]int // for quota, by code
	Failures  map[string]int // by class
	Excess    map[string]int // of the failures, those that the fault does not explain
	Stall     time.Duration  // longest time without any success
	Slowest   time.Duration  // success, but for long streams
	Recorded  time.Duration  // from the recovery until all successes were in the database
	Err       error          // of the fault itself, or of the recovery from it

	fault       *fault
	struck      map[int]bool // relays
	lastSuccess time.Time
	ids         []string // of its successes
	ofRelay     map[int]map[string]int
}

// ledger is what the clients of a run sent and saw. It is safe for concurrent
// use.
type ledger struct {
	mu        sync.Mutex
	phases    []*Phase
	sent      map[counts]order
	successes []seen
	number    int64
	// generation counts the barriers; open are the requests in flight by the
	// generation in which they began.
	generation int
	open       map[int]int
}

func newLedger() *ledger { return &ledger{sent: map[counts]order{}, open: map[int]int{}} }

// begin opens a phase: requests that end from now on belong to it.
func (l *ledger) begin(f *fault) *Phase {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &Phase{
		Name: f.name, fault: f, Refusals: map[string]int{}, Failures: map[string]int{}, Excess: map[string]int{},
		struck: map[int]bool{}, ofRelay: map[int]map[string]int{}, lastSuccess: time.Now(),
	}
	l.phases = append(l.phases, p)
	return p
}

// strike notes that the fault hits a relay.
func (l *ledger) strike(p *Phase, relay int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.struck[relay] = true
}

// send gives the order its counts and notes that it is under way.
func (l *ledger) send(o *order) (generation int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o.counts = countsOf(l.number)
	l.number++
	l.sent[o.counts] = *o
	l.open[l.generation]++
	return l.generation
}

// close notes what became of an order.
func (l *ledger) close(o *order, r reply, generation int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[generation]--
	p := l.phases[len(l.phases)-1]
	p.Requests++
	switch r.kind {
	case success:
		l.successes = append(l.successes, seen{*o, r.id})
		p.succeed(o, r)
	case left:
		p.Left++
	case refusal:
		p.Refusals[r.class]++
		if !o.customer.limited() {
			p.Excess[r.class]++
		}
	case failure:
		p.Failures[r.class]++
		if !p.fault.explains(o, r.class, p.struck[o.relay]) {
			p.Excess[r.class]++
		}
	}
	p.note(o, r)
}

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

// served is the class under which ofRelay counts the successes of customers
// who have enough quota.
const served = "served"

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

// at counts what a relay did in the phase.
func (l *ledger) at(p *Phase, relay int, class string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return p.ofRelay[relay][class]
}

// barrier begins a generation and returns how many requests of those before
// it are in flight, to be asked again until there is none.
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

// sum adds up how often each class occurs.
func sum(classes map[string]int) (n int) {
	for count := range maps.Values(classes) {
		n += count
	}
	return n
}
