package manifest

import (
	"context"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
)

// costs adds a version of what the channel's upstream charges for each declared model, unless the current one has the
// same rates and factor. Scheduled versions stay as they are.
func (a *applier) costs(ctx context.Context, channel uuid.UUID, want *Channel) error {
	for _, model := range slices.Sorted(maps.Keys(want.Costs)) {
		cost := want.Costs[model]
		factor := or(cost.Factor, money.One)
		current := a.before.Costs.Find(channel, model, a.now)
		if current != nil && current.Factor == factor && current.Rates.Equal(cost.Rates) {
			continue
		}
		_, err := a.store.Catalog.CreateChannelCost(ctx, a.scope,
			pricing.ChannelCost{ChannelID: channel, UpstreamModel: model, Rates: cost.Rates, Factor: factor})
		if err := a.record(created("channel_cost", want.Name+" "+model), err); err != nil {
			return err
		}
	}
	return nil
}
