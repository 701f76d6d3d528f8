package periodic_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tollgate/tollgate/libs/periodic"
)

func TestTask_CallsOnceInEachIntervalUntilStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		task := periodic.New(time.Second, func(context.Context) { calls++ })
		task.Stop() // before Start
		task.Start(ctx)
		cancel()                            // does not end the task
		time.Sleep(2500 * time.Millisecond) //nolint:forbidigo // on the fake clock
		task.Stop()
		time.Sleep(time.Minute) //nolint:forbidigo // on the fake clock
		task.Stop()
		if calls != 2 {
			t.Errorf("got %d calls, want 2", calls)
		}
	})
}

func TestStop_EndsTheContextOfACallAndWaitsForIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := false
		task := periodic.New(time.Second, func(ctx context.Context) {
			<-ctx.Done()
			ended = true
		})
		task.Start(t.Context())
		time.Sleep(90 * time.Second) //nolint:forbidigo // on the fake clock
		task.Stop()
		if !ended {
			t.Error("Stop returned before the call had ended")
		}
	})
}
