// Package audit reads the audit log, which records who changed which object, and when. A mutation writes its
// entry in its own transaction, with db.DB.Record. The console appends entries for what is not a mutation, such as
// refused sign-ins. Entries are never changed. Owners and admins read those of their tenant, operators all.
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
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/page"
)

// Store reads the audit log.
type Store struct{ db *db.DB }

// New returns the Store over a database, or over a transaction on it.
func New(d *db.DB) *Store { return &Store{db: d} }

// Entry is one mutation, or a number of equal events.
type Entry struct {
	ID        uuid.UUID
	TenantID  uuid.UUID      // of the changed object; uuid.Nil for an object of the platform
	Actor     string         // the user's e-mail address or the program's name; of a program that acts for a user, both
	Action    string         // such as "token.create"
	Target    string         // id of the changed object
	Detail    map[string]any // changed fields with their new values, never a secret
	Address   string         // address of the client, or its network; "" if it is not known
	ActorID   uuid.UUID      // id of the user; uuid.Nil for a program. List does not return it
	CreatedAt time.Time
}

// readAs runs a function as db.DB.ReadAs does, with a Store on the transaction.
func (s *Store) readAs(ctx context.Context, scope tenant.Scope, do func(*Store) error) error {
	return s.db.ReadAs(ctx, scope, func(in *db.DB) error { return do(New(in)) })
}

func key(r db.AuditRow) string { return r.ID.String() }

func core(r db.AuditRow) Entry {
	return Entry{
		ID: r.ID, TenantID: r.TenantID, Actor: r.Actor, Action: r.Action,
		Target: r.Target, Detail: r.Detail, Address: r.Address, CreatedAt: r.CreatedAt,
	}
}

// Query selects entries. A zero field selects all.
type Query struct {
	TenantID uuid.UUID
	Actor    string    // exact match
	Action   string    // one action, such as "token.create", or all actions of a kind, such as "token"
	Target   string    // exact match
	Address  string    // exact match
	From, To time.Time // [From, To) of CreatedAt
	page.Page
}

// List lists the entries that the scope reaches, newest first. It needs the permission ReadAudit.
func (s *Store) List(ctx context.Context, scope tenant.Scope, query Query) (found page.List[Entry], err error) {
	defer db.Wrap(&err, "read audit log")

	if err := permission.Check(scope, permission.ReadAudit); err != nil {
		return page.List[Entry]{}, err
	}
	err = s.readAs(ctx, scope, func(in *Store) error {
		q, err := db.InTenant(field.CreatedBetween(in.db.NewSelect(), query.From, query.To), scope, query.TenantID)
		if err != nil {
			return err
		}
		found, err = page.RowsOf(page.NewestFirst, key, core).Read(ctx, query.matching(q), query.Page)
		return err
	})
	return found, err
}

// matching limits a query to the entries that match the texts.
func (query *Query) matching(q *bun.SelectQuery) *bun.SelectQuery {
	if query.Address != "" {
		q = q.Where("r.address = ?", field.Clean(query.Address))
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
	return q
}

// Append (system scope) adds entries in one transaction. It sets their ids, and Actor and Target to text that both
// databases can store.
func (s *Store) Append(ctx context.Context, scope tenant.Scope, entries []Entry) (err error) {
	defer db.Wrap(&err, "append to the audit log")

	if err := permission.Program(scope); err != nil || len(entries) == 0 {
		return err
	}
	rows := make([]db.AuditRow, 0, len(entries))
	for _, e := range entries {
		id, err := uuid.NewV7()
		if err != nil {
			return err
		}
		rows = append(rows, db.AuditRow{
			ID: id, TenantID: e.TenantID, ActorID: e.ActorID, Actor: field.Clean(e.Actor), Action: e.Action,
			Target: field.Clean(e.Target), Detail: e.Detail, Address: e.Address, CreatedAt: field.Micros(e.CreatedAt),
		})
	}
	return s.db.Atomically(ctx, func(tx *db.DB) error {
		_, err := tx.NewInsert().Model(&rows).Exec(ctx)
		return err
	})
}
