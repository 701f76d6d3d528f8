package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/openai/sealtag"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// Turn represents an earlier request of a conversation with its response, as the gateway stored them.
type Turn struct {
	Input []byte // JSON: the value of `input` in its request
	Body  []byte // JSON: its response object
}

// ErrMalformedTurn means that a stored turn has no valid input or output.
var ErrMalformedTurn = errors.New("openai: malformed turn")

const previousResponse = "previous_response_id"

// Expansion holds the stored conversation that a request continues and the stored items that it refers to.
// The relay uses it when no upstream stores them.
type Expansion struct {
	Turns []Turn            // oldest first
	Items map[string][]byte // the referenced items, by their public ids
	Limit int64             // upper bound of the whole expanded body, in bytes
	// KeepTag reports whether an upstream can read the encrypted content that has the tag. Reasoning items
	// whose content has another tag, and those without content, are left out.
	KeepTag func(tag string) bool
}

// Expand returns a new request whose input is the whole conversation:
//
//	"input": [ turn 1 input, turn 1 output, turn 2 input, ..., the client's own input ]
//
// References in the client's input are replaced by the items that they refer to. The new body has no
// previous_response_id, but Previous keeps its value. It leaves out the ids of stored items, because no
// upstream knows them, and the instructions of earlier turns, as OpenAI's own API does. Errors are
// ErrMalformedTurn, and problems of the kinds InvalidJSON and TooLarge.
func (r *Request) Expand(e Expansion) (*Request, error) {
	input, origins, err := r.resolveReferences(e)
	if err != nil {
		return nil, err
	}
	tooLarge := problem.New(problem.TooLarge,
		"The conversation is too long to continue. Start a new one, or send a shorter input.").At(previousResponse)
	size := int64(len(r.body) - len(r.input.Of(r.body)) + len(input))
	x := expander{keepTag: e.KeepTag, input: []byte{'['}, budget: e.Limit - size, tooLarge: tooLarge}
	for i := range e.Turns {
		if err := x.appendTurn(&e.Turns[i]); err != nil {
			return nil, err
		}
	}
	x.appendOwnInput(input)
	edits := []rawjson.Edit{r.inputEdit(append(x.input, ']'))}
	if len(e.Turns) > 0 {
		// The upstream does not know the id. null has the same meaning as no member.
		edits = append(edits, rawjson.Edit{At: r.previous, With: []byte("null")})
	}
	request, err := ScanRequest(rawjson.Splice(r.body, rawjson.InOrder(edits)).Bytes(), catalog.Responses)
	if err != nil {
		return nil, err
	}
	request.Previous, request.earlierItems, request.ownInput, request.origins = r.Previous, x.items, input, origins
	return request, nil
}

// inputEdit returns the edit that sets the input, which a request for an operation may lack.
func (r *Request) inputEdit(input []byte) rawjson.Edit {
	if r.input == (rawjson.Span{}) {
		return rawjson.Edit{At: rawjson.Span{Start: r.end, End: r.end}, With: append([]byte(`,"input":`), input...)}
	}
	return rawjson.Edit{At: r.input, With: input}
}

// IsExpanded reports whether Expand made the request.
func (r *Request) IsExpanded() bool { return r.ownInput != nil }

// ChangesPaths reports whether paths into the request may differ from those into the client's own, see ClientPath.
func (r *Request) ChangesPaths() bool { return r.IsExpanded() || r.omission != nil || r.isConverted }

// ContinuesUpstream reports whether the request continues a response that an upstream stores. It is false
// after Expand, because the new body holds the conversation itself.
func (r *Request) ContinuesUpstream() bool { return r.previous != (rawjson.Span{}) }

// Input returns the `input` of a responses request as the client sent it, but with the references replaced if
// Expand made the request. The result refers to the body.
func (r *Request) Input() []byte {
	if r.ownInput != nil {
		return r.ownInput
	}
	return r.input.Of(r.body)
}

// ClientPath returns the path in the client's own request for a path into a request that Expand, MarkConverted or
// WithoutOptionalTools made, so that an error message names a field that the client sent. A path into an earlier turn
// becomes previous_response_id. Other paths stay as they are.
func (r *Request) ClientPath(path string) string {
	if r.isConverted {
		return responsesPath(path)
	}
	if r.omission != nil {
		path = r.omission.clientPath(path)
	}
	part, ok := strings.CutPrefix(path, "input[")
	if !r.IsExpanded() || !ok {
		return path
	}
	digits, tail, _ := strings.Cut(part, "]")
	index, err := strconv.Atoi(digits)
	switch {
	case err != nil:
		return path
	case index < r.earlierItems:
		return previousResponse
	case r.ownInput[0] == '"':
		return "input"
	}
	return r.clientPath(index-r.earlierItems, tail)
}

