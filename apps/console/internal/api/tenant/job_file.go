package tenant

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
)

const (
	partTime  = time.Minute // that a client may take to receive one part of a file
	partBytes = 2 << 20     // in memory at once: a compressed part of about 1 MiB, and what is unpacked of it
)

func registerJobFiles(h *handlers) {
	text := func(description string) *huma.MediaType {
		return &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Description: description}}
	}
	api.Register(h.API, api.Operation{
		ID: "getJobFile", Method: http.MethodGet, Path: "/jobs/{id}/file", Tag: "jobs", Scope: token.ReadUsage,
		Summary: "Download the file of a job",
		Description: "Only the user who created the job may download its file, once the job has succeeded. The " +
			"header Content-Disposition contains the file name.",
		Status: http.StatusOK, Errors: []int{http.StatusNotFound},
		Content: map[string]*huma.MediaType{
			"text/csv": text("RFC 4180 with a header line. A text that a spreadsheet would evaluate as " +
				"a formula is prefixed with an apostrophe."),
			"application/x-ndjson": text("One JSON object per line"),
		},
	}, h.jobFile)
}

// jobFile streams the file of a successful job to the user who created it. Operators
// may see jobs of others, but not their files. A HEAD request gets the headers only.
func (h *handlers) jobFile(ctx context.Context, in *api.ByID) (*huma.StreamResponse, error) {
	scope := api.ScopeOf(ctx)
	j, err := h.Store.Job.Job(ctx, scope, in.ID)
	if err != nil {
		return nil, err
	}
	body, err := resource.JobOf(&j)
	if err != nil {
		return nil, err
	}
	if body.File == nil || j.UserID != scope.Actor() {
		return nil, problem.New(problem.NotFound,
			"The job has no file: only a successful usage export has one, for the user who created it.")
	}
	if err := h.noteExport(ctx, "GET /api/jobs/{id}/file", body.Parameters.UsageExport); err != nil {
		return nil, err
	}
	if err := api.HoldAnswer(ctx, partBytes); err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", body.File.MediaType)
		hc.SetHeader("Content-Disposition",
			mime.FormatMediaType("attachment", map[string]string{"filename": body.File.Name}))
		hc.SetHeader("Content-Length", strconv.FormatInt(body.File.Size, 10))
		hc.SetStatus(http.StatusOK)
		if hc.Method() != http.MethodHead {
			h.sendFile(hc, scope, &j)
		}
	}}, nil
}

// sendFile reads and writes the parts of the file one by one, so that it neither holds the whole file in
// memory nor keeps a database connection while a slow client reads. If a part fails, it aborts the connection:
// the client sees fewer bytes than Content-Length announced, and does not take the file for complete.
func (h *handlers) sendFile(hc huma.Context, scope tenant.Scope, j *job.Job) {
	_, w := humago.Unwrap(hc)
	deadline := http.NewResponseController(w)
	for seq := range j.Parts {
		part, err := h.Store.Job.JobPart(hc.Context(), scope, j.ID, seq)
		if err == nil {
			// The error means only that w does not support deadlines.
			_ = deadline.SetWriteDeadline(time.Now().Add(partTime))
			err = unpack(w, part)
		}
		if err != nil {
			h.Log.InfoContext(hc.Context(), "download of a job file aborted", "job", j.ID, "part", seq, "error", err)
			panic(http.ErrAbortHandler)
		}
	}
}

// unpack decompresses a part, which is stored with gzip, into w.
func unpack(w io.Writer, part []byte) error {
	reader, err := gzip.NewReader(bytes.NewReader(part))
	if err != nil {
		return fmt.Errorf("unpack a part of the file: %w", err)
	}
	if _, err = io.Copy(w, reader); err != nil { //nolint:gosec // the worker wrote the part and limits its size
		return fmt.Errorf("send a part of the file: %w", err)
	}
	return nil
}
