package openai

import (
	"bytes"
	"encoding/json"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/param"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// mayRefer reports whether an input, or an item of it, may refer to an item: it has the key "id", or escapes that may
// hide it. The search avoids the scan of all other inputs.
func mayRefer(input []byte) bool {
	return bytes.Contains(input, []byte(`"id"`)) || bytes.Contains(input, []byte(`\u00`))
}

// References calls the function visit for every item that the input of a responses request refers to, with the
// item's id. It stops at the first error and returns it. For an input that is not valid it returns an
// InvalidJSON problem. An input without ids costs one search of its bytes.
func (r *Request) References(visit func(id string) error) error {
	if !mayRefer(r.input.Of(r.body)) {
		return nil
	}
	return r.eachInputItem(func(item []byte) error {
		if id, ok := referenceOf(item); ok {
			return visit(id)
		}
		return nil
	})
}

// eachInputItem calls the function visit for every item of the client's input if the input is an array. Errors are the
// same as those of References.
func (r *Request) eachInputItem(visit func(item []byte) error) error {
	s := rawjson.Scanner{Body: r.body[:r.input.End], At: r.input.Start}
	if s.Body[s.At] != '[' {
		return nil
	}
	return asProblem(s.Elements(func(value rawjson.Span) error { return visit(value.Of(r.body)) }))
}

// referenceOf returns the id of the stored item that an input item refers to, and whether it is such a
// reference. A reference has the type item_reference, or it has no type and no other member than its id.
func referenceOf(item []byte) (id string, ok bool) {
	if !rawjson.IsObject(item) || !mayRefer(item) {
		return "", false
	}
	var kind []byte
	hasOthers := false
	s := rawjson.Scanner{Body: item}
	_, err := s.Object(func(key []byte, value rawjson.Span) error {
		switch string(key) {
		case "id":
			id = string(rawjson.Text(value.Of(item)))
		case "type":
			kind = value.Of(item)
		default:
			hasOthers = true
		}
		return nil
	})
	hasType := kind != nil && string(kind) != "null"
	isReference := string(rawjson.Text(kind)) == "item_reference" || !hasType && !hasOthers
	return id, err == nil && id != "" && isReference
}

// itemOrigin says where an item that Expand may have moved comes from.
type itemOrigin struct {
	index       int  // in the client's input
	isReference bool // the client sent a reference, and a stored item replaces it
}

// resolveReferences returns the client's input with its references replaced by the items that they refer to.
// origins has the origin of each item of that input. It is nil if e has no items, because then nothing moves.
func (r *Request) resolveReferences(e Expansion) (input []byte, origins []itemOrigin, err error) {
	input = r.input.Of(r.body)
	if len(input) == 0 || string(input) == "null" { // a request for an operation may have no input of its own
		input = []byte("[]")
	}
	// The scan did not check nested values, but the input is taken apart below.
	if !json.Valid(input) {
		return nil, nil, problem.New(problem.InvalidJSON,
			"The body is not valid JSON: the value of 'input' is malformed.").At("input")
	}
	if len(e.Items) == 0 {
		return input, nil, nil
	}
	tooLarge := problem.New(problem.TooLarge, "The items that the input refers to are too long. Refer to fewer items.").
		At("input")
	x := expander{keepTag: e.KeepTag, input: []byte{'['}, budget: e.Limit - int64(len(r.body)), tooLarge: tooLarge}
	index := 0
	err = r.eachInputItem(func(item []byte) error {
		isReference, err := x.appendResolved(item, e.Items)
		if len(origins) < x.items { // appendResolved leaves an item out whose reasoning no upstream can read
			origins = append(origins, itemOrigin{index, isReference})
		}
		index++
		return err
	})
	return append(x.input, ']'), origins, err
}

// appendResolved appends an item of the client's input, or the stored item that it refers to, and reports whether it
// was a reference. A reference to an unknown item stays as it is.
func (x *expander) appendResolved(item []byte, items map[string][]byte) (isReference bool, err error) {
	if id, ok := referenceOf(item); ok && items[id] != nil {
		return true, x.appendStored(items[id])
	}
	x.appendItem(item)
	return false, nil
}

// clientPath returns the path in the client's own input for a path into the item at an index of the resolved
// input. For an item that replaced a reference it is the path of the reference.
func (r *Request) clientPath(index int, suffix string) string {
	if r.origins != nil {
		if index >= len(r.origins) {
			return "input"
		}
		origin := r.origins[index]
		if index = origin.index; origin.isReference {
			suffix = ""
		}
	}
	return param.Element("input", index) + suffix
}
