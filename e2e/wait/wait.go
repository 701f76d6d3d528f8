// Package wait waits for the state of other programs, which do not report when it
// changes and can only be asked.
package wait

import (
	"context"
	"errors"
	"time"
)

// pause is the time between two questions.
const pause = 10 * time.Millisecond

// Until calls holds until it returns nil. Where ctx ends first, the error is the
// cause of that and the last error of holds.
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

// For waits for d, or until ctx ends: the length of an outage or the pace of a
// client. Nothing that has an end of its own is waited for with it.
func For(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
