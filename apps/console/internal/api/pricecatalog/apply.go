package pricecatalog

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/snapshot"
	"github.com/tollgate/tollgate/libs/pricecatalog"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
)

// apply schedules the selected prices. It computes the warnings again, from the prices that are current now: the
// caller's view of them does not count.
func (h *handlers) apply(ctx context.Context, in *struct{ Body Application }) (*api.Answer[Applied], error) {
	if !in.Body.EffectiveFrom.After(h.Now()) {
		return nil, problem.New(problem.InvalidType, "effective_from must be later than now").At("effective_from")
	}
	current, err := h.unchanged(ctx, in.Body.SHA256)
	if err != nil {
		return nil, err
	}
	s, err := h.Store.Catalog.Snapshot(ctx, api.ScopeOf(ctx))
	if err != nil {
		return nil, err
	}
	plan := planner{handlers: h, snapshot: s, matches: map[string]match{}, planned: map[string]bool{}}
	for _, m := range matches(s, current.catalog) {
		plan.matches[m.key()] = m
	}
	for i := range in.Body.Changes {
		if err := plan.add(&in.Body.Changes[i], fmt.Sprintf("changes[%d]", i)); err != nil {
			return nil, err
		}
	}
	prices, err := h.Store.Catalog.CreatePrices(ctx, api.ScopeOf(ctx), in.Body.EffectiveFrom, plan.prices)
	if err != nil {
		return nil, err
	}
	body := Applied{Items: []AppliedPrice{}}
	for i := range prices {
		body.Items = append(body.Items, AppliedPrice{
			ID: prices[i].ID, Model: prices[i].Model, EffectiveFrom: prices[i].EffectiveFrom.UTC(),
			Price: prices[i].Rates,
		})
	}
	return api.NewAnswer(body), nil
}

// unchanged returns the catalog that applies now, or a Conflict problem if its file has another checksum than the one
// that the operator saw.
func (h *handlers) unchanged(ctx context.Context, sha256 string) (parsed, error) {
	current, _, err := h.current(ctx)
	if err == nil && current.sha256 != sha256 {
		err = problem.New(problem.Conflict, "The price catalog has changed since it was shown. Look at it again.").
			At("sha256")
	}
	return current, err
}

// planner checks the selected prices, one after the other.
type planner struct {
	*handlers
	snapshot *snapshot.Snapshot
	matches  map[string]match
	planned  map[string]bool // by model
	prices   []catalogdb.PlannedPrice
}

// add plans one price, or returns the problem of its field. at is the path of the selection.
func (p *planner) add(selection *Selected, at string) error {
	m, ok := p.matches[selection.Model+" "+selection.Entry]
	if !ok {
		return problem.New(problem.InvalidType, "The price catalog has no entry %s for a model %s.", selection.Entry,
			selection.Model).At(at + ".entry")
	}
	if p.planned[selection.Model] {
		return problem.New(problem.InvalidType, "The model %s is selected twice. Select one entry for it.",
			selection.Model).At(at + ".model")
	}
	p.planned[selection.Model] = true
	comparison, id := p.comparison(p.snapshot, &m, p.Now())
	if null.Deref(id) != null.Deref(selection.PriceID) {
		return problem.New(problem.Conflict, "The price of %s has changed since it was compared. Compare it again.",
			selection.Model).At(at + ".price_id")
	}
	if len(comparison.Changes) == 0 {
		return problem.New(problem.InvalidType, "The price of %s is the same already. Leave it out.", selection.Model).
			At(at + ".model")
	}
	if err := unconfirmed(&comparison, selection.Model, selection.Confirm); err != nil {
		return err.At(at + ".confirm")
	}
	price := catalogdb.PlannedPrice{Model: selection.Model, Rates: m.entry.Price, Entry: m.entry.ID(),
		CurrentID: uuid.Nil}
	if id != nil {
		price.CurrentID = *id
	}
	p.prices = append(p.prices, price)
	return nil
}

// unconfirmed returns a problem if the price of the model has warnings that the words leave out.
func unconfirmed(comparison *pricecatalog.Comparison, model string, codes []string) *problem.Problem {
	var warnings []pricecatalog.Warning
	for _, word := range codes {
		warnings = append(warnings, pricecatalog.Warning(word))
	}
	if gaps := comparison.Missing(warnings); len(gaps) > 0 {
		return problem.New(problem.InvalidType, "The price of %s needs a confirmation of: %s.", model,
			strings.Join(words(gaps), ", "))
	}
	return nil
}
