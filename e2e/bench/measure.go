package main

import (
	"context"
	"fmt"
	"time"

	"github.com/tollgate/tollgate/e2e/bench/proc"
	"github.com/tollgate/tollgate/e2e/fakeupstream"
)

// plan says what to measure and how often.
type plan struct {
	rounds       int           // pairs of runs for each CPU time
	scale        int           // divisor of the numbers of requests
	paced        int           // rounds for streams with pauses between the frames; 0: not measured
	latency      time.Duration // time for each proxy's latency
	streams      int           // number of streams that the memory figures hold open
	leavers      int           // number of streams that leave together
	concurrency  []int         // concurrent requests, a figure for each
	postgresURL  string
	measurements map[string]bool // names of the measurements; nil: all
}

// pairs runs the load on bare proxy and relay in turn; every second round starts with the relay, so that slow
// drifts of the machine affect both alike. It returns the medians of their CPU times per unit, in microseconds,
// and of the ratios of the rounds. units is the number of units (requests or chunks) in a request.
func (r *rig) pairs(rounds int, l load, units float64) (Figure, error) {
	var bare, relay, ratios []float64
	if err := r.warm(l); err != nil {
		return Figure{}, err
	}
	for round := range rounds {
		order := []*target{&r.bare, &r.relay}
		if round%2 == 1 {
			order[0], order[1] = order[1], order[0]
		}
		used := map[*target]float64{}
		for _, t := range order {
			spent, err := r.spend(t, l)
			if err != nil {
				return Figure{}, err
			}
			used[t] = float64(spent.Nanoseconds()) / 1e3 / float64(l.requests) / units
		}
		bare, relay = append(bare, used[&r.bare]), append(relay, used[&r.relay])
		ratios = append(ratios, used[&r.relay]/used[&r.bare])
	}
	return Figure{Unit: "us", Bare: median(bare), Relay: median(relay), Ratio: median(ratios)}, nil
}

// warm sends an eighth of the load to both proxies, to fill caches and connection pools.
func (r *rig) warm(l load) error {
	l.requests = max(l.concurrency, l.requests/8)
	for _, t := range []*target{&r.bare, &r.relay} {
		if _, err := r.spend(t, l); err != nil {
			return err
		}
	}
	return nil
}

// spend sends the load to the target and returns the CPU time that the target's process used for it, including
// work after the last answer, such as shipping.
func (r *rig) spend(t *target, l load) (time.Duration, error) {
	pid := t.process.PID()
	before, err := proc.CPU(pid)
	if err != nil {
		return 0, err
	}
	if err := r.send(t, l); err != nil {
		return 0, err
	}
	if err := proc.Settle(pid); err != nil {
		return 0, err
	}
	after, err := proc.CPU(pid)
	return after - before, err
}

// send sends the load. It tolerates broken connections of the bare proxy only: net/http's client breaks a
// connection if the upstream answers before the client has sent the whole request body.
func (r *rig) send(t *target, l load) error {
	if t == &r.bare {
		l.broken = &r.broken
	}
	if err := l.run(t.addr); err != nil {
		return fmt.Errorf("%s: %w\n%s", t.name, err, t.process.Tail(5))
	}
	if t == &r.relay {
		r.successes += int64(l.requests)
	}
	return nil
}

// requests measures CPU time per JSON request at each concurrency.
func (r *rig) requests(p plan, size, count int) ([]Figure, error) {
	var figures []Figure
	for _, concurrency := range p.concurrency {
		l := load{requestFor(fakeupstream.FastJSON, size, false), fakeupstream.FastBody(), max(concurrency, count/p.scale), concurrency, nil}
		f, err := r.pairs(p.rounds, l, 1)
		if err != nil {
			return nil, err
		}
		f.Name = fmt.Sprintf("CPU per request, %d KB body, %d at once", size>>10, concurrency)
		// The relay reads and parses a body before it forwards it, and the bare proxy streams it. The
		// difference grows with the size, so large bodies have a target of their own.
		f.Target = map[bool]float64{true: 2, false: 1.15}[size >= 200<<10]
		figures = append(figures, f)
	}
	return figures, nil
}

