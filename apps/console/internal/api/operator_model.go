package api

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
)

// Model is a public model with the price that holds now.
type Model struct {
	ID        string         `json:"id"`
	OwnedBy   string         `json:"owned_by"`
	Status    string         `json:"status" enum:"enabled,disabled"`
	Free      bool           `json:"free" doc:"May have no price"`
	MaxOutput int64          `json:"max_output" doc:"Most tokens of one answer"`
	CreatedAt time.Time      `json:"created_at"`
	Price     *pricing.Rates `json:"price,omitempty" doc:"USD per 1M tokens, and per request; absent where none holds yet"`
	Limits    Limits         `json:"limits" doc:"Of all calls of one tenant together: every tenant has them for itself"`
}

// NewModel is the body of createModel.
type NewModel struct {
	ID        string        `json:"id" minLength:"1" maxLength:"200"`
	OwnedBy   string        `json:"owned_by" minLength:"1" maxLength:"200"`
	Free      bool          `json:"free,omitempty" doc:"May have no price"`
	MaxOutput int64         `json:"max_output,omitempty" minimum:"0" maximum:"1000000000" doc:"Most tokens of one answer; a default if absent"`
	Status    string        `json:"status,omitempty" enum:"enabled,disabled" default:"enabled"`
	Price     pricing.Rates `json:"price,omitempty" doc:"USD per 1M tokens, and per request"`
	Limits    NewLimits     `json:"limits,omitzero"`
}

// ModelPatch is the body of updateModel.
type ModelPatch struct {
	OwnedBy   Optional[string]      `json:"owned_by,omitzero" minLength:"1" maxLength:"200"`
	Status    Optional[string]      `json:"status,omitzero" enum:"enabled,disabled"`
	Free      Optional[bool]        `json:"free,omitzero"`
	MaxOutput Optional[int64]       `json:"max_output,omitzero" minimum:"0" maximum:"1000000000"`
	Limits    Optional[LimitsPatch] `json:"limits,omitzero"`
}

type modelUpdate struct {
	ID   string `path:"id" doc:"Slashes in it are written %2F"`
	Body ModelPatch
}

func operatorModels(a *API) {
	register(a, operation{
		id: "createModel", method: http.MethodPost, path: "/operator/models", tag: "operator", summary: "Create a model with its first price",
		description: "A model has a price from the beginning, or is explicitly free.",
		status:      http.StatusCreated, errors: []int{http.StatusConflict},
	}, a.createModel)
	register(a, operation{
		id: "listModels", method: http.MethodGet, path: "/operator/models", tag: "operator", summary: "List models",
		description: "All models, disabled ones too, in the order of their ids.",
		errors:      []int{http.StatusForbidden},
	}, a.listModels)
	register(a, operation{
		id: "updateModel", method: http.MethodPatch, path: "/operator/models/{id}", tag: "operator", summary: "Edit, disable or enable a model",
		description: "Only the fields that are sent change. Prices are changed by createPrice.",
		errors:      []int{http.StatusNotFound, http.StatusConflict},
	}, a.updateModel)
}

// modelBodies returns how to show models with the prices that hold now.
func (a *API) modelBodies(ctx context.Context) (func(*catalog.Model) Model, error) {
	snapshot, err := a.Store.Snapshot(ctx, scopeOf(ctx))
	if err != nil {
		return nil, err
	}
	now := a.Now()
	return func(m *catalog.Model) Model {
		shown := Model{
			ID: m.ID, OwnedBy: m.OwnedBy, Status: string(m.Status), Free: m.Free, MaxOutput: m.OutputBound(), CreatedAt: m.CreatedAt.UTC(),
			Limits: Limits(m.Limits),
		}
		if terms, ok := snapshot.Book.Terms(m.ID, uuid.Nil, now); ok {
			shown.Price = &terms.Price.Rates
		}
		return shown
	}, nil
}

func (a *API) showModel(ctx context.Context, m *catalog.Model) (*Answer[Model], error) {
	show, err := a.modelBodies(ctx)
	if err != nil {
		return nil, err
	}
	return answer(show(m)), nil
}

func (a *API) createModel(ctx context.Context, in *struct{ Body NewModel }) (*Answer[Model], error) {
	body := &in.Body
	created, err := a.Store.CreateModel(ctx, scopeOf(ctx), catalog.Model{
		ID: body.ID, OwnedBy: body.OwnedBy, Status: tenant.Status(body.Status), Free: body.Free, MaxOutput: body.MaxOutput,
		Limits: limit.Limits(body.Limits),
	}, body.Price)
	if err != nil {
		return nil, err
	}
	return a.showModel(ctx, &created)
}

