// Package audit reads the audit log, which records who changed which object, and when. A mutation writes its
// entry in its own transaction, with db.DB.Record. The console appends entries for what is not a mutation, such as
// refused sign-ins. Entries are never changed. Owners and admins read those of their tenant, operators all.
//
// Each tenant has a chain of hashes: Chain links new entries, Verify recomputes the links. Prune deletes the oldest
// entries with their links, and keeps the rest of the chain verifiable:
//
//	links      1 2 3 4 | 5 6 7 8      deleted | kept
//	anchor     number and hash of link 4
//	log        entry audit_log.prune with the target "4:hash", linked as number 9
//
// Link 5 holds a hash over link 4. So the chain fits only to an anchor with the hash that link 4 really had. A person
// who deletes recent links and moves the anchor must also add an entry audit_log.prune, which the tenant sees in its
// log: Verify reports an anchor without such an entry. On Postgres, no program needs the right to change anchors or to
// delete entries: the function prune_audit_log does both, and refuses entries of the last 30 days.
package audit

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/action"
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
	Before    map[string]any // the values of changed fields before, as far as they were recorded; only List sets it
	Address   string         // address of the client, or its network; "" if it is not known
	ActorID   uuid.UUID      // id of the user; uuid.Nil for a program. List does not return it
	CreatedAt time.Time
	Daily     bool // Append adds at most one entry of the action, target and address on a day (UTC) of CreatedAt
}

// dayRow is a row of audit_days: an entry with Daily that was added.
type dayRow struct {
	bun.BaseModel `bun:"table:audit_days,alias:r"`

	Day     string `bun:"day,pk"`
	Action  string `bun:"action,pk"`
	Target  string `bun:"target,pk"`
	Address string `bun:"address,pk"`
}

// dayRetention is the age after which days are forgotten. Entries that wait for the database are younger.
const dayRetention = 3 * 24 * time.Hour

// readAs runs a function as db.DB.ReadAs does, with a Store on the transaction.
func (s *Store) readAs(ctx context.Context, scope tenant.Scope, do func(*Store) error) error {
	return s.db.ReadAs(ctx, scope, func(in *db.DB) error { return do(New(in)) })
}

func key(r db.AuditRow) string { return r.ID.String() }

func core(r db.AuditRow) Entry {
	detail, before := field.SplitChanges(r.Detail)
	return Entry{
		ID: r.ID, TenantID: r.TenantID, Actor: r.Actor, Action: r.Action,
		Target: r.Target, Detail: detail, Before: before, Address: r.Address, CreatedAt: r.CreatedAt,
	}
}

// Query selects entries. A zero field selects all.
type Query struct {
	TenantID uuid.UUID
	Actor    string    // exact match
	Action   string    // one action, such as "token.create", or all actions of a kind, such as "token"
	Target   string    // exact match
	Address  string    // exact match; a page of matches may be short, and still have a Next
	From, To time.Time // [From, To) of CreatedAt
	page.Page
}

// latest is how much later than its event an entry is written at the latest: events wait while the database does not
// answer. The id of an entry has the time when it is written.
const latest = 7 * 24 * time.Hour

// List lists the entries that the scope reaches, newest first, or sorted by created_at. It needs the permission
// ReadAudit.
func (s *Store) List(ctx context.Context, scope tenant.Scope, query Query) (list page.List[Entry], err error) {
	defer db.Wrap(&err, "read audit log")

	if err := permission.Check(scope, permission.ReadAudit); err != nil {
		return page.List[Entry]{}, err
	}
	err = s.readAs(ctx, scope, func(in *Store) error {
		q := field.CreatedBetween(in.db.NewSelect(), query.From, time.Time{})
		if !query.To.IsZero() {
			q = q.Where("r.created_at < ?", query.To.UTC()).Where("r.id < ?", field.IDFloor(query.To.Add(latest)))
		}
		q, err := db.InTenant(q, scope, query.TenantID)
		if err != nil {
			return err
		}
		list, err = query.read(ctx, in.db, query.matching(q))
		return err
	})
	return list, err
}

// read reads one page. No index has addresses, so they are searched in a bounded number of entries, see
// page.Rows.Search.
func (query *Query) read(ctx context.Context, in bun.IDB, q *bun.SelectQuery) (page.List[Entry], error) {
	rows, asked := page.RowsOf(page.NewestFirst, key, core).SortedBy(), query.Page
	if query.Address == "" {
		return rows.Read(ctx, q, asked)
	}
	asked.Search = query.Address
	return rows.Search(ctx, in, q, asked, page.Fields{Exact: []string{"address"}})
}

// matching limits a query to the entries that match the texts, except the address.
func (query *Query) matching(q *bun.SelectQuery) *bun.SelectQuery {
	if query.Actor != "" {
		q = q.Where("r.actor = ?", field.Clean(query.Actor))
	}
	if query.Target != "" {
		q = q.Where("r.target = ?", field.Clean(query.Target))
	}
	switch name := field.Clean(query.Action); {
	case strings.Contains(name, "."):
		q = q.Where("r.action = ?", name)
	case name != "":
		// A range of names would depend on the collation of the database: most ignore points at first.
		q = q.Where("r.action IN (?)", bun.List(action.OfKind(name)))
	}
	return q
}

// Append (system scope) adds entries in one transaction, and sets their ids. It leaves out entries with Daily that
// another call, of any process, has added. It cleans all texts (see field.Clean). If the database refuses an entry for
// its content, it adds none, and the error wraps db.ErrRefused; all other errors are transient.
func (s *Store) Append(ctx context.Context, scope tenant.Scope, entries []Entry) (err error) {
	defer db.Wrap(&err, "append to the audit log")

	if err := permission.Program(scope); err != nil || len(entries) == 0 {
		return err
	}
	return db.Refusal(s.db.Atomically(ctx, func(tx *db.DB) error {
		rows := make([]db.AuditRow, 0, len(entries))
		for i := range entries {
			row, err := entries[i].row()
			if err != nil {
				return err
			}
			if isFirst, err := entries[i].first(ctx, tx, &row); err != nil {
				return err
			} else if isFirst {
				rows = append(rows, row)
			}
		}
		if len(rows) == 0 {
			return nil
		}
		_, err := tx.NewInsert().Model(&rows).Exec(ctx)
		return err
	}))
}

// row returns the row of the entry with a new id.
func (e *Entry) row() (db.AuditRow, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return db.AuditRow{}, err
	}
	row := db.AuditRow{
		ID: id, TenantID: e.TenantID, ActorID: e.ActorID, Actor: e.Actor, Action: e.Action,
		Target: e.Target, Detail: e.Detail, Address: e.Address, CreatedAt: field.Micros(e.CreatedAt),
	}
	return row.Clean()
}

// first reports whether Append adds the entry: each one, or with Daily the first one of its day.
func (e *Entry) first(ctx context.Context, tx *db.DB, row *db.AuditRow) (bool, error) {
	if !e.Daily {
		return true, nil
	}
	count, err := affected(tx.NewInsert().Model(&dayRow{
		Day: row.CreatedAt.Format(time.DateOnly), Action: row.Action, Target: row.Target, Address: row.Address,
	}).On("CONFLICT DO NOTHING").Exec(ctx))
	return count > 0, err
}

// Sweep forgets which entries with Daily were added on past days.
func Sweep(ctx context.Context, tx *db.DB) error {
	_, err := tx.NewDelete().Model((*dayRow)(nil)).Where("day < ?", tx.Now().Add(-dayRetention).Format(time.DateOnly)).
		Exec(ctx)
	return err
}
