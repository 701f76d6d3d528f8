package chat

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// object is a whole answer, a chunk of a stream, or an error: what is common
// to all compatible servers is read, the rest passed over.
type object struct {
	ID      text           `json:"id"`
	Model   text           `json:"model"`
	Created jsontext.Value `json:"created"`
	Choices []generated    `json:"choices"`
	Usage   jsontext.Value `json:"usage"`
	Error   jsontext.Value `json:"error"`

	Object  text `json:"object"`  // "error" at servers that have no error object
	Message text `json:"message"` // of such an error
}

type generated struct {
	Index   int            `json:"index"`
	Message piece          `json:"message"` // of a whole answer
	Delta   piece          `json:"delta"`   // of a chunk
	Reason  text           `json:"finish_reason"`
	Usage   jsontext.Value `json:"usage"` // where some servers have it
}

// piece is a message or what a chunk adds to one.
type piece struct {
	Content      said         `json:"content"`
	Refusal      text         `json:"refusal"`
	Thought      text         `json:"reasoning_content"`
	OtherThought text         `json:"reasoning"` // where some servers have it
	Calls        []callPiece  `json:"tool_calls"`
	FunctionCall *calledPiece `json:"function_call"` // the old name of a single call
}

type callPiece struct {
	Index    *int        `json:"index"`
	ID       text        `json:"id"`
	Type     text        `json:"type"`
	Function calledPiece `json:"function"`
	Custom   calledPiece `json:"custom"`
	Extra    extra       `json:"extra_content"`
}

type calledPiece struct {
	Name      text      `json:"name"`
	Arguments arguments `json:"arguments"`
	Input     text      `json:"input"` // of a custom tool
}

// said is a text, or parts of it with thoughts among them.
type said struct{ text, thought string }

// UnmarshalJSONFrom passes over parts that are neither.
func (s *said) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*s = said{}
	if dec.PeekKind() != '[' {
		var whole text
		err := whole.UnmarshalJSONFrom(dec)
		s.text = string(whole)
		return err
	}
	var parts []struct {
		Text    text `json:"text"`
		Thought said `json:"thinking"`
	}
	if err := json.UnmarshalDecode(dec, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		s.text += string(p.Text)
		s.thought += p.Thought.text
	}
	return nil
}

// lenient is how answers are read: an upstream's lapse that does not change
// what it says is no reason to withhold the answer.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// ErrNoResponse is returned for JSON that is neither an answer nor an error, and
// for a stream without either.
var ErrNoResponse = errors.New("chat: not a completion")

// Whole reads a JSON answer: its first choice. An error that stands in place
// of one is a *completion.UpstreamError.
func (d *Decoder) Whole(body []byte) (completion.Response, error) {
	var o object
	if err := json.Unmarshal(body, &o, lenient); err != nil {
		return completion.Response{}, fmt.Errorf("chat: decode response: %w", err)
	}
	if fault, failed := o.fault("", body); failed {
		return completion.Response{}, &fault
	}
	choice := o.first()
	if choice == nil {
		return completion.Response{}, ErrNoResponse
	}
	events, err := d.take(nil, &o, choice, &choice.Message)
	if err != nil {
		return completion.Response{}, err
	}
	var g completion.Accumulator
	for _, e := range d.end(d.closeItems(events)) {
		g.Add(e)
	}
	if g.Error != nil {
		return completion.Response{}, g.Error
	}
	return g.Response, nil
}

// first is the choice 0, the only one that is read: a request for more is not
// translated.
func (o *object) first() *generated {
	for i := range o.Choices {
		if o.Choices[i].Index == 0 {
			return &o.Choices[i]
		}
	}
	return nil
}

// fault is the error that the object is, if it is one. Event and raw are the
// frame's: its name and its JSON.
func (o *object) fault(event string, raw []byte) (fault completion.UpstreamError, failed bool) {
	if len(given(o.Error)) > 0 {
		if e := output.ScanError(raw); e != nil {
			return completion.UpstreamError{Message: e.Message, Type: e.Type, Code: e.Code}, true
		}
		return completion.UpstreamError{Message: "unknown error"}, true
	}
	return completion.UpstreamError{Message: string(o.Message)}, o.Object == "error" || event == "error"
}

// usage is what the object reports, nil for nothing.
func (o *object) usage(choice *generated) *usage.Usage {
	if len(given(o.Usage)) > 0 {
		return output.ParseUsage(o.Usage)
	}
	if choice != nil && len(given(choice.Usage)) > 0 {
		return output.ParseUsage(choice.Usage)
	}
	return nil
}

// created is when the upstream says that it answered, the zero time where it
// does not.
func (o *object) created() time.Time {
	seconds, err := strconv.ParseInt(strings.TrimSuffix(string(o.Created), ".0"), 10, 64)
	if err != nil || seconds <= 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

// finishes are the reasons that are not "stop" by another name.
var finishes = map[text]completion.FinishReason{
	"length": completion.FinishLength, "max_tokens": completion.FinishLength, "model_length": completion.FinishLength,
	"tool_calls": completion.FinishToolCalls, "function_call": completion.FinishToolCalls,
	"content_filter": completion.FinishContentFilter,
}

// broken are the reasons of answers that broke off at the upstream.
var broken = map[text]bool{"error": true, "insufficient_system_resource": true}
