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
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// object represents a complete response or a chunk of a stream. It has the fields with content that all compatible
// servers share. Errors, and what is charged, are read by output.Reader.
type object struct {
	ID      text           `json:"id"`
	Model   text           `json:"model"`
	Created jsontext.Value `json:"created"`
	Choices []answerChoice `json:"choices"`
}

// answerChoice represents one choice of a response.
type answerChoice struct {
	Index   int   `json:"index"`
	Message piece `json:"message"` // of a complete response
	Delta   piece `json:"delta"`   // of a chunk
	Reason  text  `json:"finish_reason"`
}

// piece represents a message, or the part of one that a chunk adds.
type piece struct {
	Content      mixedText      `json:"content"`
	Images       jsontext.Value `json:"images"` // OpenRouter's and LiteLLM's, see imageItem
	Annotations  jsontext.Value `json:"annotations"`
	Refusal      text           `json:"refusal"`
	Thought      text           `json:"reasoning_content"`
	OtherThought text           `json:"reasoning"` // some servers' name of reasoning_content
	Calls        []callPiece    `json:"tool_calls"`
	FunctionCall *functionPiece `json:"function_call"` // the older form of a single call
}

// callPiece represents a tool call, or the part of one that a chunk adds.
type callPiece struct {
	Index    *int          `json:"index"`
	ID       text          `json:"id"`
	Type     text          `json:"type"`
	Function functionPiece `json:"function"`
	Custom   functionPiece `json:"custom"`
	Extra    extra         `json:"extra_content"`
}

// functionPiece represents the function or custom tool of a call, or a part of it.
type functionPiece struct {
	Name      text      `json:"name"`
	Arguments arguments `json:"arguments"`
	Input     text      `json:"input"` // of a custom tool
}

// mixedText holds content that is a string, or an array of parts with text and thoughts, as Mistral sends it.
type mixedText struct{ text, thought string }

// UnmarshalJSONFrom implements json.UnmarshalerFrom. It ignores parts that are neither text nor thought.
func (s *mixedText) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*s = mixedText{}
	if dec.PeekKind() != '[' {
		var t text
		err := t.UnmarshalJSONFrom(dec)
		s.text = string(t)
		return err
	}
	var parts []struct {
		Text    text      `json:"text"`
		Thought mixedText `json:"thinking"`
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

// lenient accepts duplicate keys and invalid UTF-8 in responses: such a fault does not change the content, so
// it is no reason to withhold the response.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// ErrNoResponse means that a JSON body is neither a response nor an error, or that a stream contains neither.
var ErrNoResponse = errors.New("chat: not a completion")

// Whole reads the first choice of a JSON response, see provider.Decoder.
func (d *Decoder) Whole(body []byte) (completion.Response, error) {
	answer, err := d.reader.Answer(body)
	if answer.Error != nil {
		return completion.Response{}, faultOf(answer.Error)
	}
	if err != nil {
		return completion.Response{}, fmt.Errorf("chat: scan response: %w", err)
	}
	var o object
	if err := json.Unmarshal(body, &o, lenient); err != nil {
		return completion.Response{}, fmt.Errorf("chat: decode response: %w", err)
	}
	choice := o.firstChoice()
	if choice == nil {
		return completion.Response{}, ErrNoResponse
	}
	events, err := d.readChoice(nil, &o, choice, &choice.Message)
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

// firstChoice returns the choice with the index 0, or nil if there is none. A request for several choices is never
// translated.
func (o *object) firstChoice() *answerChoice {
	for i := range o.Choices {
		if o.Choices[i].Index == 0 {
			return &o.Choices[i]
		}
	}
	return nil
}

// faultOf returns the error in the neutral form.
func faultOf(e *output.ErrorBody) *completion.UpstreamError {
	return &completion.UpstreamError{Message: e.Message, Type: e.Type, Code: e.Code}
}

// created returns the time of the response, or the zero time if the upstream did not report it.
func (o *object) created() time.Time {
	seconds, err := strconv.ParseInt(strings.TrimSuffix(string(o.Created), ".0"), 10, 64)
	if err != nil || seconds <= 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

// finishReasons maps the finish reasons. Any other reason counts as "stop".
var finishReasons = map[text]completion.FinishReason{
	"length": completion.FinishLength, "max_tokens": completion.FinishLength, "model_length": completion.FinishLength,
	"tool_calls": completion.FinishToolCalls, "function_call": completion.FinishToolCalls,
	"content_filter": completion.FinishContentFilter,
}

// failReasons are the finish reasons of responses that failed at the upstream.
var failReasons = map[text]bool{"error": true, "insufficient_system_resource": true}
