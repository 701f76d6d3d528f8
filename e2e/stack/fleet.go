package stack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tollgate/tollgate/libs/porttest"
)

// RedisKind says how the Redis of a stack is set up.
type RedisKind string

// The kinds.
const (
	OneRedis       RedisKind = ""         // one server
	RedisSentinels RedisKind = "sentinel" // a master, two replicas and three Sentinels
	RedisCluster   RedisKind = "cluster"  // three masters, each with a replica
)

// Fleet is a Redis of several servers, which continues when one of them dies.
type Fleet struct {
	URL   string
	kind  RedisKind
	dir   string
	nodes []*node
	guard []*node // the Sentinels

	dead   *node // the master that FailOver killed last
	frozen *node // the master that Freeze suspended last
}

// node is a redis-server or a Sentinel.
type node struct {
	Process
	port *porttest.Port
}

// detection is the time in milliseconds after which the servers count one of them as failed.
const detection = "1000"

// newFleet starts the servers with their files in dir. If Redis is not installed, the error wraps ErrMissing.
func newFleet(ctx context.Context, dir string, kind RedisKind) (*Fleet, error) {
	f := &Fleet{kind: kind, dir: dir}
	var err error
	if kind == RedisCluster {
		err = f.cluster(ctx)
	} else {
		err = f.sentinels(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// cluster starts a cluster.
func (f *Fleet) cluster(ctx context.Context) error {
	create := []string{"--cluster", "create"}
	var addrs []string
	for range 6 {
		bus, err := porttest.Reserve()
		if err != nil {
			return err
		}
		n, err := f.server(ctx, "--cluster-enabled", "yes", "--cluster-port", strconv.Itoa(bus.Number),
			"--cluster-node-timeout", detection)
		if err != nil {
			return errors.Join(err, bus.Release())
		}
		n.ports = append(n.ports, bus)
		addrs = append(addrs, n.port.Addr())
	}
	if _, err := f.cli(ctx, append(append(create, addrs...), "--cluster-replicas", "1", "--cluster-yes")...); err !=
		nil {
		return err
	}
	f.URL = "redis-cluster://" + strings.Join(addrs, ",")
	return f.AwaitReplicas(ctx)
}

// sentinels starts a master with replicas and Sentinels.
func (f *Fleet) sentinels(ctx context.Context) error {
	master, err := f.server(ctx)
	if err != nil {
		return err
	}
	port := strconv.Itoa(master.port.Number)
	for range 2 {
		if _, err := f.server(ctx, "--replicaof", "127.0.0.1 "+port); err != nil {
			return err
		}
	}
	var addrs []string
	for range 3 {
		p, err := porttest.Reserve()
		if err != nil {
			return err
		}
		n := &node{port: p}
		f.guard = append(f.guard, n)
		path := filepath.Join(f.dir, fmt.Sprintf("sentinel-%d.conf", p.Number))
		text := fmt.Sprintf("port %d\nbind 127.0.0.1\nsentinel monitor main 127.0.0.1 %s 2\n"+
			"sentinel down-after-milliseconds main %s\nsentinel failover-timeout main 5000\n", p.Number,
			port, detection)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return errors.Join(err, p.Release())
		}
		if err := f.launch(ctx, n, path, "--sentinel"); err != nil {
			return err
		}
		addrs = append(addrs, p.Addr())
	}
	f.URL = "redis-sentinel://" + strings.Join(addrs, ",") + "?master=main"
	return f.AwaitReplicas(ctx)
}

// server starts a redis-server with these arguments.
func (f *Fleet) server(ctx context.Context, args ...string) (*node, error) {
	port, err := porttest.Reserve()
	if err != nil {
		return nil, err
	}
	n := &node{port: port}
	f.nodes = append(f.nodes, n)
	number := strconv.Itoa(port.Number)
	return n, f.launch(ctx, n, append(args, "--port", number, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
		"--cluster-config-file", "nodes-"+number+".conf", "--dbfilename", "dump-"+number+".rdb")...)
}

// launch starts redis-server with these arguments and waits until it answers.
func (f *Fleet) launch(ctx context.Context, n *node, args ...string) error {
	bin, err := exec.LookPath("redis-server")
	if err != nil {
		return errors.Join(fmt.Errorf("redis-server (Debian: apt-get install redis-server): %w", ErrMissing),
			n.port.Release())
	}
	name := fmt.Sprintf("redis-%d", n.port.Number)
	n.Process = Process{Name: name, dir: f.dir, log: filepath.Join(f.dir, name+".log"), ports: Ports{n.port},
		argv: append([]string{bin}, args...)}
	return f.begin(ctx, n)
}

// begin starts a node and waits until it answers.
func (f *Fleet) begin(ctx context.Context, n *node) error {
	if err := n.Launch(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return n.Await(ctx, func(ctx context.Context) error {
		_, err := f.cli(ctx, "-p", strconv.Itoa(n.port.Number), "ping")
		return err
	})
}

// cli runs redis-cli, which comes with redis-server.
func (f *Fleet) cli(ctx context.Context, args ...string) (string, error) {
	return run(ctx, nil, append([]string{"redis-cli", "-e"}, args...)...)
}

// errReplicating says that a server has no master yet, or not all of its data.
var errReplicating = errors.New("the replicas are not complete")

// AwaitReplicas waits until every server is a master or has the data of its master, so that a master may die.
func (f *Fleet) AwaitReplicas(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	head := f.nodes[0]
	return head.Await(ctx, func(ctx context.Context) error {
		masters := 0
		for _, n := range f.nodes {
			text, err := f.cli(ctx, "-p", strconv.Itoa(n.port.Number), "info", "replication")
			switch {
			case err != nil:
				return err
			case strings.Contains(text, "role:master"):
				masters++
			case !strings.Contains(text, "master_link_status:up"):
				return errReplicating
			}
		}
		for _, n := range f.guard {
			text, err := f.cli(ctx, "-p", strconv.Itoa(n.port.Number), "info", "sentinel")
			if err != nil || !strings.Contains(text, "status=ok") || !strings.Contains(text, "slaves=2,sentinels=3") {
				return errors.Join(err, errReplicating)
			}
		}
		if f.kind == RedisCluster {
			text, err := f.cli(ctx, "-p", strconv.Itoa(head.port.Number), "cluster", "info")
			if err != nil || !strings.Contains(text, "cluster_state:ok") || masters != 3 {
				return errors.Join(err, errReplicating)
			}
		}
		return nil
	})
}

// FailOver kills the master that has the keys with the hash tag, such as limit, and waits until a replica has taken its
// place.
func (f *Fleet) FailOver(ctx context.Context, tag string) error {
	master, err := f.master(ctx, tag)
	if err != nil {
		return err
	}
	master.Kill()
	f.dead = master
	witness := f.nodes[0]
	if witness == master {
		witness = f.nodes[1]
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	return witness.Await(ctx, func(ctx context.Context) error {
		now, err := f.master(ctx, tag)
		if err != nil || now == master {
			return errors.Join(err, errReplicating)
		}
		return nil
	})
}

// Rejoin starts the server that FailOver killed. It becomes a replica. Rejoin waits until all replicas are complete.
func (f *Fleet) Rejoin(ctx context.Context) error {
	if err := f.begin(ctx, f.dead); err != nil {
		return err
	}
	return f.AwaitReplicas(ctx)
}

// Freeze suspends the master that has the keys with the hash tag, until Thaw. A replica takes its place meanwhile.
func (f *Fleet) Freeze(ctx context.Context, tag string) (err error) {
	if f.frozen, err = f.master(ctx, tag); err != nil {
		return err
	}
	return f.frozen.Process.Freeze()
}

// Thaw resumes the server that Freeze suspended. It becomes a replica.
func (f *Fleet) Thaw() error { return f.frozen.Process.Thaw() }

// PID returns the process id of one of the servers.
func (f *Fleet) PID() int { return f.nodes[0].PID() }

// Flush deletes all data on all masters.
func (f *Fleet) Flush(ctx context.Context) error {
	for _, n := range f.nodes {
		text, err := f.cli(ctx, "-p", strconv.Itoa(n.port.Number), "info", "replication")
		if err == nil && strings.Contains(text, "role:master") {
			_, err = f.cli(ctx, "-p", strconv.Itoa(n.port.Number), "flushall")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// master returns the server that is the master of the keys with the hash tag, as the servers that run see it.
func (f *Fleet) master(ctx context.Context, tag string) (*node, error) {
	addr, err := f.masterAddr(ctx, tag)
	if err != nil {
		return nil, err
	}
	for _, n := range f.nodes {
		if n.port.Addr() == addr {
			return n, nil
		}
	}
	return nil, fmt.Errorf("no server has the address %s", addr)
}

func (f *Fleet) masterAddr(ctx context.Context, tag string) (string, error) {
	if f.kind == RedisSentinels {
		text, err := f.cli(ctx, "-p", strconv.Itoa(f.guard[0].port.Number), "sentinel",
			"get-master-addr-by-name", "main")
		host, port, _ := strings.Cut(strings.TrimSpace(text), "\n")
		return net.JoinHostPort(host, port), err
	}
	// redis-cli -c follows the redirection to the master of the key.
	for _, n := range f.nodes {
		if !n.Running() {
			continue
		}
		text, err := f.cli(ctx, "-c", "-p", strconv.Itoa(n.port.Number), "eval",
			"return redis.call('set', KEYS[1], '1', 'PX', '10')", "1", "{"+tag+"}e2e")
		if err != nil {
			return "", fmt.Errorf("%w: %s", err, text)
		}
		return f.owner(ctx, n, tag)
	}
	return "", errEnded
}

// owner returns the address of the master of a hash tag, according to a node.
func (f *Fleet) owner(ctx context.Context, n *node, tag string) (string, error) {
	port := strconv.Itoa(n.port.Number)
	text, err := f.cli(ctx, "-p", port, "cluster", "keyslot", tag)
	if err != nil {
		return "", err
	}
	slot, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		return "", err
	}
	text, err = f.cli(ctx, "-p", port, "cluster", "nodes")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(text) {
		columns := strings.Fields(line)
		if len(columns) < 9 || strings.Contains(columns[2], "fail") {
			continue
		}
		for _, interval := range columns[8:] {
			from, to, isRange := strings.Cut(interval, "-")
			if !isRange {
				to = from
			}
			low, err := strconv.Atoi(from)
			high, err2 := strconv.Atoi(to)
			if err == nil && err2 == nil && low <= slot && slot <= high {
				addr, _, _ := strings.Cut(columns[1], "@")
				return addr, nil
			}
		}
	}
	return "", errReplicating
}

// Close kills all servers. It may be called twice.
func (f *Fleet) Close() error {
	var errs []error
	for _, n := range append(f.guard, f.nodes...) {
		n.Kill()
		errs = append(errs, n.ports.Release())
	}
	return errors.Join(errs...)
}
