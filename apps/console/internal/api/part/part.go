// Package part has the parts of lists that an answer holds: the first members of the lists inside of an item, and a
// page of a list that is in memory.
package part

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	storepage "github.com/tollgate/tollgate/libs/store/page"
)

// fewMembers is the length to which lists inside of the items of a list answer are cut.
const fewMembers = 20

// CompleteQuery holds the query parameter of lists for programs that need all members of the lists inside of the items.
// Their pages end at about 1 MiB, as all do.
type CompleteQuery struct {
	Complete bool `query:"complete" doc:"Whether items have all members of their lists, instead of the first 20. Pages can have fewer items then"`
}

// Few returns the first members of a list inside of an item of a list answer. The item must have the length of the
// list, and the single resource the whole list.
func Few[T any](list []T) []T { return list[:min(len(list), fewMembers)] }

// FewOf returns the members of a map whose keys are the first, as Few does.
func FewOf[K cmp.Ordered, V any](members map[K]V) map[K]V {
	if len(members) <= fewMembers {
		return members
	}
	part := make(map[K]V, fewMembers)
	for _, key := range slices.Sorted(maps.Keys(members))[:fewMembers] {
		part[key] = members[key]
	}
	return part
}

// AfterQuery holds the query parameter of lists that one page has as a whole, unless they are very large.
type AfterQuery struct {
	After string `query:"after" maxLength:"1200" doc:"The next field of the previous page; absent for the first page"`
}

// Of returns the page of a list that is in memory: the items after the cursor until they have about 1 MiB. rows are in
// the ascending order of their keys, which o checks. show leaves out the items for which it returns false.
func Of[S, T any](o storepage.Order, after string, rows []S, key func(S) string,
	show func(S) (T, bool)) (api.List[T], error) {
	from := ""
	if after != "" {
		var err error
		if from, err = (storepage.Page{After: after}).Key(o); err != nil {
			return api.List[T]{}, err
		}
	}
	part, size, lastKey := api.List[T]{Items: []T{}}, 0, ""
	for _, row := range rows {
		if after != "" && key(row) <= from {
			continue
		}
		item, ok := show(row)
		if !ok {
			continue
		}
		if size >= storepage.MaxBytes {
			part.Next = o.Cursor(lastKey)
			break
		}
		part.Items = append(part.Items, item)
		size += storepage.Bytes(item)
		lastKey = key(row)
	}
	return part, nil
}

// Cut returns the page of a list up to the item with which what is shown has about 1 MiB. It is for items that show
// more than the rows at whose size the store ends the page.
func Cut[T any](o storepage.Order, page api.List[T], key func(*T) string) api.List[T] {
	size := 0
	for i := range page.Items {
		if size += storepage.Bytes(page.Items[i]); size >= storepage.MaxBytes && i+1 < len(page.Items) {
			page.Items, page.Next = page.Items[:i+1], o.Cursor(key(&page.Items[i]))
			break
		}
	}
	return page
}
