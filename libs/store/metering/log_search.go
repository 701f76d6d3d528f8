package metering

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/page"
)

const (
	logWindow   = 2000 // logs that one statement examines
	shortWindow = 500  // logs that one statement examines where the rollups know of a match
	logWindows  = 10   // windows of one page
)

// logSearch reads a page of the logs that a query selects, with bounded work.
//
// Some filters are the leading columns of an index that ends with the id. Under these filters the index has
// the logs in the order of the list, so reading them needs no search. The other filters are checked log by
// log. A page does that in windows:
//
//	newest log                                                              oldest log
//	|<- window: 2,000 logs ->|   skipped: the rollups know   |<- window: 500 logs ->| ...
//	                         |   of no match in these hours  |
//
// After each window, lastMatch asks the rollups and the outbox for the last hour before it that can have a
// match, and the next window begins there. After ten windows the page ends, full or not, with a cursor.
type logSearch struct {
	LogQuery // limited to the logs that the scope may read
	db       bun.IDB
	now      time.Time
	limit    int                                // logs of the page
	depth    func(context.Context) (int, error) // counts the outbox of all tenants
	waiting  *int                               // result of depth; nil: not called yet
}

// pin is the condition that a column equals a value.
type pin struct {
	column string
	value  any
}

// pins returns the filters of the query except the range of time.
func (q *logSearch) pins() (pins []pin) {
	for _, p := range []struct {
		column string
		id     uuid.UUID
	}{{"tenant_id", q.TenantID}, {"user_id", q.UserID}, {"token_id", q.TokenID}, {"channel_id", q.ChannelID}} {
		if p.id != uuid.Nil {
			pins = append(pins, pin{p.column, p.id})
		}
	}
	if q.Model != "" {
		pins = append(pins, pin{"model", field.Clean(q.Model)})
	}
	if q.Outcome != "" {
		pins = append(pins, pin{"outcome", q.Outcome})
	}
	if q.Dialect != "" {
		pins = append(pins, pin{"dialect", field.Clean(q.Dialect)})
	}
	if q.Error != "" {
		pins = append(pins, pin{"error", field.Clean(q.Error)})
	}
	return pins
}

// counted returns the pins on columns that rollups have.
func (q *logSearch) counted() []pin {
	_, known := among(q.pins(), []string{"dialect", "error"})
	return known
}

// index chooses the index to read by. lead are the pins on its columns before the id, rest are the others.
func (q *logSearch) index() (lead, rest []pin) {
	pins := q.pins()
	for _, columns := range [...][]string{
		{"token_id"}, {"user_id"}, {"tenant_id", "outcome"}, {"tenant_id", "model"}, {"tenant_id"}, {"channel_id"}, {"outcome"},
	} {
		if slices.Contains(columns, "outcome") && q.Outcome == usage.Success {
			continue // the partial indexes by outcome have only failed and partial logs
		}
		if lead, rest = among(pins, columns); len(lead) == len(columns) {
			return lead, rest
		}
	}
	return nil, pins
}

// among splits the pins into those on the columns, in the order of the columns, and the rest.
func among(pins []pin, columns []string) (lead, rest []pin) {
	for _, column := range columns {
		if i := slices.IndexFunc(pins, func(p pin) bool { return p.column == column }); i >= 0 {
			lead = append(lead, pins[i])
		}
	}
	for _, p := range pins {
		if !slices.Contains(columns, p.column) {
			rest = append(rest, p)
		}
	}
	return lead, rest
}

// logSpan is the range [from, before) of ids, of which the last "window" logs are examined at once. from is
// the beginning of a month, as that of a partition, or of the query's range; uuid.Nil has no lower bound.
type logSpan struct {
	from, before uuid.UUID
	window       int
}

// page returns the page of logs with ids less than before. Its first window is in the last month alone, which
// fills most pages: planning a statement takes longer the more partitions it may read.
func (q *logSearch) page(ctx context.Context, before uuid.UUID) (page.List[usage.Log], error) {
	found := page.List[usage.Log]{Items: make([]usage.Log, 0, q.limit)}
	span := logSpan{q.from(earlier(field.TimeOf(before), q.now)), before, logWindow}
	for range logWindows {
		rows, err := q.window(ctx, span, q.limit+1-len(found.Items))
		if err != nil {
			return page.List[usage.Log]{}, err
		}
		for _, row := range rows {
			if len(found.Items) == q.limit {
				found.Next = page.CursorOf(found.Items[q.limit-1].ID.String())
				return found, nil
			}
			found.Items = append(found.Items, row.core())
		}
		rest, err := q.beyond(ctx, span)
		if err != nil || rest.before == uuid.Nil {
			return found, err
		}
		span = rest
	}
	found.Next = page.CursorOf(span.before.String())
	return found, nil
}

// window returns up to limit matches among the last logs of the span.
func (q *logSearch) window(ctx context.Context, span logSpan, limit int) (rows []logRow, err error) {
	lead, rest := q.index()
	examined := limit
	if q.checks(rest) {
		examined = span.window
	}
	last := q.scan(lead, span).ColumnExpr("r.*").Limit(int64(examined))
	matches := q.db.NewSelect().Model(&rows).ModelTableExpr("(?) AS r", last).Limit(int64(limit))
	for _, p := range rest {
		matches = matches.Where("r.? = ?", bun.Ident(p.column), p.value)
	}
	if !q.From.IsZero() {
		matches = matches.Where("r.created_at >= ?", q.From.UTC())
	}
	if !q.To.IsZero() {
		matches = matches.Where("r.created_at < ?", q.To.UTC())
	}
	return rows, inOrder(matches, lead, "id").Scan(ctx)
}

