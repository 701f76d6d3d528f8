// Package routing plans which channels a request tries, in which order, and
// tells why. It is pure: what is known of the channels, the time and the dice
// come in.
package routing

import (
	"time"

	"github.com/tollgate/tollgate/libs/core/catalog"
)

// Reason tells why a channel was kept or dropped.
type Reason uint8

// The reasons. Channels are tried where theirs is Cooling or stands before it.
const (
	Kept       Reason = iota
	Translated        // does not speak the client's dialect: after those of its tier that do
	Trial             // failed lately and has rested: one call at a time tries it
	Cooling           // failed lately: after all others

	NoCredential // all its credentials are disabled
	NotReady     // cannot be called by this version, or its credentials cannot be unsealed
	Disabled     // only told to operators, as is the next
	NotServing

	LacksStream
	LacksTools
	LacksVision
	LacksStructuredOutput
)

var texts = [...]string{ //nolint:gosec // words for reasons, no credentials
	Kept: "kept", Translated: "translated", Trial: "trial", Cooling: "cooling",
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

// State is what a channel's failures amount to.
type State uint8

// The states. Ready: it failed, has rested, and one call may try it.
const (
	Well State = iota
	Ready
	Resting
	Refused  // no credential is left
	Unusable // it cannot be called at all
)

// Condition is what is known of a channel, for one model. The zero value is
// a channel that is well and idle.
type Condition struct {
	State     State
	InFlight  int64         // calls under way
	FirstByte time.Duration // how long answers take to begin lately, 0 where not known
}

// Query is what a plan is made for.
type Query struct {
	Channels   []*catalog.Channel // enabled and serving the model, by priority
	Conditions []Condition        // of the Channels; nil: all are well and idle
	Dialect    catalog.Dialect    // what the client speaks
	Needs      Needs
	Affinity   uint64                    // calls with the same one go to the same channel; 0: to any
	Pick       func(total uint64) uint64 // dice: uniform in [0, total)
}

// Plan returns the channels to try, each once: tier by tier, and within a tier
// first those that speak the client's dialect. Channels that are alike are
// drawn by weight, unless one of two drawn is clearly less burdened, or ordered
// by the affinity. Channels that rest come after all tiers in the same way,
// since a doubtful channel is better than a certain refusal. Those that cannot
// serve the request come last, with their reason, and are not to be tried.
func Plan(q Query) (plan []Candidate, usable int) {
	plan = make([]Candidate, len(q.Channels))
	for i, channel := range q.Channels {
		c := &plan[i]
		c.Channel, c.Native, c.at = channel, channel.Speaks(q.Dialect), int32(i)
		if c.Reason = q.reason(channel, q.condition(c.at).State); c.Reason == Kept && !c.Native {
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

// sort by rank is stable, and quick with what is nearly sorted, as channels
// that are well are.
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
	if lacking := q.Needs.lacking(channel.Settings.Lacks); lacking != Kept {
		return lacking
	}
	switch state {
	case Unusable:
		return NotReady
	case Refused:
		return NoCredential
	case Resting:
		return Cooling
	case Ready:
		return Trial
	case Well:
	}
	return Kept
}

// arrange orders channels that are alike.
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
// drawn first, unless the other is clearly less burdened.
func (q *Query) choose(tier []Candidate) {
	total := draw(tier, q.Pick)
	draw(tier[1:], q.Pick)
	first, second := q.condition(tier[0].at), q.condition(tier[1].at)
	if first.InFlight == 0 && (first.FirstByte == 0 || second.FirstByte == 0) {
		return // nothing can be said against it
	}
	share := float64(total) / float64(len(tier))
	if first.burden(tier[0].Channel.Weight, share).clearly(second.burden(tier[1].Channel.Weight, share)) {
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
