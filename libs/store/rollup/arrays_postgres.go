package rollup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// arrays holds rows column by column, in the order of Columns. A statement with arrays as arguments costs Postgres a
// third of one with the values in its text, which is parsed and planned again each time.
type arrays struct {
	starts []pgtype.Timestamptz
	ids    [4][]pgtype.UUID // tenant, user, token, channel
	models []string
	counts [11][]int64
}

func newArrays(n int) *arrays {
	a := &arrays{starts: make([]pgtype.Timestamptz, 0, n), models: make([]string, 0, n)}
	for i := range a.ids {
		a.ids[i] = make([]pgtype.UUID, 0, n)
	}
	for i := range a.counts {
		a.counts[i] = make([]int64, 0, n)
	}
	return a
}

func (a *arrays) add(r *rollupRow) {
	a.starts, a.models = append(a.starts, pgtype.Timestamptz{Time: r.Start, Valid: true}), append(a.models, r.Model)
	for i, id := range [...]uuid.UUID{r.TenantID, r.UserID, r.TokenID, r.ChannelID} {
		a.ids[i] = append(a.ids[i], pgtype.UUID{Bytes: id, Valid: true})
	}
	for i, count := range [...]int64{
		r.Requests, r.Failed, r.Partial, r.Usage.Input, r.Usage.CachedInput, r.Usage.CacheWrite, r.Usage.AudioInput,
		r.Usage.Output, r.Usage.Reasoning, r.Usage.AudioOutput, int64(r.Quota),
	} {
		a.counts[i] = append(a.counts[i], count)
	}
}

// columns returns the arrays by the names of Columns.
func (a *arrays) columns() map[string]any {
	columns := map[string]any{
		"start": a.starts, "tenant_id": a.ids[0], "user_id": a.ids[1], "token_id": a.ids[2], "model": a.models,
		"channel_id": a.ids[3],
	}
	for i, name := range Columns[SumsFrom:] {
		columns[name] = a.counts[i]
	}
	return columns
}

// typeOf returns the Postgres type of one of Columns.
func typeOf(column string) string {
	switch i := slices.Index(Columns, column); {
	case column == "start":
		return "timestamptz"
	case column == "model":
		return "text"
	case i < SumsFrom:
		return "uuid"
	}
	return "bigint"
}

// insertArrays returns the statement that inserts rows, whose columns are its arguments, into a table under the name r.
func insertArrays(table string, columns []string) string {
	values := make([]string, len(columns))
	for i, column := range columns {
		values[i] = fmt.Sprintf("$%d::%s[]", i+1, typeOf(column))
	}
	return "INSERT INTO " + table + " AS r (" + strings.Join(columns, ", ") + ") SELECT * FROM unnest(" +
		strings.Join(values, ", ") + ")"
}

// InsertOutbox returns the statement that inserts rows into the outbox. Its arguments are OutboxArrays.
func InsertOutbox() string { return insertArrays("usage_outbox", Columns) }

// OutboxArrays returns the rows column by column, as arguments of InsertOutbox.
func OutboxArrays(rows []OutboxRow) []any {
	a := newArrays(len(rows))
	for i := range rows {
		a.add(&rows[i].rollupRow)
	}
	return a.arguments(Columns)
}

// arguments returns the arrays of some columns.
func (a *arrays) arguments(columns []string) []any {
	byName, arguments := a.columns(), make([]any, len(columns))
	for i, column := range columns {
		arguments[i] = byName[column]
	}
	return arguments
}

// addArrays does on Postgres what addSums does. columns are those of Columns that the table has. The statement is
// prepared, unless a connection pooler would give it to other programs.
func (s *Store) addArrays(ctx context.Context, table, key string, columns []string, rows []rollupRow) error {
	sets := make([]string, 0, len(Columns[SumsFrom:]))
	for _, column := range Columns[SumsFrom:] {
		sets = append(sets, fmt.Sprintf("%[1]s = r.%[1]s + EXCLUDED.%[1]s", column))
	}
	text := insertArrays(table, columns) + " ON CONFLICT (" + key + ") DO UPDATE SET " + strings.Join(sets, ", ")
	a := newArrays(len(rows))
	for i := range rows {
		a.add(&rows[i])
	}
	return s.db.Native(func(conn *pgx.Conn) error {
		if !s.db.Pooler() {
			if _, err := conn.Prepare(ctx, text, text); err != nil {
				return err
			}
		}
		_, err := conn.Exec(ctx, text, a.arguments(columns)...)
		return err
	})
}
