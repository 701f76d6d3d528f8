package queue

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

// shownQueues and shownWorkers bound what an Inspector lists.
const (
	shownQueues  = 20
	shownWorkers = 100
)

// Stats is that of one queue.
type Stats struct {
	Name      string
	Pending   int // ready to run
	Active    int
	Scheduled int // for a time to come
	Retry     int // failed, and tried again later
	Archived  int // failed for good
	Processed int // today, in UTC, whatever came of it
	Failed    int // today
	Paused    bool
	Latency   time.Duration // age of the oldest that is ready
}

// Worker is a process that runs tasks.
type Worker struct {
	ID        string
	Host      string
	PID       int
	StartedAt time.Time
	Status    string // as asynq says it: active, or closed
	Active    int    // tasks that it runs
}

// Inspector reads what queues and workers do. It is safe for concurrent use.
type Inspector struct {
	redis *redis.Client
	asynq *asynq.Inspector
}

// NewInspector returns an inspector of r. It waits for Redis half a second at
// the most, in each of its few commands.
func NewInspector(r *Redis) *Inspector {
	options := *r.options
	options.DialTimeout, options.ReadTimeout, options.WriteTimeout = sendTimeout, sendTimeout, sendTimeout
	options.MaxRetries, options.PoolSize, options.DialerRetries = -1, 2, 1
	connection := redis.NewClient(&options)
	return &Inspector{redis: connection, asynq: asynq.NewInspectorFromRedisClient(connection)}
}

// Close frees the connections. It may be called twice.
func (i *Inspector) Close() { _ = i.redis.Close() } // nothing is lost with it

// Queues returns the states of our queues, up to 20, by name. One that nobody
// has used yet is not among them.
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
			Name: name, Pending: info.Pending, Active: info.Active, Scheduled: info.Scheduled, Retry: info.Retry, Archived: info.Archived,
			Processed: info.Processed, Failed: info.Failed, Paused: info.Paused, Latency: info.Latency,
		})
	}
	return states, nil
}

// Workers returns the processes that serve our queues and were heard of within
// seconds, up to 100, the longest lived first.
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
				ID: server.ID, Host: server.Host, PID: server.PID, StartedAt: server.Started, Status: server.Status, Active: len(server.ActiveWorkers),
			})
		}
	}
	slices.SortFunc(workers, func(a, b Worker) int { return a.StartedAt.Compare(b.StartedAt) })
	return workers[:min(shownWorkers, len(workers))], nil
}
