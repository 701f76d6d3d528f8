package job

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/person"
)

// ErrJobLost means that the worker no longer holds the job: the job was canceled or deleted, or another
// worker took it over after the lease ran out. The worker must stop; results that it has not saved are lost.
var ErrJobLost = errors.New("the job no longer belongs to this worker")

// Ref identifies one claim of a job. Every change by a worker names it.
type Ref struct {
	ID    uuid.UUID // of the job
	Lease uuid.UUID // new for each claim
}

// Claim is a job that a worker holds until its lease runs out.
type Claim struct {
	job.Job
	Ref        Ref
	User       tenant.User // the work is done with the rights of this user
	Input      []byte      // sealed
	Checkpoint []byte      // the last one that was saved; nil: begin at the start
	Stored     int64       // bytes of the parts that are saved
}

// ClaimJob (system scope) gives the caller a job of one of the kinds for the time of the lease: a queued job,
// or a running one whose lease has run out. It prefers tenants with fewer running jobs, then older jobs. It
// returns nil if no job is due. On its way it fails jobs whose user may not have them done any more, and jobs
// that were claimed job.MaxAttempts times without a checkpoint.
func (s *Store) ClaimJob(ctx context.Context, scope tenant.Scope, kinds []job.Kind,
	lease time.Duration) (_ *Claim, err error) {
	defer db.Wrap(&err, "claim job")

	if err := permission.Program(scope); err != nil || len(kinds) == 0 {
		return nil, err
	}
	// Each pass is a transaction of its own, so a job that fails on the way stays failed if a later pass fails.
	for {
		var claim *Claim
		ok := false
		err := s.atomically(ctx, func(tx *Store) (err error) {
			claim, ok, err = tx.claimNext(ctx, kinds, lease)
			return err
		})
		if err != nil || !ok || claim != nil {
			return claim, err
		}
	}
}

// claimNext claims the next job that is due. ok reports whether there is one; claim is nil if that job
// failed at once, and the caller should try again.
func (s *Store) claimNext(ctx context.Context, kinds []job.Kind,
	lease time.Duration) (claim *Claim, ok bool, err error) {
	// A running job is due when its lease has run out. The subquery counts the tenant's running jobs.
	var row jobRow
	q := s.db.NewSelect().Model(&row).Where("r.status IN (?, ?)", job.Queued, job.Running).
		Where("r.due_at <= ?", s.db.Now()).
		Where("r.kind IN (?)", bun.List(kinds)).
		OrderExpr("(SELECT count(*) FROM jobs AS o WHERE o.status = ? AND o.due_at > ? AND o.tenant_id IS NOT "+
			"DISTINCT FROM r.tenant_id), r.id",
			job.Running, s.db.Now()).Limit(1)
	if s.db.Postgres() {
		q = q.For("UPDATE OF r SKIP LOCKED")
	}
	if err := q.Scan(ctx); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return nil, false, nil
		}
		return nil, false, err
	}
	user, err := s.permittedUser(ctx, &row)
	switch {
	case problem.Is(err, problem.Forbidden):
		return nil, true, s.failJob(ctx, &row, job.FailureOf(err))
	case err != nil:
		return nil, true, err
	case row.Attempts >= job.MaxAttempts:
		return nil, true, s.failJob(ctx, &row,
			job.Failure{Word: problem.Internal.String(), Text: "The work was started several times without progress."})
	}
	if err := s.leaseJob(ctx, &row, lease); err != nil {
		return nil, true, err
	}
	return &Claim{
		Job: row.core(), Ref: Ref{row.ID, row.LeaseID}, User: user, Input: row.Input, Checkpoint: row.Checkpoint,
		Stored: row.Stored,
	}, true, nil
}

// leaseJob makes the job running under a new lease and counts the attempt.
func (s *Store) leaseJob(ctx context.Context, row *jobRow, lease time.Duration) (err error) {
	if row.LeaseID, err = uuid.NewV7(); err != nil {
		return err
	}
	now := s.db.Now()
	row.Status, row.DueAt = job.Running, now.Add(lease)
	row.Attempts++
	if row.StartedAt.IsZero() {
		row.StartedAt = now
	}
	_, err = s.db.NewUpdate().Model(row).Column("status", "lease_id", "due_at", "attempts", "started_at").
		WherePK().Exec(ctx)
	return err
}

