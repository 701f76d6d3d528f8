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

// ErrJobLost means that the worker no longer holds the job: the job was cancelled or
// deleted, or another worker took it over after the lease ran out. The worker must
// drop what it has not saved.
var ErrJobLost = errors.New("the job is no longer this worker's")

// Ref names a job as one worker holds it.
type Ref struct {
	ID    uuid.UUID
	Lease uuid.UUID
}

// Claim is a job that a worker holds until its lease runs out.
type Claim struct {
	job.Job
	Ref        Ref
	User       tenant.User // as whom the work is done
	Input      []byte      // sealed
	Checkpoint []byte      // that was saved last, nil where the work begins
	Stored     int64       // bytes of the parts that are saved
}

// ClaimJob (system scope) takes a job of one of the kinds that waits, or whose
// worker was not heard of for its lease; nil where there is none. Tenants take
// turns. Jobs of users who may not have them done any more, and those that were
// begun too often, fail on the way.
func (s *Store) ClaimJob(ctx context.Context, scope tenant.Scope, kinds []job.Kind, lease time.Duration) (_ *Claim, err error) {
	defer db.Wrap(&err, "claim job")

	if err := permission.Program(scope); err != nil || len(kinds) == 0 {
		return nil, err
	}
	for {
		var claim *Claim
		found := false
		err := s.atomically(ctx, func(tx *Store) (err error) {
			claim, found, err = tx.claimNext(ctx, kinds, lease)
			return err
		})
		if err != nil || !found || claim != nil {
			return claim, err
		}
	}
}

// claimNext returns no claim where the job it found failed at once.
func (s *Store) claimNext(ctx context.Context, kinds []job.Kind, lease time.Duration) (claim *Claim, found bool, err error) {
	var row jobRow
	q := s.db.NewSelect().Model(&row).Where("r.status IN (?, ?)", job.Queued, job.Running).Where("r.due_at <= ?", s.db.Now()).
		Where("r.kind IN (?)", bun.List(kinds)).
		OrderExpr("(SELECT count(*) FROM jobs AS o WHERE o.status = ? AND o.due_at > ? AND o.tenant_id IS NOT DISTINCT FROM r.tenant_id), r.id",
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
	user, err := s.judgeJob(ctx, &row)
	switch {
	case problem.Is(err, problem.Forbidden):
		return nil, true, s.failJob(ctx, &row, job.FailureOf(err))
	case err != nil:
		return nil, true, err
	case row.Attempts >= job.MaxAttempts:
		return nil, true, s.failJob(ctx, &row, job.Failure{Word: problem.Internal.String(), Text: "The work was begun several times and did not get any further."})
	}
	if err := s.leaseJob(ctx, &row, lease); err != nil {
		return nil, true, err
	}
	return &Claim{
		Job: row.core(), Ref: Ref{row.ID, row.LeaseID}, User: user, Input: row.Input, Checkpoint: row.Checkpoint, Stored: row.Stored,
	}, true, nil
}

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
	_, err = s.db.NewUpdate().Model(row).Column("status", "lease_id", "due_at", "attempts", "started_at").WherePK().Exec(ctx)
	return err
}

// judgeJob returns the job's user, or a Forbidden problem where he may not have
// it done any more.
func (s *Store) judgeJob(ctx context.Context, row *jobRow) (tenant.User, error) {
	found, err := person.FindUser(ctx, s.db, row.UserID)
	if err != nil {
		return tenant.User{}, err
	}
	user, active := found.Core(), true
	if user.TenantID != uuid.Nil {
		active, err = s.db.NewSelect().Model((*person.TenantRow)(nil)).Where("id = ?", user.TenantID).
			Where("status = ?", tenant.Enabled).Exists(ctx)
	}
	if asked := row.core(); err == nil && !asked.StillPermitted(user, active) {
		err = problem.New(problem.Forbidden, "The user who asked for it may not have it any more.")
	}
	return user, err
}

// holdJob returns the row of a job that is still the worker's.
func (s *Store) holdJob(ctx context.Context, ref Ref) (row jobRow, err error) {
	q := s.db.NewSelect().Model(&row).Where("r.id = ?", ref.ID).Where("r.lease_id = ?", ref.Lease).Where("r.status = ?", job.Running)
	err = s.db.Lock(q).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return row, ErrJobLost
	}
	return row, err
}

