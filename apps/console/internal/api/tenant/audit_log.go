package tenant

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/audit"
	"github.com/tollgate/tollgate/libs/store/page"
)

const (
	exportPage  = 200 // entries that are read at once
	exportPages = 100_000 / exportPage
)

type auditQuery struct {
	api.PageQuery
	resource.AuditQuery
}

func auditLog(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listTenantAuditLog", Method: http.MethodGet, Path: "/audit-log", Tag: "members", Scope: token.ReadAudit, Summary: "List the audit log of the tenant",
		Description: "Lists who changed which resource of the tenant, newest first, and sign-ins (session.create), refused ones (session.refused), " +
			"refused requests (request.refused), the first use of an access key on a day from an address (access_key.use), " +
			"and what operators have read (tenant.read). For admins and owners.",
		Errors: []int{http.StatusForbidden},
	}, h.auditLog)
	api.Register(h.API, api.Operation{
		ID: "exportTenantAuditLog", Method: http.MethodGet, Path: "/audit-log/file", Tag: "members", Scope: token.ReadAudit, Summary: "Download the audit log of the tenant",
		Description: "Returns at most the newest 100,000 entries that match. To get more, limit the range. For admins and owners.",
		Status:      http.StatusOK, Errors: []int{http.StatusForbidden},
		Content: map[string]*huma.MediaType{"text/csv": {Schema: &huma.Schema{
			Type: huma.TypeString, Description: "RFC 4180 with a header line. A text that a spreadsheet would evaluate as a formula is prefixed with an apostrophe.",
		}}},
	}, h.auditLogFile)
}

// auditLog lists the entries of the caller's tenant.
func (h *handlers) auditLog(ctx context.Context, in *auditQuery) (*api.Answer[api.List[resource.AuditEntry]], error) {
	found, _, err := h.auditPage(ctx, &in.AuditQuery, in.Page())
	if err != nil {
		return nil, err
	}
	return api.PageOf(found, resource.AuditEntryOf), nil
}

// auditPage reads one page of the entries of the caller's tenant, and returns it with its query.
func (h *handlers) auditPage(ctx context.Context, in *resource.AuditQuery, asked page.Page) (page.List[audit.Entry], audit.Query, error) {
	var none page.List[audit.Entry]
	id, err := api.TenantOf(ctx)
	if err != nil {
		return none, audit.Query{}, err
	}
	query, err := in.Store(id, asked)
	if err != nil {
		return none, query, err
	}
	found, err := h.Store.Audit.List(ctx, api.ScopeOf(ctx), query)
	return found, query, err
}

// auditLogFile streams the entries as CSV. It reads the first page before it answers, so that refusals have a status.
func (h *handlers) auditLogFile(ctx context.Context, in *resource.AuditQuery) (*huma.StreamResponse, error) {
	first, query, err := h.auditPage(ctx, in, page.Page{Limit: exportPage})
	if err != nil {
		return nil, err
	}
	scope := api.ScopeOf(ctx)
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", "text/csv")
		hc.SetHeader("Content-Disposition", `attachment; filename="audit-log.csv"`)
		hc.SetStatus(http.StatusOK)
		if hc.Method() == http.MethodHead {
			return
		}
		if err := h.sendEntries(hc, scope, first, query); err != nil {
			panic(http.ErrAbortHandler) // the client must not take the file for complete
		}
	}}, nil
}

// sendEntries writes the entries of the page and of those after it.
func (h *handlers) sendEntries(hc huma.Context, scope tenant.Scope, found page.List[audit.Entry], query audit.Query) (err error) {
	_, w := humago.Unwrap(hc)
	deadline := http.NewResponseController(w)
	file := csv.NewWriter(w)
	_ = file.Write([]string{"created_at", "action", "actor", "address", "target", "detail", "id"}) // Flush returns the error
	for pages := 1; ; pages++ {
		_ = deadline.SetWriteDeadline(time.Now().Add(partTime)) // the error means only that w does not support deadlines
		for i := range found.Items {
			e := &found.Items[i]
			detail, err := json.Marshal(e.Detail)
			if err != nil {
				return err
			}
			_ = file.Write([]string{
				e.CreatedAt.UTC().Format(time.RFC3339Nano), e.Action, noFormula(e.Actor), e.Address, noFormula(e.Target), string(detail), e.ID.String(),
			})
		}
		file.Flush()
		if err := file.Error(); err != nil {
			return fmt.Errorf("write the audit log as CSV: %w", err)
		}
		if found.Next == "" || pages == exportPages {
			return nil
		}
		query.After = found.Next
		if found, err = h.Store.Audit.List(hc.Context(), scope, query); err != nil {
			return err
		}
	}
}

// noFormula prefixes a text that a spreadsheet would evaluate with an apostrophe.
func noFormula(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
