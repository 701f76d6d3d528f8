package job

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// Bounds of one export.
const (
	MaxExportRows  = 5_000_000
	MaxExportBytes = 256 << 20 // as it is kept, which is compressed
)

// ExportFormat is how a file of usage logs is written.
type ExportFormat string

// The formats.
const (
	CSV    ExportFormat = "csv"    // RFC 4180, with a line of column names
	NDJSON ExportFormat = "ndjson" // one JSON object a line
)

// ExportParameters select the usage logs of an export, like the list's
// filters. Zero fields select all that the user reaches.
type ExportParameters struct {
	Format    ExportFormat  `json:"format"`
	TenantID  uuid.UUID     `json:"tenant_id,omitzero"`
	UserID    uuid.UUID     `json:"user_id,omitzero"`
	TokenID   uuid.UUID     `json:"token_id,omitzero"`
	ChannelID uuid.UUID     `json:"channel_id,omitzero"`
	Model     string        `json:"model,omitempty"`
	Outcome   usage.Outcome `json:"outcome,omitempty"`
	From      time.Time     `json:"from,omitzero"`
	To        time.Time     `json:"to"` // never zero: a file is of one moment
}

// Check returns an InvalidType problem of the field at fault.
func (p *ExportParameters) Check() error {
	switch {
	case p.Format != CSV && p.Format != NDJSON:
		return problem.New(problem.InvalidType, "A format is csv or ndjson.").At("format")
	case p.Outcome != "" && !p.Outcome.Valid():
		return problem.New(problem.InvalidType, "An outcome is success, partial or failed.").At("outcome")
	case !p.From.IsZero() && !p.From.Before(p.To):
		return problem.New(problem.InvalidType, "The range is empty: from must be before to.").At("from")
	}
	return nil
}

// FileName is what the file is saved as.
func (p *ExportParameters) FileName() string {
	to := p.To.UTC().Format(time.DateOnly)
	if p.From.IsZero() {
		return fmt.Sprintf("usage-logs-until-%s.%s", to, p.Format)
	}
	return fmt.Sprintf("usage-logs-%s-to-%s.%s", p.From.UTC().Format(time.DateOnly), to, p.Format)
}

// MediaType is that of the file.
func (p *ExportParameters) MediaType() string {
	if p.Format == NDJSON {
		return "application/x-ndjson"
	}
	return "text/csv; charset=utf-8"
}

// ExportResult tells what an export wrote.
type ExportResult struct {
	Rows int64 `json:"rows"`
}
