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

// CostKey identifies a sum of the supplier's costs.
type CostKey struct {
	Start     time.Time `bun:"start,pk"`               // of the hour or day, in UTC
	TenantID  uuid.UUID `bun:"tenant_id,pk,type:uuid"` // uuid.Nil: all tenants
	Model     string    `bun:"model,pk"`
	ChannelID uuid.UUID `bun:"channel_id,pk,type:uuid"` // the channel whose upstream charges
}

func (k CostKey) key() CostKey {
	k.Start = k.Start.UTC()
	return k
}

// CostSums are the supplier's costs of a set of calls. Requests and Quota are those of the calls whose cost is known;
// they belong to the channel that answered.
type CostSums struct {
	Requests     int64        `bun:"requests"`
	Quota        money.Amount `bun:"quota"`
	SupplierCost money.Amount `bun:"supplier_cost"`
}

// Merge adds the sums of t.
func (s *CostSums) Merge(t CostSums) {
	s.Requests += t.Requests
	s.Quota += t.Quota
	s.SupplierCost += t.SupplierCost
}

// costColumns has the sums of one key.
type costColumns struct {
	CostKey
	CostSums
}

func (c *costColumns) add(b *costColumns) { c.Merge(b.CostSums) }

func (c *costColumns) compare(b *costColumns) int {
	return cmp.Or(bytes.Compare(c.TenantID[:], b.TenantID[:]), c.Start.Compare(b.Start), cmp.Compare(c.Model, b.Model),
		bytes.Compare(c.ChannelID[:], b.ChannelID[:]))
}

// CostOutboxRow is a row of the table usage_cost_outbox: costs that are not added to the sums yet.
type CostOutboxRow struct {
	bun.BaseModel `bun:"table:usage_cost_outbox,alias:r"`
	costColumns
}

// CostOutboxRowOf returns the outbox row with the key and its sums.
func CostOutboxRowOf(key CostKey, sums CostSums) CostOutboxRow {
	return CostOutboxRow{costColumns: costColumns{key, sums}}
}

// costRow is a row of a table of sums that addCosts names.
type costRow struct {
	bun.BaseModel `bun:"alias:r"`
	costColumns
}

// Costs returns the tables with the supplier's costs. Their rows have no users and tokens, and the rows of uuid.Nil are
// the sums over all tenants. The tables are apart from those of usage, so that a worker of the previous release, which
// does not know costs, cannot lose any: it leaves the rows of usage_cost_outbox alone.
func Costs() Tables { return Tables{"usage_costs_hourly", "usage_costs_daily"} }

// CostColumns returns the names of the columns of a table with costs: the key, then the sums from CostSumsFrom on.
func CostColumns() []string {
	return []string{"start", "tenant_id", "model", "channel_id", "requests", "quota", "supplier_cost"}
}

// CostSumsFrom is the index in CostColumns of the first column that is summed.
const CostSumsFrom = 4

// DrainCosts (system scope) moves up to limit rows of usage_cost_outbox, the oldest first, into the hourly and daily
// sums, in one transaction. It returns the number of rows that it moved, and behaves like DrainOutbox otherwise.
func (s *Store) DrainCosts(ctx context.Context, scope tenant.Scope, limit int) (count int, err error) {
	defer db.Wrap(&err, "drain costs")

	return s.drain(ctx, scope, limit, func(tx *Store, limit int) (int, error) {
		rows, err := take[CostOutboxRow](ctx, tx, tx.oldest("usage_cost_outbox", limit), CostColumns())
		if err != nil {
			return 0, err
		}
		costs := field.Map(rows, func(r CostOutboxRow) costColumns { return r.costColumns })
		hourly := merge[CostKey](costs, func(c *costColumns) { c.Start = c.Start.Truncate(time.Hour) })
		if err := tx.addCosts(ctx, Costs().Hourly, hourly); err != nil {
			return 0, err
		}
		daily := merge[CostKey](hourly, func(c *costColumns) { c.Start = c.Start.Truncate(24 * time.Hour) })
		return len(rows), tx.addCosts(ctx, Costs().Daily, daily)
	})
}

// addCosts adds the rows to the table: first those of tenants, then their sums for all tenants, which every drain
// locks.
func (s *Store) addCosts(ctx context.Context, table string, rows []costColumns) error {
	list := append(slices.Clone(rows), merge[CostKey](rows, func(c *costColumns) { c.TenantID = uuid.Nil })...)
	to := sumTable{table, "tenant_id, start, model, channel_id", CostColumns()[CostSumsFrom:]}
	return addSums(ctx, s, to, field.Map(list, func(c costColumns) costRow { return costRow{costColumns: c} }))
}
