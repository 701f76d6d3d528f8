package reconcile

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/store/rollup"
)

// driftKey identifies a drift. It is the primary key of the table reconcile_drifts.
type driftKey struct {
	Check     Check     `bun:"check_name,pk"`
	Start     time.Time `bun:"start,pk"` // zero: none
	TenantID  uuid.UUID `bun:"tenant_id,pk,type:uuid"`
	AccountID uuid.UUID `bun:"account_id,pk,type:uuid"` // uuid.Nil: none
	Measure   Measure   `bun:"measure,pk"`
}

// driftRow is a row of the table reconcile_drifts.
type driftRow struct {
	bun.BaseModel `bun:"table:reconcile_drifts,alias:r"`

	driftKey
	Expected   int64     `bun:"expected"`
	Found      int64     `bun:"found"`
	Difference int64     `bun:"difference"`
	FirstSeen  time.Time `bun:"first_seen"`
	LastSeen   time.Time `bun:"last_seen"`
}

func driftRowOf(d *Drift) driftRow {
	return driftRow{
		driftKey: driftKey{Check: d.Check, Start: d.Start.UTC(), TenantID: d.TenantID, AccountID: d.AccountID,
			Measure: d.Measure},
		Expected: d.Expected, Found: d.Found, Difference: d.Difference, FirstSeen: d.FirstSeen, LastSeen: d.LastSeen,
	}
}

func (r *driftRow) core() Drift {
	return Drift{
		Check: r.Check, Start: r.Start.UTC(), TenantID: r.TenantID, AccountID: r.AccountID, Measure: r.Measure,
		Expected: r.Expected, Found: r.Found, Difference: r.Difference, FirstSeen: r.FirstSeen.UTC(),
		LastSeen: r.LastSeen.UTC(),
	}
}

// key returns the row's key with its time in UTC, so that keys can be compared and used in maps.
func (r *driftRow) key() driftKey {
	key := r.driftKey
	key.Start = key.Start.UTC()
	return key
}

// region is the part of the stored drifts that one comparison covers. Drifts in the region that the
// comparison did not find are gone.
type region struct {
	check   Check
	start   time.Time   // of one hour or day; zero for all
	tenants []uuid.UUID // nil for all
}

// of limits a query of drifts to the region.
func (g *region) of(q *bun.SelectQuery) *bun.SelectQuery {
	q = q.Where("r.check_name = ?", g.check)
	if !g.start.IsZero() {
		q = q.Where("r.start = ?", g.start)
	}
	if g.tenants != nil {
		q = q.Where("r.tenant_id IN (?)", bun.List(g.tenants))
	}
	return q
}

// replaceDrifts replaces the stored drifts of the region by the given ones and returns the drifts that are
// new. A drift that was stored before keeps its FirstSeen. replaceDrifts sets FirstSeen and LastSeen in the
// given slice.
func (s *Store) replaceDrifts(ctx context.Context, g region, drifts []Drift) (newDrifts []Drift, err error) {
	var before []driftRow
	if err := g.of(s.db.NewSelect().Model(&before)).Scan(ctx); err != nil {
		return nil, err
	}
	oldRows := make(map[driftKey]driftRow, len(before))
	for _, row := range before {
		oldRows[row.key()] = row
	}
	rows, now := make([]driftRow, len(drifts)), s.db.Now()
	for i := range drifts {
		d := &drifts[i]
		d.FirstSeen, d.LastSeen = now, now
		rows[i] = driftRowOf(d)
		if match, ok := oldRows[rows[i].key()]; ok {
			delete(oldRows, match.key())
			continue
		}
		newDrifts = append(newDrifts, *d)
	}
	// Drifts that are left in oldRows were not found again.
	for _, row := range oldRows {
		if _, err := s.db.NewDelete().Model(&row).WherePK().Exec(ctx); err != nil {
			return nil, err
		}
	}
	return newDrifts, s.saveDrifts(ctx, rows)
}

// saveDrifts inserts or updates drifts. It does not change FirstSeen of those that exist.
func (s *Store) saveDrifts(ctx context.Context, rows []driftRow) error {
	for part := range slices.Chunk(rows, rollup.Batch) {
		q := s.db.NewInsert().Model(&part).On("CONFLICT (check_name, start, tenant_id, account_id, measure) DO UPDATE")
		for _, column := range []bun.Ident{"expected", "found", "difference", "last_seen"} {
			q = q.Set("?0 = EXCLUDED.?0", column)
		}
		if _, err := q.Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// newestDrifts returns up to limit drifts, those that were found last first.
func (s *Store) newestDrifts(ctx context.Context, limit int) ([]Drift, error) {
	if limit <= 0 {
		return nil, nil
	}
	var rows []driftRow
	err := s.db.NewSelect().Model(&rows).
		OrderExpr("r.first_seen DESC, r.check_name, r.start DESC, r.tenant_id, r.account_id, r.measure").
		Limit(int64(limit)).Scan(ctx)
	drifts := make([]Drift, len(rows))
	for i := range rows {
		drifts[i] = rows[i].core()
	}
	return drifts, err
}

// driftSums returns the sum of the drifts of each check that has any.
func (s *Store) driftSums(ctx context.Context) (map[Check]DriftSum, error) {
	var rows []struct {
		Check  Check        `bun:"check_name"`
		Count  int          `bun:"count"`
		Quota  money.Amount `bun:"quota"`
		Newest time.Time    `bun:"newest"`
	}
	err := s.db.NewSelect().Model((*driftRow)(nil)).Column("check_name").ColumnExpr("count(*) AS count").
		ColumnExpr("max(r.first_seen) AS newest").
		ColumnExpr("CAST(sum(CASE r.measure WHEN ? THEN r.difference ELSE 0 END) AS bigint) AS quota", InQuota).
		GroupExpr("r.check_name").Scan(ctx, &rows)
	sums := make(map[Check]DriftSum, len(rows))
	for _, row := range rows {
		sums[row.Check] = DriftSum{Count: row.Count, Quota: row.Quota, Newest: row.Newest.UTC()}
	}
	return sums, err
}
