package chaos

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// fault is one kind of trouble. Its strike returns when the trouble is over
// and everything runs again; whether it works again is for the run to find.
type fault struct {
	name    string
	strike  func(context.Context, *run) error
	excuses []string // classes of failures at the relays that were struck
	broke   []string // classes of failures of limited customers, anywhere
	long    bool     // not in the short form
}

// explains reports whether a failure is the fault's, so that the product
// cannot do anything about it.
func (f *fault) explains(o *order, class string, struck bool) bool {
	return struck && slices.Contains(f.excuses, class) || o.customer.limited() && slices.Contains(f.broke, class)
}

// unknowable is what somebody may be told whose lease is used up while the
// database is away: whether there is more quota cannot be known.
const unknowable = overloaded

// unkept is what those in flight are told whose event finds no room on a disk
// that filled up without a warning.
const unkept = "500 internal_error"

// faults are all there are, in the order of a run.
func faults() []fault {
	killed := []string{connRefused, connBroken, answerCut}
	ended := []string{connRefused, connBroken} // what is open ends well
	blind := []string{unknowable}
	return []fault{
		{name: "relay-kill", strike: killRelays, excuses: killed},
		{name: "relay-term", strike: rollRelays, excuses: ended},
		{name: "postgres-stop", strike: stopPostgres, broke: blind},
		{name: "postgres-kill", strike: killPostgres, broke: blind},
		{name: "redis-stop", strike: stopRedis},
		{name: "worker-kill", strike: killWorkers},
		{name: "redis-kill", strike: kill(redis), long: true},
		{name: "redis-pause", strike: pause(redis), long: true},
		{name: "worker-pause", strike: pause(worker), long: true},
		{name: "console-kill", strike: kill(console), long: true},
		{name: "console-pause", strike: pause(console), long: true},
		{name: "disk-full", strike: fillDisk, excuses: []string{overloaded, unkept, answerCut + " internal_error"}, broke: blind, long: true},
		{name: "spool-full", strike: fillSpool, excuses: append(ended, overloaded), broke: blind},
		{name: "outage-kill", strike: killInOutage, excuses: killed, broke: blind, long: true},
		{name: "link-cut", strike: cutLink, broke: blind, long: true},
		{name: "link-blackhole", strike: blackholeLink, broke: blind},
		{name: "link-delay", strike: delayLink, broke: blind, long: true},
		{name: "link-lost-commits", strike: loseCommits, broke: blind},
		{name: "relay-pause", strike: pauseRelay},
		{name: "postgres-pause", strike: pausePostgres, broke: blind, long: true},
		{name: "clients-leave", strike: letClientsLeave},
		{name: "relay-gone", strike: loseRelay, excuses: killed, broke: blind},
	}
}

// errSkipped is in the chain of the error of a fault that cannot be made here.
var errSkipped = errors.New("left out")

