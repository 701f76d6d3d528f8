package api

import (
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	storepage "github.com/tollgate/tollgate/libs/store/page"
)

// PageQuery are the query parameters of every list.
type PageQuery struct {
	After string `query:"after" maxLength:"500" doc:"next of the page before"`
	Limit int    `query:"limit" minimum:"1" maximum:"200" doc:"Items on the page, 50 if absent"`
}

// Page returns the page that the query asks for.
func (q *PageQuery) Page() storepage.Page { return storepage.Page{After: q.After, Limit: q.Limit} }

// SearchQuery is the query parameter of lists that can be searched.
type SearchQuery struct {
	Search string `query:"search" maxLength:"200" doc:"Part of what the thing is called, in any case, or its whole id. A page of few matches among very many things may be short, or empty, and still have a next"`
}

// In returns the page with the search added.
func (q *SearchQuery) In(page storepage.Page) storepage.Page {
	page.Search = q.Search
	return page
}

// List is one page of a list.
type List[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next" doc:"Pass it as after to get the page that follows; empty on the last one"`
}

// Answer is a response with a body.
type Answer[T any] struct{ Body T }

// NewAnswer returns the response with the body.
func NewAnswer[T any](body T) *Answer[T] { return &Answer[T]{Body: body} }

// PageOf shows a page of the store's things.
func PageOf[S, T any](page storepage.List[S], show func(*S) T) *Answer[List[T]] {
	items := make([]T, 0, len(page.Items))
	for i := range page.Items {
		items = append(items, show(&page.Items[i]))
	}
	return NewAnswer(List[T]{Items: items, Next: page.Next})
}

// ByID is the path parameter of one thing.
type ByID struct {
	ID uuid.UUID `path:"id" doc:"Its id"`
}

// CheckRange refuses ranges that select nothing.
func CheckRange(from, to time.Time) error {
	if !from.IsZero() && !to.IsZero() && !from.Before(to) {
		return problem.New(problem.InvalidType, "The range is empty: from must be before to.").At("from")
	}
	return nil
}
