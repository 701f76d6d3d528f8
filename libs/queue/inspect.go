package queue

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

// shownQueues and shownWorkers bound the lists that an Inspector returns.
const (
	shownQueues  = 20
	shownWorkers = 100
)

// Stats counts the tasks of a queue.
type Stats struct {
	Name      string
	Pending   int // ready to run
	Active    int // running
	Scheduled int // to run at a later time
	Retry     int // failed, to be retried
	Archived  int // failed, out of retries
	Processed int // ended today (UTC), with or without an error
	Failed    int // ended today with an error
	Paused    bool
	Latency   time.Duration // age of the oldest pending task
}

// Worker is a process that runs tasks.
type Worker struct {
	ID        string
	Host      string
	PID       int
	StartedAt time.Time
	Status    string // of asynq: active or closed
	Active    int    // number of running tasks
}

// Inspector reads the state of queues and workers from Redis. It is safe for concurrent use.
type Inspector struct {
	redis redis.UniversalClient
	asynq *asynq.Inspector

	target *target
}

// NewInspector returns an inspector of r. Each of its commands waits for Redis at most half a second.
func NewInspector(r *Redis) *Inspector {
	connection := r.target.client(tuning{timeout: sendTimeout, retries: -1, connections: 2, dials: 1})
	return &Inspector{redis: connection, asynq: asynq.NewInspectorFromRedisClient(connection), target: r.target}
}

// Close closes the connections. It may be called twice.
func (i *Inspector) Close() { _ = i.redis.Close() } // no command is pending

// Queues returns up to 20 of Tollgate's queues, ordered by name. A queue exists from its first task on.
func (i *Inspector) Queues() ([]Stats, error) {
	names, err := i.asynq.Queues()
	if err != nil {
		return nil, fmt.Errorf("list queues: %w", err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, queueName) })
	slices.Sort(names)
	states := []Stats{}
	for _, name := range names[:min(shownQueues, len(names))] {
		info, err := i.asynq.GetQueueInfo(name)
		if err != nil {
			return nil, fmt.Errorf("read queue %s: %w", name, err)
		}
		states = append(states, Stats{
			Name: name, Pending: info.Pending, Active: info.Active, Scheduled: info.Scheduled, Retry: info.Retry,
			Archived:  info.Archived,
			Processed: info.Processed, Failed: info.Failed, Paused: info.Paused, Latency: info.Latency,
		})
	}
	return states, nil
}

// Policy returns Redis's maxmemory-policy if it permits Redis to delete keys, and "" if it does not or is not known.
func (i *Inspector) Policy(ctx context.Context) (string, error) {
	policy, err := i.target.read(ctx, i.redis)
	if err != nil {
		return "", fmt.Errorf("read the policy of Redis: %w", err)
	}
	return policy, nil
}

// Workers returns up to 100 processes that serve Tollgate's queues, the oldest first. asynq drops a process a
// few seconds after its last heartbeat.
func (i *Inspector) Workers() ([]Worker, error) {
	servers, err := i.asynq.Servers()
	if err != nil {
		return nil, fmt.Errorf("list workers: %w", err)
	}
	workers := []Worker{}
	for _, server := range servers {
		ours := false
		for name := range server.Queues {
			ours = ours || strings.HasPrefix(name, queueName)
		}
		if ours {
			workers = append(workers, Worker{
				ID: server.ID, Host: server.Host, PID: server.PID, StartedAt: server.Started, Status: server.Status,
				Active: len(server.ActiveWorkers),
			})
		}
	}
	slices.SortFunc(workers, func(a, b Worker) int { return a.StartedAt.Compare(b.StartedAt) })
	return workers[:min(shownWorkers, len(workers))], nil
}
