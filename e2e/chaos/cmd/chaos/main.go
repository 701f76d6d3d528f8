// Command chaos runs Tollgate's programs under load, injects faults, and audits the usage logs, rollups and
// accounts. It exits with 1 if a check fails. See package e2e/chaos.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tollgate/tollgate/e2e/chaos"
	"github.com/tollgate/tollgate/e2e/hostile"
	"github.com/tollgate/tollgate/e2e/stack"
)

var (
	errFailed = errors.New("the audit failed")
	errRedis  = errors.New("-redis must be sentinel or cluster")
)

func main() {
	if code, ok := hostile.Inside(); ok {
		os.Exit(code)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	began := time.Now()
	var o chaos.Options
	var only, redis string
	flag.Uint64Var(&o.Seed, "seed", 0, "seed of an earlier run whose random choices to repeat; 0: a new one")
	flag.DurationVar(&o.Duration, "duration", 8*time.Second, "approximate length of a fault")
	flag.DurationVar(&o.Outage, "outage", time.Minute, "length of the Postgres outage in postgres-stop")
	flag.IntVar(&o.Concurrency, "concurrency", 12, "number of clients of the customers with enough quota")
	flag.StringVar(&only, "only", "", "comma-separated names of faults; empty: all")
	flag.BoolVar(&o.Short, "short", false, "skip the faults that resemble others")
	flag.DurationVar(&o.LeaseGrace, "lease-grace", 0,
		"time after which the leases of a relay that is down are reclaimed; 0: 1.5 x outage + 10 s")
	flag.StringVar(&redis, "redis", "", "Redis with failovers: sentinel or cluster; empty: one server")
	flag.StringVar(&o.PoolMode, "pool-mode", "",
		"put a PgBouncer with this pool mode, such as transaction, in front of Postgres")
	flag.Parse()
	if o.Redis = stack.RedisKind(redis); !slices.Contains([]stack.RedisKind{stack.OneRedis, stack.RedisSentinels,
		stack.RedisCluster}, o.Redis) {
		return errRedis
	}
	if only != "" {
		o.Only = strings.Split(only, ",")
	}
	o.Progress = func(step string) { fmt.Fprintf(os.Stderr, "%6.1fs  %s\n", time.Since(began).Seconds(), step) }
	report, err := chaos.Run(ctx, o)
	if err != nil {
		return err
	}
	if err := report.Write(os.Stdout); err != nil {
		return err
	}
	if report.Failed() {
		fmt.Fprintln(os.Stderr, report.Logs)
		return errFailed
	}
	return nil
}
