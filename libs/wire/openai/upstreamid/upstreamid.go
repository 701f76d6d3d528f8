// Package upstreamid finds the ids of an upstream in JSON: in requests of all dialects, in responses, lists and events
// of the Responses API, and of audio in chat answers. It reads the bytes once, without decoding them, and reports where
// the ids are. The relay marks them in answers, and checks and removes the marks in requests.
package upstreamid

import (
	"bytes"

	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// Kind is a kind of JSON in which ids of an upstream are found.
type Kind uint8

// The kinds.
const (
	Answer           Kind = iota // a response, a list or an event of the Responses API
	ResponsesRequest             // of the Responses API, or of an operation on its input
	MessagesRequest              // of Anthropic's API
	OtherRequest                 // of chat completions and embeddings
)

// ID says where an id of an upstream is.
type ID struct {
	At rawjson.Span // the string, quotes included
	// Offset of the object whose own id it is (an item or a prompt); -1 if it refers to something else.
	Item   int
	Member rawjson.Span // of the member of the object, with one comma if there is one
}

// place is the kind of an array or object, as far as it decides which of its strings are ids.
type place uint8

const (
	elsewhere place = iota
	top             // the request, response, event or list
	items           // an array of items
	item            // an item, or the prompt of a responses request
	ids             // an array of ids
	idHolder        // an object of a request whose id is not that of an item, such as the audio of an earlier answer
	variable        // the variables of a prompt, whose names are the client's choice
)

// level is an array or object that a walk is inside of.
type level struct {
	array    bool
	place    place
	start    int    // offset of the opening bracket
	key      []byte // the key that was read last, decoded
	keyStart int    // offset of that key
	end      int    // offset after the last member; 0 before the first one
}

// maxLevels bounds the nesting of a walk. The scan of a request refuses deeper ones.
const maxLevels = 1_001

// typicalLevels is the nesting of most walks, whose levels need no allocation.
const typicalLevels = 8

// Each calls visit for each id of an upstream in data, a JSON object, in order: own ids of items and prompts, and
// references to items, files, containers, vector stores, skills, audio and caches. It reads data once. It stops at
// malformed JSON; complete reports whether it read all of data.
func Each(data []byte, kind Kind, visit func(ID)) (complete bool) {
	w := walk{Scanner: rawjson.Scanner{Body: data}, kind: kind, visit: visit, levels: make([]level, 0, typicalLevels)}
	for w.Space(); w.At < len(data); w.Space() {
		if !w.readNext() {
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
	kind   Kind
	visit  func(ID)
	levels []level
}

// readNext reads the next bracket, comma, key or value.
func (w *walk) readNext() bool {
	if len(w.levels) == 0 {
		return w.enter(top)
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
	return w.readValue(l)
}

// readKey reads a key and its colon.
func (w *walk) readKey(l *level) bool {
	key, err := w.String()
	if err != nil {
		return false
	}
	l.key, l.keyStart = rawjson.Unquote(key.Of(w.Body)), key.Start
	if w.Space(); !w.Eat(':') {
		return false
	}
	w.Space()
	return w.At < len(w.Body)
}

// readValue reads a value inside l, or the start of it.
func (w *walk) readValue(l *level) bool {
	switch w.Body[w.At] {
	case '{', '[':
		if child, skip := w.childPlace(l, w.Body[w.At] == '['); !skip {
			return w.enter(child)
		}
	case '"':
		text, err := w.String()
		if err != nil {
			return false
		}
		if w.isID(l) && text.End-text.Start > 2 {
			w.visitID(l, text)
		}
		l.end = w.At
		return true
	}
	_, err := w.Value()
	l.end = w.At
	return err == nil
}

// enter enters an object or array.
func (w *walk) enter(p place) bool {
	if len(w.levels) == maxLevels || w.Body[w.At] != '{' && w.Body[w.At] != '[' {
		return false
	}
	w.levels = append(w.levels, level{array: w.Body[w.At] == '[', place: p, start: w.At})
	w.At++
	return true
}

// childPlace returns the place of an object or array inside l, and whether it can have no ids.
func (w *walk) childPlace(l *level, array bool) (p place, skip bool) {
	switch {
	case l.array && l.place == items && !array:
		return item, false
	case l.array && l.place != variable:
		return elsewhere, false
	case !l.array && isOneOf(l.key, "file_ids", "vector_store_ids"):
		return ids, false
	case l.place == variable, (l.place == item || l.place == idHolder) && isOneOf(l.key, "variables"):
		return variable, false
	case l.place == top:
		return w.topChildPlace(l, array), string(l.key) == "metadata"
	case w.kind != Answer && !array && isOneOf(l.key, idHolders...):
		return idHolder, false
	}
	return elsewhere, w.isClientData(l.key)
}

// topChildPlace returns the place of the value of a member at the top.
func (w *walk) topChildPlace(l *level, array bool) place {
	native := w.kind == Answer || w.kind == ResponsesRequest
	switch {
	case native && array && isOneOf(l.key, "input", "output", "data"):
		return items
	case native && !array && isOneOf(l.key, "item", "prompt"):
		return item
	case w.kind == Answer && isOneOf(l.key, "response"):
		return top
	case w.kind != Answer && !array && isOneOf(l.key, idHolders...):
		return idHolder
	}
	return elsewhere
}

// isClientData reports whether the value of a key below the top belongs to the client, such as a JSON schema or the
// arguments of a tool that the client runs. The upstream looks up none of its strings. It is false
// for another spelling of such a key.
func (w *walk) isClientData(key []byte) bool {
	switch string(key) {
	case "parameters", "input_schema", "schema", "metadata", "headers":
		return true
	case "input", "input_examples":
		return w.kind == MessagesRequest
	}
	return false
}

// isID reports whether a string that l contains next is an id.
func (w *walk) isID(l *level) bool {
	switch {
	case l.array:
		return l.place == ids
	case (l.place == item || l.place == idHolder) && isOneOf(l.key, "id"):
		return true
	case w.kind == Answer && l.place == top:
		return isOneOf(l.key, "item_id", "first_id", "last_id")
	case w.kind == Answer:
		return isOneOf(l.key, references...)
	case w.kind == ResponsesRequest && l.place == top:
		return isOneOf(l.key, references...) || isOneOf(l.key, accountReferences...) || isOneOf(l.key, "prompt")
	case w.kind == ResponsesRequest:
		return isOneOf(l.key, references...) || isOneOf(l.key, accountReferences...)
	}
	return isOneOf(l.key, references...) || isOneOf(l.key, accountReferences...) ||
		isOneOf(l.key, "previous_response_id")
}

var (
	// references are the keys of strings that refer to something at the upstream, other than items.
	references = []string{"file_id", "container_id", "container", "vector_store_id", "approval_request_id", "skill_id"}
	// accountReferences are such keys that only requests have.
	accountReferences = []string{"cached_content", "cachedContent", "knowledge_id"}
	// idHolders are the keys of objects in requests whose `id` refers to something at the upstream.
	idHolders = []string{"audio", "voice", "container", "prompt", "conversation"}
)

// keysByLength has the keys for which IsKey returns true for requests of all kinds, by their length in bytes.
var keysByLength = byLength(references, accountReferences, idHolders,
	[]string{"file_ids", "vector_store_ids", "previous_response_id"})

// longestKey is the length in bytes of the longest of these keys.
const longestKey = len("previous_response_id")

// byLength returns the names of all lists by their length.
func byLength(lists ...[]string) (names [longestKey + 1][]string) {
	for _, list := range lists {
		for _, name := range list {
			names[len(name)] = append(names[len(name)], name)
		}
	}
	return names
}

// IsKey reports whether an id in a request can be the value of the key, an element of its value, or the `id` in it. It
// is called for every string of a request, so it compares most of them with no more than the names of the same length.
func IsKey(key []byte, kind Kind) bool {
	n := len(key)
	if n < len("id") || n > longestKey+maxFolded {
		return false
	}
	switch key[n-1] | 0x20 { // in lower case; the last one is the end of the letter that folds to s
	case 'd', 's', 'r', 't', 'o', 'e', 'n', 0xBF:
	default:
		return false
	}
	if n <= longestKey && isOneOf(key, keysByLength[n]...) ||
		n == len("id") && kind == ResponsesRequest && isOneOf(key, "id") {
		return true
	}
	if !hasFolded(key) {
		return false
	}
	for _, names := range keysByLength[:min(n, longestKey+1)] {
		if isOneOf(key, names...) {
			return true
		}
	}
	return false
}

// visitID calls visit for the string.
func (w *walk) visitID(l *level, text rawjson.Span) {
	id := ID{At: text, Item: -1, Member: rawjson.Span{Start: l.keyStart, End: text.End}}
	if l.place == item && !l.array && isOneOf(l.key, "id") {
		id.Item = l.start
	}
	if l.end > 0 {
		id.Member.Start = l.end
	} else if tail := bytes.TrimLeft(w.Body[text.End:], " \t\r\n"); len(tail) > 0 && tail[0] == ',' {
		id.Member.End = len(w.Body) - len(tail) + 1
	}
	w.visit(id)
}

// maxFolded is the number of bytes by which the letters outside of ASCII that fold to k and s make a key longer.
const maxFolded = 8

// isOneOf reports whether the key is one of the names.
func isOneOf(key []byte, names ...string) bool {
	for _, name := range names {
		if Spells(key, name) {
			return true
		}
	}
	return false
}

// Spells reports whether a server may take the key for the name, which is ASCII: many ignore the case of keys, and Go's
// decoders then also take U+017F for s and U+212A for k.
func Spells(key []byte, name string) bool {
	if len(key) < len(name) || len(key) > len(name)+maxFolded || len(key) > len(name) && !hasFolded(key) {
		return false
	}
	return bytes.EqualFold(key, []byte(name))
}

// hasFolded reports whether a key may have one of the letters outside of ASCII that fold to k and s. It looks for their
// first bytes.
func hasFolded(key []byte) bool {
	return bytes.IndexByte(key, 0xC5) >= 0 || bytes.IndexByte(key, 0xE2) >= 0
}
