package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/usage"
)

const (
	logWindow  = 2000 // logs that one statement examines
	logWindows = 10   // statements of one page
)

// logSearch reads pages of the logs that a query selects. Some filters stand
// in an index before the id: under them the logs lie in the order of the list.
// The others are checked log by log, in windows of bounded size; between two
// windows the rollups tell where the next match can be.
type logSearch struct {
	LogQuery // within the scope's reach
	db       bun.IDB
	limit    int
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
		pins = append(pins, pin{"model", clean(q.Model)})
	}
	if q.Outcome != "" {
		pins = append(pins, pin{"outcome", q.Outcome})
	}
	return pins
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

func (q *logSearch) page(ctx context.Context, span idSpan) (List[usage.Log], error) {
	found := List[usage.Log]{Items: make([]usage.Log, 0, q.limit)}
	for range logWindows {
		rows, err := q.window(ctx, span, q.limit+1-len(found.Items))
		if err != nil {
			return List[usage.Log]{}, err
		}
		for _, row := range rows {
			if len(found.Items) == q.limit {
				found.Next = cursorOf(found.Items[q.limit-1].ID.String())
				return found, nil
			}
			found.Items = append(found.Items, row.core())
		}
		rest, err := q.beyond(ctx, span)
		if err != nil || rest == span {
			return found, err
		}
		span = rest
	}
	found.Next = cursorOf(span.Before.String())
	return found, nil
}

// window returns up to limit matches among the first logs of the span.
func (q *logSearch) window(ctx context.Context, span idSpan, limit int) (rows []logRow, err error) {
	lead, rest := q.index()
	examined := limit
	if q.checks(rest) {
		examined = logWindow
	}
	first := q.scan(lead, span).ColumnExpr("r.*").Limit(int64(examined))
	matches := q.db.NewSelect().Model(&rows).ModelTableExpr("(?) AS r", first).Limit(int64(limit))
	for _, p := range rest {
		matches = matches.Where("r.? = ?", bun.Ident(p.column), p.value)
	}
	if !q.From.IsZero() {
		matches = matches.Where("r.created_at >= ?", q.From.UTC())
	}
	if !q.To.IsZero() {
		matches = matches.Where("r.created_at < ?", q.To.UTC())
	}
	return rows, descending(matches, append(lead, pin{column: "id"})).Scan(ctx)
}

// checks tells whether logs found by the index may have to be passed over.
func (q *logSearch) checks(rest []pin) bool {
	return len(rest) > 0 || !q.From.IsZero() || !q.To.IsZero()
}

// scan reads the logs of the span through the index that the pins lead.
func (q *logSearch) scan(lead []pin, span idSpan) *bun.SelectQuery {
	logs := within(q.db.NewSelect().TableExpr("usage_logs AS r"), lead, bounds{"id", span.From, span.Before}).
		Where("r.id >= ?", span.From).Where("r.id < ?", span.Before) // for the choice of partitions
	for _, p := range lead { // in the words of the partial indexes
		switch p.column {
		case "channel_id":
			logs = logs.Where("r.channel_id IS NOT NULL")
		case "outcome":
			logs = logs.Where("r.outcome <> 'success'")
		}
	}
	return logs
}

// bounds are [from, before) of a column.
type bounds struct {
	column       string
	from, before any
}

// sortByIndex makes the database read what follows in the transaction by the
// very index that has its order. Left to statistics, which may be old and know
// nothing of what goes together, it would now and then walk another one, and
// discard all that it finds there.
func (s *Store) sortByIndex(ctx context.Context, db bun.IDB) error {
	if !s.postgres() {
		return nil
	}
	_, err := db.NewRaw("SET LOCAL enable_sort = off; SET LOCAL enable_incremental_sort = off").Exec(ctx)
	return err
}

// within selects the rows between two entries of the index on the pins'
// columns and the bounds' one, from the last to the first. The pins are said
// as bounds, too: as equalities they would drop out of the order, and it would
// be that of other indexes as well.
func within(q *bun.SelectQuery, lead []pin, b bounds) *bun.SelectQuery {
	columns := append(slices.Clip(lead), pin{column: b.column})
	names, from, before := make([]bun.Ident, len(columns)), make([]any, len(columns)), make([]any, len(columns))
	for i, p := range columns {
		names[i], from[i], before[i] = bun.Ident("r."+p.column), p.value, p.value
	}
	from[len(lead)], before[len(lead)] = b.from, b.before
	q = q.Where("(?) >= (?)", bun.List(names), bun.List(from)).Where("(?) < (?)", bun.List(names), bun.List(before))
	return descending(q, columns)
}

func descending(q *bun.SelectQuery, columns []pin) *bun.SelectQuery {
	for _, p := range columns {
		q = q.OrderExpr("r.? DESC", bun.Ident(p.column))
	}
	return q
}

// beyond returns the part of the span that is left once its first window has
// been looked at, beginning where the next match can be; the span itself where
// nothing is left.
func (q *logSearch) beyond(ctx context.Context, span idSpan) (idSpan, error) {
	lead, rest := q.index()
	if !q.checks(rest) {
		return span, nil // the logs ended before the page was full
	}
	var border uuid.UUID
	err := q.scan(lead, span).ColumnExpr("r.id").Offset(logWindow-1).Limit(1).Scan(ctx, &border)
	if errors.Is(err, sql.ErrNoRows) {
		return span, nil
	}
	if err != nil {
		return span, err
	}
	until, err := q.lastMatch(ctx, timeOf(border).Add(clockSlack+time.Millisecond))
	if err != nil || until.IsZero() {
		return span, err
	}
	return idSpan{span.From, lesser(border, idFloor(until.Add(clockSlack)))}, nil
}
