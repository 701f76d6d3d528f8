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

// Claim is a job that this worker holds. Only one goroutine does the work; Show may be called at any time
// from any goroutine.
type Claim struct {
	*jobdb.Claim
	runner *Runner

	mu sync.Mutex // guards at
	at job.Progress
}

// As returns the scope of the user who asked for the job. The work must read with this scope. The store
// checks at every step that the user still has the rights for it.
func (t *Claim) As() tenant.Scope { return tenant.ScopeOf(t.User) }

// Read decodes the job's parameters into parameters and its checkpoint into state. Both are pointers. It
// leaves state as it is if state is nil or the job has no checkpoint.
func (t *Claim) Read(parameters, state any) error {
	if err := json.Unmarshal(t.Parameters, parameters); err != nil {
		return fmt.Errorf("decode parameters: %w", err)
	}
	if t.Checkpoint == nil || state == nil {
		return nil
	}
	if err := json.Unmarshal(t.Checkpoint, state); err != nil {
		return fmt.Errorf("decode checkpoint: %w", err)
	}
	return nil
}

// Show sets the progress that users see. It returns at once: the next renewal of the lease stores it.
func (t *Claim) Show(at job.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at = at
}

// progress returns the progress that Show set last.
func (t *Claim) progress() job.Progress {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.at
}

// Save stores a step with state as its checkpoint. A worker that resumes the job gets state from Read.
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

// FinishIn finishes the job as Finish does, but in the transaction of s. Other changes in the same
// transaction happen if and only if the job finishes, so they happen exactly once.
func (t *Claim) FinishIn(ctx context.Context, s *store.Store, end jobdb.End) error {
	t.Show(end.Progress)
	return s.Job.FinishJob(ctx, t.runner.Scope, t.Ref, end)
}

// beat renews the lease until ctx ends. It cancels the work with the reason if the job is lost, if its user
// may not have it any more, or if the worker stops. It ignores other errors, such as a database that is
// unavailable: the next step of the work finds out whether the job is still held.
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
