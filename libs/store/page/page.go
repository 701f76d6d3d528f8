// Package page reads lists by page: in the order of a key, behind a cursor, and
// optionally only rows that match a search.
package page

import (
	"context"
	"encoding/base64"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/problem"
)

const (
	defaultLimit = 50
	maxLimit     = 200
)

// Page asks for one keyset page.
type Page struct {
	After string // Next of the page before, "" for the first
	Limit int    // 0: 50; at most 200
	// Search selects by what people call the things, in the lists that say so;
	// others refuse it.
	Search string
}

// List is one page of things. Whether there are more tells Next, not the
// number of Items.
type List[T any] struct {
	Items []T
	Next  string // "" on the last page
}

// Order is the key by which a list is read, and the direction.
type Order struct {
	column string
	op     string // of keys after the cursor
	by     string
	check  func(key string) error
}

// The orders of lists whose ids are UUIDv7, which begin with the time.
var (
	OldestFirst = Order{"id", ">", "ASC", checkID}
	NewestFirst = Order{"id", "<", "DESC", checkID}
)

// ByName is the order of a list whose ids are names. Check refuses other cursors.
func ByName(check func(name string) error) Order { return Order{"id", ">", "ASC", check} }

func checkID(key string) error {
	_, err := uuid.Parse(key)
	return err
}

// Rows are the rows R of a list, each of which stores a T. The table of a query
// on them has the alias r.
type Rows[R, T any] struct {
	order Order
	key   func(R) string
	core  func(R) T
}

// RowsOf returns the Rows of a list in this order. Key returns what the order
// compares, core what a row stores.
func RowsOf[R, T any](o Order, key func(R) string, core func(R) T) Rows[R, T] {
	return Rows[R, T]{o, key, core}
}

// Read reads one page of the query's rows.
func (r Rows[R, T]) Read(ctx context.Context, q *bun.SelectQuery, page Page) (List[T], error) {
	limit, err := page.Size()
	if err != nil {
		return List[T]{}, err
	}
	if page.Search != "" {
		return List[T]{}, problem.New(problem.InvalidType, "this list is not searched").At("search")
	}
	if q, err = page.behind(q, r.order); err != nil {
		return List[T]{}, err
	}
	rows := []R{}
	q = q.Model(&rows).OrderExpr("r.? ?", bun.Ident(r.order.column), bun.Safe(r.order.by)).Limit(int64(limit) + 1)
	if err := q.Scan(ctx); err != nil {
		return List[T]{}, err
	}
	return r.page(rows, limit), nil
}

// behind limits a query to what comes behind the page's cursor.
func (p Page) behind(q *bun.SelectQuery, o Order) (*bun.SelectQuery, error) {
	if p.After == "" {
		return q, nil
	}
	key, err := p.Key(o)
	if err != nil {
		return nil, err
	}
	return q.Where("r.? ? ?", bun.Ident(o.column), bun.Safe(o.op), key), nil
}

// page returns the page of the rows, which are one more than the limit where
// others follow.
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

// Size returns the number of rows of the page, or a problem of the field limit.
func (p Page) Size() (int, error) {
	switch {
	case p.Limit < 0 || p.Limit > maxLimit:
		return 0, problem.New(problem.InvalidType, "a page has 1 to %d items", maxLimit).At("limit")
	case p.Limit == 0:
		return defaultLimit, nil
	}
	return p.Limit, nil
}

// CursorOf is the Next that goes on behind the key.
func CursorOf(key string) string { return base64.RawURLEncoding.EncodeToString([]byte(key)) }

// Key returns the key in the cursor, or a problem of the field after.
func (p Page) Key(o Order) (string, error) {
	key, err := base64.RawURLEncoding.DecodeString(p.After)
	if err != nil || o.check(string(key)) != nil {
		return "", problem.New(problem.InvalidType, "not a cursor of this list").At("after")
	}
	return string(key), nil
}
