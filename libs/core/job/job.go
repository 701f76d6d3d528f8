// Package job is long work that somebody asked for: what he wants of it, how
// far it is, and what came of it. The work itself is done elsewhere; here is
// what all who deal with jobs agree on.
package job

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

const (
	// MaxActive is how many queued and running jobs a user may have.
	MaxActive = 5
	// MaxFinished is how many finished jobs of a user are kept. The oldest are
	// deleted first.
	MaxFinished = 20
	// Retention is how long a finished job is kept with its result.
	Retention = 7 * 24 * time.Hour
	// MaxAttempts is how often a job is begun without getting any further.
	MaxAttempts = 5
)

// Kind is what a job does.
type Kind string

// The kinds.
const (
	UsageExport     Kind = "usage_export"
	PriceSimulation Kind = "price_simulation"
	ManifestImport  Kind = "catalogue_import"
)

// Platform reports whether jobs of the kind are the platform's: any operator
// may look at them and cancel them.
func (k Kind) Platform() bool { return k == PriceSimulation || k == ManifestImport }

// Status is where a job is in its life.
type Status string

// The statuses. A job that is over does not change any more.
const (
	Queued    Status = "queued"
	Running   Status = "running"
	Succeeded Status = "succeeded"
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
)

// Finished reports whether the job has ended.
func (s Status) Finished() bool { return s != Queued && s != Running }

// Progress is how far a job is, in rows or whatever the work is made of.
type Progress struct {
	Done  int64
	Total int64 // about how many there will be, 0 where that is not known
}

// Job is one piece of long work. Its parameters and result are documents, of
// the types that its Kind has here.
type Job struct {
	ID       uuid.UUID
	TenantID uuid.UUID   // uuid.Nil for an operator's
	UserID   uuid.UUID   // who asked for it
	Role     tenant.Role // that he had: with another one he has nothing of the job
	Kind     Kind
	Status   Status
	Progress Progress

	Parameters json.RawMessage
	Result     json.RawMessage // nil before it is over, and in lists
	Secret     bool            // there is a secret of the result that nobody took yet
	Failure    Failure         // zero unless it failed
	Parts      int             // of its file, 0 where it has none
	Size       int64           // of the file in bytes, as it is downloaded

	CreatedAt  time.Time
	StartedAt  time.Time // zero before
	FinishedAt time.Time // zero before
	ExpiresAt  time.Time // when it is deleted; zero before it is over
}

// Failure is the public reason why a job failed.
type Failure struct {
	Word string // of a problem.Kind
	Text string
}

// FailureOf returns what the public may read of err.
func FailureOf(err error) Failure {
	p := problem.From(err)
	return Failure{Word: p.Kind.String(), Text: p.Text()}
}

// VisibleTo reports whether the scope may see the job: its user asked for it
// and still has the role of that time, or it is the platform's and the scope is
// an operator's.
func (j *Job) VisibleTo(scope tenant.Scope) bool {
	own := scope.Actor() == j.UserID && scope.Role() == j.Role && scope.Tenant() == j.TenantID
	return own && scope.Actor() != uuid.Nil || j.Kind.Platform() && scope.Role() == tenant.Operator
}

// StillPermitted reports whether work may continue for the user: the user is
// enabled and still has the role that was permitted to ask. active says whether
// the user's tenant is enabled; it is true for operators.
func (j *Job) StillPermitted(u tenant.User, active bool) bool {
	unchanged := u.ID == j.UserID && u.Role == j.Role && u.TenantID == j.TenantID
	return unchanged && active && u.Status == tenant.Enabled
}
