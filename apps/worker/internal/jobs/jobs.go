// Package jobs does what users asked for. A job is held by a lease that is
// renewed while it is worked at; whoever takes one over goes on behind the
// last step that was saved.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
)

const (
	atOnce       = 2                // jobs of one worker: others of its tasks must not wait for them
	lease        = 30 * time.Second // after so long without a sign of its worker a job is taken over
	beat         = 2 * time.Second  // between two signs: also how soon a cancelled job stops
	pauseOnFault = 10 * time.Second // before a job that failed by no fault of its own is begun again
	lastWord     = 5 * time.Second  // to tell how a job ended when its own time is over
)

// Work does the jobs of one kind. It ends them itself with Claim.Finish; a
// problem that it returns is the job's fault and ends it, any other error is
// not, and has it done again. It must be ready to begin behind any step that it
// saved, and to be cut at any moment.
type Work interface {
	Do(ctx context.Context, t *Claim) error
}

// Options are what a Runner works on.
type Options struct {
	Store    *store.Store
	Scope    tenant.Scope // system
	Work     map[job.Kind]Work
	Log      *slog.Logger
	Registry prometheus.Registerer
	// Lease and Beat are 30 s and 2 s where they are 0.
	Lease, Beat time.Duration
}

// Runner is safe for concurrent use.
type Runner struct {
	Options
	kinds []job.Kind
	slots chan struct{}
	stop  chan struct{}
	once  sync.Once
	ended *prometheus.CounterVec
}

// New registers the runner's metrics.
func New(o Options) (*Runner, error) {
	if o.Lease == 0 {
		o.Lease, o.Beat = lease, beat
	}
	r := &Runner{
		Options: o, kinds: slices.Sorted(maps.Keys(o.Work)),
		slots: make(chan struct{}, atOnce), stop: make(chan struct{}),
		ended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tollgate_worker_jobs_total", Help: "Jobs that this worker let go, by kind and how: succeeded, failed, lost to a cancellation or another worker, or released to be gone on with.",
		}, []string{"kind", "end"}),
	}
	if err := o.Registry.Register(r.ended); err != nil {
		return nil, fmt.Errorf("jobs: %w", err)
	}
	return r, nil
}

// Stop has the jobs at work released at their next step, for others to go on
// with. It does not wait, and may be called twice.
func (r *Runner) Stop() { r.once.Do(func() { close(r.stop) }) }

// errStopping is why the work at a job was cut by Stop.
var errStopping = errors.New("the worker stops")

// Run does jobs until none waits, ctx ends or the worker stops. Where enough
// are at work already it returns at once: they look for more when they are done.
func (r *Runner) Run(ctx context.Context) error {
	select {
	case r.slots <- struct{}{}:
	default:
		return nil
	}
	defer func() { <-r.slots }()
	for {
		select {
		case <-r.stop:
			return nil
		default:
		}
		claim, err := r.Store.Job.ClaimJob(ctx, r.Scope, r.kinds, r.Lease)
		if err != nil {
			return fmt.Errorf("claim a job: %w", err)
		}
		if claim == nil {
			return nil
		}
		if err := r.do(ctx, claim); err != nil {
			return fmt.Errorf("%s %s: %w", claim.Kind, claim.ID, err)
		}
	}
}

// do works at one job and tells the store how it ended.
func (r *Runner) do(ctx context.Context, claim *jobdb.Claim) error {
	working, cut := context.WithCancelCause(ctx)
	defer cut(nil)
	t := &Claim{Claim: claim, runner: r, at: claim.Progress}
	var beating sync.WaitGroup
	beating.Go(func() { t.beat(working, cut) })
	err := r.Work[claim.Kind].Do(working, t)
	if cause := context.Cause(working); err != nil && cause != nil {
		err = cause
	}
	cut(nil)
	beating.Wait()
	return r.settle(ctx, t, err)
}

// settle returns only errors that other jobs would have as well.
func (r *Runner) settle(ctx context.Context, t *Claim, err error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWord)
	defer cancel()
	var fault *problem.Problem
	end := "released"
	var told, passedOn error
	switch {
	case err == nil:
		end = "succeeded"
	case errors.Is(err, jobdb.ErrJobLost):
		end = "lost"
	case errors.As(err, &fault):
		end, told = "failed", r.Store.Job.FailJob(ctx, r.Scope, t.Ref, job.FailureOf(fault))
	case errors.Is(err, errStopping), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		told = r.Store.Job.ReleaseJob(ctx, r.Scope, t.Ref, 0)
	default:
		passedOn, told = err, r.Store.Job.ReleaseJob(ctx, r.Scope, t.Ref, pauseOnFault)
	}
	r.ended.WithLabelValues(string(t.Kind), end).Inc()
	r.Log.InfoContext(ctx, "job", "kind", t.Kind, "id", t.ID, "end", end, "rows", t.progress().Done, "error", err)
	if told != nil && !errors.Is(told, jobdb.ErrJobLost) {
		return errors.Join(passedOn, told) // its lease runs out
	}
	return passedOn
}
