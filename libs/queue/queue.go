// Package queue wakes background work in workers, through Redis and asynq.
//
// A task has a name and no data: it tells a worker to look into the database for work of one kind. The state
// of the work is in the database. Therefore a task may be lost, duplicated or late, and nothing needs to be
// restored when Redis loses its data.
//
//	Client.Wake --(at most once a second)--> Redis: at most 2 tasks of each kind --> Server: Handler
//	                    Server's schedule ------^
//
// Two tasks of a kind are enough: one that runs and may have read the database already, and one behind it
// that sees everything that was written before the wake-up. asynq's unique tasks keep further ones out. A
// Server also enqueues each task on a schedule, so lost wake-ups only cause a delay.
//
// No call waits for Redis, except those of Inspector and of the connections of Redis.Client: if Redis is
// unavailable, wake-ups are dropped and callers notice nothing.
//
// Package embedded runs a Redis for programs without one, which run in one process.
package queue

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

// Task is the name of a kind of work.
type Task string

// The tasks.
const (
	RollUpUsage      Task = "usage:rollup"      // drain the outbox into the rollups
	EnsurePartitions Task = "partitions:ensure" // make the partitions of the coming months
	ReclaimLeases    Task = "leases:reclaim"    // end the leases of relays without a heartbeat
	SweepStore       Task = "store:sweep"       // delete expired rows
	DropUsageLogs    Task = "usage:drop"        // delete usage logs that are older than configured
	PruneAuditLog    Task = "audit:prune"       // delete entries of the audit log that are older than configured
	Reconcile        Task = "usage:reconcile"   // compare records that must agree
	ProbeChannels    Task = "channels:probe"    // check the credentials of channels
	FetchCharges     Task = "supplier:fetch"    // fetch what providers say that they charged
	SyncPrices       Task = "prices:sync"       // fetch the file of the price catalog
	FindAlerts       Task = "alerts:find"       // compare quotas and the platform with the rules of alerts
	SendAlerts       Task = "alerts:send"       // deliver alerts
	ExportUsage      Task = "usage:export"      // write usage logs to a bucket
	RunJobs          Task = "jobs:run"          // run the jobs of users: exports, simulations, imports
)

const (
	// clientConnections bounds the connections of the client that Redis.Client returns.
	clientConnections = 16
	// clientTimeout bounds the commands of that client that have no deadline, such as those that make a new
	// connection in the background.
	clientTimeout = 2 * time.Second
)

// queueName separates Tollgate's tasks from those of other programs that use asynq on the same Redis.
const queueName = "tollgate"

// Redis is a Redis, external or embedded: one server, servers behind Sentinels, or a cluster. It holds the addresses
// only; clients, servers and inspectors make their own connections. It is safe for concurrent use.
type Redis struct {
	target *target
	log    *slog.Logger

	stop     func() // stops an embedded Redis; nil for an external server
	stopOnce sync.Once
}

// Open returns the Redis at the URL, without connecting to it. Check connects. docs/redis.md describes the forms of the
// URL. Errors do not show the URL, which may hold a password.
func Open(url string, log *slog.Logger) (*Redis, error) {
	silenceDriver()
	target, err := parse(url)
	if err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	return &Redis{target: target, log: log}, nil
}

// silenceDriver turns off the log of the Redis driver for the whole process. The driver logs each failed
// connection; clients and servers of this package log an outage once.
var silenceDriver = sync.OnceFunc(func() { redis.SetLogger(mute{}) })

// mute is a logger that drops everything.
type mute struct{}

// Printf prints nothing.
func (mute) Printf(context.Context, string, ...any) {}

// Embed returns the Redis that package embedded runs in this process. Close calls stop.
func Embed(addr, password string, stop func(), log *slog.Logger) *Redis {
	silenceDriver()
	return &Redis{target: &target{single: &redis.Options{Network: "tcp", Addr: addr, Password: password}},
		log: log, stop: stop}
}

// Embedded reports whether the Redis runs in this process.
func (r *Redis) Embedded() bool { return r.stop != nil }

// Client returns a new client for commands in the path of a request, such as those of rate limits. The caller
// sets a deadline for each command and closes the client. If a connection turns out to be broken, the client
// retries the command once on a new one, so a command may be executed twice. Client returns nil for an
// embedded Redis: it is too slow for requests, and a single process has no other process to share limits
// with.
//
// All keys of one script must have the same hash tag, because the Redis may be a cluster.
func (r *Redis) Client() redis.UniversalClient {
	if r.Embedded() {
		return nil
	}
	return r.target.client(tuning{
		timeout: clientTimeout, retries: 1, backoff: time.Millisecond, connections: clientConnections, idle: 1,
		dials: 1, deadlines: true,
	})
}

// Close stops an embedded Redis and does nothing for an external one. Close all clients and servers before.
// It may be called twice.
func (r *Redis) Close() error {
	r.stopOnce.Do(func() {
		if r.stop != nil {
			r.stop()
		}
	})
	return nil
}

// connection returns the options with which asynq makes its own connections.
func (r *Redis) connection() asynq.RedisConnOpt { return connector{r.target} }

// connector is a RedisConnOpt for each kind of Redis. Those of asynq cannot set how soon a client of a cluster notices
// that another node has become a master.
type connector struct{ target *target }

// MakeRedisClient returns a redis.UniversalClient, as asynq requires.
func (c connector) MakeRedisClient() any { return c.client() }

// client returns a client for background work, which may wait for Redis.
func (c connector) client() redis.UniversalClient {
	return c.target.client(tuning{dialTimeout: time.Second, timeout: 2 * time.Second})
}
