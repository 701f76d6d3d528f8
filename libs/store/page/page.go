// Package page reads lists by page, in the order of a key (keyset pagination). A page continues after the last
// key of the page before, which its cursor holds, and not at an offset: a page costs the same at the end of a
// list as at its start, and rows that are added or deleted meanwhile shift nothing.
//
//	rows := page.RowsOf(page.NewestFirst, row.key, row.core)   // the order and the mapping of a list
//	found, err := rows.Read(ctx, query, asked)                 // one page of the query
//	found, err := rows.Search(ctx, db, query, asked, fields)   // the same, with a text search
//
// The query selects the rows that the caller may see: it has its WHERE clauses, the alias r, and no ORDER BY or
// LIMIT.
package page

import (
	"context"
	"encoding/base64"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// The number of items of a page: the default, and the most that a caller may ask for.
const (
	defaultLimit = 50
	maxLimit     = 200
)

// Page asks for one page of a list.
type Page struct {
	After string // Next of the page before; "" for the first page
	Limit int    // 0: 50; at most 200
	// Search is a text to look for, "" for all rows. Lists that have no search refuse it.
	Search string
}

// List is one page of a list. Only Next tells whether there are more rows: a page may have few Items, or none,
// and a Next.
type List[T any] struct {
	Items []T
	Next  string // "" on the last page
}

// Order is the column by which a list is sorted, and the direction.
type Order struct {
	column string
	op     string                 // comparison that holds for the rows after the cursor: ">" or "<"
	by     string                 // "ASC" or "DESC"
	check  func(key string) error // refuses a cursor whose key cannot be a key of this list
}

// The orders of lists whose ids are UUIDv7. These begin with their creation time, so the order of ids is the
// order of creation.
var (
	OldestFirst = Order{"id", ">", "ASC", checkID}
	NewestFirst = Order{"id", "<", "DESC", checkID}
)

// ByName is the order of a list whose ids are names, such as models. check returns an error for a cursor that
// is no such name.
func ByName(check func(name string) error) Order { return Order{"id", ">", "ASC", check} }

// checkID returns an error unless the key is a UUID.
func checkID(key string) error {
	_, err := uuid.Parse(key)
	return err
}

// Rows describes the rows R of a list and how each is mapped to a T. The table of a query on them has the alias
// r.
type Rows[R, T any] struct {
	order Order
	key   func(R) string // returns the value of the column of the order
	core  func(R) T      // returns the core value of the row
}

// RowsOf returns the Rows of a list in this order. key returns the value that the order compares, core the
// value that a row stores.
func RowsOf[R, T any](o Order, key func(R) string, core func(R) T) Rows[R, T] {
	return Rows[R, T]{o, key, core}
}

// Read reads one page of the query's rows. It returns an InvalidType problem if the limit or the cursor is
// invalid, or if the page has a search.
func (r Rows[R, T]) Read(ctx context.Context, q *bun.SelectQuery, page Page) (List[T], error) {
	limit, err := page.Size()
	if err != nil {
		return List[T]{}, err
	}
	if page.Search != "" {
		return List[T]{}, problem.New(problem.InvalidType, "this list has no search: leave search out").At("search")
	}
	if q, err = page.afterCursor(q, r.order); err != nil {
		return List[T]{}, err
	}
	rows := []R{}
	// One additional row shows whether there is a next page.
	q = q.Model(&rows).OrderExpr("r.? ?", bun.Ident(r.order.column), bun.Safe(r.order.by)).Limit(int64(limit) + 1)
	if err := q.Scan(ctx); err != nil {
		return List[T]{}, err
	}
	return r.page(rows, limit), nil
}

// afterCursor limits a query to the rows after the page's cursor.
func (p Page) afterCursor(q *bun.SelectQuery, o Order) (*bun.SelectQuery, error) {
	if p.After == "" {
		return q, nil
	}
	key, err := p.Key(o)
	if err != nil {
		return nil, err
	}
	return q.Where("r.? ? ?", bun.Ident(o.column), bun.Safe(o.op), key), nil
}

// page returns the page of the rows. The caller reads one row more than the limit: it is dropped here, but if
// it exists then the page has a Next.
func (r Rows[R, T]) page(rows []R, limit int) List[T] {
	found := List[T]{Items: make([]T, 0, min(limit, len(rows)))}
	for i, row := range rows {
		if i == limit {
			found.Next = CursorOf(r.key(rows[i-1]))
			break
		}
		found.Items = append(found.Items, r.core(row))
	}
	return found
}

// Size returns the number of rows of the page, 50 by default, or an InvalidType problem of the field limit.
func (p Page) Size() (int, error) {
	switch {
	case p.Limit < 0 || p.Limit > maxLimit:
		return 0, problem.New(problem.InvalidType, "limit must be 1 to %d", maxLimit).At("limit")
	case p.Limit == 0:
		return defaultLimit, nil
	}
	return p.Limit, nil
}

// CursorOf returns the Next of a page that continues after the key.
func CursorOf(key string) string { return base64.RawURLEncoding.EncodeToString([]byte(key)) }

// Key returns the key in the cursor After, or an InvalidType problem of the field after.
func (p Page) Key(o Order) (string, error) {
	key, err := base64.RawURLEncoding.DecodeString(p.After)
	if err != nil || o.check(string(key)) != nil {
		return "", problem.New(problem.InvalidType, "after must be the cursor of an earlier page of this list").At("after")
	}
	return string(key), nil
}
