// Package periodic calls a function in the background every few seconds.
package periodic

import (
	"context"
	"sync"
	"time"
)

// Task calls a function in a goroutine of its own. Start and Stop must not be called at the same time.
type Task struct {
	interval time.Duration
	do       func(context.Context)
	stop     context.CancelFunc // nil before Start
	done     sync.WaitGroup
}

// New returns a Task that calls do once in each interval from Start until Stop, never twice at the same time. The
// context of do ends with Stop.
func New(interval time.Duration, do func(context.Context)) *Task {
	return &Task{interval: interval, do: do}
}

// Start starts the goroutine. Call it once. The task does not end with ctx, of which do gets the values only.
func (t *Task) Start(ctx context.Context) {
	ctx, t.stop = context.WithCancel(context.WithoutCancel(ctx))
	t.done.Go(func() { t.run(ctx) })
}

// Stop ends the goroutine, and waits until the function returns if it is running. It may be called twice, and before
// Start.
func (t *Task) Stop() {
	if t.stop != nil {
		t.stop()
	}
	t.done.Wait()
}

func (t *Task) run(ctx context.Context) {
	ticker := time.NewTicker(t.interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			t.do(ctx)
		}
	}
}
