package metering

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/field"
)

// This file stores and reads usage logs by the types of the fields that usage.Columns lists, so that a column needs no
// code of its own. COPY has an encoder, see copyEncoder.

// logColumns lists the names of usage.Columns for a statement.
var logColumns = func() string {
	names := make([]string, len(usage.Columns))
	for i := range usage.Columns {
		names[i] = usage.Columns[i].Name
	}
	return strings.Join(names, ", ")
}()

// billColumns lists the names of the columns that a bill needs.
var billColumns = func() string {
	var names []string
	for i := range usage.Columns {
		if usage.Columns[i].Bill {
			names = append(names, usage.Columns[i].Name)
		}
	}
	return strings.Join(names, ", ")
}()

// insertRows stores the logs of the events.
func insertRows(ctx context.Context, in bun.IDB, events []usage.Event) error {
	rows := make(tuples, len(events))
	for i := range events {
		rows[i] = make([]any, len(usage.Columns))
		for at := range usage.Columns {
			var err error
			if rows[i][at], err = stored(&usage.Columns[at], &events[i].Log); err != nil {
				return err
			}
		}
	}
	_, err := in.NewRaw("INSERT INTO usage_logs ("+logColumns+") VALUES ?", rows).Exec(ctx)
	return err
}

// tuples are the values of rows.
type tuples [][]any

// AppendQuery appends them as VALUES has them. bun.Tuple would look at each value by reflection.
func (t tuples) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	for i, row := range t {
		if i > 0 {
			b = append(b, ", "...)
		}
		for at, value := range row {
			b = append(b, "(,"[min(at, 1)])
			b = gen.Append(b, value)
		}
		b = append(b, ')')
	}
	return b, nil
}

// stored returns the value of a column for a statement, with texts and times that both databases can store.
func stored(c *usage.Column, l *usage.Log) (any, error) {
	switch v := c.Field(l).(type) {
	case *uuid.UUID:
		return orNull(c, *v), nil
	case *string:
		return orNull(c, field.Clean(*v)), nil
	case *usage.Tags:
		return orNull(c, string(*v)), nil
	case *int64:
		return orNull(c, *v), nil
	case *int:
		return orNull(c, *v), nil
	case *money.Amount:
		return orNull(c, int64(*v)), nil
	case **money.Amount:
		if *v == nil {
			return nil, nil //nolint:nilnil // NULL
		}
		return int64(**v), nil
	case *time.Duration:
		return v.Microseconds(), nil
	case *bool:
		return *v, nil
	case *time.Time:
		return field.Micros(*v), nil
	case *[]usage.Attempt:
		attempts, err := json.Marshal(storableAttempts(*v))
		return string(attempts), err
	}
	return nil, fmt.Errorf("column %s: cannot store a field of type %T", c.Name, c.Field(l))
}

// orNull returns nil for the zero value of a column that stores it as NULL.
func orNull[T comparable](c *usage.Column, value T) any {
	var zero T
	if c.Nullable && value == zero {
		return nil
	}
	return value
}

// storableAttempts returns the attempts with texts that both databases can store. It copies the list before
// it changes an attempt, and never returns nil.
func storableAttempts(list []usage.Attempt) []usage.Attempt {
	attempts := field.OrEmpty(list)
	for i := range attempts {
		a := attempts[i]
		a.Error, a.Credential = field.Clean(a.Error), field.Clean(a.Credential)
		if a.Usage != nil {
			a.Usage = storableUsage(a.Usage)
		}
		if a != attempts[i] {
			attempts = slices.Clone(attempts)
			attempts[i] = a
		}
	}
	return attempts
}

// storableUsage returns a copy of the usage with texts that both databases can store.
func storableUsage(u *usage.Usage) *usage.Usage {
	log := usage.Log{Usage: *u}
	for i := range usage.Columns {
		if text, ok := usage.Columns[i].Field(&log).(*string); ok {
			*text = field.Clean(*text)
		}
	}
	return &log.Usage
}

// selectLogs selects all columns of usage logs, which have the alias r.
func selectLogs(in bun.IDB) *bun.SelectQuery {
	return in.NewSelect().TableExpr("usage_logs AS r").ColumnExpr(logColumns)
}

// readLogs returns the logs of the query, which selects any of usage.Columns.
func readLogs(ctx context.Context, q *bun.SelectQuery) (logs []usage.Log, err error) {
	err = eachLog(ctx, q, func(log usage.Log) bool {
		logs = append(logs, log)
		return true
	})
	return logs, err
}

// eachLog reads the logs of the query, which selects any of usage.Columns, one at a time, and calls visit with each
// until it returns false.
func eachLog(ctx context.Context, q *bun.SelectQuery, visit func(usage.Log) (more bool)) (err error) {
	rows, err := q.Rows(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	var log usage.Log
	cells := make([]any, len(names))
	for i, name := range names {
		at := slices.IndexFunc(usage.Columns, func(c usage.Column) bool { return c.Name == name })
		if at < 0 {
			return fmt.Errorf("usage logs have no column %s", name)
		}
		cells[i] = &cell{name, usage.Columns[at].Field(&log)}
	}
	for rows.Next() {
		log = usage.Log{}
		if err := rows.Scan(cells...); err != nil {
			return err
		}
		if !visit(log) {
			return nil
		}
	}
	return rows.Err()
}

// cell is a field of a log into which a column is read. The field is zero before.
type cell struct {
	name  string
	field any // see usage.Column
}

// Scan stores a value of the database in the field. The drivers return the same column as values of different types.
func (c *cell) Scan(value any) error {
	switch v := value.(type) {
	case nil:
		return nil
	case int64:
		return c.number(v)
	case bool:
		if to, ok := c.field.(*bool); ok {
			*to = v
			return nil
		}
	case string:
		return c.text(v)
	case []byte:
		return c.text(string(v))
	case time.Time:
		if to, ok := c.field.(*time.Time); ok {
			*to = v
			return nil
		}
	}
	return c.mismatch(value)
}

func (c *cell) number(n int64) error {
	switch to := c.field.(type) {
	case *int64:
		*to = n
	case *int:
		*to = int(n)
	case *bool: // SQLite has no booleans
		*to = n != 0
	case *money.Amount:
		*to = money.Amount(n)
	case **money.Amount:
		amount := money.Amount(n)
		*to = &amount
	case *time.Duration:
		*to = time.Duration(n) * time.Microsecond
	default:
		return c.mismatch(n)
	}
	return nil
}

func (c *cell) text(s string) (err error) {
	switch to := c.field.(type) {
	case *string:
		*to = s
	case *usage.Tags:
		*to = usage.Tags(s)
	case *uuid.UUID:
		*to, err = uuid.Parse(s)
	case *time.Time:
		var at bun.NullTime
		err = at.Scan(s)
		*to = at.Time
	case *[]usage.Attempt:
		err = json.Unmarshal([]byte(s), to)
	default:
		return c.mismatch(s)
	}
	return err
}

func (c *cell) mismatch(value any) error {
	return fmt.Errorf("column %s: cannot read a %T into a field of type %T", c.name, value, c.field)
}

// hide removes from a log what the scope may not see: only operators and programs see the supplier's costs.
func hide(log *usage.Log, scope tenant.Scope) {
	if !scope.Everywhere() {
		log.HideSupplier()
	}
}
