package store

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// AuditEntry is one mutation.
type AuditEntry struct {
	ID        uuid.UUID
	TenantID  uuid.UUID // uuid.Nil for the platform's own things
	Actor     string
	Action    string         // such as "token.create"
	Target    string         // id of the thing
	Detail    map[string]any // changed fields, never a secret
	CreatedAt time.Time
}

type auditRow struct {
	bun.BaseModel `bun:"table:audit_log,alias:r"`

	ID        uuid.UUID      `bun:"id,pk,type:uuid"`
	TenantID  uuid.UUID      `bun:"tenant_id,type:uuid,nullzero"`
	ActorID   uuid.UUID      `bun:"actor_id,type:uuid,nullzero"`
	Actor     string         `bun:"actor"`
	Action    string         `bun:"action"`
	Target    string         `bun:"target"`
	Detail    map[string]any `bun:"detail,type:jsonb"`
	CreatedAt time.Time      `bun:"created_at"`
}

func (r auditRow) key() string { return r.ID.String() }

func (r auditRow) core() AuditEntry {
	return AuditEntry{
		ID: r.ID, TenantID: r.TenantID, Actor: r.Actor, Action: r.Action,
		Target: r.Target, Detail: r.Detail, CreatedAt: r.CreatedAt,
	}
}

// fields collects what a mutation changed.
type fields map[string]any

// deed is what the audit log notes of a mutation.
type deed struct {
	action string
	tenant uuid.UUID
	target string
	detail fields
}

// audit notes the deed in the transaction that does it.
func (s *Store) audit(ctx context.Context, scope tenant.Scope, d deed) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	if d.detail == nil {
		d.detail = fields{}
	}
	_, err = s.db.NewInsert().Model(&auditRow{
		ID: id, TenantID: d.tenant, ActorID: scope.Actor(), Actor: clean(scope.Name()),
		Action: d.action, Target: d.target, Detail: d.detail, CreatedAt: s.now(),
	}).Exec(ctx)
	return err
}

// AuditQuery selects entries. Zero fields select all.
type AuditQuery struct {
	TenantID uuid.UUID
	Actor    string // whole
	Action   string // such as "token.create", or all of a kind, "token"
	Target   string
	From, To time.Time // [From, To) of CreatedAt
	Page
}

// Audit lists entries, newest first.
func (s *Store) Audit(ctx context.Context, scope tenant.Scope, query AuditQuery) (List[AuditEntry], error) {
	if err := permission.Check(scope, permission.ReadAudit); err != nil {
		return List[AuditEntry]{}, err
	}
	q := created(s.db.NewSelect(), query.From, query.To)
	if query.TenantID != uuid.Nil {
		q = q.Where("r.tenant_id = ?", query.TenantID)
	}
	if query.Actor != "" {
		q = q.Where("r.actor = ?", clean(query.Actor))
	}
	if query.Target != "" {
		q = q.Where("r.target = ?", clean(query.Target))
	}
	switch action := clean(query.Action); {
	case strings.Contains(action, "."):
		q = q.Where("r.action = ?", action)
	case action != "":
		q = q.Where("r.action > ?", action+".").Where("r.action < ?", action+"/") // which comes after the point
	}
	return list[auditRow, AuditEntry](ctx, q, &[]auditRow{}, query.Page, newestFirst)
}
