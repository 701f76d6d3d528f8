package resource

import (
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/libs/core/action"
	"github.com/tollgate/tollgate/libs/store/audit"
	storepage "github.com/tollgate/tollgate/libs/store/page"
)

// AuditAction is the name of an action of the audit log.
type AuditAction string

// Schema returns the schema of an action, with all actions that there are.
func (AuditAction) Schema(huma.Registry) *huma.Schema {
	schema := &huma.Schema{Type: huma.TypeString,
		Description: "Kind of the resource and verb. Later versions may add more", Examples: []any{"token.create"}}
	for _, a := range action.All() {
		schema.Enum = append(schema.Enum, string(a))
	}
	return schema
}

// AuditEntry records one change that a user or a program made, or a number of equal events.
type AuditEntry struct {
	ID        uuid.UUID         `json:"id"`
	TenantID  *uuid.UUID        `json:"tenant_id" nullable:"true" doc:"Tenant of the changed resource; null for resources of the platform, such as channels"`
	Actor     string            `json:"actor" doc:"E-mail address of the user, or name of the program"`
	Action    AuditAction       `json:"action"`
	Target    string            `json:"target" doc:"Id of the changed resource"`
	Detail    map[string]any    `json:"detail" doc:"The changed fields with their new values"`
	Before    map[string]any    `json:"before" doc:"The changed fields with their values before the change, as far as they were recorded: empty for new resources, and for entries of version 0.1.0"`
	Names     map[string]string `json:"names" doc:"The present names of what the entry mentions by id, such as its target, by id. What was deleted has none"`
	Address   string            `json:"address" doc:"Address of the client, for IPv6 that of its network; empty if it is not known"`
	CreatedAt time.Time         `json:"created_at"`
}

// AuditEntryOf returns the entry as the API shows it, with those of the names that it mentions. Its maps are never
// null.
func AuditEntryOf(e *audit.Entry, names map[uuid.UUID]string) AuditEntry {
	body := AuditEntry{
		ID: e.ID, TenantID: null.ID(e.TenantID), Actor: e.Actor, Action: AuditAction(e.Action), Target: e.Target,
		Detail: e.Detail, Before: e.Before, Names: map[string]string{}, Address: e.Address,
		CreatedAt: e.CreatedAt.UTC(),
	}
	for _, id := range e.Mentions() {
		if name, ok := names[id]; ok {
			body.Names[id.String()] = name
		}
	}
	return body
}

// AuditQuery selects entries of the audit log.
type AuditQuery struct {
	Actor   string    `query:"actor" maxLength:"254" doc:"Only changes by this user (e-mail address) or program (name)"`
	Action  string    `query:"action" maxLength:"100" doc:"Only this action, such as token.create, or all actions on one kind of resource, such as token"`
	Target  string    `query:"target" maxLength:"200" doc:"Only changes of the resource with this id"`
	Address string    `query:"address" maxLength:"50" doc:"Only entries with this address. A page examines 10,000 entries: it may be empty and still have next"`
	From    time.Time `query:"from" doc:"Start, inclusive"`
	To      time.Time `query:"to" doc:"End, exclusive"`
}

// Store returns the store's form of the query for the tenant, uuid.Nil for all. It returns an InvalidType problem if
// the range is empty.
func (q *AuditQuery) Store(tenantID uuid.UUID, page storepage.Page) (audit.Query, error) {
	return audit.Query{
		TenantID: tenantID, Actor: q.Actor, Action: q.Action, Target: q.Target, Address: q.Address, From: q.From,
		To: q.To, Page: page,
	}, api.CheckRange(q.From, q.To)
}
