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

	"github.com/tollgate/tollgate/libs/core/attribution"
	"github.com/tollgate/tollgate/libs/core/tenant"
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
//
// A page whose logs are oldest first does the same in the other direction (log_forward.go).
type logSearch struct {
	LogQuery // limited to the logs that the scope may read
	order    page.Order
	scope    tenant.Scope
	db       bun.IDB
	postgres bool
	now      time.Time
	bounds   bounds                             // of the page
	oldest   uuid.UUID                          // least id that retention has left; uuid.Nil: not known, or no limit
	depth    func(context.Context) (int, error) // counts the outbox of all tenants
	waiting  *int                               // result of depth; nil: not called yet
}

// pin is the condition that a column equals a value, or one of several.
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
	if q.EndUser != "" {
		pins = append(pins, pin{"end_user", field.Clean(q.EndUser)})
	}
	if len(q.ClientMarks) > 0 {
		pins = append(pins, pin{"client", q.ClientMarks})
	}
	for _, tag := range q.Tags {
		pins = append(pins, pin{"tags", tag})
	}
	return pins
}

// counted returns the pins on columns that rollups have.
func (q *logSearch) counted() []pin {
	_, filters := among(q.pins(), []string{"dialect", "error", "end_user", "client", "tags"})
	return filters
}

// index chooses the index to read by. lead are the pins on its columns before the id, filters are the others.
func (q *logSearch) index() (lead, filters []pin) {
	pins := q.pins()
	for _, columns := range [...][]string{
		{"token_id"}, {"user_id"}, {"tenant_id", "outcome"}, {"tenant_id", "model"}, {"tenant_id"},
		{"channel_id"}, {"outcome"},
	} {
		if slices.Contains(columns, "outcome") && q.Outcome == usage.Success {
			continue // the partial indexes by outcome have only failed and partial logs
		}
		if lead, filters = among(pins, columns); len(lead) == len(columns) {
			return lead, filters
		}
	}
	return nil, pins
}

// among splits the pins into those on the columns, in the order of the columns, and the others, which filter what the
// index finds.
func among(pins []pin, columns []string) (lead, filters []pin) {
	for _, column := range columns {
		if i := slices.IndexFunc(pins, func(p pin) bool { return p.column == column }); i >= 0 {
			lead = append(lead, pins[i])
		}
	}
	for _, p := range pins {
		if !slices.Contains(columns, p.column) {
			filters = append(filters, p)
		}
	}
	return lead, filters
}

// logSpan is the range [from, before) of ids, of which the first "window" logs in the order of the page are examined at
// once. An end of the range is that of a month, as of a partition, or of the query's range; uuid.Nil has no lower
// bound.
type logSpan struct {
	from, before uuid.UUID
	window       int
}

// page returns the page of logs after the cursor, uuid.Nil for the first page.
func (q *logSearch) page(ctx context.Context, cursor uuid.UUID) (page.List[usage.Log], error) {
	result := logPage{logSearch: q, list: page.List[usage.Log]{Items: make([]usage.Log, 0, q.bounds.logs)}}
	span := q.first(cursor)
	for range logWindows {
		if err := q.window(ctx, span, q.bounds.logs+1-len(result.list.Items), result.add); err != nil {
			return page.List[usage.Log]{}, err
		}
		if result.list.Next != "" {
			return result.list, nil
		}
		nextSpan, err := q.beyond(ctx, span)
		if err != nil || nextSpan.before == uuid.Nil {
			return result.list, err
		}
		span = nextSpan
	}
	lastID := span.before
	if q.oldestFirst() {
		lastID = previous(span.from)
	}
	result.list.Next = q.order.Cursor(lastID.String())
	return result.list, nil
}

// logPage is a page that is being filled.
type logPage struct {
	*logSearch
	list page.List[usage.Log]
	size int // size of the logs in bytes
}

// add adds the next log to the page. If the page is full, it sets Next instead and returns false.
func (p *logPage) add(log usage.Log) (ok bool) {
	if n := len(p.list.Items); n == p.bounds.logs || p.size >= p.bounds.bytes {
		p.list.Next = p.order.Cursor(p.list.Items[n-1].ID.String())
		return false
	}
	p.size += page.Bytes(&log)
	hide(&log, p.scope)
	p.list.Items = append(p.list.Items, log)
	return true
}

// oldestFirst reports whether the page begins with the oldest log.
func (q *logSearch) oldestFirst() bool { return !q.order.Descending() }

