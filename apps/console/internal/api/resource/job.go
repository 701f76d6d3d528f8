package resource

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/store"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
)

// Waker tells the workers that there is a job to run.
type Waker interface {
	Wake(ctx context.Context, task queue.Task) error
}

// Job describes long-running work that a user started.
type Job struct {
	ID         uuid.UUID     `json:"id"`
	UserID     uuid.UUID     `json:"user_id" doc:"The user who created the job"`
	Kind       string        `json:"kind" enum:"usage_export,price_simulation,catalogue_import"`
	Status     string        `json:"status" enum:"queued,running,succeeded,failed,cancelled" doc:"succeeded, failed and cancelled are final"`
	Progress   JobProgress   `json:"progress"`
	Parameters JobParameters `json:"parameters"`
	Result     *JobResult    `json:"result,omitempty" doc:"Result of a finished job. Only getJob returns it"`
	Tokens     bool          `json:"tokens" doc:"Whether takeImportedTokens can still return the values of tokens that an import created"`
	File       *JobFile      `json:"file,omitempty" doc:"The file that getJobFile returns; absent if there is none"`
	Error      *JobError     `json:"error,omitempty" doc:"Why the job failed; absent otherwise"`
	CreatedAt  time.Time     `json:"created_at"`
	StartedAt  *time.Time    `json:"started_at" nullable:"true" doc:"When a worker started the job; null until then"`
	FinishedAt *time.Time    `json:"finished_at" nullable:"true" doc:"When the job ended; null until then"`
	ExpiresAt  *time.Time    `json:"expires_at" nullable:"true" doc:"When the job is deleted, with its result and file; null until the job is finished"`
}

// JobProgress reports how much of a job is done.
type JobProgress struct {
	Done  int64  `json:"done" doc:"Number of usage logs that were read"`
	Total *int64 `json:"total" nullable:"true" doc:"Estimated number of usage logs to read; null if it is not known"`
}

// JobParameters holds the parameters of a job. Only the field of the job's kind is set.
type JobParameters struct {
	UsageExport     *UsageExport              `json:"usage_export,omitempty"`
	PriceSimulation *job.SimulationParameters `json:"price_simulation,omitempty"`
	CatalogueImport *job.ImportParameters     `json:"catalogue_import,omitempty"`
}

// JobResult holds the result of a job. Only the field of the job's kind is set.
type JobResult struct {
	UsageExport     *job.ExportResult     `json:"usage_export,omitempty"`
	PriceSimulation *job.SimulationResult `json:"price_simulation,omitempty"`
	CatalogueImport *job.ImportResult     `json:"catalogue_import,omitempty"`
}

// JobFile describes the file that a job wrote.
type JobFile struct {
	Name      string `json:"name"`
	MediaType string `json:"media_type"`
	Size      int64  `json:"size" doc:"Size in bytes, uncompressed"`
}

// JobError tells why a job failed.
type JobError struct {
	Code    string `json:"code" doc:"Error code, such as too_large"`
	Message string `json:"message"`
}

// UsageExport is the body of createUsageExport: the format of the file, and the filters that listUsageLogs has too.
type UsageExport struct {
	Format    string     `json:"format" enum:"csv,ndjson" doc:"csv: comma-separated values. ndjson: one JSON object per line"`
	TenantID  uuid.UUID  `json:"tenant_id,omitzero" doc:"Only usage of this tenant. For operators"`
	UserID    uuid.UUID  `json:"user_id,omitzero" doc:"Only usage of this user"`
	TokenID   uuid.UUID  `json:"token_id,omitzero" doc:"Only usage of this token"`
	ChannelID uuid.UUID  `json:"channel_id,omitzero" doc:"Only requests for which this channel responded last"`
	Model     string     `json:"model,omitempty" maxLength:"200" doc:"Only requests for this model"`
	Outcome   string     `json:"outcome,omitempty" enum:"success,partial,failed" doc:"Only requests with this outcome"`
	Endpoint  string     `json:"endpoint,omitempty" enum:"chat,responses,messages,embeddings" doc:"Only requests to this endpoint"`
	Error     string     `json:"error,omitempty" maxLength:"200" doc:"Only requests with this error code"`
	EndUser   string     `json:"end_user,omitempty" maxLength:"128" doc:"Only requests for this end user"`
	ClientID  uuid.UUID  `json:"client_id,omitzero" doc:"Only requests from this client, see listTokenClients"`
	Tag       []string   `json:"tag,omitempty" maxItems:"8" doc:"Only requests with all of these tags, each as name=value"`
	From      *time.Time `json:"from,omitempty" doc:"Start, inclusive. Defaults to the first usage log"`
	To        *time.Time `json:"to,omitempty" doc:"End, exclusive. Defaults to now; a later time is replaced with now"`
}

