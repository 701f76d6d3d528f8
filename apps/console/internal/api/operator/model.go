package operator

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/apps/console/internal/api/part"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	storepage "github.com/tollgate/tollgate/libs/store/page"
)

// Model describes a public model with its current price.
type Model struct {
	ID        string          `json:"id"`
	OwnedBy   string          `json:"owned_by"`
	Status    string          `json:"status" enum:"enabled,disabled"`
	Free      bool            `json:"free" doc:"Whether the model may be used without a price, and then costs nothing"`
	MaxOutput int64           `json:"max_output" doc:"The most tokens that one response can have"`
	CreatedAt time.Time       `json:"created_at"`
	Price     *pricing.Rates  `json:"price,omitempty" doc:"Current price in USD per 1M tokens, and per request; absent if there is none"`
	Limits    resource.Limits `json:"limits" doc:"Rate limits for all calls of one tenant together. Each tenant has its own allowance"`

	Routing string `json:"routing" enum:"weighted,cheapest" doc:"How calls choose among channels of equal priority. weighted: by weight and load. cheapest: by what the upstreams charge, see the costs of channels"`

	ContextLength int64               `json:"context_length" doc:"The most tokens of input and output together, for clients; 0: not known"`
	Modalities    resource.Modalities `json:"modalities" doc:"What the model reads and writes, for clients"`
}

// NewModel is the body of createModel.
type NewModel struct {
	ID        string             `json:"id" minLength:"1" maxLength:"200"`
	OwnedBy   string             `json:"owned_by" minLength:"1" maxLength:"200"`
	Free      bool               `json:"free,omitempty" doc:"Whether the model may be used without a price, and then costs nothing"`
	MaxOutput int64              `json:"max_output,omitempty" minimum:"0" maximum:"1000000000" doc:"The most tokens that one response can have. Absent or 0: a default"`
	Status    string             `json:"status,omitempty" enum:"enabled,disabled" default:"enabled"`
	Price     pricing.Rates      `json:"price,omitempty" doc:"First price in USD per 1M tokens, and per request. Required unless free is true"`
	Limits    resource.NewLimits `json:"limits,omitzero"`

	Routing string `json:"routing,omitempty" enum:"weighted,cheapest" default:"weighted" doc:"How calls choose among channels of equal priority. weighted: by weight and load. cheapest: by what the upstreams charge, see the costs of channels"`

	ContextLength int64               `json:"context_length,omitempty" minimum:"0" maximum:"1000000000" doc:"The most tokens of input and output together, for clients. Absent or 0: not known"`
	Modalities    resource.Modalities `json:"modalities,omitzero" doc:"What the model reads and writes, for clients"`
}

// ModelPatch is the body of updateModel.
type ModelPatch struct {
	OwnedBy   api.Optional[string]               `json:"owned_by,omitzero" minLength:"1" maxLength:"200"`
	Status    api.Optional[string]               `json:"status,omitzero" enum:"enabled,disabled"`
	Free      api.Optional[bool]                 `json:"free,omitzero" doc:"Whether the model may be used without a price, and then costs nothing"`
	MaxOutput api.Optional[int64]                `json:"max_output,omitzero" minimum:"0" maximum:"1000000000" doc:"The most tokens that one response can have. 0: a default"`
	Limits    api.Optional[resource.LimitsPatch] `json:"limits,omitzero"`

	Routing api.Optional[string] `json:"routing,omitzero" enum:"weighted,cheapest" doc:"How calls choose among channels of equal priority. weighted: by weight and load. cheapest: by what the upstreams charge, see the costs of channels"`

	ContextLength api.Optional[int64]               `json:"context_length,omitzero" minimum:"0" maximum:"1000000000" doc:"The most tokens of input and output together, for clients. 0: not known"`
	Modalities    api.Optional[resource.Modalities] `json:"modalities,omitzero" doc:"What the model reads and writes, for clients. Both lists are replaced"`
}

type modelUpdate struct {
	ID   string `path:"id" doc:"Id of the model. Write a slash in it as %2F"`
	Body ModelPatch
}

