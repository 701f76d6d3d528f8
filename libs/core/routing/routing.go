// Package routing plans which channels a request tries, in which order, and why. It is pure: the caller passes the
// conditions of the channels, the time and the random source.
//
// Plan sorts the channels that serve the model by these criteria, the most important first:
//
//	usable and healthy < open circuit breaker < not usable
//	the channel that the query puts first, if it is healthy
//	priority number
//	the supplier's cost of the call, if the model asks for the cheapest; channels whose cost is not known come last
//	speaks the client's dialect < needs translation
//	weighted rendezvous hash of the affinity, or without an affinity a weighted draw that avoids loaded channels
//
// The package also has the circuit breaker (Breaker) and the latency average that feed the conditions.
package routing

import (
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
)

// Reason is the reason why a plan tries or drops a channel.
type Reason uint8

// The reasons. Channels with a reason up to Cooling are tried.
const (
	Eligible   Reason = iota
	Translated        // needs translation: tried after the channels of its tier that speak the client's dialect
	Cheapest          // its upstream charges the least of its tier, and the model asks for that
	Trial             // its circuit breaker is half-open: one call at a time probes it
	Cooling           // its circuit breaker is open: tried after all others

	NoCredential // all its credentials are disabled
	NotReady     // this version of the relay cannot call it, or its credentials cannot be unsealed
	Disabled     // disabled; only in plans that operators look at
	NotServing   // does not serve the model; only in plans that operators look at

	LacksStream
	LacksTools
	LacksVision
	LacksStructuredOutput
	LacksEndpoint   // it can neither speak the client's dialect nor be translated from it
	RefusesUnpriced // the call could cause a charge without a price, and the channel's policy is to refuse such calls
)

var reasonTexts = [...]string{ //nolint:gosec // words for reasons, no credentials
	Eligible: "kept", Translated: "translated", Cheapest: "cheapest", Trial: "trial", Cooling: "cooling",
	NoCredential: "no_credential", NotReady: "not_ready", Disabled: "disabled", NotServing: "model_not_served",
	LacksStream: "lacks_stream", LacksTools: "lacks_tools", LacksVision: "lacks_vision",
	LacksStructuredOutput: "lacks_structured_output", LacksEndpoint: "lacks_endpoint",
	RefusesUnpriced: "refuses_unpriced",
}

// String returns the word for the reason in logs and APIs.
func (r Reason) String() string {
	if int(r) >= len(reasonTexts) {
		return "unknown"
	}
	return reasonTexts[r]
}

// Usable reports whether a plan tries channels with the reason.
func (r Reason) Usable() bool { return r <= Cooling }

// Candidate is a channel in a plan, with the reason for its place.
type Candidate struct {
	Channel *catalog.Channel
	Reason  Reason
	Native  bool // speaks the client's dialect

	index int32 // into Query.Conditions
	rank  int64 // sort key; Plan orders candidates of equal rank and cost by affinity or weight
	cost  money.Amount
}

// translatedBit is the part of a rank that is set if the channel needs translation.
const translatedBit = 1

// before reports whether c comes before d. The cost is compared between the priority and the dialect.
func (c *Candidate) before(d *Candidate) bool {
	if a, b := c.rank&^translatedBit, d.rank&^translatedBit; a != b {
		return a < b
	}
	if c.cost != d.cost {
		return c.cost < d.cost
	}
	return c.rank < d.rank
}

// setRank sets the rank from the class (first, healthy, open breaker, unusable), the priority and the dialect.
func (c *Candidate) setRank(first uuid.UUID) {
	var class, translated int64
	switch {
	case !c.Reason.Usable():
		class = 2
	case c.Reason == Cooling:
		class = 1
	case first != uuid.Nil && c.Channel.ID == first:
		class = -1
	}
	if !c.Native {
		translated = translatedBit
	}
	c.rank = class<<40 + int64(int32(c.Channel.Priority))<<1 + translated
}

// State is the state of a channel for one model: the state of its circuit breaker, or the reason why it cannot be
// called.
type State uint8

// The states. A half-open channel admits one call at a time, as a probe.
const (
	Closed State = iota
	HalfOpen
	Open
	NoCredentialLeft // every credential is disabled
	Unusable         // this version of the relay cannot call it
)

// Condition holds the facts about a channel for one model, as the relay knows them. The zero value describes a healthy,
// idle channel.
type Condition struct {
	State     State
	InFlight  int64         // calls in flight
	FirstByte time.Duration // recent average time to first byte, 0: unknown
}

// Query holds everything that a plan depends on.
type Query struct {
	Channels   []*catalog.Channel // enabled channels that serve the model, by priority
	Conditions []Condition        // conditions of the Channels, by index; nil: all are healthy and idle
	Dialect    catalog.Dialect    // dialect of the client
	Needs      Needs
	// What the upstreams of the Channels charge for the call, by index, UnknownCost if it is not known; nil: costs do
	// not matter.
	Costs    []money.Amount
	First    uuid.UUID                 // the channel that comes before all others if it is healthy; uuid.Nil: none
	Affinity uint64                    // calls with equal affinity go to the same channel; 0: no affinity
	Pick     func(total uint64) uint64 // random source: uniform in [0, total)
}

