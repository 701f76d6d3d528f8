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

func (q *logSearch) page(ctx context.Context, before uuid.UUID) (List[usage.Log], error) {
	found := List[usage.Log]{Items: make([]usage.Log, 0, q.limit)}
	for range logWindows {
		rows, err := q.window(ctx, before, q.limit+1-len(found.Items))
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
		rest, more, err := q.beyond(ctx, before)
		if err != nil || !more {
			return found, err
		}
		before = rest
	}
	found.Next = cursorOf(before.String())
	return found, nil
}

// window returns up to limit matches among the last logs before the id.
func (q *logSearch) window(ctx context.Context, before uuid.UUID, limit int) (rows []logRow, err error) {
	lead, rest := q.index()
	examined := limit
	if q.checks(rest) {
		examined = logWindow
	}
	last := q.scan(lead, before).ColumnExpr("r.*").Limit(int64(examined))
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

// scan reads the logs before the id through the index that the pins lead.
func (q *logSearch) scan(lead []pin, before uuid.UUID) *bun.SelectQuery {
	logs := backwards(q.db.NewSelect().TableExpr("usage_logs AS r"), lead, pin{"id", before}).Where("r.id < ?", before)
	if !q.From.IsZero() { // for the choice of partitions, which begin where months do
		year, month, _ := q.From.Add(-clockSlack).UTC().Date()
		logs = logs.Where("r.id >= ?", idFloor(time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)))
	}
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

// beyond returns before which id the next match can be, once the window before
// the given one has been looked at, and whether there can be any.
func (q *logSearch) beyond(ctx context.Context, before uuid.UUID) (rest uuid.UUID, more bool, err error) {
	lead, checked := q.index()
	if !q.checks(checked) {
		return before, false, nil // the logs ended before the page was full
	}
	err = q.scan(lead, before).ColumnExpr("r.id").Offset(logWindow-1).Limit(1).Scan(ctx, &rest)
	if errors.Is(err, sql.ErrNoRows) {
		return before, false, nil
	}
	if err != nil || !q.mayGoOn(timeOf(rest)) {
		return before, false, err
	}
	end, err := q.lastMatch(ctx, timeOf(rest).Add(clockSlack+time.Millisecond))
	if err != nil || !q.mayGoOn(end) {
		return before, false, err
	}
	return lesser(rest, idFloor(end.Add(clockSlack))), true, nil
}

// mayGoOn tells whether logs of the time and earlier ones can be in the range.
func (q *logSearch) mayGoOn(at time.Time) bool {
	return !at.IsZero() && at.After(q.From.Add(-clockSlack))
}
