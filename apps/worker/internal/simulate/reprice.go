package simulate

import (
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// change is what is proposed, and all versions that there are.
type change struct {
	price  *job.ProposedPrice
	rule   *pricing.Rule
	prices map[uuid.UUID]pricing.Price
	rules  map[uuid.UUID]pricing.Rule
	book   *pricing.Book
}

func changeOf(p *job.SimulationParameters) *change {
	c := &change{price: p.Price}
	if p.Rule != nil {
		rule := p.Rule.Rule()
		c.rule = &rule
	}
	return c
}

// learn takes the versions in.
func (c *change) learn(prices []pricing.Price, rules []pricing.Rule) {
	c.prices, c.rules = map[uuid.UUID]pricing.Price{}, map[uuid.UUID]pricing.Rule{}
	for _, p := range prices {
		c.prices[p.ID] = p
	}
	for _, r := range rules {
		c.rules[r.ID] = r
	}
	c.book = pricing.NewBook(prices, rules)
}

// knows reports whether the versions by which the call was priced are known.
func (c *change) knows(l *usage.Log) bool {
	_, price := c.prices[l.PriceID]
	_, rule := c.rules[l.RuleID]
	return (price || l.PriceID == uuid.Nil) && (rule || l.RuleID == uuid.Nil)
}

// terms are those of a call under the change; affects is false where they are
// those that it had. A call that cost nothing by its nature, for it failed or
// its model was free, goes on to cost nothing, unless it is the model's price
// that is proposed.
func (c *change) terms(l *usage.Log) (terms pricing.Terms, affects bool) {
	priced := c.price != nil && c.price.Model == l.Model
	if l.Outcome == usage.Failed || l.PriceID == uuid.Nil && !priced {
		return terms, false
	}
	terms = pricing.Terms{Price: c.prices[l.PriceID], Rule: c.ruleOf(l)}
	if priced {
		terms.Price = pricing.Price{Model: l.Model, Rates: c.price.Price}
	}
	ruled := c.rule != nil && c.outranks(l, &terms.Rule)
	if ruled {
		terms.Rule = *c.rule
	}
	return terms, priced || ruled
}

// ruleOf is the rule that the call had; a free call had none, but has the
// group's when its model gets a price.
func (c *change) ruleOf(l *usage.Log) pricing.Rule {
	switch {
	case l.PriceID == uuid.Nil:
		return c.book.Rule(l.Model, l.GroupID, l.CreatedAt)
	case l.RuleID == uuid.Nil:
		return pricing.Rule{GroupID: l.GroupID, Multiplier: money.One}
	}
	return c.rules[l.RuleID]
}

// outranks tells whether the proposed rule would have taken the place of the
// call's own: as everywhere, a rule for one model outranks that for all.
func (c *change) outranks(l *usage.Log, own *pricing.Rule) bool {
	return c.rule.GroupID == l.GroupID && (c.rule.Model == l.Model || c.rule.Model == "" && own.Model == "")
}

// add counts a call in the sums.
func (c *change) add(s *sums, l *usage.Log) error {
	terms, affects := c.terms(l)
	if !affects {
		return s.add(l, l.Cost)
	}
	after, err := terms.Cost(l.Usage)
	if err != nil || !c.knows(l) {
		s.Unpriced++
		return nil //nolint:nilerr // it is counted among those that could not be priced
	}
	s.Affected++
	return s.add(l, after)
}