// onJob runs change on a job that is still the worker's.
func (s *Store) onJob(ctx context.Context, scope tenant.Scope, ref Ref, change func(*Store, *jobRow) error) error {
	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		row, err := tx.holdJob(ctx, ref)
		if err != nil {
			return err
		}
		return change(tx, &row)
	})
}

// KeepJob (system scope) renews the lease and shows the progress. ErrJobLost,
// or Forbidden where the user may not have the job any more.
func (s *Store) KeepJob(ctx context.Context, scope tenant.Scope, ref Ref, at job.Progress, lease time.Duration) (err error) {
	defer db.Wrap(&err, "keep job")

	return s.onJob(ctx, scope, ref, func(tx *Store, row *jobRow) error {
		if _, err := tx.judgeJob(ctx, row); err != nil {
			return err
		}
		row.Done, row.Total, row.DueAt = at.Done, at.Total, tx.db.Now().Add(lease)
		_, err := tx.db.NewUpdate().Model(row).Column("done", "total", "due_at").WherePK().Exec(ctx)
		return err
	})
}

// Step is work that is done and will not be done again.
type Step struct {
	Progress   job.Progress
	Checkpoint []byte
	Part       []byte // to add to the file, nil for none
	Size       int64  // of the part as it is downloaded
}

// SaveJob (system scope) keeps a step: whoever goes on begins behind it.
// ErrJobLost and Forbidden as of KeepJob.
func (s *Store) SaveJob(ctx context.Context, scope tenant.Scope, ref Ref, step Step) (err error) {
	defer db.Wrap(&err, "save job")

	return s.onJob(ctx, scope, ref, func(tx *Store, row *jobRow) error {
		if _, err := tx.judgeJob(ctx, row); err != nil {
			return err
		}
		if err := tx.addPart(ctx, row, step); err != nil {
			return err
		}
		row.Checkpoint, row.Attempts = step.Checkpoint, 0
		_, err := tx.db.NewUpdate().Model(row).Column("done", "total", "parts", "size", "stored", "checkpoint", "attempts").WherePK().Exec(ctx)
		return err
	})
}

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

// End is how a job ends that has a result.
type End struct {
	Step
	Fault  job.Failure // zero where it succeeded
	Result any         // of the kind
	Secret []byte      // sealed; handed out once
}

// FinishJob (system scope) ends a job with its result. ErrJobLost and Forbidden as of
// KeepJob: then nothing is kept.
func (s *Store) FinishJob(ctx context.Context, scope tenant.Scope, ref Ref, end End) (err error) {
	defer db.Wrap(&err, "finish job")

	result, err := json.Marshal(end.Result)
	if err != nil {
		return err
	}
	return s.onJob(ctx, scope, ref, func(tx *Store, row *jobRow) error {
		if _, err := tx.judgeJob(ctx, row); err != nil {
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

// FailJob (system scope) ends a job badly. ErrJobLost as of KeepJob.
func (s *Store) FailJob(ctx context.Context, scope tenant.Scope, ref Ref, fault job.Failure) (err error) {
	defer db.Wrap(&err, "fail job")

	return s.onJob(ctx, scope, ref, func(tx *Store, row *jobRow) error { return tx.failJob(ctx, row, fault) })
}

// ReleaseJob (system scope) lets others go on with a job after the pause.
// ErrJobLost as of KeepJob.
func (s *Store) ReleaseJob(ctx context.Context, scope tenant.Scope, ref Ref, pause time.Duration) (err error) {
	defer db.Wrap(&err, "release job")

	return s.onJob(ctx, scope, ref, func(tx *Store, row *jobRow) error {
		row.Status, row.LeaseID, row.DueAt = job.Queued, uuid.Nil, tx.db.Now().Add(pause)
		_, err := tx.db.NewUpdate().Model(row).Column("status", "lease_id", "due_at").WherePK().Exec(ctx)
		return err
	})
}

func (s *Store) failJob(ctx context.Context, row *jobRow, fault job.Failure) error {
	row.Status, row.Error, row.Message = job.Failed, field.Clean(fault.Word), field.Clean(fault.Text)
	return s.endJob(ctx, row)
}

// endJob writes a job that is over. All that was needed for the work goes, and
// without success the file does.
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
	_, err := s.db.NewUpdate().Model(row).ExcludeColumn("id", "tenant_id", "user_id", "role", "kind", "parameters", "attempts", "created_at", "started_at").
		WherePK().Exec(ctx)
	return err
}
