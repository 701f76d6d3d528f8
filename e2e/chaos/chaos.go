// Package chaos runs a complete Tollgate under load, injects faults one after the other, and audits the result:
// what the clients saw, the usage logs, the rollups and the accounts must agree.
//
//	start stage -> constant load ---------------------------------------------------> stop load -> audit
//	                 calm | attack 1 | recover | ... | fault 1 | recover | fault 2 | ...
//
// An attack is a fault that hostile clients cause. All programs have the memory limits of the chart. During
// an attack, the customers call the relays and people use the console as before: none of their requests may fail, and
// the p99 of their times must stay within twice its value in calm (see latency.bound).
//
// The period of one fault, with the recovery from it, is a Phase. A failed request is acceptable only if the
// fault of its phase explains it. Every request asks the upstream to report token counts that no other request
// of the run has, so the audit can match each usage log with its request (see countsOf).
//
// Run is the entry. A Stage is the Tollgate that it runs on: processes of this machine by default, containers in
// e2e/shipped. Choices are random with a seed that the report prints; the same seed repeats them.
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

	"github.com/tollgate/tollgate/e2e/contract"
	"github.com/tollgate/tollgate/e2e/stack"
)

const (
	relays  = 2
	workers = 2
	onDisk  = 1 // index of the relay whose spool is on a small disk
)

// Options describes a run. Zero fields have the defaults that their comments give.
type Options struct {
	Kit *stack.Kit // for the default Stage; nil: build the programs, and remove them afterwards
	// Stage opens the Tollgate to run on; nil: processes of this machine, from Kit's programs.
	Stage func(context.Context, StageOptions) (*Stage, error)
	Redis stack.RedisKind // how Redis is set up, on processes of this machine
	// Of a PgBouncer in front of the default Stage's Postgres, such as transaction; "": none.
	PoolMode    string
	Seed        uint64        // of the random choices: which part is hit, and for how long; 0: taken from the clock
	Duration    time.Duration // approximate length of a fault; default 8 s
	Outage      time.Duration // length of the longest database outage; default 60 s
	Concurrency int           // number of clients of the customers with enough quota; default 12
	Only        []string      // names of the faults to inject; none: all
	Short       bool          // leave out the faults that resemble others, and the comparison of p99
	LeaseGrace  time.Duration // value of TOLLGATE_LEASE_GRACE, longer than Outage; default 1.5 x Outage + 10 s
	Progress    func(string)  // called with a line about each step; nil: no reports
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

// faults returns the faults that the options select, in the order of a run: attacks come first. It fails if Only has an
// unknown name.
func (o *Options) faults() ([]*fault, error) {
	var list []*fault
	var names []string
	for _, f := range append(attacks(), faults()...) {
		names = append(names, f.name)
		if slices.Contains(o.Only, f.name) || len(o.Only) == 0 && (!o.Short || !f.long) {
			list = append(list, &f)
		}
	}
	for _, name := range o.Only {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("unknown fault %q; the faults are: %s", name, strings.Join(names, ", "))
		}
	}
	return list, nil
}

// run is the state of one run. Except for load and ledger, only the goroutine of Run uses it.
type run struct {
	o      Options
	rng    *rand.Rand
	stage  *Stage
	load   *load
	ledger *ledger
	report Report
	people *people
	// checker compares a part of the load's exchanges with the OpenAPI document.
	checker *contract.Checker
	disk    string // where the small disk is mounted; "": not mounted
	gone    *Relay // the relay that relay-gone has killed, while it is down
	lost    *Relay // the relay that relay-gone has killed, also after it is back
	phase   *Phase // the current phase
	// unmeasured says why the peak of a program's memory is unknown; nil: it is known.
	unmeasured error
	// forgiven is the quota, in nano-dollars, of successes that were served on leases which were reclaimed
	// before the successes were recorded. By then the quota had been spent elsewhere, so Tollgate could not
	// charge it any more.
	forgiven map[*customer]int64
}

