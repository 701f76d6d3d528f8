// Package page reads lists by page, in the order of a key (keyset pagination). A page continues after the last
// key of the page before, which its cursor holds, and not at an offset: a page costs the same at the end of a
// list as at its start, and rows that are added or deleted meanwhile shift nothing.
//
//	rows := page.RowsOf(page.NewestFirst, row.key, row.core)   // the order and the mapping of a list
//	found, err := rows.Read(ctx, query, asked)                 // one page of the query
//	found, err := rows.Search(ctx, db, query, asked, fields)   // the same, with a text search
//
// A list may have further orders, which callers ask for by Page.Sort. The key is then a column and the id, and the
// cursor names the order, so that no page continues in another order.
//
// The query selects the rows that the caller may see: it has its WHERE clauses, the alias r, and no ORDER BY or
// LIMIT.
package page

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"

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
	Sort   Sort // lists that have one order refuse all but the zero Sort
}

// List is one page of a list. Only Next tells whether there are more rows: a page may have few Items, or none,
// and a Next, after a search and because a page ends at about 1 MiB.
type List[T any] struct {
	Items []T
	Next  string // "" on the last page
}

// All returns the items of all pages of a list. read reads one page.
func All[T any](read func(Page) (List[T], error)) ([]T, error) {
	var items []T
	for page := (Page{Limit: maxLimit}); ; {
		list, err := read(page)
		if err != nil {
			return nil, err
		}
		items = append(items, list.Items...)
		if list.Next == "" {
			return items, nil
		}
		page.After = list.Next
	}
}

// Order is the column by which a list is sorted, and the direction.
type Order struct {
	name      string // of the order that a caller asked for; "" for the order that a list has by itself
	column    string
	op        string                 // comparison that holds for the rows after the cursor: ">" or "<"
	direction string                 // "ASC" or "DESC"
	check     func(key string) error // refuses a cursor whose key cannot be a key of this list
}

// The orders of lists whose ids are UUIDv7. These begin with their creation time, so the order of ids is the
// order of creation.
var (
	OldestFirst = Order{"", "id", ">", "ASC", checkID}
	NewestFirst = Order{"", "id", "<", "DESC", checkID}
)

// ByName is the order of a list whose ids are names, such as models. check returns an error for a cursor that
// is no such name.
func ByName(check func(name string) error) Order { return Order{"", "id", ">", "ASC", check} }

// Descending reports whether the greatest key is the first.
func (o Order) Descending() bool { return o.op == "<" }

// checkID returns an error unless the key is a UUID in its usual form. uuid.Parse also takes forms that Postgres
// refuses.
func checkID(key string) error {
	id, err := uuid.Parse(key)
	if err == nil && id.String() != strings.ToLower(key) {
		return errors.New("not the usual form of a UUID")
	}
	return err
}

// Rows describes the rows R of a list and how each is mapped to a T. The table of a query on them has the alias
// r.
type Rows[R, T any] struct {
	order   Order
	key     func(R) string // returns the value of the column of the order
	core    func(R) T      // returns the core value of the row
	columns []Column[R]    // the columns that callers may sort by; none: the list has one order
}

// RowsOf returns the Rows of a list in this order. key returns the value that the order compares, core the
// value that a row stores.
func RowsOf[R, T any](o Order, key func(R) string, core func(R) T) Rows[R, T] {
	return Rows[R, T]{order: o, key: key, core: core}
}

// Read reads one page of the query's rows. It returns an InvalidType problem if the limit, the sort or the cursor is
// invalid, or if the page has a search.
func (r Rows[R, T]) Read(ctx context.Context, q *bun.SelectQuery, page Page) (List[T], error) {
	limit, err := page.Size()
	if err != nil {
		return List[T]{}, err
	}
	if page.Search != "" {
		return List[T]{}, problem.New(problem.InvalidType, "this list has no search: leave search out").At("search")
	}
	order, err := r.sorting(page.Sort)
	if err != nil {
		return List[T]{}, err
	}
	if q, err = order.after(q, page.After); err != nil {
		return List[T]{}, err
	}
	return r.page(ctx, order.sort(q.Model((*R)(nil))), limit, order)
}

// MaxBytes is the size of rows at which a page ends, so that few rows of any size are in memory at a time.
const MaxBytes = 1 << 20

// page reads the rows of the query up to the limit, or up to MaxBytes. One additional row shows whether there is a next
// page: it is dropped, but if it exists then the page has a Next. A page has at least one row if there is any.
func (r Rows[R, T]) page(ctx context.Context, q *bun.SelectQuery, limit int, order sorting[R]) (List[T], error) {
	list := List[T]{Items: []T{}}
	var lastRow R
	total := 0
	err := each(ctx, q.Limit(int64(limit)+1), func(row R) (more bool) {
		if len(list.Items) == limit || total >= MaxBytes {
			list.Next = order.cursorOf(lastRow, r.key(lastRow))
			return false
		}
		list.Items = append(list.Items, r.core(row))
		total += Bytes(row)
		lastRow = row
		return true
	})
	return list, err
}

// each reads the rows of the query one at a time, and calls visit with each until it returns false.
func each[R any](ctx context.Context, q *bun.SelectQuery, visit func(R) (more bool)) (err error) {
	rows, err := q.Rows(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var row R
		if err := q.DB().ScanRow(ctx, rows, &row); err != nil {
			return err
		}
		if !visit(row) {
			return nil
		}
	}
	return rows.Err()
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

// separator separates the parts of a cursor that names its order. No key and no text of a row contains it.
const separator = "\x00"

// Cursor returns the Next of a page that continues after the key.
func (o Order) Cursor(key string) string { return o.cursor(key, "") }

// cursor returns the Next of a page that continues after the key and the value of the column before it.
func (o Order) cursor(key, value string) string {
	if o.name != "" {
		key = strings.Join([]string{o.name, key, value}, separator)
	}
	return base64.RawURLEncoding.EncodeToString([]byte(key))
}

// Key returns the key in the cursor After, or an InvalidType problem of the field after.
func (p Page) Key(o Order) (string, error) {
	key, _, err := o.read(p.After)
	return key, err
}

// read returns what cursor has encoded, or an InvalidType problem of the field after.
func (o Order) read(cursor string) (key, value string, err error) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	parts := strings.Split(string(text), separator)
	if len(parts) == 1 {
		parts = []string{"", parts[0], ""}
	}
	switch {
	case err != nil || len(parts) != 3:
		return "", "", noCursor()
	case parts[0] != o.name:
		return "", "", problem.New(problem.InvalidType, "after is the cursor of a page in another order: use it "+
			"with the sort and order of that page").At("after")
	case o.check(parts[1]) != nil:
		return "", "", noCursor()
	}
	return parts[1], parts[2], nil
}

func noCursor() error {
	return problem.New(problem.InvalidType, "after must be the cursor of an earlier page of this list").At("after")
}
