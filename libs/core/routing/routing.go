// Package routing plans which channels a request tries, in which order, and
// why. It is pure: the caller passes the channels' conditions, the time and the
// random source.
package routing

import (
	"time"

	"github.com/tollgate/tollgate/libs/core/catalog"
)

// Reason says why a channel is tried or dropped.
type Reason uint8

// The reasons. Channels with a reason up to Cooling are tried.
const (
	Eligible   Reason = iota
	Translated        // does not speak the client's dialect: after the channels of its tier that do
	Trial             // half-open: one call at a time probes it
	Cooling           // open: after all others

	NoCredential // all its credentials are disabled
	NotReady     // cannot be called by this version, or its credentials cannot be unsealed
	Disabled     // shown to operators only, as is the next
	NotServing

	LacksStream
	LacksTools
	LacksVision
	LacksStructuredOutput
)

var texts = [...]string{ //nolint:gosec // words for reasons, no credentials
	Eligible: "kept", Translated: "translated", Trial: "trial", Cooling: "cooling",
	NoCredential: "no_credential", NotReady: "not_ready", Disabled: "disabled", NotServing: "model_not_served",
	LacksStream: "lacks_stream", LacksTools: "lacks_tools", LacksVision: "lacks_vision", LacksStructuredOutput: "lacks_structured_output",
}

// String is the word for logs and APIs.
func (r Reason) String() string {
	if int(r) >= len(texts) {
		return "unknown"
	}
	return texts[r]
}

// Usable reports whether a channel with the reason is to be tried.
func (r Reason) Usable() bool { return r <= Cooling }

// Candidate is a channel with its verdict.
type Candidate struct {
	Channel *catalog.Channel
	Reason  Reason
	Native  bool // speaks the client's dialect

	at   int32 // its Condition
	rank int64 // those of one rank are alike
}

// setRank ranks by class (to be tried, doubtful, dropped), priority and dialect.
func (c *Candidate) setRank() {
	var class, foreign int64
	switch {
	case !c.Reason.Usable():
		class = 2
	case c.Reason == Cooling:
		class = 1
	}
	if !c.Native {
		foreign = 1
	}
	c.rank = class<<40 + int64(int32(c.Channel.Priority))<<1 + foreign
}

// State is the state of a channel for one model: that of its circuit breaker, or
// why it cannot be called.
type State uint8

// The states. HalfOpen: one call may probe the channel.
const (
	Closed State = iota
	HalfOpen
	Open
	NoCredentialLeft // every credential is disabled
	Unusable         // this version of the relay cannot call it
)

// Condition is what is known of a channel, for one model. The zero value is
// a healthy, idle channel.
type Condition struct {
	State     State
	InFlight  int64         // calls in flight
	FirstByte time.Duration // recent average time to first byte, 0: unknown
}

// Query is what a plan is made for.
type Query struct {
	Channels   []*catalog.Channel // enabled and serving the model, by priority
	Conditions []Condition        // of the Channels; nil: all are healthy and idle
	Dialect    catalog.Dialect    // what the client speaks
	Needs      Needs
	Affinity   uint64                    // calls with the same one go to the same channel; 0: to any
	Pick       func(total uint64) uint64 // random source: uniform in [0, total)
}

// Plan returns the channels to try, each once: tier by tier, and within a tier
// first those that speak the client's dialect. Channels of equal rank are drawn
// by weight, unless one of two drawn has a much lower load, or ordered by the
// affinity. Open channels follow all tiers in the same order: a doubtful channel
// is better than a certain refusal. Channels that cannot serve the request come
// last, with their reason, and must not be tried.
func Plan(q Query) (plan []Candidate, usable int) {
	plan = make([]Candidate, len(q.Channels))
	for i, channel := range q.Channels {
		c := &plan[i]
		c.Channel, c.Native, c.at = channel, channel.Speaks(q.Dialect), int32(i)
		if c.Reason = q.reason(channel, q.condition(c.at).State); c.Reason == Eligible && !c.Native {
			c.Reason = Translated
		}
		c.setRank()
	}
	sort(plan)
	for usable < len(plan) && plan[usable].Reason.Usable() {
		usable++
	}
	for start := 0; start < usable; {
		end := start + 1
		for end < usable && plan[end].rank == plan[start].rank {
			end++
		}
		q.arrange(plan[start:end])
		start = end
	}
	return plan, usable
}

// sort sorts by rank. It is stable, and fast for a nearly sorted plan, which is
// the common case of healthy channels.
func sort(plan []Candidate) {
	for i := 1; i < len(plan); i++ {
		for at := i; at > 0 && plan[at].rank < plan[at-1].rank; at-- {
			plan[at], plan[at-1] = plan[at-1], plan[at]
		}
	}
}

func (q *Query) condition(at int32) Condition {
	if int(at) >= len(q.Conditions) {
		return Condition{}
	}
	return q.Conditions[at]
}

func (q *Query) reason(channel *catalog.Channel, state State) Reason {
	if lacking := q.Needs.lacking(channel.Settings.Lacks); lacking != Eligible {
		return lacking
	}
	switch state {
	case Unusable:
		return NotReady
	case NoCredentialLeft:
		return NoCredential
	case Open:
		return Cooling
	case HalfOpen:
		return Trial
	case Closed:
	}
	return Eligible
}

// arrange orders channels of equal rank.
func (q *Query) arrange(tier []Candidate) {
	switch {
	case len(tier) < 2:
	case q.Affinity != 0:
		rendezvous(tier, q.Affinity)
	default:
		q.choose(tier)
		shuffle(tier[2:], q.Pick)
	}
}

// choose puts two channels first, drawn by weight, and of them the one that was
// drawn first, unless the other has a much lower load.
func (q *Query) choose(tier []Candidate) {
	total := draw(tier, q.Pick)
	draw(tier[1:], q.Pick)
	first, second := q.condition(tier[0].at), q.condition(tier[1].at)
	if first.InFlight == 0 && (first.FirstByte == 0 || second.FirstByte == 0) {
		return // no reason to prefer the second
	}
	share := float64(total) / float64(len(tier))
	if first.load(tier[0].Channel.Weight, share).muchGreater(second.load(tier[1].Channel.Weight, share)) {
		tier[0], tier[1] = tier[1], tier[0]
	}
}

// shuffle orders a tier by drawing without replacement, weighted.
func shuffle(tier []Candidate, pick func(uint64) uint64) {
	for ; len(tier) > 1; tier = tier[1:] {
		draw(tier, pick)
	}
}

// draw puts a channel first, each with the chance of its weight, and returns
// the sum of the weights.
func draw(tier []Candidate, pick func(uint64) uint64) (total uint64) {
	for i := range tier {
		total += uint64(tier[i].Channel.Weight)
	}
	if len(tier) == 1 {
		return total
	}
	dart := pick(total)
	for i := range tier {
		weight := uint64(tier[i].Channel.Weight)
		if dart < weight {
			tier[0], tier[i] = tier[i], tier[0]
			break
		}
		dart -= weight
	}
	return total
}
