package page

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/store/field"
)

const (
	maxSearch    = 200    // characters of what is searched for
	searchWindow = 10_000 // rows that one page examines
)

// Fields is where a list looks for words: texts may have them anywhere, in
// any case; exact ones, and ids, are compared whole.
type Fields struct{ Texts, Exact []string }

// Search reads one page of those of the query's rows that match what the page
// searches for, or of all. It examines rows in the order of the list, and no
// more than 10,000: where they have few matches, the page may be short, or
// empty, and still have a Next.
func (r Rows[R, T]) Search(ctx context.Context, in bun.IDB, q *bun.SelectQuery, page Page, where Fields) (List[T], error) {
	words := page.Search
	if page.Search = ""; words == "" {
		return r.Read(ctx, q, page)
	}
	limit, err := page.Size()
	if err != nil {
		return List[T]{}, err
	}
	if utf8.RuneCountInString(words) > maxSearch {
		return List[T]{}, problem.New(problem.InvalidType, "a search has at most %d characters", maxSearch).At("search")
	}
	if q, err = page.behind(q.Model((*R)(nil)), r.order); err != nil {
		return List[T]{}, err
	}
	q = q.OrderExpr("r.? ?", bun.Ident(r.order.column), bun.Safe(r.order.by))
	rows := []R{}
	last := q.Clone().ColumnExpr("r.*").Limit(searchWindow)
	found := in.NewSelect().Model(&rows).ModelTableExpr("(?) AS r", last).
		WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery { return where.match(q, field.Clean(words)) })
	if err := found.OrderExpr("r.? ?", bun.Ident(r.order.column), bun.Safe(r.order.by)).Limit(int64(limit) + 1).Scan(ctx); err != nil {
		return List[T]{}, err
	}
	if len(rows) > limit {
		return r.page(rows, limit), nil
	}
	var border string
	err = q.Column(r.order.column).Offset(searchWindow-1).Limit(1).Scan(ctx, &border)
	if errors.Is(err, sql.ErrNoRows) {
		return r.page(rows, limit), nil
	}
	short := r.page(rows, limit)
	short.Next = CursorOf(border)
	return short, err
}

// match adds the places where the words may be, any of which is enough.
func (f Fields) match(q *bun.SelectQuery, words string) *bun.SelectQuery {
	pattern := "%" + wildcards.Replace(words) + "%"
	for _, column := range f.Texts {
		q = q.WhereOr("lower(r.?) LIKE lower(?) ESCAPE '!'", bun.Ident(column), pattern)
	}
	for _, column := range f.Exact {
		q = q.WhereOr("r.? = ?", bun.Ident(column), words)
	}
	if id, err := uuid.Parse(words); err == nil {
		q = q.WhereOr("r.id = ?", id)
	}
	return q
}

// wildcards makes those of LIKE mean themselves.
var wildcards = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")
