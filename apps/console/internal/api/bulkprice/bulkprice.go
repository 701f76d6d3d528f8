// Package bulkprice registers the operations of the console's API that compare new prices of models with the costs of
// their channels, and that add prices of several models at once. Only operators may use them.
package bulkprice

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/snapshot"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
)

// Options holds the dependencies of the operations.
type Options struct {
	Store *store.Store
	Now   func() time.Time
}

// handlers holds the handlers of the operations as methods.
type handlers struct {
	*api.API
	Options
}

// NewPrices is the body of previewPrices and createPrices.
type NewPrices struct {
	Changes       []PriceChange `json:"changes" minItems:"1" maxItems:"200" doc:"The new prices, one for each model"`
	EffectiveFrom *time.Time    `json:"effective_from,omitempty" doc:"When all of them take effect. Defaults to now; must not be in the past"`
}

// PriceChange is the new price of one model.
type PriceChange struct {
	Model       string        `json:"model" minLength:"1" maxLength:"200"`
	Price       pricing.Rates `json:"price" doc:"Price in USD per 1M tokens, and per request"`
	PriceID     *uuid.UUID    `json:"price_id,omitempty" doc:"The current version that the new price replaces; absent if the model has none. createPrices refuses with 409 if it is another version"`
	ConfirmLoss bool          `json:"confirm_loss,omitempty" doc:"Whether the operator accepts that the price is below a channel's costs. createPrices refuses such a price otherwise"`
}

// PricePreview shows the margins of new prices.
type PricePreview struct {
	Items []PriceMargins `json:"items" doc:"In the order of the request"`
}

// PriceMargins compares the new price of a model with the costs of its channels.
type PriceMargins struct {
	Model    string          `json:"model"`
	PriceID  *uuid.UUID      `json:"price_id,omitempty" doc:"The current version of the price; absent if the model has none"`
	Current  *pricing.Rates  `json:"current,omitempty" doc:"The current price; absent if the model has none"`
	Loss     bool            `json:"loss" doc:"Whether the new price is below the costs of an enabled channel for at least one class"`
	Channels []ChannelMargin `json:"channels" doc:"The enabled channels that serve the model"`
}

// ChannelMargin compares the new price of a model with the costs of one channel.
type ChannelMargin struct {
	ChannelID uuid.UUID     `json:"channel_id"`
	Channel   string        `json:"channel" doc:"Name of the channel"`
	Known     bool          `json:"known" doc:"Whether costs are stated for the model of the channel at effective_from"`
	Classes   []ClassMargin `json:"classes" doc:"Empty if the costs are not known"`
}

// ClassMargin compares price and costs of one class, before multipliers and fixed prices of groups. Amounts are in USD
// per 1M tokens, or per call or request.
type ClassMargin struct {
	Class       string       `json:"class" doc:"A class of tokens such as input, a tool such as web_search, or request"`
	ServiceTier string       `json:"service_tier,omitempty" doc:"For calls in this service tier; absent for ordinary calls"`
	AboveInput  int64        `json:"above_input,omitempty" doc:"For calls with more input tokens than this; absent for all others"`
	Price       money.Amount `json:"price" doc:"The new price"`
	Cost        money.Amount `json:"cost" doc:"What the upstream charges"`
	Margin      money.Amount `json:"margin" doc:"Price minus cost; negative for a loss"`
}

// Register adds the operations to a.
func Register(a *api.API, o Options) {
	h := &handlers{API: a, Options: o}
	api.Register(h.API, api.Operation{
		ID: "previewPrices", Method: http.MethodPost, Path: "/operator/prices/preview", Tag: "operator",
		Scope: token.ReadCatalog, Summary: "Compare new prices with the costs of channels",
		Description: "Changes nothing. Returns, for each model, its current price and the margin of the new price " +
			"over what the upstreams of its channels charge. Multipliers and fixed prices of groups are not " +
			"considered.",
		Status: http.StatusOK, Errors: []int{http.StatusForbidden}, Needs: permission.ReadPlatform, Body: api.ListBody,
		NoEntry: true,
	}, h.previewPrices)
	api.Register(h.API, api.Operation{
		ID: "createPrices", Method: http.MethodPost, Path: "/operator/prices/bulk", Tag: "operator",
		Scope: token.WriteCatalog, Summary: "Add prices of several models",
		Description: "Adds a version of the price of each model, at once or at effective_from, all or none. An " +
			"error names the model. A price below a channel's costs is refused unless confirm_loss is true.",
		Status: http.StatusCreated, Errors: []int{http.StatusConflict}, Needs: permission.WritePlatform,
		Body: api.ListBody,
	}, h.createPrices)
}

func (h *handlers) previewPrices(ctx context.Context, in *struct{ Body NewPrices }) (*api.Answer[PricePreview], error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	preview, err := h.marginsOf(ctx, &in.Body)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(preview), nil
}

