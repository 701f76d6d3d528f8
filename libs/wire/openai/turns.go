package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// Turn is an earlier call of a conversation, as JSON.
type Turn struct {
	Input []byte // as the `input` of its request
	Body  []byte // its response object
}

// ErrMalformedTurn is returned for a stored turn whose input or output is not
// as expected.
var ErrMalformedTurn = errors.New("openai: malformed turn")

const previousResponse = "previous_response_id"

// Expansion is the conversation that a request continues and the items that it
// refers to, when no upstream stores them.
type Expansion struct {
	Turns []Turn            // oldest first
	Items map[string][]byte // by the ids by which the input refers to them
	Limit int64             // bytes of the whole body, at most
	// KeepTag reports whether encrypted content with the tag is of use.
	// Reasoning whose content is of no use is left out.
	KeepTag func(tag string) bool
}

// Expand returns the request with all items of the earlier turns before its
// own, and with items in place of the references to them. The result has no
// previous_response_id, but Previous keeps its value. Ids of items are left out
// because no upstream knows them, and so are the instructions of earlier turns.
// Errors are ErrMalformedTurn and problems of the kinds InvalidJSON and
// TooLarge.
func (r *Request) Expand(e Expansion) (*Request, error) {
	own, places, err := r.refer(e)
	if err != nil {
		return nil, err
	}
	over := problem.New(problem.TooLarge, "The conversation is too long to go on with.").At(previousResponse)
	grown := int64(len(r.body) - len(r.input.Of(r.body)) + len(own))
	x := expander{keep: e.KeepTag, input: []byte{'['}, room: e.Limit - grown, over: over}
	for i := range e.Turns {
		if err := x.turn(&e.Turns[i]); err != nil {
			return nil, err
		}
	}
	x.own(own)
	edits := []rawjson.Edit{{At: r.input, With: append(x.input, ']')}}
	if len(e.Turns) > 0 {
		edits = append(edits, rawjson.Edit{At: r.previous, With: []byte("null")})
	}
	expanded, err := ScanRequest(rawjson.Splice(r.body, rawjson.InOrder(edits)).Bytes(), catalog.Responses)
	if err != nil {
		return nil, err
	}
	expanded.Previous, expanded.earlier, expanded.own, expanded.places = r.Previous, x.items, own, places
	return expanded, nil
}

// Expanded reports whether Expand made the request.
func (r *Request) Expanded() bool { return r.own != nil }

// ContinuesUpstream reports whether the request continues a response that an
// upstream stores.
func (r *Request) ContinuesUpstream() bool { return r.previous != (rawjson.Span{}) }

// Input returns the input of a responses request as the client sent it, except
// for references that Expand replaced. It refers to the body.
func (r *Request) Input() []byte {
	if r.own != nil {
		return r.own
	}
	return r.input.Of(r.body)
}

// ClientPath returns the path in the client's request for a path into the input
// of an expanded request. A path into an earlier turn becomes
// previous_response_id.
func (r *Request) ClientPath(path string) string {
	inside, ok := strings.CutPrefix(path, "input[")
	if !r.Expanded() || !ok {
		return path
	}
	digits, rest, _ := strings.Cut(inside, "]")
	index, err := strconv.Atoi(digits)
	switch {
	case err != nil:
		return path
	case index < r.earlier:
		return previousResponse
	case r.own[0] == '"':
		return "input"
	}
	return r.sent(index-r.earlier, rest)
}

// expander writes the input of an expanded request.
type expander struct {
	keep  func(tag string) bool
	input []byte
	items int
	room  int64 // bytes that earlier items may have yet
	over  error // where they have more
}

func (x *expander) turn(t *Turn) error {
	if !json.Valid(t.Input) || !json.Valid(t.Body) {
		return ErrMalformedTurn
	}
	if err := EachItem(t.Input, x.item); err != nil {
		return err
	}
	items := output.ItemsOf(t.Body)
	if items == nil {
		return ErrMalformedTurn
	}
	return EachItem(items, x.item)
}

// item adds an item that was said before, but for its id.
func (x *expander) item(raw []byte) error {
	var kind, sealed []byte
	item := []byte{'{'}
	s := rawjson.Scanner{Body: raw}
	_, err := s.Object(func(key []byte, value rawjson.Span) error {
		switch string(key) {
		case "id":
			return nil
		case "type":
			kind = rawjson.Text(value.Of(raw))
		case "encrypted_content":
			sealed = rawjson.Text(value.Of(raw))
		}
		item = rawjson.AppendMember(item, string(key), value.Of(raw))
		return nil
	})
	if err != nil {
		return ErrMalformedTurn
	}
	if string(kind) == "reasoning" && !x.useful(sealed) {
		return nil
	}
	return x.add(append(item, '}'))
}

// useful reports whether reasoning with the content can be given to a model.
func (x *expander) useful(sealed []byte) bool {
	tag, tagged := output.TagOf(sealed)
	return len(sealed) > 0 && (!tagged || x.keep(string(tag)))
}

func (x *expander) add(item []byte) error {
	x.room -= int64(len(item)) + 1
	if x.room < 0 {
		return x.over
	}
	x.put(item)
	return nil
}

func (x *expander) put(item []byte) {
	x.separate()
	x.input = append(x.input, item...)
	x.items++
}

func (x *expander) separate() {
	if x.items > 0 {
		x.input = append(x.input, ',')
	}
}

// own adds what the client sent, a valid JSON, as it is.
func (x *expander) own(input []byte) {
	if input[0] == '"' {
		x.separate()
		x.input = append(x.input, messageOf(input)...)
		return
	}
	items := bytes.TrimSpace(input[1 : len(input)-1])
	if len(items) > 0 {
		x.separate()
		x.input = append(x.input, items...)
	}
}

// messageOf returns the item that a text stands for as the whole input.
func messageOf(text []byte) []byte {
	return append(append([]byte(`{"type":"message","role":"user","content":`), text...), '}')
}

// EachItem calls each with the items of the `input` of a request or the
// `output` of a response, until each returns an error. A text is one message.
// It returns ErrMalformedTurn for anything else.
func EachItem(items []byte, each func(item []byte) error) error {
	items = bytes.TrimSpace(items)
	if !json.Valid(items) {
		return ErrMalformedTurn
	}
	s := rawjson.Scanner{Body: items}
	switch {
	case items[0] == '"':
		return each(messageOf(items))
	case !s.Eat('['):
		return ErrMalformedTurn
	}
	for s.Space(); !s.Eat(']'); s.Space() {
		value, err := s.Value()
		if err != nil || !rawjson.IsObject(value.Of(items)) {
			return ErrMalformedTurn
		}
		if err := each(value.Of(items)); err != nil {
			return err
		}
		s.Space()
		s.Eat(',')
	}
	return nil
}
