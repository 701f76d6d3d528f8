package metering

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/rollup"
)

// addCosts adds the supplier's costs of an event to the sums by hour, tenant, model and channel.
func (m *movement) addCosts(event *usage.Event) {
	for channel, cost := range event.SupplierShares {
		key := rollup.CostKey{Start: event.Hour(), TenantID: event.TenantID, Model: field.Clean(event.Model),
			ChannelID: channel}
		if m.costs == nil {
			m.costs = map[rollup.CostKey]*rollup.CostSums{}
		}
		if m.costs[key] == nil {
			m.costs[key] = &rollup.CostSums{}
		}
		m.costs[key].SupplierCost = money.Add(m.costs[key].SupplierCost, cost)
	}
	if event.SupplierCost != nil { // the shares have the channel of the log, too
		sums := m.costs[rollup.CostKey{Start: event.Hour(), TenantID: event.TenantID, Model: field.Clean(event.Model),
			ChannelID: event.ChannelID}]
		sums.Requests++
		sums.Quota += event.Quota
	}
}

// costOutbox returns the rows for the outbox of costs.
func (m *movement) costOutbox() []rollup.CostOutboxRow {
	rows := make([]rollup.CostOutboxRow, 0, len(m.costs))
	for key, sums := range m.costs {
		rows = append(rows, rollup.CostOutboxRowOf(key, *sums))
	}
	return rows
}

// CostRow has the supplier's costs of one step and one value of the dimension.
type CostRow struct {
	Start time.Time // as in SummaryRow
	Value string    // as in SummaryRow
	rollup.CostSums
}

// costSummaryRow is a row of the statement that sums costs.
type costSummaryRow struct {
	Rollups int       `bun:"rollups"`
	Step    time.Time `bun:"step"`
	Value   string    `bun:"value"`
	rollup.CostSums
}

// HasCosts reports whether the supplier's costs are known for such a query: by tenant, model and channel they are, by
// user and token not.
func (query *SummaryQuery) HasCosts() bool { return !query.byUser() }

// SupplierCosts sums the supplier's costs over the range of a summary, for operators. Costs are known by tenant, model
// and channel: for a query by user or token it returns nil. A failed attempt counts at its own channel, the quota at
// the channel that answered. Order and bounds are those of UsageSummary.
func (s *Store) SupplierCosts(ctx context.Context, scope tenant.Scope, query SummaryQuery) (_ []CostRow, err error) {
	defer db.Wrap(&err, "read supplier costs")

	if err := field.First(permission.Check(scope, permission.ReadPlatform), query.check(scope)); err != nil {
		return nil, err
	}
	if !query.HasCosts() {
		return nil, nil
	}
	return query.costs(ctx, s.db)
}

// costs sums the supplier's costs of the query, which has no user and no token.
func (query *SummaryQuery) costs(ctx context.Context, in *db.DB) ([]CostRow, error) {
	q := in.NewSelect()
	if query.By == ByTenant && query.TenantID == uuid.Nil {
		q = q.Where("r.tenant_id <> ?", uuid.Nil)
	} else {
		q = q.Where("r.tenant_id = ?", query.TenantID)
	}
	table := rollup.Costs().Hourly
	if query.wholeDays() {
		table = rollup.Costs().Daily
	}
	smallest := query.filter(q.TableExpr("? AS r", bun.Ident(table))).ColumnExpr("r.*").Limit(maxRollups + 1)
	var rows []costSummaryRow
	sums := rollup.CostColumns()[rollup.CostSumsFrom:]
	err := query.columns(in.NewSelect().TableExpr("(?) AS r", smallest), in.Postgres(), sums).Limit(maxSummary+1).
		Scan(ctx, &rows)
	if err != nil {
		return nil, err
	}
	count, days := 0, query.localDays()
	costs := make([]CostRow, len(rows))
	for i, row := range rows {
		count += row.Rollups
		costs[i] = CostRow{Start: days.start(row.Step), Value: row.Value, CostSums: row.CostSums}
	}
	return costs, summaryFault(len(rows), count)
}

// WithCosts adds a row without usage to the summary for each step and value that has costs alone: those of a channel
// whose upstream charged for failed attempts only. The result is in the order of Start and Value.
func WithCosts(summary []SummaryRow, costs []CostRow) []SummaryRow {
	type place struct {
		start time.Time
		value string
	}
	places := make(map[place]bool, len(summary))
	for i := range summary {
		places[place{summary[i].Start, summary[i].Value}] = true
	}
	rows := slices.Clone(summary)
	for i := range costs {
		if !places[place{costs[i].Start, costs[i].Value}] {
			rows = append(rows, SummaryRow{Start: costs[i].Start, Value: costs[i].Value})
		}
	}
	slices.SortFunc(rows, func(a, b SummaryRow) int {
		if order := a.Start.Compare(b.Start); order != 0 {
			return order
		}
		if a.Value < b.Value {
			return -1
		}
		if a.Value > b.Value {
			return 1
		}
		return 0
	})
	return rows
}
