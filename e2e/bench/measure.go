package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/e2e/bench/proc"
	"github.com/tollgate/tollgate/e2e/fakeupstream"
)

// plan says what to measure and how often.
type plan struct {
	rounds       int           // turns of all proxies for each CPU time
	scale        int           // divisor of the numbers of requests
	pacedRounds  int           // rounds for streams with pauses between the frames; 0: not measured
	latency      time.Duration // time for each proxy's latency
	streams      int           // number of streams that the memory figures hold open
	leavers      int           // number of streams that leave together
	concurrency  []int         // concurrent requests, a figure for each
	nginx        string        // path of nginx; "": not measured
	postgresURL  string
	measurements map[string]bool // names of the measurements; nil: all
}

// side is a load and its target, to compare with others.
type side struct {
	target *target
	load   load
}

// compare runs the sides in turn; every round starts with another one, so that slow drifts of the machine affect all
// alike. It returns the CPU time of each side and round per unit, in microseconds. units is the number of units
// (requests or chunks) in a request.
func (r *rig) compare(rounds int, units float64, sides ...side) ([][]float64, error) {
	for _, s := range sides { // fill caches and connection pools
		s.load.requests = max(s.load.concurrency, s.load.requests/8)
		if _, err := r.spend(s.target, s.load); err != nil {
			return nil, err
		}
	}
	costs := make([][]float64, len(sides))
	for round := range rounds {
		for i := range sides {
			at := (round + i) % len(sides)
			spent, err := r.spend(sides[at].target, sides[at].load)
			if err != nil {
				return nil, err
			}
			costs[at] = append(costs[at], float64(spent.Nanoseconds())/1e3/float64(sides[at].load.requests)/units)
		}
	}
	return costs, nil
}

// proxies compares the proxies under the same load.
func (r *rig) proxies(rounds int, l load, units float64) (Figure, error) {
	sides := []side{{&r.bare, l}, {&r.relay, l}}
	if r.nginx.process != nil {
		sides = append(sides, side{&r.nginx, l})
	}
	costs, err := r.compare(rounds, units, sides...)
	if err != nil {
		return Figure{}, err
	}
	f := figureOf(costs[0], costs[1])
	if len(costs) > 2 {
		f.Nginx = median(costs[2])
	}
	return f, nil
}

// figureOf returns the medians of the CPU times, and of their ratios in each round.
func figureOf(bare, relay []float64) Figure {
	ratios := make([]float64, len(bare))
	for i := range bare {
		ratios[i] = relay[i] / bare[i]
	}
	return Figure{Unit: "us", Bare: median(bare), Relay: median(relay), Ratio: median(ratios)}
}

// warm fills caches and connection pools of the proxies.
func (r *rig) warm() error {
	l := load{request: requestFor(fakeupstream.FastJSON, 1<<10, false), want: fakeupstream.FastBody(), requests: 800,
		concurrency: 16}
	for _, t := range r.targets() {
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
		f, err := r.proxies(p.rounds, chat(fakeupstream.FastJSON, size, count/p.scale, concurrency), 1)
		if err != nil {
			return nil, err
		}
		f.Name = fmt.Sprintf("chat %d KB, %d connections", size>>10, concurrency)
		figures = append(figures, f)
	}
	return figures, nil
}

// chat returns a load of chat completions that are answered with JSON.
func chat(model string, size, count, concurrency int) load {
	return load{request: requestFor(model, size, false), want: fakeupstream.FastBody(),
		requests: max(concurrency, count), concurrency: concurrency}
}

// responses measures CPU time per created response.
func (r *rig) responses(p plan) (Figure, error) {
	f, err := r.proxies(p.rounds, responseLoad(8_000/p.scale, 64), 1)
	f.Name = "responses 1 KB, 64 connections"
	return f, err
}

