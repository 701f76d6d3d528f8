package chaos

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// fault is one kind of fault. inject causes it and returns when the cause is over and all parts run again. The
// run then waits until they work again (see run.recover).
type fault struct {
	name    string
	inject  func(context.Context, *run) error
	excuses []string // failure classes that are acceptable at the relays that the fault hits
	limited []string // failure classes that are acceptable for limited customers at every relay
	attack  bool     // hostile clients cause it; see attacking
	long    bool     // skipped with Options.Short
}

// explains reports whether the fault explains a failure, so that the product could not have prevented it.
func (f *fault) explains(o *order, class string, struck bool) bool {
	return struck && slices.Contains(f.excuses, class) || o.customer.limited() && slices.Contains(f.limited, class)
}

// dbUnavailable is the acceptable error for a customer whose lease is used up while the database is
// unavailable: the relay cannot know whether more quota exists.
const dbUnavailable = overloaded

// notStored is the acceptable error for requests in flight whose usage event no longer fits on a disk that
// filled up without warning.
const notStored = "500 internal_error"

// faults returns all faults in the order of a run.
func faults() []fault {
	killErrors := []string{connRefused, connBroken, answerCut}
	stopErrors := []string{connRefused, connBroken} // after SIGTERM, requests in flight complete
	noDatabase := []string{dbUnavailable}
	return []fault{
		{name: "relay-kill", inject: killRelays, excuses: killErrors},
		{name: "relay-term", inject: rollRelays, excuses: stopErrors},
		{name: "postgres-stop", inject: stopPostgres, limited: noDatabase},
		{name: "postgres-kill", inject: killPostgres, limited: noDatabase},
		{name: "redis-stop", inject: stopRedis},
		{name: "worker-kill", inject: killWorkers},
		{name: "redis-kill", inject: kill(redis), long: true},
		{name: "redis-pause", inject: pause(redis), long: true},
		{name: "worker-pause", inject: pause(worker), long: true},
		{name: "console-kill", inject: kill(console), long: true},
		{name: "console-pause", inject: pause(console), long: true},
		{name: "disk-full", inject: fillDisk, excuses: []string{overloaded, notStored, answerCut + " internal_error"},
			limited: noDatabase, long: true},
		{name: "spool-full", inject: fillSpool, excuses: append(stopErrors, overloaded), limited: noDatabase},
		{name: "outage-kill", inject: killInOutage, excuses: killErrors, limited: noDatabase, long: true},
		{name: "link-cut", inject: cutLink, limited: noDatabase, long: true},
		{name: "link-blackhole", inject: blackholeLink, limited: noDatabase},
		{name: "link-delay", inject: delayLink, limited: noDatabase, long: true},
		{name: "link-lost-commits", inject: loseCommits, limited: noDatabase},
		{name: "relay-pause", inject: pauseRelay},
		{name: "postgres-pause", inject: pausePostgres, limited: noDatabase, long: true},
		{name: "clients-leave", inject: disconnectClients},
		{name: "relay-gone", inject: loseRelay, excuses: killErrors, limited: noDatabase},
	}
}

// errSkipped means that this machine or stage does not support the fault.
var errSkipped = errors.New("skipped")

// killRelays kills each relay under load, and then both at once.
func killRelays(ctx context.Context, r *run) error {
	index := r.rng.IntN(2)
	for _, victim := range []int{index, 1 - index} {
		r.hit(victim)
		r.stage.Relays[victim].Kill()
		r.wait(ctx, 3)
		if err := r.stage.Relays[victim].Start(ctx); err != nil {
			return err
		}
		if err := r.serving(ctx); err != nil {
			return err
		}
	}
	for _, relay := range r.stage.Relays {
		relay.Kill()
	}
	r.wait(ctx, 4)
	// Both relays find the events of the kill in their spools.
	return errors.Join(r.stage.Relays[0].Start(ctx), r.stage.Relays[1].Start(ctx))
}

// rollRelays restarts the relays one after the other with SIGTERM, as a rolling update does.
func rollRelays(ctx context.Context, r *run) error {
	for victim, relay := range r.stage.Relays {
		r.hit(victim)
		if err := relay.Terminate(); err != nil {
			return err
		}
		r.wait(ctx, 4)
		if err := relay.Start(ctx); err != nil {
			return err
		}
		if err := r.serving(ctx); err != nil {
			return err
		}
	}
	return nil
}

