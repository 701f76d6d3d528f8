package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/hibiken/asynq"
)

const (
	maxRetry    = 3               // retries of a task that failed; after that the schedule runs it again
	taskTimeout = 5 * time.Minute // after which a handler's context ends

	pollInterval   = 500 * time.Millisecond // between two looks of an idle server for tasks
	healthInterval = 5 * time.Second        // between two checks that Redis answers
	// shutdownTimeout is the longest time that asynq waits for running tasks. It is longer than any drain time, because
	// the context of Stop decides when tasks are canceled.
	shutdownTimeout = time.Hour
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
	cron    *asynq.Scheduler

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
	logger := quiet{o.Log}
	s.server = asynq.NewServer(o.Redis.connection(), asynq.Config{
		Concurrency: slots * len(o.Tasks), Queues: map[string]int{queueName: 1},
		BaseContext:       func() context.Context { return s.base },
		TaskCheckInterval: pollInterval, ShutdownTimeout: shutdownTimeout,
		RetryDelayFunc: func(n int, _ error, _ *asynq.Task) time.Duration {
			return time.Duration(n+1) * 2 * time.Second
		},
		ErrorHandler:    asynq.ErrorHandlerFunc(s.failed),
		HealthCheckFunc: s.health, HealthCheckInterval: healthInterval,
		Logger: logger, LogLevel: asynq.DebugLevel,
	})
	s.cron = asynq.NewScheduler(o.Redis.connection(), &asynq.SchedulerOpts{
		Logger: logger, LogLevel: asynq.DebugLevel, PostEnqueueFunc: func(_ *asynq.TaskInfo, err error) {
			s.scheduled(err)
		},
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
		spec, first := fmt.Sprintf("@every %s", task.Every), asynq.NewTask(string(task.Task), []byte("0"))
		if _, err := s.cron.Register(spec, first, options(task.Task)...); err != nil {
			return fmt.Errorf("queue: schedule %s: %w", task.Task, err)
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

// enqueueAll adds each task once. Otherwise a program that restarts often would never run the tasks with long
// intervals. It retries while Redis is unavailable.
func (s *Server) enqueueAll() {
	defer s.first.Done()
	client := asynq.NewClient(s.options.Redis.connection())
	defer func() { _ = client.Close() }() // no command is pending
	for _, task := range s.options.Tasks {
		for {
			err := enqueue(s.base, client, task.Task)
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
	s.cron.Shutdown()
	s.server.Shutdown()
	s.cancel()
	s.first.Wait()
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
