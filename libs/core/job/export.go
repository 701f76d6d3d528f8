package job

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/attribution"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// Bounds of one export. An export that exceeds one of them fails.
const (
	MaxExportRows  = 5_000_000
	MaxExportBytes = 256 << 20 // size of the stored file, which is compressed
)

// ExportFormat is the format of an exported file.
type ExportFormat string

// The formats.
const (
	CSV    ExportFormat = "csv"    // RFC 4180, with a header line
	NDJSON ExportFormat = "ndjson" // one JSON object on each line
)

// ExportParameters select the usage logs of an export, like the filters of the list. A zero field does not
// restrict the selection; the role of the user who asked always does.
type ExportParameters struct {
	Format    ExportFormat  `json:"format"`
	TenantID  uuid.UUID     `json:"tenant_id,omitzero"`
	UserID    uuid.UUID     `json:"user_id,omitzero"`
	TokenID   uuid.UUID     `json:"token_id,omitzero"`
	ChannelID uuid.UUID     `json:"channel_id,omitzero"`
	Model     string        `json:"model,omitempty"`
	Outcome   usage.Outcome `json:"outcome,omitempty"`
	Endpoint  string        `json:"endpoint,omitempty"` // dialect of the client
	Error     string        `json:"error,omitempty"`    // error code
	EndUser   string        `json:"end_user,omitempty"`
	ClientID  uuid.UUID     `json:"client_id,omitzero"`

	ClientMarks []int64 `json:"clients,omitempty"` // the marks of this client in usage logs, see usage.Log.Client

	Tag  []string  `json:"tag,omitempty"` // each as name=value
	From time.Time `json:"from,omitzero"`
	To   time.Time `json:"to"` // never zero, so that a resumed export selects the same logs
}

// Check returns an InvalidType problem that names the first field at fault, or nil if there is none.
func (p *ExportParameters) Check() error {
	switch {
	case p.Format != CSV && p.Format != NDJSON:
		return problem.New(problem.InvalidType, "The format must be one of: csv, ndjson.").At("format")
	case p.Outcome != "" && !p.Outcome.Valid():
		return problem.New(problem.InvalidType, "The outcome must be one of: success, partial, failed.").At("outcome")
	case !p.From.IsZero() && !p.From.Before(p.To):
		return problem.New(problem.InvalidType, "The range is empty: from must be before to.").At("from")
	}
	_, err := attribution.ParseTags(p.Tag)
	return err
}

// FileName returns the name under which the browser saves the file.
func (p *ExportParameters) FileName() string {
	to := p.To.UTC().Format(time.DateOnly)
	if p.From.IsZero() {
		return fmt.Sprintf("usage-logs-until-%s.%s", to, p.Format)
	}
	return fmt.Sprintf("usage-logs-%s-to-%s.%s", p.From.UTC().Format(time.DateOnly), to, p.Format)
}

// MediaType returns the media type of the file.
func (p *ExportParameters) MediaType() string {
	if p.Format == NDJSON {
		return "application/x-ndjson"
	}
	return "text/csv; charset=utf-8"
}

// ExportResult is the result of a UsageExport job. The file itself is stored apart from the job.
type ExportResult struct {
	Rows int64 `json:"rows"`
}
