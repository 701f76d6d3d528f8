// Package jobs runs the jobs that users asked for: exports, simulations, imports. The states of a job and its
// lease are described in libs/store/job.
//
//	Run: ClaimJob -> Work.Do --Claim.Save--> checkpoint, again and again
//	                    |  \--Claim.Finish--> succeeded
//	                    |
//	                    +-- returns a problem   -> failed; users see the text
//	                    +-- returns other error -> released, claimed again after 10 s
//	                    +-- job was lost        -> dropped; another worker has it, or a user canceled it
//	                    +-- worker stops        -> released, claimed again at once
//
// While Work.Do runs, a goroutine renews the lease every 2 s. If the worker dies, the lease runs out after 30
// s and another worker resumes the job at its last checkpoint.
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
	// Jobs that one worker runs at once, fewer than its tasks, so that other tasks run too.
	maxJobs       = 2
	lease         = 30 * time.Second // time without a renewal after which another worker takes the job over
	beat          = 2 * time.Second  // between two renewals; a canceled job stops within this time
	retryPause    = 10 * time.Second // pause before a job is claimed again after an error that the job did not cause
	settleTimeout = 5 * time.Second  // longest time to store the end of a job after the job's context has ended
	runTime       = 4 * time.Minute  // longest time of Run, less than that of its task, which would fail
)

// Work does the jobs of one kind. Do finishes a job with Claim.Finish and returns nil. A *problem.Problem
// that it returns is the job's own fault: the job fails and the user sees the text. After any other error the
// job is released and tried again. Do must be able to resume from every checkpoint that it saved. ctx may end
// at any moment.
type Work interface {
	Do(ctx context.Context, t *Claim) error
}

// Options configures a Runner.
type Options struct {
	Store    *store.Store
	Scope    tenant.Scope // system
	Work     map[job.Kind]Work
	Log      *slog.Logger
	Registry prometheus.Registerer
	// Lease is the time that a claim lasts, Beat the time between two renewals. If Lease is 0, they are 30 s and 2
	// s.
	Lease, Beat time.Duration
	// Turn is the time after which Run releases its job, so that a later call resumes it. 0 is 4 minutes.
	Turn time.Duration
}

// Runner claims jobs and runs their work. It is safe for concurrent use.
type Runner struct {
	Options
	kinds []job.Kind    // that Work can do
	slots chan struct{} // has an element for each Run that is active
	stop  chan struct{} // closed by Stop
	once  sync.Once     // closes stop
	ended *prometheus.CounterVec
}

// New returns a Runner and registers its metrics.
func New(o Options) (*Runner, error) {
	if o.Lease == 0 {
		o.Lease, o.Beat = lease, beat
	}
	if o.Turn == 0 {
		o.Turn = runTime
	}
	r := &Runner{
		Options: o, kinds: slices.Sorted(maps.Keys(o.Work)),
		slots: make(chan struct{}, maxJobs), stop: make(chan struct{}),
		ended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tollgate_worker_jobs_total", Help: "Jobs that this worker ended, by kind and end: succeeded, " +
				"failed, lost to a cancellation or another worker, or released for a retry.",
		}, []string{"kind", "end"}),
	}
	if err := o.Registry.Register(r.ended); err != nil {
		return nil, fmt.Errorf("jobs: %w", err)
	}
	return r, nil
}

// Stop cancels the running jobs and releases them, so that other workers resume them. It does not wait for
// that, and may be called twice.
func (r *Runner) Stop() { r.once.Do(func() { close(r.stop) }) }

// errStopping is the cause of a job's context that Stop canceled.
var errStopping = errors.New("the worker is stopping")

// Run claims and runs jobs, one after the other, until none is due, its turn is over, ctx ends or the worker stops. If
// two calls are active already, it returns at once: they claim further jobs when theirs have ended.
func (r *Runner) Run(ctx context.Context) error {
	select {
	case r.slots <- struct{}{}:
	default:
		return nil
	}
	defer func() { <-r.slots }()
	turn, cancel := context.WithTimeout(ctx, r.Turn)
	defer cancel()
	for turn.Err() == nil {
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
		if err := r.do(turn, claim); err != nil {
			return fmt.Errorf("%s %s: %w", claim.Kind, claim.ID, err)
		}
	}
	return nil
}

// do runs the work of one job and stores its end.
func (r *Runner) do(ctx context.Context, claim *jobdb.Claim) error {
	working, cut := context.WithCancelCause(ctx)
	defer cut(nil)
	t := &Claim{Claim: claim, runner: r, at: claim.Progress}
	var beating sync.WaitGroup
	beating.Go(func() { t.beat(working, cut) })
	err := r.Work[claim.Kind].Do(working, t)
	// If beat canceled the work, the cause says why; err is only a canceled context.
	if cause := context.Cause(working); err != nil && cause != nil {
		err = cause
	}
	cut(nil)
	beating.Wait()
	return r.settle(ctx, t, err)
}

// settle stores the end of a job whose work returned err, and counts and logs it. It returns only errors that
// would meet other jobs as well, such as those of the database, so that Run stops.
func (r *Runner) settle(ctx context.Context, t *Claim, err error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	var fault *problem.Problem
	end := "released"
	var storeErr, passedOn error
	switch {
	case err == nil:
		end = "succeeded"
	case errors.Is(err, jobdb.ErrJobLost):
		end = "lost"
	case errors.As(err, &fault):
		end, storeErr = "failed", r.Store.Job.FailJob(ctx, r.Scope, t.Ref, job.FailureOf(fault))
	case errors.Is(err, errStopping), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		storeErr = r.Store.Job.ReleaseJob(ctx, r.Scope, t.Ref, 0)
	default:
		passedOn, storeErr = err, r.Store.Job.ReleaseJob(ctx, r.Scope, t.Ref, retryPause)
	}
	r.ended.WithLabelValues(string(t.Kind), end).Inc()
	r.Log.InfoContext(ctx, "job ended", "kind", t.Kind, "id", t.ID, "end", end, "rows", t.progress().Done, "error", err)
	if storeErr != nil && !errors.Is(storeErr, jobdb.ErrJobLost) {
		// The end is not stored; another worker gets the job when the lease runs out.
		return errors.Join(passedOn, storeErr)
	}
	return passedOn
}
