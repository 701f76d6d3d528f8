package rollup

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

// The names of sums by attribution that are not names of tags. No tag can have them.
const (
	EndUsers  = "*user"
	OtherTags = "*" // the tags of a tenant and day beyond MaxTagNames
)

// The bounds of the sums by attribution of a tenant and day. They hold after each drain, so a tenant that sends a new
// value with each call has a bounded number of rows.
const (
	MaxTagNames = 32  // names of tags; the first ones of the day
	MaxValues   = 200 // values of a name. If a name has more, the KeptValues with the most quota stay
	KeptValues  = 100
)

// MaxBatchValues is the greatest number of values, over all names, that one batch of usage logs adds to the outbox for
// a tenant and day. Together with MaxTagNames it bounds what a hostile tenant writes there.
const MaxBatchValues = 400

// keysBatch is the greatest number of keys that one statement looks up. SQLite limits the depth of a condition.
const keysBatch = 100

// attributionLock is the key of the Postgres advisory lock of DrainAttribution: "tola".
const attributionLock = 0x746f6c61

// AttributionTable is the table with the sums by attribution.
const AttributionTable = "usage_attribution_daily"

// AttributionKey identifies the usage with one tag or end user on one day.
type AttributionKey struct {
	Start    time.Time `bun:"start,pk"` // of the day, in UTC
	TenantID uuid.UUID `bun:"tenant_id,pk,type:uuid"`
	Name     string    `bun:"name,pk"`  // of a tag, EndUsers or OtherTags
	Value    string    `bun:"value,pk"` // "": all values together
}

func (k AttributionKey) key() AttributionKey {
	k.Start = k.Start.UTC()
	return k
}

// AttributionSums are the sums of a set of calls. The token counts are those of all classes.
type AttributionSums struct {
	Requests     int64        `bun:"requests"`
	InputTokens  int64        `bun:"input_tokens"`
	OutputTokens int64        `bun:"output_tokens"`
	Quota        money.Amount `bun:"quota"`
}

// Merge adds the sums of t.
func (s *AttributionSums) Merge(t AttributionSums) {
	s.Requests += t.Requests
	s.InputTokens += t.InputTokens
	s.OutputTokens += t.OutputTokens
	s.Quota += t.Quota
}

// attributionColumns has the sums of one key.
type attributionColumns struct {
	AttributionKey
	AttributionSums
}

func (c *attributionColumns) add(b *attributionColumns) { c.Merge(b.AttributionSums) }

func (c *attributionColumns) compare(b *attributionColumns) int {
	return cmp.Or(bytes.Compare(c.TenantID[:], b.TenantID[:]), cmp.Compare(c.Name, b.Name), c.Start.Compare(b.Start),
		cmp.Compare(c.Value, b.Value))
}

// AttributionOutboxRow is a row of the table usage_attribution_outbox: usage that is not added to the sums yet.
type AttributionOutboxRow struct {
	bun.BaseModel `bun:"table:usage_attribution_outbox,alias:r"`
	attributionColumns
}

// AttributionOutboxRowOf returns the outbox row with the key and its sums.
func AttributionOutboxRowOf(key AttributionKey, sums AttributionSums) AttributionOutboxRow {
	return AttributionOutboxRow{attributionColumns: attributionColumns{key, sums}}
}

// attributionRow is a row of AttributionTable.
type attributionRow struct {
	bun.BaseModel `bun:"table:usage_attribution_daily,alias:r"`
	attributionColumns
}

// AttributionColumns returns the names of the columns of a table by attribution: the key, then the sums from
// AttributionSumsFrom on.
func AttributionColumns() []string {
	return []string{"start", "tenant_id", "name", "value", "requests", "input_tokens", "output_tokens", "quota"}
}

// AttributionSumsFrom is the index in AttributionColumns of the first column that is summed.
const AttributionSumsFrom = 4

