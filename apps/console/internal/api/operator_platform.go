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

type auditQuery struct {
	PageQuery
	TenantID uuid.UUID `query:"tenant_id" doc:"Things of the tenant; all, and the platform's, if absent"`
	Actor    string    `query:"actor" maxLength:"254" doc:"E-mail address of the user, or name of the program"`
	Action   string    `query:"action" maxLength:"100" doc:"Such as token.create, or all of a kind: token"`
	Target   string    `query:"target" maxLength:"200" doc:"Id of the thing"`
	From     time.Time `query:"from" doc:"Inclusive"`
	To       time.Time `query:"to" doc:"Exclusive"`
}

func operatorAudit(a *API) {
	register(a, operation{
		id: "listAuditLog", method: http.MethodGet, path: "/operator/audit-log", tag: "operator", summary: "Who changed what",
		description: "Newest first.", errors: []int{http.StatusForbidden},
	}, a.auditLog)
}

func (a *API) auditLog(ctx context.Context, in *auditQuery) (*Answer[List[AuditEntry]], error) {
	if err := checkRange(in.From, in.To); err != nil {
		return nil, err
	}
	page, err := a.Store.Audit(ctx, scopeOf(ctx), store.AuditQuery{
		TenantID: in.TenantID, Actor: in.Actor, Action: in.Action, Target: in.Target, From: in.From, To: in.To, Page: in.page(),
	})
	if err != nil {
		return nil, err
	}
	return pageOf(page, auditEntryOf), nil
}
