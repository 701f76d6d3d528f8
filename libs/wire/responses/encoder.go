package responses

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// maxKept bounds the bytes of an answer: the event that ends a stream says all
// of it again, so all of it is kept.
const maxKept = 16 << 20

// itemSize is what an item is taken to cost beside its text.
const itemSize = 512

// Encoder writes one answer for a client, either Whole or in Frames. Whatever
// the events are, the stream that it writes is in OpenAI's order: it begins
// once, items are begun, said and done once, and one terminal event ends it.
// What comes after that is dropped, as are the texts of items that did not
// begin or are done. A stream that its upstream does not end is ended by an
// event of the type Fail. An answer of more than 16 MiB fails. An Encoder is not
// safe for concurrent use.
type Encoder struct {
	// PreviousResponseID is what the client continues, "" for nothing. It is set
	// before the first frame.
	PreviousResponseID string

	head completion.Header
	body responseBody
	seal bool // the client wants sealed reasoning

	spaces map[string]string // namespaces of the client's tools, by their qualified names

	sequence     int64
	begun, ended bool
	items        []*openItem
	byIndex      map[int]*openItem
	kept         int
}

// NewEncoder returns an Encoder of one answer. Of the request only what answers
// show again is kept: a stream may last long, and the request be large.
func NewEncoder(head completion.Header) *Encoder {
	e := &Encoder{
		head: head, body: echo(&head), byIndex: map[int]*openItem{},
		seal:   head.Request != nil && head.Request.Reasoning.Encrypted,
		spaces: spacesOf(head.Request),
	}
	e.head.Request = nil
	return e
}

// Whole returns the client's JSON answer.
func (e *Encoder) Whole(answer *completion.Response) []byte {
	e.start(answer)
	for i, item := range answer.Items {
		o := e.add(item)
		o.text = []byte(item.Text)
		o.seal = item.Signature
		status := completed
		if i == len(answer.Items)-1 { // where the answer is cut short, it was here
			status, _ = statusOf(answer.FinishReason)
		}
		e.finishItem(o, status)
	}
	e.end(answer.FinishReason, answer.Usage)
	return write(&e.body)
}

// Frames appends the frames that e amounts to, if any.
func (e *Encoder) Frames(dst []byte, ev completion.Event) []byte {
	if e.ended {
		return dst
	}
	dst = e.begin(dst, &ev)
	switch ev.Type {
	case completion.EventItemBegin:
		dst = e.itemBegin(dst, &ev)
	case completion.EventItemDelta, completion.EventItemEnd:
		dst = e.itemMore(dst, &ev)
	case completion.EventEnd:
		dst = e.finish(dst, ev.Response.FinishReason, ev.Response.Usage)
	case completion.EventFail:
		dst = e.fail(dst, &ev.Error, ev.Response.Usage)
	}
	if !e.ended && e.kept > maxKept {
		dst = e.fail(dst, &completion.UpstreamError{Message: "The answer is too long."}, nil)
	}
	return dst
}

// start takes what the upstream says of the answer, and the caller's settings.
func (e *Encoder) start(a *completion.Response) {
	e.begun = true
	e.body.PreviousResponseID = orNil(e.PreviousResponseID)
	if !a.Created.IsZero() {
		e.body.CreatedAt = a.Created.Unix()
	}
}

func (e *Encoder) begin(dst []byte, ev *completion.Event) []byte {
	if e.begun {
		return dst
	}
	e.start(&ev.Response)
	dst = e.whole(dst, "response.created")
	return e.whole(dst, "response.in_progress")
}

// whole appends an event that has the response object.
func (e *Encoder) whole(dst []byte, name string) []byte {
	dst = e.event(dst, name)
	dst = append(dst, `,"response":`...)
	return closed(append(dst, write(&e.body)...))
}

// finish ends the stream. Items that nobody ended are done now.
func (e *Encoder) finish(dst []byte, finish completion.FinishReason, u *usage.Usage) []byte {
	status, _ := statusOf(finish)
	for _, o := range e.items {
		dst = e.itemEnd(dst, o, status)
	}
	e.end(finish, u)
	return e.whole(dst, "response."+status)
}

// fail ends the stream with the fault. Items that nobody ended stay so: a call
// that is done is a call that may be made.
func (e *Encoder) fail(dst []byte, fault *completion.UpstreamError, u *usage.Usage) []byte {
	for _, o := range e.items {
		if o.done == nil {
			e.finishItem(o, incomplete)
		}
	}
	e.end("", u)
	e.body.Status = failed
	e.body.Error = &errorBody{Code: fault.Code, Message: fault.Message}
	if fault.Code == "" {
		e.body.Error.Code = "server_error"
	}
	return e.whole(dst, "response.failed")
}

func statusOf(finish completion.FinishReason) (status, reason string) {
	switch finish {
	case completion.FinishLength:
		return incomplete, reasonLength
	case completion.FinishContentFilter:
		return incomplete, reasonFiltered
	}
	return completed, ""
}

// end makes the response object whole.
func (e *Encoder) end(finish completion.FinishReason, u *usage.Usage) {
	e.ended = true
	var reason string
	if e.body.Status, reason = statusOf(finish); reason != "" {
		e.body.IncompleteDetails = &incompleteBody{reason}
	}
	e.body.Usage = usageOf(u)
	var text []byte
	for _, o := range e.items {
		e.body.Output = append(e.body.Output, o.done)
		if o.kind == &textKind {
			text = append(text, o.text...)
		}
	}
	joined := string(text)
	e.body.OutputText = &joined
}

// event begins an event: its name, type and number.
func (e *Encoder) event(dst []byte, name string) []byte {
	dst = append(append(dst, "event: "...), name...)
	dst = append(append(dst, "\ndata: {\"type\":\""...), name...)
	dst = strconv.AppendInt(append(dst, `","sequence_number":`...), e.sequence, 10)
	e.sequence++
	return dst
}

func closed(dst []byte) []byte { return append(dst, "}\n\n"...) }

// quoted appends a member that is a string.
func quoted[text string | []byte](dst []byte, key string, value text) []byte {
	dst = append(append(append(dst, ',', '"'), key...), '"', ':')
	dst, _ = jsontext.AppendQuote(dst, value) // what is not UTF-8 becomes U+FFFD
	return dst
}
