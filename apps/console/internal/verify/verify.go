// Package verify recomputes the charge of every request from the data that is stored
// with it: the token counts, and the ids of the price and price rule versions.
// Prices and rules are never changed, so the result must equal the stored cost. In the same way it recomputes what the
// suppliers charge, from the versions of the channels' costs.
//
// Walk reads the usage logs page by page, newest first, and reports each Difference. It does not change
// anything, and it does not compare usage logs with rollups or accounts: the worker's reconciliation does that.
package verify

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/metering"
	storepage "github.com/tollgate/tollgate/libs/store/page"
)

const (
	billPage = 5000 // usage logs that are read at once
)

// Source is the part of the store that Walk reads.
type Source struct {
	Billing
	Versions
}

// Billing lists the usage logs, newest first, with the parts that determine their charges.
type Billing interface {
	Bills(ctx context.Context, scope tenant.Scope, q metering.BillQuery) ([]usage.Log, error)
}

// Versions lists all versions of prices, price rules and channel costs, including past and withdrawn ones.
type Versions interface {
	Prices(ctx context.Context, scope tenant.Scope, model string,
		page storepage.Page) (storepage.List[pricing.Price], error)
	Rules(ctx context.Context, scope tenant.Scope, query catalogdb.RuleQuery,
		page storepage.Page) (storepage.List[pricing.Rule], error)
	ChannelCosts(ctx context.Context, scope tenant.Scope, channel uuid.UUID,
		page storepage.Page) (storepage.List[pricing.ChannelCost], error)
}

// Range selects usage logs. A zero field does not restrict the selection.
type Range struct {
	TenantID uuid.UUID
	From, To time.Time // From inclusive, To exclusive: when the request was accepted
}

// Difference describes a usage log whose stored charge is wrong. In
// Go, amounts are nano-dollars; in JSON, decimal strings of USD.
type Difference struct {
	Log        uuid.UUID     `json:"id"`
	TenantID   uuid.UUID     `json:"tenant_id"`
	CreatedAt  time.Time     `json:"created_at"`
	Cost       money.Amount  `json:"stored_cost"`
	Quota      money.Amount  `json:"stored_quota"`
	Recomputed *money.Amount `json:"recomputed_cost"` // nil if it cannot be computed from the stored data
	Reason     string        `json:"why"`
}

// Summary is the result of Walk.
type Summary struct {
	Bills       int          `json:"bills"`       // usage logs that were recomputed
	Differences int          `json:"differences"` // usage logs with a wrong charge
	Quota       money.Amount `json:"quota"`       // sum of the deducted quota
	// Shortfalls counts the usage logs for which less was deducted than the request cost. That is
	// correct only if the quota ran out during the request. The usage log does not show whether
	// it did; the reconciliation with the rollups finds deductions that were changed later.
	Shortfalls int          `json:"shortfalls"`
	Shortfall  money.Amount `json:"shortfall"` // sum of cost minus quota over all shortfalls

	Supplied     int          `json:"supplied"`      // usage logs with a known cost of the supplier
	SupplierCost money.Amount `json:"supplier_cost"` // sum of these costs
}

// Walk recomputes the usage logs of the range, newest first, and calls report for each difference as it
// finds it. It holds one page of usage logs, and all versions of prices, rules and channel costs, in memory. If it
// returns an error, which is always an error of the source, the Summary covers only the usage logs before the error.
func Walk(ctx context.Context, source Source, within Range, report func(Difference)) (Summary, error) {
	w := walker{source: source, scope: tenant.SystemScope("verify"), report: report}
	query := metering.BillQuery{TenantID: within.TenantID, From: within.From, To: within.To, Limit: billPage}
	for {
		bills, err := source.Bills(ctx, w.scope, query)
		if err != nil {
			return w.sum, err
		}
		if err := w.page(ctx, bills); err != nil {
			return w.sum, err
		}
		if len(bills) < billPage {
			return w.sum, nil
		}
		query.Before = bills[len(bills)-1].ID
	}
}

// walker holds the state of one Walk: the versions of prices and rules that are loaded so far, and the summary.
type walker struct {
	source Source
	scope  tenant.Scope
	report func(Difference)
	sum    Summary
	prices map[uuid.UUID]*pricing.Price
	rules  map[uuid.UUID]pricing.Rule
	costs  map[uuid.UUID]pricing.ChannelCost
}

// page checks one page of usage logs. If a version is unknown, it may have been created since
// the versions were loaded, so page loads all of them again, at most once for each page.
func (w *walker) page(ctx context.Context, bills []usage.Log) error {
	for i := range bills {
		if !w.knowsPrice(bills[i].PriceID) || !w.knowsRule(bills[i].RuleID) || !w.knowsCosts(&bills[i]) {
			if err := w.load(ctx); err != nil {
				return err
			}
			break
		}
	}
	for i := range bills {
		w.add(&bills[i])
	}
	return nil
}