// DrainAttribution (system scope) moves up to limit rows of usage_attribution_outbox into the daily sums, in one
// transaction, and enforces their bounds. On Postgres each tenant with waiting rows has the same share of the limit, so
// no tenant waits for the rows of another. It returns the number of rows that it moved, which is less than limit only
// if no more rows wait. Concurrent calls wait for each other, because they decide together which names have a row.
//
// Each name with a row has the sum of all its calls of the day in the row with the value "". The other rows are part of
// it. A value that lost its row and appears again starts at zero, so the sum of a value can be too small, and never too
// large.
func (s *Store) DrainAttribution(ctx context.Context, scope tenant.Scope, limit int) (count int, err error) {
	defer db.Wrap(&err, "drain attribution")

	return s.drain(ctx, scope, limit, func(tx *Store, limit int) (int, error) {
		rows, err := tx.takeAttribution(ctx, limit)
		if err != nil || len(rows) == 0 {
			return 0, err
		}
		return len(rows), tx.attribute(ctx, rows)
	})
}

// takeAttribution deletes up to limit outbox rows and returns them.
func (s *Store) takeAttribution(ctx context.Context, limit int) (list []attributionColumns, err error) {
	if s.db.Postgres() { // on SQLite, transactions run one after the other anyway
		if _, err := s.db.NewRaw("SELECT pg_advisory_xact_lock(?)", attributionLock).Exec(ctx); err != nil {
			return nil, err
		}
	}
	for len(list) < limit { // tenants with few rows leave a part of their share to the others
		room := limit - len(list)
		query := s.oldest("usage_attribution_outbox", room)
		if s.db.Postgres() {
			query = s.db.NewSelect().With("shares", s.db.NewRaw(attributionShares, room, room)).Table("shares").
				Column("id").OrderExpr("place, id").Limit(int64(room))
		}
		rows, err := take[AttributionOutboxRow](ctx, s, query, AttributionColumns())
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			break
		}
		list = append(list,
			field.Map(rows, func(r AttributionOutboxRow) attributionColumns { return r.attributionColumns })...)
	}
	return list, nil
}

// attributionShares selects the oldest outbox rows of each tenant, with their places in the order of the tenant. The
// tenants share the limit equally. It reads the index by tenant, so that it costs as much as the tenants and rows that
// it finds, and not as much as the rows that wait.
const attributionShares = `
	WITH RECURSIVE waiting AS (
		(SELECT tenant_id FROM usage_attribution_outbox ORDER BY tenant_id LIMIT 1)
		UNION ALL
		SELECT (SELECT o.tenant_id FROM usage_attribution_outbox AS o WHERE o.tenant_id > w.tenant_id
			ORDER BY o.tenant_id LIMIT 1)
		FROM waiting AS w WHERE w.tenant_id IS NOT NULL
	)
	SELECT o.id, o.place FROM waiting AS w CROSS JOIN LATERAL (
		SELECT id, row_number() OVER (ORDER BY id) AS place FROM usage_attribution_outbox WHERE tenant_id = w.tenant_id
		ORDER BY id LIMIT (SELECT greatest(? / greatest(count(tenant_id), 1), 1) FROM waiting)
	) AS o ORDER BY o.place, o.id LIMIT ?`

// attribute adds the rows to the daily sums.
func (s *Store) attribute(ctx context.Context, rows []attributionColumns) error {
	names, err := s.knownNames(ctx, rows)
	if err != nil {
		return err
	}
	sums := attributed(rows, names)
	to := sumTable{AttributionTable, "tenant_id, name, start, value", AttributionColumns()[AttributionSumsFrom:]}
	if err := addSums(ctx, s, to, field.Map(sums, func(c attributionColumns) attributionRow {
		return attributionRow{attributionColumns: c}
	})); err != nil {
		return err
	}
	return s.boundValues(ctx, sums)
}

// nameKey identifies the rows of one name.
type nameKey struct {
	start  time.Time
	tenant uuid.UUID
	name   string
}

