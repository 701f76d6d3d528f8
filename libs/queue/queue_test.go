package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }

// onEveryRedis runs the test on the embedded Redis and on a real one.
func onEveryRedis(t *testing.T, test func(t *testing.T, r *Redis)) {
	t.Helper()
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		test(t, open(t, ""))
	})
	t.Run("real", func(t *testing.T) {
		t.Parallel()
		server := newRedisServer(t)
		server.start(t)
		test(t, open(t, server.url()))
	})
}

func open(t *testing.T, url string) *Redis {
	t.Helper()
	r, err := Open(url, silent())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(r.Close(), r.Close()); err != nil {
			t.Error(err)
		}
	})
	return r
}

// redisServer is a redis-server of this test's own, with outage as a verb.
type redisServer struct {
	path, dir, socket string
	command           *exec.Cmd
}

func newRedisServer(t *testing.T) *redisServer {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: it needs redis-server")
	}
	path, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("TEST_REQUIRE") == "all" {
			t.Fatal("redis-server is not installed")
		}
		t.Skip("redis-server is not installed")
	}
	dir, err := os.MkdirTemp("", "redis") //nolint:usetesting // short: the path of a socket has about 100 characters
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return &redisServer{path: path, dir: dir, socket: filepath.Join(dir, "socket")}
}

func (s *redisServer) url() string { return "unix://" + s.socket }

