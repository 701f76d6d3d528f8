package chaos

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// memoryLimits returns the limits in bytes of the programs' memory: those of the chart (deploy/helm/tollgate).
func memoryLimits() map[string]int64 {
	return map[string]int64{"relay": 1 << 30, "console": 512 << 20, "worker": 512 << 20}
}

// Smallest p99 in calm that the bounds during attacks use (see latency.bound). A sign-in checks a password, which
// takes tens of milliseconds of CPU time by itself.
const (
	leastCall   = 50 * time.Millisecond
	leastRead   = 50 * time.Millisecond
	leastSignIn = 250 * time.Millisecond
	// While thousands of streams leave, the calls of others may take up to 250 ms.
	leastDeparting = 125 * time.Millisecond
)

// Attack holds what hostile clients of one phase did, and what the well-behaved clients noticed meanwhile.
type Attack struct {
	Did     []string         // what the hostile clients saw
	Peaks   map[string]int64 // largest resident memory in bytes by program; no entry if it is unknown
	Ended   []string         // programs that ended
	Missed  string           // the lease renewal that was missed; "": none
	Calls   Service          // of the API, at the relays that were attacked
	Reads   Service          // of console pages by people who are signed in
	SignIns Service          // at the console, from other addresses than the attack

	from, to time.Time
	pids     map[string]int // process ids by program, of those that have not ended
}

// Service describes the answers to one kind of requests of well-behaved clients during an attack.
type Service struct {
	latency
	calm     latency
	least    time.Duration  // smallest calm value that counts
	failures map[string]int // by class
}

// OK reports whether the clients noticed nothing.
func (s *Service) OK() bool { return len(s.failures) == 0 && s.p99 <= s.calm.bound(s.least) }

// String describes the service, such as "812: 14ms, calm 11ms" or "812, 3 timeout: 1.2s, calm 11ms".
func (s *Service) String() string {
	if s.n == 0 && len(s.failures) == 0 {
		return "-"
	}
	text := fmt.Sprint(s.n)
	if len(s.failures) > 0 {
		text += ", failed " + classes(s.failures)
	}
	return text + fmt.Sprintf(": %v, calm %v", s.latency, s.calm)
}

// attacking returns the inject function of a fault that consists of hostile clients: begin lets them attack and
// returns when they have ended. The programs must live through it within their memory limits.
func attacking(begin func(context.Context, *run) error) func(context.Context, *run) error {
	return func(ctx context.Context, r *run) error {
		a := &Attack{Peaks: map[string]int64{}, pids: map[string]int{}}
		r.phase.Attack = a
		for name, p := range r.targets() {
			a.pids[name] = p.PID()
			if err := resetPeak(p.PID()); err != nil {
				r.unmeasured = err
			}
		}
		stop := r.watchLeases(ctx, a)
		a.from = time.Now()
		err := begin(ctx, r)
		a.to = time.Now()
		stop()
		for name, pid := range a.pids {
			if peak, err := peakOf(pid); err == nil {
				a.Peaks[name] = peak
			}
		}
		r.findEnded(a)
		return err
	}
}

// findEnded adds the programs that have ended since the attack began to the report.
func (r *run) findEnded(a *Attack) {
	for name, p := range r.targets() {
		if pid, ok := a.pids[name]; ok && (!p.Running() || p.PID() != pid || ending(pid)) {
			p.Kill() // the kernel may need a while to free the memory of a process that it has killed
			a.Ended = append(a.Ended, name)
			delete(a.pids, name)
		}
	}
}

// ending reports whether a process was killed but has not ended yet.
func ending(pid int) bool {
	_, err := residentOf(pid)
	return errors.Is(err, errNoMemory)
}

// did adds a line about the hostile clients to the report.
func (r *run) did(format string, args ...any) {
	r.phase.Attack.Did = append(r.phase.Attack.Did, fmt.Sprintf(format, args...))
}

// targets returns the programs that an attack could end, by name.
func (r *run) targets() map[string]Part {
	parts := map[string]Part{"console": r.stage.Console}
	for _, relay := range r.stage.Relays {
		parts[relay.Name] = relay
	}
	return parts
}

