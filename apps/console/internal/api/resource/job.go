package resource

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/store"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
)

// Waker wakes the workers that run jobs.
type Waker interface {
	Wake(ctx context.Context, task queue.Task) error
}

// Job is long work that somebody asked for.
type Job struct {
	ID         uuid.UUID     `json:"id"`
	UserID     uuid.UUID     `json:"user_id" doc:"Who asked for it"`
	Kind       string        `json:"kind" enum:"usage_export,price_simulation,catalogue_import"`
	Status     string        `json:"status" enum:"queued,running,succeeded,failed,cancelled"`
	Progress   JobProgress   `json:"progress"`
	Parameters JobParameters `json:"parameters"`
	Result     *JobResult    `json:"result,omitempty" doc:"Of a job that is over; getJob alone shows it"`
	Tokens     bool          `json:"tokens" doc:"Whether an import made tokens whose values takeImportedTokens still has"`
	File       *JobFile      `json:"file,omitempty" doc:"What getJobFile answers; absent where there is none"`
	Error      *JobError     `json:"error,omitempty" doc:"Why it failed"`
	CreatedAt  time.Time     `json:"created_at"`
	StartedAt  *time.Time    `json:"started_at" nullable:"true" doc:"null before"`
	FinishedAt *time.Time    `json:"finished_at" nullable:"true" doc:"null before"`
	ExpiresAt  *time.Time    `json:"expires_at" nullable:"true" doc:"When it is deleted, with its result and file; null before it is over"`
}

// JobProgress is how far a job is.
type JobProgress struct {
	Done  int64  `json:"done" doc:"Usage logs that were read"`
	Total *int64 `json:"total" nullable:"true" doc:"About how many there will be; null where that is not known"`
}

// JobParameters are what was asked for, under the job's kind.
type JobParameters struct {
	UsageExport     *UsageExport              `json:"usage_export,omitempty"`
	PriceSimulation *job.SimulationParameters `json:"price_simulation,omitempty"`
	CatalogueImport *job.ImportParameters     `json:"catalogue_import,omitempty"`
}

// JobResult is what came of a job, under its kind.
type JobResult struct {
	UsageExport     *job.ExportResult     `json:"usage_export,omitempty"`
	PriceSimulation *job.SimulationResult `json:"price_simulation,omitempty"`
	CatalogueImport *job.ImportResult     `json:"catalogue_import,omitempty"`
}

// JobFile is the file of a job.
type JobFile struct {
	Name      string `json:"name"`
	MediaType string `json:"media_type"`
	Size      int64  `json:"size" doc:"Bytes"`
}

// JobError is why a job failed.
type JobError struct {
	Code    string `json:"code" doc:"Word of the failure, such as too_large"`
	Message string `json:"message"`
}

// UsageExport is the body of createUsageExport: the format, and the filters of
// listUsageLogs.
type UsageExport struct {
	Format    string     `json:"format" enum:"csv,ndjson"`
	TenantID  uuid.UUID  `json:"tenant_id,omitzero" doc:"Operators only"`
	UserID    uuid.UUID  `json:"user_id,omitzero"`
	TokenID   uuid.UUID  `json:"token_id,omitzero"`
	ChannelID uuid.UUID  `json:"channel_id,omitzero"`
	Model     string     `json:"model,omitempty" maxLength:"200"`
	Outcome   string     `json:"outcome,omitempty" enum:"success,partial,failed"`
	From      *time.Time `json:"from,omitempty" doc:"Inclusive; without it, from the first one on"`
	To        *time.Time `json:"to,omitempty" doc:"Exclusive; now if absent, or if it is to come"`
}

// Jobs creates jobs.
type Jobs struct {
	Store *store.Store
	Queue Waker // nil: workers find jobs by themselves, a little later
	Log   *slog.Logger
}

// Create creates a job and wakes a worker. Where that fails, a worker finds the
// job by itself a little later.
func (j Jobs) Create(ctx context.Context, scope tenant.Scope, n jobdb.NewJob) (*api.Answer[Job], error) {
	made, err := j.Store.Job.CreateJob(ctx, scope, n)
	if err != nil {
		return nil, err
	}
	if j.Queue != nil {
		if err := j.Queue.Wake(ctx, queue.RunJobs); err != nil {
			j.Log.DebugContext(ctx, "nobody was woken for a job", "error", err)
		}
	}
	return ShowJob(&made)
}

// ShowJob returns the response with the job.
func ShowJob(j *job.Job) (*api.Answer[Job], error) {
	shown, err := JobOf(j)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(shown), nil
}

// JobOf returns the job as the API shows it.
func JobOf(j *job.Job) (Job, error) {
	shown := Job{
		ID: j.ID, UserID: j.UserID, Kind: string(j.Kind), Status: string(j.Status), Progress: JobProgress{Done: j.Progress.Done},
		Tokens: j.Secret, CreatedAt: j.CreatedAt, StartedAt: api.NullableTime(j.StartedAt), FinishedAt: api.NullableTime(j.FinishedAt), ExpiresAt: api.NullableTime(j.ExpiresAt),
	}
	if total := j.Progress.Total; total > 0 {
		shown.Progress.Total = &total
	}
	if j.Failure != (job.Failure{}) {
		shown.Error = &JobError{Code: j.Failure.Word, Message: j.Failure.Text}
	}
	err := shown.describe(j)
	return shown, err
}

// describe shows what depends on the kind.
func (shown *Job) describe(j *job.Job) (err error) {
	result := &JobResult{}
	switch j.Kind {
	case job.UsageExport:
		var p *job.ExportParameters
		if p, err = read[job.ExportParameters](j.Parameters, err); err != nil {
			return err
		}
		shown.Parameters.UsageExport = usageExportOf(p)
		if j.Status == job.Succeeded {
			shown.File = &JobFile{Name: p.FileName(), MediaType: p.MediaType(), Size: j.Size}
		}
		result.UsageExport, err = read[job.ExportResult](j.Result, err)
	case job.PriceSimulation:
		shown.Parameters.PriceSimulation, err = read[job.SimulationParameters](j.Parameters, err)
		result.PriceSimulation, err = read[job.SimulationResult](j.Result, err)
	case job.ManifestImport:
		shown.Parameters.CatalogueImport, err = read[job.ImportParameters](j.Parameters, err)
		result.CatalogueImport, err = read[job.ImportResult](j.Result, err)
	}
	if *result != (JobResult{}) {
		shown.Result = result
	}
	return err
}

func usageExportOf(p *job.ExportParameters) *UsageExport {
	return &UsageExport{
		Format: string(p.Format), TenantID: p.TenantID, UserID: p.UserID, TokenID: p.TokenID, ChannelID: p.ChannelID,
		Model: p.Model, Outcome: string(p.Outcome), From: api.NullableTime(p.From), To: api.NullableTime(p.To),
	}
}

// read decodes a stored document, where there is one and was no error before.
func read[T any](document json.RawMessage, err error) (*T, error) {
	if err != nil || document == nil {
		return nil, err
	}
	v := new(T)
	if err := json.Unmarshal(document, v); err != nil {
		return nil, fmt.Errorf("decode a job's document: %w", err)
	}
	return v, nil
}
