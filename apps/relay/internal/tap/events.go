package tap

import (
	"github.com/tollgate/tollgate/apps/relay/internal/envelope"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// events is what is remembered of a responses stream, to end it with exactly
// one terminal event.
type events struct {
	skeleton output.ResponseTemplate
	begun    bool   // skeleton is set
	next     int64  // sequence number of the event after the last
	terminal []byte // the upstream's own terminal frame, held back
	// transcript is kept from the beginning or not at all: what comes later does
	// not tell the whole of an item.
	transcript *output.Transcript
}

// newEvents returns those of a stream whose length is, or is not, counted from
// its beginning.
func newEvents(l *length) *events {
	e := &events{}
	if l.counting {
		e.transcript = &output.Transcript{}
	}
	return e
}

// see takes what ending the stream needs of a frame and reports whether the
// frame has a piece of text.
func (e *events) see(frame *output.Frame) (text bool) {
	e.next++
	if number, ok := output.SequenceNumber(frame.Data); ok {
		e.next = number + 1
	}
	if e.transcript != nil {
		e.transcript.Follow(frame.Data)
	}
	if !e.begun && frame.Event != nil && frame.Event.Type == output.EventPending {
		e.skeleton, e.begun = output.ResponseTemplateOf(frame), true
	}
	return frame.Event != nil && frame.Event.Type == output.EventDelta
}

// terminal holds back the frame that ends the stream.
func (d *Delivery) terminal(frame *output.Frame) bool {
	d.read(frame)
	d.events.terminal = append([]byte(nil), d.withQuota(frame)...)
	if frame.Event.Type == output.EventFailed {
		return d.end(UpstreamError, nil)
	}
	return d.end(Completed, nil)
}

// Terminal returns the frame that is to end a responses stream, nil where the
// stream has none that came to its end.
func (d *Delivery) Terminal() []byte {
	if d.events == nil || !d.result.Complete {
		return nil
	}
	return d.events.terminal
}

// Amend puts another frame in the place of Terminal's. It is called before
// Finish.
func (d *Delivery) Amend(terminal []byte) { d.events.terminal = terminal }

// failed returns the frame that ends the stream with an error: the upstream's
// own, where it had one.
func (e *events) failed(end End, fault envelope.ErrorObject) []byte {
	if end == UpstreamError && e.terminal != nil {
		return e.terminal
	}
	code := fault.Type
	if fault.Code != nil {
		code = *fault.Code
	}
	return e.skeleton.FailedFrame(e.next, code, fault.Message)
}

// incomplete returns the frames that end the stream before its time: they end
// what is open. Of a stream that was not counted from the beginning the items
// are not known, and its output is left out.
func (e *events) incomplete(u usage.Usage, quota string) []byte {
	frames, next, output := []byte(nil), e.next, []byte(`[]`)
	if e.transcript != nil {
		frames, next, output = e.transcript.Close(next)
	}
	return append(frames, e.skeleton.IncompleteFrame(next, output, u, quota)...)
}
