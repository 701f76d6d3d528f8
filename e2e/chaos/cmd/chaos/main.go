// Command chaos runs Tollgate's programs under load, lets faults happen to
// them, and audits the books. It ends with 1 where anything differs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/tollgate/tollgate/e2e/chaos"
)

var errFailed = errors.New("the audit failed")

func main() {
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
	var only string
	flag.Uint64Var(&o.Seed, "seed", 0, "repeats the choices of an earlier run; 0: new ones")
	flag.DurationVar(&o.Duration, "duration", 8*time.Second, "about how long a fault lasts")
	flag.DurationVar(&o.Outage, "outage", time.Minute, "how long Postgres is away in postgres-stop")
	flag.IntVar(&o.Concurrency, "concurrency", 12, "clients of the customers who have enough quota")
	flag.StringVar(&only, "only", "", "names of faults, separated by commas; none: all")
	flag.BoolVar(&o.Short, "short", false, "leave out the faults that resemble others")
	flag.DurationVar(&o.LeaseGrace, "lease-grace", 0, "how long a relay may be away before its leases are reclaimed; 0: one and a half times the outage")
	flag.Parse()
	if only != "" {
		o.Only = strings.Split(only, ",")
	}
	o.Progress = func(what string) { fmt.Fprintf(os.Stderr, "%6.1fs  %s\n", time.Since(began).Seconds(), what) }
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
