package resource

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/spreadsheet"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/audit"
	storepage "github.com/tollgate/tollgate/libs/store/page"
)

const (
	auditFilePage    = 200 // entries that are read at once, or fewer if they are large
	auditFileEntries = 100_000
	auditFileBytes   = 2 << 20     // in memory at once: a page and its text
	auditPartTime    = time.Minute // that a client may take to receive one part of the file
)

// AuditLog reads the audit log for operations that show it.
type AuditLog struct{ Store *audit.Store }

// AuditFileContent is the content of the answer of an operation that calls File.
func AuditFileContent() map[string]*huma.MediaType {
	return map[string]*huma.MediaType{"text/csv": {Schema: &huma.Schema{
		Type: huma.TypeString, Description: "RFC 4180 with a header line. A text that a spreadsheet would evaluate " +
			"as a formula is prefixed with an apostrophe.",
	}}}
}

// auditPage is a page of entries with the names of what they mention.
type auditPage struct {
	storepage.List[audit.Entry]
	names map[uuid.UUID]string
}

func (l AuditLog) page(ctx context.Context, scope tenant.Scope, query audit.Query) (entries auditPage, err error) {
	if entries.List, err = l.Store.List(ctx, scope, query); err != nil {
		return entries, err
	}
	entries.names, err = l.Store.Names(ctx, scope, entries.Items)
	return entries, err
}

// List returns one page of entries of the tenant, uuid.Nil for all.
func (l AuditLog) List(ctx context.Context, tenantID uuid.UUID, in *AuditQuery,
	p storepage.Page) (*api.Answer[api.List[AuditEntry]], error) {
	query, err := in.Store(tenantID, p)
	if err != nil {
		return nil, err
	}
	entries, err := l.page(ctx, api.ScopeOf(ctx), query)
	if err != nil {
		return nil, err
	}
	return api.PageOf(entries.List, func(e *audit.Entry) AuditEntry { return AuditEntryOf(e, entries.names) }), nil
}

// File streams the newest entries of the tenant, uuid.Nil for all, as CSV. It reads the first page before it answers,
// so that refusals have a status.
func (l AuditLog) File(ctx context.Context, tenantID uuid.UUID, in *AuditQuery) (*huma.StreamResponse, error) {
	query, err := in.Store(tenantID, storepage.Page{Limit: auditFilePage})
	if err != nil {
		return nil, err
	}
	if err := api.HoldAnswer(ctx, auditFileBytes); err != nil {
		return nil, err
	}
	scope := api.ScopeOf(ctx)
	head, err := l.page(ctx, scope, query)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", "text/csv")
		hc.SetHeader("Content-Disposition", `attachment; filename="audit-log.csv"`)
		hc.SetStatus(http.StatusOK)
		if hc.Method() == http.MethodHead {
			return
		}
		if err := l.send(hc, scope, head, query); err != nil {
			panic(http.ErrAbortHandler) // the client must not take the file for complete
		}
	}}, nil
}

// send writes the entries of the page and of those after it.
func (l AuditLog) send(hc huma.Context, scope tenant.Scope, entries auditPage, query audit.Query) (err error) {
	_, w := humago.Unwrap(hc)
	deadline := http.NewResponseController(w)
	file := csv.NewWriter(w)
	// Flush returns the error
	_, _ = io.WriteString(w, spreadsheet.Begin)
	_ = file.Write([]string{"created_at", "action", "actor", "address", "target", "detail", "id", "tenant_id",
		"target_name", "before"})
	for room := auditFileEntries; ; room -= len(entries.Items) {
		entries.Items = entries.Items[:min(len(entries.Items), room)]
		// The error means only that w does not support deadlines.
		_ = deadline.SetWriteDeadline(time.Now().Add(auditPartTime))
		for i := range entries.Items {
			line, err := auditLine(&entries.Items[i], entries.names)
			if err != nil {
				return err
			}
			_ = file.Write(line)
		}
		file.Flush()
		if err := file.Error(); err != nil {
			return fmt.Errorf("write the audit log as CSV: %w", err)
		}
		if entries.Next == "" || len(entries.Items) == room {
			return nil
		}
		query.After = entries.Next
		if entries, err = l.page(hc.Context(), scope, query); err != nil {
			return err
		}
	}
}

// auditLine returns the cells of an entry in the file.
func auditLine(e *audit.Entry, names map[uuid.UUID]string) ([]string, error) {
	detail, err := json.Marshal(e.Detail)
	if err != nil {
		return nil, err
	}
	before, err := json.Marshal(e.Before)
	if err != nil {
		return nil, err
	}
	tenantID, name := "", ""
	if e.TenantID != uuid.Nil {
		tenantID = e.TenantID.String()
	}
	if target, err := uuid.Parse(e.Target); err == nil {
		name = names[target]
	}
	return []string{
		e.CreatedAt.UTC().Format(time.RFC3339Nano), e.Action, spreadsheet.Cell(e.Actor), e.Address,
		spreadsheet.Cell(e.Target),
		string(detail), e.ID.String(),
		tenantID, spreadsheet.Cell(name), string(before),
	}, nil
}