// permittedUser returns the job's user, or a Forbidden problem if the user may not have the job done any
// more. See job.Job.StillPermitted.
func (s *Store) permittedUser(ctx context.Context, row *jobRow) (tenant.User, error) {
	userRow, err := person.FindUser(ctx, s.db, row.UserID)
	if err != nil {
		return tenant.User{}, err
	}
	user, active := userRow.Core(), true
	if user.TenantID != uuid.Nil {
		active, err = s.db.NewSelect().Model((*person.TenantRow)(nil)).Where("id = ?", user.TenantID).
			Where("status = ?", tenant.Enabled).Exists(ctx)
	}
	if j := row.core(); err == nil && !j.StillPermitted(user, active) {
		err = problem.New(problem.Forbidden, "The user who created the job is no longer permitted to run it.")
	}
	return user, err
}

// lockJob locks the row of a job and returns it, or ErrJobLost if the worker no longer holds the job.
func (s *Store) lockJob(ctx context.Context, ref Ref) (row jobRow, err error) {
	q := s.db.NewSelect().Model(&row).Where("r.id = ?", ref.ID).Where("r.lease_id = ?", ref.Lease).
		Where("r.status = ?", job.Running)
	err = s.db.Lock(q).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return row, ErrJobLost
	}
	return row, err
}

// changeJob runs change in a transaction that has locked the job. It returns ErrJobLost, without running
// change, if the worker no longer holds the job.
func (s *Store) changeJob(ctx context.Context, scope tenant.Scope, ref Ref, change func(*Store, *jobRow) error) error {
	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		row, err := tx.lockJob(ctx, ref)
		if err != nil {
			return err
		}
		return change(tx, &row)
	})
}

// RenewJob (system scope) extends the lease of a job to lease from now and records the progress, which users
// see. It returns ErrJobLost if the worker no longer holds the job, or a Forbidden problem if the user may
// not have the job done any more.
func (s *Store) RenewJob(ctx context.Context, scope tenant.Scope, ref Ref, at job.Progress,
	lease time.Duration) (err error) {
	defer db.Wrap(&err, "renew job")

	return s.changeJob(ctx, scope, ref, func(tx *Store, row *jobRow) error {
		if _, err := tx.permittedUser(ctx, row); err != nil {
			return err
		}
		row.Done, row.Total, row.DueAt = at.Done, at.Total, tx.db.Now().Add(lease)
		_, err := tx.db.NewUpdate().Model(row).Column("done", "total", "due_at").WherePK().Exec(ctx)
		return err
	})
}

// Step is finished work that a resumed job does not repeat.
type Step struct {
	Progress   job.Progress
	Checkpoint []byte // where to resume; the store does not read it
	Part       []byte // appended to the file; nil for none
	Size       int64  // bytes of the part as it is downloaded, which may be compressed in Part
}

// SaveJob (system scope) stores a step: its checkpoint, progress and part of the file. A worker that takes
// the job over resumes after the last saved step. It resets the count of attempts and does not extend the
// lease. Its errors are those of RenewJob.
func (s *Store) SaveJob(ctx context.Context, scope tenant.Scope, ref Ref, step Step) (err error) {
	defer db.Wrap(&err, "save job")

	return s.changeJob(ctx, scope, ref, func(tx *Store, row *jobRow) error {
		if _, err := tx.permittedUser(ctx, row); err != nil {
			return err
		}
		if err := tx.addPart(ctx, row, step); err != nil {
			return err
		}
		row.Checkpoint, row.Attempts = step.Checkpoint, 0
		_, err := tx.db.NewUpdate().Model(row).Column("done", "total", "parts", "size", "stored", "checkpoint",
			"attempts").WherePK().Exec(ctx)
		return err
	})
}

