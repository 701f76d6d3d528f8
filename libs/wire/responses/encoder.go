package responses

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/tally"
)

// maxBuffered bounds the bytes of a response. The last event of a stream repeats the whole response, so the Encoder
// must keep all of it.
const maxBuffered = 16 << 20

const (
	itemSize     = 512 // bytes that an item counts for, in addition to its text
	citationSize = 128 // bytes that a citation counts for, in addition to its texts
)

// Encoder writes one response for a client, either with Whole or with Frames. A stream of frames is always
// well formed, whatever the events are: it begins once, each item begins and ends once, and one terminal
// event ends it. Events after that are dropped, and so is text of items that did not begin or have ended. If
// the upstream does not end its stream, the caller ends it with an event of the type EventFail. A response of
// more than 16 MiB fails.
//
// The frames of a text:
//
//	response.created, response.in_progress
//	response.output_item.added, response.content_part.added
//	response.output_text.delta ...
//	response.output_text.done, response.content_part.done, response.output_item.done
//	response.completed with the whole response
//
// A picture has no deltas. It is in response.output_item.done, after the events of its progress.
//
// An Encoder is not safe for concurrent use.
type Encoder struct {
	// PreviousResponseID is the id of the response that the client continues, "" for none. Set it before the
	// first frame.
	PreviousResponseID string

	head completion.Header
	body responseBody
	seal bool // the client asked for encrypted reasoning

	spaces map[string]string // namespaces of the client's tools, by their joined names

	sequence     int64 // number of the next event
	begun, ended bool
	items        []*openItem
	byIndex      map[int]*openItem // items by the index of their events
	size         int               // buffered bytes, see maxBuffered
}

// NewEncoder returns an Encoder of one response. Of the request it keeps only the fields that responses
// repeat, because a stream may last long and the request may be large.
func NewEncoder(head completion.Header) *Encoder {
	e := &Encoder{
		head: head, body: echo(&head), byIndex: map[int]*openItem{},
		seal:   head.Request != nil && head.Request.Reasoning.Encrypted,
		spaces: spacesOf(head.Request),
	}
	e.head.Request = nil
	return e
}

// Whole returns the response as one JSON object. Use it or Frames, not both.
func (e *Encoder) Whole(answer *completion.Response) []byte {
	e.start(answer)
	for i, item := range answer.Items {
		o := e.add(item)
		if o.kind == &pictureKind {
			o.picture = item.Text
		} else {
			o.text = []byte(item.Text)
		}
		for i := range item.Citations {
			e.cite(o, &item.Citations[i])
		}
		o.seal = item.Signature
		status := completed
		if i == len(answer.Items)-1 { // only the last item of an incomplete response is incomplete
			status, _ = statusOf(answer.FinishReason)
		}
		e.finishItem(o, status)
	}
	e.end(answer.FinishReason, answer.Usage)
	return write(&e.body)
}

// Frames appends the frames of the event to dst. Most events have one frame, some have none.
func (e *Encoder) Frames(dst []byte, ev completion.Event) []byte {
	if e.ended {
		return dst
	}
	dst = e.begin(dst, &ev)
	switch ev.Type {
	case completion.EventItemBegin:
		dst = e.beginItem(dst, &ev)
	case completion.EventItemDelta, completion.EventItemEnd:
		dst = e.continueItem(dst, &ev)
	case completion.EventEnd:
		dst = e.finish(dst, ev.Response.FinishReason, ev.Response.Usage)
	case completion.EventFail:
		dst = e.fail(dst, &ev.Error, ev.Response.Usage)
	}
	// A response above the limit fails instead of being cut: the client must not take a part for the whole.
	if !e.ended && e.size > maxBuffered {
		dst = e.fail(dst, &completion.UpstreamError{Message: "The response is too long."}, nil)
	}
	return dst
}

// start sets the fields of the response object that are known when the response begins.
func (e *Encoder) start(a *completion.Response) {
	e.begun = true
	e.body.PreviousResponseID = orNil(e.PreviousResponseID)
	if !a.Created.IsZero() {
		e.body.CreatedAt = a.Created.Unix()
	}
}

// begin appends the first two events, once.
func (e *Encoder) begin(dst []byte, ev *completion.Event) []byte {
	if e.begun {
		return dst
	}
	e.start(&ev.Response)
	dst = e.appendResponseEvent(dst, "response.created")
	return e.appendResponseEvent(dst, "response.in_progress")
}

// appendResponseEvent appends an event with the whole response object.
func (e *Encoder) appendResponseEvent(dst []byte, name string) []byte {
	dst = e.openEvent(dst, name)
	dst = append(dst, `,"response":`...)
	return closeEvent(append(dst, write(&e.body)...))
}

// finish ends the stream. It first ends all open items.
func (e *Encoder) finish(dst []byte, finish completion.FinishReason, u *usage.Usage) []byte {
	status, _ := statusOf(finish)
	for _, o := range e.items {
		dst = e.endItem(dst, o, status)
	}
	e.end(finish, u)
	return e.appendResponseEvent(dst, "response."+status)
}

// fail ends the stream with an error. Open items get no event of their end and are "incomplete" in the
// response object: a client may execute a call as soon as it ends, and this one may lack a part of its
// arguments.
func (e *Encoder) fail(dst []byte, fault *completion.UpstreamError, u *usage.Usage) []byte {
	dst = e.endComplete(dst)
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
	return e.appendResponseEvent(dst, "response.failed")
}

// statusOf returns the status of a response, and the reason if it is incomplete.
func statusOf(finish completion.FinishReason) (status, reason string) {
	switch finish {
	case completion.FinishLength:
		return incomplete, reasonLength
	case completion.FinishContentFilter:
		return incomplete, reasonFiltered
	}
	return completed, ""
}

// end completes the response object.
func (e *Encoder) end(finish completion.FinishReason, u *usage.Usage) {
	e.ended = true
	var reason string
	if e.body.Status, reason = statusOf(finish); reason != "" {
		e.body.IncompleteDetails = &incompleteBody{reason}
	}
	e.setUsage(u)
	var text []byte
	for _, o := range e.items {
		e.body.Output = append(e.body.Output, o.done)
		if o.kind == &textKind {
			text = append(text, o.text...)
		}
	}
	outputText := string(text)
	e.body.OutputText = &outputText
}

// setUsage sets the usage, the service tier and what the provider's tools did. u is nil if the upstream reported no
// usage.
func (e *Encoder) setUsage(u *usage.Usage) {
	if e.body.Usage = usageOf(u); u == nil {
		return
	}
	if u.ServiceTier != "" {
		e.body.ServiceTier = u.ServiceTier
	}
	if u.Tools != (usage.Tools{}) {
		e.body.ToolUsage = tally.AppendTools(nil, u.Tools)
	}
}

// openEvent appends the beginning of an event: its name, type and sequence number.
func (e *Encoder) openEvent(dst []byte, name string) []byte {
	dst = append(append(dst, "event: "...), name...)
	dst = append(append(dst, "\ndata: {\"type\":\""...), name...)
	dst = strconv.AppendInt(append(dst, `","sequence_number":`...), e.sequence, 10)
	e.sequence++
	return dst
}

// closeEvent appends the end of an event.
func closeEvent(dst []byte) []byte { return append(dst, "}\n\n"...) }

// appendString appends a member that is a string.
func appendString[text string | []byte](dst []byte, key string, value text) []byte {
	dst = append(append(append(dst, ',', '"'), key...), '"', ':')
	dst, _ = jsontext.AppendQuote(dst, value) // invalid UTF-8 becomes U+FFFD, which the error reports
	return dst
}
