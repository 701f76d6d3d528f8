package metering

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/rollup"
)

// Bucket is the width of the time steps of a summary.
type Bucket string

// The buckets. "" means one step for the whole range.
const (
	ByHour Bucket = "hour"
	ByDay  Bucket = "day"
)

// Dimension is the property by which a summary is grouped.
type Dimension string

// The dimensions.
const (
	ByNothing Dimension = ""
	ByModel   Dimension = "model"
	ByToken   Dimension = "token"
	ByUser    Dimension = "user"
	ByChannel Dimension = "channel"
	ByTenant  Dimension = "tenant" // for operators only
)

// SummaryQuery selects the usage of the hours that begin in [From, To). A zero bound does not limit the range. A Zone
// other than UTC needs both bounds if the query has steps of days.
type SummaryQuery struct {
	TenantID  uuid.UUID // for operators; uuid.Nil: all tenants
	UserID    uuid.UUID
	TokenID   uuid.UUID
	Model     string
	ChannelID uuid.UUID // the channel that responded last
	From, To  time.Time
	Bucket    Bucket         // "": one step over the whole range
	Zone      *time.Location // whose days are the steps of ByDay; nil: UTC
	By        Dimension
}

// SummaryRow has the sums of one step and one value of the dimension.
type SummaryRow struct {
	Start time.Time // of the step in UTC; zero if the query has no bucket. A day starts at its first full hour in UTC
	Value string    // id of the model, token, user, channel or tenant; "" for ByNothing
	usage.Sums
}

const (
	maxSummary = 10_000    // rows of a summary
	maxRollups = 1_000_000 // rollups that a summary adds up
)

// summaryRow is a row of the statement that sums rollups.
type summaryRow struct {
	Rollups int       `bun:"rollups"` // number of rollups in the row
	Step    time.Time `bun:"step"`
	Value   string    `bun:"value"`
	rollup.SumColumns
}

// UsageSummary sums the usage that the scope may read. It returns rows in the order of Start and Value, and
// none for steps without usage. A summary of more than 10,000 rows, or of more than 1,000,000 rollups, is an
// InvalidType problem that asks for a shorter range. Usage appears in summaries when the outbox is drained,
// usually after seconds.
func (s *Store) UsageSummary(ctx context.Context, scope tenant.Scope, query SummaryQuery) (_ []SummaryRow, err error) {
	defer db.Wrap(&err, "read usage summary")

	if err := field.First(permission.Check(scope, permission.ReadUsage), query.check(scope)); err != nil {
		return nil, err
	}
	if ok, err := db.Narrow(scope, &query.TenantID, &query.UserID); err != nil || !ok {
		return []SummaryRow{}, err
	}
	var rows []summaryRow
	err = s.readAs(ctx, scope, func(in *Store) error {
		q := query.columns(in.db.NewSelect().TableExpr("(?) AS r", query.rollups(in.db)), in.db.Postgres(),
			rollup.Columns[rollup.SumsFrom:])
		return q.Limit(maxSummary+1).Scan(ctx, &rows)
	})
	if err != nil {
		return nil, err
	}
	return query.summaryOf(rows)
}

// summaryOf returns the rows of a summary, or an InvalidType problem if they are too many.
func (query *SummaryQuery) summaryOf(rows []summaryRow) ([]SummaryRow, error) {
	count, days := 0, query.localDays()
	summary := make([]SummaryRow, len(rows))
	for i, row := range rows {
		count += row.Rollups
		summary[i] = SummaryRow{Start: days.start(row.Step), Value: row.Value, Sums: row.Core()}
	}
	if err := summaryFault(len(rows), count); err != nil {
		return nil, err
	}
	return summary, nil
}

// summaryFault returns an InvalidType problem if a summary has too many rows or read too many rollups.
func summaryFault(rows, count int) error {
	switch {
	case rows > maxSummary:
		return problem.New(problem.InvalidType, "The summary has more than %d rows. Choose a shorter range.",
			maxSummary).At("from")
	case count > maxRollups:
		return problem.New(problem.InvalidType,
			"The summary would add up more than %d rollups. Choose a shorter range.", maxRollups).At("from")
	}
	return nil
}

