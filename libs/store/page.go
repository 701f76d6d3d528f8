package store

import (
	"context"
	"encoding/base64"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/catalog"
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

// order is by which key a list is read, and in which direction.
type order struct {
	column string
	op     string // of keys after the cursor
	by     string
	check  func(key string) error
}

var (
	oldestFirst = order{"id", ">", "ASC", checkID}
	newestFirst = order{"id", "<", "DESC", checkID}
	byModelID   = order{"id", ">", "ASC", catalog.CheckModelID}
)

func checkID(key string) error {
	_, err := uuid.Parse(key)
	return err
}

// stored is a row of a list: it knows its key and what it means.
type stored[T any] interface {
	key() string
	core() T
}

// list reads one page of the query's rows, whose table has the alias r.
func list[R stored[T], T any](ctx context.Context, q *bun.SelectQuery, rows *[]R, page Page, o order) (List[T], error) {
	limit, err := page.limit()
	if err != nil {
		return List[T]{}, err
	}
	if page.Search != "" {
		return List[T]{}, problem.New(problem.InvalidType, "this list is not searched").At("search")
	}
	if q, err = page.behind(q, o); err != nil {
		return List[T]{}, err
	}
	q = q.Model(rows).OrderExpr("r.? ?", bun.Ident(o.column), bun.Safe(o.by)).Limit(int64(limit) + 1)
	if err := q.Scan(ctx); err != nil {
		return List[T]{}, err
	}
	return pageOf[R, T](*rows, limit), nil
}

// behind limits a query to what comes behind the page's cursor.
func (p Page) behind(q *bun.SelectQuery, o order) (*bun.SelectQuery, error) {
	if p.After == "" {
		return q, nil
	}
	key, err := p.cursor(o)
	if err != nil {
		return nil, err
	}
	return q.Where("r.? ? ?", bun.Ident(o.column), bun.Safe(o.op), key), nil
}

// pageOf is the page of rows that are one more than the limit where others
// follow.
func pageOf[R stored[T], T any](rows []R, limit int) List[T] {
	found := List[T]{Items: make([]T, 0, min(limit, len(rows)))}
	for i, row := range rows {
		if i == limit {
			found.Next = cursorOf(rows[i-1].key())
			break
		}
		found.Items = append(found.Items, row.core())
	}
	return found
}

func (p Page) limit() (int, error) {
	switch {
	case p.Limit < 0 || p.Limit > maxLimit:
		return 0, problem.New(problem.InvalidType, "a page has 1 to %d items", maxLimit).At("limit")
	case p.Limit == 0:
		return defaultLimit, nil
	}
	return p.Limit, nil
}

// cursorOf is the Next that goes on behind the key.
func cursorOf(key string) string { return base64.RawURLEncoding.EncodeToString([]byte(key)) }

func (p Page) cursor(o order) (string, error) {
	key, err := base64.RawURLEncoding.DecodeString(p.After)
	if err != nil || o.check(string(key)) != nil {
		return "", problem.New(problem.InvalidType, "not a cursor of this list").At("after")
	}
	return string(key), nil
}