// stopPostgres stops the database for Options.Outage. Meanwhile the spools must grow: requests are still
// served.
func stopPostgres(ctx context.Context, r *run) error {
	before, err := r.spoolBytes(ctx)
	if err != nil {
		return err
	}
	if err := r.stage.Postgres.Terminate(); err != nil {
		return err
	}
	r.sleep(ctx, r.o.Outage)
	after, err := r.spoolBytes(ctx)
	if err != nil {
		return err
	}
	if after <= before {
		err = fmt.Errorf("the spools had %d bytes before the outage and %d at its end", before, after)
	}
	r.remark("postgres-stop: the spools grew from %d to %d bytes in %v", before, after, r.o.Outage)
	return errors.Join(err, r.stage.Postgres.Start(ctx))
}

// killPostgres kills the database, which then recovers from its write-ahead log.
func killPostgres(ctx context.Context, r *run) error {
	r.stage.Postgres.Kill()
	r.wait(ctx, 2)
	return r.startPostgres(ctx)
}

// stopRedis stops Redis for a while. Requests and metering must not notice.
func stopRedis(ctx context.Context, r *run) error {
	if err := r.stage.Redis.Terminate(); err != nil {
		return err
	}
	r.wait(ctx, 1)
	return r.stage.Redis.Start(ctx)
}

