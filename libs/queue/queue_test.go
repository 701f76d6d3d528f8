package queue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/tollgate/tollgate/libs/polltest"
	"github.com/tollgate/tollgate/libs/queue/embedded"
)

func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }

// onEveryRedis runs the test on the embedded Redis and on a redis-server, and in make test-all also behind Sentinels
// and on a cluster, which take seconds to start.
func onEveryRedis(t *testing.T, test func(t *testing.T, r *Redis)) {
	t.Helper()
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		test(t, embed(t))
	})
	t.Run("real", func(t *testing.T) {
		t.Parallel()
		server := newRedisServer(t)
		server.start(t)
		test(t, open(t, server.url()))
	})
	if os.Getenv("TEST_REDIS_KINDS") == "" {
		return
	}
	t.Run("sentinel", func(t *testing.T) {
		t.Parallel()
		test(t, open(t, newSentinels(t).url))
	})
	t.Run("cluster", func(t *testing.T) {
		t.Parallel()
		test(t, open(t, newCluster(t).url))
	})
}

func open(t *testing.T, url string) *Redis {
	t.Helper()
	r, err := Open(url, silent())
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, r)
	return r
}

// embed returns the Redis of package embedded.
func embed(t *testing.T) *Redis {
	t.Helper()
	server, err := embedded.Start()
	if err != nil {
		t.Fatal(err)
	}
	r := Embed(server.Addr, server.Password, server.Close, silent())
	closeAtEnd(t, r)
	return r
}

// closeAtEnd closes r twice when the test ends.
func closeAtEnd(t *testing.T, r *Redis) {
	t.Cleanup(func() {
		if err := errors.Join(r.Close(), r.Close()); err != nil {
			t.Error(err)
		}
	})
}

// redisServer is a redis-server for one test, which the test may stop and start to simulate an outage.
type redisServer struct {
	path, dir, socket string
	command           *exec.Cmd
}

// redisProgram returns the path of redis-server. It skips the test if the program is not installed.
func redisProgram(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs redis-server, which -short leaves out")
	}
	path, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("TEST_REQUIRE") == "all" {
			t.Fatal("redis-server is not installed")
		}
		t.Skip("redis-server is not installed")
	}
	return path
}

