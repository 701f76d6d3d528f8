package responses

import (
	"errors"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// ErrNoResponse means that a JSON body is neither a response nor an error.
var ErrNoResponse = errors.New("responses: not a response")

// answerBody represents a response object of an upstream.
type answerBody struct {
	ID                string  `json:"id"`
	Model             string  `json:"model"`
	CreatedAt         float64 `json:"created_at"` // some servers send a fraction
	Status            string  `json:"status"`
	IncompleteDetails struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Output []outputItem `json:"output"`
}

// outputItem represents any item of `output`, complete or as it begins.
type outputItem struct {
	ID               string       `json:"id"`
	Type             string       `json:"type"`
	Content          []answerPart `json:"content"`
	Summary          []answerPart `json:"summary"`
	CallID           string       `json:"call_id"`
	Name             string       `json:"name"`
	Arguments        string       `json:"arguments"`
	Input            string       `json:"input"`
	EncryptedContent string       `json:"encrypted_content"`
}

// UnmarshalJSON implements json.Unmarshaler. It reads only the fields of known items, because items of the
// provider's own tools use the same names with other types.
func (o *outputItem) UnmarshalJSON(raw []byte) error {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &head, lenient); err != nil {
		return err
	}
	switch o.Type = head.Type; o.Type {
	case message, reasoning, functionCall, customCall:
		type plain outputItem
		return json.Unmarshal(raw, (*plain)(o), lenient)
	}
	return nil
}

// answerPart represents a part of a message's content, or a text of reasoning.
type answerPart struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
}

// Whole reads a JSON response, see provider.Decoder. If the response failed, it returns the usage with the
// error.
func (d *Decoder) Whole(body []byte) (completion.Response, error) {
	answer, err := d.reader.Answer(body)
	if answer.Error != nil {
		return completion.Response{Usage: d.ReportedUsage()}, faultOf(answer.Error)
	}
	if err != nil {
		return completion.Response{}, err
	}
	var b answerBody
	if err := json.Unmarshal(body, &b, lenient); err != nil {
		return completion.Response{}, err
	}
	switch {
	case b.Output == nil:
		return completion.Response{}, ErrNoResponse
	case b.Status != completed && b.Status != incomplete && b.Status != "": // some servers leave out the status
		return completion.Response{Usage: d.ReportedUsage()},
			&completion.UpstreamError{Message: "The response ended with the status " + b.Status + "."}
	}
	d.terminal(&b)
	var g completion.Accumulator
	for _, e := range d.events {
		g.Add(e)
	}
	d.events = nil
	return g.Response, nil
}

// terminal reads the response object that ends a response. It emits everything in it that was not emitted
// before.
func (d *Decoder) terminal(b *answerBody) {
	d.begin(b)
	for i := range b.Output {
		d.completeOutput(i, &b.Output[i])
	}
	for _, p := range d.parts {
		d.end(p, "")
	}
	d.emit(completion.Event{Type: completion.EventEnd,
		Response: completion.Response{FinishReason: d.finish(b), Usage: d.ReportedUsage()}})
	d.ended = true
}

// finish returns the finish reason of a response.
func (d *Decoder) finish(b *answerBody) completion.FinishReason {
	switch {
	case b.Status == incomplete && b.IncompleteDetails.Reason == reasonFiltered:
		return completion.FinishContentFilter
	case b.Status == incomplete: // for any other reason
		return completion.FinishLength
	case d.hasCalls:
		return completion.FinishToolCalls
	}
	return completion.FinishStop
}

// fail ends the response with an error, and the usage that was reported.
func (d *Decoder) fail(e *output.ErrorBody) {
	d.emit(completion.Event{Type: completion.EventFail, Response: completion.Response{Usage: d.ReportedUsage()},
		Error: *faultOf(e)})
	d.ended = true
}

// faultOf returns the error in the neutral form.
func faultOf(e *output.ErrorBody) *completion.UpstreamError {
	return &completion.UpstreamError{Message: e.Message, Type: e.Type, Code: e.Code}
}

// createdAt returns the time of a response, or the zero time if the value is not plausible.
func createdAt(seconds float64) time.Time {
	if seconds < 1 || seconds > 1<<40 {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0)
}