// responseLoad returns a load of requests that create responses. The relay changes the ids of an answer and adds
// output_text at its end, so only the part between the id and the output is compared.
func responseLoad(count, concurrency int) load {
	want := fakeupstream.FastResponseBody()
	want = want[bytes.Index(want, []byte(`,"object"`)):bytes.Index(want, []byte(`"output":`))]
	return load{request: responseFor(fakeupstream.FastResponse, 1<<10), want: want, part: true,
		requests: max(concurrency, count), concurrency: concurrency}
}

// messages measures CPU time per message of Anthropic's API, on a channel that speaks it.
func (r *rig) messages(p plan) (Figure, error) {
	f, err := r.proxies(p.rounds, messageLoad(8_000/p.scale, 64), 1)
	f.Name = "messages 1 KB, 64 connections"
	return f, err
}

// messageLoad returns a load of requests that create messages.
func messageLoad(count, concurrency int) load {
	return load{request: messageFor(fakeupstream.FastMessage, 1<<10), want: fakeupstream.FastMessageBody(),
		requests: max(concurrency, count), concurrency: concurrency}
}

// encrypted compares the relay with itself, with and without TLS to the upstream.
func (r *rig) encrypted(p plan) ([]Figure, error) {
	var figures []Figure
	for _, step := range []struct{ size, count int }{{1 << 10, 8_000}, {200 << 10, 1_500}} {
		costs, err := r.compare(p.rounds, 1,
			side{&r.relay, chat(fakeupstream.FastJSON, step.size, step.count/p.scale, 64)},
			side{&r.relay, chat(fakeupstream.FastTLS, step.size, step.count/p.scale, 64)})
		if err != nil {
			return nil, err
		}
		f := figureOf(costs[0], costs[1])
		f.Name = fmt.Sprintf("chat %d KB to TLS, against plain", step.size>>10)
		figures = append(figures, f)
	}
	return figures, nil
}

// chunks measures CPU time per streamed chunk, without and with pauses between the chunks.
func (r *rig) chunks(p plan) ([]Figure, error) {
	stream := func(model string, count, concurrency int) load {
		return load{request: requestFor(model, 1<<10, true), want: fakeupstream.FastFrames(), requests: count,
			concurrency: concurrency}
	}
	burst, err := r.proxies(p.rounds, stream(fakeupstream.FastStream, max(16, 2_400/p.scale), 16),
		fakeupstream.FastChunks)
	if err != nil {
		return nil, err
	}
	burst.Name = "chunk, coalesced"
	if p.pacedRounds == 0 {
		return []Figure{burst}, nil
	}
	figure, err := r.proxies(p.pacedRounds, stream(fakeupstream.FastPaced, 64, 64), fakeupstream.FastChunks)
	figure.Name = fmt.Sprintf("chunk, one each %v", fakeupstream.FastPace)
	return []Figure{burst, figure}, err
}

// latencies measures the latency that each proxy adds to the upstream's own, at a moderate rate.
func (r *rig) latencies(p plan) ([]Figure, error) {
	const rate, rounds = 200, 4
	l := chat(fakeupstream.FastJSON, 1<<10, int(p.latency.Seconds()*rate/rounds), 16)
	l.requests = max(1, int(p.latency.Seconds()*rate/rounds))
	times := map[string]map[int][]float64{}
	for range rounds {
		for _, t := range append([]*target{&r.upstream}, r.targets()...) {
			sample, err := l.latencies(t.addr, rate)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.name, err)
			}
			if t == &r.relay {
				r.successes += int64(l.requests)
			}
			if times[t.name] == nil {
				times[t.name] = map[int][]float64{}
			}
			for _, p := range []int{50, 99} {
				times[t.name][p] = append(times[t.name][p], float64(percentile(sample, p).Nanoseconds())/1e3)
			}
		}
	}
	var figures []Figure
	for _, p := range []int{50, 99} {
		direct := median(times[r.upstream.name][p])
		f := Figure{Name: fmt.Sprintf("p%d added, %d requests/s", p, rate), Unit: "us",
			Bare: median(times[r.bare.name][p]) - direct, Relay: median(times[r.relay.name][p]) - direct}
		if r.nginx.process != nil {
			f.Nginx = median(times[r.nginx.name][p]) - direct
		}
		f.Ratio = f.Relay / f.Bare
		figures = append(figures, f)
	}
	return figures, nil
}