func registerModels(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "createModel", Method: http.MethodPost, Path: "/operator/models", Tag: "operator",
		Scope: token.WriteCatalog, Summary: "Create a model with its first price",
		Description: "A model must have a price or be declared free.",
		Status:      http.StatusCreated, Errors: []int{http.StatusConflict},
	}, h.createModel)
	api.Register(h.API, api.Operation{
		ID: "listModels", Method: http.MethodGet, Path: "/operator/models", Tag: "operator", Scope: token.ReadCatalog,
		Summary:     "List models",
		Description: "Lists all models, including disabled ones, ordered by id.",
		Errors:      []int{http.StatusForbidden},
	}, h.listModels)
	api.Register(h.API, api.Operation{
		ID: "updateModel", Method: http.MethodPatch, Path: "/operator/models/{id}", Tag: "operator",
		Scope: token.WriteCatalog, Summary: "Edit, disable or enable a model",
		Description: "Changes only the fields that are sent. Use createPrice to change the price.",
		Errors:      []int{http.StatusNotFound, http.StatusConflict},
	}, h.updateModel)
}

// modelBodies returns a function that translates a model, with the price that is current now.
func (h *handlers) modelBodies(ctx context.Context) (func(*catalog.Model) Model, error) {
	snapshot, err := h.Store.Catalog.Snapshot(ctx, api.ScopeOf(ctx))
	if err != nil {
		return nil, err
	}
	now := h.Now()
	return func(m *catalog.Model) Model {
		body := Model{
			ID: m.ID, OwnedBy: m.OwnedBy, Status: string(m.Status), Free: m.Free, MaxOutput: m.OutputBound(),
			CreatedAt: m.CreatedAt.UTC(),
			Limits:    resource.Limits(m.Limits), Routing: string(cmp.Or(m.Routing, catalog.Weighted)),
			ContextLength: m.ContextLength, Modalities: resource.ModalitiesOf(m.Modalities),
		}
		if terms, ok := snapshot.Book.Terms(m.ID, uuid.Nil, now); ok {
			body.Price = &terms.Price.Rates
		}
		return body
	}, nil
}

func (h *handlers) showModel(ctx context.Context, m *catalog.Model) (*api.Answer[Model], error) {
	show, err := h.modelBodies(ctx)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(show(m)), nil
}

// createModel creates a model together with its first price. The
// store refuses a model that has neither a price nor is free.
func (h *handlers) createModel(ctx context.Context, in *struct{ Body NewModel }) (*api.Answer[Model], error) {
	body := &in.Body
	model, err := h.Store.Catalog.CreateModel(ctx, api.ScopeOf(ctx), catalog.Model{
		ID: body.ID, OwnedBy: body.OwnedBy, Status: tenant.Status(body.Status), Free: body.Free,
		MaxOutput: body.MaxOutput,
		Limits:    limit.Limits(body.Limits), Routing: catalog.Routing(body.Routing), ContextLength: body.ContextLength,
		Modalities: catalog.Modalities(body.Modalities),
	}, body.Price)
	if err != nil {
		return nil, err
	}
	return h.showModel(ctx, &model)
}

func (h *handlers) listModels(ctx context.Context, in *api.PageQuery) (*api.Answer[api.List[Model]], error) {
	page, err := h.Store.Catalog.Models(ctx, api.ScopeOf(ctx), in.Page())
	if err != nil {
		return nil, err
	}
	show, err := h.modelBodies(ctx)
	if err != nil {
		return nil, err
	}
	answer := api.PageOf(page, show) // with prices, which are not in the rows
	answer.Body = part.Cut(storepage.ByName(catalog.CheckModelID), answer.Body, func(m *Model) string { return m.ID })
	return answer, nil
}

func (h *handlers) updateModel(ctx context.Context, in *modelUpdate) (*api.Answer[Model], error) {
	patch := catalogdb.ModelPatch{
		OwnedBy: in.Body.OwnedBy.Pointer(), Status: (*tenant.Status)(in.Body.Status.Pointer()),
		Free: in.Body.Free.Pointer(), MaxOutput: in.Body.MaxOutput.Pointer(),
		Limits: in.Body.Limits.Value().Change(), Routing: (*catalog.Routing)(in.Body.Routing.Pointer()),
		ContextLength: in.Body.ContextLength.Pointer(),
	}
	if modalities := in.Body.Modalities.Pointer(); modalities != nil {
		patch.InputModalities, patch.OutputModalities = &modalities.Input, &modalities.Output
	}
	model, err := h.Store.Catalog.UpdateModel(ctx, api.ScopeOf(ctx), in.ID, patch)
	if err != nil {
		return nil, err
	}
	return h.showModel(ctx, &model)
}

