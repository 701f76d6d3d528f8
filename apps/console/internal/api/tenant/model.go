package tenant

import (
	"context"
	"maps"
	"math/big"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/part"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/snapshot"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/visibility"
	storepage "github.com/tollgate/tollgate/libs/store/page"
)

// VisibleModel describes a model that the caller may use, with the price that the caller's group pays.
type VisibleModel struct {
	ID           string                 `json:"id"`
	OwnedBy      string                 `json:"owned_by"`
	MaxOutput    int64                  `json:"max_output" doc:"The most tokens that one response can have"`
	MaxStated    bool                   `json:"max_output_stated" doc:"Whether max_output is stated for the model. Otherwise it is the default of the gateway, and the upstream may end responses earlier"`
	Context      int64                  `json:"context_length" doc:"The most tokens of input and output together; 0: not stated"`
	Modalities   resource.Modalities    `json:"modalities" doc:"What the model reads and writes"`
	Free         bool                   `json:"free" doc:"The model has no price: requests cost nothing"`
	Rates        *pricing.Rates         `json:"rates,omitempty" doc:"Price of the model in USD per 1M tokens, and per request; absent for free models"`
	Multiplier   money.Factor           `json:"multiplier" doc:"Factor that the group pays on the price"`
	Fixed        *money.Amount          `json:"fixed" nullable:"true" doc:"Fixed price per request that the group pays instead of the price of the model; null if there is none"`
	Effective    []EffectivePrice       `json:"effective" maxItems:"20" doc:"What the group pays: rates times multiplier, or the fixed price"`
	Tiers        []EffectiveTier        `json:"effective_tiers" maxItems:"10" doc:"What the group pays for calls with a long input, in ascending order of above_input"`
	ServiceTiers []EffectiveServiceTier `json:"effective_service_tiers" maxItems:"8" doc:"What the group pays for calls whose answer names a service tier, in the order of the names"`
}

// EffectivePrice is the exact price of one class of tokens, of a tool, or of a request.
type EffectivePrice struct {
	Class string `json:"class" doc:"A class of tokens, such as input or cached_input, a tool such as web_search, or request"`
	Price string `json:"price" doc:"USD per 1M tokens of the class, or per call or session of the tool, or per request; an exact decimal"`
}

// EffectiveTier has the exact prices of calls with more input tokens than a threshold.
type EffectiveTier struct {
	AboveInput int64            `json:"above_input" doc:"The prices apply to calls with more input tokens than this, cached ones included"`
	Prices     []EffectivePrice `json:"prices" maxItems:"20"`
}

// EffectiveServiceTier has the exact prices of calls in a service tier.
type EffectiveServiceTier struct {
	Name   string           `json:"name" doc:"The service tier that the answer names, such as priority or flex"`
	Prices []EffectivePrice `json:"prices" maxItems:"20"`
	Tiers  []EffectiveTier  `json:"tiers" maxItems:"10" doc:"Prices of calls with a long input in the service tier"`
}

// VisibleModelDetail is a model that the caller may use, with its recent speed.
type VisibleModelDetail struct {
	VisibleModel
	Recent *RecentSpeed `json:"recent,omitempty" doc:"How fast and how reliable the model responded to the calls of all users of the caller's tenant in the last 24 hours; absent without such calls, and for operators"`
}

// RecentSpeed holds the speed and the error rate of a model for the calls of a tenant. It has no counts of calls: they
// would tell members how much others call.
type RecentSpeed struct {
	ErrorRate       float64  `json:"error_rate" doc:"Share of the calls that failed, from 0 to 1"`
	FirstTokenMS    *int64   `json:"first_token_ms" nullable:"true" doc:"Median time to the first token of streams, in milliseconds, within 5 %; null without streams"`
	TokensPerSecond *float64 `json:"tokens_per_second" nullable:"true" doc:"Output tokens of streams per second, after the first token; with reasoning, over the whole call. null if nothing was measured"`
}

