package openai

import (
	"strconv"
	"strings"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/openai/upstreamid"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// ID is an id of an upstream in a request.
type ID struct {
	Text string
	// Item reports that it is the own id of an input item that is not a reference to another one.
	Item bool
	// Optional reports that it is the own id of an input item that is complete without the id: a message or a call with
	// its content, a generated image with its bytes, or reasoning or a compaction with its encrypted content. The
	// upstream needs no other id to understand it.
	Optional bool
}

// IDEdit says what happens to an ID. The zero IDEdit keeps it.
type IDEdit struct {
	Replace string // Forward and Adapt write this id, the upstream's, instead
	Remove  bool   // Forward and Adapt leave the member out; only for the own ID of an item
	Refuse  string // why the request is refused, as a sentence
}

// EditIDs calls the function decide for every id of an upstream in the request, in order, and does with it what the
// function returns. For an id that the function refuses it returns an UnsupportedParameter problem with the path of the
// field. A second call does nothing if the first one changed an id.
func (r *Request) EditIDs(decide func(ID) IDEdit) (err error) {
	if !r.MayHaveIDs() {
		return nil
	}
	lastItem := -1 // the item whose own id was read last
	complete := upstreamid.Each(r.body, r.kindOfIDs(), func(id upstreamid.ID) {
		if err != nil {
			return
		}
		if id.Item >= 0 && id.Item == lastItem { // a second reader might take the other one
			path := r.pathOf(id)
			err = problem.New(problem.InvalidJSON, "The object '%s' has the key \"id\" more than once. Send it once.",
				path).At(path)
			return
		}
		lastItem = max(lastItem, id.Item)
		isItem, optional := r.itemOf(id)
		switch edit := decide(ID{Text: string(rawjson.Text(id.At.Of(r.body))), Item: isItem, Optional: optional}); {
		case edit.Refuse != "":
			path := r.pathOf(id)
			err = problem.New(problem.UnsupportedParameter, "Unsupported parameter: '%s'. %s", path, edit.Refuse).
				At(path)
		case edit.Remove:
			r.ids = append(r.ids, rawjson.Edit{At: id.Member})
		case edit.Replace != "":
			r.ids = append(r.ids, rawjson.Edit{At: id.At, With: rawjson.Quote(edit.Replace)})
		}
	})
	if err == nil && !complete {
		err = problem.New(problem.InvalidJSON, "The body is not valid JSON.")
	}
	return err
}

// MayHaveIDs reports whether EditIDs may find an id. Most requests have none, and need not even allocate its argument.
func (r *Request) MayHaveIDs() bool { return r.mayHaveIDs && r.ids == nil }

// kindOfIDs returns where the ids in the request are.
func (r *Request) kindOfIDs() upstreamid.Kind {
	switch r.dialect { //nolint:exhaustive // the others have the same ids
	case catalog.Responses:
		return upstreamid.ResponsesRequest
	case catalog.Messages:
		return upstreamid.MessagesRequest
	}
	return upstreamid.OtherRequest
}

// itemOf reports whether the id is the own id of an item that is not a reference, and whether the item is complete
// without it.
func (r *Request) itemOf(id upstreamid.ID) (isItem, optional bool) {
	if id.Item < 0 {
		return false, false
	}
	kind, hasRole, hasContent, hasEncrypted, hasImage := "", false, false, false, false
	s := rawjson.Scanner{Body: r.body, At: id.Item}
	_, err := s.Object(func(key []byte, value rawjson.Span) error {
		switch string(key) {
		case "type":
			kind = string(rawjson.Text(value.Of(r.body)))
		case "role":
			hasRole = true
		case "content", "arguments", "input", "output":
			hasContent = true
		case "encrypted_content":
			hasEncrypted = len(rawjson.Text(value.Of(r.body))) > 0
		case "result":
			hasImage = len(value.Of(r.body)) > len(`""`) && value.Of(r.body)[0] == '"'
		}
		return nil
	})
	switch kind {
	case "item_reference":
		return false, false
	case "", "message":
		optional = err == nil && hasRole && hasContent
		return kind != "" || optional, optional
	case "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output":
		return true, err == nil && hasContent
	case "reasoning", "compaction":
		return true, err == nil && hasEncrypted
	case "image_generation_call":
		return true, err == nil && hasImage
	}
	return true, false
}

// pathOf returns the path of an id, such as "tools[0].vector_store_ids[1]". That of a reference is the path of the
// item.
func (r *Request) pathOf(id upstreamid.ID) string {
	const maxSteps = 12 // levels of a path; each one is a scan of its value
	path, at := "", rawjson.Span{Start: 0, End: len(r.body)}
	for range maxSteps {
		step, span := r.childAt(at, id.At.Start)
		if step == "" {
			break
		}
		path, at = path+step, span
	}
	path = strings.TrimPrefix(path, ".")
	if id.Item >= 0 && strings.HasPrefix(path, "input[") {
		path = strings.TrimSuffix(path, ".id")
	}
	return path
}

// childAt returns the member or element of the value at a span that contains the offset, and its step in a path, such
// as ".id" or "[2]". The step is "" if there is none.
func (r *Request) childAt(at rawjson.Span, offset int) (step string, span rawjson.Span) {
	s, n := rawjson.Scanner{Body: r.body[:at.End], At: at.Start}, 0
	switch r.body[at.Start] {
	case '{':
		_, _ = s.Object(func(key []byte, value rawjson.Span) error { // the walk has read it already
			if value.Start <= offset && offset < value.End {
				step, span = "."+string(key), value
			}
			return nil
		})
	case '[':
		rawjson.EachElement(r.body, at, func(element rawjson.Span) bool {
			if element.Start <= offset && offset < element.End {
				step, span = "["+strconv.Itoa(n)+"]", element
			}
			n++
			return step == ""
		})
	}
	return step, span
}

// longestIDKey is the length in bytes of the longest quoted key for which upstreamid.IsKey returns true, with each
// character as \u0061.
const longestIDKey = 6*len("previous_response_id") + 2
