package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

const (
	// wakeInterval is the least time between two sends of a client. A relay under load wakes the worker after each of
	// its batches, and rollups cost less when they are made from many batches at once.
	wakeInterval = time.Second
	// sendTimeout bounds one send: all tasks that wait at that moment.
	sendTimeout = 500 * time.Millisecond
	// uniqueFor is the time for which a task keeps equal tasks out, unless it ends earlier: its worker may have died
	// with it.
	uniqueFor = time.Minute
	// uniqueJobs is uniqueFor for RunJobs, which ends when no job is due. While it runs a long one, others run, too.
	uniqueJobs = 3 * time.Second
)

// Client sends wake-ups to workers. A goroutine of its own talks to Redis, so callers never wait. It is safe
// for concurrent use; Close ends it.
type Client struct {
	redis redis.UniversalClient
	asynq *asynq.Client
	log   *slog.Logger

	mu    sync.Mutex
	tasks []Task        // to be sent, each kind once
	wake  chan struct{} // has an element if tasks are waiting

	stop chan struct{} // closed by Close
	once sync.Once     // closes stop
	done chan struct{} // closed when send has ended
	down bool          // whether the last send failed; only send reads and writes it
}

// NewClient returns a client of r and starts its goroutine. It does not wait for Redis.
func NewClient(r *Redis) *Client {
	connection := r.target.client(tuning{timeout: sendTimeout, retries: -1, connections: 2, deadlines: true})
	c := &Client{
		redis: connection, asynq: asynq.NewClientFromRedisClient(connection), log: r.log,
		wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	go c.send()
	return c
}

// ErrClosed is returned by a client that was closed.
var ErrClosed = errors.New("queue: the client is closed")

// WakeRollup asks a worker to drain the usage outbox soon. See Wake.
func (c *Client) WakeRollup(ctx context.Context) error { return c.Wake(ctx, RollUpUsage) }

// Wake asks a worker to run the task soon, and returns at once. Calls within a second become one task of each
// kind. If Redis does not accept the task, it is dropped, and the schedule of the workers runs it later. The
// only error is ErrClosed.
func (c *Client) Wake(_ context.Context, task Task) error {
	select {
	case <-c.stop:
		return ErrClosed
	default:
	}
	c.mu.Lock()
	if !slices.Contains(c.tasks, task) { // a task that waits already runs after this call and sees its changes
		c.tasks = append(c.tasks, task)
	}
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default: // send is signaled already and will see the task
	}
	return nil
}

// Close sends the wake-ups that are waiting, in at most 500 ms, and closes the connections. It may be called
// twice.
func (c *Client) Close() error {
	c.once.Do(func() { close(c.stop) })
	<-c.done
	return nil
}

// send sends waiting wake-ups until Close, with a pause of wakeInterval after each.
func (c *Client) send() {
	defer close(c.done)
	defer func() { _ = c.redis.Close() }() // no command is pending
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-c.stop:
			c.last()
			return
		case <-c.wake:
			c.enqueue()
		}
		pause.Reset(wakeInterval)
		select {
		case <-c.stop:
			c.last()
			return
		case <-pause.C:
		}
	}
}

// last sends the wake-ups that are waiting when the client is closed.
func (c *Client) last() {
	select {
	case <-c.wake:
		c.enqueue()
	default:
	}
}

// enqueue sends all waiting tasks to Redis. It drops the rest after the first failure, because they share one
// timeout. It logs the beginning and the end of an outage, each once.
func (c *Client) enqueue() {
	c.mu.Lock()
	tasks := c.tasks
	c.tasks = nil
	c.mu.Unlock()
	if len(tasks) == 0 {
		return // the last send has taken the tasks, after wake was signaled again
	}
	ctx, cancel := context.WithTimeout(context.Background(), sendTimeout)
	defer cancel()
	var err error
	for _, task := range tasks {
		if err = enqueue(ctx, c.asynq, task); err != nil {
			break
		}
	}
	switch {
	case err != nil && !c.down:
		c.log.WarnContext(ctx, "Redis does not answer: rollups and jobs wait for the workers' schedule", "error", err)
	case err == nil && c.down:
		c.log.InfoContext(ctx, "Redis answers again")
	}
	c.down = err != nil
}

// slots is the greatest number of tasks of one kind in Redis: one that runs, and one behind it that sees the
// changes that came too late for the first.
const slots = 2

// enqueue adds a task unless two of its kind exist already. The slot is the payload, which makes the two
// tasks different for asynq's check of uniqueness.
func enqueue(ctx context.Context, client *asynq.Client, task Task) error {
	for slot := range slots {
		_, err := client.EnqueueContext(ctx, asynq.NewTask(string(task), []byte(strconv.Itoa(slot))), options(task)...)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, asynq.ErrDuplicateTask):
			return fmt.Errorf("enqueue %s: %w", task, err)
		}
	}
	return nil
}

// options returns the options of a task.
func options(task Task) []asynq.Option {
	unique := uniqueFor
	if task == RunJobs {
		unique = uniqueJobs
	}
	return []asynq.Option{
		asynq.Queue(queueName), asynq.Unique(unique), asynq.MaxRetry(maxRetry), asynq.Timeout(taskTimeout),
	}
}