// VisibleModels lists the models that the caller may use.
type VisibleModels struct {
	Items []VisibleModel `json:"items" doc:"Ordered by id"`
	Next  string         `json:"next" doc:"Pass it as after to get the following models; empty if there are none. A page ends at about 1 MiB"`
}

func registerModels(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listVisibleModels", Method: http.MethodGet, Path: "/models", Tag: "models", Scope: token.ReadCatalog,
		Summary:     "List the models that the caller may use, with prices",
		Description: "Returns the models of the caller's group and what the group pays. Operators must name a group.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.visibleModels)
	api.Register(h.API, api.Operation{
		ID: "getVisibleModel", Method: http.MethodGet, Path: "/models/{id}", Tag: "models", Scope: token.ReadCatalog,
		Summary: "Get a model that the caller may use, with its price and recent speed",
		Description: "Returns the model as listVisibleModels does, and how fast and how reliable it responded to " +
			"the calls of the caller's tenant in the last 24 hours. A model that the caller may not use is not found.",
		Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.visibleModel)
}

type visibleModelQuery struct {
	part.AfterQuery
	GroupID uuid.UUID `query:"group_id" doc:"The group. Required for operators; other callers may only name their own"`
}

type visibleModelByID struct {
	ID      string    `path:"id" maxLength:"200" doc:"Id of the model. Write a slash in it as %2F"`
	GroupID uuid.UUID `query:"group_id" doc:"The group. Required for operators; other callers may only name their own"`
}

// visibleModels lists the models that a user of the group sees without a token,
// by the same rule as GET /v1/models of the relay, with the terms that apply now.
func (h *handlers) visibleModels(ctx context.Context, in *visibleModelQuery) (*api.Answer[VisibleModels], error) {
	current, group, err := h.catalogOf(ctx, in.GroupID)
	if err != nil {
		return nil, err
	}
	now := h.Now()
	page, err := part.Of(byModel, in.After, current.Models(), modelID, func(model *catalog.Model) (VisibleModel, bool) {
		if !visibility.VisibleToGroup(current, group, model, now) {
			return VisibleModel{}, false
		}
		terms, _ := current.Book.Terms(model.ID, group, now)
		return visibleModelOf(model, &terms), true
	})
	return api.NewAnswer(VisibleModels(page)), err
}

// byModel is the order of lists of models.
var byModel = storepage.ByName(catalog.CheckModelID)

func modelID(m *catalog.Model) string { return m.ID }

// visibleModel returns one of the models of visibleModels. All other models look as if they did not exist.
func (h *handlers) visibleModel(ctx context.Context, in *visibleModelByID) (*api.Answer[VisibleModelDetail], error) {
	current, group, err := h.catalogOf(ctx, in.GroupID)
	if err != nil {
		return nil, err
	}
	now, model := h.Now(), current.Model(in.ID)
	if model == nil || !visibility.VisibleToGroup(current, group, model, now) {
		return nil, problem.New(problem.NotFound, "There is no such model.")
	}
	terms, _ := current.Book.Terms(model.ID, group, now)
	body := VisibleModelDetail{VisibleModel: visibleModelOf(model, &terms)}
	if body.Recent, err = h.recentSpeed(ctx, model.ID, now); err != nil {
		return nil, err
	}
	return api.NewAnswer(body), nil
}

// recentSpeed returns the speed of the model for the caller's tenant; nil if the tenant made no calls, or if the caller
// has no tenant.
func (h *handlers) recentSpeed(ctx context.Context, model string, now time.Time) (*RecentSpeed, error) {
	if api.CallerOf(ctx).User.Role == tenant.Operator {
		return nil, nil
	}
	speed, err := h.Store.Metering.ModelSpeed(ctx, api.ScopeOf(ctx), model, now.Add(-24*time.Hour))
	if err != nil || !speed.Measured {
		return nil, err
	}
	recent := &RecentSpeed{ErrorRate: speed.Errors}
	if ms := speed.FirstToken.Milliseconds(); ms > 0 {
		recent.FirstTokenMS = &ms
	}
	if speed.TokensPerSecond > 0 {
		recent.TokensPerSecond = &speed.TokensPerSecond
	}
	return recent, nil
}

// catalogOf returns the snapshot for the caller, and the group whose models are asked for. It returns a problem if the
// caller may not ask for the group, or if the group does not exist.
func (h *handlers) catalogOf(ctx context.Context, groupID uuid.UUID) (*snapshot.Snapshot, uuid.UUID, error) {
	group, err := groupOf(api.CallerOf(ctx).User, groupID)
	if err != nil {
		return nil, uuid.Nil, err
	}
	current, err := h.Store.Catalog.Snapshot(ctx, api.ScopeOf(ctx))
	if err != nil {
		return nil, uuid.Nil, err
	}
	if current.Group(group) == nil {
		return nil, uuid.Nil, problem.Of(problem.NotFound).At("group_id")
	}
	return current, group, nil
}

// groupOf returns the caller's group, or the group that an operator names. A caller
// who names another group gets the NotFound problem of a group that does not exist.
func groupOf(user tenant.User, groupID uuid.UUID) (uuid.UUID, error) {
	operator := user.Role == tenant.Operator
	switch {
	case operator && groupID == uuid.Nil:
		return groupID, problem.New(problem.MissingParameter, "Operators belong to no group: set group_id.").
			At("group_id")
	case operator || groupID == uuid.Nil || groupID == user.GroupID:
		if operator {
			return groupID, nil
		}
		return user.GroupID, nil
	}
	return uuid.Nil, problem.Of(problem.NotFound).At("group_id")
}

// visibleModelOf returns the model as the API shows it. Terms without a price mean that the model is free.
func visibleModelOf(model *catalog.Model, terms *pricing.Terms) VisibleModel {
	body := VisibleModel{
		ID: model.ID, OwnedBy: model.OwnedBy, MaxOutput: model.OutputBound(), MaxStated: model.MaxOutput > 0,
		Context: model.ContextLength, Modalities: resource.ModalitiesOf(model.Modalities),
		Multiplier: money.One, Effective: []EffectivePrice{}, Tiers: []EffectiveTier{},
		ServiceTiers: []EffectiveServiceTier{},
	}
	if terms.Price.ID == uuid.Nil {
		body.Free = true
		return body
	}
	body.Rates, body.Multiplier, body.Fixed = &terms.Price.Rates, terms.Rule.Multiplier, terms.Rule.Fixed
	body.Effective = effective(terms, "", 0)
	if terms.Rule.Fixed == nil {
		body.Tiers = effectiveTiers(terms, "")
		for _, name := range slices.Sorted(maps.Keys(terms.Price.Rates.ServiceTiers)) {
			body.ServiceTiers = append(body.ServiceTiers,
				EffectiveServiceTier{name, effective(terms, name, 0), effectiveTiers(terms, name)})
		}
	}
	return body
}

// effectiveTiers lists the prices of each tier for long inputs that calls in the service tier have.
func effectiveTiers(terms *pricing.Terms, serviceTier string) []EffectiveTier {
	tiers := []EffectiveTier{}
	for _, tier := range terms.Price.Rates.TiersIn(serviceTier) {
		tiers = append(tiers, EffectiveTier{tier.AboveInput, effective(terms, serviceTier, tier.AboveInput+1)})
	}
	return tiers
}

// effective lists the price of each class that has a rate of its own or inherits the rate of its base
// class, in a call in that service tier and with that many input tokens: for example, cached input without a rate costs
// as much as input.
func effective(terms *pricing.Terms, serviceTier string, tokens int64) []EffectivePrice {
	if price := terms.Rule.Fixed; price != nil {
		return []EffectivePrice{{"request", price.String()}}
	}
	prices := []EffectivePrice{}
	for class, rate := range terms.Price.Rates.Effective(serviceTier, tokens) {
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
