// Package output reads and edits what an upstream of OpenAI's dialects produced:
// whole responses, chunks and events of streams, usage and errors. It scans the
// bytes and reads only the fields that the gateway needs. Everything else is
// forwarded unchanged. Requests are in package openai.
package output

import (
	"bytes"
	"io"

	"github.com/tollgate/tollgate/libs/wire/sse"
)

// Frame is one frame of a stream with what was read of it.
type Frame struct {
	Raw   []byte // with its closing blank line; valid until the next call of Next
	Data  []byte
	Chunk Chunk
	Event *Event // nil in a chat stream
	Done  bool   // data: [DONE]
	Err   error  // the data is neither a chunk or event nor [DONE]
}

// Stream reads the frames of a chat or responses stream. It is not safe for
// concurrent use.
type Stream struct {
	reader *sse.Reader
	events bool    // it is a responses stream
	peeked []Frame // read and not handed out
	early  int     // bytes of the peeked that were copied
}

// NewChatStream returns the Stream of a chat stream with frames of at most
// limit bytes. It reads into buf, see sse.NewReader.
func NewChatStream(src io.Reader, limit int, buf []byte) *Stream {
	return &Stream{reader: sse.NewReader(src, limit, buf)}
}

// NewResponsesStream is NewChatStream for a responses stream.
func NewResponsesStream(src io.Reader, limit int, buf []byte) *Stream {
	return &Stream{reader: sse.NewReader(src, limit, buf), events: true}
}

// Release returns the buffer, see sse.Reader.
func (s *Stream) Release() []byte { return s.reader.Release() }

var done = []byte("[DONE]")

// Next returns the next frame that has data. It skips comments, which servers
// send to keep a connection alive. Its errors are those of sse.Reader. A
// responses stream also ends at [DONE], which some servers send.
func (s *Stream) Next() (Frame, error) {
	if len(s.peeked) > 0 {
		frame := s.peeked[0]
		s.peeked = s.peeked[1:]
		return frame, nil
	}
	return s.read()
}

func (s *Stream) read() (frame Frame, err error) {
	for {
		raw, err := s.reader.Next()
		if err != nil {
			return frame, err
		}
		if data := sse.Data(raw); len(data) > 0 {
			frame.Raw, frame.Data = raw, data
			return frame, s.scan(&frame)
		}
	}
}

func (s *Stream) scan(frame *Frame) error {
	frame.Done = bytes.Equal(frame.Data, done)
	switch {
	case s.events && frame.Done:
		return io.EOF
	case s.events:
		frame.Chunk, frame.Event, frame.Err = ScanEvent(frame.Data)
	case !frame.Done:
		frame.Chunk, frame.Err = ScanChunk(frame.Data)
	}
	return nil
}

// maxEarly bounds the bytes of early events that Peek looks past.
const maxEarly = 1 << 20

// Peek returns the frame that tells whether the stream is good: the first one,
// or in a responses stream the first that is not pending. Next returns all
// frames that Peek read.
func (s *Stream) Peek() (Frame, error) {
	for {
		frame, err := s.read()
		if err != nil {
			return frame, err
		}
		if s.early += len(frame.Raw); frame.Event == nil || frame.Event.Type != EventPending || s.early > maxEarly {
			s.peeked = append(s.peeked, frame)
			return frame, nil
		}
		frame.Raw, frame.Data = bytes.Clone(frame.Raw), bytes.Clone(frame.Data)
		s.peeked = append(s.peeked, frame)
	}
}

// Buffered reports whether Next would return without reading.
func (s *Stream) Buffered() bool { return len(s.peeked) > 0 || s.reader.Buffered() }

// CountText counts the generated strings of the frame that are not empty, and
// their bytes.
func (f *Frame) CountText() (texts, size int64) {
	keys := chatKeys[:]
	if f.Event != nil {
		if f.Event.Type != EventDelta {
			return 0, 0
		}
		keys = deltaKeys[:]
	}
	eachString(f.Data, keys, func(escaped []byte) {
		texts++
		size += unescapedSize(escaped)
	})
	return texts, size
}

// frameOf reads the frame of an event again.
func frameOf(raw []byte) Frame {
	frame := Frame{Raw: raw, Data: sse.Data(raw)}
	frame.Chunk, frame.Event, frame.Err = ScanEvent(frame.Data)
	return frame
}

// Replace sets the data of an event's frame.
func (f *Frame) Replace(data []byte) {
	f.Raw, f.Data = appendEvent(nil, f.Event.Name, data), data
	f.Chunk, f.Event, f.Err = ScanEvent(data)
}

// WithQuota returns the frame with `"quota":"<usd>"` in its usage object.
func (f *Frame) WithQuota(usd string) []byte {
	name := ""
	if f.Event != nil {
		name = f.Event.Name
	}
	return appendEvent(nil, name, f.Chunk.WithQuota(f.Data, usd))
}
