package operator

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/token"
)

type auditFileQuery struct {
	resource.AuditQuery
	TenantID uuid.UUID `query:"tenant_id" doc:"Only changes of this tenant's resources. Absent: all changes, including those of the platform's resources"`
}

type auditQuery struct {
	api.PageQuery
	resource.AuditQuery
	api.OrderQuery
	Sort     string    `query:"sort" enum:"created_at" doc:"What to sort by. Defaults to the newest entries first"`
	TenantID uuid.UUID `query:"tenant_id" doc:"Only changes of this tenant's resources. Absent: all changes, including those of the platform's resources"`
}

func registerAuditLog(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listAuditLog", Method: http.MethodGet, Path: "/operator/audit-log", Tag: "operator",
		Scope: token.ReadAudit, Summary: "List the audit log",
		Description: "Lists who changed which resource, newest first unless order is asc, and sign-ins, refusals " +
			"and reads of tenants' data.", Errors: []int{http.StatusForbidden},
	}, h.auditLog)
	api.Register(h.API, api.Operation{
		ID: "exportAuditLog", Method: http.MethodGet, Path: "/operator/audit-log/file", Tag: "operator",
		Scope: token.ReadAudit, Summary: "Download the audit log",
		Description: "Returns at most the newest 100,000 entries that match. To get more, limit the range.",
		Status:      http.StatusOK, Errors: []int{http.StatusForbidden}, Content: resource.AuditFileContent(),
	}, h.auditLogFile)
}

func (h *handlers) auditLog(ctx context.Context, in *auditQuery) (*api.Answer[api.List[resource.AuditEntry]], error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	return resource.AuditLog{Store: h.Store.Audit}.List(ctx, in.TenantID, &in.AuditQuery, in.By(in.Sort, in.Page()))
}

// auditLogFile streams the entries as CSV. The file of all tenants counts as a read of each of them.
func (h *handlers) auditLogFile(ctx context.Context, in *auditFileQuery) (*huma.StreamResponse, error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	file, err := resource.AuditLog{Store: h.Store.Audit}.File(ctx, in.TenantID, &in.AuditQuery)
	if err == nil && in.TenantID == uuid.Nil {
		err = h.NoteReadOfAll(ctx, "GET /api/operator/audit-log/file")
	}
	return file, err
}
