package limit

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"github.com/tollgate/tollgate/libs/core/catalog"
	core "github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/polltest"
	"github.com/tollgate/tollgate/libs/queue"
)

// redisServer is a redis-server process of one test. The test can stop it.
type redisServer struct {
	path, dir, socket string
	command           *exec.Cmd
}

// newRedis starts a redis-server on a Unix socket. It skips the test if the program is not installed.
func newRedis(t testing.TB) *redisServer {
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
	dir, err := os.MkdirTemp("", "redis") //nolint:usetesting // the path of a socket may have only about 100 characters
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &redisServer{path: path, dir: dir, socket: filepath.Join(dir, "socket")}
	s.start(t)
	return s
}

// start starts the process, also after stop.
func (s *redisServer) start(t testing.TB) {
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

// stop kills the process, which loses its data.
func (s *redisServer) stop() {
	if s.command != nil {
		_ = s.command.Process.Kill()
		_ = s.command.Wait()
		s.command = nil
	}
}

// relayCount is a RelayCounter with a fixed number of relays.
type relayCount struct{ atomic.Int64 }

func (c *relayCount) LiveRelays(context.Context, tenant.Scope, time.Duration) (int64, error) {
	return c.Load(), nil
}

// relay returns a started Limiter. The changes are applied before the start. It waits for Redis so long that it never
// counts by itself on a slow machine.
func relay(t testing.TB, s *redisServer, change ...func(*Limiter)) *Limiter {
	t.Helper()
	o := Options{RelayCounter: new(relayCount), OnRefusal: func(string, string) {}, Now: time.Now,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
	if s != nil {
		r, err := queue.Open("unix://"+s.socket, o.Log)
		if err != nil {
			t.Fatal(err)
		}
		o.Redis = r.Client()
	}
	l := New(o)
	l.redisTimeout = 30 * time.Second
	for _, f := range change {
		f(l)
	}
	l.Start(t.Context())
	polltest.Until(t, "the Limiter uses Redis", l.Shared) // Start itself waits only a second
	t.Cleanup(func() {
		l.Stop()
		l.Stop()
	})
	return l
}

// sharedBy sets the number of live relays.
func sharedBy(relays int64) func(*Limiter) {
	return func(l *Limiter) {
		c := new(relayCount)
		c.Store(relays)
		l.RelayCounter = c
	}
}

// stoppedClock stops the clock of the Limiter, so that its own counts of requests and tokens do not refill during the
// test.
func stoppedClock(l *Limiter) {
	now := time.Now()
	l.Now = func() time.Time { return now }
}

// network is the connection of a Limiter to Redis. While it is broken, all commands of the Limiter fail at once.
type network struct{ broken atomic.Bool }

var errBroken = errors.New("the network is broken")

func (n *network) DialHook(next redis.DialHook) redis.DialHook { return next }

func (n *network) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if n.broken.Load() {
			cmd.SetErr(errBroken)
			return errBroken
		}
		return next(ctx, cmd)
	}
}

func (n *network) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// over connects the Limiter to Redis over the network.
func over(n *network) func(*Limiter) { return func(l *Limiter) { l.Redis.AddHook(n) } }

// slotTTLOf sets the lifetime of slots.
func slotTTLOf(after time.Duration) func(*Limiter) { return func(l *Limiter) { l.slotTTL = after } }

// onBoth runs the test with a Limiter that counts in memory and with one that counts in Redis.
func onBoth(t *testing.T, test func(t *testing.T, l *Limiter)) {
	t.Helper()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		test(t, relay(t, nil))
	})
	t.Run("Redis", func(t *testing.T) {
		t.Parallel()
		test(t, relay(t, newRedis(t)))
	})
}

// party is a caller with the group and the model of a request.
type party struct {
	caller token.Caller
	group  tenant.Group
	model  catalog.Model
}

// someone returns a party without limits.
func someone() *party {
	return &party{
		caller: token.Caller{Token: token.Token{ID: uuid.New()}, User: tenant.User{ID: uuid.New()},
			Tenant: tenant.Tenant{ID: uuid.New()}},
		group: tenant.Group{ID: uuid.New()}, model: catalog.Model{ID: "m"},
	}
}

// limited returns a party whose token has limits.
func limited(limits core.Limits) *party {
	p := someone()
	p.caller.Token.Limits = limits
	return p
}

// call returns the demand of a request with an estimate of tokens.
func (p *party) call(tokens int64) Demand {
	return Demand{ID: uuid.New(), Caller: &p.caller, Group: &p.group, Model: &p.model, Tokens: tokens}
}

// take takes a permit; nil means that the request was refused. It also returns the headers of the response.
func take(t testing.TB, l *Limiter, p *party, tokens int64) (*Permit, http.Header) {
	t.Helper()
	header := http.Header{}
	permit, err := l.Take(t.Context(), header, p.call(tokens))
	if err != nil && !problem.Is(err, problem.RateLimited) {
		t.Fatal(err)
	}
	return permit, header
}

// admits returns how many of n requests are admitted. The requests stay in flight.
func admits(t testing.TB, l *Limiter, p *party, n int) (admitted int) {
	t.Helper()
	for range n {
		if permit, _ := take(t, l, p, 1); permit != nil {
			admitted++
		}
	}
	return admitted
}
