// Package translate connects the client's dialect with the upstream's for calls whose channel does not speak the client's
// dialect. DecodeRequest decodes the client's request into a conversation. A Translator decodes the upstream's response
// with the provider's Decoder and encodes it in the client's dialect, frame by frame for a stream.
package translate

import (
	"errors"
	"fmt"
	"io"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/wire/chat"
	"github.com/tollgate/tollgate/libs/wire/responses"
	"github.com/tollgate/tollgate/libs/wire/sse"
)

// DecodeRequest decodes the body of a client's request in the dialect, which is chat or responses. Errors are problems
// that name the field.
func DecodeRequest(body []byte, dialect catalog.Dialect) (*conversation.Request, error) {
	if dialect == catalog.Responses {
		return responses.DecodeRequest(body)
	}
	return chat.DecodeRequest(body)
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
	encoder encoder
}

// NewTranslator returns a Translator for the response to a request in the client's dialect. decoder is that of the
// upstream's request; head holds the values that replace the upstream's in the response.
func NewTranslator(dialect catalog.Dialect, head completion.Header, decoder provider.Decoder) *Translator {
	if dialect == catalog.Responses {
		return &Translator{decoder, responses.NewEncoder(head)}
	}
	return &Translator{decoder, chat.NewEncoder(head)}
}

// Whole translates a response without streaming. The error is a *completion.UpstreamError if the upstream reports an
// error.
func (a *Translator) Whole(body []byte) ([]byte, error) {
	answer, err := a.decoder.Whole(body)
	if err != nil {
		return nil, err
	}
	return a.encoder.Whole(&answer), nil
}

// Stream returns a reader of the upstream's stream src in the client's dialect. A frame of src with more than limit bytes
// is an error. The reader returns io.EOF only if the upstream properly ended its stream; a truncated stream is an error.
func (a *Translator) Stream(src io.Reader, limit int) io.Reader {
	return &stream{Translator: a, frames: sse.NewReader(src, limit, nil)}
}

// stream implements the reader of Translator.Stream. It reads the next frame of the upstream only after the caller has
// read everything before it, so no event is delayed and the buffer stays small.
type stream struct {
	*Translator
	frames  *sse.Reader
	events  []completion.Event // reused for each frame
	pending []byte             // encoded bytes; those before at are already read
	at      int
	err     error // error to return after pending
}

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	for s.at == len(s.pending) {
		if s.err != nil {
			return 0, s.err
		}
		s.pending, s.at = s.pending[:0], 0
		s.err = s.advance()
	}
	n := copy(p, s.pending[s.at:])
	s.at += n
	return n, nil
}

// advance translates one frame into pending. A non-nil error ends the stream.
func (s *stream) advance() error {
	frame, err := s.frames.Next()
	switch {
	case errors.Is(err, io.EOF):
		s.events, err = s.decoder.Close(s.events[:0])
		if err == nil {
			err = io.EOF
		}
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
	return s.encode(err)
}

// encode appends the encoded events to pending. It returns io.EOF after an event that ends the stream, else end.
func (s *stream) encode(end error) error {
	for _, event := range s.events {
		s.pending = s.encoder.Frames(s.pending, event)
		if event.Type == completion.EventEnd || event.Type == completion.EventFail {
			return io.EOF
		}
	}
	return end
}
