package stack

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tollgate/tollgate/libs/porttest"
)

// Redis is a Redis server without persistence: it loses its data when it restarts.
type Redis struct {
	Process
	URL  string
	addr string
}

// newRedis starts a server with its files in dir. If Redis is not installed, the error wraps ErrMissing.
func newRedis(ctx context.Context, dir string) (*Redis, error) {
	bin, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, fmt.Errorf("redis-server (Debian: apt-get install redis-server): %w", ErrMissing)
	}
	port, err := porttest.Reserve()
	if err != nil {
		return nil, err
	}
	r := &Redis{addr: port.Addr()}
	r.URL = "redis://" + r.addr
	r.Process = Process{
		Name: "redis", dir: dir, log: filepath.Join(dir, "redis.log"), ports: Ports{port},
		argv: []string{bin, "--port", strconv.Itoa(port.Number), "--bind", "127.0.0.1", "--save", "", "--appendonly",
			"no", "--daemonize", "no"},
	}
	return r, r.Start(ctx)
}

// Start starts the server and waits until it responds to PING.
func (r *Redis) Start(ctx context.Context) error {
	if err := r.Launch(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return r.Await(ctx, r.ping)
}

func (r *Redis) ping(ctx context.Context) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", r.addr)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // a probe
	if _, err := conn.Write([]byte("PING\r\n")); err != nil {
		return err
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err == nil && !strings.HasPrefix(line, "+PONG") {
		err = fmt.Errorf("redis responded to PING with %q", line)
	}
	return err
}

// Stop ends the server with SIGTERM.
func (r *Redis) Stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return r.End(ctx, syscall.SIGTERM)
}
