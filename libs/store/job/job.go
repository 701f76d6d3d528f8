// Package job stores two kinds of background work: jobs, which a user asked for and whose result the user
// fetches later (exports, simulations, imports), and mails that wait to be sent. Both survive the process
// that works on them.
//
// # Jobs
//
// Table jobs has a row for each job, job_parts the parts of a job's file.
//
//	             ClaimJob                  FinishJob
//	queued  ------------------>  running ------------> succeeded
//	   ^                          |  | |
//	   |       ReleaseJob         |  | |   FailJob, user not permitted any
//	   +--------------------------+  | |   more, too many attempts
//	                 CancelJob       | +-------------> failed
//	       (from queued or running)  +---------------> cancelled
//
// A worker holds a job by a lease: ClaimJob sets lease_id to a new id and due_at to the end of the lease, and
// RenewJob moves due_at. If the worker dies, due_at passes, and the next ClaimJob gives the job to another
// worker under a new lease_id. Each later change by a worker names the lease (Ref) and fails with ErrJobLost
// if it is not the present one, so a worker that was too slow cannot overwrite the work of its successor.
//
// SaveJob stores a checkpoint and a part of the file in one transaction, so each part is in the file once,
// however often the job is resumed from a checkpoint. Attempts counts the claims since the last checkpoint. A
// job that fails to get any further is given up after job.MaxAttempts claims.
//
// RenewJob, SaveJob and FinishJob check again that the user may have the job done: the user and the tenant
// are enabled and the role is unchanged. Otherwise they return a Forbidden problem, and the worker must fail
// the job.
//
// A finished job keeps its result and its file until Sweep deletes it after job.Retention. Its sealed input
// and its checkpoint are erased when it ends.
//
// # Mails
//
// Table mails has a row for each mail that is not sent yet. QueueMail inserts it in the transaction of the
// change that it announces. Deliverers claim mails by a lease like jobs and delete the row when the SMTP
// server took the mail, so a mail is sent at least once. See package mailer.
//
// # Locks
//
// On Postgres a claim skips rows that another claim has locked, so concurrent workers do not wait for each
// other. Other changes lock the row of the job. CreateJob locks the user first, so that the limit on a user's
// jobs holds under concurrency.
package job

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// Store reads and writes jobs and mails. It is safe for concurrent use unless it was made from a transaction.
type Store struct{ db *db.DB }

// New returns the Store over a database, or over a transaction on it.
func New(d *db.DB) *Store { return &Store{db: d} }

// atomically runs a function as db.DB.Atomically does, with a Store on the transaction.
func (s *Store) atomically(ctx context.Context, do func(*Store) error) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return do(New(tx)) })
}

// readAs runs a function as db.DB.ReadAs does, with a Store under the row-level security of the scope.
func (s *Store) readAs(ctx context.Context, scope tenant.Scope, do func(*Store) error) error {
	return s.db.ReadAs(ctx, scope, func(in *db.DB) error { return do(New(in)) })
}

// writeAs runs a function as db.DB.WriteAs does, with a Store under the row-level security of the scope.
func (s *Store) writeAs(ctx context.Context, scope tenant.Scope, do func(*Store) error) error {
	return s.db.WriteAs(ctx, scope, func(tx *db.DB) error { return do(New(tx)) })
}
