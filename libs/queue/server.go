package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hibiken/asynq"
)

const (
	maxRetry    = 3
	taskTimeout = 5 * time.Minute

	pollInterval   = 500 * time.Millisecond // of an idle server
	healthInterval = 5 * time.Second
	// aftermath outlasts every drain time: it is Stop's context that ends tasks.
	aftermath = time.Hour
)

// Handler does the work of a task. It must be idempotent and end with ctx.
type Handler func(ctx context.Context) error

// PeriodicTask is a task with its handler and its schedule.
type PeriodicTask struct {
	Task    Task
	Handler Handler
	// Every is how often it runs without being woken, at least 1 s, beginning
	// at the start of the server.
	Every time.Duration
}

// ServerOptions describes a Server.
type ServerOptions struct {
	Redis       *Redis
	Tasks       []PeriodicTask
	Concurrency int // tasks at once; 0: 4
	Log         *slog.Logger
}

// Server runs tasks between Start and Stop. While Redis is away nothing runs,
// and it takes up again when Redis is back.
type Server struct {
	options ServerOptions
	server  *asynq.Server
	cron    *asynq.Scheduler

	base   context.Context // of all handlers
	cancel context.CancelFunc
	down   atomic.Bool

	mu      sync.Mutex
	started bool
	stopped bool
	first   sync.WaitGroup // the goroutine that enqueues each job once
	done    chan struct{}  // closed when all has ended
}

// NewServer returns a server that does not run yet.
func NewServer(o ServerOptions) *Server {
	if o.Concurrency == 0 {
		o.Concurrency = 4
	}
	s := &Server{options: o, done: make(chan struct{})}
	s.base, s.cancel = context.WithCancel(context.Background())
	logger := quiet{o.Log}
	s.server = asynq.NewServer(o.Redis.connection(), asynq.Config{
		Concurrency: o.Concurrency, Queues: map[string]int{queueName: 1},
		BaseContext:       func() context.Context { return s.base },
		TaskCheckInterval: pollInterval, ShutdownTimeout: aftermath,
		RetryDelayFunc:  func(n int, _ error, _ *asynq.Task) time.Duration { return time.Duration(n+1) * 2 * time.Second },
		ErrorHandler:    asynq.ErrorHandlerFunc(s.failed),
		HealthCheckFunc: s.health, HealthCheckInterval: healthInterval,
		Logger: logger, LogLevel: asynq.DebugLevel,
	})
	s.cron = asynq.NewScheduler(o.Redis.connection(), &asynq.SchedulerOpts{
		Logger: logger, LogLevel: asynq.DebugLevel,
	})
	return s
}

// Start begins to run tasks. It does not wait for Redis.
func (s *Server) Start(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started || s.stopped {
		return errors.New("queue: the server was started or stopped before")
	}
	mux := asynq.NewServeMux()
	for _, job := range s.options.Tasks {
		mux.HandleFunc(string(job.Task), func(ctx context.Context, _ *asynq.Task) error { return job.Handler(ctx) })
		spec := fmt.Sprintf("@every %s", job.Every)
		if _, err := s.cron.Register(spec, asynq.NewTask(string(job.Task), []byte("0")), options()...); err != nil {
			return fmt.Errorf("queue: schedule of %s: %w", job.Task, err)
		}
	}
	if err := s.server.Start(mux); err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	if err := s.cron.Start(); err != nil {
		s.server.Shutdown()
		return fmt.Errorf("queue: %w", err)
	}
	s.started = true
	s.first.Add(1)
	go s.enqueueAll()
	return nil
}

// enqueueAll adds each job once, so that a restart does not put off what runs
// rarely.
func (s *Server) enqueueAll() {
	defer s.first.Done()
	client := asynq.NewClient(s.options.Redis.connection())
	defer func() { _ = client.Close() }() // nothing is lost with it
	for _, job := range s.options.Tasks {
		for enqueue(s.base, client, job.Task) != nil {
			select {
			case <-s.base.Done():
				return
			case <-time.After(healthInterval):
			}
		}
	}
}

// Stop takes no more tasks and waits for those that run; where ctx ends first
// their contexts are cancelled and Stop returns ctx's error. It may be called
// twice, or before Start.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	first := s.started && !s.stopped
	waits := s.started
	s.stopped = true
	s.mu.Unlock()
	if first {
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
		return fmt.Errorf("queue: tasks were cut: %w", ctx.Err())
	}
}

func (s *Server) shutdown() {
	defer close(s.done)
	s.cron.Shutdown()
	s.server.Shutdown()
	s.cancel()
	s.first.Wait()
}

// failed logs what a handler returned; asynq tries it again a few times.
func (s *Server) failed(ctx context.Context, task *asynq.Task, err error) {
	if s.base.Err() != nil {
		return
	}
	s.options.Log.ErrorContext(ctx, "task failed", "task", task.Type(), "error", err)
}

// health tells the log when Redis goes and comes.
func (s *Server) health(err error) {
	switch was := s.down.Swap(err != nil); {
	case err != nil && !was:
		s.options.Log.Warn("Redis does not answer: background work waits", "error", err)
	case err == nil && was:
		s.options.Log.Info("Redis answers again")
	}
}

// quiet is asynq's log, which repeats itself while Redis is away: health says
// it once.
type quiet struct{ log *slog.Logger }

func (q quiet) Debug(args ...any) { q.log.Debug("asynq", "message", fmt.Sprint(args...)) }
func (q quiet) Info(args ...any)  { q.Debug(args...) }
func (q quiet) Warn(args ...any)  { q.Debug(args...) }
func (q quiet) Error(args ...any) { q.Debug(args...) }
func (q quiet) Fatal(args ...any) {
	q.log.Error("asynq", "message", fmt.Sprint(args...))
}
