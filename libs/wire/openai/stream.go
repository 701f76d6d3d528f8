package openai

import (
	"bytes"
	"io"

	"github.com/tollgate/tollgate/libs/wire/sse"
)

// Frame is one frame of a chat stream with what was read of it.
type Frame struct {
	Raw   []byte // with its closing blank line; valid until the next call of Next
	Data  []byte
	Chunk Chunk
	Done  bool  // data: [DONE]
	Bad   error // the data is neither a chunk nor [DONE]
}

// Stream hands out the frames of a chat stream. It is not safe for concurrent
// use.
type Stream struct {
	reader *sse.Reader
	peeked *Frame
}

// NewStream reads frames of at most limit bytes into buf, see sse.NewReader.
func NewStream(src io.Reader, limit int, buf []byte) *Stream {
	return &Stream{reader: sse.NewReader(src, limit, buf)}
}

// Release returns the buffer, see sse.Reader.
func (s *Stream) Release() []byte { return s.reader.Release() }

var done = []byte("[DONE]")

// Next returns the next frame that carries data: comments, which servers send
// to keep a connection alive, stop here. Its errors are sse.Reader's.
func (s *Stream) Next() (frame Frame, err error) {
	if s.peeked != nil {
		frame, s.peeked = *s.peeked, nil
		return frame, nil
	}
	for {
		raw, err := s.reader.Next()
		if err != nil {
			return frame, err
		}
		if data := sse.Data(raw); len(data) > 0 {
			frame.Raw, frame.Data = raw, data
			if frame.Done = bytes.Equal(data, done); !frame.Done {
				frame.Chunk, frame.Bad = ScanChunk(data)
			}
			return frame, nil
		}
	}
}

// Peek returns the frame that Next will return.
func (s *Stream) Peek() (Frame, error) {
	frame, err := s.Next()
	if err == nil {
		s.peeked = &frame
	}
	return frame, err
}

// Buffered reports whether Next would return without reading.
func (s *Stream) Buffered() bool { return s.peeked != nil || s.reader.Buffered() }
