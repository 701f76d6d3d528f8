// Package audit reads the audit log, which records who changed which object, and when. A mutation writes its
// entry in its own transaction, with db.DB.Record. Entries are never changed or deleted. Only operators read
// the log.
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
	TenantID  uuid.UUID      // of the changed object; uuid.Nil for an object of the platform
	Actor     string         // the user's e-mail address or the program's name; of a program that acts for a user, both
	Action    string         // such as "token.create"
	Target    string         // id of the changed object
	Detail    map[string]any // changed fields with their new values, never a secret
	CreatedAt time.Time
}

func key(r db.AuditRow) string { return r.ID.String() }

func core(r db.AuditRow) Entry {
	return Entry{
		ID: r.ID, TenantID: r.TenantID, Actor: r.Actor, Action: r.Action,
		Target: r.Target, Detail: r.Detail, CreatedAt: r.CreatedAt,
	}
}

// Query selects entries. A zero field selects all.
type Query struct {
	TenantID uuid.UUID
	Actor    string    // exact match
	Action   string    // one action, such as "token.create", or all actions of a kind, such as "token"
	Target   string    // exact match
	From, To time.Time // [From, To) of CreatedAt
	page.Page
}

// List lists entries, newest first. It needs the permission ReadAudit.
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
	case action != "": // all actions that begin with the word and a point, as a range that an index serves
		q = q.Where("r.action > ?", action+".").Where("r.action < ?", action+"/") // "/" follows "." in ASCII
	}
	return page.RowsOf(page.NewestFirst, key, core).Read(ctx, q, query.Page)
}
