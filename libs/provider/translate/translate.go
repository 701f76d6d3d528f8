// Package translate connects the client's dialect with the upstream's for calls whose channel does not speak the
// client's dialect. DecodeRequest decodes the client's request into a conversation. A Translator decodes the upstream's
// response with the provider's Decoder and encodes it in the client's dialect, frame by frame for a stream.
package translate

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/wire/chat"
	"github.com/tollgate/tollgate/libs/wire/messages"
	"github.com/tollgate/tollgate/libs/wire/responses"
	"github.com/tollgate/tollgate/libs/wire/sse"
)

// DecodeRequest decodes the body of a client's request in the dialect, which is chat, responses or messages. Errors are
// problems that name the field.
func DecodeRequest(body []byte, dialect catalog.Dialect) (*conversation.Request, error) {
	switch dialect { //nolint:exhaustive // chat follows; clients speak no other dialect
	case catalog.Responses:
		return responses.DecodeRequest(body)
	case catalog.Messages:
		return messages.DecodeRequest(body)
	}
	return chat.DecodeRequest(body)
}

// ChatOf returns the chat request that asks for the same as a responses request, and the paths of what it is without.
// withUsage asks for the usage chunk of a stream. Errors are problems that name the field of the responses request.
func ChatOf(body []byte, withUsage bool) (request []byte, ignored []string, err error) {
	conv, err := responses.DecodeRequest(body)
	if err != nil {
		return nil, nil, err
	}
	request, ignored, err = chat.EncodeRequest(conv, chat.Options{Model: conv.Model, NoStreamOptions: !withUsage})
	// The gateway stores no chat completions.
	if len(conv.Metadata) > 0 {
		ignored = append(ignored, "metadata")
	}
	if conv.Store != nil && *conv.Store {
		ignored = append(ignored, "store")
	}
	return request, ignored, err
}

// encoder encodes one response in a client's dialect. Frames appends the frames for an event to dst.
type encoder interface {
	Whole(answer *completion.Response) []byte
	Frames(dst []byte, event completion.Event) []byte
}

// Translator translates one response of an upstream into the client's dialect.
// It is not safe for concurrent use.
type Translator struct {
	decoder provider.Decoder
	stopper *completion.Stopper // nil if the relay does not look for stop sequences
	encoder encoder
	readOn  func()       // see ReadOn; nil: a stream ends at the stop sequence
	final   *usage.Usage // of the whole response; nil before its end, and if the upstream did not report it there
	memory  sse.Memory   // see UseMemory
}

// NewTranslator returns a Translator for the response to a request in the client's dialect. decoder is that of the
// upstream's request; head holds the values that replace the upstream's in the response.
func NewTranslator(dialect catalog.Dialect, head completion.Header, decoder provider.Decoder) *Translator {
	switch dialect { //nolint:exhaustive // chat follows; clients speak no other dialect
	case catalog.Responses:
		return &Translator{decoder: decoder, encoder: responses.NewEncoder(head)}
	case catalog.Messages:
		return &Translator{decoder: decoder, encoder: messages.NewEncoder(head)}
	}
	return &Translator{decoder: decoder, encoder: chat.NewEncoder(head)}
}

// StopAt makes the Translator end the response before the first of the stop sequences, see completion.Stopper. A stream
// then ends without reading the rest of the upstream's. Call it first, or not at all.
func (a *Translator) StopAt(sequences []string) {
	if len(sequences) > 0 {
		a.stopper = completion.NewStopper(sequences)
	}
}

// ReadOn makes a stream that ends at a stop sequence read the rest of the upstream's, of which the client gets nothing,
// for the usage that the upstream reports at its end. It calls begin at the sequence. If the upstream breaks off, or
// sends more than 16 MiB, the response has no usage.
func (a *Translator) ReadOn(begin func()) { a.readOn = begin }

// UseMemory makes a stream take memory for large frames of the upstream, see sse.Reader.UseMemory. Call it before
// Stream.
func (a *Translator) UseMemory(memory sse.Memory) { a.memory = memory }

// Stopped reports whether the response was ended at a stop sequence.
func (a *Translator) Stopped() bool { return a.stopper != nil && a.stopper.Stopped() }

// Whole translates a response without streaming. The error is a *completion.UpstreamError if the upstream reports an
// error.
func (a *Translator) Whole(body []byte) ([]byte, error) {
	answer, err := a.decoder.Whole(body)
	if err != nil {
		return nil, err
	}
	if a.stopper != nil {
		a.stopper.Cut(&answer)
	}
	a.final = answer.Usage
	return a.encoder.Whole(&answer), nil
}

// Frames translates a response without streaming into a whole stream, for clients that asked for a stream. The error is
// that of Whole.
func (a *Translator) Frames(body []byte) ([]byte, error) {
	answer, err := a.decoder.Whole(body)
	if err != nil {
		return nil, err
	}
	if a.stopper != nil {
		a.stopper.Cut(&answer)
	}
	a.final = answer.Usage
	var frames []byte
	for _, event := range answer.Events() {
		frames = a.encoder.Frames(frames, event)
	}
	return frames, nil
}

