// Package audit keeps the audit log: who changed what, and when. A mutation
// records itself with Record, in its own transaction. The Assign functions apply
// a patch and collect the changed fields for the record.
package audit

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/page"
)

// Store reads and writes the audit log.
type Store struct{ db *db.DB }

// New returns the Store over a database, or over a transaction on it.
func New(d *db.DB) *Store { return &Store{db: d} }

// Entry is one mutation.
type Entry struct {
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

func (r auditRow) core() Entry {
	return Entry{
		ID: r.ID, TenantID: r.TenantID, Actor: r.Actor, Action: r.Action,
		Target: r.Target, Detail: r.Detail, CreatedAt: r.CreatedAt,
	}
}

// Fields collects what a mutation changed.
type Fields map[string]any

// Mutation is what the audit log notes of a mutation.
type Mutation struct {
	Action string
	Tenant uuid.UUID
	Target string
	Detail Fields
}

// Record notes the deed in the transaction that does it.
func Record(ctx context.Context, tx *db.DB, scope tenant.Scope, d Mutation) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	if d.Detail == nil {
		d.Detail = Fields{}
	}
	_, err = tx.NewInsert().Model(&auditRow{
		ID: id, TenantID: d.Tenant, ActorID: scope.Actor(), Actor: db.Clean(scope.Name()),
		Action: d.Action, Target: d.Target, Detail: d.Detail, CreatedAt: tx.Now(),
	}).Exec(ctx)
	return err
}

// Query selects entries. Zero fields select all.
type Query struct {
	TenantID uuid.UUID
	Actor    string // whole
	Action   string // such as "token.create", or all of a kind, "token"
	Target   string
	From, To time.Time // [From, To) of CreatedAt
	page.Page
}

// List lists entries, newest first.
func (s *Store) List(ctx context.Context, scope tenant.Scope, query Query) (page.List[Entry], error) {
	if err := permission.Check(scope, permission.ReadAudit); err != nil {
		return page.List[Entry]{}, err
	}
	q := db.CreatedBetween(s.db.NewSelect(), query.From, query.To)
	if query.TenantID != uuid.Nil {
		q = q.Where("r.tenant_id = ?", query.TenantID)
	}
	if query.Actor != "" {
		q = q.Where("r.actor = ?", db.Clean(query.Actor))
	}
	if query.Target != "" {
		q = q.Where("r.target = ?", db.Clean(query.Target))
	}
	switch action := db.Clean(query.Action); {
	case strings.Contains(action, "."):
		q = q.Where("r.action = ?", action)
	case action != "":
		q = q.Where("r.action > ?", action+".").Where("r.action < ?", action+"/") // which comes after the point
	}
	return page.RowsOf(page.NewestFirst, auditRow.key, auditRow.core).Read(ctx, q, query.Page)
}
