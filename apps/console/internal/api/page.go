package api

import (
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	storepage "github.com/tollgate/tollgate/libs/store/page"
)

// PageQuery holds the query parameters of every list.
type PageQuery struct {
	After string `query:"after" maxLength:"1200" doc:"The next field of the previous page; absent for the first page"`
	Limit int    `query:"limit" minimum:"1" maximum:"200" doc:"Number of items on the page. Defaults to 50"`
}

// Page returns the store's form of the query.
func (q *PageQuery) Page() storepage.Page { return storepage.Page{After: q.After, Limit: q.Limit} }

// SearchQuery holds the query parameter of lists that can be searched.
type SearchQuery struct {
	Search string `query:"search" maxLength:"200" doc:"Part of a name, without regard to case, or a complete id. If only few of very many items match, a page can have fewer items than limit, or none, and still have a next"`
}

// In returns page with the search text added.
func (q *SearchQuery) In(page storepage.Page) storepage.Page {
	page.Search = q.Search
	return page
}

// OrderQuery holds the query parameter of lists that can be sorted. Each of them has a parameter sort of its own.
type OrderQuery struct {
	Order string `query:"order" enum:"asc,desc" doc:"Direction of the order. Defaults to asc if sort is set"`
}

// By returns page with the order added. sort is a column, or "" for created_at. Without a parameter the list keeps its
// own order.
func (q *OrderQuery) By(sort string, page storepage.Page) storepage.Page {
	if sort == "" && q.Order != "" {
		sort = storepage.Created
	}
	page.Sort = storepage.Sort{By: sort, Desc: q.Order == "desc"}
	return page
}

// List is one page of a list.
type List[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next" doc:"Pass it as after to get the following page; empty on the last page. A page can have fewer items than limit and a next: it ends at about 1 MiB"`
}

// Answer is a response with a JSON body and the operation's default status.
type Answer[T any] struct{ Body T }

// NewAnswer returns a response with the body.
func NewAnswer[T any](body T) *Answer[T] { return &Answer[T]{Body: body} }

// PageOf returns the response for a page of the store: show translates each item.
func PageOf[S, T any](page storepage.List[S], show func(*S) T) *Answer[List[T]] {
	items := make([]T, 0, len(page.Items))
	for i := range page.Items {
		items = append(items, show(&page.Items[i]))
	}
	return NewAnswer(List[T]{Items: items, Next: page.Next})
}

// ByID holds the path parameter of an operation on one resource.
type ByID struct {
	ID uuid.UUID `path:"id" doc:"Id of the resource"`
}

// CheckRange returns an InvalidType problem if from is not before
// to. The zero time means that the range has no bound on that side.
func CheckRange(from, to time.Time) error {
	if !from.IsZero() && !to.IsZero() && !from.Before(to) {
		return problem.New(problem.InvalidType, "The range is empty: from must be before to.").At("from")
	}
	return nil
}
