// Command logbench checks that reading usage logs takes the same time however many logs there are. It fills
// databases of growing size with the logs of a year. They have hundreds of tenants, and one tenant has half of
// the logs. It then measures the queries of the console: pages, filters, single logs, summaries. The median of
// each query must stay below a bound, or below twice the median with the smallest database; otherwise the
// program fails. Then it measures the CPU time of shipping and rollups on the largest database. It needs Linux
// and Postgres; 10,000,000 logs take about 30 GB in the temporary folder.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/tollgate/tollgate/e2e/stack"
)

func main() {
	rows := flag.Int("rows", 1_000_000, "number of logs in the largest database")
	rounds := flag.Int("rounds", 15, "times that each query runs")
	postgresURL := flag.String("postgres", "", "URL of a Postgres database to fill, and to keep for later runs; shipping and rollups are not measured then; empty: start a server")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *postgresURL, *rows, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "logbench:", err)
		os.Exit(1)
	}
}

const fewest = 10_000 // number of logs in the smallest database

// run starts a Postgres server, unless url names a database, and measures.
func run(ctx context.Context, url string, rows, rounds int) (err error) {
	// The processes of a given server are unknown, so 0 turns the CPU figures off.
	if url != "" {
		return measure(ctx, url, 0, plan{rows, rounds})
	}
	// Autovacuum would add its CPU time to the measured work.
	server, err := stack.StartPostgres(ctx, "-c", "autovacuum=off", "-c", "shared_buffers=512MB", "-c", "max_wal_size=8GB", "-c", "jit=off")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Remove()) }()
	return measure(ctx, server.URL, server.PID(), plan{rows, rounds})
}

// plan holds the values of the flags.
type plan struct{ rows, rounds int }

// measure fills a schema for each size and runs each query on all of them in turn, so that other load on the
// machine affects all sizes alike. server is the process id of Postgres; 0: don't measure CPU times.
func measure(ctx context.Context, url string, server int, p plan) error {
	var bases []*base
	defer func() {
		for _, b := range bases {
			b.close(ctx)
		}
	}()
	r := report{}
	for n := min(fewest, p.rows); ; n = min(n*10, p.rows) {
		began := time.Now()
		b, err := load(ctx, url, n)
		bases, r.sizes = append(bases, b), append(r.sizes, n)
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "logbench: %d logs loaded in %.0f s\n", n, time.Since(began).Seconds())
		if n == p.rows {
			break
		}
	}
	var err error
	if r.lines, err = ask(ctx, bases, p.rounds); err != nil {
		return err
	}
	if server != 0 {
		if err := r.write(ctx, bases[len(bases)-1], server); err != nil {
			return err
		}
	}
	return r.print(os.Stdout)
}

// attempts is the number of times that the measurement of a query is repeated while it misses its target. A disturbance of the
// machine rarely affects three measurements.
const attempts = 3

// ask measures each query on each of the bases.
func ask(ctx context.Context, bases []*base, rounds int) ([]line, error) {
	lists := make([][]question, len(bases))
	for i, b := range bases {
		lists[i] = b.questions()
	}
	lines := make([]line, len(lists[0]))
	for i, q := range lists[0] {
		asked := make([]question, len(bases))
		for size := range bases {
			asked[size] = lists[size][i]
		}
		for attempt := 0; attempt == 0 || attempt < attempts && lines[i].missed(); attempt++ {
			times, err := take(ctx, asked, rounds)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", q.name, err)
			}
			lines[i] = line{q.name, q.bound, times}
		}
	}
	return lines, nil
}

// take runs a query on all bases in turn and returns the times of each base. The first round is not counted: it
// fills the caches.
func take(ctx context.Context, asked []question, rounds int) ([]taken, error) {
	times := make([][]time.Duration, len(asked))
	for round := range rounds + 1 {
		for size := range asked {
			began := time.Now()
			if err := asked[size].ask(ctx); err != nil {
				return nil, err
			}
			if round > 0 { // the first fills the caches
				times[size] = append(times[size], time.Since(began))
			}
		}
	}
	result := make([]taken, len(asked))
	for size := range asked {
		slices.Sort(times[size])
		result[size] = taken{times[size][rounds/2], times[size][rounds-1]}
	}
	return result, nil
}

// write measures shipping and rollups, once for events of few tokens and once for events of all tokens.
func (r *report) write(ctx context.Context, b *base, server int) error {
	for _, traffic := range []struct {
		name string
		goal float64
		pick func() owned
	}{{fmt.Sprintf("%d tokens of a tenant", busy), shippingGoal, b.busyToken}, {"tokens of all tenants", 0, b.anyToken}} {
		shipping, err := b.ship(ctx, server, traffic.pick)
		if err != nil {
			return fmt.Errorf("shipping: %w", err)
		}
		rollup, err := b.drain(ctx, server)
		if err != nil {
			return fmt.Errorf("rollups: %w", err)
		}
		r.traffic = append(r.traffic, written{traffic.name, traffic.goal, shipping, rollup})
	}
	return nil
}

// taken holds the times of a query on one base.
type taken struct{ median, max time.Duration }
