package queue

import (
	"context"
	"testing"
	"time"

	"github.com/hibiken/asynq"

	"github.com/tollgate/tollgate/libs/polltest"
)

func TestInspector_ListsQueuesAndWorkers(t *testing.T) {
	t.Parallel()
	onEveryRedis(t, func(t *testing.T, r *Redis) {
		i := NewInspector(r)
		defer i.Close()
		if states, err := i.Queues(); err != nil || len(states) != 0 {
			t.Errorf("before the first task: got %+v, error %v; want no queues", states, err)
		}
		foreign := asynq.NewClient(r.connection())
		defer foreign.Close() //nolint:errcheck // no command is pending
		if _, err := foreign.EnqueueContext(t.Context(), asynq.NewTask("x", nil), asynq.Queue("foreign")); err != nil {
			t.Fatal(err)
		}
		running, finish := make(chan struct{}), make(chan struct{})
		serve(t, r, PeriodicTask{Task: RollUpUsage, Every: time.Hour, Handler: func(context.Context) error {
			running <- struct{}{}
			<-finish
			return nil
		}})
		<-running
		polltest.Until(t, "a worker runs the task", func() bool {
			workers, err := i.Workers()
			return err == nil && len(workers) == 1 && workers[0].Active == 1 && workers[0].PID > 0 &&
				!workers[0].StartedAt.IsZero()
		})
		states, err := i.Queues()
		if err != nil || len(states) != 1 || states[0].Name != queueName || states[0].Active != 1 || states[0].Paused {
			t.Errorf("while the task runs: got %+v, error %v; want one active task in the queue %s",
				states, err, queueName)
		}
		close(finish)
		polltest.Until(t, "the task is counted", func() bool {
			states, err := i.Queues()
			return err == nil && len(states) == 1 && states[0].Processed == 1 && states[0].Failed == 0
		})
	})
}

func TestInspector_ReturnsAnErrorDuringAnOutage(t *testing.T) {
	t.Parallel()
	server := newRedisServer(t)
	server.start(t)
	i := NewInspector(open(t, server.url()))
	defer i.Close()
	server.stop()
	if _, err := i.Queues(); err == nil {
		t.Error("Queues returned no error")
	}
	if _, err := i.Workers(); err == nil {
		t.Error("Workers returned no error")
	}
}
