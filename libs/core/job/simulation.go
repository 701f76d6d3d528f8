package job

import (
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
)

const (
	// MaxSimulated is the longest time range of a simulation.
	MaxSimulated = 92 * 24 * time.Hour
	// MaxShares is the largest number of tenants, of groups and of models that a result lists. The others are
	// added up in Breakdown.Rest.
	MaxShares = 100
)

// SimulationParameters are a proposed change of prices, and the time range of the calls to which the simulation
// applies it: those accepted at or after From and before To. At least one of Price and Rule is set.
type SimulationParameters struct {
	Price *ProposedPrice `json:"price,omitempty"`
	Rule  *ProposedRule  `json:"rule,omitempty"`
	From  time.Time      `json:"from"`
	To    time.Time      `json:"to"`
}

// ProposedPrice is a price that a model would have.
type ProposedPrice struct {
	Model string        `json:"model" minLength:"1" maxLength:"200"`
	Price pricing.Rates `json:"price" doc:"USD per 1M tokens, and per request"`
}

// ProposedRule is a price rule that a group would have.
type ProposedRule struct {
	GroupID    uuid.UUID     `json:"group_id"`
	Model      string        `json:"model,omitempty" maxLength:"200" doc:"If absent, the rule applies to all models without a rule of their own"`
	Multiplier *money.Factor `json:"multiplier,omitempty" doc:"Factor for the price of each request; 1 if absent"`
	Fixed      *money.Amount `json:"fixed,omitempty" doc:"Price per request that replaces the whole formula"`
}

// Rule returns the proposal as a pricing rule without an id. An absent multiplier becomes 1.
func (r *ProposedRule) Rule() pricing.Rule {
	rule := pricing.Rule{GroupID: r.GroupID, Model: r.Model, Multiplier: money.One, Fixed: r.Fixed}
	if r.Multiplier != nil {
		rule.Multiplier = *r.Multiplier
	}
	return rule
}

// Check returns a problem that names the first field at fault, or nil if there is none. It does not check that
// the model and the group exist.
func (p *SimulationParameters) Check() error {
	switch {
	case p.Price == nil && p.Rule == nil:
		return problem.New(problem.MissingParameter, "Propose a price, a rule, or both.").At("price")
	case !p.From.Before(p.To):
		return problem.New(problem.InvalidType, "The range is empty: from must be before to.").At("from")
	case p.To.Sub(p.From) > MaxSimulated:
		return problem.New(problem.InvalidType, "The range of a simulation must not exceed %d days.",
			MaxSimulated/(24*time.Hour)).At("from")
	case p.Rule != nil && p.Rule.Multiplier != nil && *p.Rule.Multiplier < 0:
		return problem.New(problem.InvalidType, "A multiplier must not be negative.").At("rule.multiplier")
	case p.Rule != nil && p.Rule.Fixed != nil && *p.Rule.Fixed < 0:
		return problem.New(problem.InvalidType, "A price must not be negative.").At("rule.fixed")
	}
	return nil
}

// SimulationResult compares the actual cost of the calls with their cost under the proposal.
type SimulationResult struct {
	Totals
	Affected int64     `json:"affected" doc:"Number of calls whose price the change would have affected"`
	Unpriced int64     `json:"unpriced" doc:"Number of calls that could not be priced under the change; no sum includes them"`
	Tenants  Breakdown `json:"tenants"`
	Groups   Breakdown `json:"groups"`
	Models   Breakdown `json:"models"`
}

// Totals are the sums over a set of calls.
type Totals struct {
	Calls      int64        `json:"calls"`
	Before     money.Amount `json:"before" doc:"What the calls cost"`
	After      money.Amount `json:"after" doc:"What the calls would have cost under the change"`
	Difference money.Amount `json:"difference" doc:"after minus before"`
}

// Breakdown splits the totals by tenant, group or model. Items are the shares with the greatest differences.
type Breakdown struct {
	Items []Share `json:"items" doc:"The up to 100 shares with the greatest differences, the greatest first"`
	Rest  Totals  `json:"rest" doc:"The sum of all other shares"`
}

// Share holds the totals of one tenant, group or model.
type Share struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Totals
}
