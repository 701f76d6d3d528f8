package page

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/store/field"
)

const (
	maxSearch    = 200    // longest search text, in characters
	searchWindow = 10_000 // most rows that one page examines
)

// Fields are the columns that a search looks at. Texts match if they contain the text anywhere, in any case (on
// SQLite, case is ignored for ASCII letters only). Exact ones match as a whole. The column id matches as a
// whole if the text is a UUID.
type Fields struct{ Texts, Exact []string }

// Search reads one page of those rows of the query that match the page's search, or of all rows if the search
// is "".
//
// It examines the rows in the order of the list, and at most 10,000 for each page, so that no search reads a
// whole large table. Therefore a page may be short or empty and still have a Next, which continues after the
// last examined row.
func (r Rows[R, T]) Search(ctx context.Context, in bun.IDB, q *bun.SelectQuery, page Page,
	where Fields) (List[T], error) {
	words := page.Search
	if page.Search = ""; words == "" {
		return r.Read(ctx, q, page)
	}
	limit, err := page.Size()
	if err != nil {
		return List[T]{}, err
	}
	if utf8.RuneCountInString(words) > maxSearch {
		return List[T]{}, problem.New(problem.InvalidType, "search must have at most %d characters", maxSearch).
			At("search")
	}
	order, err := r.sorting(page.Sort)
	if err != nil {
		return List[T]{}, err
	}
	if q, err = order.after(q.Model((*R)(nil)), page.After); err != nil {
		return List[T]{}, err
	}
	q = order.sort(q)
	window := q.Clone().ColumnExpr("r.*").Limit(searchWindow)
	query := in.NewSelect().Model((*R)(nil)).ModelTableExpr("(?) AS r", window).
		WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery { return where.match(q, field.Clean(words)) })
	matches, err := r.page(ctx, order.sort(query), limit, order)
	if err != nil || matches.Next != "" {
		return matches, err
	}
	// Fewer matches than the limit. If the window was full, there may be matches after its last row.
	rows := []R{}
	if err := q.Model(&rows).Offset(searchWindow - 1).Limit(1).Scan(ctx); err != nil {
		return List[T]{}, err
	}
	for _, row := range rows {
		matches.Next = order.cursorOf(row, r.key(row))
	}
	return matches, nil
}

// match adds a condition for each column; a row matches if any of them holds.
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

// wildcards escapes the wildcards of LIKE, so that they match themselves.
var wildcards = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")