// missedAfter is the age of leases at which a renewal was missed: relays renew them every ten seconds. A short run
// shares the machine with other tests, so it allows more; leases are valid for a minute.
func (r *run) missedAfter() time.Duration {
	if r.o.Short {
		return 40 * time.Second
	}
	return 20 * time.Second
}

// watchLeases checks twice a second that the relays renew their leases in time. The returned function ends that.
func (r *run) watchLeases(ctx context.Context, a *Attack) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			for _, relay := range r.stage.Relays {
				maximum, err := metric(ctx, relay.Ops, "tollgate_leases_valid_max_seconds")
				remaining, leftErr := metric(ctx, relay.Ops, "tollgate_leases_valid_seconds")
				if age := time.Duration(maximum-remaining) * time.Second; errors.Join(err, leftErr) == nil &&
					age > r.missedAfter() {
					a.Missed = fmt.Sprintf("%s renewed its leases %v ago", relay.Name, age)
				}
			}
			r.sleep(ctx, 500*time.Millisecond)
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// auditAttacks compares what the well-behaved clients noticed of each attack with their requests in calm.
func (r *run) auditAttacks() {
	calm := r.report.Phases[0]
	var failures, slow, ends, large, misses findings
	attacks := 0
	for _, p := range r.report.Phases {
		a := p.Attack
		if a == nil || p.skipped() {
			continue
		}
		attacks++
		r.measure(a, p, calm)
		for _, s := range []struct {
			noun string
			*Service
		}{{"calls", &a.Calls}, {"pages of the console", &a.Reads}, {"sign-ins", &a.SignIns}} {
			for class, n := range s.failures {
				failures.n += int64(n)
				failures.examples = append(failures.examples, fmt.Sprintf("%s: %d %s: %s", p.Name, n, s.noun, class))
			}
			// A short run has too few requests for a p99, and shares the machine with other tests.
			if bound := s.calm.bound(s.least); s.p99 > bound && !r.o.Short {
				slow.n++
				slow.examples = append(slow.examples, fmt.Sprintf("%s: %s took %v, and %v in calm: at most %v", p.Name,
					s.noun, s.latency, s.calm, bound.Round(time.Millisecond)))
			}
		}
		for _, name := range a.Ended {
			ends.add("%s: %s", p.Name, name)
		}
		for name, peak := range a.Peaks {
			kind, _, _ := strings.Cut(name, "-")
			if limit := memoryLimits()[kind]; peak > limit {
				large.add("%s: %s needed %d MiB of %d", p.Name, name, peak>>20, limit>>20)
			}
		}
		if a.Missed != "" {
			misses.add("%s: %s", p.Name, a.Missed)
		}
	}
	if attacks == 0 {
		return
	}
	if r.unmeasured != nil {
		r.remark("the peaks of memory are those since the start of the programs, not of each attack: %v", r.unmeasured)
	}
	r.check("requests of others that failed during attacks", Equal, 0, failures.n, failures.examples...)
	r.check("times that requests of others took more than twice as long as in calm (p99)", Equal, 0, slow.n,
		slow.examples...)
	r.check("programs that an attack ended", Equal, 0, ends.n, ends.examples...)
	r.check("programs that an attack made larger than their memory limit", Equal, 0, large.n, large.examples...)
	r.check("relays that missed to renew their leases during an attack", Equal, 0, misses.n, misses.examples...)
}

// measure fills in the services of an attack.
func (r *run) measure(a *Attack, p, calm *Phase) {
	at := func(relay int) bool { return len(p.hitRelays) == 0 || p.hitRelays[relay] }
	until := calm.lastSuccess
	service := func(v *visits, interval, floor time.Duration) Service {
		console := func(int) bool { return true }
		return Service{
			latency: latencyOf(v.timings, a.from, a.to, interval, console),
			calm:    latencyOf(v.timings, calm.began, until, interval, console),
			least:   floor, failures: v.between(a.from, a.to),
		}
	}
	a.Calls = Service{
		latency: latencyOf(p.timings, a.from, a.to, unlimitedPause, at),
		calm:    latencyOf(calm.timings, calm.began, until, unlimitedPause, at),
		least:   cmp.Or(a.Calls.least, leastCall), failures: p.Excess,
	}
	a.Reads = service(&r.people.reads, readPause, leastRead)
	a.SignIns = service(&r.people.signIns, signInPause, leastSignIn)
}
