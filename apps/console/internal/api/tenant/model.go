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
	"github.com/tollgate/tollgate/libs/core/visibility"
)

// VisibleModel is a model that the caller may call, with what it costs him.
type VisibleModel struct {
	ID         string           `json:"id"`
	OwnedBy    string           `json:"owned_by"`
	MaxOutput  int64            `json:"max_output" doc:"Most tokens of one answer"`
	Free       bool             `json:"free" doc:"Costs nothing: the model has no price"`
	Rates      *pricing.Rates   `json:"rates,omitempty" doc:"The model's price: USD per 1M tokens, and per request; absent for free models"`
	Multiplier money.Factor     `json:"multiplier" doc:"The group's"`
	Fixed      *money.Amount    `json:"fixed" nullable:"true" doc:"The group's price per request in place of the formula"`
	Effective  []EffectivePrice `json:"effective" doc:"What is paid: rates times multiplier, or fixed"`
}

// EffectivePrice is what one class costs, exactly.
type EffectivePrice struct {
	Class string `json:"class" doc:"A token class, per 1M tokens, or request"`
	Price string `json:"price" doc:"Exact decimal of USD"`
}

// VisibleModels are all models that the caller may call.
type VisibleModels struct {
	Items []VisibleModel `json:"items" doc:"In order of id"`
}

func models(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listVisibleModels", Method: http.MethodGet, Path: "/models", Tag: "models", Summary: "Models that I may call, and their prices",
		Description: "As the caller's group may call and pays for them. Operators name the group.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.visibleModels)
}

type visibleModelQuery struct {
	GroupID uuid.UUID `query:"group_id" doc:"Operators only, who must name it"`
}

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

// groupOf is the caller's group, or the one that an operator names.
func groupOf(user tenant.User, named uuid.UUID) (uuid.UUID, error) {
	operator := user.Role == tenant.Operator
	switch {
	case operator && named == uuid.Nil:
		return named, problem.New(problem.MissingParameter, "Operators belong to no group: name one.").At("group_id")
	case operator || named == uuid.Nil || named == user.GroupID:
		if operator {
			return named, nil
		}
		return user.GroupID, nil
	}
	return uuid.Nil, problem.Of(problem.NotFound).At("group_id")
}

func visibleModelOf(model *catalog.Model, terms *pricing.Terms) VisibleModel {
	shown := VisibleModel{
		ID: model.ID, OwnedBy: model.OwnedBy, MaxOutput: model.OutputBound(),
		Multiplier: money.One, Effective: []EffectivePrice{},
	}
	if terms.Price.ID == uuid.Nil {
		shown.Free = true
		return shown
	}
	shown.Rates, shown.Multiplier, shown.Fixed = &terms.Price.Rates, terms.Rule.Multiplier, terms.Rule.Fixed
	shown.Effective = effective(terms)
	return shown
}

// effective lists what each class costs that has a price of its own or of its base.
func effective(terms *pricing.Terms) []EffectivePrice {
	if fixed := terms.Rule.Fixed; fixed != nil {
		return []EffectivePrice{{"request", fixed.String()}}
	}
	prices := []EffectivePrice{}
	add := func(class string, rates ...*money.Amount) {
		for _, rate := range rates {
			if rate != nil {
				prices = append(prices, EffectivePrice{class, product(*rate, terms.Rule.Multiplier)})
				return
			}
		}
	}
	r := &terms.Price.Rates
	add("input", r.Input)
	add("cached_input", r.CachedInput, r.Input)
	add("cache_write", r.CacheWrite, r.Input)
	add("audio_input", r.AudioInput, r.Input)
	add("output", r.Output)
	add("reasoning", r.Reasoning, r.Output)
	add("audio_output", r.AudioOutput, r.Output)
	add("request", r.Request)
	return prices
}

// product is the exact decimal of amount times factor.
func product(amount money.Amount, factor money.Factor) string {
	exact := new(big.Rat).Mul(big.NewRat(int64(amount), int64(money.USD)), big.NewRat(int64(factor), int64(money.One)))
	digits, _ := exact.FloatPrec()
	return exact.FloatString(digits)
}
