package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/e2e/bench/proc"
	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/wait"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
)

// patience bounds the wait until everything is recorded.
const patience = 3 * time.Minute

// quiet makes the statistics that Postgres has after a while, and turns autovacuum off: its work would be in some of
// the figures and not in others.
const quiet = `ANALYZE;
	DO $$ DECLARE name regclass; BEGIN
		FOR name IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace LOOP
			EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = off)', name);
		END LOOP;
	END $$`

// rig holds the running programs and what was sent to them.
type rig struct {
	stack *stack.Stack
	conn  *pgx.Conn
	calls *calls
	sent  int
}

// measure takes all steps of the plan, then checks the usage logs.
func measure(ctx context.Context, s *stack.Stack, p plan) (*report, error) {
	conn, err := pgx.Connect(ctx, s.DatabaseURL)
	if err != nil {
		return nil, fmt.Errorf("connect to Postgres: %w", err)
	}
	defer conn.Close(ctx) //nolint:errcheck // the program ends
	if _, err := conn.Exec(ctx, quiet); err != nil {
		return nil, fmt.Errorf("turn autovacuum off: %w", err)
	}
	r, result := &rig{stack: s, conn: conn, calls: newCalls()}, &report{}
	for _, g := range p.groups {
		if err := r.restart(ctx, g); err != nil {
			return nil, err
		}
		for i, step := range g.steps {
			fmt.Fprintf(os.Stderr, "scalebench: %s at %d calls/s, relays: %d, delay: %s\n", step.traffic, step.rate,
				g.relays, g.delay)
			// Takes leases and fills caches.
			if step.traffic != fresh && (i == 0 || step.traffic != g.steps[i-1].traffic) {
				if _, err := r.take(ctx, g, step, p.time/2); err != nil {
					return nil, err
				}
			}
			line, err := r.take(ctx, g, step, p.time)
			if err != nil {
				return nil, err
			}
			result.lines = append(result.lines, line)
		}
	}
	if result.sizes, err = r.check(ctx); err != nil {
		return nil, err
	}
	result.reconciling, err = r.reconcile(ctx)
	return result, err
}

// reconcile compares the usage logs with the rollups, as the worker does every five minutes for the hours that are not
// over. It returns the CPU time that Postgres uses for it.
func (r *rig) reconcile(ctx context.Context) (time.Duration, error) {
	s, err := store.Open(ctx, db.Options{URL: r.stack.DatabaseURL})
	if err != nil {
		return 0, err
	}
	defer s.Close() //nolint:errcheck // the program ends
	before, err := proc.CPUTree(r.stack.Postgres.PID())
	if err != nil {
		return 0, err
	}
	result, err := s.Reconcile.Run(ctx, tenant.SystemScope("scalebench"))
	if err != nil {
		return 0, err
	}
	if len(result.New) > 0 {
		return 0, fmt.Errorf("usage logs and rollups differ: %+v", result.New)
	}
	after, err := proc.CPUTree(r.stack.Postgres.PID())
	return after - before, err
}

// restart stops all relays and starts those of the group, which have empty caches then.
func (r *rig) restart(ctx context.Context, g group) error {
	for _, relay := range r.stack.Relays {
		if err := relay.Terminate(); err != nil {
			return err
		}
	}
	r.stack.SetEnv("TOLLGATE_RECORD_DELAY", g.delay)
	for _, relay := range r.stack.Relays[:g.relays] {
		if err := relay.Start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// take makes one measurement. It includes the work after the last answer: the rest of shipping and rollups.
func (r *rig) take(ctx context.Context, g group, s step, within time.Duration) (line, error) {
	relays := r.stack.Relays[:g.relays]
	urls := make([]string, len(relays))
	for i, relay := range relays {
		urls[i] = relay.URL
	}
	before, err := r.read(ctx, relays)
	if err != nil {
		return line{}, err
	}
	l := line{group: g, step: s, calls: int(float64(s.rate) * within.Seconds())}
	if s.traffic == fresh {
		l.calls = g.relays * len(traffics[fresh])
		within = time.Duration(l.calls) * time.Second / time.Duration(s.rate)
	}
	if l.calls == 0 {
		wait.For(ctx, within)
	} else if err := r.calls.send(ctx, urls, s.traffic, l.calls, within); err != nil {
		return line{}, err
	}
	r.sent += l.calls
	if err := r.settle(ctx, relays); err != nil {
		return line{}, err
	}
	after, err := r.read(ctx, relays)
	l.used = after.minus(before)
	return l, err
}

// settle waits until all events are recorded and rolled up.
func (r *rig) settle(ctx context.Context, relays []*stack.Program) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		backlog := 0.0
		for _, relay := range relays {
			values, err := scrape(ctx, relay.Ops)
			if err != nil {
				return err
			}
			backlog += values["tollgate_spool_events"]
		}
		pending := true
		if backlog == 0 {
			if err := r.conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM usage_outbox)").Scan(&pending); err != nil {
				return fmt.Errorf("read the outbox: %w", err)
			}
		}
		if !pending {
			return nil
		}
		wait.For(ctx, 100*time.Millisecond) // a faster poll would add to the measured CPU time
		if ctx.Err() != nil {
			return fmt.Errorf("the usage events were not recorded in time: %w", ctx.Err())
		}
	}
}

