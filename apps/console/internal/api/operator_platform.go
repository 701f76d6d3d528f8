package api

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/store"
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

func auditEntryOf(e *store.AuditEntry) AuditEntry {
	shown := AuditEntry{
		ID: e.ID, TenantID: some(e.TenantID), Actor: e.Actor, Action: e.Action, Target: e.Target,
		Detail: e.Detail, CreatedAt: e.CreatedAt.UTC(),
	}
	if shown.Detail == nil {
		shown.Detail = map[string]any{}
	}
	return shown
}

func operatorAudit(a *API) {
	register(a, operation{
		id: "listAuditLog", method: http.MethodGet, path: "/operator/audit-log", tag: "operator", summary: "Who changed what",
		description: "Newest first.", errors: []int{http.StatusForbidden},
	}, a.auditLog)
}

func (a *API) auditLog(ctx context.Context, in *PageQuery) (*Answer[List[AuditEntry]], error) {
	page, err := a.Store.Audit(ctx, scopeOf(ctx), in.page())
	if err != nil {
		return nil, err
	}
	return pageOf(page, auditEntryOf), nil
}
