package simulate

import (
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// change is the proposed price or rule, with all existing versions.
type change struct {
	price  *job.ProposedPrice // nil: none is proposed
	rule   *pricing.Rule      // nil: none is proposed
	prices map[uuid.UUID]*pricing.Price
	rules  map[uuid.UUID]pricing.Rule
	book   *pricing.Book
}

// changeOf returns the change of a job, without versions.
func changeOf(p *job.SimulationParameters) *change {
	c := &change{price: p.Price}
	if p.Rule != nil {
		rule := p.Rule.Rule()
		c.rule = &rule
	}
	return c
}

// setVersions replaces the existing versions.
func (c *change) setVersions(prices []pricing.Price, rules []pricing.Rule) {
	c.prices, c.rules = map[uuid.UUID]*pricing.Price{}, map[uuid.UUID]pricing.Rule{}
	for i := range prices {
		c.prices[prices[i].ID] = &prices[i]
	}
	for _, r := range rules {
		c.rules[r.ID] = r
	}
	c.book = pricing.NewBook(prices, rules)
}

// knows reports whether the versions that priced the call are among the existing versions. A call without a
// version is always known.
func (c *change) knows(l *usage.Log) bool {
	_, price := c.prices[l.PriceID]
	_, rule := c.rules[l.RuleID]
	return (price || l.PriceID == uuid.Nil) && (rule || l.RuleID == uuid.Nil)
}

// terms returns the price and rule of a call under the change. affects is false if the change does not
// concern the call; then terms is not set or is what the call had. A call without a price costs nothing under the
// change too, except if it succeeded and the change is a price for its model. A failed call with a price is charged
// for the tokens that its upstream reported.
func (c *change) terms(l *usage.Log) (terms pricing.Terms, affects bool) {
	hasPrice := c.price != nil && c.price.Model == l.Model
	if l.PriceID == uuid.Nil && (l.Outcome == usage.Failed || !hasPrice) {
		return terms, false
	}
	formula := int64(pricing.Formula)
	terms = pricing.Free(l.GroupID)
	terms.Rule = c.ruleOf(l)
	if hasPrice {
		terms.Price = &pricing.Price{Model: l.Model, Rates: c.price.Price}
	} else if price, ok := c.prices[l.PriceID]; ok {
		terms.Price, formula = price, l.Formula
	}
	hasRule := c.rule != nil && c.outranks(l, &terms.Rule)
	if hasRule {
		terms.Rule = *c.rule
	}
	return terms.For(l.Outcome, formula), hasPrice || hasRule
}

// ruleOf returns the rule that priced the call. A call of a model without a price has none; for it, ruleOf
// returns the rule that the group had at the time of the call.
func (c *change) ruleOf(l *usage.Log) pricing.Rule {
	switch {
	case l.PriceID == uuid.Nil:
		return c.book.Rule(l.Model, l.GroupID, l.CreatedAt)
	case l.RuleID == uuid.Nil:
		return pricing.Rule{GroupID: l.GroupID, Multiplier: money.One}
	}
	return c.rules[l.RuleID]
}

// outranks reports whether the proposed rule would have replaced the call's own rule. As everywhere, a rule
// for one model takes precedence over a rule for all models.
func (c *change) outranks(l *usage.Log, rule *pricing.Rule) bool {
	return c.rule.GroupID == l.GroupID && (c.rule.Model == l.Model || c.rule.Model == "" && rule.Model == "")
}

// add prices a call under the change and adds it to the sums. A call that cannot be priced, because its
// versions are missing or the cost is not an amount, is counted as unpriced and in no other sum.
func (c *change) add(s *sums, l *usage.Log) error {
	terms, affects := c.terms(l)
	if !affects {
		return s.add(l, l.Cost)
	}
	after, err := terms.Cost(l.Usage)
	if err != nil || !c.knows(l) {
		s.Unpriced++
		return nil //nolint:nilerr // the call is counted as unpriced
	}
	s.Affected++
	return s.add(l, after)
}