func newRedisServer(t *testing.T) *redisServer {
	t.Helper()
	path := redisProgram(t)
	dir, err := os.MkdirTemp("", "redis") //nolint:usetesting // the path of a Unix socket has at most about 100 characters, and t.TempDir is longer
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
	polltest.Until(t, "redis-server answers", func() bool {
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

// serve starts a server that runs until the test ends.
func serve(t *testing.T, r *Redis, tasks ...PeriodicTask) *Server {
	t.Helper()
	s := NewServer(ServerOptions{Redis: r, Tasks: tasks, Log: silent()})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := s.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	return s
}

// counting returns a handler that counts its runs.
func counting(n *atomic.Int64) Handler {
	return func(context.Context) error { n.Add(1); return nil }
}

// pending returns the number of tasks that wait in the queue.
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

func TestClient_WakeRunsTheTask(t *testing.T) {
	t.Parallel()
	onEveryRedis(t, func(t *testing.T, r *Redis) {
		var runs atomic.Int64
		serve(t, r, PeriodicTask{Task: RollUpUsage, Handler: counting(&runs), Every: time.Hour})
		polltest.Until(t, "the task runs once at the start", func() bool { return runs.Load() == 1 })
		c := client(t, r)
		// A wake-up that Redis does not accept in time is dropped, so a slow machine may need several.
		polltest.Until(t, "the task runs again after the wake-up", func() bool {
			if err := c.WakeRollup(t.Context()); err != nil {
				t.Fatal(err)
			}
			return runs.Load() >= 2
		})
	})
}

func TestClient_CoalescesWakeUps(t *testing.T) {
	t.Parallel()
	onEveryRedis(t, func(t *testing.T, r *Redis) {
		c := client(t, r)
		for range 10_000 {
			if err := c.WakeRollup(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		// A wake-up that Redis does not accept in time is dropped, so a slow machine may need several.
		polltest.Until(t, "a task is in the queue", func() bool {
			if err := c.WakeRollup(t.Context()); err != nil {
				t.Fatal(err)
			}
			return pending(t, r) > 0
		})
		if err := c.Close(); err != nil { // sends the wake-ups that are still waiting
			t.Fatal(err)
		}
		if n := pending(t, r); n > slots {
			t.Errorf("got %d tasks in the queue, want at most %d", n, slots)
		}
	})
}

func TestClient_WakeDuringATaskRunsItAgain(t *testing.T) {
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
		// A wake-up that Redis does not accept in time is dropped, so a slow machine may need several.
		polltest.Until(t, "a second task begins", func() bool {
			if err := c.WakeRollup(t.Context()); err != nil {
				t.Fatal(err)
			}
			return len(begun) > 0
		})
		close(finish)
		polltest.Until(t, "both tasks end", func() bool { return runs.Load() >= 2 })
	})
}

func TestClient_CloseSendsWaitingWakeUps(t *testing.T) {
	t.Parallel()
	onEveryRedis(t, func(t *testing.T, r *Redis) {
		var c *Client
		// A wake-up that Redis does not accept in time is dropped, so a slow machine may need several.
		polltest.Until(t, "a task is in the queue", func() bool {
			c = client(t, r)
			if err := c.WakeRollup(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			return pending(t, r) == 1
		})
		if err := c.WakeRollup(t.Context()); !errors.Is(err, ErrClosed) {
			t.Errorf("WakeRollup after Close: got error %v, want %v", err, ErrClosed)
		}
	})
}

func TestServer_RunsTasksOnSchedule(t *testing.T) {
	t.Parallel()
	onEveryRedis(t, func(t *testing.T, r *Redis) {
		var runs atomic.Int64
		serve(t, r, PeriodicTask{Task: SweepStore, Handler: counting(&runs), Every: time.Second})
		polltest.Until(t, "the task ran three times", func() bool { return runs.Load() >= 3 })
	})
}

func TestServer_RetriesAFailedTask(t *testing.T) {
	t.Parallel()
	onEveryRedis(t, func(t *testing.T, r *Redis) {
		var runs atomic.Int64
		serve(t, r, PeriodicTask{Task: EnsurePartitions, Every: time.Hour, Handler: func(context.Context) error {
			switch runs.Add(1) {
			case 1:
				return errors.New("the database is unavailable")
			case 2:
				panic("a panic is a failure, too")
			}
			return nil
		}})
		polltest.Until(t, "the third attempt runs", func() bool { return runs.Load() == 3 })
	})
}

func TestServer_StopWaitsForRunningTasks(t *testing.T) {
	t.Parallel()
	r := embed(t)
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
		t.Errorf("got error %v, finished %v; want no error and a finished task", err, finished.Load())
	}
}

func TestServer_StopCancelsTasksWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	r := embed(t)
	begun, canceled := make(chan struct{}), make(chan struct{})
	s := serve(t, r, PeriodicTask{Task: SweepStore, Every: time.Hour, Handler: func(ctx context.Context) error {
		close(begun)
		<-ctx.Done()
		close(canceled)
		return ctx.Err()
	}})
	<-begun
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if err := s.Stop(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got error %v, want %v", err, context.DeadlineExceeded)
	}
	<-canceled
}

func TestServer_StartAndStopInAnyOrder(t *testing.T) {
	t.Parallel()
	r := embed(t)
	never := NewServer(ServerOptions{Redis: r, Log: silent()})
	if err := errors.Join(never.Stop(t.Context()), never.Stop(t.Context())); err != nil {
		t.Errorf("Stop before Start: got error %v", err)
	}
	if err := never.Start(t.Context()); err == nil {
		t.Error("Start after Stop: got no error")
	}
	s := serve(t, r)
	if err := s.Start(t.Context()); err == nil {
		t.Error("second Start: got no error")
	}
}

func TestClient_WakeDoesNotBlockDuringAnOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := NewClient(stalled())
		begun := time.Now()
		for range 1000 {
			if err := c.WakeRollup(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if waited := time.Since(begun); waited != 0 {
			t.Errorf("1,000 wake-ups waited %v for Redis", waited)
		}
		// Of the send that has begun, and of the last one.
		if err := c.Close(); err != nil || time.Since(begun) > 2*sendTimeout {
			t.Errorf("Close: got error %v after %v", err, time.Since(begun))
		}
	})
}

// stalled returns a Redis that reads everything and answers nothing.
func stalled() *Redis {
	return &Redis{log: silent(),
		target: &target{single: &redis.Options{Addr: "127.0.0.1:6379",
			Dialer: func(context.Context, string, string) (net.Conn, error) {
				here, there := net.Pipe()
				go func() { _, _ = io.Copy(io.Discard, there) }()
				return here, nil
			}}}}
}

func TestServer_ContinuesAfterAnOutage(t *testing.T) {
	t.Parallel()
	for _, upFirst := range []bool{true, false} {
		t.Run(fmt.Sprintf("Redis runs at the start %v", upFirst), func(t *testing.T) {
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
				polltest.Until(t, "the task runs", func() bool { return runs.Load() > 0 })
				server.stop()
			}
			_ = c.WakeRollup(t.Context()) // is dropped: Redis is unavailable
			polltest.Until(t, "the server notices the outage", func() bool { return s.Err() != nil })
			before := runs.Load()
			server.start(t)
			polltest.Until(t, "the task runs again", func() bool { return runs.Load() > before+1 })
			before = runs.Load()
			_ = c.WakeRollup(t.Context())
			polltest.Until(t, "the task runs after a wake-up", func() bool { return runs.Load() > before })
		})
	}
}

