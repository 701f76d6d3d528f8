package responses

import (
	"errors"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// ErrNoResponse is returned for JSON that is neither an answer nor an error.
var ErrNoResponse = errors.New("responses: not a response")

// answerBody is a response object as upstreams send it.
type answerBody struct {
	ID                string  `json:"id"`
	Model             string  `json:"model"`
	CreatedAt         float64 `json:"created_at"` // some servers send a fraction
	Status            string  `json:"status"`
	IncompleteDetails struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Output []outputItem   `json:"output"`
	Usage  jsontext.Value `json:"usage"`
	Error  jsontext.Value `json:"error"`
}

// outputItem is any item of `output`, whole or as it begins.
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

// UnmarshalJSON reads only the items that are known: those of the provider's
// own tools have the same names for other things.
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

type answerPart struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
}

// Whole reads a JSON answer. See provider.Decoder.
func (d *Decoder) Whole(body []byte) (completion.Response, error) {
	var b answerBody
	if err := json.Unmarshal(body, &b, lenient); err != nil {
		if fault := output.ScanError(body); fault != nil {
			return completion.Response{}, faultOf(fault)
		}
		return completion.Response{}, err
	}
	switch {
	case given(b.Error):
		b.Status = failed
	case b.Output == nil:
		return completion.Response{}, ErrNoResponse
	case b.Status == "":
		b.Status = completed // a server that does not say
	}
	d.terminal(&b, body)
	var g completion.Accumulator
	for _, e := range d.out {
		g.Add(e)
	}
	d.out = nil
	if g.Error != nil {
		g.Response.Usage = output.ParseUsage(b.Usage)
		return g.Response, g.Error
	}
	return g.Response, nil
}

// terminal reads the response that ends an answer. What was not said before is
// said now.
func (d *Decoder) terminal(b *answerBody, raw []byte) {
	d.begin(b)
	used := output.ParseUsage(b.Usage)
	if b.Status != completed && b.Status != incomplete {
		d.fail(output.ScanError(raw), used)
		return
	}
	for i := range b.Output {
		d.settle(i, &b.Output[i])
	}
	for _, p := range d.parts {
		d.end(p, "")
	}
	d.say(completion.Event{Type: completion.EventEnd, Response: completion.Response{FinishReason: d.finish(b), Usage: used}})
	d.ended = true
}

func (d *Decoder) finish(b *answerBody) completion.FinishReason {
	switch {
	case b.Status == incomplete && b.IncompleteDetails.Reason == reasonFiltered:
		return completion.FinishContentFilter
	case b.Status == incomplete: // whatever else there may be, the answer is cut short
		return completion.FinishLength
	case d.calls:
		return completion.FinishToolCalls
	}
	return completion.FinishStop
}

// fail ends the answer with a fault. Usage is what was reported of it, if any.
func (d *Decoder) fail(e *output.ErrorBody, u *usage.Usage) {
	d.say(completion.Event{Type: completion.EventFail, Response: completion.Response{Usage: u}, Error: *faultOf(e)})
	d.ended = true
}

func faultOf(e *output.ErrorBody) *completion.UpstreamError {
	if e == nil {
		return &completion.UpstreamError{Message: "The response failed."}
	}
	return &completion.UpstreamError{Message: e.Message, Type: e.Type, Code: e.Code}
}

func createdAt(seconds float64) time.Time {
	if seconds < 1 || seconds > 1<<40 {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0)
}
