package tenant

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/token"
)

type auditQuery struct {
	api.PageQuery
	resource.AuditQuery
	api.OrderQuery
	Sort string `query:"sort" enum:"created_at" doc:"What to sort by. Defaults to the newest entries first"`
}

func registerAuditLog(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listTenantAuditLog", Method: http.MethodGet, Path: "/audit-log", Tag: "members", Scope: token.ReadAudit,
		Summary: "List the audit log of the tenant",
		Description: "Lists who changed which resource of the tenant, newest first unless order is asc, and sign-ins " +
			"(session.create), refused ones (session.refused), refused requests (request.refused), the first use of " +
			"an access key on a day from an address (access_key.use), and what operators have read (tenant.read). " +
			"For admins and owners.",
		Errors: []int{http.StatusForbidden},
	}, h.auditLog)
	api.Register(h.API, api.Operation{
		ID: "exportTenantAuditLog", Method: http.MethodGet, Path: "/audit-log/file", Tag: "members",
		Scope: token.ReadAudit, Summary: "Download the audit log of the tenant",
		Description: "Returns at most the newest 100,000 entries that match. To get more, limit the range. For " +
			"admins and owners.",
		Status: http.StatusOK, Errors: []int{http.StatusForbidden}, Content: resource.AuditFileContent(),
	}, h.auditLogFile)
}

// auditLog lists the entries of the caller's tenant.
func (h *handlers) auditLog(ctx context.Context, in *auditQuery) (*api.Answer[api.List[resource.AuditEntry]], error) {
	id, err := api.TenantOf(ctx)
	if err != nil {
		return nil, err
	}
	return resource.AuditLog{Store: h.Store.Audit}.List(ctx, id, &in.AuditQuery, in.By(in.Sort, in.Page()))
}

// auditLogFile streams the entries of the caller's tenant as CSV.
func (h *handlers) auditLogFile(ctx context.Context, in *resource.AuditQuery) (*huma.StreamResponse, error) {
	id, err := api.TenantOf(ctx)
	if err != nil {
		return nil, err
	}
	return resource.AuditLog{Store: h.Store.Audit}.File(ctx, id, in)
}
