// Package queue wakes background work through Redis and asynq. Queues hold no
// state: what there is to do stands in the database, tasks only say "look
// now", and every one may be lost, doubled or late. So nothing here may stop
// or slow a caller when Redis is away.
package queue

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

// Task names a kind of work. A task carries nothing else.
type Task string

// The tasks.
const (
	RollUpUsage      Task = "usage:rollup"      // drain the outbox into the rollups
	EnsurePartitions Task = "partitions:ensure" // make the coming months' partitions
	ReclaimLeases    Task = "leases:reclaim"    // end the leases of relays that stay away
	SweepStore       Task = "store:sweep"       // delete what has expired
	DropUsageLogs    Task = "usage:drop"        // remove usage logs that are kept no longer
	Reconcile        Task = "usage:reconcile"   // compare what is written down twice
	ProbeChannels    Task = "channels:probe"    // ask upstreams about credentials
	RunJobs          Task = "jobs:run"          // do what users asked for: exports, simulations, imports
)

const (
	// clientConnections bounds the connections of one Client.
	clientConnections = 16
	// clientTimeout bounds what a Client does without a deadline, such as making
	// a connection that nobody waits for any more.
	clientTimeout = 2 * time.Second
)

// queueName keeps our tasks apart from those of others in the same Redis.
const queueName = "tollgate"

// Redis is where the queues are. It is safe for concurrent use.
type Redis struct {
	options *redis.Options
	log     *slog.Logger

	embedded *miniredis.Miniredis // nil for a real one
	stop     chan struct{}
	stopOnce sync.Once
	ticking  sync.WaitGroup
}

// Open returns the Redis at the URL, which need not answer yet, or for "" one
// inside this process, which forgets everything at Close.
func Open(url string, log *slog.Logger) (*Redis, error) {
	silenceDriver()
	if url == "" {
		return embed(log)
	}
	options, err := redis.ParseURL(url)
	if err != nil {
		return nil, errors.New("queue: the Redis URL cannot be read") // err quotes it, and it may hold a password
	}
	return &Redis{options: options, log: log, stop: make(chan struct{})}, nil
}

// silenceDriver ends what the driver prints by itself, process-wide, for each
// failed connection: clients and servers say once that Redis is away.
var silenceDriver = sync.OnceFunc(func() { redis.SetLogger(mute{}) })

type mute struct{}

// Printf prints nothing.
func (mute) Printf(context.Context, string, ...any) {}

// embed starts a Redis on a loopback port of its own, closed to others by a
// password.
func embed(log *slog.Logger) (*Redis, error) {
	mini := miniredis.NewMiniRedis()
	password := rand.Text()
	mini.RequireAuth(password)
	if err := mini.Start(); err != nil {
		return nil, fmt.Errorf("queue: embedded Redis: %w", err)
	}
	r := &Redis{
		options: &redis.Options{Network: "tcp", Addr: mini.Addr(), Password: password},
		log:     log, embedded: mini, stop: make(chan struct{}),
	}
	r.ticking.Add(1)
	go r.tick()
	return r, nil
}

// tick moves the embedded Redis's clock for expiry, which stands still
// otherwise: locks of unique tasks would never be freed.
func (r *Redis) tick() {
	defer r.ticking.Done()
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	last := time.Now()
	for {
		select {
		case <-r.stop:
			return
		case now := <-ticker.C:
			r.embedded.FastForward(now.Sub(last))
			last = now
		}
	}
}

// Embedded reports whether the Redis lives in this process.
func (r *Redis) Embedded() bool { return r.embedded != nil }

// Client returns connections for what is to be asked in the middle of a
// request. Who asks sets the deadline; a connection that turns out to be broken
// is replaced once within it, so what is asked may be done twice. The caller
// closes them. They are nil for an embedded Redis, which is too slow for that,
// and one process has nobody to share with.
func (r *Redis) Client() *redis.Client {
	if r.Embedded() {
		return nil
	}
	options := *r.options
	options.DialTimeout, options.ReadTimeout, options.WriteTimeout = clientTimeout, clientTimeout, clientTimeout
	options.MaxRetries, options.MinRetryBackoff, options.MaxRetryBackoff = 1, time.Millisecond, time.Millisecond
	options.PoolSize, options.MinIdleConns, options.DialerRetries = clientConnections, 1, 1
	options.ContextTimeoutEnabled = true
	return redis.NewClient(&options)
}

// Close ends an embedded Redis. Clients and servers must be closed before it.
// It may be called twice.
func (r *Redis) Close() error {
	r.stopOnce.Do(func() {
		close(r.stop)
		r.ticking.Wait()
		if r.embedded != nil {
			r.embedded.Close()
		}
	})
	return nil
}

// connection describes a connection for asynq to make and own.
func (r *Redis) connection() asynq.RedisClientOpt {
	return asynq.RedisClientOpt{
		Network: r.options.Network, Addr: r.options.Addr,
		Username: r.options.Username, Password: r.options.Password,
		DB: r.options.DB, TLSConfig: cloneTLS(r.options.TLSConfig),
		DialTimeout: time.Second, ReadTimeout: 2 * time.Second, WriteTimeout: 2 * time.Second,
	}
}

func cloneTLS(config *tls.Config) *tls.Config {
	if config == nil {
		return nil
	}
	return config.Clone()
}
