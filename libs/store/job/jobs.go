package job

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/person"
)

// jobRow is a row of the table jobs.
type jobRow struct {
	bun.BaseModel `bun:"table:jobs,alias:r"`

	ID         uuid.UUID       `bun:"id,pk,type:uuid"`
	TenantID   uuid.UUID       `bun:"tenant_id,type:uuid,nullzero"` // uuid.Nil: the job of an operator
	UserID     uuid.UUID       `bun:"user_id,type:uuid"`
	Role       tenant.Role     `bun:"role"` // of the user when the job was created
	Kind       job.Kind        `bun:"kind"`
	Status     job.Status      `bun:"status"`
	Parameters json.RawMessage `bun:"parameters,type:jsonb"`
	Input      []byte          `bun:"input,nullzero"` // sealed
	Done       int64           `bun:"done"`
	Total      int64           `bun:"total"`
	Checkpoint []byte          `bun:"checkpoint,nullzero"`
	Attempts   int             `bun:"attempts"`                    // claims since the last checkpoint
	LeaseID    uuid.UUID       `bun:"lease_id,type:uuid,nullzero"` // uuid.Nil: no worker has the job
	DueAt      time.Time       `bun:"due_at"`                      // time from which a worker may claim the job
	Parts      int             `bun:"parts"`
	Size       int64           `bun:"size"`   // size of the downloaded file in bytes
	Stored     int64           `bun:"stored"` // size of the stored parts in bytes
	Result     json.RawMessage `bun:"result,type:jsonb,nullzero"`
	Secret     []byte          `bun:"secret,nullzero"` // sealed; nil once it was handed out
	Error      string          `bun:"error"`           // Word of a job.Failure
	Message    string          `bun:"message"`         // Text of a job.Failure
	CreatedAt  time.Time       `bun:"created_at"`
	StartedAt  time.Time       `bun:"started_at,nullzero"`
	FinishedAt time.Time       `bun:"finished_at,nullzero"`
	ExpiresAt  time.Time       `bun:"expires_at,nullzero"` // set when the job ends

	HasSecret bool `bun:"has_secret,scanonly"` // selected in place of secret where it must not be read
}

// jobColumns are the columns that lists read. They leave out the result, which may be large, and what only
// workers use.
var jobColumns = []string{
	"id", "tenant_id", "user_id", "role", "kind", "status", "parameters", "done", "total", "parts", "size",
	"error", "message", "created_at", "started_at", "finished_at", "expires_at",
}

func (r jobRow) key() string { return r.ID.String() }

func (r jobRow) core() job.Job {
	return job.Job{
		ID: r.ID, TenantID: r.TenantID, UserID: r.UserID, Role: r.Role, Kind: r.Kind, Status: r.Status,
		Progress: job.Progress{Done: r.Done, Total: r.Total}, Parameters: r.Parameters, Result: r.Result,
		Secret: r.HasSecret || r.Secret != nil, Failure: job.Failure{Word: r.Error, Text: r.Message},
		Parts: r.Parts, Size: r.Size,
		CreatedAt: r.CreatedAt.UTC(), StartedAt: r.StartedAt.UTC(), FinishedAt: r.FinishedAt.UTC(),
		ExpiresAt: r.ExpiresAt.UTC(),
	}
}

// jobPartRow is a row of the table job_parts: one part of a job's file. The database deletes it together with
// its job.
type jobPartRow struct {
	bun.BaseModel `bun:"table:job_parts,alias:r"`

	JobID    uuid.UUID `bun:"job_id,pk,type:uuid"`
	Seq      int       `bun:"seq,pk"`
	TenantID uuid.UUID `bun:"tenant_id,type:uuid,nullzero"`
	UserID   uuid.UUID `bun:"user_id,type:uuid"`
	Data     []byte    `bun:"data"`
}

// NewJob is the argument of CreateJob.
type NewJob struct {
	ID         uuid.UUID // UUIDv7; uuid.Nil: CreateJob makes one
	Kind       job.Kind
	Parameters any    // of the kind, as JSON; visible to everybody who may see the job, and in the audit log
	Input      []byte // sealed; only the worker reads it, and it is erased when the job ends
}