// memory measures the memory per open stream. Each proxy is restarted before.
func (r *rig) memory(ctx context.Context, p plan, size int) (Figure, error) {
	f := Figure{Name: fmt.Sprintf("one of %d open streams, %d KB body", p.streams, size>>10), Unit: "KB"}
	for _, t := range r.targets() {
		restart := t.restart
		if t == &r.relay {
			restart = r.restartRelay
		}
		if err := restart(ctx); err != nil {
			return f, err
		}
	}
	if err := r.warm(); err != nil {
		return f, err
	}
	for i, t := range r.targets() {
		memory, err := hold(t, requestFor(fakeupstream.FastStall, size, true), p.streams)
		if err != nil {
			return f, fmt.Errorf("%s: %w", t.name, err)
		}
		*[]*float64{&f.Bare, &f.Relay, &f.Nginx}[i] = float64(memory) / 1024 / float64(p.streams)
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

// postgres measures the CPU time of all Postgres processes per usage event: with the calls of a few tokens of one
// tenant, and with the same calls spread over many tokens of many tenants. Recording and the rollups that follow are
// figures of their own: the worker is suspended while the relay ships.
func (r *rig) postgres(ctx context.Context) ([]Figure, error) {
	if _, err := r.stack.Apply(ctx, manifestText+crowd()); err != nil {
		return nil, err
	}
	var figures []Figure
	for _, tokens := range []int{busyTokens, crowdTokens} {
		l := chat(fakeupstream.FastJSON, 1<<10, tokens, 64)
		l.request = requestBy(crowdToken(0), fakeupstream.FastJSON, 1<<10, false)
		for i := 1; i < tokens; i++ {
			l.others = append(l.others, requestBy(crowdToken(i), fakeupstream.FastJSON, 1<<10, false))
		}
		// The first calls let the relay read the tokens and lease quota of their accounts.
		if _, _, err := r.recording(ctx, l); err != nil {
			return nil, err
		}
		l.requests = 30_000
		shipping, rollups, err := r.recording(ctx, l)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("Postgres per event, %d tokens", tokens)
		figures = append(figures, Figure{Name: name, Unit: "us", Relay: shipping},
			Figure{Name: name + ": rollups", Unit: "us", Relay: rollups})
	}
	return figures, nil
}

// recording sends the load and returns the CPU time of all Postgres processes per request, in microseconds: until the
// events are recorded, and then until the worker has rolled them up.
func (r *rig) recording(ctx context.Context, l load) (shipping, rollups float64, err error) {
	if err := r.stack.Worker.Freeze(); err != nil {
		return 0, 0, err
	}
	shipping, err = r.spentByPostgres(l.requests, func() error {
		if err := r.send(&r.relay, l); err != nil {
			return err
		}
		return proc.Settle(r.relay.process.PID())
	})
	if err := errors.Join(err, r.stack.Worker.Thaw()); err != nil {
		return 0, 0, err
	}
	rollups, err = r.spentByPostgres(l.requests, func() error { return r.awaitRollups(ctx) })
	return shipping, rollups, err
}

// spentByPostgres returns the CPU time that all Postgres processes use while work runs, divided by count, in
// microseconds.
func (r *rig) spentByPostgres(count int, work func() error) (float64, error) {
	before, err := proc.CPUTree(r.stack.Postgres.PID())
	if err != nil {
		return 0, err
	}
	if err := work(); err != nil {
		return 0, err
	}
	after, err := proc.CPUTree(r.stack.Postgres.PID())
	return float64((after - before).Nanoseconds()) / 1e3 / float64(count), err
}

// awaitRollups waits until the worker has drained the outbox.
func (r *rig) awaitRollups(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, r.stack.DatabaseURL)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // only read
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for pending := true; pending; {
		if err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM usage_outbox)`).Scan(&pending); err != nil {
			return err
		}
		<-tick.C
	}
	return nil
}
