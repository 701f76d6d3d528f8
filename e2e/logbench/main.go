// Command logbench shows that reading usage logs costs the same however many
// there are. It starts a Postgres of its own, fills it with growing numbers of
// logs of a year, of hundreds of tenants, of which one has half of all, and
// asks what people ask: pages, filters, single logs, summaries. The median of
// each must stay below a bound, or below twice what it was with the fewest
// logs; else the program fails. Then it measures shipping and rollups on the
// largest database. It needs Linux and Postgres, and for 10,000,000 logs
// about 30 GB of disk in the temporary folder.
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
	rows := flag.Int("rows", 1_000_000, "logs of the largest database")
	rounds := flag.Int("rounds", 15, "times that each question is asked")
	postgresURL := flag.String("postgres", "", "URL of a Postgres database to fill and keep, for more runs, without figures of CPU; empty: a server of its own")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *postgresURL, *rows, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "logbench:", err)
		os.Exit(1)
	}
}

const fewest = 10_000 // logs of the smallest database

func run(ctx context.Context, url string, rows, rounds int) (err error) {
	if url != "" {
		return measure(ctx, url, 0, plan{rows, rounds})
	}
	// Maintenance in the background would be counted with what is measured.
	server, err := stack.StartPostgres(ctx, "-c", "autovacuum=off", "-c", "shared_buffers=512MB", "-c", "max_wal_size=8GB", "-c", "jit=off")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Remove()) }()
	return measure(ctx, server.URL, server.PID(), plan{rows, rounds})
}

type plan struct{ rows, rounds int }

// measure fills a schema of the database for each size, and asks everything of
// all of them in turn, so that what else the machine does hits all alike.
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

// attempts is how often a question is asked anew while it misses its target:
// what disturbs one measurement seldom disturbs three.
const attempts = 3

// ask takes the time of each question at each of the bases.
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

// take asks the same of all bases in turn.
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

// write measures shipping and rollups, once of few callers and once of all.
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

// taken are the times that a question took.
type taken struct{ median, max time.Duration }