// addPart sets the progress of the row and appends the step's part to the file, if it has one. The caller
// writes the row.
func (s *Store) addPart(ctx context.Context, row *jobRow, step Step) error {
	row.Done, row.Total = step.Progress.Done, step.Progress.Total
	if step.Part == nil {
		return nil
	}
	part := jobPartRow{JobID: row.ID, Seq: row.Parts, TenantID: row.TenantID, UserID: row.UserID, Data: step.Part}
	row.Parts++
	row.Size += step.Size
	row.Stored += int64(len(step.Part))
	_, err := s.db.NewInsert().Model(&part).Exec(ctx)
	return err
}

// End is the end of a job: its last step and its result.
type End struct {
	Step
	Fault  job.Failure // zero: the job succeeded. Otherwise it failed, and has the result but no file
	Result any         // of the job's kind, as JSON
	Secret []byte      // sealed; TakeJobSecret returns it once
}

// FinishJob (system scope) ends a job with its result. Its errors are those of RenewJob; then it stores
// nothing.
func (s *Store) FinishJob(ctx context.Context, scope tenant.Scope, ref Ref, end End) (err error) {
	defer db.Wrap(&err, "finish job")

	result, err := json.Marshal(end.Result)
	if err != nil {
		return err
	}
	return s.changeJob(ctx, scope, ref, func(tx *Store, row *jobRow) error {
		if _, err := tx.permittedUser(ctx, row); err != nil {
			return err
		}
		if err := tx.addPart(ctx, row, end.Step); err != nil {
			return err
		}
		row.Status, row.Result, row.Secret = job.Succeeded, result, end.Secret
		if end.Fault != (job.Failure{}) {
			return tx.failJob(ctx, row, end.Fault)
		}
		return tx.endJob(ctx, row)
	})
}

// FailJob (system scope) ends a job as failed, without a result. It returns ErrJobLost if the worker no
// longer holds the job.
func (s *Store) FailJob(ctx context.Context, scope tenant.Scope, ref Ref, fault job.Failure) (err error) {
	defer db.Wrap(&err, "fail job")

	return s.changeJob(ctx, scope, ref, func(tx *Store, row *jobRow) error { return tx.failJob(ctx, row, fault) })
}

// ReleaseJob (system scope) queues a job again. Any worker may claim it after the pause and resumes at the
// last checkpoint. It returns ErrJobLost if the worker no longer holds the job.
func (s *Store) ReleaseJob(ctx context.Context, scope tenant.Scope, ref Ref, pause time.Duration) (err error) {
	defer db.Wrap(&err, "release job")

	return s.changeJob(ctx, scope, ref, func(tx *Store, row *jobRow) error {
		row.Status, row.LeaseID, row.DueAt = job.Queued, uuid.Nil, tx.db.Now().Add(pause)
		_, err := tx.db.NewUpdate().Model(row).Column("status", "lease_id", "due_at").WherePK().Exec(ctx)
		return err
	})
}

// failJob ends a job as failed, for the reason fault.
func (s *Store) failJob(ctx context.Context, row *jobRow, fault job.Failure) error {
	row.Status, row.Error, row.Message = job.Failed, field.Clean(fault.Word), field.Clean(fault.Text)
	return s.endJob(ctx, row)
}

// endJob writes a job that has ended with row.Status. It erases the columns that only the work needed (input,
// checkpoint, lease), and deletes the file unless the job succeeded.
func (s *Store) endJob(ctx context.Context, row *jobRow) error {
	if row.Status != job.Succeeded {
		row.Parts, row.Size, row.Stored = 0, 0, 0
		if _, err := s.db.NewDelete().Model((*jobPartRow)(nil)).Where("job_id = ?", row.ID).Exec(ctx); err != nil {
			return err
		}
	}
	now := s.db.Now()
	row.Input, row.Checkpoint, row.LeaseID = nil, nil, uuid.Nil
	row.DueAt, row.FinishedAt, row.ExpiresAt = now, now, now.Add(job.Retention)
	_, err := s.db.NewUpdate().Model(row).ExcludeColumn("id", "tenant_id", "user_id", "role", "kind", "parameters",
		"attempts", "created_at", "started_at").
		WherePK().Exec(ctx)
	return err
}