// Run injects the faults under load and audits. The error reports a problem of the run itself; findings of the
// audit are in the Report. If Postgres or Redis is not installed on this machine, the error wraps
// stack.ErrMissing.
func Run(ctx context.Context, o Options) (Report, error) {
	o = o.withDefaults()
	faults, err := o.faults()
	if err != nil {
		return Report{}, err
	}
	r := &run{o: o, rng: rand.New(rand.NewPCG(o.Seed, 0)), ledger: newLedger(), report: Report{Seed: o.Seed},
		forgiven: map[*customer]int64{}}
	close, err := r.setUp(ctx, len(faults))
	if err != nil {
		return Report{}, errors.Join(err, close())
	}
	err = r.injectAll(ctx, faults)
	if err != nil || r.report.Failed() {
		r.report.Logs = r.stage.Logs(15)
	}
	return r.report, errors.Join(err, close())
}

// setUp starts everything except the load. The returned close undoes what setUp did; call it also after an
// error.
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
	clients := customers(planned)
	open := r.o.Stage
	if open == nil {
		open = processes{r.o.Kit, r.o.PoolMode}.open
	}
	r.stage, err = open(ctx, StageOptions{
		Manifest: manifest(clients), Env: r.env(), RelayEnv: r.relayEnv(), Relays: relays, Workers: workers,
		Memory: memoryLimits(), Redis: r.o.Redis,
	})
	if err != nil {
		return close, err
	}
	undo = append(undo, r.stage.Close)
	bases := make([]string, relays)
	for i, relay := range r.stage.Relays {
		bases[i] = relay.URL
	}
	if r.stage.Unlimited != nil {
		r.remark("no limit of memory is enforced, only the peaks are compared with the limits: %v", r.stage.Unlimited)
	}
	r.people = &people{base: r.stage.ConsoleURL}
	document, err := contract.Open()
	if err != nil {
		return close, err
	}
	if r.checker, err = document.Checker(); err != nil {
		return close, err
	}
	undo = append(undo, func() error {
		_ = r.checker.Close() // the audit reports the differences
		return nil
	})
	r.load = &load{client: newClient(bases, time.Minute, r.checker), ledger: r.ledger, customers: clients,
		seed: r.o.Seed}
	return close, nil
}

// mount mounts the small disk, if this process is permitted to. Otherwise r.disk stays empty and the fault
// disk-full is skipped.
func (r *run) mount() (unmount func() error, err error) {
	dir, err := os.MkdirTemp("", "tollgate-chaos-")
	if err != nil {
		return nil, err
	}
	if mountErr := mountDisk(dir); mountErr != nil {
		return func() error { return os.Remove(dir) }, nil //nolint:nilerr // disk-full reports that it is skipped
	}
	r.disk = dir
	return func() error { return errors.Join(unmountDisk(dir), os.Remove(dir)) }, nil
}

// env returns the variables of all programs. A request waits only briefly for quota, so that limited customers
// are refused soon.
func (r *run) env() map[string]string {
	return map[string]string{
		"TOLLGATE_QUOTA_WAIT":  "1s",
		"TOLLGATE_LEASE_GRACE": r.o.LeaseGrace.String(),
	}
}

// relayEnv returns the variables of single relays: one has its data on the small disk.
func (r *run) relayEnv() []map[string]string {
	env := make([]map[string]string, relays)
	if r.disk != "" {
		env[onDisk] = map[string]string{"TOLLGATE_DATA_DIR": r.disk}
	}
	return env
}

