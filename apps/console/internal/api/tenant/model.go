package tenant

import (
	"context"
	"math/big"
	"net/http"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/visibility"
)

// VisibleModel describes a model that the caller may use, with the price that the caller's group pays.
type VisibleModel struct {
	ID         string           `json:"id"`
	OwnedBy    string           `json:"owned_by"`
	MaxOutput  int64            `json:"max_output" doc:"The most tokens that one response can have"`
	Free       bool             `json:"free" doc:"The model has no price: requests cost nothing"`
	Rates      *pricing.Rates   `json:"rates,omitempty" doc:"Price of the model in USD per 1M tokens, and per request; absent for free models"`
	Multiplier money.Factor     `json:"multiplier" doc:"Factor that the group pays on the price"`
	Fixed      *money.Amount    `json:"fixed" nullable:"true" doc:"Fixed price per request that the group pays instead of the price of the model; null if there is none"`
	Effective  []EffectivePrice `json:"effective" doc:"What the group pays: rates times multiplier, or the fixed price"`
	Tiers      []EffectiveTier  `json:"effective_tiers" doc:"What the group pays for calls with a long input, in ascending order of above_input"`
}

// EffectivePrice is the exact price of one class of tokens, or of a request.
type EffectivePrice struct {
	Class string `json:"class" doc:"A class of tokens, such as input or cached_input, or request"`
	Price string `json:"price" doc:"USD per 1M tokens of the class, or per request; an exact decimal"`
}

// EffectiveTier has the exact prices of calls with more input tokens than a threshold.
type EffectiveTier struct {
	AboveInput int64            `json:"above_input" doc:"The prices apply to calls with more input tokens than this, cached ones included"`
	Prices     []EffectivePrice `json:"prices"`
}

// VisibleModels lists all models that the caller may use.
type VisibleModels struct {
	Items []VisibleModel `json:"items" doc:"Ordered by id"`
}

func models(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listVisibleModels", Method: http.MethodGet, Path: "/models", Tag: "models", Scope: token.ReadCatalog, Summary: "List the models that the caller may use, with prices",
		Description: "Returns the models of the caller's group and what the group pays. Operators must name a group.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.visibleModels)
}

type visibleModelQuery struct {
	GroupID uuid.UUID `query:"group_id" doc:"The group. Required for operators; other callers may only name their own"`
}

// visibleModels lists the models that a user of the group sees without a token,
// by the same rule as GET /v1/models of the relay, with the terms that apply now.
func (h *handlers) visibleModels(ctx context.Context, in *visibleModelQuery) (*api.Answer[VisibleModels], error) {
	group, err := groupOf(api.CallerOf(ctx).User, in.GroupID)
	if err != nil {
		return nil, err
	}
	snapshot, err := h.Store.Catalog.Snapshot(ctx, api.ScopeOf(ctx))
	if err != nil {
		return nil, err
	}
	if snapshot.Group(group) == nil {
		return nil, problem.Of(problem.NotFound).At("group_id")
	}
	now, body := h.Now(), VisibleModels{Items: []VisibleModel{}}
	for _, model := range snapshot.Models() {
		if visibility.VisibleToGroup(snapshot, group, model, now) {
			terms, _ := snapshot.Book.Terms(model.ID, group, now)
			body.Items = append(body.Items, visibleModelOf(model, &terms))
		}
	}
	return api.NewAnswer(body), nil
}

// groupOf returns the caller's group, or the group that an operator names. A caller
// who names another group gets the NotFound problem of a group that does not exist.
func groupOf(user tenant.User, named uuid.UUID) (uuid.UUID, error) {
	operator := user.Role == tenant.Operator
	switch {
	case operator && named == uuid.Nil:
		return named, problem.New(problem.MissingParameter, "Operators belong to no group: set group_id.").At("group_id")
	case operator || named == uuid.Nil || named == user.GroupID:
		if operator {
			return named, nil
		}
		return user.GroupID, nil
	}
	return uuid.Nil, problem.Of(problem.NotFound).At("group_id")
}

// visibleModelOf returns the model as the API shows it. Terms without a price mean that the model is free.
func visibleModelOf(model *catalog.Model, terms *pricing.Terms) VisibleModel {
	shown := VisibleModel{
		ID: model.ID, OwnedBy: model.OwnedBy, MaxOutput: model.OutputBound(),
		Multiplier: money.One, Effective: []EffectivePrice{}, Tiers: []EffectiveTier{},
	}
	if terms.Price.ID == uuid.Nil {
		shown.Free = true
		return shown
	}
	shown.Rates, shown.Multiplier, shown.Fixed = &terms.Price.Rates, terms.Rule.Multiplier, terms.Rule.Fixed
	shown.Effective = effective(terms, 0)
	if terms.Rule.Fixed == nil {
		for _, tier := range terms.Price.Rates.Tiers {
			shown.Tiers = append(shown.Tiers, EffectiveTier{tier.AboveInput, effective(terms, tier.AboveInput+1)})
		}
	}
	return shown
}

// effective lists the price of each class that has a rate of its own or inherits the rate of its base
// class, in a call with that many input tokens: for example, cached input without a rate costs as much as input.
func effective(terms *pricing.Terms, tokens int64) []EffectivePrice {
	if fixed := terms.Rule.Fixed; fixed != nil {
		return []EffectivePrice{{"request", fixed.String()}}
	}
	prices := []EffectivePrice{}
	for class, rate := range terms.Price.Rates.Effective(tokens) {
		prices = append(prices, EffectivePrice{class, product(rate, terms.Rule.Multiplier)})
	}
	return prices
}

// product returns amount times factor as an exact decimal. It is not
// rounded: the product can have more digits than a money.Amount.
func product(amount money.Amount, factor money.Factor) string {
	exact := new(big.Rat).Mul(big.NewRat(int64(amount), int64(money.USD)), big.NewRat(int64(factor), int64(money.One)))
	digits, _ := exact.FloatPrec()
	return exact.FloatString(digits)
}
