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
	shortWindow = 500  // where the rollups say that there is a match
	logWindows  = 10   // statements of one page
)

// logSearch reads pages of the logs that a query selects. Some filters stand
// in an index before the id: under them the logs lie in the order of the list.
// The others are checked log by log, in windows of bounded size; between two
// windows the rollups tell where the next match can be.
type logSearch struct {
	LogQuery // within the scope's reach
	db       bun.IDB
	now      time.Time
	limit    int
	depth    func(context.Context) (int, error) // of everybody's outbox
	waiting  *int                               // the depth, once it was asked for
}

// pin is a column that has to have a value.
type pin struct {
	column string
	value  any
}

// pins are the filters beside the time.
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

// counted are the pins that rollups know of.
func (q *logSearch) counted() []pin {
	_, known := among(q.pins(), []string{"dialect", "error"})
	return known
}

// index returns the pins that lead the index to read by, and the rest.
func (q *logSearch) index() (lead, rest []pin) {
	pins := q.pins()
	for _, columns := range [...][]string{
		{"token_id"}, {"user_id"}, {"tenant_id", "outcome"}, {"tenant_id", "model"}, {"tenant_id"}, {"channel_id"}, {"outcome"},
	} {
		if slices.Contains(columns, "outcome") && q.Outcome == usage.Success {
			continue // its indexes have the bad ones alone
		}
		if lead, rest = among(pins, columns); len(lead) == len(columns) {
			return lead, rest
		}
	}
	return nil, pins
}

// among parts the pins into those of the columns, in their order, and the rest.
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

// logSpan is [from, before) of ids. From is where a month begins, as
// partitions do, or uuid.Nil. Window is how many of the last logs in it are
// examined at once.
type logSpan struct {
	from, before uuid.UUID
	window       int
}

// page looks at the last month first, which fills most pages: the fewer
// partitions, the sooner a statement is planned.
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

// checks tells whether logs found by the index may have to be passed over.
func (q *logSearch) checks(rest []pin) bool {
	return len(rest) > 0 || !q.From.IsZero() || !q.To.IsZero()
}

// scan reads the logs of the span through the index that the pins lead.
func (q *logSearch) scan(lead []pin, span logSpan) *bun.SelectQuery {
	logs := backwards(q.db.NewSelect().TableExpr("usage_logs AS r"), lead, pin{"id", span.before}).
		Where("r.id < ?", span.before).Where("r.id >= ?", span.from) // for the choice of partitions
	switch column := leader(lead); { // in the words of the partial indexes
	case column == "channel_id":
		logs = logs.Where("r.channel_id IS NOT NULL")
	case column == "outcome" && len(lead) == 1:
		logs = logs.Where("r.outcome IN ('partial', 'failed')")
	case column == "outcome":
		logs = logs.Where("r.outcome <> 'success'")
	}
	return logs
}

// leader is the last column before the id, "" for none.
func leader(lead []pin) string {
	if len(lead) == 0 {
		return ""
	}
	return lead[len(lead)-1].column
}

// monthFloor is below every id of the time's month.
func monthFloor(at time.Time) uuid.UUID {
	year, month, _ := at.UTC().Date()
	return field.IDFloor(time.Date(year, month, 1, 0, 0, 0, 0, time.UTC))
}

// sortByIndex makes the database read what follows in the transaction by the
// very index that has its order. Left to statistics, which may be old and know
// nothing of what goes together, it would now and then walk another one, and
// discard all that it finds there.
func (s *Store) sortByIndex(ctx context.Context, in *db.DB) error {
	if !s.db.Postgres() {
		return nil
	}
	_, err := in.NewRaw("SET LOCAL enable_sort = off; SET LOCAL enable_incremental_sort = off").Exec(ctx)
	return err
}

// backwards selects the rows with the lead's values from before the last
// column's value on, by the index on these columns. The last of the lead is
// said as a range: as an equality it would drop out of the order, which would
// be that of other indexes, too. A bound on the other end would not be seen by
// Postgres as the end of the scan.
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

// inOrder is the order of backwards.
func inOrder(q *bun.SelectQuery, lead []pin, column string) *bun.SelectQuery {
	if last := len(lead) - 1; last >= 0 {
		q = q.OrderExpr("r.? DESC", bun.Ident(lead[last].column))
	}
	return q.OrderExpr("r.? DESC", bun.Ident(column))
}

// beyond returns the span to look at once a window of the given one has not
// filled the page; one before uuid.Nil where there is none.
func (q *logSearch) beyond(ctx context.Context, span logSpan) (logSpan, error) {
	lead, rest := q.index()
	if !q.checks(rest) {
		return q.rest(span), nil // all of the span was returned: now the rest at once
	}
	var border uuid.UUID
	err := q.scan(lead, span).ColumnExpr("r.id").Offset(int64(span.window)-1).Limit(1).Scan(ctx, &border)
	if errors.Is(err, sql.ErrNoRows) {
		border, err = span.from, nil
	}
	if err != nil || !q.mayGoOn(border) {
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
	if !q.mayGoOn(before) {
		return logSpan{}, nil
	}
	return logSpan{q.from(field.TimeOf(before).Add(-time.Millisecond)), before, window}, nil
}

// rest is all before the span, nothing where the range ends with it.
func (q *logSearch) rest(span logSpan) logSpan {
	if !q.mayGoOn(span.from) {
		return logSpan{}
	}
	return logSpan{from: q.newer(), before: span.from}
}

// mayGoOn tells whether logs before the id can be in the range.
func (q *logSearch) mayGoOn(before uuid.UUID) bool {
	floor := q.newer()
	if !q.From.IsZero() {
		floor = field.Greater(floor, field.IDFloor(q.From.Add(-field.ClockSlack)))
	}
	return bytes.Compare(before[:], floor[:]) > 0
}

// from is where the time's month begins, or the range does within it.
func (q *logSearch) from(at time.Time) uuid.UUID { return field.Greater(monthFloor(at), q.newer()) }

// newer is the least id of the range, uuid.Nil where it has none.
func (q *logSearch) newer() uuid.UUID {
	if q.Newer == uuid.Nil {
		return uuid.Nil
	}
	return next(q.Newer)
}

// next is the id behind the given one, which is not the last.
func next(id uuid.UUID) uuid.UUID {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i]++; id[i] != 0 {
			break
		}
	}
	return id
}
