package operator

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/store/audit"
)

// AuditEntry is one mutation.
type AuditEntry struct {
	ID        uuid.UUID      `json:"id"`
	TenantID  *uuid.UUID     `json:"tenant_id" nullable:"true" doc:"null for the platform's own things"`
	Actor     string         `json:"actor" doc:"E-mail address of the user, or name of the program"`
	Action    string         `json:"action" example:"token.create"`
	Target    string         `json:"target" doc:"Id of the thing"`
	Detail    map[string]any `json:"detail" doc:"Changed fields"`
	CreatedAt time.Time      `json:"created_at"`
}

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
	TenantID uuid.UUID `query:"tenant_id" doc:"Things of the tenant; all, and the platform's, if absent"`
	Actor    string    `query:"actor" maxLength:"254" doc:"E-mail address of the user, or name of the program"`
	Action   string    `query:"action" maxLength:"100" doc:"Such as token.create, or all of a kind: token"`
	Target   string    `query:"target" maxLength:"200" doc:"Id of the thing"`
	From     time.Time `query:"from" doc:"Inclusive"`
	To       time.Time `query:"to" doc:"Exclusive"`
}

func auditLog(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listAuditLog", Method: http.MethodGet, Path: "/operator/audit-log", Tag: "operator", Summary: "Who changed what",
		Description: "Newest first.", Errors: []int{http.StatusForbidden},
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
