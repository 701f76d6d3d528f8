package pricing

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// ChannelCost is one version of what the upstream of a channel charges for one of its models. It never changes, apart
// from being withdrawn before it takes effect. Only operators may see it.
type ChannelCost struct {
	ID            uuid.UUID
	ChannelID     uuid.UUID
	UpstreamModel string       // the model id that is sent to the upstream
	EffectiveFrom time.Time    // inclusive
	Rates         Rates        // list prices of the provider
	Factor        money.Factor // the cost is the factor times the formula at the rates: 0.9 for a discount of 10 %
	CreatedAt     time.Time
	WithdrawnAt   time.Time // zero: not withdrawn
}

// Cost returns what the upstream charges for u, rounded half up to a nano-dollar. A failed answer is charged for its
// tokens and not for the request. formula is the version of the formula of the usage log. It returns an error only if
// the sum exceeds money.Max.
func (c *ChannelCost) Cost(u usage.Usage, outcome usage.Outcome, formula int64) (money.Amount, error) {
	terms := c.terms(outcome, formula)
	return terms.Cost(u)
}

// Receipt shows the computation of Cost line by line.
func (c *ChannelCost) Receipt(u usage.Usage, outcome usage.Outcome, formula int64) (Receipt, error) {
	terms := c.terms(outcome, formula)
	return terms.Receipt(u)
}

// terms returns the rates and the factor in the form of a price and its rule, see Terms.For.
func (c *ChannelCost) terms(outcome usage.Outcome, formula int64) Terms {
	terms := Terms{Price: &Price{ID: c.ID, Rates: c.Rates}, Rule: Rule{Multiplier: c.Factor}}
	return terms.For(outcome, formula)
}

// Check returns a problem that names the first field that is malformed. Rates that cost nothing are allowed, but at
// least one rate must be given, because an operator who forgets the rates would see a margin that does not exist.
func (c *ChannelCost) Check() error {
	if c.Factor < 0 {
		return problem.New(problem.InvalidType, "factor must not be negative").At("factor")
	}
	if err := c.Rates.Check(true); err != nil {
		p := problem.From(err)
		return p.At("rates" + strings.TrimPrefix(p.Param, "price"))
	}
	if c.Rates.Equal(Rates{}) {
		return problem.New(problem.MissingParameter, "channel costs need at least one rate; a rate of 0 costs nothing").
			At("rates")
	}
	return nil
}

// CostBook holds the versions of all channel costs and finds the ones that are in effect at a given time. It is
// immutable and safe for concurrent use. A nil CostBook has no versions.
type CostBook struct {
	versions map[costKey][]ChannelCost // the newest first
}

type costKey struct {
	channel uuid.UUID
	model   string // of the upstream
}

// NewCostBook returns a book of the given versions, which may be in any order. It leaves out withdrawn versions. If two
// versions start at the same time, the one with the greater ID (created later) wins.
func NewCostBook(costs []ChannelCost) *CostBook {
	b := &CostBook{versions: map[costKey][]ChannelCost{}}
	for _, c := range costs {
		key := costKey{c.ChannelID, c.UpstreamModel}
		if c.WithdrawnAt.IsZero() {
			b.versions[key] = append(b.versions[key], c)
		}
	}
	for _, versions := range b.versions {
		slices.SortFunc(versions, func(c, d ChannelCost) int {
			return newest(c.EffectiveFrom, d.EffectiveFrom, c.ID, d.ID)
		})
	}
	return b
}

// Find returns the version that is in effect at now for a model of a channel's upstream, or nil if there is none. The
// caller must not change it.
func (b *CostBook) Find(channel uuid.UUID, upstreamModel string, now time.Time) *ChannelCost {
	if b == nil {
		return nil
	}
	versions := b.versions[costKey{channel, upstreamModel}]
	for i := range versions {
		if !versions[i].EffectiveFrom.After(now) {
			return &versions[i]
		}
	}
	return nil
}

// State returns the state of a version at now. The book must hold all versions of the channel and model.
func (b *CostBook) State(c *ChannelCost, now time.Time) VersionState {
	current := b.Find(c.ChannelID, c.UpstreamModel, now)
	return state(c.WithdrawnAt, c.EffectiveFrom, now, current != nil && current.ID == c.ID)
}

// Estimated is the estimate of a call that has not been sent, for the choice of the cheapest channel.
type Estimated struct {
	Input, Output int64 // tokens
	At            time.Time
}

// Estimate returns what the upstream charges for an estimated call, and false if its costs are not known.
func (b *CostBook) Estimate(channel uuid.UUID, upstreamModel string, e Estimated) (money.Amount, bool) {
	channelCost := b.Find(channel, upstreamModel, e.At)
	if channelCost == nil {
		return 0, false
	}
	cost, err := channelCost.Cost(usage.Usage{Input: e.Input, Output: e.Output}, usage.Success, Formula)
	return cost, err == nil
}
