package tenant

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
)

func registerJobs(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "createUsageExport", Method: http.MethodPost, Path: "/jobs/usage-export", Tag: "jobs",
		Scope: token.ReadUsage, Summary: "Export usage logs to a file",
		Description: "The file contains the logs that listUsageLogs returns for the same filters, newest first. " +
			"Poll getJob for the progress, then download the file with getJobFile. " +
			fmt.Sprintf("A user may have at most %d jobs that are queued or running.", job.MaxActive),
		Status: http.StatusAccepted, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, h.createUsageExport)
	api.Register(h.API, api.Operation{
		ID: "listJobs", Method: http.MethodGet, Path: "/jobs", Tag: "jobs", Scope: token.ReadUsage,
		Summary: "List jobs",
		Description: "The caller's own jobs, newest first, without results. Operators also see the price " +
			"simulations and imports of other operators.",
	}, h.listJobs)
	api.Register(h.API, api.Operation{
		ID: "getJob", Method: http.MethodGet, Path: "/jobs/{id}", Tag: "jobs", Scope: token.ReadUsage,
		Summary:     "Get a job with its progress and result",
		Description: "Poll until the status is succeeded, failed or cancelled.",
		Errors:      []int{http.StatusNotFound},
	}, h.getJob)
	api.Register(h.API, api.Operation{
		ID: "cancelJob", Method: http.MethodPost, Path: "/jobs/{id}/cancel", Tag: "jobs", Scope: token.ReadUsage,
		Summary:     "Cancel a job that is queued or running",
		Description: "A running job stops within seconds.",
		Status:      http.StatusOK, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, h.cancelJob)
	registerJobFiles(h)
}

// createUsageExport fixes the end of the range now, so that the
// file contains the logs of one moment even if the job runs later.
func (h *handlers) createUsageExport(ctx context.Context,
	in *struct{ Body resource.UsageExport }) (*api.Answer[resource.Job], error) {
	body := &in.Body
	p := job.ExportParameters{
		Format: job.ExportFormat(body.Format), TenantID: body.TenantID, UserID: body.UserID, TokenID: body.TokenID,
		ChannelID: body.ChannelID, Model: body.Model, Outcome: usage.Outcome(body.Outcome), Endpoint: body.Endpoint,
		Error: body.Error, EndUser: body.EndUser, Tag: body.Tag,
		From: null.Deref(body.From).UTC(), To: null.Deref(body.To).UTC(),
	}
	if body.ClientID != uuid.Nil {
		client, err := h.client(ctx, body.ClientID)
		if err != nil {
			return nil, err
		}
		p.ClientID, p.ClientMarks = body.ClientID, h.marksOf(&client)
		p.TokenID = cmp.Or(p.TokenID, client.TokenID)
	}
	if now := h.Now().UTC(); p.To.IsZero() || p.To.After(now) {
		p.To = now.Truncate(time.Microsecond)
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	if p.TenantID != uuid.Nil && !api.ScopeOf(ctx).Reaches(p.TenantID) {
		return nil, problem.New(problem.NotFound, "There is no such tenant.").At("tenant_id")
	}
	answer, err := h.Jobs.Create(ctx, api.ScopeOf(ctx), jobdb.NewJob{Kind: job.UsageExport, Parameters: p})
	if err == nil && p.TenantID == uuid.Nil && p.UserID == uuid.Nil && p.TokenID == uuid.Nil {
		err = h.NoteReadOfAll(ctx, "POST /api/jobs/usage-export")
	}
	return answer, err
}

// noteExport records the tenants whose logs an operator exports: those of the filters, or all.
func (h *handlers) noteExport(ctx context.Context, event string, export *resource.UsageExport) error {
	ids := slices.DeleteFunc([]uuid.UUID{export.TenantID, export.UserID, export.TokenID}, func(id uuid.UUID) bool {
		return id == uuid.Nil
	})
	if len(ids) == 0 {
		return h.NoteReadOfAll(ctx, event)
	}
	return h.NoteReads(ctx, event, ids)
}

// listJobs lists the jobs that the caller may see. Results are missing, because they can be large.
func (h *handlers) listJobs(ctx context.Context, in *api.PageQuery) (*api.Answer[api.List[resource.Job]], error) {
	page, err := h.Store.Job.Jobs(ctx, api.ScopeOf(ctx), in.Page())
	if err != nil {
		return nil, err
	}
	body := api.List[resource.Job]{Items: make([]resource.Job, len(page.Items)), Next: page.Next}
	for i := range page.Items {
		if body.Items[i], err = resource.JobOf(&page.Items[i]); err != nil {
			return nil, err
		}
	}
	return api.NewAnswer(body), nil
}

func (h *handlers) getJob(ctx context.Context, in *api.ByID) (*api.Answer[resource.Job], error) {
	j, err := h.Store.Job.Job(ctx, api.ScopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return resource.ShowJob(&j)
}

// cancelJob marks the job as canceled. The worker that runs it notices at its next step.
func (h *handlers) cancelJob(ctx context.Context, in *api.ByID) (*api.Answer[resource.Job], error) {
	job, err := h.Store.Job.CancelJob(ctx, api.ScopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return resource.ShowJob(&job)
}