// expander writes the input array of an expanded request.
type expander struct {
	keepTag  func(tag string) bool
	input    []byte // the array so far, without its closing bracket
	items    int    // number of items in input
	budget   int64  // bytes that stored items may still add
	tooLarge error  // error if stored items exceed the budget
}

// appendTurn appends the input and the output of an earlier turn.
func (x *expander) appendTurn(t *Turn) error {
	if !json.Valid(t.Input) || !json.Valid(t.Body) {
		return ErrMalformedTurn
	}
	if err := EachItem(t.Input, x.appendStored); err != nil {
		return err
	}
	items := itemsOf(t.Body)
	if items == nil {
		return ErrMalformedTurn
	}
	return EachItem(items, x.appendStored)
}

// itemsOf returns the output items of a response object as a JSON array, or nil if it has none.
func itemsOf(response []byte) (items []byte) {
	s := rawjson.Scanner{Body: response}
	_, err := s.Object(func(key []byte, value rawjson.Span) error {
		if string(key) == "output" {
			items = value.Of(response)
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return items
}

// appendStored appends a stored item without its id, unless it is reasoning that the model cannot use.
func (x *expander) appendStored(raw []byte) error {
	var kind, content []byte
	item := []byte{'{'}
	s := rawjson.Scanner{Body: raw}
	_, err := s.Object(func(key []byte, value rawjson.Span) error {
		switch string(key) {
		case "id":
			return nil
		case "type":
			kind = rawjson.Text(value.Of(raw))
		case "encrypted_content":
			content = rawjson.Text(value.Of(raw))
		}
		item = rawjson.AppendMember(item, string(key), value.Of(raw))
		return nil
	})
	if err != nil {
		return ErrMalformedTurn
	}
	if string(kind) == "reasoning" && !x.isUsable(content) {
		return nil
	}
	return x.appendCounted(append(item, '}'))
}

// isUsable reports whether the model can be given a reasoning item with this encrypted content: it must not be
// empty, and if it is tagged, an upstream must be able to read it.
func (x *expander) isUsable(content []byte) bool {
	tag, ok := sealtag.Of(content)
	return len(content) > 0 && (!ok || x.keepTag(string(tag)))
}

// appendCounted appends an item and counts its bytes against the budget.
func (x *expander) appendCounted(item []byte) error {
	x.budget -= int64(len(item)) + 1
	if x.budget < 0 {
		return x.tooLarge
	}
	x.appendItem(item)
	return nil
}

// appendItem appends an item. The client's own items do not count against the budget, because Limit already includes
// them.
func (x *expander) appendItem(item []byte) {
	x.appendComma()
	x.input = append(x.input, item...)
	x.items++
}

// appendComma appends a comma unless the array is empty.
func (x *expander) appendComma() {
	if x.items > 0 {
		x.input = append(x.input, ',')
	}
}

// appendOwnInput appends the client's own input, which is valid JSON, without changes.
func (x *expander) appendOwnInput(input []byte) {
	if input[0] == '"' {
		x.appendComma()
		x.input = append(x.input, messageOf(input)...)
		return
	}
	items := bytes.TrimSpace(input[1 : len(input)-1])
	if len(items) > 0 {
		x.appendComma()
		x.input = append(x.input, items...)
	}
}

// messageOf returns the message item that is equivalent to an input that is a plain string. text is the JSON
// string with its quotes.
func messageOf(text []byte) []byte {
	return append(append([]byte(`{"type":"message","role":"user","content":`), text...), '}')
}

// EachItem calls the function visit for every item of a request's `input` or of a response's `output`. It
// stops at the first error and returns it. An input that is a string counts as one user message. For anything
// else it returns ErrMalformedTurn.
func EachItem(items []byte, visit func(item []byte) error) error {
	items = bytes.TrimSpace(items)
	if !json.Valid(items) {
		return ErrMalformedTurn
	}
	s := rawjson.Scanner{Body: items}
	switch {
	case items[0] == '"':
		return visit(messageOf(items))
	case !s.Eat('['):
		return ErrMalformedTurn
	}
	for s.Space(); !s.Eat(']'); s.Space() {
		value, err := s.Value()
		if err != nil || !rawjson.IsObject(value.Of(items)) {
			return ErrMalformedTurn
		}
		if err := visit(value.Of(items)); err != nil {
			return err
		}
		s.Space()
		s.Eat(',')
	}
	return nil
}
