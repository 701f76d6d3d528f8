// Package refusal stores calls that were refused before a channel was called, so that tenants can see why. They have no
// usage log and no price. Relays write them in the background and may lose some.
//
//	refused_calls    at most PerHour calls of a tenant in an hour, with their reasons
//	refused_counts   the number of all refused calls, by tenant, user, hour and reason
//
// A row of refused_counts without a reason counts the calls of the tenant that are listed in the hour. Relays increase
// it before they list calls, which locks it, so that several relays together keep the bound.
//
// Rows of both tables are deleted after Lifetime.
package refusal

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/page"
)

const (
	// PerHour is the largest number of refused calls of a tenant that are listed in an hour.
	PerHour = 100
	// Lifetime is how long refused calls and their numbers are stored.
	Lifetime = 7 * 24 * time.Hour

	// Rows of one statement, whose text so has at most about half a million bytes.
	countsPerStatement = 2000
	callsPerStatement  = 250
)

// Store reads and writes refused calls. It is safe for concurrent use unless it was made from a transaction.
type Store struct{ db *db.DB }

// New returns the Store over a database, or over a transaction on it.
func New(d *db.DB) *Store { return &Store{db: d} }

// readAs runs a function as db.DB.ReadAs does, with a Store on the transaction.
func (s *Store) readAs(ctx context.Context, scope tenant.Scope, do func(*Store) error) error {
	return s.db.ReadAs(ctx, scope, func(tx *db.DB) error { return do(New(tx)) })
}

// callRow is a row of refused_calls.
type callRow struct {
	bun.BaseModel `bun:"table:refused_calls,alias:r"`

	ID        uuid.UUID `bun:"id,pk,type:uuid"`
	TenantID  uuid.UUID `bun:"tenant_id,type:uuid"`
	UserID    uuid.UUID `bun:"user_id,type:uuid"`
	TokenID   uuid.UUID `bun:"token_id,type:uuid"`
	CreatedAt time.Time `bun:"created_at"`
	ExpiresAt time.Time `bun:"expires_at"`
	Dialect   string    `bun:"dialect"`
	Model     string    `bun:"model"`
	Status    int       `bun:"status"`
	Code      string    `bun:"code"`
	Param     string    `bun:"param"`
	Message   string    `bun:"message"`
	Address   string    `bun:"address"`
	Agent     string    `bun:"agent"`
}

func (r callRow) key() string { return r.ID.String() }

func (r callRow) core() usage.Refusal {
	address, _ := netip.ParseAddr(r.Address) // "" is invalid
	return usage.Refusal{
		ID: r.ID, TenantID: r.TenantID, UserID: r.UserID, TokenID: r.TokenID, CreatedAt: r.CreatedAt,
		Dialect: r.Dialect, Model: r.Model, Status: r.Status, Code: r.Code, Param: r.Param, Message: r.Message,
		Address: address, Agent: r.Agent,
	}
}

func callRowOf(c *usage.Refusal) callRow {
	address := ""
	if c.Address.IsValid() {
		address = c.Address.String()
	}
	return callRow{
		ID: c.ID, TenantID: c.TenantID, UserID: c.UserID, TokenID: c.TokenID, CreatedAt: field.Micros(c.CreatedAt),
		ExpiresAt: field.Micros(c.CreatedAt.Add(Lifetime)), Dialect: c.Dialect, Model: field.Clean(c.Model),
		Status: c.Status, Code: c.Code, Param: field.Clean(c.Param), Message: field.Clean(c.Message),
		Address: address, Agent: field.Clean(c.Agent),
	}
}

// countRow is a row of refused_counts.
type countRow struct {
	bun.BaseModel `bun:"table:refused_counts,alias:r"`

	ID        uuid.UUID `bun:"id,pk,type:uuid"`
	TenantID  uuid.UUID `bun:"tenant_id,type:uuid"`
	UserID    uuid.UUID `bun:"user_id,type:uuid"` // uuid.Nil in the row without a reason
	Hour      time.Time `bun:"hour"`
	Code      string    `bun:"code"` // "" in the row that counts the listed calls
	Calls     int64     `bun:"calls"`
	ExpiresAt time.Time `bun:"expires_at"`
}

