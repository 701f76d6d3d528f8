// Package routing plans which channels a request tries, and in which order.
// It is pure: what is known of the channels' health and the dice come in.
package routing

import (
	"cmp"
	"slices"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
)

// Reason tells why a channel was kept or dropped.
type Reason string

// The reasons.
const (
	Kept         Reason = "kept"
	Cooling      Reason = "cooling"       // failed lately: kept, but after all healthy ones
	WrongDialect Reason = "wrong_dialect" // does not serve the endpoint
)

// Candidate is a channel with its verdict.
type Candidate struct {
	Channel *catalog.Channel
	Reason  Reason
}

// Query is what a plan is made for.
type Query struct {
	Channels []*catalog.Channel        // enabled and serving the model, by priority
	Dialect  catalog.Dialect           // what the endpoint needs
	Cooling  func(uuid.UUID) bool      // whether a channel failed lately
	Pick     func(total uint64) uint64 // dice: uniform in [0, total)
}

// Plan returns the channels to try, each once: healthy ones tier by tier and
// within a tier drawn by weight, then the cooling ones in the same way, since
// a doubtful channel is better than a certain refusal. Channels that cannot
// serve the request come last, with their reason, and are not to be tried.
func Plan(q Query) (plan []Candidate, usable int) {
	plan = make([]Candidate, 0, len(q.Channels))
	for _, channel := range q.Channels {
		plan = append(plan, Candidate{channel, q.reason(channel)})
	}
	slices.SortStableFunc(plan, func(a, b Candidate) int { return cmp.Compare(rank[a.Reason], rank[b.Reason]) })
	for usable < len(plan) && plan[usable].Reason != WrongDialect {
		usable++
	}
	for start := 0; start < usable; {
		end := start + 1
		for end < usable && plan[end].Reason == plan[start].Reason && plan[end].Channel.Priority == plan[start].Channel.Priority {
			end++
		}
		shuffle(plan[start:end], q.Pick)
		start = end
	}
	return plan, usable
}

var rank = map[Reason]int{Kept: 0, Cooling: 1, WrongDialect: 2}

func (q *Query) reason(channel *catalog.Channel) Reason {
	switch {
	case !channel.Speaks(q.Dialect):
		return WrongDialect
	case q.Cooling(channel.ID):
		return Cooling
	}
	return Kept
}

// shuffle orders a tier by drawing without replacement, weighted.
func shuffle(tier []Candidate, pick func(uint64) uint64) {
	for ; len(tier) > 1; tier = tier[1:] {
		var total uint64
		for i := range tier {
			total += uint64(tier[i].Channel.Weight)
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
	}
}
