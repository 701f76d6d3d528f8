// Package chaos runs a whole Tollgate under load, lets faults happen to it
// one after the other, and audits what is left: what the clients saw, the usage
// logs, the rollups and the accounts must tell the same story.
package chaos

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tollgate/tollgate/e2e/stack"
)

const (
	relays  = 2
	workers = 2
	onDisk  = 1 // the relay whose spool is on a small disk
)

// Options describe a run. Zero fields have defaults.
type Options struct {
	Kit *stack.Kit // of the processes; nil: the programs are built, and removed afterwards
	// Stage opens what is broken; nil: processes of this machine, on Kit's programs.
	Stage       func(context.Context, Play) (*Stage, error)
	Seed        uint64        // of the choices: who is hit when, and for how long; 0: by the time
	Duration    time.Duration // about how long a fault lasts; 8 s
	Outage      time.Duration // how long the database is away at most; 60 s
	Concurrency int           // clients of the customers with enough quota; 12
	Only        []string      // names of the faults to make; none: all
	Short       bool          // leave out the faults that resemble others
	LeaseGrace  time.Duration // TOLLGATE_LEASE_GRACE, longer than Outage; 1.5 x Outage + 10 s
	Progress    func(string)  // told what happens; nil: nobody
}

func (o Options) withDefaults() Options {
	if o.Seed == 0 {
		o.Seed = uint64(time.Now().UnixNano() % 1e6)
	}
	if o.Duration <= 0 {
		o.Duration = 8 * time.Second
	}
	if o.Outage <= 0 {
		o.Outage = time.Minute
	}
	if o.Concurrency <= 0 {
		o.Concurrency = 12
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	if o.LeaseGrace <= 0 {
		o.LeaseGrace = o.Outage*3/2 + 10*time.Second
	}
	return o
}

// faults are those that the options want.
func (o *Options) faults() ([]*fault, error) {
	var wanted []*fault
	var names []string
	for _, f := range faults() {
		names = append(names, f.name)
		if slices.Contains(o.Only, f.name) || len(o.Only) == 0 && (!o.Short || !f.long) {
			wanted = append(wanted, &f)
		}
	}
	for _, name := range o.Only {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("no fault is named %q; there are %s", name, strings.Join(names, ", "))
		}
	}
	return wanted, nil
}

// run is one run. But for load and ledger it belongs to one goroutine.
type run struct {
	o      Options
	rng    *rand.Rand
	stage  *Stage
	load   *load
	ledger *ledger
	report Report
	disk   string // where the small disk is mounted; "": nowhere
	gone   *Relay // a relay that is away for good
	lost   *Relay // one that was
	phase  *Phase // the present one
	// What was served on leases that were reclaimed before it was recorded, and
	// could not be charged any more.
	forgiven map[*customer]int64
}

// Run runs the faults under load and audits. Its error is one of the run's own
// means; what the audit found is in the Report. An error has stack.ErrMissing
// in its chain where this machine lacks Postgres or Redis.
func Run(ctx context.Context, o Options) (Report, error) {
	o = o.withDefaults()
	wanted, err := o.faults()
	if err != nil {
		return Report{}, err
	}
	r := &run{o: o, rng: rand.New(rand.NewPCG(o.Seed, 0)), ledger: newLedger(), report: Report{Seed: o.Seed}, forgiven: map[*customer]int64{}}
	close, err := r.setUp(ctx, len(wanted))
	if err != nil {
		return Report{}, errors.Join(err, close())
	}
	err = r.play(ctx, wanted)
	if err != nil || r.report.Failed() {
		r.report.Logs = r.stage.Logs(15)
	}
	return r.report, errors.Join(err, close())
}

// setUp starts everything but the load. close undoes what it did, whether it
// failed or not.
func (r *run) setUp(ctx context.Context, faults int) (close func() error, err error) {
	var undo []func() error
	close = func() error {
		var errs []error
		for _, step := range slices.Backward(undo) {
			errs = append(errs, step())
		}
		return errors.Join(errs...)
	}
	unmount, err := r.mount()
	if err != nil {
		return close, err
	}
	undo = append(undo, unmount)
	planned := time.Duration(faults)*(r.o.Duration+4*time.Second) + r.o.Outage
	all := customers(planned)
	open := r.o.Stage
	if open == nil {
		open = processes{r.o.Kit}.open
	}
	r.stage, err = open(ctx, Play{Catalogue: catalogue(all), Env: r.env(), RelayEnv: r.relayEnv(), Relays: relays, Workers: workers})
	if err != nil {
		return close, err
	}
	undo = append(undo, r.stage.Close)
	bases := make([]string, relays)
	for i, relay := range r.stage.Relays {
		bases[i] = relay.URL
	}
	r.load = &load{client: newClient(bases, time.Minute), ledger: r.ledger, customers: all, seed: r.o.Seed}
	return close, nil
}

// mount makes the small disk where that is permitted.
func (r *run) mount() (unmount func() error, err error) {
	dir, err := os.MkdirTemp("", "tollgate-chaos-")
	if err != nil {
		return nil, err
	}
	if refused := mountDisk(dir); refused != nil {
		return func() error { return os.Remove(dir) }, nil //nolint:nilerr // disk-full says that it is left out
	}
	r.disk = dir
	return func() error { return errors.Join(unmountDisk(dir), os.Remove(dir)) }, nil
}

