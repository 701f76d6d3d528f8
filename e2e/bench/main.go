// Command bench measures what the relay costs with all features on (authentication, permission, holds, routing,
// spool, shipping to Postgres). It compares the relay with a bare httputil.ReverseProxy in front of the same
// upstream, and with nginx if it is installed, in the same run on the same machine:
//
//   - CPU time per request: user and system time of the process, from /proc/PID/stat, over a
//     fixed number of requests at a fixed concurrency. The proxies take turns, and the
//     ratio is the median over the rounds.
//   - CPU time per streamed chunk, added latency, memory per open stream, CPU time per request to an upstream with
//     TLS, and the CPU time of all Postgres processes per usage event.
//   - What a relay needs while thousands of streams leave together: memory, and the latency of another tenant.
//   - How long each program takes from its start until it is ready, on stores that hold its data already.
//
// Each figure has its goal next to it, see goals. Every answer is compared with the upstream's answer, and at the end
// the rows in the database with the numbers of answers. It needs Linux, Postgres and Redis. It exits with 1 if an
// answer or a row is wrong; a goal that is not met only appears in the report.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	asJSON := flag.Bool("json", false, "print the report as JSON")
	short := flag.Bool("short", false, "send a quarter of the requests")
	rounds := flag.Int("rounds", 0, "rounds for each CPU time; 0: 5, or 3 with -short")
	only := flag.String("only", "", "comma-separated measurements: 1kb, 10kb, 200kb, responses, messages, chunks, "+
		"tls, latency, postgres, memory, leave, start; empty: all")
	postgresURL := flag.String("postgres", "", "URL of an empty Postgres database; empty: start a server")
	nginx := flag.String("nginx", "", "path of nginx; empty: that on PATH, if there is one")
	profile := flag.String("profile", "", "file to which to write a CPU profile of the relay under a mix of calls, or "+
		"those of -only, instead of measuring")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p := newPlan(*short, *rounds, *only)
	p.postgresURL, p.nginx = *postgresURL, findNginx(*nginx)
	var err error
	if *profile != "" {
		err = runProfile(ctx, p, *profile)
	} else {
		err = run(ctx, p, *asJSON)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// newPlan returns the plan for the flags.
func newPlan(short bool, rounds int, only string) plan {
	p := plan{rounds: 5, scale: 1, pacedRounds: 9, latency: 8 * time.Second, streams: 5_000, leavers: 5_000,
		concurrency: []int{64, 16}}
	if short {
		p = plan{rounds: 3, scale: 4, latency: 2 * time.Second, streams: 200, leavers: 1_000, concurrency: []int{64}}
	}
	if rounds > 0 {
		p.rounds = rounds
	}
	for _, name := range strings.FieldsFunc(only, func(c rune) bool { return c == ',' }) {
		if p.measurements == nil {
			p.measurements = map[string]bool{}
		}
		p.measurements[name] = true
	}
	return p
}

// run builds and starts all programs, measures, prints the report, and returns an error if answers or rows
// were wrong.
func run(ctx context.Context, p plan, asJSON bool) error {
	began := time.Now()
	r, err := newRig(ctx, p)
	if err != nil {
		return err
	}
	report, err := r.measure(ctx, p)
	if closeErr := r.close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	report.Seconds = time.Since(began).Seconds()
	if asJSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		err = out.Encode(report)
	} else {
		err = report.print(os.Stdout)
	}
	if err == nil && len(report.Faults) > 0 {
		err = fmt.Errorf("%s", strings.Join(report.Faults, "; "))
	}
	return err
}

// runProfile builds and starts all programs and writes a profile of the relay.
func runProfile(ctx context.Context, p plan, file string) error {
	loads := mix(p.measurements)
	if len(loads) == 0 {
		return errors.New("-only: there is no profile of this measurement; there are those of 1kb, 10kb, 200kb, tls, " +
			"responses, messages and chunks")
	}
	r, err := newRig(ctx, p)
	if err != nil {
		return err
	}
	return errors.Join(r.profile(ctx, file, loads), r.close())
}

// measure runs the selected measurements in order, then audits the database.
func (r *rig) measure(ctx context.Context, p plan) (*Report, error) {
	report := &Report{}
	for _, m := range r.measurements(ctx, p) {
		if p.measurements != nil && !p.measurements[m.name] {
			continue
		}
		fmt.Fprintln(os.Stderr, "bench: measuring", m.name)
		figures, err := m.take()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		report.Figures = append(report.Figures, figures...)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	report.BareBroke, report.Faults = r.broken.Load(), r.faults
	var err error
	if report.Recorded, err = r.audit(ctx); err != nil {
		report.Faults = append(report.Faults, err.Error())
	}
	return report, nil
}

// measurement is one entry of -only; take returns its figures.
type measurement struct {
	name string
	take func() ([]Figure, error)
}

// measurements returns all measurements. Those of memory are the last, because they restart the
// proxies.
func (r *rig) measurements(ctx context.Context, p plan) []measurement {
	wrap := func(f Figure, err error) ([]Figure, error) { return []Figure{f}, err }
	list := []measurement{
		{"1kb", func() ([]Figure, error) { return r.requests(p, 1<<10, 8_000) }},
		{"10kb", func() ([]Figure, error) { return r.requests(p, 10<<10, 6_000) }},
		{"200kb", func() ([]Figure, error) { return r.requests(p, 200<<10, 1_500) }},
		{"responses", func() ([]Figure, error) { return wrap(r.responses(p)) }},
		{"messages", func() ([]Figure, error) { return wrap(r.messages(p)) }},
		{"chunks", func() ([]Figure, error) { return r.chunks(p) }},
		{"tls", func() ([]Figure, error) { return r.encrypted(p) }},
		{"latency", func() ([]Figure, error) { return r.latencies(p) }},
		{"memory", func() ([]Figure, error) {
			small, err := r.memory(ctx, p, 10<<10)
			if err != nil {
				return nil, err
			}
			big, err := r.memory(ctx, p, 200<<10)
			return []Figure{small, big}, err
		}},
		{"leave", func() ([]Figure, error) { return r.leave(ctx, p) }},
		{"start", func() ([]Figure, error) { return r.starts(ctx) }},
	}
	if r.stack.Postgres != nil { // a server given with -postgres may serve others, and its processes may be remote
		list = slices.Insert(list, 8, measurement{"postgres", func() ([]Figure, error) { return r.postgres(ctx) }})
	}
	return list
}
