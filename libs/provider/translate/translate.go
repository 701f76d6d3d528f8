// Package translate joins the two sides of a call whose channel does not speak
// the client's dialect: what the client asked for becomes a conversation, and
// what the upstream answers becomes bytes as the client's dialect has them.
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

// DecodeRequest reads the body of a client's request in the dialect. Its errors
// are problems that name the field.
func DecodeRequest(body []byte, dialect catalog.Dialect) (*conversation.Request, error) {
	if dialect == catalog.Responses {
		return responses.DecodeRequest(body)
	}
	return chat.DecodeRequest(body)
}

// encoder writes one answer in a client's dialect.
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

// NewTranslator returns the Translator of a response to a request in the dialect.
func NewTranslator(dialect catalog.Dialect, head completion.Header, decoder provider.Decoder) *Translator {
	if dialect == catalog.Responses {
		return &Translator{decoder, responses.NewEncoder(head)}
	}
	return &Translator{decoder, chat.NewEncoder(head)}
}

// Whole translates a JSON response. An error that the upstream reports is a
// *completion.UpstreamError.
func (a *Translator) Whole(body []byte) ([]byte, error) {
	answer, err := a.decoder.Whole(body)
	if err != nil {
		return nil, err
	}
	return a.encoder.Whole(&answer), nil
}

// Stream returns the upstream's stream src in the client's dialect. Frames of
// src have at most limit bytes. The reader ends with io.EOF only if the
// upstream ended its stream.
func (a *Translator) Stream(src io.Reader, limit int) io.Reader {
	return &stream{Translator: a, frames: sse.NewReader(src, limit, nil)}
}

// stream reads a frame ahead only when all before it is handed out, so that
// nothing is held back and nothing piles up.
type stream struct {
	*Translator
	frames  *sse.Reader
	events  []completion.Event
	pending []byte // encoded and not handed out, from at on
	at      int
	err     error // what comes after pending
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

// advance translates one frame. Its error is the stream's end.
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

// encode writes the events, and ends the stream with the last of them.
func (s *stream) encode(end error) error {
	for _, event := range s.events {
		s.pending = s.encoder.Frames(s.pending, event)
		if event.Type == completion.EventEnd || event.Type == completion.EventFail {
			return io.EOF
		}
	}
	return end
}
