package reconcile

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/rollup"
)

// compareHour compares the usage logs of an hour with its rollups and its rows in the outbox.
func (s *Store) compareHour(ctx context.Context, hour *rollup.HourRow) (drifts []Drift, err error) {
	err = s.db.Consistently(ctx, func(in *db.DB) error {
		logs := field.CreatedBetween(in.NewSelect().TableExpr("usage_logs AS r"), hour.Start, hour.End()).
			ColumnExpr("1 AS side").Column("tenant_id", "user_id", "token_id", "model").
			ColumnExpr("COALESCE(r.channel_id, ?) AS channel_id", uuid.Nil).
			ColumnExpr("count(*) AS requests").
			ColumnExpr("sum(CASE r.outcome WHEN 'failed' THEN 1 ELSE 0 END) AS failed").
			ColumnExpr("sum(CASE r.outcome WHEN 'partial' THEN 1 ELSE 0 END) AS partial").
			GroupExpr("2, 3, 4, 5, 6")
		for _, column := range rollup.Columns[rollup.TokensFrom:] {
			logs = logs.ColumnExpr("sum(r.?0) AS ?0", bun.Ident(column))
		}
		at := func(table string) *bun.SelectQuery { return side(in, table, -1).Where("r.start = ?", hour.Start) }
		sides := in.NewRaw("? UNION ALL ? UNION ALL ?", logs, at("usage_rollups_hourly"), at("usage_outbox"))
		drifts, err = differing(ctx, in, sides)
		return err
	})
	for i := range drifts {
		drifts[i].Check, drifts[i].Start = CheckLogs, hour.Start
	}
	return drifts, err
}

// compareDay compares the hourly rollups of a day with its daily rollups.
func (s *Store) compareDay(ctx context.Context, day time.Time) (drifts []Drift, err error) {
	err = s.db.Consistently(ctx, func(in *db.DB) error {
		hourly := side(in, "usage_rollups_hourly", 1).Where("r.start >= ?", day).
			Where("r.start < ?", day.Add(24*time.Hour))
		daily := side(in, "usage_rollups_daily", -1).Where("r.start = ?", day)
		drifts, err = differing(ctx, in, in.NewRaw("? UNION ALL ?", hourly, daily))
		return err
	})
	return drifts, err
}

// totalsSides selects both sides of a comparison of totals. Its arguments are: the rollups of an hour or day,
// summed by tenant; the columns of the sums; uuid.Nil; the table of totals; the start. The platform's
// expected side is the rollups of all tenants and not their totals, so that a wrong total of one tenant is a
// drift of that tenant alone.
const totalsSides = `
	WITH due AS (?0)
	SELECT 1 AS side, tenant_id, ?2 AS user_id, ?2 AS token_id, model, channel_id, ?1 FROM due
	UNION ALL
	SELECT 1, ?2, ?2, ?2, model, channel_id, ?1 FROM due
	UNION ALL
	SELECT -1, tenant_id, ?2, ?2, model, channel_id, ?1 FROM ?3 WHERE start = ?4`

// compareTotals compares the rollups of an hour or day with the totals of each tenant and of the platform.
// rollups and totals are the names of the tables.
func (s *Store) compareTotals(ctx context.Context, rollups, totals string,
	start time.Time) (drifts []Drift, err error) {
	err = s.db.Consistently(ctx, func(in *db.DB) error {
		due := in.NewSelect().TableExpr("? AS r", bun.Ident(rollups)).Column("tenant_id", "model", "channel_id").
			Where("r.start = ?", start).GroupExpr("1, 2, 3")
		for _, column := range rollup.Columns[rollup.SumsFrom:] {
			due = due.ColumnExpr("sum(r.?0) AS ?0", bun.Ident(column))
		}
		sums := bun.List(field.Identifiers(rollup.Columns[rollup.SumsFrom:]))
		drifts, err = differing(ctx, in, in.NewRaw(totalsSides, due, sums, uuid.Nil, bun.Ident(totals), start))
		return err
	})
	return drifts, err
}

// side selects the rollups of a table for one side of a comparison: sign is 1 for the expected side and -1
// for the found side, so that the sum of sign times value over both sides is the difference.
func side(in *db.DB, table string, sign int) *bun.SelectQuery {
	return in.NewSelect().TableExpr("? AS r", bun.Ident(table)).ColumnExpr("? AS side", sign).
		Column("tenant_id", "user_id", "token_id", "model", "channel_id").Column(rollup.Columns[rollup.SumsFrom:]...)
}

