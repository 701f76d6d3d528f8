package metering

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/rollup"
)

// totalWindows is the number of windows, of at most logWindow logs, that one call examines.
const totalWindows = 20

// LogTotals are the sums of the logs that a query selects.
type LogTotals struct {
	usage.Sums

	// Complete is false if the query selects more logs than one call may examine. The sums are then those of the newest
	// logs, so the true sums are at least as large.
	Complete bool

	// Costs are the supplier's costs of these logs, for operators. It is nil for other scopes, and if the sums need
	// rollups by user or token, which have no costs.
	Costs *rollup.CostSums
}

// UsageLogTotals sums the usage logs that UsageLogs would list on all pages of the query, whose Page it ignores. The
// rollups answer for whole hours, if they have all filters of the query; they have no outcome, dialect, error code, end
// user and tags, and follow the logs within seconds. The logs themselves answer for the rest, at most 40,000 of them.
// It returns an InvalidType problem if it would have to add up more than 1,000,000 rollups.
func (s *Store) UsageLogTotals(ctx context.Context, scope tenant.Scope, query LogQuery) (totals LogTotals, err error) {
	defer db.Wrap(&err, "read usage log totals")

	if err := field.First(permission.Check(scope, permission.ReadUsage), query.checkOutcome()); err != nil {
		return LogTotals{}, err
	}
	query.Page = page.Page{}
	if ok, err := db.Narrow(scope, &query.TenantID, &query.UserID); err != nil || !ok {
		return LogTotals{Complete: true}, err
	}
	totals.Complete = true
	err = s.readAs(ctx, scope, func(in *Store) error {
		if ok, err := in.hasOwners(ctx, &query); err != nil || !ok {
			return err
		}
		totals, err = in.logTotals(ctx, scope, query)
		return err
	})
	return totals, err
}

// checkOutcome returns a problem if the outcome is no outcome.
func (query *LogQuery) checkOutcome() error {
	if query.Outcome != "" && !query.Outcome.Valid() {
		return problem.New(problem.InvalidType, "outcome must be one of: success, partial, failed.").At("outcome")
	}
	return nil
}

// logTotals adds up the parts of the query's range on one snapshot of the database.
func (s *Store) logTotals(ctx context.Context, scope tenant.Scope, query LogQuery) (totals LogTotals, err error) {
	err = s.db.Consistently(ctx, func(in *db.DB) error {
		totals = LogTotals{Complete: true}
		hours, logs := query.split()
		if permission.Check(scope, permission.ReadPlatform) == nil && (hours == nil || hours.HasCosts()) {
			totals.Costs = &rollup.CostSums{}
		}
		if hours != nil {
			if err := hours.addTo(ctx, in, &totals); err != nil {
				return err
			}
		}
		if err := s.sortByIndex(ctx, in); err != nil {
			return err
		}
		windows := totalWindows
		for _, part := range logs {
			search := logSearch{LogQuery: part, order: page.NewestFirst, scope: scope, db: in, postgres: in.Postgres(),
				now: in.Now(), depth: func(ctx context.Context) (int, error) { return s.depthOfAll(ctx, in) }}
			if err := search.findOldest(ctx, in); err != nil {
				return err
			}
			if err := search.addTo(ctx, &totals, &windows); err != nil {
				return err
			}
		}
		return nil
	})
	return totals, err
}

// split divides the query: hours selects the whole hours of its range for which the rollups answer, nil if they cannot.
// logs select the rest.
func (query *LogQuery) split() (hours *SummaryQuery, logs []LogQuery) {
	if query.Outcome != "" || query.Dialect != "" || query.Error != "" || query.EndUser != "" ||
		len(query.ClientMarks) > 0 || len(query.Tags) > 0 || query.NewerThan != uuid.Nil {
		return nil, []LogQuery{*query}
	}
	start, end := query.From, query.To.Truncate(time.Hour)
	if hour := start.Truncate(time.Hour); !hour.Equal(start) {
		start = hour.Add(time.Hour)
	}
	if !start.IsZero() && !end.IsZero() && !start.Before(end) {
		return nil, []LogQuery{*query}
	}
	if !start.Equal(query.From) {
		part := *query
		part.To = start
		logs = append(logs, part)
	}
	if !end.Equal(query.To) {
		part := *query
		part.From = end
		logs = append(logs, part)
	}
	return &SummaryQuery{TenantID: query.TenantID, UserID: query.UserID, TokenID: query.TokenID, Model: query.Model,
		ChannelID: query.ChannelID, From: start, To: end}, logs
}

