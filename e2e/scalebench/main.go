// Command scalebench measures what calls cost behind the relays: the CPU time of Postgres, Redis and the worker, and
// the bytes of the write-ahead log (WAL), at fixed rates of calls and with one, two and four relays. docs/scaling.md
// explains the figures and computes with them.
//
// It starts everything itself and needs Linux, Postgres and Redis. At the end it compares the usage logs with the
// number of answers, and exits with 1 if they differ. It has no targets: the figures depend on the machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tollgate/tollgate/e2e/fakeupstream"
	"github.com/tollgate/tollgate/e2e/stack"
)

func main() {
	short := flag.Bool("short", false,
		"make few and short measurements, to see that the program works; their figures mean little")
	seconds := flag.Int("seconds", 10, "time of each measurement")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p := fullPlan(time.Duration(*seconds) * time.Second)
	if *short {
		p = shortPlan
	}
	report, err := run(ctx, p)
	if err == nil {
		err = report.print(os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "scalebench:", err)
		os.Exit(1)
	}
}

// plan says what to measure.
type plan struct {
	time   time.Duration // of each measurement
	groups []group
}

// group holds the measurements with one number of relays, which are started before.
type group struct {
	relays int
	delay  string // value of TOLLGATE_RECORD_DELAY
	steps  []step
}

// step is one measurement: calls of a kind of traffic at a rate per second, over all relays together.
type step struct {
	traffic string // a key of traffics, or idle
	rate    int
}

func fullPlan(duration time.Duration) plan {
	base := group{relays: 1, delay: usualDelay, steps: []step{{idle, 0}}}
	for _, traffic := range []string{few, limited, slots, fresh, known} {
		for _, rate := range []int{200, 400, 800} {
			if (traffic == few || traffic == known) || rate == 400 {
				base.steps = append(base.steps, step{traffic, rate})
			}
		}
	}
	several := []step{{idle, 0}, {few, 400}, {fresh, 1000}, {known, 400}}
	return plan{time: duration,
		groups: []group{base, {2, usualDelay, several}, {4, usualDelay, several}, {4, longDelay, several}}}
}

// The values of TOLLGATE_RECORD_DELAY: the default, and one that makes larger batches.
const (
	usualDelay = "75ms"
	longDelay  = "1s"
)

var shortPlan = plan{time: time.Second, groups: []group{
	{1, usualDelay, []step{{idle, 0}, {few, 50}, {limited, 50}, {slots, 50}, {known, 50}}},
	{2, longDelay, []step{{few, 50}}},
}}

// run builds and starts all programs, measures and stops them.
func run(ctx context.Context, p plan) (r *report, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the upstream: %w", err)
	}
	defer listener.Close()                    //nolint:errcheck // the program ends
	go fakeupstream.NewFast().Serve(listener) //nolint:errcheck // ends with the listener
	kit, err := stack.Build(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, kit.Close()) }()
	running, err := kit.Start(ctx, stack.Options{
		Relays: mostRelays(p), Manifest: manifest(),
		Env: map[string]string{
			"UPSTREAM_URL": "http://" + listener.Addr().String() + "/v1", "TOLLGATE_LOG_LEVEL": "info",
			// It is a figure of its own, and would be in one of the others by chance.
			"TOLLGATE_RECONCILE_INTERVAL": "24h",
		},
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, running.Close()) }()
	return measure(ctx, running, p)
}

func mostRelays(p plan) int {
	count := 0
	for _, g := range p.groups {
		count = max(count, g.relays)
	}
	return count
}
