package db

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/action"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/field"
)

// AuditRow is a row of the audit log. Rows are inserted and never changed.
type AuditRow struct {
	bun.BaseModel `bun:"table:audit_log,alias:r"`

	ID uuid.UUID `bun:"id,pk,type:uuid"`
	// Of the changed object; null for an object of the platform.
	TenantID uuid.UUID `bun:"tenant_id,type:uuid,nullzero"`
	// Id of the user who made the change; null for a program.
	ActorID   uuid.UUID      `bun:"actor_id,type:uuid,nullzero"`
	Actor     string         `bun:"actor"` // name of the caller at the time of the change, such as an e-mail address
	Action    string         `bun:"action"`
	Target    string         `bun:"target"`
	Detail    map[string]any `bun:"detail,type:jsonb"` // changed fields with their new values
	Address   string         `bun:"address"`           // of the client; "" if it is not known
	CreatedAt time.Time      `bun:"created_at"`
}

// Mutation describes a change for the audit log.
type Mutation struct {
	Action string        // name of the action, such as "token.create"
	Tenant uuid.UUID     // of the changed object; uuid.Nil for an object of the platform
	Target string        // id of the changed object
	Detail field.Changes // changed fields with their new values, never a secret; nil: none
	// Address of the client; "": not known, or of no interest.
	Address string
}

// Record writes a mutation to the audit log, with the scope as its actor. Call it in the transaction of the
// mutation, so that the log has an entry exactly if the mutation was committed. An action that package action does not
// have is an error.
func (d *DB) Record(ctx context.Context, scope tenant.Scope, m Mutation) error {
	if !action.Known(m.Action) {
		return fmt.Errorf("the audit log has no action %q", m.Action)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	if m.Detail == nil {
		m.Detail = field.Changes{}
	}
	if strings.HasSuffix(m.Action, ".create") {
		m.Detail.Forget()
	}
	row, err := (&AuditRow{
		ID: id, TenantID: m.Tenant, ActorID: scope.Actor(), Actor: scope.Name(),
		Action: m.Action, Target: m.Target, Detail: m.Detail, Address: m.Address, CreatedAt: d.Now(),
	}).Clean()
	if err != nil {
		return err
	}
	_, err = d.NewInsert().Model(&row).Returning("NULL").Exec(ctx) // relays and workers may not read what they write
	return err
}

// Clean returns the row with texts that both databases can store. Text from outside may be in each of them. It returns
// an error for a Detail that JSON cannot hold. Long values of Detail are shortened, see field.Brief: nobody can delete
// recent entries, so no user may make them large.
func (r *AuditRow) Clean() (clean AuditRow, err error) {
	clean = *r
	clean.Actor, clean.Action, clean.Target, clean.Address = field.Clean(r.Actor), field.Clean(r.Action),
		field.Clean(r.Target), field.Clean(r.Address)
	if clean.Detail, err = field.CleanJSON(r.Detail); err != nil {
		return clean, fmt.Errorf("detail of %s: %w", r.Action, err)
	}
	if clean.Detail, err = field.Brief(clean.Detail); err != nil {
		return clean, fmt.Errorf("detail of %s: %w", r.Action, err)
	}
	return clean, nil
}
