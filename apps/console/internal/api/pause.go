package api

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/apps/console/internal/throttle"
)

const (
	refusalPause = time.Second
	maxPauses    = 2048 // more refusals are not paused, so that pauses take half of the connections at most
)

// pauseStatuses are the statuses of refusals that clients answer with a new attempt at once, if they mean harm.
var pauseStatuses = []int{http.StatusRequestEntityTooLarge, http.StatusTooManyRequests, http.StatusServiceUnavailable}

// pauseRefusal delays a refusal to a network, tenant or operator that has got many. The response is sent when the
// handler returns. So a flood spends its time waiting, and the CPU is left to others.
func (a *API) pauseRefusal(ctx huma.Context, recipient string) {
	if !slices.Contains(pauseStatuses, ctx.Status()) || a.throttle.Charge(throttle.Refusals, recipient, a.now()) {
		return
	}
	releaseSlot(ctx)
	if pause, err := a.pauses.TryAcquire(1); err == nil {
		defer pause.Release()
		wait(ctx.Context(), refusalPause)
	}
}

// wait returns after d, or when ctx ends.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
