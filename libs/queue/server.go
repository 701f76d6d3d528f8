package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/tollgate/tollgate/libs/periodic"
)

const (
	maxRetry    = 3               // retries of a task that failed; after that the schedule runs it again
	taskTimeout = 5 * time.Minute // after which a handler's context ends

	pollInterval   = 500 * time.Millisecond // between two looks of an idle server for tasks
	healthInterval = 5 * time.Second        // between two checks that Redis answers
	// shutdownTimeout is the longest time that asynq waits for running tasks. It is longer than any drain time, because
	// the context of Stop decides when tasks are canceled.
	shutdownTimeout = time.Hour

	historyRetention = 7 * 24 * time.Hour // see deleteHistories
	scanBatch        = 1000               // keys that Redis looks at in one step of a scan
)

// Handler does the work of a task. It must be idempotent, because tasks may be duplicated, and return when
// ctx ends. After an error or a panic it is called again up to three times, 2, 4 and 6 s later.
type Handler func(ctx context.Context) error

// PeriodicTask is a task with its handler and its schedule.
type PeriodicTask struct {
	Task    Task
	Handler Handler
	// Every is the interval of the schedule, at least 1 s. The task also runs once when the server starts.
	Every time.Duration
}

// ServerOptions configures a Server.
type ServerOptions struct {
	Redis *Redis
	Tasks []PeriodicTask
	Log   *slog.Logger
}

// Server runs tasks between Start and Stop. While Redis is unavailable no task runs; the server continues
// when Redis is back. Several servers may share a Redis: each task runs in one of them.
type Server struct {
	options ServerOptions
	server  *asynq.Server
	redis   redis.UniversalClient // of the schedule; nil before Start, as the next two
	client  *asynq.Client         // on redis
	cron    []*periodic.Task      // one for each task

	base   context.Context // parent of the handlers' contexts
	cancel context.CancelFunc
	outage outage

	mu      sync.Mutex
	started bool
	stopped bool
	first   sync.WaitGroup // has the goroutine of enqueueAll
	done    chan struct{}  // closed when everything has ended
}

// NewServer returns a server that is not started.
func NewServer(o ServerOptions) *Server {
	s := &Server{options: o, done: make(chan struct{})}
	s.base, s.cancel = context.WithCancel(context.Background())
	s.server = asynq.NewServer(o.Redis.connection(), asynq.Config{
		Concurrency: slots * len(o.Tasks), Queues: map[string]int{queueName: 1},
		BaseContext:       func() context.Context { return s.base },
		TaskCheckInterval: pollInterval, ShutdownTimeout: shutdownTimeout,
		RetryDelayFunc: func(n int, _ error, _ *asynq.Task) time.Duration {
			return time.Duration(n+1) * 2 * time.Second
		},
		ErrorHandler:    asynq.ErrorHandlerFunc(s.failed),
		HealthCheckFunc: s.health, HealthCheckInterval: healthInterval,
		Logger: quiet{o.Log}, LogLevel: asynq.DebugLevel,
	})
	return s
}

// Start starts the server without waiting for Redis. It is an error to start a server twice, or after Stop.
func (s *Server) Start(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started || s.stopped {
		return errors.New("queue: the server was started or stopped before")
	}
	mux := asynq.NewServeMux()
	for _, task := range s.options.Tasks {
		mux.HandleFunc(string(task.Task), bounded(task.Handler))
	}
	if err := s.server.Start(mux); err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	s.started = true
	s.redis = connector{s.options.Redis.target}.client()
	s.client = asynq.NewClientFromRedisClient(s.redis)
	for _, task := range s.options.Tasks {
		timer := periodic.New(max(time.Second, task.Every), func(ctx context.Context) { s.enqueueNext(ctx, task.Task) })
		timer.Start(s.base)
		s.cron = append(s.cron, timer)
	}
	s.first.Add(1)
	go s.enqueueAll()
	return nil
}

// bounded returns a handler for asynq that lets at most two tasks of its kind run at once, so that slow tasks of one
// kind never keep others waiting. A third one ends at once: the schedule repeats it.
func bounded(handle Handler) asynq.HandlerFunc {
	running := make(chan struct{}, slots)
	return func(ctx context.Context, _ *asynq.Task) error {
		select {
		case running <- struct{}{}:
		default:
			return nil
		}
		defer func() { <-running }()
		return handle(ctx)
	}
}

// enqueueNext adds the next task of the schedule, unless the last one of the schedule has not ended. The scheduler of
// asynq would do the same, but it writes a history into Redis that a process which is killed does not delete.
func (s *Server) enqueueNext(ctx context.Context, task Task) {
	_, err := s.client.EnqueueContext(ctx, asynq.NewTask(string(task), []byte("0")), options(task)...)
	if ctx.Err() == nil {
		s.scheduled(err)
	}
}