// killWorkers kills the workers one after the other.
func killWorkers(ctx context.Context, r *run) error {
	index := r.rng.IntN(2)
	for _, victim := range []int{index, 1 - index} {
		r.stage.Workers[victim].Kill()
		r.wait(ctx, 2)
		if err := r.stage.Workers[victim].Start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// killInOutage kills a relay while the database is unavailable, so that its spool holds unrecorded events, and
// starts it again before the database is back.
func killInOutage(ctx context.Context, r *run) error {
	victim := r.hitOne()
	if err := r.stage.Postgres.Terminate(); err != nil {
		return err
	}
	r.wait(ctx, 2)
	r.stage.Relays[victim].Kill()
	result := make(chan error, 1)
	go func() { result <- r.stage.Relays[victim].Start(ctx) }()
	r.wait(ctx, 4)
	return errors.Join(r.stage.Postgres.Start(ctx), <-result)
}

// cutLink breaks the connections between a relay and Postgres three times.
func cutLink(ctx context.Context, r *run) error {
	link := r.stage.Links[r.hitOne()]
	for range 3 {
		link.Cut()
		r.wait(ctx, 3)
		link.Restore()
		r.wait(ctx, 6)
	}
	return nil
}

// blackholeLink stops the data without closing connections: the relay must detect the outage with its own
// timeouts.
func blackholeLink(ctx context.Context, r *run) error {
	link := r.stage.Links[r.hitOne()]
	link.Blackhole()
	r.wait(ctx, 1)
	link.Restore()
	return nil
}

// delayLink makes the network between a relay and Postgres slow.
func delayLink(ctx context.Context, r *run) error {
	link := r.stage.Links[r.hitOne()]
	link.Delay(time.Duration(50+r.rng.IntN(200)) * time.Millisecond)
	r.wait(ctx, 1)
	link.Restore()
	return nil
}

// loseCommits loses the answer to every commit of a relay at first, and then to every second one.
func loseCommits(ctx context.Context, r *run) error {
	link := r.stage.Links[r.hitOne()]
	before := link.Lost()
	link.LoseCommits(1)
	r.load.lateStart.Store(true)
	r.sleep(ctx, 8*limitedPause) // long enough for one request of these customers at this relay
	link.LoseCommits(2)
	r.wait(ctx, 2)
	link.Restore()
	lost := link.Lost() - before
	r.remark("link-lost-commits: the answers to %d commits were lost", lost)
	if lost == 0 {
		return errors.New("no commit was lost")
	}
	return nil
}

// disconnectClients lets some clients close their streams early.
func disconnectClients(ctx context.Context, r *run) error {
	r.load.disconnecting.Store(true)
	r.wait(ctx, 1)
	r.load.disconnecting.Store(false)
	return nil
}

// loseRelay kills a relay for the rest of the run while its spool holds unrecorded events. Its leases must be
// reclaimed. The relay starts again at the end, to ship its spool.
func loseRelay(ctx context.Context, r *run) error {
	victim := r.hitOne()
	relay := r.stage.Relays[victim]
	if err := r.stage.Postgres.Terminate(); err != nil {
		return err
	}
	r.wait(ctx, 4)
	relay.Kill()
	r.gone, r.lost = relay, relay
	if err := r.stage.Postgres.Start(ctx); err != nil {
		return err
	}
	began := time.Now()
	if err := r.until(ctx, 3*r.o.LeaseGrace+patience, "the leases of the killed relay are reclaimed", func() bool {
		return r.leasedTo(ctx, relay) == 0
	}); err != nil {
		return err
	}
	r.remark("relay-gone: its leases were reclaimed after %v", time.Since(began).Round(100*time.Millisecond))
	return nil
}

// startPostgres starts Postgres after a kill. It retries for 30 s, because the server refuses to start until
// the children of the killed one have noticed and ended.
func (r *run) startPostgres(ctx context.Context) error {
	deadline := time.Now().Add(30 * time.Second)
	for {
		err := r.stage.Postgres.Start(ctx)
		if err == nil || time.Now().After(deadline) || ctx.Err() != nil {
			return err
		}
		r.sleep(ctx, 200*time.Millisecond)
	}
}

// fillDisk leaves little room for a relay's spool on its disk and stops Postgres until the disk is full.
func fillDisk(ctx context.Context, r *run) error {
	if r.disk == "" {
		return fmt.Errorf("%w: mounting a small disk needs root (spool-full covers a similar case)", errSkipped)
	}
	r.hit(onDisk)
	ballast, err := fill(r.disk, 128<<10)
	if err != nil {
		return err
	}
	return errors.Join(r.fillUp(ctx, onDisk), ballast.remove())
}

// fillSpool sets a small size limit for a relay's spool and stops Postgres until the spool is full.
func fillSpool(ctx context.Context, r *run) error {
	victim := r.hitOne()
	relay := r.stage.Relays[victim]
	if relay.SetEnv == nil {
		return fmt.Errorf("%w: the relay's environment cannot be changed", errSkipped)
	}
	restart := func(limit string) error {
		if err := relay.Terminate(); err != nil {
			return err
		}
		relay.SetEnv("TOLLGATE_SPOOL_MAX_BYTES", limit)
		if err := relay.Start(ctx); err != nil {
			return err
		}
		return r.serving(ctx)
	}
	if err := restart("262144"); err != nil {
		return err
	}
	return errors.Join(r.fillUp(ctx, victim), restart(""))
}

// fillUp stops Postgres until the relay refuses requests because its spool is full, waits a while, and returns
// when Postgres is back and the relay serves again.
func (r *run) fillUp(ctx context.Context, victim int) error {
	if err := r.stage.Postgres.Terminate(); err != nil {
		return err
	}
	full := r.until(ctx, time.Minute, "the relay refuses requests because its spool is full", func() bool {
		return r.ledger.at(r.phase, victim, overloaded)+r.ledger.at(r.phase, victim, overloaded+malformed) >= 5
	})
	r.wait(ctx, 4)
	if err := r.stage.Postgres.Start(ctx); err != nil {
		return errors.Join(full, err)
	}
	return errors.Join(full, r.serving(ctx))
}

// hit marks a relay as hit by the current fault.
func (r *run) hit(relay int) { r.ledger.hit(r.phase, relay) }

// hitOne chooses a relay at random and marks it as hit.
func (r *run) hitOne() int {
	victim := r.rng.IntN(len(r.stage.Relays))
	r.hit(victim)
	return victim
}

// wait sleeps for a random time of about the nth part of a fault's length.
func (r *run) wait(ctx context.Context, n time.Duration) {
	part := r.o.Duration / n
	r.sleep(ctx, part/2+time.Duration(r.rng.Int64N(int64(part))))
}

// sleep waits for d or until ctx ends.
func (r *run) sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// until polls holds every 20 ms until it returns true.
func (r *run) until(ctx context.Context, patience time.Duration, condition string, holds func() bool) error {
	for deadline := time.Now().Add(patience); !holds(); {
		if time.Now().After(deadline) || ctx.Err() != nil {
			return fmt.Errorf("not true within %v: %s", patience, condition)
		}
		r.sleep(ctx, 20*time.Millisecond)
	}
	return nil
}

const (
	warm     = 20 // successes after which a relay has loaded all customers
	patience = 2 * time.Minute
)

// serving waits until every relay that runs serves requests again.
func (r *run) serving(ctx context.Context) error {
	var before [relays]int
	for i := range before {
		before[i] = r.ledger.at(r.phase, i, served)
	}
	for i, relay := range r.stage.Relays {
		if relay == r.gone {
			continue
		}
		if err := r.until(ctx, patience, relay.Name+" serves again", func() bool {
			return r.ledger.at(r.phase, i, served) >= before[i]+warm
		}); err != nil {
			return err
		}
	}
	return nil
}
