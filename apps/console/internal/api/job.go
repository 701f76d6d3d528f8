package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/store"
)

// Waker wakes who does jobs.
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

func jobs(a *API) {
	register(a, operation{
		id: "createUsageExport", method: http.MethodPost, path: "/jobs/usage-export", tag: "jobs", summary: "Have usage logs written into a file",
		description: "The logs that listUsageLogs shows under the same filters, newest first. Ask getJob how far it is, and getJobFile for the file. " +
			fmt.Sprintf("At most %d jobs of a user may be queued or running.", job.MaxLive),
		status: http.StatusAccepted, errors: []int{http.StatusNotFound, http.StatusConflict},
	}, a.createUsageExport)
	register(a, operation{
		id: "listJobs", method: http.MethodGet, path: "/jobs", tag: "jobs", summary: "List jobs",
		description: "One's own, newest first, without their results; operators see all simulations and imports.",
	}, a.listJobs)
	register(a, operation{
		id: "getJob", method: http.MethodGet, path: "/jobs/{id}", tag: "jobs", summary: "Get a job with its progress and result",
		description: "Ask again until its status says that it is over.",
		errors:      []int{http.StatusNotFound},
	}, a.getJob)
	register(a, operation{
		id: "cancelJob", method: http.MethodPost, path: "/jobs/{id}/cancel", tag: "jobs", summary: "Cancel a job that is not over",
		description: "It stops within seconds.",
		status:      http.StatusOK, errors: []int{http.StatusNotFound, http.StatusConflict},
	}, a.cancelJob)
	jobFiles(a)
}

func (a *API) createUsageExport(ctx context.Context, in *struct{ Body UsageExport }) (*Answer[Job], error) {
	body := &in.Body
	p := job.ExportParameters{
		Format: job.Format(body.Format), TenantID: body.TenantID, UserID: body.UserID, TokenID: body.TokenID, ChannelID: body.ChannelID,
		Model: body.Model, Outcome: usage.Outcome(body.Outcome), From: value(body.From).UTC(), To: value(body.To).UTC(),
	}
	if now := a.Now().UTC(); p.To.IsZero() || p.To.After(now) {
		p.To = now.Truncate(time.Microsecond)
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	if p.TenantID != uuid.Nil && !scopeOf(ctx).Reaches(p.TenantID) {
		return nil, problem.New(problem.NotFound, "no such tenant").At("tenant_id")
	}
	return a.queue(ctx, store.NewJob{Kind: job.UsageExport, Parameters: p})
}

// queue has a job done and wakes a worker, which would find it by itself a
// little later.
func (a *API) queue(ctx context.Context, n store.NewJob) (*Answer[Job], error) {
	made, err := a.Store.CreateJob(ctx, scopeOf(ctx), n)
	if err != nil {
		return nil, err
	}
	if a.Queue != nil {
		if err := a.Queue.Wake(ctx, queue.RunJobs); err != nil {
			a.Log.DebugContext(ctx, "nobody was woken for a job", "error", err)
		}
	}
	return showJob(&made)
}

func (a *API) listJobs(ctx context.Context, in *PageQuery) (*Answer[List[Job]], error) {
	page, err := a.Store.Jobs(ctx, scopeOf(ctx), in.page())
	if err != nil {
		return nil, err
	}
	shown := List[Job]{Items: make([]Job, len(page.Items)), Next: page.Next}
	for i := range page.Items {
		if shown.Items[i], err = jobOf(&page.Items[i]); err != nil {
			return nil, err
		}
	}
	return answer(shown), nil
}

func (a *API) getJob(ctx context.Context, in *ByID) (*Answer[Job], error) {
	found, err := a.Store.Job(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return showJob(&found)
}

func (a *API) cancelJob(ctx context.Context, in *ByID) (*Answer[Job], error) {
	cancelled, err := a.Store.CancelJob(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return showJob(&cancelled)
}

func showJob(j *job.Job) (*Answer[Job], error) {
	shown, err := jobOf(j)
	if err != nil {
		return nil, err
	}
	return answer(shown), nil
}

func jobOf(j *job.Job) (Job, error) {
	shown := Job{
		ID: j.ID, UserID: j.UserID, Kind: string(j.Kind), Status: string(j.Status), Progress: JobProgress{Done: j.Progress.Done},
		Tokens: j.Secret, CreatedAt: j.CreatedAt, StartedAt: moment(j.StartedAt), FinishedAt: moment(j.FinishedAt), ExpiresAt: moment(j.ExpiresAt),
	}
	if total := j.Progress.Total; total > 0 {
		shown.Progress.Total = &total
	}
	if j.Fault != (job.Fault{}) {
		shown.Error = &JobError{Code: j.Fault.Word, Message: j.Fault.Text}
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
	case job.CatalogueImport:
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
		Model: p.Model, Outcome: string(p.Outcome), From: moment(p.From), To: moment(p.To),
	}
}

// read decodes a stored document, where there is one and was no error before.
func read[T any](document json.RawMessage, err error) (*T, error) {
	if err != nil || document == nil {
		return nil, err
	}
	v := new(T)
	return v, json.Unmarshal(document, v)
}