// used holds what was used since the programs started, or between two readings.
type used struct {
	at                              time.Time
	elapsed                         time.Duration // between the readings
	postgres, redis, worker, relays time.Duration // CPU time
	wal                             float64       // bytes
	commands                        float64       // that Redis processed, those of scripts included
	batches                         float64       // transactions that recorded events
}

func (u used) minus(before used) used {
	return used{
		elapsed: u.at.Sub(before.at), postgres: u.postgres - before.postgres, redis: u.redis - before.redis,
		worker: u.worker - before.worker,
		relays: u.relays - before.relays, wal: u.wal - before.wal, commands: u.commands - before.commands,
		batches: u.batches - before.batches,
	}
}

// read takes a reading. The relays are those that run.
func (r *rig) read(ctx context.Context, relays []*stack.Program) (u used, err error) {
	if err := r.conn.QueryRow(ctx, "SELECT pg_current_wal_lsn() - '0/0'::pg_lsn").Scan(&u.wal); err != nil {
		return u, fmt.Errorf("read the position of the WAL: %w", err)
	}
	if u.commands, err = redisCommands(ctx, r.stack.Redis.URL); err != nil {
		return u, err
	}
	for _, relay := range relays {
		values, err := scrape(ctx, relay.Ops)
		if err != nil {
			return u, err
		}
		u.batches += values["tollgate_shipping_lag_seconds_count"]
		spent, err := proc.Exactly(relay.PID())
		if err != nil {
			return u, err
		}
		u.relays += spent
	}
	u.at = time.Now()
	var errs [3]error
	u.postgres, errs[0] = proc.CPUTree(r.stack.Postgres.PID())
	u.redis, errs[1] = proc.Exactly(r.stack.Redis.PID())
	u.worker, errs[2] = proc.Exactly(r.stack.Worker.PID())
	return u, errors.Join(errs[:]...)
}

// scrape returns the metrics without labels.
func scrape(ctx context.Context, ops string) (map[string]float64, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, ops+"/metrics", nil)
	if err != nil {
		return nil, fmt.Errorf("read metrics: %w", err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, fmt.Errorf("read metrics: %w", err)
	}
	defer response.Body.Close() //nolint:errcheck // only read
	values := map[string]float64{}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if number, err := strconv.ParseFloat(value, 64); err == nil {
			values[name] = number
		}
	}
	return values, lines.Err()
}

// redisCommands returns the number of commands that Redis has processed.
func redisCommands(ctx context.Context, at string) (float64, error) {
	address, err := url.Parse(at)
	if err != nil {
		return 0, fmt.Errorf("ask Redis: %w", err)
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address.Host)
	if err != nil {
		return 0, fmt.Errorf("ask Redis: %w", err)
	}
	defer conn.Close() //nolint:errcheck // only read
	if _, err := io.WriteString(conn, "INFO stats\r\nQUIT\r\n"); err != nil {
		return 0, fmt.Errorf("ask Redis: %w", err)
	}
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), "total_commands_processed:"); ok {
			return strconv.ParseFloat(value, 64)
		}
	}
	return 0, errors.Join(errors.New("redis did not report total_commands_processed"), lines.Err())
}

// sizes describes what the usage logs of the run take on the disk.
type sizes struct {
	logs           int
	table, indexes float64 // bytes
}

// check compares the usage logs with the number of answers, and returns their size.
func (r *rig) check(ctx context.Context) (s sizes, err error) {
	if err := r.conn.QueryRow(ctx, "SELECT count(*) FROM usage_logs WHERE outcome = 'success'").
		Scan(&s.logs); err != nil {
		return s, fmt.Errorf("count the usage logs: %w", err)
	}
	if s.logs != r.sent {
		return s, fmt.Errorf("%d usage logs, want %d", s.logs, r.sent)
	}
	err = r.conn.QueryRow(ctx, "SELECT sum(pg_table_size(relid)), sum(pg_indexes_size(relid)) FROM "+
		"pg_partition_tree('usage_logs') WHERE isleaf").
		Scan(&s.table, &s.indexes)
	if err != nil {
		return s, fmt.Errorf("read the size of the usage logs: %w", err)
	}
	return s, nil
}