// check returns a problem of an invalid field, or Forbidden if the scope may not group by tenant.
func (query *SummaryQuery) check(scope tenant.Scope) error {
	switch query.Bucket {
	case "", ByHour, ByDay:
	default:
		return problem.New(problem.InvalidType, "bucket must be one of: hour, day.").At("bucket")
	}
	switch query.By {
	case ByNothing, ByModel, ByToken, ByUser, ByChannel:
	case ByTenant:
		return permission.Check(scope, permission.ReadPlatform)
	default:
		return problem.New(problem.InvalidType, "by must be one of: model, token, user, channel.").At("by")
	}
	return query.checkZone()
}

// rollups selects the smallest rollups that answer the query: totals unless it needs users or tokens, days
// unless it needs hours. It selects one row more than allowed, so that the caller notices when there are too
// many.
func (query *SummaryQuery) rollups(in *db.DB) *bun.SelectQuery {
	tables, q := rollup.ByUser(), in.NewSelect()
	switch {
	case query.byUser():
		q = query.ofUser(q)
	case query.By == ByTenant && query.TenantID == uuid.Nil:
		tables, q = rollup.Totals(), q.Where("r.tenant_id <> ?", uuid.Nil)
	default: // the totals of uuid.Nil are the platform's
		tables, q = rollup.Totals(), q.Where("r.tenant_id = ?", query.TenantID)
	}
	table := tables.Hourly
	if query.wholeDays() {
		table = tables.Daily
	}
	return query.filter(q.TableExpr("? AS r", bun.Ident(table))).ColumnExpr("r.*").Limit(maxRollups + 1)
}

// byUser reports whether the query needs rollups with users and tokens.
func (query *SummaryQuery) byUser() bool {
	return query.UserID != uuid.Nil || query.TokenID != uuid.Nil || query.By == ByUser || query.By == ByToken
}

// wholeDays reports whether daily rollups can answer the query.
func (query *SummaryQuery) wholeDays() bool {
	isWhole := func(t time.Time) bool { return t.IsZero() || t.UTC().Equal(t.UTC().Truncate(24*time.Hour)) }
	return query.Bucket != ByHour && query.localDays() == nil && isWhole(query.From) && isWhole(query.To)
}

// ofUser limits rollups with users and tokens to those of the query.
func (query *SummaryQuery) ofUser(q *bun.SelectQuery) *bun.SelectQuery {
	for column, id := range map[string]uuid.UUID{"tenant_id": query.TenantID, "user_id": query.UserID,
		"token_id": query.TokenID} {
		if id != uuid.Nil {
			q = q.Where("r.? = ?", bun.Ident(column), id)
		}
	}
	return q
}

// filter limits rollups to the model, the channel and the range of the query.
func (query *SummaryQuery) filter(q *bun.SelectQuery) *bun.SelectQuery {
	if query.Model != "" {
		q = q.Where("r.model = ?", field.Clean(query.Model))
	}
	if query.ChannelID != uuid.Nil {
		q = q.Where("r.channel_id = ?", query.ChannelID)
	}
	if !query.From.IsZero() {
		q = q.Where("r.start >= ?", query.From.UTC())
	}
	if !query.To.IsZero() {
		q = q.Where("r.start < ?", query.To.UTC())
	}
	return q
}

// columns selects the step, the value and the sums of the columns, and groups by the first two.
func (query *SummaryQuery) columns(q *bun.SelectQuery, postgres bool, sums []string) *bun.SelectQuery {
	switch query.Bucket {
	case ByHour:
		q = q.ColumnExpr("r.start AS step").GroupExpr("r.start")
	case ByDay:
		q = q.ColumnExpr("? AS step", query.localDays().expression(postgres)).GroupExpr("1")
	default:
		q = q.ColumnExpr("NULL AS step")
	}
	if query.By == ByNothing {
		q = q.ColumnExpr("'' AS value")
	} else {
		column := dimensions[query.By]
		q = q.ColumnExpr("CAST(? AS text) AS value", column).GroupExpr("?", column)
	}
	for _, column := range sums {
		q = q.ColumnExpr("CAST(sum(r.?0) AS bigint) AS ?0", bun.Ident(column))
	}
	return q.ColumnExpr("count(*) AS rollups").Having("count(*) > 0").OrderExpr("1, 2")
}

// dimensions are the columns of the dimensions.
var dimensions = map[Dimension]bun.Ident{
	ByModel: "r.model", ByToken: "r.token_id", ByUser: "r.user_id", ByChannel: "r.channel_id", ByTenant: "r.tenant_id",
}
