package upstream

import (
	"bytes"

	"github.com/tollgate/tollgate/libs/wire/openai"
	"github.com/tollgate/tollgate/libs/wire/sse"
)

// Frame is one frame of a chat stream with what was read of it.
type Frame struct {
	Raw   []byte // with its closing blank line; valid until the next call of Next
	Data  []byte // nil for a comment
	Chunk openai.Chunk
	Done  bool  // data: [DONE]
	Bad   error // the data is neither a chunk nor [DONE]
}

// Stream hands out the frames of an upstream's answer. It is not safe for
// concurrent use.
type Stream struct {
	reader *sse.Reader
	first  *Frame
}

var done = []byte("[DONE]")

// Next returns the next frame that carries data: an upstream's own comments
// and keep-alives stop here. After the last one it returns io.EOF.
func (s *Stream) Next() (Frame, error) {
	if s.first != nil {
		frame := *s.first
		s.first = nil
		return frame, nil
	}
	for {
		raw, err := s.reader.Next()
		if err != nil {
			return Frame{}, err
		}
		data := sse.Data(raw)
		if len(data) == 0 {
			continue
		}
		frame := Frame{Raw: raw, Data: data}
		if bytes.Equal(data, done) {
			frame.Done = true
			return frame, nil
		}
		frame.Chunk, frame.Bad = openai.ScanChunk(data)
		return frame, nil
	}
}

// Buffered reports whether the next frame is here already.
func (s *Stream) Buffered() bool { return s.reader.Buffered() }