// checks reports whether logs that the index finds must be checked for further conditions.
func (q *logSearch) checks(rest []pin) bool {
	return len(rest) > 0 || !q.From.IsZero() || !q.To.IsZero()
}

// scan selects the logs of the span, newest first, in the order of the index whose leading columns are those
// of the pins.
func (q *logSearch) scan(lead []pin, span logSpan) *bun.SelectQuery {
	logs := backwards(q.db.NewSelect().TableExpr("usage_logs AS r"), lead, pin{"id", span.before}).
		Where("r.id < ?", span.before).Where("r.id >= ?", span.from) // lets Postgres leave out partitions
	switch column := leader(lead); { // Postgres uses a partial index only if the statement has its condition
	case column == "channel_id":
		logs = logs.Where("r.channel_id IS NOT NULL")
	case column == "outcome" && len(lead) == 1:
		logs = logs.Where("r.outcome IN ('partial', 'failed')")
	case column == "outcome":
		logs = logs.Where("r.outcome <> 'success'")
	}
	return logs
}

// leader returns the last column of the index before the id, or "".
func leader(lead []pin) string {
	if len(lead) == 0 {
		return ""
	}
	return lead[len(lead)-1].column
}

// monthFloor returns the least id of the month of a time.
func monthFloor(at time.Time) uuid.UUID {
	year, month, _ := at.UTC().Date()
	return field.IDFloor(time.Date(year, month, 1, 0, 0, 0, 0, time.UTC))
}

// sortByIndex makes Postgres use, for the rest of the transaction, an index that has the order of the
// statement. The statistics of Postgres may be old and do not have correlations between columns. With them alone
// Postgres would sometimes read another index and discard nearly all rows that it finds.
func (s *Store) sortByIndex(ctx context.Context, in *db.DB) error {
	if !s.db.Postgres() {
		return nil
	}
	_, err := in.NewRaw("SET LOCAL enable_sort = off; SET LOCAL enable_incremental_sort = off").Exec(ctx)
	return err
}

// backwards selects the rows that have the values of lead and, in the column of before, a value less than
// that of before. It reads them in descending order through the index on these columns. The last pin of the
// lead is written as a range: with equality Postgres drops the column from ORDER BY and may choose another
// index. The lower bound of the range ends the scan.
func backwards(q *bun.SelectQuery, lead []pin, before pin) *bun.SelectQuery {
	last := len(lead) - 1
	if last < 0 {
		return inOrder(q.Where("r.? < ?", bun.Ident(before.column), before.value), lead, before.column)
	}
	for _, p := range lead[:last] {
		q = q.Where("r.? = ?", bun.Ident(p.column), p.value)
	}
	column, value := bun.Ident(lead[last].column), lead[last].value
	q = q.Where("r.? >= ?", column, value).
		Where("(r.?, r.?) < (?, ?)", column, bun.Ident(before.column), value, before.value)
	return inOrder(q, lead, before.column)
}

// inOrder adds the ORDER BY of backwards.
func inOrder(q *bun.SelectQuery, lead []pin, column string) *bun.SelectQuery {
	if last := len(lead) - 1; last >= 0 {
		q = q.OrderExpr("r.? DESC", bun.Ident(lead[last].column))
	}
	return q.OrderExpr("r.? DESC", bun.Ident(column))
}

// beyond returns the next span after a window that did not fill the page. If there is no further match, the
// field `before` of the result is uuid.Nil.
func (q *logSearch) beyond(ctx context.Context, span logSpan) (logSpan, error) {
	lead, rest := q.index()
	if !q.checks(rest) {
		return q.rest(span), nil // the window returned all logs of the span, so all earlier logs are next
	}
	var border uuid.UUID
	err := q.scan(lead, span).ColumnExpr("r.id").Offset(int64(span.window)-1).Limit(1).Scan(ctx, &border)
	if errors.Is(err, sql.ErrNoRows) {
		border, err = span.from, nil
	}
	if err != nil || !q.reaches(border) {
		return logSpan{}, err
	}
	end, err := q.lastMatch(ctx, field.TimeOf(border).Add(field.ClockSlack+time.Millisecond))
	if err != nil || end.IsZero() {
		return logSpan{}, err
	}
	before, window := border, logWindow
	if match := field.IDFloor(end.Add(field.ClockSlack)); field.Lesser(border, match) == match {
		before, window = match, shortWindow
	}
	if !q.reaches(before) {
		return logSpan{}, nil
	}
	return logSpan{q.from(field.TimeOf(before).Add(-time.Millisecond)), before, window}, nil
}

// rest returns everything before the span, or the zero span if the range of the query ends with it.
func (q *logSearch) rest(span logSpan) logSpan {
	if !q.reaches(span.from) {
		return logSpan{}
	}
	return logSpan{from: q.newer(), before: span.from}
}

// reaches reports whether the range of the query includes ids that are less than the given id.
func (q *logSearch) reaches(before uuid.UUID) bool {
	floor := q.newer()
	if !q.From.IsZero() {
		floor = field.Greater(floor, field.IDFloor(q.From.Add(-field.ClockSlack)))
	}
	return bytes.Compare(before[:], floor[:]) > 0
}

// from returns the beginning of the month of a time, or that of the query's range if it is later.
func (q *logSearch) from(at time.Time) uuid.UUID { return field.Greater(monthFloor(at), q.newer()) }

// newer returns the least id after Newer, or uuid.Nil if the query has no Newer.
func (q *logSearch) newer() uuid.UUID {
	if q.Newer == uuid.Nil {
		return uuid.Nil
	}
	return next(q.Newer)
}

// next returns the id that follows the given one. After the greatest id it returns uuid.Nil.
func next(id uuid.UUID) uuid.UUID {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i]++; id[i] != 0 {
			break
		}
	}
	return id
}