// UnknownCost is the cost of a call on a channel without costs. It is greater than all others.
const UnknownCost = money.Max

// Plan returns all channels of the query in the order in which the request tries them, each once. Only the first
// usable ones may be tried; the others follow with the reason why they cannot serve the request.
//
// Tiers (channels of equal priority) follow each other, and within a tier channels that speak the client's dialect
// come first. Channels of equal rank are ordered by the affinity. Without an affinity they are drawn by weight; the
// first two drawn change places if the second has a much lower load. Channels with an open circuit breaker follow
// after all tiers, in the same order: a channel that may fail is better than a certain refusal.
func Plan(q Query) (plan []Candidate, usable int) {
	plan = make([]Candidate, len(q.Channels))
	for i, channel := range q.Channels {
		c := &plan[i]
		c.Channel, c.Native, c.index = channel, channel.Speaks(q.Dialect), int32(i)
		if c.Reason = q.reason(channel, q.condition(c.index).State); c.Reason == Eligible && !c.Native {
			c.Reason = Translated
		}
		c.setRank(q.First)
		if q.Costs != nil {
			c.cost = q.Costs[i]
		}
	}
	sort(plan)
	for usable < len(plan) && plan[usable].Reason.Usable() {
		usable++
	}
	for start := 0; start < usable; {
		end := start + 1
		for end < usable && plan[end].rank == plan[start].rank && plan[end].cost == plan[start].cost {
			end++
		}
		q.arrange(plan[start:end])
		start = end
	}
	if q.Costs != nil {
		markCheapest(plan[:usable])
	}
	return plan, usable
}

// markCheapest gives the reason Cheapest to the first channel of each tier if a channel of the tier costs more.
func markCheapest(plan []Candidate) {
	for start := 0; start < len(plan); {
		end, tier := start+1, plan[start].rank&^translatedBit
		for end < len(plan) && plan[end].rank&^translatedBit == tier {
			end++
		}
		if first := &plan[start]; first.cost < plan[end-1].cost &&
			(first.Reason == Eligible || first.Reason == Translated) {
			first.Reason = Cheapest
		}
		start = end
	}
}

// sort sorts by rank with insertion sort. It is stable, and fast for a nearly sorted plan: Query.Channels is sorted by
// priority, and most channels are healthy.
func sort(plan []Candidate) {
	for i := 1; i < len(plan); i++ {
		for j := i; j > 0 && plan[j].before(&plan[j-1]); j-- {
			plan[j], plan[j-1] = plan[j-1], plan[j]
		}
	}
}

// condition returns the condition of the channel at an index, or the zero Condition if there is none.
func (q *Query) condition(index int32) Condition {
	if int(index) >= len(q.Conditions) {
		return Condition{}
	}
	return q.Conditions[index]
}

// Serves reports whether requests in the dialect can go to the channel. Text is translated between all dialects;
// embeddings only for Gemini.
func Serves(channel *catalog.Channel, dialect catalog.Dialect) bool {
	return dialect != catalog.Embeddings || channel.Speaks(dialect) || channel.Speaks(catalog.Gemini)
}

// reason returns the reason for a channel. It does not tell whether the channel needs translation.
func (q *Query) reason(channel *catalog.Channel, state State) Reason {
	if !Serves(channel, q.Dialect) {
		return LacksEndpoint
	}
	if reason := q.Needs.dropReason(channel); reason != Eligible {
		return reason
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
		q.chooseFirst(tier)
		shuffle(tier[2:], q.Pick)
	}
}

// chooseFirst moves two channels, drawn by weight, to the front. The channel that was drawn first stays first unless
// the second has a much lower load ("power of two choices"): this avoids loaded channels, and relays that all choose
// the same idle channel.
func (q *Query) chooseFirst(tier []Candidate) {
	total := draw(tier, q.Pick)
	draw(tier[1:], q.Pick)
	first, second := q.condition(tier[0].index), q.condition(tier[1].index)
	if first.InFlight == 0 && (first.FirstByte == 0 || second.FirstByte == 0) {
		return // no reason to prefer the second
	}
	meanWeight := float64(total) / float64(len(tier))
	if first.load(tier[0].Channel.Weight, meanWeight).muchGreater(second.load(tier[1].Channel.Weight, meanWeight)) {
		tier[0], tier[1] = tier[1], tier[0]
	}
}

// shuffle orders a tier by weighted draws without replacement.
func shuffle(tier []Candidate, pick func(uint64) uint64) {
	for ; len(tier) > 1; tier = tier[1:] {
		draw(tier, pick)
	}
}

// draw moves one channel to the front, each with a probability proportional to its weight, and returns the sum of the
// weights.
func draw(tier []Candidate, pick func(uint64) uint64) (total uint64) {
	for i := range tier {
		total += uint64(tier[i].Channel.Weight)
	}
	if len(tier) == 1 {
		return total
	}
	rest := pick(total)
	for i := range tier {
		weight := uint64(tier[i].Channel.Weight)
		if rest < weight {
			tier[0], tier[i] = tier[i], tier[0]
			break
		}
		rest -= weight
	}
	return total
}
