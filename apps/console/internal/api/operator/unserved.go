package operator

import (
	"context"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/outage"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/snapshot"
)

// unserved returns the enabled models of the snapshot without a healthy channel. It reads the probes of all channels
// with one query.
func (h *handlers) unserved(ctx context.Context, s *snapshot.Snapshot) (outage.UnservedModels, error) {
	probes, err := h.Store.Catalog.Probes(ctx, api.ScopeOf(ctx), uuid.Nil)
	if err != nil {
		return outage.UnservedModels{}, err
	}
	failing := map[uuid.UUID]bool{}
	for _, channel := range s.Channels() {
		failing[channel.ID] = h.knownOf(channel, probes, nil).State == channelFailing
	}
	return outage.Of(s, func(c *catalog.Channel) bool { return failing[c.ID] }), nil
}