func killRelays(ctx context.Context, r *run) error {
	first := r.rng.IntN(2)
	for _, victim := range []int{first, 1 - first} {
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
	return errors.Join(r.stage.Relays[0].Start(ctx), r.stage.Relays[1].Start(ctx))
}

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

func killPostgres(ctx context.Context, r *run) error {
	r.stage.Postgres.Kill()
	r.wait(ctx, 2)
	return r.startPostgres(ctx)
}

func stopRedis(ctx context.Context, r *run) error {
	if err := r.stage.Redis.Terminate(); err != nil {
		return err
	}
	r.wait(ctx, 1)
	return r.stage.Redis.Start(ctx)
}

func killWorkers(ctx context.Context, r *run) error {
	first := r.rng.IntN(2)
	for _, victim := range []int{first, 1 - first} {
		r.stage.Workers[victim].Kill()
		r.wait(ctx, 2)
		if err := r.stage.Workers[victim].Start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// killInOutage kills a relay whose spool cannot be recorded, and starts it
// before the database is back.
func killInOutage(ctx context.Context, r *run) error {
	victim := r.hitOne()
	if err := r.stage.Postgres.Terminate(); err != nil {
		return err
	}
	r.wait(ctx, 2)
	r.stage.Relays[victim].Kill()
	started := make(chan error, 1)
	go func() { started <- r.stage.Relays[victim].Start(ctx) }()
	r.wait(ctx, 4)
	return errors.Join(r.stage.Postgres.Start(ctx), <-started)
}

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

// blackholeLink breaks nothing: whoever waits must stop waiting by himself.
func blackholeLink(ctx context.Context, r *run) error {
	link := r.stage.Links[r.hitOne()]
	link.Blackhole()
	r.wait(ctx, 1)
	link.Restore()
	return nil
}

func delayLink(ctx context.Context, r *run) error {
	link := r.stage.Links[r.hitOne()]
	link.Delay(time.Duration(50+r.rng.IntN(200)) * time.Millisecond)
	r.wait(ctx, 1)
	link.Restore()
	return nil
}

// loseCommits first loses the answer to every commit of a relay, then to
// every other one.
func loseCommits(ctx context.Context, r *run) error {
	link := r.stage.Links[r.hitOne()]
	before := link.Lost()
	link.LoseCommits(1)
	r.load.debut.Store(true)
	r.sleep(ctx, 8*poorPause) // for a request of theirs at this relay
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

func letClientsLeave(ctx context.Context, r *run) error {
	r.load.leaving.Store(true)
	r.wait(ctx, 1)
	r.load.leaving.Store(false)
	return nil
}

// loseRelay takes a relay away for good, with events that are not recorded.
// Its leases must be reclaimed; it comes back at the very end, for its spool.
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
	if err := r.until(ctx, 3*r.o.LeaseGrace+patience, "the leases of the relay that is gone are reclaimed", func() bool {
		return r.leasedTo(ctx, relay) == 0
	}); err != nil {
		return err
	}
	r.remark("relay-gone: its leases were reclaimed after %v", time.Since(began).Round(100*time.Millisecond))
	return nil
}

// startPostgres starts it after a kill: the children of the one before need a
// moment to notice.
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

// fillDisk leaves a relay's spool nearly no room on its disk and stops
// Postgres until none is left.
func fillDisk(ctx context.Context, r *run) error {
	if r.disk == "" {
		return fmt.Errorf("%w: no small disk could be mounted (spool-full stands for it)", errSkipped)
	}
	r.hit(onDisk)
	ballast, err := fill(r.disk, 128<<10)
	if err != nil {
		return err
	}
	return errors.Join(r.fillUp(ctx, onDisk), ballast.remove())
}

// fillSpool gives a relay little room for its spool and stops Postgres until
// none is left.
func fillSpool(ctx context.Context, r *run) error {
	victim := r.hitOne()
	relay := r.stage.Relays[victim]
	if relay.SetEnv == nil {
		return fmt.Errorf("%w: the relay's environment cannot be changed", errSkipped)
	}
	restart := func(most string) error {
		if err := relay.Terminate(); err != nil {
			return err
		}
		relay.SetEnv("TOLLGATE_SPOOL_MAX_BYTES", most)
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

// fillUp stops Postgres until the relay refuses requests, for a while, and
// returns when it serves again, Postgres being back.
func (r *run) fillUp(ctx context.Context, victim int) error {
	if err := r.stage.Postgres.Terminate(); err != nil {
		return err
	}
	full := r.until(ctx, time.Minute, "the relay refuses requests for want of room", func() bool {
		return r.ledger.at(r.phase, victim, overloaded)+r.ledger.at(r.phase, victim, overloaded+misshapen) >= 5
	})
	r.wait(ctx, 4)
	if err := r.stage.Postgres.Start(ctx); err != nil {
		return errors.Join(full, err)
	}
	return errors.Join(full, r.serving(ctx))
}

// hit notes that the fault concerns a relay.
func (r *run) hit(relay int) { r.ledger.strike(r.phase, relay) }

// hitOne chooses a relay to hit.
func (r *run) hitOne() int {
	victim := r.rng.IntN(len(r.stage.Relays))
	r.hit(victim)
	return victim
}

// wait passes about the nth part of the time a fault lasts.
func (r *run) wait(ctx context.Context, n time.Duration) {
	part := r.o.Duration / n
	r.sleep(ctx, part/2+time.Duration(r.rng.Int64N(int64(part))))
}

// sleep passes time: how long a fault lasts, or until the next look.
func (r *run) sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// until looks again and again until holds does.
func (r *run) until(ctx context.Context, patience time.Duration, what string, holds func() bool) error {
	for deadline := time.Now().Add(patience); !holds(); {
		if time.Now().After(deadline) || ctx.Err() != nil {
			return fmt.Errorf("not within %v: %s", patience, what)
		}
		r.sleep(ctx, 20*time.Millisecond)
	}
	return nil
}

const (
	warm     = 20 // successes after which a relay knows all customers
	patience = 30 * time.Second
)

// serving waits until every relay that is there serves again.
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