// CreateJob queues a job for the user of the scope. It returns a Forbidden problem for the scope of a program
// and for a user who may not create jobs of this kind, and a Conflict problem if the user has job.MaxActive
// jobs that have not finished. It deletes the user's oldest finished jobs, so that fewer than job.MaxFinished
// are left.
func (s *Store) CreateJob(ctx context.Context, scope tenant.Scope, n NewJob) (_ job.Job, err error) {
	defer db.Wrap(&err, "create job")

	if err := permission.Check(scope, actionOf(n.Kind)); err != nil {
		return job.Job{}, err
	}
	if scope.Actor() == uuid.Nil {
		return job.Job{}, problem.New(problem.Forbidden, "Only users may create jobs. Sign in.")
	}
	row, err := s.newJob(scope, n)
	if err != nil {
		return job.Job{}, err
	}
	err = s.writeAs(ctx, scope, func(tx *Store) error {
		if err := tx.limitJobs(ctx, scope.Actor()); err != nil {
			return err
		}
		if err := tx.db.Insert(ctx, &row, "id"); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "job.create", Tenant: row.TenantID, Target: row.ID.String(),
			Detail: field.Changes{"kind": row.Kind, "parameters": row.Parameters}})
	})
	return row.core(), err
}

// actionOf returns the action that a scope must be permitted, to create a job of the kind.
func actionOf(kind job.Kind) permission.Action {
	switch kind {
	case job.UsageExport:
		return permission.ReadUsage
	case job.PriceSimulation:
		return permission.ReadPlatform
	}
	return permission.WritePlatform
}

// newJob returns the row of a new job. It sends no statement.
func (s *Store) newJob(scope tenant.Scope, n NewJob) (jobRow, error) {
	parameters, err := json.Marshal(n.Parameters)
	if err != nil {
		return jobRow{}, err
	}
	if n.ID == uuid.Nil {
		if n.ID, err = uuid.NewV7(); err != nil {
			return jobRow{}, err
		}
	}
	now := s.db.Now()
	return jobRow{
		ID: n.ID, TenantID: scope.Tenant(), UserID: scope.Actor(), Role: scope.Role(), Kind: n.Kind, Status: job.Queued,
		Parameters: parameters, Input: n.Input, CreatedAt: now, DueAt: now,
	}, nil
}

// limitJobs returns a Conflict problem if the user has too many active jobs, and deletes the user's oldest
// finished jobs. It locks the user, so that no other transaction adds a job after the count.
func (s *Store) limitJobs(ctx context.Context, userID uuid.UUID) error {
	if err := person.LockCounted(ctx, s.db, userID); err != nil {
		return err
	}
	live, err := s.db.NewSelect().Model((*jobRow)(nil)).Where("user_id = ?", userID).
		Where("status IN (?, ?)", job.Queued, job.Running).Count(ctx)
	if err != nil {
		return err
	}
	if live >= job.MaxActive {
		return problem.New(problem.Conflict, "You have %d jobs that have not finished. Wait for one, or cancel one.",
			live)
	}
	surplus := s.db.NewSelect().Model((*jobRow)(nil)).Column("id").Where("user_id = ?", userID).
		Where("expires_at IS NOT NULL").OrderExpr("id DESC").Limit(job.MaxFinished).Offset(job.MaxFinished - 1)
	_, err = s.db.NewDelete().Model((*jobRow)(nil)).Where("id IN (?)", surplus).Exec(ctx)
	return err
}

// Jobs lists the jobs that the scope may see, the newest first, without their results.
func (s *Store) Jobs(ctx context.Context, scope tenant.Scope, p page.Page) (_ page.List[job.Job], err error) {
	defer db.Wrap(&err, "read jobs")

	var list page.List[job.Job]
	err = s.readAs(ctx, scope, func(in *Store) (err error) {
		q := visibleJobs(in.db.NewSelect(), scope).Column(jobColumns...).
			ColumnExpr("r.secret IS NOT NULL AS has_secret")
		list, err = page.RowsOf(page.NewestFirst, jobRow.key, jobRow.core).Read(ctx, q, p)
		return err
	})
	return list, err
}

// visibleJobs limits a query to the jobs that the scope may see. It must agree with job.Job.VisibleTo. It
// needs no condition on the tenant, because a user belongs to one tenant.
func visibleJobs(q *bun.SelectQuery, scope tenant.Scope) *bun.SelectQuery {
	return q.WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery {
		q = q.Where("r.user_id = ? AND r.role = ?", scope.Actor(), scope.Role())
		if scope.Role() == tenant.Operator {
			q = q.WhereOr("r.kind IN (?, ?)", job.PriceSimulation, job.ManifestImport)
		}
		return q
	})
}

// Job returns a job with its result. It returns a NotFound problem if the scope may not see the job.
func (s *Store) Job(ctx context.Context, scope tenant.Scope, id uuid.UUID) (_ job.Job, err error) {
	defer db.Wrap(&err, "read job")

	var row jobRow
	err = s.readAs(ctx, scope, func(in *Store) (err error) {
		row, err = in.readVisible(ctx, scope, in.db.NewSelect().Column(jobColumns...).Column("result").
			ColumnExpr("r.secret IS NOT NULL AS has_secret"), id)
		return err
	})
	return row.core(), err
}

