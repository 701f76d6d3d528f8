package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"time"

	"github.com/tollgate/tollgate/e2e/stack"
)

// plan holds what the benchmark fills and measures.
type plan struct {
	rows, months, rounds int
	only                 regexp.Regexp // of the names of queries
}

// bench runs the command "bench": it starts a Postgres server, unless a flag names a database, fills databases of
// growing size, one tenant of which has half of the logs, and measures the queries of the console: pages, filters,
// single logs, summaries. The median of each query must stay below a bound, or below twice the median with the smallest
// database; otherwise it returns an error. Then it measures the CPU time of shipping and rollups on the largest
// database, the check for duplicates and the comparison with rollups on all, the drop of a month, and an upgrade from
// the baseline while other programs work. It needs Linux and Postgres; 10,000,000 logs take about 30 GB in the
// temporary folder.
func bench(ctx context.Context, args []string) (err error) {
	var p plan
	flags := flag.NewFlagSet("pastlogs bench", flag.ExitOnError)
	flags.IntVar(&p.rows, "rows", 1_000_000, "number of logs in the largest database")
	flags.IntVar(&p.months, "months", 12, "number of months, and of partitions, over which the logs of the largest "+
		"database are spread")
	flags.IntVar(&p.rounds, "rounds", 15, "times that each query runs")
	url := flags.String("postgres", "", "URL of a Postgres database to fill, and to keep for later runs; "+
		"only queries are measured then, unless -server is given; empty: start a server")
	pid := flags.Int("server", 0, "process id of the server of -postgres on this machine: measure also what "+
		"changes the database")
	flags.TextVar(&p.only, "only", regexp.MustCompile(""), "measure only the queries whose names match")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *url != "" {
		return measure(ctx, *url, *pid, &p)
	}
	// Autovacuum would add its CPU time to the measured work.
	server, err := stack.StartPostgres(ctx, "-c", "autovacuum=off", "-c", "shared_buffers=512MB", "-c",
		"max_wal_size=8GB", "-c", "jit=off")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Remove()) }()
	return measure(ctx, server.URL, server.PID(), &p)
}

const (
	fewest    = 10_000 // number of logs in the smallest database
	fewMonths = 12     // months of all databases but the largest

	// upgradeRows is the largest number of logs in the database that is upgraded. It is filled for the upgrade alone,
	// and a test of the store shows that no migration reads or rewrites usage logs.
	upgradeRows = 2_000_000
)

// sizes returns the numbers of logs of the databases, up to rows. Each has ten times as many as the one before, or a
// hundred times if rows is very large, to save time.
func sizes(rows int) (list []int) {
	factor := 10
	if rows > 10_000_000 {
		factor = 100
	}
	for n := fewest; n < rows; n *= factor {
		list = append(list, n)
	}
	return append(list, rows)
}

// measure fills a schema for each size and runs each query on all of them in turn, so that other load on the
// machine affects all sizes alike. server is the process id of Postgres; 0: measure queries only.
func measure(ctx context.Context, url string, server int, p *plan) error {
	var bases []*base
	defer func() {
		for _, b := range bases {
			b.close(ctx)
		}
	}()
	r := report{}
	for _, n := range sizes(p.rows) {
		began, months := time.Now(), fewMonths
		if n == p.rows {
			months = p.months
		}
		b := &base{rows: n, months: months}
		bases, r.sizes = append(bases, b), append(r.sizes, n)
		if err := b.open(ctx, url); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%d logs of %d months loaded in %.0f s\n", n, months, time.Since(began).Seconds())
	}
	var err error
	if r.lines, err = ask(ctx, bases, p); err != nil {
		return err
	}
	if server != 0 {
		err = r.change(ctx, url, bases, server)
	}
	return errors.Join(r.print(os.Stdout), err)
}

// attempts is the number of times that the measurement of a query is repeated while it misses its target. A disturbance
// of the machine rarely affects three measurements.
const attempts = 3

// ask measures each of the selected queries on each of the bases.
func ask(ctx context.Context, bases []*base, p *plan) ([]line, error) {
	lists := make([][]question, len(bases))
	for i, b := range bases {
		lists[i] = slices.DeleteFunc(b.questions(), func(q question) bool { return !p.only.MatchString(q.name) })
	}
	lines := make([]line, len(lists[0]))
	for i, q := range lists[0] {
		row := make([]question, len(bases))
		for size := range bases {
			row[size] = lists[size][i]
		}
		for attempt := 0; attempt == 0 || attempt < attempts && lines[i].missed(); attempt++ {
			times, err := take(ctx, row, p.rounds)
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
func take(ctx context.Context, questions []question, rounds int) ([]timing, error) {
	times := make([][]time.Duration, len(questions))
	for round := range rounds + 1 {
		for size := range questions {
			began := time.Now()
			if err := questions[size].ask(ctx); err != nil {
				return nil, err
			}
			if round > 0 { // the first fills the caches
				times[size] = append(times[size], time.Since(began))
			}
		}
	}
	result := make([]timing, len(questions))
	for size := range questions {
		slices.Sort(times[size])
		result[size] = timing{times[size][rounds/2], times[size][rounds-1]}
	}
	return result, nil
}

// change measures what changes the databases: shipping and rollups on the largest one, the check for duplicates and the
// background work on all, retention on the largest, and an upgrade of another one.
func (r *report) change(ctx context.Context, url string, bases []*base, server int) (err error) {
	largest := bases[len(bases)-1]
	if r.disk, err = largest.sizes(ctx); err != nil {
		return fmt.Errorf("sizes: %w", err)
	}
	if r.comparisons, err = reconcile(ctx, bases, server); err != nil {
		return fmt.Errorf("comparison: %w", err)
	}
	if err := r.write(ctx, largest, server); err != nil {
		return err
	}
	if r.repeats, err = repeats(ctx, bases, server); err != nil {
		return fmt.Errorf("duplicates: %w", err)
	}
	if r.drops, err = largest.retire(ctx); err != nil {
		return fmt.Errorf("retention: %w", err)
	}
	if r.upgrade, err = upgrade(ctx, url, min(largest.rows, upgradeRows), largest.months); err != nil {
		return fmt.Errorf("upgrade: %w", err)
	}
	return nil
}

// write measures shipping and rollups, once for events of few tokens and once for events of all tokens.
func (r *report) write(ctx context.Context, b *base, server int) error {
	for _, traffic := range []struct {
		name string
		goal float64
		pick func() caller
	}{{fmt.Sprintf("%d tokens of a tenant", busyTokens), shippingGoal, b.busyToken},
		{"tokens of all tenants", 0, b.anyToken}} {
		w := trafficCost{callers: traffic.name, goal: traffic.goal}
		var start, end trace
		err := b.trace(ctx, &start)
		if err == nil {
			w.shipping, err = b.ship(ctx, server, traffic.pick)
		}
		if err != nil {
			return fmt.Errorf("shipping: %w", err)
		}
		if w.rollup, err = b.drain(ctx, server); err == nil {
			err = b.trace(ctx, &end)
		}
		if err != nil {
			return fmt.Errorf("rollups: %w", err)
		}
		w.wal, w.rollups, w.outbox = float64(end.wal-start.wal)/shippedEvents, end.rollups-start.rollups, end.outbox
		r.traffic = append(r.traffic, w)
	}
	return nil
}

// timing holds the times of a query on one base.
type timing struct{ median, max time.Duration }
