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
)

// partTime is how long a client may take for one part of a file.
const partTime = time.Minute

func jobFiles(h *handlers) {
	text := func(description string) *huma.MediaType {
		return &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Description: description}}
	}
	api.Register(h.API, api.Operation{
		ID: "getJobFile", Method: http.MethodGet, Path: "/jobs/{id}/file", Tag: "jobs", Summary: "Download the file of a job",
		Description: "For the one who asked for it, once it has succeeded. The name is in Content-Disposition.",
		Status:      http.StatusOK, Errors: []int{http.StatusNotFound},
		Content: map[string]*huma.MediaType{
			"text/csv":             text("RFC 4180 with a line of column names. A text that a spreadsheet would take for a formula begins with an apostrophe."),
			"application/x-ndjson": text("One JSON object a line"),
		},
	}, h.jobFile)
}

func (h *handlers) jobFile(ctx context.Context, in *api.ByID) (*huma.StreamResponse, error) {
	scope := api.ScopeOf(ctx)
	found, err := h.Store.Job.Job(ctx, scope, in.ID)
	if err != nil {
		return nil, err
	}
	shown, err := resource.JobOf(&found)
	if err != nil {
		return nil, err
	}
	if shown.File == nil || found.UserID != scope.Actor() {
		return nil, problem.New(problem.NotFound, "The job has no file.")
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", shown.File.MediaType)
		hc.SetHeader("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": shown.File.Name}))
		hc.SetHeader("Content-Length", strconv.FormatInt(shown.File.Size, 10))
		hc.SetStatus(http.StatusOK)
		if hc.Method() != http.MethodHead {
			h.sendFile(hc, scope, &found)
		}
	}}, nil
}

// sendFile writes the parts one by one, so that neither the file is in memory
// nor a connection of the database held for a slow client. Where it cannot go
// on, the client sees a download that was cut.
func (h *handlers) sendFile(hc huma.Context, scope tenant.Scope, j *job.Job) {
	_, w := humago.Unwrap(hc)
	deadline := http.NewResponseController(w)
	for seq := range j.Parts {
		part, err := h.Store.Job.JobPart(hc.Context(), scope, j.ID, seq)
		if err == nil {
			_ = deadline.SetWriteDeadline(time.Now().Add(partTime)) // a writer without deadlines has none
			err = unpack(w, part)
		}
		if err != nil {
			h.Log.InfoContext(hc.Context(), "a download was cut", "job", j.ID, "part", seq, "error", err)
			panic(http.ErrAbortHandler)
		}
	}
}

func unpack(w io.Writer, part []byte) error {
	unpacked, err := gzip.NewReader(bytes.NewReader(part))
	if err != nil {
		return fmt.Errorf("unpack a part of the file: %w", err)
	}
	if _, err = io.Copy(w, unpacked); err != nil { //nolint:gosec // it is the worker's own, of bounded size
		return fmt.Errorf("send a part of the file: %w", err)
	}
	return nil
}
