package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
)

// Claim is a job that this worker has claimed and works on.
type Claim struct {
	*jobdb.Claim
	runner *Runner

	mu sync.Mutex
	at job.Progress
}

// As is the reach of the user who asked for the job. The store judges at every
// step whether he still has it.
func (t *Claim) As() tenant.Scope { return tenant.ScopeOf(t.User) }

// Read decodes the parameters into those of the kind, and the checkpoint, where
// there is one, into state.
func (t *Claim) Read(parameters, state any) error {
	if err := json.Unmarshal(t.Parameters, parameters); err != nil {
		return fmt.Errorf("parameters: %w", err)
	}
	if t.Checkpoint == nil || state == nil {
		return nil
	}
	if err := json.Unmarshal(t.Checkpoint, state); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// Show tells how far the work is, though nothing of it is saved yet. It returns
// at once.
func (t *Claim) Show(at job.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at = at
}

func (t *Claim) progress() job.Progress {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.at
}

// Save keeps a step; state is what Read returns to whoever goes on.
func (t *Claim) Save(ctx context.Context, step jobdb.Step, state any) (err error) {
	if step.Checkpoint, err = json.Marshal(state); err != nil {
		return fmt.Errorf("encode checkpoint: %w", err)
	}
	t.Show(step.Progress)
	return t.runner.Store.Job.SaveJob(ctx, t.runner.Scope, t.Ref, step)
}

// Finish ends the job with its result.
func (t *Claim) Finish(ctx context.Context, end jobdb.End) error {
	return t.FinishIn(ctx, t.runner.Store, end)
}

// FinishIn is Finish in a transaction of the store: what else is done there is
// done exactly once.
func (t *Claim) FinishIn(ctx context.Context, s *store.Store, end jobdb.End) error {
	t.Show(end.Progress)
	return s.Job.FinishJob(ctx, t.runner.Scope, t.Ref, end)
}

// beat renews the lease until ctx ends, and cuts the work when the job is lost,
// its user may not have it any more, or the worker stops. Where the database
// does not answer the work goes on: its next step finds out.
func (t *Claim) beat(ctx context.Context, cut context.CancelCauseFunc) {
	ticker := time.NewTicker(t.runner.Beat)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.runner.stop:
			cut(errStopping)
			return
		case <-ticker.C:
		}
		err := t.runner.Store.Job.RenewJob(ctx, t.runner.Scope, t.Ref, t.progress(), t.runner.Lease)
		if errors.Is(err, jobdb.ErrJobLost) || problem.Is(err, problem.Forbidden) {
			cut(err)
			return
		}
	}
}