// Record (system scope) adds the counts, and lists the calls as far as their tenants have room for them in the hour.
// Each combination of tenant, user, hour and reason may be in the counts once.
func (s *Store) Record(ctx context.Context, scope tenant.Scope, calls []usage.Refusal,
	counts []usage.RefusalCount) (err error) {
	defer db.Wrap(&err, "record refused calls")

	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.db.Atomically(ctx, func(tx *db.DB) error { return New(tx).record(ctx, calls, counts) })
}

func (s *Store) record(ctx context.Context, calls []usage.Refusal, counts []usage.RefusalCount) error {
	byHour := map[usage.RefusalCount][]usage.Refusal{}
	for _, call := range calls {
		hour := usage.RefusalCount{TenantID: call.TenantID, Hour: call.CreatedAt.UTC().Truncate(time.Hour)}
		byHour[hour] = append(byHour[hour], call)
	}
	// All transactions lock the rows in the same order.
	counts = slices.Clone(counts)
	for hour, list := range byHour {
		hour.Calls = int64(len(list))
		counts = append(counts, hour)
	}
	slices.SortFunc(counts, func(a, b usage.RefusalCount) int {
		return cmp.Or(slices.Compare(a.TenantID[:], b.TenantID[:]), a.Hour.Compare(b.Hour),
			slices.Compare(a.UserID[:], b.UserID[:]), cmp.Compare(a.Code, b.Code))
	})
	totals, err := s.add(ctx, counts)
	if err != nil {
		return err
	}
	var rows []callRow
	for _, total := range totals {
		if total.Code != "" {
			continue
		}
		list := byHour[usage.RefusalCount{TenantID: total.TenantID, Hour: total.Hour.UTC()}]
		room := int64(PerHour) - (total.Calls - int64(len(list)))
		for i := range list[:min(max(room, 0), int64(len(list)))] {
			rows = append(rows, callRowOf(&list[i]))
		}
	}
	for part := range slices.Chunk(rows, callsPerStatement) {
		if _, err := s.db.NewInsert().Model(&part).On("CONFLICT (id) DO NOTHING").Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// add increases the counts and returns the rows with their sums. No two counts may be of the same row.
func (s *Store) add(ctx context.Context, counts []usage.RefusalCount) (totals []countRow, err error) {
	for part := range slices.Chunk(counts, countsPerStatement) {
		rows := make([]countRow, 0, len(part))
		for _, count := range part {
			id, err := uuid.NewV7()
			if err != nil {
				return nil, err
			}
			rows = append(rows, countRow{
				ID: id, TenantID: count.TenantID, UserID: count.UserID, Hour: count.Hour.UTC(), Code: count.Code,
				Calls: count.Calls, ExpiresAt: count.Hour.UTC().Add(Lifetime),
			})
		}
		var sums []countRow
		err := s.db.NewInsert().Model(&rows).On("CONFLICT (tenant_id, hour, user_id, code) DO UPDATE").
			Set("calls = r.calls + EXCLUDED.calls").Returning("tenant_id, hour, code, calls").Scan(ctx, &sums)
		if err != nil {
			return nil, err
		}
		totals = append(totals, sums...)
	}
	return totals, nil
}

// Query selects refused calls. A zero field selects all.
type Query struct {
	TenantID, UserID, TokenID uuid.UUID // uuid.Nil: all that the scope reaches
	Model, Code               string
	From, To                  time.Time // To is exclusive
	page.Page
}

// within limits a query to what the scope reaches and the Query selects of tenant and user.
func (q *Query) within(on *bun.SelectQuery, scope tenant.Scope) (*bun.SelectQuery, error) {
	on, err := db.InTenant(on, scope, q.TenantID)
	if err != nil {
		return nil, err
	}
	return db.OfUser(on, scope, q.UserID), nil
}

// Calls lists the refused calls that the scope reaches and the query selects, newest first.
func (s *Store) Calls(ctx context.Context, scope tenant.Scope, query Query) (_ page.List[usage.Refusal], err error) {
	defer db.Wrap(&err, "read refused calls")

	if err := permission.Check(scope, permission.ReadUsage); err != nil {
		return page.List[usage.Refusal]{}, err
	}
	var list page.List[usage.Refusal]
	err = s.readAs(ctx, scope, func(in *Store) error {
		q, err := query.within(in.db.NewSelect(), scope)
		if err != nil {
			return err
		}
		if query.TokenID != uuid.Nil {
			q = q.Where("r.token_id = ?", query.TokenID)
		}
		if query.Model != "" {
			q = q.Where("r.model = ?", field.Clean(query.Model))
		}
		if query.Code != "" {
			q = q.Where("r.code = ?", field.Clean(query.Code))
		}
		if !query.From.IsZero() {
			q = q.Where("r.created_at >= ?", query.From)
		}
		if !query.To.IsZero() {
			q = q.Where("r.created_at < ?", query.To)
		}
		list, err = page.RowsOf(page.NewestFirst, callRow.key, callRow.core).Read(ctx, q, query.Page)
		return err
	})
	return list, err
}

// Call returns a refused call that the scope reaches, or a NotFound problem.
func (s *Store) Call(ctx context.Context, scope tenant.Scope, id uuid.UUID) (_ usage.Refusal, err error) {
	defer db.Wrap(&err, "read refused call")

	if err := permission.Check(scope, permission.ReadUsage); err != nil {
		return usage.Refusal{}, err
	}
	var row callRow
	err = s.readAs(ctx, scope, func(in *Store) error {
		return in.db.NewSelect().Model(&row).Where("id = ?", id).Scan(ctx)
	})
	if err != nil {
		return usage.Refusal{}, db.Missing(err, "refused call")
	}
	if !db.ReachesUser(scope, row.TenantID, row.UserID) {
		return usage.Refusal{}, db.NoSuch("refused call")
	}
	return row.core(), nil
}

// Reason is the number of calls that were refused for a reason.
type Reason struct {
	Code  string `bun:"code"`
	Calls int64  `bun:"calls"`
}

// Reasons counts all refused calls of tenant and user in the hours that begin from From on and before To, the most
// frequent reason first. The query's other fields have no effect.
func (s *Store) Reasons(ctx context.Context, scope tenant.Scope, query Query) (reasons []Reason, err error) {
	defer db.Wrap(&err, "count refused calls")

	if err := permission.Check(scope, permission.ReadUsage); err != nil {
		return nil, err
	}
	err = s.readAs(ctx, scope, func(in *Store) error {
		q, err := query.within(in.db.NewSelect().Model((*countRow)(nil)), scope)
		if err != nil {
			return err
		}
		if !query.From.IsZero() {
			q = q.Where("r.hour >= ?", query.From.UTC().Truncate(time.Hour))
		}
		if !query.To.IsZero() {
			q = q.Where("r.hour < ?", query.To.UTC())
		}
		return q.Column("code").ColumnExpr("sum(calls) AS calls").Where("r.code <> ''").Group("code").
			OrderExpr("calls DESC, code").Scan(ctx, &reasons)
	})
	return reasons, err
}

// Sweep deletes rows that have expired, see db.DB.Sweep.
func Sweep(ctx context.Context, d *db.DB) error {
	if err := d.Sweep(ctx, db.Expired{Model: (*callRow)(nil), Column: "expires_at"}); err != nil {
		return err
	}
	return d.Sweep(ctx, db.Expired{Model: (*countRow)(nil), Column: "expires_at"})
}