func (s *redisServer) start(t *testing.T) {
	t.Helper()
	s.command = exec.Command(s.path, "--port", "0", "--unixsocket", s.socket, "--save", "", "--dir", s.dir,
		"--logfile", filepath.Join(s.dir, "log"))
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	eventually(t, "redis-server answers", func() bool {
		conn, err := net.Dial("unix", s.socket)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
}

func (s *redisServer) stop() {
	if s.command != nil {
		_ = s.command.Process.Kill()
		_ = s.command.Wait()
		s.command = nil
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline.C:
			t.Fatalf("not so after 30 s: %s", what)
		case <-tick.C:
		}
	}
}

func client(t *testing.T, r *Redis) *Client {
	t.Helper()
	c := NewClient(r)
	t.Cleanup(func() {
		if err := errors.Join(c.Close(), c.Close()); err != nil {
			t.Error(err)
		}
	})
	return c
}

func serve(t *testing.T, r *Redis, jobs ...PeriodicTask) *Server {
	t.Helper()
	s := NewServer(ServerOptions{Redis: r, Tasks: jobs, Log: silent()})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := s.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	return s
}

// counting is a handler that counts its runs.
func counting(n *atomic.Int64) Handler {
	return func(context.Context) error { n.Add(1); return nil }
}

func pending(t *testing.T, r *Redis) int {
	t.Helper()
	inspector := asynq.NewInspector(r.connection())
	defer func() { _ = inspector.Close() }()
	queues, err := inspector.Queues()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(queues, queueName) {
		return 0
	}
	info, err := inspector.GetQueueInfo(queueName)
	if err != nil {
		t.Fatal(err)
	}
	return info.Pending
}

func TestAWakeUpRunsTheTask(t *testing.T) {
	t.Parallel()
	onEveryRedis(t, func(t *testing.T, r *Redis) {
		var runs atomic.Int64
		serve(t, r, PeriodicTask{Task: RollUpUsage, Handler: counting(&runs), Every: time.Hour})
		eventually(t, "it runs once at the start", func() bool { return runs.Load() == 1 })
		c := client(t, r)
		if err := c.WakeRollup(t.Context()); err != nil {
			t.Fatal(err)
		}
		eventually(t, "it runs when woken", func() bool { return runs.Load() == 2 })
	})
}

func TestManyWakeUpsAreFewTasks(t *testing.T) {
	t.Parallel()
	onEveryRedis(t, func(t *testing.T, r *Redis) {
		c := client(t, r)
		for range 10_000 {
			if err := c.WakeRollup(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		eventually(t, "a task is there", func() bool { return pending(t, r) > 0 })
		if err := c.Close(); err != nil { // what still waits is sent
			t.Fatal(err)
		}
		if n := pending(t, r); n > slots {
			t.Errorf("%d tasks wait, want at most %d", n, slots)
		}
	})
}

func TestAWakeUpDuringTheTaskIsNotLost(t *testing.T) {
	t.Parallel()
	onEveryRedis(t, func(t *testing.T, r *Redis) {
		begun, finish := make(chan struct{}, 10), make(chan struct{})
		var runs atomic.Int64
		serve(t, r, PeriodicTask{Task: RollUpUsage, Every: time.Hour, Handler: func(context.Context) error {
			begun <- struct{}{}
			<-finish
			runs.Add(1)
			return nil
		}})
		<-begun
		c := client(t, r)
		if err := c.WakeRollup(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		close(finish)
		eventually(t, "the second one runs as well", func() bool { return runs.Load() == 2 })
	})
}

func TestCloseSendsWhatWaits(t *testing.T) {
	t.Parallel()
	onEveryRedis(t, func(t *testing.T, r *Redis) {
		c := client(t, r)
		if err := c.WakeRollup(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if n := pending(t, r); n != 1 {
			t.Errorf("%d tasks wait, want 1", n)
		}
		if err := c.WakeRollup(t.Context()); !errors.Is(err, ErrClosed) {
			t.Errorf("a closed client: err = %v", err)
		}
	})
}

func TestTheScheduleNeedsNoWakeUp(t *testing.T) {
	t.Parallel()
	onEveryRedis(t, func(t *testing.T, r *Redis) {
		var runs atomic.Int64
		serve(t, r, PeriodicTask{Task: SweepStore, Handler: counting(&runs), Every: time.Second})
		eventually(t, "it ran three times", func() bool { return runs.Load() >= 3 })
	})
}

func TestAFailedTaskIsTriedAgain(t *testing.T) {
	t.Parallel()
	onEveryRedis(t, func(t *testing.T, r *Redis) {
		var runs atomic.Int64
		serve(t, r, PeriodicTask{Task: EnsurePartitions, Every: time.Hour, Handler: func(context.Context) error {
			switch runs.Add(1) {
			case 1:
				return errors.New("the database is away")
			case 2:
				panic("at the disco")
			}
			return nil
		}})
		eventually(t, "the third try succeeds", func() bool { return runs.Load() == 3 })
	})
}

func TestStopLetsATaskFinish(t *testing.T) {
	t.Parallel()
	r := open(t, "")
	begun, finish := make(chan struct{}), make(chan struct{})
	var finished atomic.Bool
	s := serve(t, r, PeriodicTask{Task: SweepStore, Every: time.Hour, Handler: func(ctx context.Context) error {
		close(begun)
		select {
		case <-finish:
			finished.Store(true)
		case <-ctx.Done():
		}
		return nil
	}})
	<-begun
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(context.Background()) }()
	close(finish)
	if err := <-stopped; err != nil || !finished.Load() {
		t.Errorf("err = %v, finished %v", err, finished.Load())
	}
}

func TestStopCutsATaskThatOutlivesItsContext(t *testing.T) {
	t.Parallel()
	r := open(t, "")
	begun, cut := make(chan struct{}), make(chan struct{})
	s := serve(t, r, PeriodicTask{Task: SweepStore, Every: time.Hour, Handler: func(ctx context.Context) error {
		close(begun)
		<-ctx.Done()
		close(cut)
		return ctx.Err()
	}})
	<-begun
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if err := s.Stop(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("err = %v", err)
	}
	<-cut
}

func TestAServersLife(t *testing.T) {
	t.Parallel()
	r := open(t, "")
	never := NewServer(ServerOptions{Redis: r, Log: silent()})
	if err := errors.Join(never.Stop(t.Context()), never.Stop(t.Context())); err != nil {
		t.Errorf("stopped before the start: %v", err)
	}
	if err := never.Start(t.Context()); err == nil {
		t.Error("started after the stop")
	}
	s := serve(t, r)
	if err := s.Start(t.Context()); err == nil {
		t.Error("started twice")
	}
}

func TestCallersDoNotFeelAnOutage(t *testing.T) {
	t.Parallel()
	server := newRedisServer(t) // never started
	c := client(t, open(t, server.url()))
	begun := time.Now()
	for range 1000 {
		if err := c.WakeRollup(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(begun); took > sendTimeout {
		t.Errorf("1,000 wake-ups of a dead Redis took %v", took)
	}
}

func TestWorkGoesOnAfterAnOutage(t *testing.T) {
	t.Parallel()
	for _, upFirst := range []bool{true, false} {
		t.Run(fmt.Sprintf("up at the start %v", upFirst), func(t *testing.T) {
			t.Parallel()
			server := newRedisServer(t)
			if upFirst {
				server.start(t)
			}
			r := open(t, server.url())
			var runs atomic.Int64
			s := serve(t, r, PeriodicTask{Task: RollUpUsage, Handler: counting(&runs), Every: time.Second})
			c := client(t, r)
			if upFirst {
				eventually(t, "it runs", func() bool { return runs.Load() > 0 })
				server.stop()
			}
			_ = c.WakeRollup(t.Context()) // best effort: Redis is away
			eventually(t, "the server notices", s.down.Load)
			before := runs.Load()
			server.start(t)
			eventually(t, "it runs again", func() bool { return runs.Load() > before+1 })
			before = runs.Load()
			_ = c.WakeRollup(t.Context())
			eventually(t, "it is woken again", func() bool { return runs.Load() > before })
		})
	}
}

func TestTheEmbeddedRedisIsClosedToOthers(t *testing.T) {
	t.Parallel()
	r := open(t, "")
	if !r.Embedded() {
		t.Fatal("not embedded")
	}
	stranger := redis.NewClient(&redis.Options{Addr: r.options.Addr, MaxRetries: -1})
	defer func() { _ = stranger.Close() }()
	if err := stranger.Ping(t.Context()).Err(); err == nil {
		t.Error("a stranger without the password was let in")
	}
}

func TestLocksOfTheEmbeddedRedisExpire(t *testing.T) {
	t.Parallel()
	r := open(t, "")
	c := redis.NewClient(r.options)
	defer func() { _ = c.Close() }()
	if err := c.Set(t.Context(), "lock", "1", 1500*time.Millisecond).Err(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the lock is free", func() bool { return c.Exists(t.Context(), "lock").Val() == 0 })
}

func TestABadURLIsNotEchoed(t *testing.T) {
	t.Parallel()
	_, err := Open("redis://:hunter2@host:port", silent())
	if err == nil || err.Error() != "queue: the Redis URL cannot be read" {
		t.Errorf("err = %v", err)
	}
}

func TestAClientOfARealRedis(t *testing.T) {
	t.Parallel()
	if open(t, "").Client() != nil {
		t.Error("there are connections to an embedded Redis")
	}
	server := newRedisServer(t)
	server.start(t)
	client := open(t, server.url()).Client()
	defer client.Close() //nolint:errcheck // nothing is pending
	if err := client.Ping(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	server.stop()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	if err := client.Ping(ctx).Err(); err == nil || time.Since(began) > 5*time.Second {
		t.Errorf("without a Redis: %v after %v", err, time.Since(began))
	}
}

// Each kind that is woken becomes a task, whatever else is.
func TestWakingOneTaskDoesNotHideAnother(t *testing.T) {
	t.Parallel()
	onEveryRedis(t, func(t *testing.T, r *Redis) {
		c := client(t, r)
		for range 1000 {
			if err := errors.Join(c.Wake(t.Context(), RunJobs), c.WakeRollup(t.Context())); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		var jobs, rollups atomic.Int64
		serve(t, r, PeriodicTask{Task: RunJobs, Handler: counting(&jobs), Every: time.Hour}, PeriodicTask{Task: RollUpUsage, Handler: counting(&rollups), Every: time.Hour})
		eventually(t, "both run", func() bool { return jobs.Load() > 0 && rollups.Load() > 0 })
	})
}