// Price describes one version of the price of a model.
type Price struct {
	ID            uuid.UUID     `json:"id"`
	Model         string        `json:"model"`
	EffectiveFrom time.Time     `json:"effective_from" doc:"When the price takes effect"`
	Price         pricing.Rates `json:"price" doc:"Price in USD per 1M tokens, and per request"`
	CreatedAt     time.Time     `json:"created_at"`
	State         string        `json:"state" enum:"scheduled,current,past,withdrawn" doc:"scheduled: takes effect later. past: replaced by a newer version. withdrawn: never takes effect"`
	WithdrawnAt   *time.Time    `json:"withdrawn_at" nullable:"true" doc:"null unless withdrawn"`
}

// priceBodies returns a function that translates a price, with its state as of now.
func (h *handlers) priceBodies(ctx context.Context) (func(*pricing.Price) Price, error) {
	snapshot, err := h.Store.Catalog.Snapshot(ctx, api.ScopeOf(ctx))
	if err != nil {
		return nil, err
	}
	now := h.Now()
	return func(p *pricing.Price) Price {
		return Price{
			ID: p.ID, Model: p.Model, EffectiveFrom: p.EffectiveFrom.UTC(), Price: p.Rates,
			CreatedAt: p.CreatedAt.UTC(),
			State:     string(snapshot.Book.PriceState(p, now)), WithdrawnAt: null.Time(p.WithdrawnAt),
		}
	}, nil
}

func (h *handlers) showPrice(ctx context.Context, p *pricing.Price) (*api.Answer[Price], error) {
	show, err := h.priceBodies(ctx)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(show(p)), nil
}

// NewPrice is the body of createPrice.
type NewPrice struct {
	Model         string        `json:"model" minLength:"1" maxLength:"200"`
	Price         pricing.Rates `json:"price" doc:"Price in USD per 1M tokens, and per request"`
	EffectiveFrom *time.Time    `json:"effective_from,omitempty" doc:"When the price takes effect. Defaults to now; must not be in the past"`
}

type priceQuery struct {
	api.PageQuery
	Model string `query:"model" maxLength:"200" doc:"Only prices of this model"`
}

func registerPrices(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "createPrice", Method: http.MethodPost, Path: "/operator/prices", Tag: "operator",
		Scope: token.WriteCatalog, Summary: "Add a price of a model",
		Description: "The price takes effect at once or at effective_from. Earlier versions are kept, so that old " +
			"charges can be recomputed.",
		Status: http.StatusCreated, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, h.createPrice)
	api.Register(h.API, api.Operation{
		ID: "listPrices", Method: http.MethodGet, Path: "/operator/prices", Tag: "operator", Scope: token.ReadCatalog,
		Summary:     "List prices of models",
		Description: "Lists all versions, newest first.", Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.listPrices)
	api.Register(h.API, api.Operation{
		ID: "withdrawPrice", Method: http.MethodPost, Path: "/operator/prices/{id}/withdraw", Tag: "operator",
		Scope: token.WriteCatalog, Summary: "Withdraw a scheduled price",
		Description: "A withdrawn price never takes effect. A price that takes effect within a minute cannot be " +
			"withdrawn, because relays may already know it.", Status: http.StatusOK,
		Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, h.withdrawPrice)
}

func (h *handlers) createPrice(ctx context.Context, in *struct{ Body NewPrice }) (*api.Answer[Price], error) {
	price, err := h.Store.Catalog.CreatePrice(ctx, api.ScopeOf(ctx), pricing.Price{
		Model: in.Body.Model, Rates: in.Body.Price, EffectiveFrom: null.Deref(in.Body.EffectiveFrom),
	})
	if err != nil {
		return nil, err
	}
	return h.showPrice(ctx, &price)
}

func (h *handlers) listPrices(ctx context.Context, in *priceQuery) (*api.Answer[api.List[Price]], error) {
	page, err := h.Store.Catalog.Prices(ctx, api.ScopeOf(ctx), in.Model, in.Page())
	if err != nil {
		return nil, err
	}
	show, err := h.priceBodies(ctx)
	if err != nil {
		return nil, err
	}
	return api.PageOf(page, show), nil
}

func (h *handlers) withdrawPrice(ctx context.Context, in *api.ByID) (*api.Answer[Price], error) {
	withdrawn, err := h.Store.Catalog.WithdrawPrice(ctx, api.ScopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return h.showPrice(ctx, &withdrawn)
}
