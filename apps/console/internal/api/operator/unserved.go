package operator

import (
	"context"
	"slices"

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
		health := h.knownOf(channel, probes, nil)
		failing[channel.ID] = health.failing()
	}
	return outage.Of(s, func(c *catalog.Channel) bool { return failing[c.ID] }), nil
}

// failing reports whether an enabled channel with this health is the one that the console calls Failing: no credential
// works. A credential that no probe has checked counts as working. components/channels/status.ts has the same rule.
func (h *ChannelHealth) failing() bool {
	works := func(c CredentialHealth) bool { return c.Status == "enabled" && (c.Probe == nil || c.Probe.Error == "") }
	return len(h.Credentials) > 0 && !slices.ContainsFunc(h.Credentials, works)
}