// createPrices computes the margins again: the caller's view of them does not count.
func (h *handlers) createPrices(ctx context.Context, in *struct{ Body NewPrices }) (*api.Answer[CreatedPrices], error) {
	preview, err := h.marginsOf(ctx, &in.Body)
	if err != nil {
		return nil, err
	}
	plan := make([]catalogdb.PlannedPrice, len(in.Body.Changes))
	for i := range in.Body.Changes {
		change := &in.Body.Changes[i]
		if preview.Items[i].Loss && !change.ConfirmLoss {
			return nil,
				problem.New(problem.InvalidType,
					"%s: the price is below the costs of a channel. Set confirm_loss to accept that.", change.Model).
					At(fmt.Sprintf("changes[%d].confirm_loss", i))
		}
		plan[i] = catalogdb.PlannedPrice{Model: change.Model, Rates: change.Price,
			CurrentID: null.Deref(change.PriceID)}
	}
	prices, err := h.Store.Catalog.CreatePrices(ctx, api.ScopeOf(ctx), null.Deref(in.Body.EffectiveFrom), plan)
	if err != nil {
		return nil, err
	}
	body := CreatedPrices{Items: make([]CreatedPrice, len(prices))}
	for i := range prices {
		body.Items[i] = CreatedPrice{prices[i].ID, prices[i].Model, prices[i].EffectiveFrom.UTC(), prices[i].Rates}
	}
	return api.NewAnswer(body), nil
}

// CreatedPrices lists the versions that were added.
type CreatedPrices struct {
	Items []CreatedPrice `json:"items" doc:"In the order of the request"`
}

// CreatedPrice is a version that was added.
type CreatedPrice struct {
	ID            uuid.UUID     `json:"id"`
	Model         string        `json:"model"`
	EffectiveFrom time.Time     `json:"effective_from" doc:"When the price takes effect"`
	Price         pricing.Rates `json:"price" doc:"Price in USD per 1M tokens, and per request"`
}

// marginsOf compares the new prices with the costs that apply when they take effect. It returns a problem of the first
// model that does not exist, is named twice, or has a malformed price.
func (h *handlers) marginsOf(ctx context.Context, body *NewPrices) (PricePreview, error) {
	s, err := h.Store.Catalog.Snapshot(ctx, api.ScopeOf(ctx))
	if err != nil {
		return PricePreview{}, err
	}
	now := h.Now()
	at := now
	if from := null.Deref(body.EffectiveFrom); from.After(now) {
		at = from
	}
	preview, models := PricePreview{Items: make([]PriceMargins, len(body.Changes))}, map[string]bool{}
	for i := range body.Changes {
		change, model := &body.Changes[i], s.Model(body.Changes[i].Model)
		if err := checkPriceChange(change, model, models[change.Model], fmt.Sprintf("changes[%d]", i)); err != nil {
			return PricePreview{}, err
		}
		models[change.Model] = true
		preview.Items[i] = priceMargins(s, change, at)
		if terms, ok := s.Book.Terms(model.ID, uuid.Nil, now); ok {
			preview.Items[i].PriceID, preview.Items[i].Current = &terms.Price.ID, &terms.Price.Rates
		}
	}
	return preview, nil
}

// checkPriceChange returns a problem that names the model of a change that cannot be made. at is the path of the
// change.
func checkPriceChange(change *PriceChange, model *catalog.Model, isDuplicate bool, at string) error {
	switch {
	case model == nil:
		return problem.New(problem.InvalidType, "%s: there is no such model.", change.Model).At(at + ".model")
	case isDuplicate:
		return problem.New(problem.InvalidType, "%s: the model is named twice.", change.Model).At(at + ".model")
	}
	if err := change.Price.Check(model.Free); err != nil {
		fault := problem.From(err)
		return problem.New(fault.Kind, "%s: %s", change.Model, fault.Text()).At(at + "." + fault.Param)
	}
	return nil
}

// priceMargins compares one new price with the costs of the enabled channels that serve its model.
func priceMargins(s *snapshot.Snapshot, change *PriceChange, at time.Time) PriceMargins {
	margins := PriceMargins{Model: change.Model, Channels: []ChannelMargin{}}
	for _, channel := range s.Serving(change.Model) {
		margin := ChannelMargin{ChannelID: channel.ID, Channel: channel.Name, Classes: []ClassMargin{}}
		if costs := s.Costs.Find(channel.ID, channel.Models[change.Model], at); costs != nil {
			margin.Known = true
			for _, m := range costs.Margins(&change.Price) {
				margins.Loss = margins.Loss || m.Loss()
				margin.Classes = append(margin.Classes, ClassMargin{
					Class: m.Class, ServiceTier: m.ServiceTier, AboveInput: m.AboveInput, Price: m.Price, Cost: m.Cost,
					Margin: m.Price - m.Cost,
				})
			}
		}
		margins.Channels = append(margins.Channels, margin)
	}
	return margins
}