// differenceRow has the sums over those keys of a tenant whose two sides differ: the expected sums, the found
// sums, and the sums of the absolute differences of the keys ("off").
type differenceRow struct {
	TenantID         uuid.UUID `bun:"tenant_id,type:uuid"`
	QuotaExpected    int64     `bun:"quota_expected"`
	QuotaFound       int64     `bun:"quota_found"`
	QuotaOff         int64     `bun:"quota_off"`
	RequestsExpected int64     `bun:"requests_expected"`
	RequestsFound    int64     `bun:"requests_found"`
	RequestsOff      int64     `bun:"requests_off"`
	TokensExpected   int64     `bun:"tokens_expected"`
	TokensFound      int64     `bun:"tokens_found"`
	TokensOff        int64     `bun:"tokens_off"`
}

// differingKeys sums both sides by key, and the keys that differ by tenant. Its arguments are the rows of the
// two sides and the greatest number of tenants.
var differingKeys = `
	WITH sides AS (?0), keys AS (
		SELECT tenant_id,
			sum(CASE side WHEN 1 THEN quota ELSE 0 END) AS quota_expected,
			sum(CASE side WHEN 1 THEN 0 ELSE quota END) AS quota_found,
			abs(sum(side * quota)) AS quota_off,
			sum(CASE side WHEN 1 THEN requests ELSE 0 END) AS requests_expected,
			sum(CASE side WHEN 1 THEN 0 ELSE requests END) AS requests_found,
			abs(sum(side * requests)) + abs(sum(side * failed)) + abs(sum(side * partial)) AS requests_off,
			sum(CASE side WHEN 1 THEN ` + eachClass("%s") + ` ELSE 0 END) AS tokens_expected,
			sum(CASE side WHEN 1 THEN 0 ELSE ` + eachClass("%s") + ` END) AS tokens_found,
			` + eachClass("abs(sum(side * %s))") + ` AS tokens_off
		FROM sides GROUP BY tenant_id, user_id, token_id, model, channel_id
	)
	SELECT tenant_id,
		CAST(sum(quota_expected) AS bigint) AS quota_expected,
		CAST(sum(quota_found) AS bigint) AS quota_found,
		CAST(sum(quota_off) AS bigint) AS quota_off,
		CAST(sum(requests_expected) AS bigint) AS requests_expected,
		CAST(sum(requests_found) AS bigint) AS requests_found,
		CAST(sum(requests_off) AS bigint) AS requests_off,
		CAST(sum(tokens_expected) AS bigint) AS tokens_expected,
		CAST(sum(tokens_found) AS bigint) AS tokens_found,
		CAST(sum(tokens_off) AS bigint) AS tokens_off
	FROM keys WHERE quota_off <> 0 OR requests_off <> 0 OR tokens_off <> 0
	GROUP BY tenant_id ORDER BY tenant_id LIMIT ?1`

// eachClass returns an SQL expression: the sum of format over the columns of token counts.
func eachClass(format string) string {
	columns := rollup.Columns[rollup.TokensFrom : len(rollup.Columns)-1]
	terms := make([]string, len(columns))
	for i, column := range columns {
		terms[i] = fmt.Sprintf(format, column)
	}
	return strings.Join(terms, " + ")
}

// differing returns the drifts of each tenant that has keys whose two sides differ in any column. Check and
// Start of the drifts are not set.
func differing(ctx context.Context, in *db.DB, sides *bun.RawQuery) ([]Drift, error) {
	var rows []differenceRow
	if err := in.NewRaw(differingKeys, sides, driftsPerCheck).Scan(ctx, &rows); err != nil {
		return nil, err
	}
	var drifts []Drift
	for i := range rows {
		for _, d := range rows[i].drifts() {
			if d.Difference != 0 {
				drifts = append(drifts, d)
			}
		}
	}
	return drifts, nil
}

// drifts returns a drift for each measure, also for those without a difference.
func (r *differenceRow) drifts() []Drift {
	return []Drift{
		{TenantID: r.TenantID, Measure: InQuota, Expected: r.QuotaExpected, Found: r.QuotaFound,
			Difference: r.QuotaOff},
		{TenantID: r.TenantID, Measure: InRequests, Expected: r.RequestsExpected, Found: r.RequestsFound,
			Difference: r.RequestsOff},
		{TenantID: r.TenantID, Measure: InTokens, Expected: r.TokensExpected, Found: r.TokensFound,
			Difference: r.TokensOff},
	}
}
