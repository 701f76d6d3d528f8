package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tollgate/tollgate/e2e/bench/proc"
	"github.com/tollgate/tollgate/e2e/fakeupstream"
)

const (
	leaveTime  = time.Second      // in which all streams leave
	calmTime   = 10 * time.Second // how long the other tenant is observed before
	watchTime  = 15 * time.Second // how long the other tenant is observed from then on
	settleTime = time.Minute      // after which memory must be free again
	otherRate  = 100              // requests of the other tenant per second
	otherConns = 64
)

// leave opens streams of one tenant, closes them all within a second and measures the relay meanwhile: its memory, the
// calls of another tenant, and whether leases and change feed keep up. The relay is restarted before.
func (r *rig) leave(ctx context.Context, p plan) ([]Figure, error) {
	if err := r.restartRelay(ctx); err != nil {
		return nil, err
	}
	w := newWatch(r.relay.process.PID(), r.stack.Relay.Ops)
	ctx, stop := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { w.memory(ctx) })
	watching.Go(func() { w.health(ctx) })
	times, err := r.departures(ctx, p, w)
	stop()
	watching.Wait()
	if err := errors.Join(err, w.err); err != nil {
		return nil, err
	}
	after, err := proc.RSS(r.relay.process.PID())
	if err != nil {
		return nil, err
	}
	for _, line := range strings.Split(r.relay.process.Log(), "\n") {
		if strings.Contains(line, "heartbeat failed") || strings.Contains(line, "change feed state changed") {
			r.faults = append(r.faults, "while streams left: "+line)
		}
	}
	name := fmt.Sprintf("%d streams with 200 KB bodies leave: ", p.leavers)
	const mega = 1e6
	return []Figure{
		{Name: name + "memory with all open", Unit: "MB", Relay: float64(w.open) / mega},
		{Name: name + "highest memory", Unit: "MB", Relay: float64(w.peak) / mega},
		{Name: name + "memory a minute later", Unit: "MB", Relay: float64(after) / mega},
		{Name: name + "p99 of another tenant before", Unit: "ms", Relay: milliseconds(w.calm)},
		{Name: name + "p50 of another tenant", Unit: "ms", Relay: milliseconds(percentile(times, 50))},
		{Name: name + "p99 of another tenant", Unit: "ms", Relay: milliseconds(percentile(times, 99))},
		{Name: name + "slowest call of another tenant", Unit: "ms", Relay: milliseconds(times[len(times)-1])},
		{Name: name + "longest wait for /metrics", Unit: "ms", Relay: milliseconds(w.slowest)},
		{Name: name + "oldest state of the change feed", Unit: "ms", Relay: milliseconds(w.stale)},
		{Name: name + "age of the heartbeat at most", Unit: "s", Relay: w.renewed},
	}, nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// departures opens the streams, closes them and waits for settleTime. It returns the sorted latencies of the other
// tenant from a second before the first stream leaves.
func (r *rig) departures(ctx context.Context, p plan, w *watch) ([]time.Duration, error) {
	calm, err := r.other(calmTime)
	if err != nil {
		return nil, err
	}
	w.calm = percentile(calm, 99)
	request := requestFor(fakeupstream.FastStall, 200<<10, true)
	var clients []*client
	defer func() { closeAll(clients) }()
	for i := range p.leavers {
		c, err := dial(r.relay.addr) // only now: the relay closes connections that send no request
		if err != nil {
			return nil, err
		}
		clients = append(clients, c)
		if err := c.open(request); err != nil {
			return nil, fmt.Errorf("stream %d: %w", i, err)
		}
	}
	r.partials += int64(len(clients))
	if err := proc.Settle(w.pid); err != nil {
		return nil, err
	}
	if w.open, err = proc.RSS(w.pid); err != nil {
		return nil, err
	}
	var group sync.WaitGroup
	group.Go(func() {
		<-time.After(time.Second)
		closeWithin(clients, leaveTime)
	})
	times, err := r.other(time.Second + leaveTime + watchTime)
	group.Wait()
	if err != nil {
		return nil, err
	}
	select {
	case <-time.After(settleTime - watchTime):
	case <-ctx.Done():
	}
	return times, ctx.Err()
}

// closeWithin closes the connections evenly within the time.
func closeWithin(clients []*client, within time.Duration) {
	began := time.Now()
	for i, c := range clients {
		<-time.After(time.Until(began.Add(within * time.Duration(i) / time.Duration(len(clients)))))
		c.close()
	}
}

// other sends calls of another tenant at a fixed rate and returns their sorted latencies, which count from the time
// when the call was due.
func (r *rig) other(within time.Duration) ([]time.Duration, error) {
	clients, err := dialAll(r.relay.addr, otherConns)
	defer closeAll(clients)
	if err != nil {
		return nil, err
	}
	idle := make(chan *client, len(clients))
	for _, c := range clients {
		idle <- c
	}
	request := requestBy(otherToken, fakeupstream.FastJSON, 1<<10, false)
	times := make([]time.Duration, int(within.Seconds()*otherRate))
	errs := make([]error, len(times))
	began := time.Now()
	var senders sync.WaitGroup
	for i := range times {
		due := began.Add(time.Duration(i) * time.Second / otherRate)
		<-time.After(time.Until(due))
		senders.Go(func() {
			c := <-idle
			errs[i] = c.do(request, fakeupstream.FastBody())
			times[i] = time.Since(due)
			idle <- c
		})
	}
	senders.Wait()
	r.successes += int64(len(times))
	slices.Sort(times)
	return times, errors.Join(errs...)
}

// watch observes a relay.
type watch struct {
	pid int
	ops string

	calm       time.Duration // p99 of the other tenant before the streams open
	open, peak int64         // resident memory in bytes: with all streams open, and at most
	slowest    time.Duration // longest time for an answer of /metrics
	stale      time.Duration // longest time for which the change feed had not applied all changes
	renewed    float64       // longest time since a heartbeat, in seconds
	err        error
}

func newWatch(pid int, ops string) *watch { return &watch{pid: pid, ops: ops} }

// memory records the highest memory until ctx ends.
func (w *watch) memory(ctx context.Context) {
	for tick := time.NewTicker(10 * time.Millisecond); ctx.Err() == nil; <-tick.C {
		if rss, err := proc.RSS(w.pid); err == nil {
			w.peak = max(w.peak, rss)
		}
	}
}

// health reads the metrics until ctx ends.
func (w *watch) health(ctx context.Context) {
	for tick := time.NewTicker(200 * time.Millisecond); ctx.Err() == nil; <-tick.C {
		began := time.Now()
		values, err := scrape(ctx, w.ops)
		if err != nil {
			if ctx.Err() == nil {
				w.err = errors.Join(w.err, err)
			}
			return
		}
		w.slowest = max(w.slowest, time.Since(began))
		if heard := values["tollgate_feed_heard_timestamp_seconds"]; heard > 0 { // 0 before the first poll
			w.stale = max(w.stale, time.Since(time.UnixMilli(int64(heard*1000))))
		}
		w.renewed = max(w.renewed, values["tollgate_leases_valid_max_seconds"]-values["tollgate_leases_valid_seconds"])
	}
}

// scrape returns the values of the metrics without labels.
func scrape(ctx context.Context, ops string) (map[string]float64, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, ops+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
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
