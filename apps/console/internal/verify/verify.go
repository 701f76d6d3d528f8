// Package verify recomputes every bill from what is stored with it: the token
// counts and the versions of price and group rule.
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
	billPage    = 5000
	versionPage = 200
)

// Source is the part of the store that is read.
type Source struct {
	Billing
	Versions
}

// Billing lists bills.
type Billing interface {
	Bills(ctx context.Context, scope tenant.Scope, q metering.BillQuery) ([]usage.Log, error)
}

// Versions lists the prices and rules by which calls were billed.
type Versions interface {
	Prices(ctx context.Context, scope tenant.Scope, model string, page storepage.Page) (storepage.List[pricing.Price], error)
	Rules(ctx context.Context, scope tenant.Scope, query catalogdb.RuleQuery, page storepage.Page) (storepage.List[pricing.Rule], error)
}

// Range selects bills. Zero fields select all.
type Range struct {
	TenantID uuid.UUID
	From, To time.Time // [From, To) of when the call was accepted
}

// Difference is a bill that does not come out as it is stored. Amounts are
// nano-dollars.
type Difference struct {
	Log        uuid.UUID     `json:"id"`
	TenantID   uuid.UUID     `json:"tenant_id"`
	CreatedAt  time.Time     `json:"created_at"`
	Cost       money.Amount  `json:"stored_cost"`
	Quota      money.Amount  `json:"stored_quota"`
	Recomputed *money.Amount `json:"recomputed_cost"` // nil where the parts do not say
	Reason     string        `json:"why"`
}

// Summary is the result of a walk.
type Summary struct {
	Bills       int          `json:"bills"`
	Differences int          `json:"differences"`
	Quota       money.Amount `json:"quota"` // deducted by all bills
	// Shortfalls are the bills for which less was deducted than they cost, as
	// is right where the grant ended during the call and nowhere else. Whether
	// it did is not in the bill: that nothing was taken off later, the
	// comparison with the rollups tells.
	Shortfalls int          `json:"shortfalls"`
	Shortfall  money.Amount `json:"shortfall"` // cost less quota, of all of them
}

// Walk recomputes the bills of the range, newest first, and reports each
// difference as it is found. It holds one page of bills and all versions in
// memory. An error is one of the source; bills that were not reached are not
// in the Summary then.
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

// walker knows the versions of all prices and rules.
type walker struct {
	source Source
	scope  tenant.Scope
	report func(Difference)
	sum    Summary
	prices map[uuid.UUID]pricing.Price
	rules  map[uuid.UUID]pricing.Rule
}

// page checks one page of bills. Versions that it does not know may have been
// made since they were read: it reads them again, once.
func (w *walker) page(ctx context.Context, bills []usage.Log) error {
	for i := range bills {
		if !w.knowsPrice(bills[i].PriceID) || !w.knowsRule(bills[i].RuleID) {
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

// add checks one bill and counts it.
func (w *walker) add(l *usage.Log) {
	w.sum.Bills++
	w.sum.Quota += l.Quota
	cost, reason := w.check(l)
	switch {
	case reason != "":
		w.sum.Differences++
		w.report(Difference{
			Log: l.ID, TenantID: l.TenantID, CreatedAt: l.CreatedAt, Cost: l.Cost, Quota: l.Quota, Recomputed: cost, Reason: reason,
		})
	case l.Quota < l.Cost:
		w.sum.Shortfalls++
		w.sum.Shortfall += l.Cost - l.Quota
	}
}

// check returns what the bill comes to, nil where that cannot be said, and
// why the stored one is wrong, "" where it is right.
func (w *walker) check(l *usage.Log) (cost *money.Amount, reason string) {
	if reason := w.fault(l); reason != "" {
		return nil, reason
	}
	recomputed, err := w.cost(l)
	switch {
	case err != nil:
		return nil, err.Error()
	case recomputed != l.Cost:
		reason = fmt.Sprintf("the cost is %s USD, stored is %s USD", recomputed, l.Cost)
	case l.Quota < 0 || l.Quota > l.Cost:
		reason = fmt.Sprintf("%s USD were deducted for a cost of %s USD", l.Quota, l.Cost)
	}
	return &recomputed, reason
}

// fault returns why the stored parts cannot be those of the bill.
func (w *walker) fault(l *usage.Log) string {
	price, rule := w.prices[l.PriceID], w.rules[l.RuleID]
	switch {
	case !w.knowsPrice(l.PriceID):
		return fmt.Sprintf("there is no price %s", l.PriceID)
	case !w.knowsRule(l.RuleID):
		return fmt.Sprintf("there is no group rule %s", l.RuleID)
	case l.PriceID != uuid.Nil && price.Model != l.Model:
		return fmt.Sprintf("the price is of %s, the call was of %s", price.Model, l.Model)
	case l.RuleID != uuid.Nil && rule.GroupID != l.GroupID:
		return fmt.Sprintf("the rule is of group %s, the call was of group %s", rule.GroupID, l.GroupID)
	case rule.Model != "" && rule.Model != l.Model:
		return fmt.Sprintf("the rule is for %s, the call was of %s", rule.Model, l.Model)
	case negative(&l.Usage):
		return "a count of tokens is below zero"
	}
	return ""
}

func negative(u *usage.Usage) bool {
	return min(u.Input, u.CachedInput, u.CacheWrite, u.AudioInput, u.Output, u.Reasoning, u.AudioOutput) < 0
}

// cost is zero for calls that were not charged: failed ones, and those of free
// models, which have no price.
func (w *walker) cost(l *usage.Log) (money.Amount, error) {
	if l.Outcome == usage.Failed || l.PriceID == uuid.Nil {
		return 0, nil
	}
	terms := pricing.Terms{Price: w.prices[l.PriceID], Rule: pricing.Rule{Multiplier: money.One}}
	if l.RuleID != uuid.Nil {
		terms.Rule = w.rules[l.RuleID]
	}
	return terms.Cost(l.Usage)
}

func (w *walker) knowsPrice(id uuid.UUID) bool {
	_, known := w.prices[id]
	return known || id == uuid.Nil
}

func (w *walker) knowsRule(id uuid.UUID) bool {
	_, known := w.rules[id]
	return known || id == uuid.Nil
}

// load reads all versions.
func (w *walker) load(ctx context.Context) error {
	prices, err := all(func(page storepage.Page) (storepage.List[pricing.Price], error) {
		return w.source.Prices(ctx, w.scope, "", page)
	})
	if err != nil {
		return err
	}
	rules, err := all(func(page storepage.Page) (storepage.List[pricing.Rule], error) {
		return w.source.Rules(ctx, w.scope, catalogdb.RuleQuery{}, page)
	})
	if err != nil {
		return err
	}
	w.prices, w.rules = map[uuid.UUID]pricing.Price{}, map[uuid.UUID]pricing.Rule{}
	for _, p := range prices {
		w.prices[p.ID] = p
	}
	for _, r := range rules {
		w.rules[r.ID] = r
	}
	return nil
}

// all reads every page.
func all[T any](read func(storepage.Page) (storepage.List[T], error)) ([]T, error) {
	var items []T
	for page := (storepage.Page{Limit: versionPage}); ; {
		list, err := read(page)
		if err != nil {
			return nil, err
		}
		items = append(items, list.Items...)
		if list.Next == "" {
			return items, nil
		}
		page.After = list.Next
	}
}
