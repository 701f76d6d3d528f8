package resource

import (
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/store/audit"
	storepage "github.com/tollgate/tollgate/libs/store/page"
)

// AuditEntry records one change that a user or a program made, or a number of equal events.
type AuditEntry struct {
	ID        uuid.UUID      `json:"id"`
	TenantID  *uuid.UUID     `json:"tenant_id" nullable:"true" doc:"Tenant of the changed resource; null for resources of the platform, such as channels"`
	Actor     string         `json:"actor" doc:"E-mail address of the user, or name of the program"`
	Action    string         `json:"action" example:"token.create" doc:"Kind of the resource and verb"`
	Target    string         `json:"target" doc:"Id of the changed resource"`
	Detail    map[string]any `json:"detail" doc:"The changed fields with their new values"`
	Address   string         `json:"address" doc:"Address of the client, for IPv6 that of its network; empty if it is not known"`
	CreatedAt time.Time      `json:"created_at"`
}

// AuditEntryOf returns the entry as the API shows it; its detail is never null.
func AuditEntryOf(e *audit.Entry) AuditEntry {
	shown := AuditEntry{
		ID: e.ID, TenantID: api.NullableID(e.TenantID), Actor: e.Actor, Action: e.Action, Target: e.Target,
		Detail: e.Detail, Address: e.Address, CreatedAt: e.CreatedAt.UTC(),
	}
	if shown.Detail == nil {
		shown.Detail = map[string]any{}
	}
	return shown
}

// AuditQuery selects entries of the audit log.
type AuditQuery struct {
	Actor   string    `query:"actor" maxLength:"254" doc:"Only changes by this user (e-mail address) or program (name)"`
	Action  string    `query:"action" maxLength:"100" doc:"Only this action, such as token.create, or all actions on one kind of resource, such as token"`
	Target  string    `query:"target" maxLength:"200" doc:"Only changes of the resource with this id"`
	Address string    `query:"address" maxLength:"50" doc:"Only entries with this address"`
	From    time.Time `query:"from" doc:"Start, inclusive"`
	To      time.Time `query:"to" doc:"End, exclusive"`
}

// Store returns the store's form of the query for the tenant, uuid.Nil for all. It returns an InvalidType problem if the
// range is empty.
func (q *AuditQuery) Store(tenantID uuid.UUID, page storepage.Page) (audit.Query, error) {
	return audit.Query{
		TenantID: tenantID, Actor: q.Actor, Action: q.Action, Target: q.Target, Address: q.Address, From: q.From, To: q.To, Page: page,
	}, api.CheckRange(q.From, q.To)
}
