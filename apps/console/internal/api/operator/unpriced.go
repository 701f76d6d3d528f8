package operator

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/metering"
)

// maxUnpriced is the largest number of rows of listUnpricedCalls.
const maxUnpriced = 200

type unpricedQuery struct {
	ChannelID uuid.UUID `query:"channel_id" doc:"Only this channel"`
}

func registerUnpricedCalls(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listUnpricedCalls", Method: http.MethodGet, Path: "/operator/unpriced-calls", Tag: "operator",
		Scope: token.ReadCatalog, Summary: "Count the calls that pass without a price",
		Description: "Counts the calls of the last days with a charge of the provider for which the model had no " +
			"price: on channels that allow such calls, and where an answer shows one unexpectedly.",
		Errors: []int{http.StatusForbidden},
	}, h.listUnpricedCalls)
}

func (h *handlers) listUnpricedCalls(ctx context.Context,
	in *unpricedQuery) (*api.Answer[resource.UnpricedCalls], error) {
	counts, err := h.Store.Metering.UnpricedCalls(ctx, api.ScopeOf(ctx), in.ChannelID, maxUnpriced)
	if err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, len(counts))
	for i := range counts {
		ids[i] = counts[i].ChannelID
	}
	names, err := h.Store.Metering.ChannelNames(ctx, api.ScopeOf(ctx), ids)
	if err != nil {
		return nil, err
	}
	answer := resource.UnpricedCalls{Days: metering.UnpricedDays, Items: []resource.UnpricedCall{}}
	for _, count := range counts {
		answer.Items = append(answer.Items, resource.UnpricedCall{
			ChannelID: count.ChannelID, Channel: names[count.ChannelID], Kind: count.Kind.String(), Calls: count.Calls,
		})
	}
	return api.NewAnswer(answer), nil
}