// addTo adds the sums of the query, which has no bucket and no dimension, to the totals.
func (query *SummaryQuery) addTo(ctx context.Context, in *db.DB, totals *LogTotals) error {
	var rows []summaryRow
	q := query.columns(in.NewSelect().TableExpr("(?) AS r", query.rollups(in)), in.Postgres(),
		rollup.Columns[rollup.SumsFrom:])
	if err := q.Scan(ctx, &rows); err != nil {
		return err
	}
	summary, err := query.summaryOf(rows)
	if err != nil {
		return err
	}
	for _, row := range summary {
		totals.Merge(row.Sums)
	}
	if totals.Costs == nil {
		return nil
	}
	costs, err := query.costs(ctx, in)
	for _, row := range costs {
		totals.Costs.Merge(row.CostSums)
	}
	return err
}

// addTo adds the logs of the search to the totals. It reads at most the given number of windows, and takes those that
// it reads off the number.
func (q *logSearch) addTo(ctx context.Context, totals *LogTotals, windows *int) error {
	span := q.first(uuid.Nil)
	for ; *windows > 0; *windows-- {
		sums, costs, err := q.sums(ctx, span)
		if err != nil {
			return err
		}
		totals.Merge(sums)
		if totals.Costs != nil {
			totals.Costs.Merge(costs)
		}
		start, err := q.afterWindow(ctx, span)
		if err != nil || start.before == uuid.Nil {
			return err
		}
		span = start
	}
	totals.Complete = false
	return nil
}

// sums adds up the matches among the last logs of the span, and their supplier's costs, as far as they are known.
func (q *logSearch) sums(ctx context.Context, span logSpan) (usage.Sums, rollup.CostSums, error) {
	lead, filters := q.index()
	logs := q.db.NewSelect().TableExpr("(?) AS r", q.scan(lead, span).ColumnExpr("r.*").Limit(int64(span.window))).
		ColumnExpr("count(*) AS requests").
		ColumnExpr("COALESCE(sum(CASE WHEN r.outcome = ? THEN 1 ELSE 0 END), 0) AS failed", usage.Failed).
		ColumnExpr("COALESCE(sum(CASE WHEN r.outcome = ? THEN 1 ELSE 0 END), 0) AS partial", usage.Partial)
	for _, column := range rollup.Columns[rollup.TokensFrom:] {
		logs = logs.ColumnExpr("CAST(COALESCE(sum(r.?0), 0) AS bigint) AS ?0", bun.Ident(column))
	}
	logs = logs.ColumnExpr("count(r.supplier_cost) AS costed").
		ColumnExpr("CAST(COALESCE(sum(r.supplier_cost), 0) AS bigint) AS supplier_cost").
		ColumnExpr("CAST(COALESCE(sum(CASE WHEN r.supplier_cost IS NOT NULL THEN r.quota END), 0) AS bigint) AS " +
			"costed_quota")
	var row struct {
		rollup.SumColumns
		Costed       int64        `bun:"costed"`
		SupplierCost money.Amount `bun:"supplier_cost"`
		CostedQuota  money.Amount `bun:"costed_quota"`
	}
	err := q.matches(logs, filters).Scan(ctx, &row)
	return row.Core(), rollup.CostSums{Requests: row.Costed, Quota: row.CostedQuota, SupplierCost: row.SupplierCost},
		err
}
