package openai

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// idKey is in every input that refers to an item.
var idKey = []byte(`"id"`)

// References calls each with the ids of the items that the input of a responses
// request refers to, until each returns an error. An input without ids costs
// one search. It returns an InvalidJSON problem for an input that is not valid.
func (r *Request) References(each func(id string) error) error {
	if !bytes.Contains(r.input.Of(r.body), idKey) {
		return nil
	}
	return r.eachOwn(func(item []byte) error {
		if id, ok := referenceOf(item); ok {
			return each(id)
		}
		return nil
	})
}

// eachOwn calls each for the items of an input that is an array.
func (r *Request) eachOwn(each func(item []byte) error) error {
	s := rawjson.Scanner{Body: r.body[:r.input.End], At: r.input.Start}
	if s.Body[s.At] != '[' {
		return nil
	}
	return asProblem(s.Elements(func(value rawjson.Span) error { return each(value.Of(r.body)) }))
}

// referenceOf returns the id of the item that an item stands for: one of the
// type item_reference, or of no type and with nothing but an id.
func referenceOf(item []byte) (id string, ok bool) {
	if !rawjson.IsObject(item) || !bytes.Contains(item, idKey) {
		return "", false
	}
	var kind []byte
	bare := true
	s := rawjson.Scanner{Body: item}
	_, err := s.Object(func(key []byte, value rawjson.Span) error {
		switch string(key) {
		case "id":
			id = string(rawjson.Text(value.Of(item)))
		case "type":
			kind = value.Of(item)
		default:
			bare = false
		}
		return nil
	})
	typed := string(rawjson.Text(kind)) == "item_reference"
	untyped := kind == nil || string(kind) == "null"
	return id, err == nil && id != "" && (typed || untyped && bare)
}

// place is where an item comes from that may have moved.
type place struct {
	index int  // in the client's input
	named bool // it stands where the client only refers to it
}

// refer returns the client's input with the items that it refers to in the
// place of the references, and where each of its items comes from; nil where
// they are where they were.
func (r *Request) refer(e Expansion) (own []byte, places []place, err error) {
	own = r.input.Of(r.body)
	if !json.Valid(own) {
		return nil, nil, problem.New(problem.InvalidJSON, "The body is not valid JSON.").At("input")
	}
	if len(e.Items) == 0 {
		return own, nil, nil
	}
	over := problem.New(problem.TooLarge, "The items that the input refers to are too long.").At("input")
	x := expander{keep: e.KeepTag, input: []byte{'['}, room: e.Limit - int64(len(r.body)), over: over}
	index := 0
	err = r.eachOwn(func(item []byte) error {
		named, err := x.resolve(item, e.Items)
		if len(places) < x.items {
			places = append(places, place{index, named})
		}
		index++
		return err
	})
	return append(x.input, ']'), places, err
}

// resolve adds an item of the client, or the one that it refers to.
func (x *expander) resolve(item []byte, items map[string][]byte) (named bool, err error) {
	if id, ok := referenceOf(item); ok && items[id] != nil {
		return true, x.item(items[id])
	}
	x.put(item)
	return false, nil
}

// sent spells a path into an item of the client's input.
func (r *Request) sent(index int, rest string) string {
	if r.places != nil {
		if index >= len(r.places) {
			return "input"
		}
		p := r.places[index]
		if index = p.index; p.named {
			rest = ""
		}
	}
	return "input[" + strconv.Itoa(index) + "]" + rest
}