// ReportedUsage returns the usage that the upstream reported so far, or nil if it reported none.
func (a *Translator) ReportedUsage() *usage.Usage { return a.decoder.ReportedUsage() }

// HasFinalUsage reports whether the upstream reported the usage of the whole response.
func (a *Translator) HasFinalUsage() bool { return a.final != nil }

// FullUsage returns the usage that the upstream reported in all its classes, also those that the client's dialect has
// no place for: that of the whole response, or so far. It is nil if the upstream reported none.
func (a *Translator) FullUsage() *usage.Usage {
	if a.final != nil {
		return a.final
	}
	return a.decoder.ReportedUsage()
}

// StatedDetails returns the service tier, the calls of tools and the cost that the upstream stated so far. The client's
// dialect has no place for the cost.
func (a *Translator) StatedDetails() usage.Details { return a.decoder.StatedDetails() }

// Stream returns a reader of the upstream's stream src in the client's dialect. A frame of src with more than limit
// bytes is an error. The reader returns io.EOF only if the upstream properly ended its stream; a truncated stream is an
// error.
func (a *Translator) Stream(src io.Reader, limit int) io.Reader {
	frames := sse.NewReader(src, limit, nil)
	frames.UseMemory(a.memory)
	return &stream{Translator: a, frames: frames}
}

// stream implements the reader of Translator.Stream. It reads the next frame of the upstream only after the caller has
// read everything before it, so no event is delayed and the buffer stays small.
type stream struct {
	*Translator
	frames *sse.Reader
	events []completion.Event // reused for each frame
	output []completion.Event // those that the stopper passes, reused for each frame
	buffer []byte             // encoded bytes; those before at are already read
	at     int
	err    error // error to return after buffer

	cut      bool // the response has ended at a stop sequence, and only its usage is missing
	restSize int  // bytes that were read after that
}

// maxRest bounds the bytes that are read after a stop sequence.
const maxRest = 16 << 20

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	for s.at == len(s.buffer) {
		if s.err != nil {
			return 0, s.err
		}
		s.buffer, s.at = s.buffer[:0], 0
		s.err = s.advance()
	}
	n := copy(p, s.buffer[s.at:])
	s.at += n
	return n, nil
}

// advance translates one frame into buffer. A non-nil error ends the stream.
func (s *stream) advance() error {
	frame, err := s.frames.Next()
	switch {
	case s.cut:
		return s.conclude(frame, err)
	case errors.Is(err, io.EOF):
		s.events, err = s.decoder.Close(s.events[:0])
		if err == nil {
			err = io.EOF
		}
		s.stop()
		s.stopLast()
		return s.encode(err)
	case err != nil:
		return err
	}
	data := sse.Data(frame)
	if len(data) == 0 {
		return nil
	}
	if s.events, err = s.decoder.Frame(s.events[:0], sse.Name(frame), data); err != nil {
		err = fmt.Errorf("translate: %w", err)
	}
	s.stop()
	if err != nil {
		s.stopLast()
	} else {
		s.cutOff()
	}
	return s.encode(err)
}

// stop replaces the events by those before the first stop sequence.
func (s *stream) stop() {
	if s.stopper != nil {
		s.output = s.stopper.Pass(s.output[:0], s.events)
		s.events, s.output = s.output, s.events
	}
}

// cutOff takes the end out of the events if it has no usage yet and the rest of the upstream's stream must be read for
// it.
func (s *stream) cutOff() {
	if s.readOn == nil || !s.Stopped() || s.events[len(s.events)-1].Response.Usage != nil {
		return
	}
	s.events, s.cut = s.events[:len(s.events)-1], true
	s.readOn()
}

// conclude reads a frame after the stop sequence. err is the error of reading it. It ends the response when the
// upstream's ends, however that is.
func (s *stream) conclude(frame []byte, err error) error {
	s.events = s.events[:0]
	if s.restSize += len(frame); err == nil {
		if data := sse.Data(frame); len(data) > 0 {
			s.events, err = s.decoder.Frame(s.events, sse.Name(frame), data)
		}
	}
	ends := func(e completion.Event) bool { return e.Type == completion.EventEnd || e.Type == completion.EventFail }
	if err == nil && s.restSize <= maxRest && !slices.ContainsFunc(s.events, ends) {
		s.events = s.events[:0]
		return nil
	}
	s.output = append(s.output[:0], s.stopper.End(s.events))
	s.events = s.output
	return s.encode(io.EOF)
}

// stopLast adds the events that stop has held back, because the stream has no further frames.
func (s *stream) stopLast() {
	if s.stopper != nil {
		s.events = s.stopper.Flush(s.events)
	}
}

// encode appends the encoded events to buffer. It returns io.EOF after an event that ends the stream, else end.
func (s *stream) encode(end error) error {
	for _, event := range s.events {
		s.buffer = s.encoder.Frames(s.buffer, event)
		if event.Type == completion.EventEnd || event.Type == completion.EventFail {
			s.final = event.Response.Usage
			return io.EOF
		}
	}
	return end
}
