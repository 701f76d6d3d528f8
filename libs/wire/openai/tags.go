package openai

import (
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/openai/sealtag"
	"github.com/tollgate/tollgate/libs/wire/param"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// RemoveTags calls the function visit for every tag of the request's encrypted content, in order, and makes
// Forward and Adapt remove the tags from the body. A tag is the gateway's own mark of the credential that
// made the content, see sealtag.Prefix. If the function returns an error, RemoveTags returns an InvalidType
// problem that names the item; the error is its private cause. A second call does nothing if the first one
// found a tag.
func (r *Request) RemoveTags(visit func(tag string) error) (err error) {
	if r.tags != nil {
		return nil
	}
	sealtag.EachEncrypted(r.body, func(span rawjson.Span) {
		tag, ok := sealtag.Of(span.Of(r.body))
		if !ok || err != nil {
			return
		}
		if err = visit(string(tag)); err != nil {
			err = &problem.Problem{
				Kind: problem.InvalidType, Param: r.itemAt(span.Start) + ".encrypted_content", Cause: err,
				Message: "The encrypted content was not made for this account, or it is damaged. Send it exactly as " +
					"you received it, or leave the item out.",
			}
		}
		r.tags = append(r.tags, rawjson.Span{Start: span.Start, End: span.Start + len(sealtag.Prefix) + len(tag) + 1})
	})
	return err
}

// itemAt returns the path of the input item that contains the offset, such as "input[2]". It returns "input"
// if the offset is outside of all items.
func (r *Request) itemAt(offset int) string {
	item, n := "input", 0
	rawjson.EachElement(r.body, r.input, func(element rawjson.Span) bool {
		if offset < element.End {
			item = param.Element("input", n)
			return false
		}
		n++
		return true
	})
	return item
}