func (a *API) listModels(ctx context.Context, in *PageQuery) (*Answer[List[Model]], error) {
	page, err := a.Store.Models(ctx, scopeOf(ctx), in.page())
	if err != nil {
		return nil, err
	}
	show, err := a.modelBodies(ctx)
	if err != nil {
		return nil, err
	}
	return pageOf(page, show), nil
}

func (a *API) updateModel(ctx context.Context, in *modelUpdate) (*Answer[Model], error) {
	updated, err := a.Store.UpdateModel(ctx, scopeOf(ctx), in.ID, store.ModelPatch{
		OwnedBy: in.Body.OwnedBy.pointer(), Status: (*tenant.Status)(in.Body.Status.pointer()),
		Free: in.Body.Free.pointer(), MaxOutput: in.Body.MaxOutput.pointer(),
		Limits: in.Body.Limits.value.core(),
	})
	if err != nil {
		return nil, err
	}
	return a.showModel(ctx, &updated)
}

// Price is one version of what a model costs.
type Price struct {
	ID            uuid.UUID     `json:"id"`
	Model         string        `json:"model"`
	EffectiveFrom time.Time     `json:"effective_from"`
	Price         pricing.Rates `json:"price" doc:"USD per 1M tokens, and per request"`
	CreatedAt     time.Time     `json:"created_at"`
	State         string        `json:"state" enum:"scheduled,current,past,withdrawn" doc:"withdrawn: it never holds"`
	WithdrawnAt   *time.Time    `json:"withdrawn_at" nullable:"true"`
}

// priceBodies returns how to show versions with what has become of them by now.
func (a *API) priceBodies(ctx context.Context) (func(*pricing.Price) Price, error) {
	snapshot, err := a.Store.Snapshot(ctx, scopeOf(ctx))
	if err != nil {
		return nil, err
	}
	now := a.Now()
	return func(p *pricing.Price) Price {
		return Price{
			ID: p.ID, Model: p.Model, EffectiveFrom: p.EffectiveFrom.UTC(), Price: p.Rates, CreatedAt: p.CreatedAt.UTC(),
			State: string(snapshot.Book.PriceState(p, now)), WithdrawnAt: moment(p.WithdrawnAt),
		}
	}, nil
}

func (a *API) showPrice(ctx context.Context, p *pricing.Price) (*Answer[Price], error) {
	show, err := a.priceBodies(ctx)
	if err != nil {
		return nil, err
	}
	return answer(show(p)), nil
}

// NewPrice is the body of createPrice.
type NewPrice struct {
	Model         string        `json:"model" minLength:"1" maxLength:"200"`
	Price         pricing.Rates `json:"price" doc:"USD per 1M tokens, and per request"`
	EffectiveFrom *time.Time    `json:"effective_from,omitempty" doc:"Now if absent; never in the past"`
}

type priceQuery struct {
	PageQuery
	Model string `query:"model" maxLength:"200" doc:"Only of this model"`
}

func operatorPrices(a *API) {
	register(a, operation{
		id: "createPrice", method: http.MethodPost, path: "/operator/prices", tag: "operator", summary: "Add a version of a model's price",
		description: "Takes effect at once or at the moment that it names. Versions before it stay, for the bills made by them.",
		status:      http.StatusCreated, errors: []int{http.StatusNotFound, http.StatusConflict},
	}, a.createPrice)
	register(a, operation{
		id: "listPrices", method: http.MethodGet, path: "/operator/prices", tag: "operator", summary: "List versions of prices",
		description: "Newest first.", errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, a.listPrices)
	register(a, operation{
		id: "withdrawPrice", method: http.MethodPost, path: "/operator/prices/{id}/withdraw", tag: "operator", summary: "Withdraw a scheduled price",
		description: "Until a minute before it holds: then it never does.", status: http.StatusOK, errors: []int{http.StatusNotFound, http.StatusConflict},
	}, a.withdrawPrice)
}

func (a *API) createPrice(ctx context.Context, in *struct{ Body NewPrice }) (*Answer[Price], error) {
	created, err := a.Store.CreatePrice(ctx, scopeOf(ctx), pricing.Price{
		Model: in.Body.Model, Rates: in.Body.Price, EffectiveFrom: value(in.Body.EffectiveFrom),
	})
	if err != nil {
		return nil, err
	}
	return a.showPrice(ctx, &created)
}

func (a *API) listPrices(ctx context.Context, in *priceQuery) (*Answer[List[Price]], error) {
	page, err := a.Store.Prices(ctx, scopeOf(ctx), in.Model, in.page())
	if err != nil {
		return nil, err
	}
	show, err := a.priceBodies(ctx)
	if err != nil {
		return nil, err
	}
	return pageOf(page, show), nil
}

func (a *API) withdrawPrice(ctx context.Context, in *ByID) (*Answer[Price], error) {
	withdrawn, err := a.Store.WithdrawPrice(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return a.showPrice(ctx, &withdrawn)
}