// Jobs creates jobs. Workers run them.
type Jobs struct {
	Store *store.Store
	Queue Waker // nil: workers find new jobs only when they look for them, which takes a little longer
	Log   *slog.Logger
}

// Create creates a job, wakes a worker, and returns the response with the job. If
// waking fails, the job is not lost: workers also look for new jobs at intervals.
func (j Jobs) Create(ctx context.Context, scope tenant.Scope, n jobdb.NewJob) (*api.Answer[Job], error) {
	row, err := j.Store.Job.CreateJob(ctx, scope, n)
	if err != nil {
		return nil, err
	}
	if j.Queue != nil {
		if err := j.Queue.Wake(ctx, queue.RunJobs); err != nil {
			j.Log.DebugContext(ctx, "waking a worker for a new job failed", "error", err)
		}
	}
	return ShowJob(&row)
}

// ShowJob returns the response with the job.
func ShowJob(j *job.Job) (*api.Answer[Job], error) {
	body, err := JobOf(j)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(body), nil
}

// JobOf returns the job as the API shows it.
func JobOf(j *job.Job) (Job, error) {
	body := Job{
		ID: j.ID, UserID: j.UserID, Kind: string(j.Kind), Status: string(j.Status),
		Progress: JobProgress{Done: j.Progress.Done},
		Tokens:   j.Secret, CreatedAt: j.CreatedAt, StartedAt: null.Time(j.StartedAt),
		FinishedAt: null.Time(j.FinishedAt), ExpiresAt: null.Time(j.ExpiresAt),
	}
	if total := j.Progress.Total; total > 0 {
		body.Progress.Total = &total
	}
	if j.Failure != (job.Failure{}) {
		body.Error = &JobError{Code: j.Failure.Word, Message: j.Failure.Text}
	}
	err := body.describe(j)
	return body, err
}

// describe sets the fields that depend on the kind of the job: parameters, result and file.
func (body *Job) describe(j *job.Job) (err error) {
	result := &JobResult{}
	switch j.Kind {
	case job.UsageExport:
		var p *job.ExportParameters
		if p, err = read[job.ExportParameters](j.Parameters, err); err != nil {
			return err
		}
		body.Parameters.UsageExport = usageExportOf(p)
		if j.Status == job.Succeeded {
			body.File = &JobFile{Name: p.FileName(), MediaType: p.MediaType(), Size: j.Size}
		}
		result.UsageExport, err = read[job.ExportResult](j.Result, err)
	case job.PriceSimulation:
		body.Parameters.PriceSimulation, err = read[job.SimulationParameters](j.Parameters, err)
		result.PriceSimulation, err = read[job.SimulationResult](j.Result, err)
	case job.ManifestImport:
		body.Parameters.CatalogueImport, err = read[job.ImportParameters](j.Parameters, err)
		result.CatalogueImport, err = read[job.ImportResult](j.Result, err)
	}
	if *result != (JobResult{}) {
		body.Result = result
	}
	return err
}

// usageExportOf returns the parameters of an export as createUsageExport takes them.
func usageExportOf(p *job.ExportParameters) *UsageExport {
	return &UsageExport{
		Format: string(p.Format), TenantID: p.TenantID, UserID: p.UserID, TokenID: p.TokenID, ChannelID: p.ChannelID,
		Model: p.Model, Outcome: string(p.Outcome), Endpoint: p.Endpoint, Error: p.Error, EndUser: p.EndUser,
		ClientID: p.ClientID, Tag: p.Tag, From: null.Time(p.From), To: null.Time(p.To),
	}
}

// read decodes a JSON document of the store. It returns nil if document is nil, and passes on
// an error of an earlier call, so that calls can follow each other without a check in between.
func read[T any](document json.RawMessage, err error) (*T, error) {
	if err != nil || document == nil {
		return nil, err
	}
	v := new(T)
	if err := json.Unmarshal(document, v); err != nil {
		return nil, fmt.Errorf("decode a document of the job: %w", err)
	}
	return v, nil
}