// chunks measures CPU time per streamed chunk, without and with pauses between the chunks.
func (r *rig) chunks(p plan) ([]Figure, error) {
	stream := func(model string, count, concurrency int) load {
		return load{requestFor(model, 1<<10, true), fakeupstream.FastFrames(), count, concurrency, nil}
	}
	burst, err := r.pairs(p.rounds, stream(fakeupstream.FastStream, max(16, 2_400/p.scale), 16), fakeupstream.FastChunks)
	if err != nil {
		return nil, err
	}
	burst.Name, burst.Target = "CPU per streamed chunk, back to back", 1.1
	if p.paced == 0 {
		return []Figure{burst}, nil
	}
	paced, err := r.pairs(p.paced, stream(fakeupstream.FastPaced, 64, 64), fakeupstream.FastChunks)
	paced.Name, paced.Target = fmt.Sprintf("CPU per streamed chunk, one each %v", fakeupstream.FastPace), 1.1
	return []Figure{burst, paced}, err
}

// latencies measures the latency that each proxy adds to the upstream's own, at a moderate rate.
func (r *rig) latencies(p plan) ([]Figure, error) {
	const rate, rounds = 200, 2
	l := load{requestFor(fakeupstream.FastJSON, 1<<10, false), fakeupstream.FastBody(), int(p.latency.Seconds() * rate / rounds), 16, nil}
	taken := map[string]map[int][]float64{}
	for range rounds {
		for _, t := range []*target{&r.upstream, &r.bare, &r.relay} {
			sorted, err := l.latencies(t.addr, rate)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.name, err)
			}
			if t == &r.relay {
				r.successes += int64(l.requests)
			}
			if taken[t.name] == nil {
				taken[t.name] = map[int][]float64{}
			}
			for _, p := range []int{50, 99} {
				taken[t.name][p] = append(taken[t.name][p], float64(percentile(sorted, p).Nanoseconds())/1e3)
			}
		}
	}
	var figures []Figure
	for _, p := range []int{50, 99} {
		direct := median(taken[r.upstream.name][p])
		bare, relay := median(taken[r.bare.name][p])-direct, median(taken[r.relay.name][p])-direct
		figures = append(figures, Figure{Name: fmt.Sprintf("p%d latency added, %d requests/s", p, rate), Unit: "us", Bare: bare, Relay: relay, Ratio: relay / bare})
	}
	return figures, nil
}

// memory measures the memory per open stream. Each proxy is restarted before.
func (r *rig) memory(ctx context.Context, p plan, size int) (Figure, error) {
	f := Figure{Name: fmt.Sprintf("memory per open stream, %d KB body", size>>10), Unit: "KB"}
	if err := r.bare.restart(ctx); err != nil {
		return f, err
	}
	if err := r.restartRelay(ctx); err != nil {
		return f, err
	}
	if err := r.warm(load{requestFor(fakeupstream.FastJSON, 1<<10, false), fakeupstream.FastBody(), 800, 16, nil}); err != nil {
		return f, err
	}
	for t, figure := range map[*target]*float64{&r.bare: &f.Bare, &r.relay: &f.Relay} {
		held, err := hold(t, requestFor(fakeupstream.FastStall, size, true), p.streams)
		if err != nil {
			return f, fmt.Errorf("%s: %w", t.name, err)
		}
		*figure = float64(held) / 1024 / float64(p.streams)
	}
	r.partials += int64(p.streams)
	f.Ratio = f.Relay / f.Bare
	return f, nil
}

// hold returns the growth of the target's resident memory, in bytes, while n streams are open.
func hold(t *target, request []byte, n int) (int64, error) {
	before, err := proc.RSS(t.process.PID())
	if err != nil {
		return 0, err
	}
	closeAll, err := openStreams(t.addr, request, n)
	if err != nil {
		return 0, err
	}
	defer closeAll()
	if err := proc.Settle(t.process.PID()); err != nil {
		return 0, err
	}
	after, err := proc.RSS(t.process.PID())
	return after - before, err
}

// postgres measures the CPU time of all Postgres processes per request.
func (r *rig) postgres(p plan) (Figure, error) {
	f := Figure{Name: "Postgres CPU per request", Unit: "us", TargetIs: "us", Target: 20}
	pid := r.stack.Postgres.PID()
	before, err := proc.CPUTree(pid)
	if err != nil {
		return f, err
	}
	l := load{requestFor(fakeupstream.FastJSON, 1<<10, false), fakeupstream.FastBody(), max(64, 30_000/p.scale), 64, nil}
	if err := r.send(&r.relay, l); err != nil {
		return f, err
	}
	if err := proc.Settle(r.relay.process.PID()); err != nil {
		return f, err
	}
	after, err := proc.CPUTree(pid)
	f.Relay = float64((after - before).Nanoseconds()) / 1e3 / float64(l.requests)
	return f, err
}