// first returns the first span of a page after the cursor. It is in one month alone, which fills most pages: planning a
// statement takes longer the more partitions it may read. Only the month of the oldest log is not known before.
func (q *logSearch) first(cursor uuid.UUID) logSpan {
	if q.oldestFirst() {
		return q.firstForward(cursor)
	}
	top := q.top()
	if cursor != uuid.Nil {
		top = field.Lesser(top, cursor)
	}
	return logSpan{q.from(earlier(field.TimeOf(top), q.now)), top, logWindow}
}

// window visits up to limit matches among the last logs of the span.
func (q *logSearch) window(ctx context.Context, span logSpan, limit int, visit func(usage.Log) (ok bool)) error {
	lead, filters := q.index()
	examined := limit
	if q.checks(filters) {
		examined = span.window
	}
	candidates := q.scan(lead, span).ColumnExpr("r.*").Limit(int64(examined))
	matches := q.db.NewSelect().TableExpr("(?) AS r", candidates).ColumnExpr(logColumns).Limit(int64(limit))
	return eachLog(ctx, q.direction().sort(q.matches(matches, filters), lead, "id"), visit)
}

// matches limits a query of logs to those with the values of the pins in the range of time.
func (q *logSearch) matches(logs *bun.SelectQuery, pins []pin) *bun.SelectQuery {
	for _, p := range pins {
		logs = q.where(logs, p)
	}
	if !q.From.IsZero() {
		logs = logs.Where("r.created_at >= ?", q.From.UTC())
	}
	if !q.To.IsZero() {
		logs = logs.Where("r.created_at < ?", q.To.UTC())
	}
	return logs
}

// where limits a query of logs to those with the value of the pin.
func (q *logSearch) where(logs *bun.SelectQuery, p pin) *bun.SelectQuery {
	switch value := p.value.(type) {
	case []int64:
		return logs.Where("r.? IN (?)", bun.Ident(p.column), bun.List(value))
	case attribution.Tag:
		if q.postgres {
			return logs.Where("r.tags ->> ? = ?", field.Clean(value.Name), field.Clean(value.Value))
		}
		return logs.Where("json_extract(r.tags, ?) = ?", `$."`+field.Clean(value.Name)+`"`, field.Clean(value.Value))
	}
	return logs.Where("r.? = ?", bun.Ident(p.column), p.value)
}

// checks reports whether logs that the index finds must be checked for further conditions.
func (q *logSearch) checks(filters []pin) bool {
	return len(filters) > 0 || !q.From.IsZero() || !q.To.IsZero()
}

