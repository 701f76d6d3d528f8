package queue

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/tollgate/tollgate/libs/polltest"
	"github.com/tollgate/tollgate/libs/porttest"
)

// node is a redis-server on a TCP port.
type node struct {
	*redis.Client
	addr string
	kill func()
}

// freePort returns a port that is reserved until the test ends.
func freePort(t *testing.T) string {
	t.Helper()
	port, err := porttest.Reserve()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = port.Release() })
	return strconv.Itoa(port.Number)
}

// newNode starts a redis-server with these arguments.
func newNode(t *testing.T, args ...string) *node {
	t.Helper()
	port := freePort(t)
	dir := t.TempDir()
	args = append(args, "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", dir, "--logfile",
		filepath.Join(dir, "log"))
	n := launch(t, port, args...)
	polltest.Until(t, "the redis-server answers", func() bool {
		err := n.Ping(t.Context()).Err()
		return err == nil || redis.HasErrorPrefix(err, "NOAUTH")
	})
	return n
}

// launch runs redis-server with these arguments until the test ends.
func launch(t *testing.T, port string, args ...string) *node {
	t.Helper()
	command := exec.Command(redisProgram(t), args...)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	n := &node{addr: "127.0.0.1:" + port, kill: func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	}}
	n.Client = redis.NewClient(&redis.Options{Addr: n.addr})
	t.Cleanup(func() {
		_ = n.Close() // no command is pending
		n.kill()
	})
	return n
}

// do executes a command on the node, which must succeed.
func (n *node) do(t *testing.T, args ...any) {
	t.Helper()
	if err := n.Do(t.Context(), args...).Err(); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
}

// fleet is a set of servers with the URL that names them.
type fleet struct {
	url     string
	masters []*node
}

// newCluster starts a cluster of three masters.
func newCluster(t *testing.T) *fleet {
	t.Helper()
	var nodes []*node
	start := func() *node {
		n := newNode(t, "--cluster-enabled", "yes", "--cluster-port", freePort(t), "--cluster-node-timeout", "1000")
		for _, other := range nodes {
			bus, err := other.ConfigGet(t.Context(), "cluster-port").Result()
			if err != nil {
				t.Fatal(err)
			}
			host, port, _ := net.SplitHostPort(other.addr)
			n.do(t, "CLUSTER", "MEET", host, port, bus["cluster-port"])
		}
		nodes = append(nodes, n)
		return n
	}
	f := &fleet{}
	var addrs []string
	for i := range 3 {
		n := start()
		f.masters, addrs = append(f.masters, n), append(addrs, n.addr)
		n.do(t, "CLUSTER", "ADDSLOTSRANGE", i*16384/3, (i+1)*16384/3-1)
	}
	for _, n := range nodes {
		polltest.Until(t, "the cluster is complete", func() bool {
			text := n.ClusterInfo(t.Context()).Val()
			return strings.Contains(text, "cluster_state:ok") &&
				strings.Contains(text, fmt.Sprintf("cluster_known_nodes:%d", len(nodes)))
		})
	}
	f.url = "redis-cluster://" + strings.Join(addrs, ",")
	return f
}

// newSentinels starts a master and three Sentinels.
func newSentinels(t *testing.T) *fleet {
	t.Helper()
	master := newNode(t)
	_, port, _ := net.SplitHostPort(master.addr)
	var addrs []string
	for range 3 {
		dir := t.TempDir()
		path, own := filepath.Join(dir, "sentinel.conf"), freePort(t)
		text := fmt.Sprintf("port %s\nbind 127.0.0.1\ndir %s\nlogfile %s/log\nsentinel monitor main 127.0.0.1 %s 2\n"+
			"sentinel down-after-milliseconds main 1000\nsentinel failover-timeout main 5000\n", own, dir, dir, port)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		n := launch(t, own, path, "--sentinel")
		addrs = append(addrs, n.addr)
		watch := redis.NewSentinelClient(&redis.Options{Addr: n.addr})
		t.Cleanup(func() { _ = watch.Close() }) // no command is pending
		polltest.Until(t, "the Sentinel knows the master",
			func() bool { return watch.Master(context.Background(), "main").Err() == nil })
	}
	return &fleet{url: "redis-sentinel://" + strings.Join(addrs, ",") + "?master=main", masters: []*node{master}}
}
