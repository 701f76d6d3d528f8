package api

import (
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/fair"
)

const (
	networkSlots = 4               // requests of one network between their head and their body
	slotPatience = 5 * time.Second // longest wait for a slot, unless Options.Patience is set
)

// overloadRetry is the time after which a client that found no room or no slot may try again.
const overloadRetry = time.Second

// newSlots returns the slots with which a few requests of each network at once find their session or access key and are
// refused or accepted. The other requests of that network wait. So a network that sends hundreds of requests at once
// takes few connections of the database and little of the CPU, and those of other networks are served between them.
func newSlots(patience time.Duration, metrics prometheus.Registerer) *fair.Queue[string] {
	return fair.New(fair.Options[string]{PerKey: networkSlots, Patience: patience, RetryAfter: overloadRetry,
		Metrics: metrics, Name: "requests"})
}

type slotKey struct{}

// acquireSlot is the middleware that waits for a slot of the client's network. The request has the slot until admit
// accepts it, or until it is refused.
func (a *API) acquireSlot(ctx huma.Context, next func(huma.Context)) {
	slot, err := a.slots.Acquire(ctx.Context(), 1, address.Network(a.clientOf(ctx).Address))
	if err != nil {
		a.refuseUnread(ctx, err)
		return
	}
	defer slot.Release()
	next(huma.WithValue(ctx, slotKey{}, &slot))
}

// releaseSlot gives the slot of a request back.
func releaseSlot(ctx huma.Context) {
	if slot, ok := ctx.Context().Value(slotKey{}).(*fair.Lease[string]); ok {
		slot.Release()
	}
}