// scan selects the logs of the span in the direction of the page, in the order of the index whose leading columns are
// those of the pins.
func (q *logSearch) scan(lead []pin, span logSpan) *bun.SelectQuery {
	start := span.before
	if q.oldestFirst() {
		start = span.from
	}
	logs := q.direction().read(q.db.NewSelect().TableExpr("usage_logs AS r"), lead, pin{"id", start}).
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
// Postgres would sometimes read another index and discard nearly all rows that it finds. Where it expects few matches,
// it would also start parallel workers, which takes longer than reading the few rows up to the first match.
func (s *Store) sortByIndex(ctx context.Context, in *db.DB) error {
	if !s.db.Postgres() {
		return nil
	}
	_, err := in.NewRaw("SET LOCAL enable_sort = off; SET LOCAL enable_incremental_sort = off; " +
		"SET LOCAL max_parallel_workers_per_gather = 0").Exec(ctx)
	return err
}

// direction is that in which rows are read from an index.
type direction struct {
	beyond string // comparison that holds for the rows from a bound on
	end    string // comparison that ends the scan
	order  string
}

var (
	backward = direction{"<", ">=", "DESC"} // from a bound that it excludes
	forward  = direction{">=", "<=", "ASC"} // from a bound that it includes
)

// direction returns the direction of the page.
func (q *logSearch) direction() direction {
	if q.oldestFirst() {
		return forward
	}
	return backward
}

// read selects the rows that have the values of lead and, in the column of bound, a value on the side of the bound to
// which the direction leads. It reads them through the index on these columns. The last pin of the lead is written as a
// range: with equality Postgres drops the column from ORDER BY and may choose another index. The other bound of the
// range ends the scan.
func (d direction) read(q *bun.SelectQuery, lead []pin, bound pin) *bun.SelectQuery {
	tail := len(lead) - 1
	if tail < 0 {
		return d.sort(q.Where("r.? ? ?", bun.Ident(bound.column), bun.Safe(d.beyond), bound.value), lead, bound.column)
	}
	for _, p := range lead[:tail] {
		q = q.Where("r.? = ?", bun.Ident(p.column), p.value)
	}
	column, value := bun.Ident(lead[tail].column), lead[tail].value
	q = q.Where("r.? ? ?", column, bun.Safe(d.end), value).
		Where("(r.?, r.?) ? (?, ?)", column, bun.Ident(bound.column), bun.Safe(d.beyond), value, bound.value)
	return d.sort(q, lead, bound.column)
}

// between selects rows as read does, up to a value of the column of bound, which it includes.
func (d direction) between(q *bun.SelectQuery, lead []pin, bound pin, end any) *bun.SelectQuery {
	p := lead[len(lead)-1]
	return d.read(q, lead, bound).Where("(r.?, r.?) ? (?, ?)",
		bun.Ident(p.column), bun.Ident(bound.column), bun.Safe(d.end), p.value, end)
}

// sort adds the ORDER BY of read.
func (d direction) sort(q *bun.SelectQuery, lead []pin, column string) *bun.SelectQuery {
	if tail := len(lead) - 1; tail >= 0 {
		q = q.OrderExpr("r.? ?", bun.Ident(lead[tail].column), bun.Safe(d.order))
	}
	return q.OrderExpr("r.? ?", bun.Ident(column), bun.Safe(d.order))
}

// beyond returns the next span after a window that did not fill the page. If there is no further match, the
// field `before` of the result is uuid.Nil.
func (q *logSearch) beyond(ctx context.Context, span logSpan) (logSpan, error) {
	if _, filters := q.index(); !q.checks(filters) {
		return q.rest(span), nil // the window returned all logs of the span, so all others are next
	}
	return q.afterWindow(ctx, span)
}

// lastExamined returns the id of the last log that a window examined, or uuid.Nil if the window was not full, so that
// it examined the whole span.
func (q *logSearch) lastExamined(ctx context.Context, span logSpan) (id uuid.UUID, err error) {
	lead, _ := q.index()
	err = q.scan(lead, span).ColumnExpr("r.id").Offset(int64(span.window)-1).Limit(1).Scan(ctx, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return uuid.Nil, nil
	}
	return id, err
}

// afterWindow returns the next span after the first logs of a span were examined. If there is no further match, the
// field `before` of the result is uuid.Nil.
func (q *logSearch) afterWindow(ctx context.Context, span logSpan) (logSpan, error) {
	if q.oldestFirst() {
		return q.afterWindowForward(ctx, span)
	}
	border, err := q.lastExamined(ctx, span)
	if border == uuid.Nil {
		border = span.from
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

// rest returns everything after the span in the direction of the page, or the zero span if the range of the query ends
// with it.
func (q *logSearch) rest(span logSpan) logSpan {
	if q.oldestFirst() {
		return q.restForward(span)
	}
	if !q.reaches(span.from) {
		return logSpan{}
	}
	return logSpan{from: q.newer(), before: span.from}
}

// reaches reports whether the range of the query includes ids that are less than the given id.
func (q *logSearch) reaches(before uuid.UUID) bool { return less(q.floor(), before) }

// floor returns the least id of the query's range, or uuid.Nil if it has none.
func (q *logSearch) floor() uuid.UUID {
	floor := field.Greater(q.newer(), q.oldest)
	if q.From.IsZero() {
		return floor
	}
	return field.Greater(floor, field.IDFloor(q.From.Add(-field.ClockSlack)))
}

// findOldest sets oldest. Without it, rollups would lead a search to months whose logs were deleted.
func (q *logSearch) findOldest(ctx context.Context, in *db.DB) error {
	return in.Unrestricted(ctx, func(unscoped *db.DB) error {
		var row retentionRow
		err := unscoped.NewSelect().Model(&row).Where("id = 1").Scan(ctx)
		if !row.DroppedBefore.IsZero() {
			q.oldest = field.IDFloor(row.DroppedBefore)
		}
		return err
	})
}

// top returns the id that is greater than all of the query's range.
func (q *logSearch) top() uuid.UUID {
	if q.To.IsZero() {
		return uuid.Max
	}
	return field.IDFloor(q.To.Add(field.ClockSlack))
}

// less reports whether a is less than b.
func less(a, b uuid.UUID) bool { return bytes.Compare(a[:], b[:]) < 0 }

// from returns the beginning of the month of a time, or that of the query's range if it is later.
func (q *logSearch) from(at time.Time) uuid.UUID { return field.Greater(monthFloor(at), q.newer()) }

// newer returns the least id after Newer, or uuid.Nil if the query has no Newer.
func (q *logSearch) newer() uuid.UUID {
	if q.NewerThan == uuid.Nil {
		return uuid.Nil
	}
	return next(q.NewerThan)
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
