package openai

import (
	"strconv"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// TakeTags takes the tags off the request's encrypted content and calls each
// with them, in order. An error of each is returned as an InvalidType problem
// that names the item; its cause is private.
func (r *Request) TakeTags(each func(tag string) error) (err error) {
	if r.tags != nil {
		return nil
	}
	output.EachEncrypted(r.body, func(inside rawjson.Span) {
		tag, tagged := output.TagOf(inside.Of(r.body))
		if !tagged || err != nil {
			return
		}
		if err = each(string(tag)); err != nil {
			err = &problem.Problem{
				Kind: problem.InvalidType, Param: r.itemAt(inside.Start) + ".encrypted_content", Cause: err,
				Message: "The encrypted content was not made for this account, or is damaged.",
			}
		}
		r.tags = append(r.tags, rawjson.Span{Start: inside.Start, End: inside.Start + len(output.TagPrefix) + len(tag) + 1})
	})
	return err
}

// itemAt names the item of the input within which an offset lies.
func (r *Request) itemAt(offset int) string {
	item, n := "input", 0
	rawjson.EachElement(r.body, r.input, func(element rawjson.Span) bool {
		if offset < element.End {
			item = "input[" + strconv.Itoa(n) + "]"
			return false
		}
		n++
		return true
	})
	return item
}
