package operator

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/audit"
)

// AuditEntry records one change that a user or a program made.
type AuditEntry struct {
	ID        uuid.UUID      `json:"id"`
	TenantID  *uuid.UUID     `json:"tenant_id" nullable:"true" doc:"Tenant of the changed resource; null for resources of the platform, such as channels"`
	Actor     string         `json:"actor" doc:"E-mail address of the user, or name of the program"`
	Action    string         `json:"action" example:"token.create" doc:"Kind of the resource and verb"`
	Target    string         `json:"target" doc:"Id of the changed resource"`
	Detail    map[string]any `json:"detail" doc:"The changed fields with their new values"`
	CreatedAt time.Time      `json:"created_at"`
}

// auditEntryOf returns the entry as the API shows it; its detail is never null.
func auditEntryOf(e *audit.Entry) AuditEntry {
	shown := AuditEntry{
		ID: e.ID, TenantID: api.NullableID(e.TenantID), Actor: e.Actor, Action: e.Action, Target: e.Target,
		Detail: e.Detail, CreatedAt: e.CreatedAt.UTC(),
	}
	if shown.Detail == nil {
		shown.Detail = map[string]any{}
	}
	return shown
}

type auditQuery struct {
	api.PageQuery
	TenantID uuid.UUID `query:"tenant_id" doc:"Only changes of this tenant's resources. Absent: all changes, including those of the platform's resources"`
	Actor    string    `query:"actor" maxLength:"254" doc:"Only changes by this user (e-mail address) or program (name)"`
	Action   string    `query:"action" maxLength:"100" doc:"Only this action, such as token.create, or all actions on one kind of resource, such as token"`
	Target   string    `query:"target" maxLength:"200" doc:"Only changes of the resource with this id"`
	From     time.Time `query:"from" doc:"Start, inclusive"`
	To       time.Time `query:"to" doc:"End, exclusive"`
}

func auditLog(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listAuditLog", Method: http.MethodGet, Path: "/operator/audit-log", Tag: "operator", Scope: token.ReadAudit, Summary: "List the audit log",
		Description: "Lists who changed which resource, newest first.", Errors: []int{http.StatusForbidden},
	}, h.auditLog)
}

func (h *handlers) auditLog(ctx context.Context, in *auditQuery) (*api.Answer[api.List[AuditEntry]], error) {
	if err := api.CheckRange(in.From, in.To); err != nil {
		return nil, err
	}
	page, err := h.Store.Audit.List(ctx, api.ScopeOf(ctx), audit.Query{
		TenantID: in.TenantID, Actor: in.Actor, Action: in.Action, Target: in.Target, From: in.From, To: in.To, Page: in.Page(),
	})
	if err != nil {
		return nil, err
	}
	return api.PageOf(page, auditEntryOf), nil
}
