package queue

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/polltest"
)

// A Redis with a full memory answers, but no task runs. Ping would not notice.
func TestServer_ReportsARedisThatRefusesTasks(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]struct{ refuse, accept []any }{
		"its memory is full": {[]any{"CONFIG", "SET", "maxmemory", "1"}, []any{"CONFIG", "SET", "maxmemory", "0"}},
		"it is a replica":    {[]any{"REPLICAOF", "127.0.0.1", "1"}, []any{"REPLICAOF", "NO", "ONE"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newNode(t)
			var said log
			r, err := Open("redis://"+server.addr, slog.New(slog.NewTextHandler(&said, nil)))
			if err != nil {
				t.Fatal(err)
			}
			var runs atomic.Int64
			s := NewServer(ServerOptions{Redis: r, Log: r.log,
				Tasks: []PeriodicTask{{Task: RollUpUsage, Handler: counting(&runs), Every: time.Second}}})
			if err := s.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := s.Stop(t.Context()); err != nil {
					t.Error(err)
				}
			}()
			polltest.Until(t, "the task runs", func() bool { return runs.Load() > 0 && s.Err() == nil })
			server.do(t, broken.refuse...)
			polltest.Until(t, "the server reports that tasks do not run", func() bool { return s.Err() != nil })
			server.do(t, broken.accept...)
			expireLocks(t, server)
			before := runs.Load()
			polltest.Until(t, "the task runs again", func() bool { return runs.Load() > before+1 && s.Err() == nil })
			if n := strings.Count(said.String(), "background work waits"); n != 1 {
				t.Errorf("the outage was logged %d times:\n%s", n, said.String())
			}
		})
	}
}

// Redis may delete any key when its memory is full, unless its policy is noeviction, and a failover may lose any write.
func TestServer_ContinuesWithoutAnyOfItsKeys(t *testing.T) {
	t.Parallel()
	server := newNode(t)
	r := open(t, "redis://"+server.addr)
	var runs, failures atomic.Int64
	serve(t, r,
		PeriodicTask{Task: RollUpUsage, Handler: counting(&runs), Every: time.Second},
		// So that tasks wait for their retry.
		PeriodicTask{Task: RunJobs, Every: time.Second, Handler: failing(&failures)},
	)
	continues := func(without string) {
		t.Helper()
		before, failed := runs.Load(), failures.Load()
		polltest.Until(t, "tasks run without "+without,
			func() bool { return runs.Load() > before+1 && failures.Load() > failed })
	}
	continues("nothing")
	for _, kind := range kindsOf(t, server) {
		for _, key := range server.Keys(t.Context(), kind).Val() {
			server.do(t, "DEL", key)
		}
		expireLocks(t, server)
		continues(kind)
	}
	server.do(t, "FLUSHALL")
	continues("all keys")
}

// expireLocks ends the locks of tasks now. The lock of a task that is gone, or whose end Redis did not accept, keeps
// equal tasks out until it expires.
func expireLocks(t *testing.T, server *node) {
	t.Helper()
	for _, lock := range server.Keys(t.Context(), "asynq:*:unique:*").Val() {
		if left := server.PTTL(t.Context(), lock).Val(); left > uniqueFor {
			t.Errorf("%s lasts for %s", lock, left)
		}
		server.do(t, "PEXPIRE", lock, 1)
	}
}

// kindsOf returns a pattern for each kind of key that the queue has.
func kindsOf(t *testing.T, server *node) []string {
	t.Helper()
	own := "asynq:{" + queueName + "}:"
	kinds := []string{"asynq:queues", "asynq:servers*"}
	for _, kind := range []string{"t:*", "unique:*", "pending", "active", "lease", "retry"} {
		kinds = append(kinds, strings.NewReplacer("{", "\\{", "}", "\\}").Replace(own)+kind)
	}
	polltest.Until(t, "tasks wait for their retry",
		func() bool { return server.Exists(t.Context(), own+"retry").Val() == 1 })
	return kinds
}

// failing returns a handler that counts its runs and fails.
func failing(n *atomic.Int64) Handler {
	return func(context.Context) error {
		n.Add(1)
		return errors.New("the database is unavailable")
	}
}

// log collects log lines. It is safe for concurrent use.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// The locks of tasks that take longer than a minute expire while the tasks run.
func TestServer_SlowTasksOfOneKindDoNotDelayOthers(t *testing.T) {
	t.Parallel()
	server := newNode(t)
	r := open(t, "redis://"+server.addr)
	var slow, runs atomic.Int64
	finish := make(chan struct{})
	defer close(finish)
	serve(t, r, PeriodicTask{Task: ProbeChannels, Every: time.Hour, Handler: func(context.Context) error {
		slow.Add(1)
		<-finish
		return nil
	}}, PeriodicTask{Task: RollUpUsage, Every: time.Second, Handler: counting(&runs)})
	for range 6 {
		expireLocks(t, server)
		c := NewClient(r)
		if err := errors.Join(c.Wake(t.Context(), ProbeChannels), c.Close()); err != nil {
			t.Fatal(err)
		}
		before := runs.Load()
		polltest.Until(t, "the other task runs", func() bool { return runs.Load() > before })
	}
	if n := slow.Load(); n > slots {
		t.Errorf("%d slow tasks ran at once, want at most %d", n, slots)
	}
}

func TestServer_RunsJobsBesideALongOne(t *testing.T) {
	t.Parallel()
	var running atomic.Int64
	finish := make(chan struct{})
	defer close(finish)
	serve(t, embed(t), PeriodicTask{Task: RunJobs, Every: time.Second, Handler: func(context.Context) error {
		running.Add(1)
		<-finish
		return nil
	}})
	polltest.Until(t, "a second task runs", func() bool { return running.Load() == 2 })
}