// injectAll injects the faults under load, waits until all work is done, and audits.
func (r *run) injectAll(ctx context.Context, faults []*fault) error {
	attacks := 0
	for attacks < len(faults) && faults[attacks].attack {
		attacks++
	}
	if attacks > 0 {
		if err := r.people.start(ctx); err != nil {
			return err
		}
	}
	r.load.start(ctx, r.o.Concurrency)
	// The first phase has no fault. Its figures are the reference for the others.
	calm := &fault{name: "calm", inject: func(ctx context.Context, r *run) error {
		if attacks > 0 {
			r.sleep(ctx, r.o.Duration)
		}
		r.wait(ctx, 4)
		return nil
	}}
	for _, f := range append([]*fault{calm}, faults[:attacks]...) {
		r.injectFault(ctx, f)
	}
	if attacks > 0 {
		r.people.end() // the faults that follow may end the console
	}
	for _, f := range faults[attacks:] {
		r.injectFault(ctx, f)
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
	r.injectFault(ctx, &fault{name: "spend-the-rest", inject: spendTheRest})
	return r.finish(ctx)
}

// injectFault injects one fault, waits for the recovery from it, and adds the phase to the report.
func (r *run) injectFault(ctx context.Context, f *fault) {
	r.o.Progress(f.name)
	r.phase = r.ledger.begin(f)
	p := r.phase
	err := f.inject(ctx, r)
	if !errors.Is(err, errSkipped) {
		err = errors.Join(err, r.recover(ctx))
	}
	if p.Attack != nil {
		r.findEnded(p.Attack)
		err = errors.Join(err, r.repair(ctx))
	}
	p.Err = err
	r.report.Phases = append(r.report.Phases, p)
}

// recover waits until everything works as before the fault and every request that the fault may have touched
// has ended.
func (r *run) recover(ctx context.Context) error {
	errs := []error{r.repair(ctx)}
	older, began, ids := r.ledger.barrier(), time.Now(), r.ledger.idsOf(r.phase)
	if r.gone == nil { // its successes are still in its spool
		errs = append(errs,
			r.until(ctx, patience, "successes are recorded", func() bool { return r.unrecorded(ctx, ids) == 0 }))
		r.phase.Recorded = time.Since(began)
	}
	if r.load.running() {
		errs = append(errs, r.serving(ctx))
	}
	errs = append(errs, r.until(ctx, 90*time.Second, "requests of the fault's time have ended",
		func() bool { return older() == 0 }))
	return errors.Join(errs...)
}

// repair starts all parts that should run and don't, for faults that failed half way.
func (r *run) repair(ctx context.Context) error {
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

// programs returns all parts except Postgres, and except a relay that is down for good.
func (r *run) programs() []Part {
	parts := append([]Part{r.stage.Redis, r.stage.Console}, r.stage.Workers...)
	for _, relay := range r.stage.Relays {
		if relay != r.gone {
			parts = append(parts, relay)
		}
	}
	return parts
}

// spendTheRest lets each limited customer send requests to each relay, one after the other, until the quota is
// used up and a request is refused.
func spendTheRest(_ context.Context, r *run) error {
	const limit = 3000 // upper bound of requests of one customer at one relay
	for i := range r.load.customers {
		c := &r.load.customers[i]
		if !c.limited() {
			continue
		}
		for relay := range relays * 2 { // two rounds: quota that one relay returns may be leased to the other
			for range limit {
				o := &order{customer: c, model: c.models[0], capped: true, relay: relay % relays}
				if got := r.load.send(o); got.kind != success {
					break
				}
			}
		}
	}
	return nil
}

// finish waits until the outbox is empty, ends the relays, and audits.
func (r *run) finish(ctx context.Context) error {
	r.o.Progress("audit")
	settle := func() error {
		return r.until(ctx, patience, "the outbox is empty",
			func() bool { return r.number(ctx, `SELECT count(*) FROM usage_outbox`) == 0 })
	}
	errs := []error{settle()}
	for _, relay := range r.stage.Relays {
		errs = append(errs, relay.Terminate())
	}
	errs = append(errs, settle())
	if err := errors.Join(errs...); err != nil {
		r.remark("at the end of the run: %v", err)
		r.report.Checks = append(r.report.Checks, Check{Name: "relays shut down cleanly and the outbox is drained",
			Rule: Equal, Found: 1})
	}
	return r.audit(ctx)
}

// remark adds a note to the report.
func (r *run) remark(format string, args ...any) {
	r.report.Notes = append(r.report.Notes, fmt.Sprintf(format, args...))
}

// classes formats counts by class, sorted by class, such as "2 broken, 1 cut".
func classes(counts map[string]int) string {
	var parts []string
	for _, class := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[class], class))
	}
	return strings.Join(parts, ", ")
}
