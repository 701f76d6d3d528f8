package operator

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/token"
)

// channelCost describes one version of what a channel's upstream charges.
type channelCost struct {
	ID            uuid.UUID     `json:"id"`
	ChannelID     uuid.UUID     `json:"channel_id"`
	UpstreamModel string        `json:"upstream_model" doc:"Id of the model at the upstream"`
	EffectiveFrom time.Time     `json:"effective_from" doc:"When the costs take effect"`
	Rates         pricing.Rates `json:"rates" doc:"List prices of the provider in USD per 1M tokens, and per request"`
	Factor        money.Factor  `json:"factor" doc:"What is paid of the list prices: 0.9 stands for a discount of 10 %"`
	CreatedAt     time.Time     `json:"created_at"`
	State         string        `json:"state" enum:"scheduled,current,past,withdrawn" doc:"scheduled: takes effect later. past: replaced by a newer version. withdrawn: never takes effect"`
	WithdrawnAt   *time.Time    `json:"withdrawn_at" nullable:"true" doc:"null unless withdrawn"`
}

// newChannelCost is the body of createChannelCost.
type newChannelCost struct {
	UpstreamModel string        `json:"upstream_model" minLength:"1" maxLength:"200" doc:"Id of the model at the upstream: one of the values of the channel's models"`
	Rates         pricing.Rates `json:"rates" doc:"List prices of the provider in USD per 1M tokens, and per request. At least one; a rate of 0 costs nothing"`
	Factor        *money.Factor `json:"factor,omitempty" doc:"What is paid of the list prices: 0.9 stands for a discount of 10 %. Defaults to 1"`
	EffectiveFrom *time.Time    `json:"effective_from,omitempty" doc:"When the costs take effect. Defaults to now; must not be in the past"`
}

type channelCostQuery struct {
	api.PageQuery
	ID uuid.UUID `path:"id" doc:"Id of the channel"`
}

type channelCostCreation struct {
	ID   uuid.UUID `path:"id" doc:"Id of the channel"`
	Body newChannelCost
}

func registerChannelCosts(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "createChannelCost", Method: http.MethodPost, Path: "/operator/channels/{id}/costs", Tag: "operator",
		Scope: token.WriteCatalog, Summary: "Add the costs of a channel's model",
		Description: "States what the upstream of the channel charges for a model, at once or from effective_from " +
			"on. Earlier versions are kept. Calls are priced as before: costs are for the comparison with the quota " +
			"that the calls earned.",
		Status: http.StatusCreated, Errors: []int{http.StatusNotFound},
	}, h.createChannelCost)
	api.Register(h.API, api.Operation{
		ID: "listChannelCosts", Method: http.MethodGet, Path: "/operator/channels/{id}/costs", Tag: "operator",
		Scope: token.ReadCatalog, Summary: "List the costs of a channel",
		Description: "Lists all versions for all models, newest first.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.listChannelCosts)
	api.Register(h.API, api.Operation{
		ID: "withdrawChannelCost", Method: http.MethodPost, Path: "/operator/channel-costs/{id}/withdraw",
		Tag: "operator", Scope: token.WriteCatalog, Summary: "Withdraw scheduled costs of a channel",
		Description: "Withdrawn costs never take effect. Costs that take effect within a minute cannot be " +
			"withdrawn, because relays may already know them.",
		Status: http.StatusOK, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, h.withdrawChannelCost)
}

// channelCostBodies returns a function that translates a version, with its state as of now.
func (h *handlers) channelCostBodies(ctx context.Context) (func(*pricing.ChannelCost) channelCost, error) {
	snapshot, err := h.Store.Catalog.Snapshot(ctx, api.ScopeOf(ctx))
	if err != nil {
		return nil, err
	}
	now := h.Now()
	return func(c *pricing.ChannelCost) channelCost {
		return channelCost{
			ID: c.ID, ChannelID: c.ChannelID, UpstreamModel: c.UpstreamModel, EffectiveFrom: c.EffectiveFrom.UTC(),
			Rates: c.Rates, Factor: c.Factor, CreatedAt: c.CreatedAt.UTC(),
			State: string(snapshot.Costs.State(c, now)), WithdrawnAt: null.Time(c.WithdrawnAt),
		}
	}, nil
}

func (h *handlers) showChannelCost(ctx context.Context, c *pricing.ChannelCost) (*api.Answer[channelCost], error) {
	show, err := h.channelCostBodies(ctx)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(show(c)), nil
}

func (h *handlers) createChannelCost(ctx context.Context, in *channelCostCreation) (*api.Answer[channelCost], error) {
	factor := money.One
	if in.Body.Factor != nil {
		factor = *in.Body.Factor
	}
	cost, err := h.Store.Catalog.CreateChannelCost(ctx, api.ScopeOf(ctx), pricing.ChannelCost{
		ChannelID: in.ID, UpstreamModel: in.Body.UpstreamModel, Rates: in.Body.Rates, Factor: factor,
		EffectiveFrom: null.Deref(in.Body.EffectiveFrom),
	})
	if err != nil {
		return nil, err
	}
	return h.showChannelCost(ctx, &cost)
}

func (h *handlers) listChannelCosts(ctx context.Context,
	in *channelCostQuery) (*api.Answer[api.List[channelCost]], error) {
	if _, err := h.Store.Catalog.Channel(ctx, api.ScopeOf(ctx), in.ID); err != nil {
		return nil, err
	}
	page, err := h.Store.Catalog.ChannelCosts(ctx, api.ScopeOf(ctx), in.ID, in.Page())
	if err != nil {
		return nil, err
	}
	show, err := h.channelCostBodies(ctx)
	if err != nil {
		return nil, err
	}
	return api.PageOf(page, show), nil
}

func (h *handlers) withdrawChannelCost(ctx context.Context, in *api.ByID) (*api.Answer[channelCost], error) {
	withdrawn, err := h.Store.Catalog.WithdrawChannelCost(ctx, api.ScopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return h.showChannelCost(ctx, &withdrawn)
}
