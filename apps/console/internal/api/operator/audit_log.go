package operator

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/token"
)

type auditQuery struct {
	api.PageQuery
	resource.AuditQuery
	TenantID uuid.UUID `query:"tenant_id" doc:"Only changes of this tenant's resources. Absent: all changes, including those of the platform's resources"`
}

func auditLog(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listAuditLog", Method: http.MethodGet, Path: "/operator/audit-log", Tag: "operator", Scope: token.ReadAudit, Summary: "List the audit log",
		Description: "Lists who changed which resource, newest first, and sign-ins, refusals and reads of tenants' data.", Errors: []int{http.StatusForbidden},
	}, h.auditLog)
}

func (h *handlers) auditLog(ctx context.Context, in *auditQuery) (*api.Answer[api.List[resource.AuditEntry]], error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	query, err := in.Store(in.TenantID, in.Page())
	if err != nil {
		return nil, err
	}
	page, err := h.Store.Audit.List(ctx, api.ScopeOf(ctx), query)
	if err != nil {
		return nil, err
	}
	return api.PageOf(page, resource.AuditEntryOf), nil
}