func (r *run) env() map[string]string {
	return map[string]string{
		"TOLLGATE_QUOTA_WAIT":  "1s",
		"TOLLGATE_LEASE_GRACE": r.o.LeaseGrace.String(),
	}
}

func (r *run) relayEnv() []map[string]string {
	env := make([]map[string]string, relays)
	if r.disk != "" {
		env[onDisk] = map[string]string{"TOLLGATE_DATA_DIR": r.disk}
	}
	return env
}

// play lets the faults happen, then lets everything come to rest, and audits.
func (r *run) play(ctx context.Context, wanted []*fault) error {
	r.load.start(ctx, r.o.Concurrency)
	calm := &fault{name: "calm", strike: func(ctx context.Context, r *run) error {
		r.wait(ctx, 4)
		return nil
	}}
	for _, f := range append([]*fault{calm}, wanted...) {
		r.suffer(ctx, f)
	}
	r.load.end()
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.gone != nil {
		if err := r.gone.Start(ctx); err != nil {
			return err
		}
		r.gone = nil
	}
	r.suffer(ctx, &fault{name: "spend-the-rest", strike: spendTheRest})
	return r.rest(ctx)
}

// suffer lets one fault happen and waits until all that it touched is over.
func (r *run) suffer(ctx context.Context, f *fault) {
	r.o.Progress(f.name)
	r.phase = r.ledger.begin(f)
	p := r.phase
	err := f.strike(ctx, r)
	if !errors.Is(err, errSkipped) {
		err = errors.Join(err, r.recover(ctx))
	}
	p.Err = err
	r.report.Phases = append(r.report.Phases, p)
}

// recover waits until everything works as it did before the fault, and every
// request that it may have touched has ended.
func (r *run) recover(ctx context.Context) error {
	errs := []error{r.mend(ctx)}
	older, began, ids := r.ledger.barrier(), time.Now(), r.ledger.idsOf(r.phase)
	if r.gone == nil { // what is in its spool is not recorded
		errs = append(errs, r.until(ctx, patience, "successes are recorded", func() bool { return r.unrecorded(ctx, ids) == 0 }))
		r.phase.Recorded = time.Since(began)
	}
	if r.load.running() {
		errs = append(errs, r.serving(ctx))
	}
	errs = append(errs, r.until(ctx, 90*time.Second, "requests of the fault's time have ended", func() bool { return older() == 0 }))
	return errors.Join(errs...)
}

// mend starts what should run and does not, after a fault that went wrong.
func (r *run) mend(ctx context.Context) error {
	for _, link := range r.stage.Links {
		link.Restore()
	}
	var errs []error
	if !r.stage.Postgres.Running() {
		errs = append(errs, r.startPostgres(ctx))
	}
	for _, p := range r.programs() {
		if !p.Running() {
			errs = append(errs, p.Start(ctx))
		}
	}
	return errors.Join(errs...)
}

// programs are all parts but Postgres, without a relay that is gone.
func (r *run) programs() []Part {
	all := append([]Part{r.stage.Redis, r.stage.Console}, r.stage.Workers...)
	for _, relay := range r.stage.Relays {
		if relay != r.gone {
			all = append(all, relay)
		}
	}
	return all
}

// spendTheRest lets each limited customer spend what is left at each relay,
// one request after the other, until it is refused.
func spendTheRest(_ context.Context, r *run) error {
	const most = 3000 // requests of one customer at one relay: a bound, not a figure
	for i := range r.load.customers {
		c := &r.load.customers[i]
		if !c.limited() {
			continue
		}
		for relay := range relays * 2 { // twice each: what one gives back another may take
			for range most {
				o := &order{customer: c, model: c.models[0], capped: true, relay: relay % relays}
				if got := r.load.send(o); got.kind != success {
					break
				}
			}
		}
	}
	return nil
}

// rest waits until the outbox is empty, ends the relays, and audits.
func (r *run) rest(ctx context.Context) error {
	r.o.Progress("audit")
	settled := func() error {
		return r.until(ctx, patience, "the outbox is empty", func() bool { return r.number(ctx, `SELECT count(*) FROM usage_outbox`) == 0 })
	}
	errs := []error{settled()}
	for _, relay := range r.stage.Relays {
		errs = append(errs, relay.Terminate())
	}
	errs = append(errs, settled())
	if err := errors.Join(errs...); err != nil {
		r.remark("the end: %v", err)
		r.report.Checks = append(r.report.Checks, Check{Name: "relays end well and the outbox is drained", Rule: Equal, Found: 1})
	}
	return r.audit(ctx)
}

func (r *run) remark(format string, args ...any) {
	r.report.Notes = append(r.report.Notes, fmt.Sprintf(format, args...))
}

// classes spells counts by class, in the order of the classes.
func classes(counts map[string]int) string {
	var parts []string
	for _, class := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[class], class))
	}
	return strings.Join(parts, ", ")
}
