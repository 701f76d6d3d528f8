package db

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/field"
)

// AuditRow is a row of the audit log.
type AuditRow struct {
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

// Mutation describes a change for the audit log.
type Mutation struct {
	Action string
	Tenant uuid.UUID
	Target string
	Detail field.Changes // never a secret
}

// Record writes a mutation to the audit log. It belongs into the transaction of
// the mutation.
func (d *DB) Record(ctx context.Context, scope tenant.Scope, m Mutation) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	if m.Detail == nil {
		m.Detail = field.Changes{}
	}
	_, err = d.NewInsert().Model(&AuditRow{
		ID: id, TenantID: m.Tenant, ActorID: scope.Actor(), Actor: field.Clean(scope.Name()),
		Action: m.Action, Target: m.Target, Detail: m.Detail, CreatedAt: d.Now(),
	}).Exec(ctx)
	return err
}