// enqueueAll adds each task once. Otherwise a program that restarts often would never run the tasks with long
// intervals. It retries while Redis is unavailable. Then it deletes old histories.
func (s *Server) enqueueAll() {
	defer s.first.Done()
	for _, task := range s.options.Tasks {
		for {
			err := enqueue(s.base, s.client, task.Task)
			if s.base.Err() == nil {
				s.scheduled(err)
			}
			if err == nil {
				break
			}
			select {
			case <-s.base.Done():
				return
			case <-time.After(healthInterval):
			}
		}
	}
	if err := deleteHistories(s.base, s.redis, time.Now().Add(-historyRetention)); err != nil {
		s.options.Log.DebugContext(s.base, "old histories of the scheduler stay in Redis", "error", err)
	}
}

// deleteHistories deletes the histories that the scheduler of asynq wrote and that have no entry since the given time.
// Earlier versions used this scheduler, and each worker that was killed has a history of a megabyte or more in Redis.
// Newer histories may be those of running workers of an earlier version, or of other programs.
func deleteHistories(ctx context.Context, client redis.UniversalClient, before time.Time) error {
	if cluster, ok := client.(*redis.ClusterClient); ok {
		//nolint:wrapcheck // each node's error is wrapped
		return cluster.ForEachMaster(ctx, func(ctx context.Context, master *redis.Client) error {
			return deleteHistories(ctx, master, before)
		})
	}
	keys := client.Scan(ctx, 0, "asynq:scheduler_history:*", scanBatch).Iterator()
	for keys.Next(ctx) {
		last, err := client.ZRevRangeWithScores(ctx, keys.Val(), 0, 0).Result()
		if err == nil && len(last) > 0 && last[0].Score < float64(before.Unix()) {
			err = client.Unlink(ctx, keys.Val()).Err()
		}
		if err != nil {
			return fmt.Errorf("delete %s: %w", keys.Val(), err)
		}
	}
	if err := keys.Err(); err != nil {
		return fmt.Errorf("find old histories: %w", err)
	}
	return nil
}

// Stop starts no more tasks and waits for the running ones. If ctx ends first, it cancels their contexts and
// returns an error that wraps that of ctx, without waiting any longer. It may be called twice, or before
// Start.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	isFirst := s.started && !s.stopped
	waits := s.started
	s.stopped = true
	s.mu.Unlock()
	if isFirst {
		go s.shutdown()
	}
	if !waits {
		s.cancel()
		return nil
	}
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
		s.cancel()
		return fmt.Errorf("queue: running tasks were canceled: %w", ctx.Err())
	}
}

// shutdown stops the scheduler, waits for the running tasks and frees everything.
func (s *Server) shutdown() {
	defer close(s.done)
	var stopping sync.WaitGroup
	for _, timer := range s.cron {
		stopping.Go(timer.Stop)
	}
	stopping.Wait()
	s.server.Shutdown()
	s.cancel()
	s.first.Wait()
	_ = s.redis.Close() // no command is pending
}

// failed logs the error of a handler, except during a stop. asynq retries the task.
func (s *Server) failed(ctx context.Context, task *asynq.Task, err error) {
	if s.base.Err() != nil {
		return
	}
	s.options.Log.ErrorContext(ctx, "task failed", "task", task.Type(), "error", err)
}

// outage remembers why tasks do not run. A Redis that answers may still refuse them: because its memory is full,
// because it is a replica, or because other nodes of its cluster are down.
type outage struct {
	mu      sync.Mutex
	silence error // of the last check whether Redis answers
	refusal error // of the last attempt to enqueue a task
}

// Err returns nil while Redis answers and accepts the tasks of the schedule, else the error of the last attempt.
func (s *Server) Err() error {
	s.outage.mu.Lock()
	defer s.outage.mu.Unlock()
	return s.outage.err()
}

// health records whether Redis answers.
func (s *Server) health(err error) { s.record(&s.outage.silence, err) }

// scheduled records whether Redis accepted a task, or has it already.
func (s *Server) scheduled(err error) {
	if errors.Is(err, asynq.ErrDuplicateTask) {
		err = nil
	}
	s.record(&s.outage.refusal, err)
}

// record sets one of the errors of the outage. It logs the beginning and the end of an outage, each once.
func (s *Server) record(to *error, err error) {
	s.outage.mu.Lock()
	defer s.outage.mu.Unlock()
	was := s.outage.err()
	*to = err
	switch is := s.outage.err(); {
	case is != nil && was == nil:
		s.options.Log.Warn("background work waits: Redis does not answer or does not accept tasks", "error", is)
	case is == nil && was != nil:
		s.options.Log.Info("Redis accepts tasks again")
	}
}

func (o *outage) err() error { return errors.Join(o.silence, o.refusal) }

// quiet is the logger for asynq. asynq logs every failed command during an outage; quiet writes that at the
// debug level, because health logs the outage once.
type quiet struct{ log *slog.Logger }

func (q quiet) Debug(args ...any) { q.log.Debug("asynq", "message", fmt.Sprint(args...)) }
func (q quiet) Info(args ...any)  { q.Debug(args...) }
func (q quiet) Warn(args ...any)  { q.Debug(args...) }
func (q quiet) Error(args ...any) { q.Debug(args...) }
func (q quiet) Fatal(args ...any) {
	q.log.Error("asynq", "message", fmt.Sprint(args...))
}
