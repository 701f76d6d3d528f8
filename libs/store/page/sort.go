package page

import (
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"

	"github.com/tollgate/tollgate/libs/core/moment"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// Created is the name of the order by creation.
const Created = "created_at"

// Sort is the order that a caller asks for. The zero Sort is the order that the list has by itself.
type Sort struct {
	By   string // Created or the name of another column that the list can be sorted by
	Desc bool
}

// Order returns the order of a list of UUIDv7 ids that can be sorted by creation only: order for the zero Sort. It
// returns an InvalidType problem for another column.
func (s Sort) Order(order Order) (Order, error) {
	if (s == Sort{}) {
		return order, nil
	}
	if s.By != Created {
		return Order{}, unsorted([]string{Created})
	}
	return s.ofIDs(), nil
}

// ofIDs returns the order of ids in the direction of the sort, with the name of the sort.
func (s Sort) ofIDs() Order {
	o := OldestFirst
	if s.Desc {
		o = NewestFirst
	}
	o.name = s.By + " " + o.direction
	return o
}

// unsorted returns the problem of a sort by none of the columns.
func unsorted(columns []string) error {
	if len(columns) == 0 {
		return problem.New(problem.InvalidType, "this list has one order: leave sort and order out").At("sort")
	}
	return problem.New(problem.InvalidType, "sort must be one of: %s", strings.Join(columns, ", ")).At("sort")
}

// Column is a column by which callers may sort the rows R of a list. It needs an index on the columns that the list's
// query compares with values, then this column, then the id. The index serves both directions.
type Column[R any] struct {
	name  string
	sql   func(dialect.Name) string // returns the expression that is sorted
	value func(R) string            // returns the value for a cursor
	parse func(string) (any, error) // returns the value of a cursor as the argument of a query
}

// Text returns a column of text. Postgres sorts it by the collation of the database, SQLite by bytes without regard to
// the case of ASCII letters.
func Text[R any](name string, value func(R) string) Column[R] {
	sql := func(d dialect.Name) string {
		if d == dialect.SQLite {
			return "r." + name + " COLLATE NOCASE"
		}
		return "r." + name
	}
	parse := func(text string) (any, error) {
		if !utf8.ValidString(text) {
			return nil, errors.New("not UTF-8")
		}
		return text, nil
	}
	return Column[R]{name, sql, value, parse}
}

// Time returns a column of times. Rows without a time are sorted as the oldest. The expression calls no function: under
// row-level security, Postgres searches an index only for expressions that cannot reveal the values of other tenants.
func Time[R any](name string, value func(R) time.Time) Column[R] {
	never := time.Unix(0, 0).UTC()
	sql := "(CASE WHEN r." + name + " IS NULL THEN '" + never.Format("2006-01-02 15:04:05-07:00") + "' ELSE r." + name +
		" END)"
	show := func(row R) string {
		at := value(row)
		if at.IsZero() {
			at = never
		}
		return at.UTC().Format(time.RFC3339Nano)
	}
	parse := func(text string) (any, error) {
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return nil, err
		}
		return at, moment.Check(at) // Postgres has no year 0
	}
	return Column[R]{name, func(dialect.Name) string { return sql }, show, parse}
}

// SortedBy returns the rows of a list that callers may sort by each of the columns, and by creation. The ids must be
// UUIDv7.
func (r Rows[R, T]) SortedBy(columns ...Column[R]) Rows[R, T] {
	r.columns = slices.Concat(columns, []Column[R]{{name: Created}})
	return r
}

// sorting is the order of one page.
type sorting[R any] struct {
	Order
	before *Column[R] // sorts before the key; nil: nothing does
}

// sorting returns the order that the page asks for, or an InvalidType problem if the list does not have it.
func (r Rows[R, T]) sorting(sort Sort) (sorting[R], error) {
	if (sort == Sort{}) {
		return sorting[R]{Order: r.order}, nil
	}
	names := make([]string, 0, len(r.columns))
	for i := range r.columns {
		column := &r.columns[i]
		switch names = append(names, column.name); {
		case column.name != sort.By:
		case column.name == Created:
			return sorting[R]{Order: sort.ofIDs()}, nil
		default:
			return sorting[R]{sort.ofIDs(), column}, nil
		}
	}
	return sorting[R]{}, unsorted(names)
}

// sort adds the ORDER BY to a query.
func (s sorting[R]) sort(q *bun.SelectQuery) *bun.SelectQuery {
	if s.before != nil {
		q = q.OrderExpr("? ?", bun.Safe(s.before.sql(q.Dialect().Name())), bun.Safe(s.direction))
	}
	return q.OrderExpr("r.? ?", bun.Ident(s.Order.column), bun.Safe(s.direction))
}

// after limits a query to the rows after the cursor. "" does not limit it.
func (s sorting[R]) after(q *bun.SelectQuery, cursor string) (*bun.SelectQuery, error) {
	if cursor == "" {
		return q, nil
	}
	key, value, err := s.read(cursor)
	if err != nil {
		return nil, err
	}
	if s.before == nil {
		return q.Where("r.? ? ?", bun.Ident(s.Order.column), bun.Safe(s.op), key), nil
	}
	argument, err := s.before.parse(value)
	if err != nil {
		return nil, noCursor()
	}
	return q.Where("(?, r.?) ? (?, ?)", bun.Safe(s.before.sql(q.Dialect().Name())), bun.Ident(s.Order.column),
		bun.Safe(s.op), argument, key), nil
}

// cursorOf returns the cursor of a page that continues after the row with the key.
func (s sorting[R]) cursorOf(row R, key string) string {
	if s.before == nil {
		return s.Cursor(key)
	}
	return s.cursor(key, s.before.value(row))
}
