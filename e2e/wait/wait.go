// Package wait polls the state of other programs, which do not report their changes. Until polls a condition;
// For passes a fixed time. Both end with their context.
package wait

import (
	"context"
	"errors"
	"time"
)

// pause is the time between two calls of the condition.
const pause = 10 * time.Millisecond

// Until calls holds every 10 ms until it returns nil. If ctx ends first, the error joins the cause of ctx and
// the last error of holds.
func Until(ctx context.Context, holds func(context.Context) error) error {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		err := holds(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		}
	}
}

// For waits for d, or until ctx ends. Use it only for the length of an outage or the pace of a client; for a
// condition use Until.
func For(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
