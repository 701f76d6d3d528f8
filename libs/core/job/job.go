// Package job defines background jobs that users start in the console: exports of usage logs, simulations of
// prices, and imports of manifests. A Job holds the parameters, the progress and the result.
//
// The package holds the bounds, the validation of parameters and the rules about who may see a job and for how
// long it may run. The store keeps jobs, and the worker runs them in steps that another worker can resume.
package job

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

const (
	// MaxActive is the largest number of queued and running jobs of one user.
	MaxActive = 5
	// MaxFinished is the largest number of finished jobs of one user that are kept. The oldest are deleted first.
	MaxFinished = 20
	// Retention is the time for which a finished job is kept with its result.
	Retention = 7 * 24 * time.Hour
	// MaxAttempts is the number of attempts in a row without progress after which a job fails.
	MaxAttempts = 5
)

// Kind is the kind of work that a job does. It decides the types of the job's parameters and result.
type Kind string

// The kinds.
const (
	UsageExport     Kind = "usage_export"
	PriceSimulation Kind = "price_simulation"
	ManifestImport  Kind = "catalogue_import"
)

// Platform reports whether jobs of the kind belong to the platform: every operator may see and cancel them.
func (k Kind) Platform() bool { return k == PriceSimulation || k == ManifestImport }

// NeedsPerson reports whether only people may start and cancel jobs of the kind, and not programs with an access key.
func (k Kind) NeedsPerson() bool { return k == ManifestImport }

// Status is the state of a job.
type Status string

// The statuses. Succeeded, Failed and Canceled are final.
const (
	Queued    Status = "queued"
	Running   Status = "running"
	Succeeded Status = "succeeded"
	Failed    Status = "failed"
	Canceled  Status = "cancelled"
)

// Finished reports whether the job has ended.
func (s Status) Finished() bool { return s != Queued && s != Running }

// Progress counts the finished units of a job's work. The unit depends on the kind, for example rows.
type Progress struct {
	Done  int64
	Total int64 // estimate of all units, 0 if it is not known
}

// Job is one background job. Parameters and Result are JSON documents; the Kind decides their types, which are
// defined in this package.
type Job struct {
	ID       uuid.UUID
	TenantID uuid.UUID   // uuid.Nil for a job of an operator
	UserID   uuid.UUID   // the user who started the job
	Role     tenant.Role // role of the user at that time; see VisibleTo and StillPermitted
	Kind     Kind
	Status   Status
	Progress Progress

	Parameters json.RawMessage
	Result     json.RawMessage // nil until the job is finished, and in lists
	Secret     bool            // the result has a secret part that was not read yet; it can be read once
	Failure    Failure         // zero unless the job failed
	Parts      int             // number of parts of the job's file, 0 if it has no file
	Size       int64           // size of the downloaded file in bytes

	CreatedAt  time.Time
	StartedAt  time.Time // zero until the job started
	FinishedAt time.Time // zero until the job finished
	ExpiresAt  time.Time // time at which the job is deleted; zero until it finished
}

// Failure is the public reason why a job failed.
type Failure struct {
	Word string // name of a problem.Kind
	Text string
}

// FailureOf returns the part of err that users may read. The text of an error that is not a problem stays private.
func FailureOf(err error) Failure {
	p := problem.From(err)
	return Failure{Word: p.Kind.String(), Text: p.Text()}
}

// VisibleTo reports whether the scope may see the job. The user who started it may, as long as tenant and role are
// the same as then: its result can hold data that a lower role must not see. Any operator may see platform jobs.
func (j *Job) VisibleTo(scope tenant.Scope) bool {
	isOwn := scope.Actor() == j.UserID && scope.Role() == j.Role && scope.Tenant() == j.TenantID
	return isOwn && scope.Actor() != uuid.Nil || j.Kind.Platform() && scope.Role() == tenant.Operator
}

// StillPermitted reports whether the job may continue to run for u: u is the user who started it, is enabled, and
// has the same role and tenant as then. active reports whether the user's tenant is enabled; callers pass true for
// operators, who have no tenant.
func (j *Job) StillPermitted(u tenant.User, active bool) bool {
	unchanged := u.ID == j.UserID && u.Role == j.Role && u.TenantID == j.TenantID
	return unchanged && active && u.Status == tenant.Enabled
}
