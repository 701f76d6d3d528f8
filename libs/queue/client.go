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
	// wakeInterval is the least time between two wake-ups of one client.
	wakeInterval = 200 * time.Millisecond
	// sendTimeout bounds one attempt to reach Redis.
	sendTimeout = 500 * time.Millisecond
	// uniqueFor is how long a task that vanished with its worker keeps others
	// like it out.
	uniqueFor = time.Minute
)

// Client wakes work. It is safe for concurrent use; Close ends it.
type Client struct {
	redis *redis.Client
	asynq *asynq.Client
	log   *slog.Logger

	mu      sync.Mutex
	waiting []Task // each once: as many as there are kinds at the most
	wake    chan struct{}

	stop chan struct{}
	once sync.Once
	done chan struct{}
	down bool // Redis did not answer the last time; of the sender's goroutine
}

// NewClient returns a client of r. It never waits for Redis.
func NewClient(r *Redis) *Client {
	options := *r.options
	options.DialTimeout, options.ReadTimeout, options.WriteTimeout = sendTimeout, sendTimeout, sendTimeout
	options.MaxRetries, options.PoolSize, options.ContextTimeoutEnabled = -1, 2, true
	connection := redis.NewClient(&options)
	c := &Client{
		redis: connection, asynq: asynq.NewClientFromRedisClient(connection), log: r.log,
		wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	go c.send()
	return c
}

// ErrClosed is returned by a client that was closed.
var ErrClosed = errors.New("queue: the client is closed")

// WakeRollup asks for the outbox to be drained soon. See Wake.
func (c *Client) WakeRollup(ctx context.Context) error { return c.Wake(ctx, RollUpUsage) }

// Wake asks for the task to be done soon. It returns at once: many calls
// become one task of each kind, at most one each 200 ms, and what Redis does
// not take is left to the workers' own schedule. The only error is ErrClosed.
func (c *Client) Wake(_ context.Context, task Task) error {
	select {
	case <-c.stop:
		return ErrClosed
	default:
	}
	c.mu.Lock()
	if !slices.Contains(c.waiting, task) { // else one is waiting already, and will see what this caller did
		c.waiting = append(c.waiting, task)
	}
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
	return nil
}

// Close sends the wake-ups that are still waiting and frees the connections. It
// may be called twice.
func (c *Client) Close() error {
	c.once.Do(func() { close(c.stop) })
	<-c.done
	return nil
}

func (c *Client) send() {
	defer close(c.done)
	defer func() { _ = c.redis.Close() }() // nothing is lost with it
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

func (c *Client) last() {
	select {
	case <-c.wake:
		c.enqueue()
	default:
	}
}

// enqueue makes the tasks that wait and tells the log when Redis goes and
// comes. One that fails ends it: so a send takes no longer for many.
func (c *Client) enqueue() {
	c.mu.Lock()
	tasks := c.waiting
	c.waiting = nil
	c.mu.Unlock()
	if len(tasks) == 0 {
		return // another send took them
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

// slots is how many tasks of one kind may be there at once: one that runs,
// and one behind it that will see what came too late for the first.
const slots = 2

// enqueue adds the task unless enough like it are there.
func enqueue(ctx context.Context, client *asynq.Client, task Task) error {
	for slot := range slots {
		_, err := client.EnqueueContext(ctx, asynq.NewTask(string(task), []byte(strconv.Itoa(slot))), options()...)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, asynq.ErrDuplicateTask):
			return fmt.Errorf("enqueue %s: %w", task, err)
		}
	}
	return nil
}

func options() []asynq.Option {
	return []asynq.Option{
		asynq.Queue(queueName), asynq.Unique(uniqueFor), asynq.MaxRetry(maxRetry), asynq.Timeout(taskTimeout),
	}
}