func TestEmbed_RequiresThePassword(t *testing.T) {
	t.Parallel()
	r := embed(t)
	if !r.Embedded() {
		t.Fatal("Embedded returned false")
	}
	stranger := redis.NewClient(&redis.Options{Addr: r.target.single.Addr, MaxRetries: -1})
	defer func() { _ = stranger.Close() }()
	if err := stranger.Ping(t.Context()).Err(); err == nil {
		t.Error("a client without the password was accepted")
	}
}

func TestEmbed_ExpiresKeys(t *testing.T) {
	t.Parallel()
	r := embed(t)
	c := redis.NewClient(r.target.single)
	defer func() { _ = c.Close() }()
	if err := c.Set(t.Context(), "lock", "1", 1500*time.Millisecond).Err(); err != nil {
		t.Fatal(err)
	}
	polltest.Until(t, "the key has expired", func() bool { return c.Exists(t.Context(), "lock").Val() == 0 })
}

func TestOpen_DoesNotShowAnInvalidURL(t *testing.T) {
	t.Parallel()
	_, err := Open("redis://:hunter2@host:port", silent())
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got error %v, want one that does not show the URL", err)
	}
}

func TestRedis_ClientFailsWithinItsDeadline(t *testing.T) {
	t.Parallel()
	if embed(t).Client() != nil {
		t.Error("Client of an embedded Redis is not nil")
	}
	synctest.Test(t, func(t *testing.T) {
		client := stalled().Client()
		defer client.Close() //nolint:errcheck // no command is pending
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		began := time.Now()
		if err := client.Ping(ctx).Err(); err == nil || time.Since(began) != 50*time.Millisecond {
			t.Errorf("during an outage: got error %v after %v, want an error at the deadline", err, time.Since(began))
		}
	})
}
func TestClient_WakesEachKindOfTask(t *testing.T) {
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
		serve(t, r, PeriodicTask{Task: RunJobs, Handler: counting(&jobs), Every: time.Hour},
			PeriodicTask{Task: RollUpUsage, Handler: counting(&rollups), Every: time.Hour})
		polltest.Until(t, "both run", func() bool { return jobs.Load() > 0 && rollups.Load() > 0 })
	})
}
