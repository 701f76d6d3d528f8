// Package audit reads the audit log: who changed what, and when. Mutations write
// it with db.DB.Record.
package audit

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/page"
)

// Store reads the audit log.
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

func key(r db.AuditRow) string { return r.ID.String() }

func core(r db.AuditRow) Entry {
	return Entry{
		ID: r.ID, TenantID: r.TenantID, Actor: r.Actor, Action: r.Action,
		Target: r.Target, Detail: r.Detail, CreatedAt: r.CreatedAt,
	}
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
func (s *Store) List(ctx context.Context, scope tenant.Scope, query Query) (_ page.List[Entry], err error) {
	defer db.Wrap(&err, "read audit log")

	if err := permission.Check(scope, permission.ReadAudit); err != nil {
		return page.List[Entry]{}, err
	}
	q := field.CreatedBetween(s.db.NewSelect(), query.From, query.To)
	if query.TenantID != uuid.Nil {
		q = q.Where("r.tenant_id = ?", query.TenantID)
	}
	if query.Actor != "" {
		q = q.Where("r.actor = ?", field.Clean(query.Actor))
	}
	if query.Target != "" {
		q = q.Where("r.target = ?", field.Clean(query.Target))
	}
	switch action := field.Clean(query.Action); {
	case strings.Contains(action, "."):
		q = q.Where("r.action = ?", action)
	case action != "":
		q = q.Where("r.action > ?", action+".").Where("r.action < ?", action+"/") // which comes after the point
	}
	return page.RowsOf(page.NewestFirst, key, core).Read(ctx, q, query.Page)
}
