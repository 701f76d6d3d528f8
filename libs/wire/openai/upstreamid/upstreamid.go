// Package upstreamid finds the ids of an upstream in the JSON of the Responses API: in requests, responses, lists and
// events. It reads the bytes once, without decoding them, and reports where the ids are. The relay marks them in
// answers, and checks and removes the marks in requests.
package upstreamid

import (
	"bytes"

	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// ID is the place of an id of an upstream in a request, a response or an event of the Responses API.
type ID struct {
	At     rawjson.Span // the string, quotes included
	Item   int          // offset of the object whose own id it is (an item or a prompt); -1 if it refers to something else
	Member rawjson.Span // of the member of the object, with one comma if there is one
}

// The kinds of values that a walk distinguishes by their place.
type place uint8

const (
	elsewhere place = iota
	top             // the request, response, event or list
	items           // an array of items
	item            // an item, or the prompt of the request
	ids             // an array of ids
)

// level is an array or object that a walk is inside of.
type level struct {
	array bool
	place place
	start int    // offset of the opening bracket
	key   []byte // the key that was read last, decoded
	from  int    // offset of that key
	end   int    // offset after the last member; 0 before the first one
}

// maxLevels bounds the nesting of a walk. The scan of a request refuses deeper ones.
const maxLevels = 1_001

// usualLevels is the nesting of most walks, whose levels need no allocation.
const usualLevels = 8

// Each calls found for each id of an upstream in data, a JSON object, in order: own ids of items and prompts, and
// references to items, files, containers, vector stores and skills. In a request it looks only into input, tools and
// prompt. It reads data once. It stops at malformed JSON; complete reports whether it read all of data.
func Each(data []byte, request bool, found func(ID)) (complete bool) {
	w := walk{Scanner: rawjson.Scanner{Body: data}, request: request, found: found, levels: make([]level, 0, usualLevels)}
	for w.Space(); w.At < len(data); w.Space() {
		if !w.step() {
			return false
		}
		if len(w.levels) == 0 {
			return true
		}
	}
	return false
}

// walk is the state of Each.
type walk struct {
	rawjson.Scanner
	request bool
	found   func(ID)
	levels  []level
}

// step reads the next bracket, comma, key or value.
func (w *walk) step() bool {
	if len(w.levels) == 0 {
		return w.open(top)
	}
	l := &w.levels[len(w.levels)-1]
	switch c := w.Body[w.At]; {
	case c == ',':
		w.At++
		return true
	case c == '}' || c == ']':
		if (c == ']') != l.array {
			return false
		}
		w.At++
		w.levels = w.levels[:len(w.levels)-1]
		if len(w.levels) > 0 {
			w.levels[len(w.levels)-1].end = w.At
		}
		return true
	case !l.array:
		if !w.readKey(l) {
			return false
		}
	}
	return w.value(l)
}

// readKey reads a key and its colon.
func (w *walk) readKey(l *level) bool {
	key, err := w.String()
	if err != nil {
		return false
	}
	l.key, l.from = rawjson.Unquote(key.Of(w.Body)), key.Start
	if w.Space(); !w.Eat(':') {
		return false
	}
	w.Space()
	return w.At < len(w.Body)
}

// value reads a value inside l, or the start of it.
func (w *walk) value(l *level) bool {
	switch w.Body[w.At] {
	case '{', '[':
		if next, skip := w.inside(l, w.Body[w.At] == '['); !skip {
			return w.open(next)
		}
	case '"':
		text, err := w.String()
		if err != nil {
			return false
		}
		if w.isID(l) && text.End-text.Start > 2 {
			w.report(l, text)
		}
		l.end = w.At
		return true
	}
	_, err := w.Value()
	l.end = w.At
	return err == nil
}

// open enters an object or array.
func (w *walk) open(of place) bool {
	if len(w.levels) == maxLevels || w.Body[w.At] != '{' && w.Body[w.At] != '[' {
		return false
	}
	w.levels = append(w.levels, level{array: w.Body[w.At] == '[', place: of, start: w.At})
	w.At++
	return true
}

// inside returns the place of an object or array inside l, and whether it can have no ids.
func (w *walk) inside(l *level, array bool) (of place, skip bool) {
	switch {
	case l.array && l.place == items && !array:
		return item, false
	case l.array:
		return elsewhere, false
	case is(l.key, "file_ids", "vector_store_ids"):
		return ids, false
	case l.place == top && array && is(l.key, "input", "output", "data"):
		return items, false
	case l.place == top && !array && is(l.key, "item", "prompt"):
		return item, false
	case l.place == top && !w.request && is(l.key, "response"):
		return top, false
	case l.place == top && w.request && !is(l.key, "tools"):
		return elsewhere, true
	}
	return elsewhere, is(l.key, "parameters", "input_schema", "schema", "metadata", "headers")
}

// isID reports whether a string that l contains next is an id.
func (w *walk) isID(l *level) bool {
	switch {
	case l.array:
		return l.place == ids
	case l.place == item && is(l.key, "id"):
		return true
	case l.place == top:
		return !w.request && is(l.key, "item_id", "first_id", "last_id")
	}
	return is(l.key, references...)
}

// references are the keys of strings that refer to something at the upstream, other than items.
var references = []string{"file_id", "container_id", "container", "vector_store_id", "approval_request_id", "skill_id"}

// IsKey reports whether an id in a request can be the value of the key, or an element of its value.
func IsKey(key []byte) bool {
	if len(key) == 0 {
		return false
	}
	switch key[len(key)-1] | 0x20 { // in lower case; most keys of a request end with another letter
	case 'd', 's', 'r':
		return is(key, references...) || is(key, "id", "file_ids", "vector_store_ids")
	}
	return false
}

// report calls found for the string.
func (w *walk) report(l *level, text rawjson.Span) {
	id := ID{At: text, Item: -1, Member: rawjson.Span{Start: l.from, End: text.End}}
	if l.place == item && !l.array && is(l.key, "id") {
		id.Item = l.start
	}
	if l.end > 0 {
		id.Member.Start = l.end
	} else if after := bytes.TrimLeft(w.Body[text.End:], " \t\r\n"); len(after) > 0 && after[0] == ',' {
		id.Member.End = len(w.Body) - len(after) + 1
	}
	w.found(id)
}

// is reports whether the key is one of the names. An upstream may ignore the case of keys.
func is(key []byte, names ...string) bool {
	for _, name := range names {
		if len(key) == len(name) && bytes.EqualFold(key, []byte(name)) {
			return true
		}
	}
	return false
}