// knownNames returns the names that have rows already, for the tenants and days of the rows.
func (s *Store) knownNames(ctx context.Context, rows []attributionColumns) (map[nameKey]bool, error) {
	names := map[nameKey]bool{}
	for part := range slices.Chunk(distinctKeys(rows, func(*attributionColumns) string { return "" }), keysBatch) {
		q := s.db.NewSelect().Model((*attributionRow)(nil)).Column("tenant_id", "start", "name").Where("r.value = ''")
		q = q.WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery {
			for _, key := range part {
				q = q.WhereOr("r.tenant_id = ? AND r.start = ?", key.tenant, key.start)
			}
			return q
		})
		var list []attributionColumns
		if err := q.Scan(ctx, &list); err != nil {
			return nil, err
		}
		for _, row := range list {
			names[nameKey{row.Start.UTC(), row.TenantID, row.Name}] = true
		}
	}
	return names, nil
}

// distinctKeys returns the tenants and days of the rows, each once, with the name that the function returns.
func distinctKeys(rows []attributionColumns, name func(*attributionColumns) string) []nameKey {
	set := map[nameKey]bool{}
	var keys []nameKey
	for i := range rows {
		key := nameKey{rows[i].Start.UTC(), rows[i].TenantID, name(&rows[i])}
		if !set[key] {
			set[key] = true
			keys = append(keys, key)
		}
	}
	return keys
}

// attributed returns what the rows add to the daily sums: for each row its usage under its value and under the value
// "". hasName has the names that have rows; attributed adds to it the names that get a row. All other tags count under
// OtherTags, without their values. The result has each key once.
func attributed(rows []attributionColumns, hasName map[nameKey]bool) []attributionColumns {
	names := map[nameKey]int{} // number of tags by tenant and day
	for key := range hasName {
		if key.name != EndUsers && key.name != OtherTags {
			names[nameKey{key.start, key.tenant, ""}]++
		}
	}
	var result []attributionColumns
	for i := range rows {
		row := rows[i]
		value := row.Value
		row.Start, row.Value = row.Start.UTC(), ""
		name, day := nameKey{row.Start, row.TenantID, row.Name}, nameKey{row.Start, row.TenantID, ""}
		switch {
		case hasName[name] || row.Name == EndUsers || row.Name == OtherTags:
		case names[day] < MaxTagNames:
			hasName[name] = true
			names[day]++
		default:
			row.Name = OtherTags
		}
		result = append(result, row)
		if value != "" && row.Name != OtherTags {
			row.Value = value
			result = append(result, row)
		}
	}
	return merge[AttributionKey](result, nil)
}

// boundValues deletes values of the names that have too many now. Their usage stays in the row with the value "".
func (s *Store) boundValues(ctx context.Context, sums []attributionColumns) error {
	pairs := slices.DeleteFunc(slices.Clone(sums), func(c attributionColumns) bool { return c.Value == "" })
	for part := range slices.Chunk(distinctKeys(pairs, func(c *attributionColumns) string { return c.Name }),
		keysBatch) {
		q := s.db.NewSelect().Model((*attributionRow)(nil)).Column("tenant_id", "name", "start").
			Group("tenant_id", "name", "start").Having("count(*) > ?", MaxValues+1) // with the value ""
		for _, key := range part {
			q = q.WhereOr("r.tenant_id = ? AND r.name = ? AND r.start = ?", key.tenant, key.name, key.start)
		}
		var full []attributionColumns
		if err := q.Scan(ctx, &full); err != nil {
			return err
		}
		for i := range full {
			if err := s.keepLargest(ctx, &full[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// keepLargest deletes all values of a name but those with the most quota.
func (s *Store) keepLargest(ctx context.Context, c *attributionColumns) error {
	largest := s.db.NewSelect().Model((*attributionRow)(nil)).Column("value").
		Where("r.tenant_id = ? AND r.name = ? AND r.start = ? AND r.value <> ''", c.TenantID, c.Name, c.Start.UTC()).
		OrderExpr("r.quota DESC, r.requests DESC, r.value").Limit(KeptValues)
	_, err := s.db.NewDelete().Model((*attributionRow)(nil)).
		Where("tenant_id = ? AND name = ? AND start = ? AND value <> ''", c.TenantID, c.Name, c.Start.UTC()).
		Where("value NOT IN (?)", largest).Exec(ctx)
	return err
}
