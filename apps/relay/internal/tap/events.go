package tap

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/tollgate/tollgate/apps/relay/internal/envelope"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// events is the state of a responses stream that is needed to end it. Such a stream must end with exactly one
// terminal event.
type events struct {
	skeleton output.ResponseTemplate // the response object from the first event, a template for a terminal event
	begun    bool                    // skeleton is that of an event
	next     int64                   // the sequence number after the last event
	terminal []byte                  // the upstream's terminal frame, held back
	// transcript collects the items of the answer, to close those that are open if the stream must end early.
	// It is nil unless the stream is counted from its beginning: an item is only known from all of its events.
	transcript *output.Transcript
}

// newEvents returns the state of a new stream. It keeps a transcript if the stream is counted from its
// beginning.
func newEvents(l *length) *events {
	e := &events{}
	if l.counting {
		e.transcript = &output.Transcript{}
	}
	return e
}

// see updates the state with a frame and reports whether the frame has a piece of text.
func (e *events) see(frame *output.Frame) (text bool) {
	e.next++
	if number, ok := output.SequenceNumber(frame.Data); ok {
		e.next = number + 1
	}
	if e.transcript != nil {
		e.transcript.Follow(frame.Data)
	}
	if !e.begun && frame.Event != nil && frame.Event.Type == output.EventPending {
		if skeleton := output.ResponseTemplateOf(frame); skeleton.Object != nil {
			e.skeleton, e.begun = skeleton, true
		}
	}
	return frame.Event != nil && frame.Event.Type == output.EventDelta
}

// terminal delays the frame that ends the stream, and ends the loop.
func (d *Delivery) terminal(frame *output.Frame) bool {
	d.read(frame)
	if d.message != nil {
		d.message.terminal = bytes.Clone(frame.Raw)
		return d.end(Completed, nil)
	}
	d.events.terminal = append([]byte(nil), d.withQuota(frame)...)
	if frame.Event.Type == output.EventFailed {
		return d.end(UpstreamError, nil)
	}
	return d.end(Completed, nil)
}

// Terminal returns the frame that will end a responses stream. It returns nil for a chat stream and for a
// stream without a terminal frame of the upstream.
func (d *Delivery) Terminal() []byte {
	if d.events == nil || !d.result.Complete {
		return nil
	}
	return d.events.terminal
}

// Amend replaces the frame that Terminal returns. It must be called before Finish.
func (d *Delivery) Amend(terminal []byte) { d.events.terminal = terminal }

// failed returns the frame that ends the stream with an error. It prefers the upstream's own terminal frame. If the
// client does not know the response yet, the event is an error
// (https://platform.openai.com/docs/api-reference/responses-streaming/error).
func (e *events) failed(end End, fault envelope.ErrorObject) []byte {
	if end == UpstreamError && e.terminal != nil {
		return e.terminal
	}
	code := fault.Type
	if fault.Code != nil {
		code = *fault.Code
	}
	if !e.begun && e.skeleton.Object == nil {
		return errorFrame(e.next, code, fault)
	}
	return e.skeleton.FailedFrame(e.next, code, fault.Message)
}

// errorFrame returns the frame of the event error.
func errorFrame(sequence int64, code string, fault envelope.ErrorObject) []byte {
	data, _ := json.Marshal(struct { // numbers and texts have no errors
		Type     string  `json:"type"`
		Sequence int64   `json:"sequence_number"`
		Code     string  `json:"code"`
		Message  string  `json:"message"`
		Param    *string `json:"param"`
	}{"error", sequence, code, fault.Message, fault.Param})
	return slices.Concat([]byte("event: error\ndata: "), data, []byte("\n\n"))
}

// incomplete returns the frames that end the stream early: they close the open items and the response. Without
// a transcript the items are unknown, and the output in the last frame is empty.
func (e *events) incomplete(u usage.Usage, quota string) []byte {
	frames, sequence, output := []byte(nil), e.next, []byte(`[]`)
	if e.transcript != nil {
		frames, sequence, output = e.transcript.Close(sequence)
	}
	return append(frames, e.skeleton.IncompleteFrame(sequence, output, u, quota)...)
}
