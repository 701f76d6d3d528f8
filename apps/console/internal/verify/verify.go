// Package verify recomputes every bill from what is stored with it: the token
// counts and the versions of price and group rule.
package verify

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
)

const pageSize = 200

// Source is what bills are read from.
type Source interface {
	UsageLogs(ctx context.Context, scope tenant.Scope, q store.LogQuery) (store.List[usage.Log], error)
	Prices(ctx context.Context, scope tenant.Scope, model string, page store.Page) (store.List[pricing.Price], error)
	Rules(ctx context.Context, scope tenant.Scope, groupID uuid.UUID, page store.Page) (store.List[pricing.Rule], error)
}

// Difference is a bill that does not come out as it is stored.
type Difference struct {
	Log    uuid.UUID
	Reason string
}

// Summary is the result of a walk.
type Summary struct {
	Bills       int
	Differences int
	Quota       money.Amount // deducted by all bills
}

// Walk recomputes all bills, newest first, and reports each difference as it
// is found. An error is one of the source; bills that were not reached are not
// in the Summary then.
func Walk(ctx context.Context, source Source, report func(Difference)) (Summary, error) {
	w := walker{source: source, scope: tenant.SystemScope("verify"), missing: map[[2]uuid.UUID]bool{}}
	var (
		sum  Summary
		page = store.Page{Limit: pageSize}
	)
	for {
		logs, err := source.UsageLogs(ctx, w.scope, store.LogQuery{Page: page})
		if err != nil {
			return sum, err
		}
		for i := range logs.Items {
			l := &logs.Items[i]
			reason, err := w.check(ctx, l)
			if err != nil {
				return sum, err
			}
			sum.Bills++
			sum.Quota += l.Quota
			if reason != "" {
				sum.Differences++
				report(Difference{Log: l.ID, Reason: reason})
			}
		}
		if logs.Next == "" {
			return sum, nil
		}
		page.After = logs.Next
	}
}

// walker knows the versions of all prices and rules.
type walker struct {
	source Source
	scope  tenant.Scope
	prices map[uuid.UUID]pricing.Price
	rules  map[uuid.UUID]pricing.Rule
	// missing are the pairs of price and rule that a load did not find.
	missing map[[2]uuid.UUID]bool
}

// check returns why the bill is wrong, "" where it is right.
func (w *walker) check(ctx context.Context, l *usage.Log) (reason string, err error) {
	if missing := [2]uuid.UUID{l.PriceID, l.RuleID}; !w.knows(l) && !w.missing[missing] {
		if err := w.load(ctx); err != nil { // the version may have been made after the last load
			return "", err
		}
		w.missing[missing] = !w.knows(l)
	}
	switch {
	case !w.knowsPrice(l.PriceID):
		return fmt.Sprintf("there is no price %s", l.PriceID), nil
	case !w.knowsRule(l.RuleID):
		return fmt.Sprintf("there is no group rule %s", l.RuleID), nil
	}
	return w.recompute(l), nil
}

func (w *walker) recompute(l *usage.Log) string {
	cost, err := w.cost(l)
	switch {
	case err != nil:
		return err.Error()
	case cost != l.Cost:
		return fmt.Sprintf("the cost is %s USD, stored is %s USD", cost, l.Cost)
	case l.Quota < 0 || l.Quota > l.Cost:
		return fmt.Sprintf("%s USD were deducted for a cost of %s USD", l.Quota, l.Cost)
	case l.PriceID != uuid.Nil && w.prices[l.PriceID].Model != l.Model:
		return fmt.Sprintf("the price is of %s, the call was of %s", w.prices[l.PriceID].Model, l.Model)
	case l.RuleID != uuid.Nil && w.rules[l.RuleID].GroupID != l.GroupID:
		return fmt.Sprintf("the rule is of group %s, the call was of group %s", w.rules[l.RuleID].GroupID, l.GroupID)
	}
	return ""
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

func (w *walker) knows(l *usage.Log) bool { return w.knowsPrice(l.PriceID) && w.knowsRule(l.RuleID) }

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
	prices, err := all(func(page store.Page) (store.List[pricing.Price], error) {
		return w.source.Prices(ctx, w.scope, "", page)
	})
	if err != nil {
		return err
	}
	rules, err := all(func(page store.Page) (store.List[pricing.Rule], error) {
		return w.source.Rules(ctx, w.scope, uuid.Nil, page)
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
func all[T any](read func(store.Page) (store.List[T], error)) ([]T, error) {
	var items []T
	for page := (store.Page{Limit: pageSize}); ; {
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