// add checks one usage log and adds it to the summary.
func (w *walker) add(l *usage.Log) {
	w.sum.Bills++
	w.sum.Quota += l.Quota
	if l.SupplierCost != nil {
		w.sum.Supplied++
		w.sum.SupplierCost = money.Add(w.sum.SupplierCost, *l.SupplierCost)
	}
	cost, reason := w.check(l)
	if reason == "" {
		reason = w.checkSupplied(l)
	}
	switch {
	case reason != "":
		w.sum.Differences++
		w.report(Difference{
			Log: l.ID, TenantID: l.TenantID, CreatedAt: l.CreatedAt, Cost: l.Cost, Quota: l.Quota,
			Recomputed: cost, Reason: reason,
		})
	case l.Quota < l.Cost:
		w.sum.Shortfalls++
		w.sum.Shortfall += l.Cost - l.Quota
	}
}

// check returns the recomputed cost, or nil if it cannot be computed,
// and the reason why the stored charge is wrong, or "" if it is right.
func (w *walker) check(l *usage.Log) (cost *money.Amount, reason string) {
	if reason := w.fault(l); reason != "" {
		return nil, reason
	}
	amount, err := w.cost(l)
	switch {
	case err != nil:
		return nil, err.Error()
	case amount != l.Cost:
		reason = fmt.Sprintf("recomputed cost is %s USD, stored cost is %s USD", amount, l.Cost)
	case l.Quota < 0 || l.Quota > l.Cost:
		reason = fmt.Sprintf("deducted quota of %s USD is not between 0 and the cost of %s USD", l.Quota, l.Cost)
	}
	return &amount, reason
}

// fault returns the reason why the stored data contradicts itself,
// for example a price of another model. It returns "" if it does not.
func (w *walker) fault(l *usage.Log) string {
	price, rule := w.prices[l.PriceID], w.rules[l.RuleID]
	switch {
	case !w.knowsPrice(l.PriceID):
		return fmt.Sprintf("price %s does not exist", l.PriceID)
	case !w.knowsRule(l.RuleID):
		return fmt.Sprintf("price rule %s does not exist", l.RuleID)
	case l.PriceID != uuid.Nil && price.Model != l.Model:
		return fmt.Sprintf("the price is for model %s, the request was for %s", price.Model, l.Model)
	case l.RuleID != uuid.Nil && rule.GroupID != l.GroupID:
		return fmt.Sprintf("the price rule is for group %s, the request was of group %s", rule.GroupID, l.GroupID)
	case rule.Model != "" && rule.Model != l.Model:
		return fmt.Sprintf("the price rule is for model %s, the request was for %s", rule.Model, l.Model)
	}
	return l.Usage.Fault()
}

// cost recomputes the cost of a request. It is 0 for requests without a price, which are those to free models,
// for failed ones whose upstream reported no tokens, and for failed ones without an error, which no relay records.
func (w *walker) cost(l *usage.Log) (money.Amount, error) {
	if l.PriceID == uuid.Nil || l.Outcome == usage.Failed && l.Error == "" {
		return 0, nil
	}
	// Without a price rule a group pays the price of the model.
	terms := pricing.Terms{Price: w.prices[l.PriceID], Rule: pricing.Rule{Multiplier: money.One}}
	if l.RuleID != uuid.Nil {
		terms.Rule = w.rules[l.RuleID]
	}
	terms = terms.For(l.Outcome, l.Formula)
	return terms.Cost(l.Usage)
}

func (w *walker) knowsPrice(id uuid.UUID) bool {
	_, ok := w.prices[id]
	return ok || id == uuid.Nil
}

func (w *walker) knowsRule(id uuid.UUID) bool {
	_, ok := w.rules[id]
	return ok || id == uuid.Nil
}

// load reads all versions of prices, rules and channel costs.
func (w *walker) load(ctx context.Context) error {
	prices, err := storepage.All(func(page storepage.Page) (storepage.List[pricing.Price], error) {
		return w.source.Prices(ctx, w.scope, "", page)
	})
	if err != nil {
		return err
	}
	rules, err := storepage.All(func(page storepage.Page) (storepage.List[pricing.Rule], error) {
		return w.source.Rules(ctx, w.scope, catalogdb.RuleQuery{}, page)
	})
	if err != nil {
		return err
	}
	costs, err := storepage.All(func(page storepage.Page) (storepage.List[pricing.ChannelCost], error) {
		return w.source.ChannelCosts(ctx, w.scope, uuid.Nil, page)
	})
	if err != nil {
		return err
	}
	w.costs = map[uuid.UUID]pricing.ChannelCost{}
	for _, c := range costs {
		w.costs[c.ID] = c
	}
	w.prices, w.rules = map[uuid.UUID]*pricing.Price{}, map[uuid.UUID]pricing.Rule{}
	for i := range prices {
		w.prices[prices[i].ID] = &prices[i]
	}
	for _, r := range rules {
		w.rules[r.ID] = r
	}
	return nil
}
