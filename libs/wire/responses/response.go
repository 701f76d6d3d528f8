package responses

import (
	"errors"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
	"github.com/tollgate/tollgate/libs/wire/param"
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
	Output []outputItem   `json:"output"`
	Error  jsontext.Value `json:"error"`
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
	var b answerBody
	if err := json.Unmarshal(body, &b, lenient); err != nil {
		if fault := output.ScanError(body); fault != nil {
			return completion.Response{}, faultOf(fault)
		}
		return completion.Response{}, err
	}
	switch {
	case param.Given(b.Error):
		b.Status = failed
	case b.Output == nil:
		return completion.Response{}, ErrNoResponse
	case b.Status == "":
		b.Status = completed // some servers leave out the status
	}
	d.terminal(&b, body)
	var g completion.Accumulator
	for _, e := range d.out {
		g.Add(e)
	}
	d.out = nil
	if g.Error != nil {
		answer, _ := output.ScanResponse(body) // the members before a fault are used
		g.Response.Usage = answer.Usage
		return g.Response, g.Error
	}
	if g.Response.Usage == nil {
		answer, _ := output.ScanResponse(body) // the members before a fault are used
		d.charges = answer.Charges
	}
	return g.Response, nil
}

// terminal reads the response object that ends a response. It emits everything in it that was not emitted
// before.
func (d *Decoder) terminal(b *answerBody, raw []byte) {
	d.begin(b)
	answer, _ := output.ScanResponse(raw) // the members before a fault are used
	d.report(answer.Usage)
	used := d.Reported()
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
	d.emit(completion.Event{Type: completion.EventEnd, Response: completion.Response{FinishReason: d.finish(b), Usage: used}})
	d.ended = true
}

// finish returns the finish reason of a response.
func (d *Decoder) finish(b *answerBody) completion.FinishReason {
	switch {
	case b.Status == incomplete && b.IncompleteDetails.Reason == reasonFiltered:
		return completion.FinishContentFilter
	case b.Status == incomplete: // for any other reason
		return completion.FinishLength
	case d.calls:
		return completion.FinishToolCalls
	}
	return completion.FinishStop
}

// fail ends the response with an error. u is the reported usage, or nil if the upstream reported no usage.
func (d *Decoder) fail(e *output.ErrorBody, u *usage.Usage) {
	d.emit(completion.Event{Type: completion.EventFail, Response: completion.Response{Usage: u}, Error: *faultOf(e)})
	d.ended = true
}

// faultOf returns the error in the neutral form.
func faultOf(e *output.ErrorBody) *completion.UpstreamError {
	if e == nil {
		return &completion.UpstreamError{Message: "The response failed."}
	}
	return &completion.UpstreamError{Message: e.Message, Type: e.Type, Code: e.Code}
}

// createdAt returns the time of a response, or the zero time if the value is not plausible.
func createdAt(seconds float64) time.Time {
	if seconds < 1 || seconds > 1<<40 {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0)
}