// readVisible runs a query for one job. It returns a NotFound problem if the scope may not see the job.
func (s *Store) readVisible(ctx context.Context, scope tenant.Scope, q *bun.SelectQuery,
	id uuid.UUID) (row jobRow, err error) {
	if err := q.Model(&row).Where("r.id = ?", id).Scan(ctx); err != nil {
		return jobRow{}, db.Missing(err, "job")
	}
	if j := row.core(); !j.VisibleTo(scope) {
		return jobRow{}, db.NoSuch("job")
	}
	return row, nil
}

// JobPart returns a part of the file of a job; seq counts from 0. It returns a NotFound problem unless the
// job is the scope's own and has succeeded: operators may see jobs of others, but not their files.
func (s *Store) JobPart(ctx context.Context, scope tenant.Scope, id uuid.UUID, seq int) (_ []byte, err error) {
	defer db.Wrap(&err, "read job part")

	j, err := s.Job(ctx, scope, id)
	if err != nil {
		return nil, err
	}
	if j.UserID != scope.Actor() || j.Status != job.Succeeded {
		return nil, db.NoSuch("file")
	}
	var part jobPartRow
	err = s.readAs(ctx, scope, func(in *Store) error {
		return in.db.NewSelect().Model(&part).Where("job_id = ?", id).Where("seq = ?", seq).Scan(ctx)
	})
	return part.Data, db.Missing(err, "part")
}

// CancelJob cancels a job that the scope may see and writes the audit log. A worker that runs the job gets
// ErrJobLost at its next step. It returns a Conflict problem if the job has finished, and a Forbidden problem for an
// access key if the kind needs a person.
func (s *Store) CancelJob(ctx context.Context, scope tenant.Scope, id uuid.UUID) (_ job.Job, err error) {
	defer db.Wrap(&err, "cancel job")

	var row jobRow
	err = s.writeAs(ctx, scope, func(tx *Store) (err error) {
		if row, err = tx.readVisible(ctx, scope, tx.db.Lock(tx.db.NewSelect()), id); err != nil {
			return err
		}
		if row.Kind.NeedsPerson() && scope.Key() != uuid.Nil {
			return problem.New(problem.Forbidden, "An access key may not cancel this kind of job. Sign in instead.")
		}
		if row.Status.Finished() {
			return problem.New(problem.Conflict, "The job has finished already: its status is %s.", row.Status)
		}
		row.Status = job.Canceled
		if err := tx.endJob(ctx, &row); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "job.cancel", Tenant: row.TenantID, Target: row.ID.String(),
			Detail: field.Changes{"kind": row.Kind}})
	})
	return row.core(), err
}

// TakeJobSecret returns the sealed secret of the scope's own job, erases it and writes the audit log. So it
// returns the secret at most once, and a NotFound problem afterwards.
func (s *Store) TakeJobSecret(ctx context.Context, scope tenant.Scope, id uuid.UUID) (secret []byte, err error) {
	defer db.Wrap(&err, "take job secret")

	err = s.writeAs(ctx, scope, func(tx *Store) error {
		row, err := tx.readVisible(ctx, scope, tx.db.Lock(tx.db.NewSelect()), id)
		if err != nil {
			return err
		}
		if row.UserID != scope.Actor() || row.Secret == nil {
			return db.NoSuch("secret")
		}
		secret, row.Secret = row.Secret, nil
		if _, err := tx.db.NewUpdate().Model(&row).Column("secret").WherePK().Exec(ctx); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "job.reveal", Tenant: row.TenantID, Target: row.ID.String(),
			Detail: field.Changes{"kind": row.Kind}})
	})
	return secret, err
}

const (
	jobBatch   = 50  // jobs that a sweep deletes in one transaction, with their parts
	jobBatches = 100 // transactions of one sweep
)

// Sweep deletes jobs whose ExpiresAt has passed, and mails that expired more than a day ago. It deletes jobs
// in batches, each in a transaction of its own. The next sweep continues after at most 5,000 jobs.
func Sweep(ctx context.Context, tx *db.DB) error {
	if err := sweepMails(ctx, tx); err != nil {
		return err
	}
	for range jobBatches {
		var count int64
		err := New(tx).atomically(ctx, func(tx *Store) error {
			over := tx.db.NewSelect().Model((*jobRow)(nil)).Column("id").Where("expires_at <= ?", tx.db.Now()).
				OrderExpr("expires_at").Limit(jobBatch)
			result, err := tx.db.NewDelete().Model((*jobRow)(nil)).Where("id IN (?)", over).Exec(ctx)
			if err != nil {
				return err
			}
			count, err = result.RowsAffected()
			return err
		})
		if err != nil || count < jobBatch {
			return err
		}
	}
	return nil
}
