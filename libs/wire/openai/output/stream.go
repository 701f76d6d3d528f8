// Package output reads and edits the output of upstreams that speak OpenAI's dialects, or Anthropic's: responses, the
// chunks and events of streams, usage, and errors. Requests are in package openai.
//
// The package scans the bytes and reads only the fields that the gateway needs. A Stream returns one Frame
// after the other, each with its original bytes and the fields that were read from them:
//
//	upstream bytes -> sse.Reader -> Stream -> Frame{Raw, Data, Chunk or Event} -> client
//
// scanChunk and scanEvent recognize the common frame, a piece of text, by a byte search. Bytes change
// only where the gateway has to change them:
//
//   - a Rewriter replaces ids, tags encrypted content, cleans error messages and adds output_text in a responses
//     response;
//   - HideCost, and a Stream itself, overwrite what the upstream says that it charges;
//   - WithQuota sets the quota of a usage object;
//   - MarkNotStored sets `store` to false.
//
// If an upstream ends a stream early, ChunkTemplate, ResponseTemplate and Transcript write the missing end in
// the form of the frames that came before. Output that is neither a chunk, an event nor a response is
// reported as an error and not repaired.
package output

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
	"github.com/tollgate/tollgate/libs/wire/sse"
)

// Frame represents one frame of a stream with the fields that were read from it.
type Frame struct {
	Raw   []byte // all bytes, with the closing blank line; valid until the next call of Next
	Data  []byte // the data, see sse.Data; as valid as Raw
	Chunk Chunk  // of a responses or messages stream: the event's usage and error
	Event *Event // nil in a chat stream
	Done  bool   // the data is [DONE], the end of a chat stream
	Err   error  // not nil if the data is neither a chunk or event nor [DONE]

	ping bool // of a chat stream: it has nothing that a client reads
}

// Stream reads the frames of a chat, responses or messages stream. It is not safe for concurrent use.
type Stream struct {
	reader          *sse.Reader
	scanner         scanner
	peeked          []Frame // read by Peek and not yet returned by Next
	size            int     // bytes of the frames in peeked
	endsAfterPeeked bool    // the stream ends after the frames in peeked
}

// NewStream returns the Stream of a dialect, which is chat, responses or messages, with frames of at most limit bytes.
// It reads into buf, which can be nil, see sse.NewReader.
func NewStream(dialect catalog.Dialect, src io.Reader, limit int, buf []byte) *Stream {
	return &Stream{reader: sse.NewReader(src, limit, buf), scanner: scanner{dialect: dialect}}
}

// UseMemory makes the Stream take memory for large frames, see sse.Reader.UseMemory.
func (s *Stream) UseMemory(memory sse.Memory) { s.reader.UseMemory(memory) }

// Release returns the buffer for another Stream, see sse.Reader.Release.
func (s *Stream) Release() []byte { return s.reader.Release() }

var done = []byte("[DONE]")

// Next returns the next frame that has data. It skips comments and pings of chat streams, which servers send to keep a
// connection alive. At the end of the stream it returns io.EOF, or io.ErrUnexpectedEOF if the stream ended within a
// frame; a responses or messages stream also ends at [DONE], which some servers send. Other errors are those of
// sse.Reader. For a frame with malformed data, Next returns the frame with Err set.
func (s *Stream) Next() (Frame, error) {
	if len(s.peeked) > 0 {
		frame := s.peeked[0]
		s.peeked = s.peeked[1:]
		return frame, nil
	}
	if s.endsAfterPeeked {
		return Frame{}, io.EOF
	}
	return s.read()
}

// read reads the next frame that has data from the source.
func (s *Stream) read() (frame Frame, err error) {
	for {
		raw, err := s.reader.Next()
		if err != nil {
			return frame, err
		}
		data := sse.Data(raw)
		if s.reader.Unfinished() && isCut(raw, data) {
			return frame, io.ErrUnexpectedEOF
		}
		if len(data) == 0 {
			continue
		}
		frame = Frame{Raw: raw, Data: data}
		if err := s.scan(&frame); err != nil || !frame.ping {
			return frame, err
		}
	}
}

// isCut reports whether a frame without its blank line lacks more than that. A JSON object without its end is not
// valid, so a frame with valid data is whole. A frame without data is whole if it has only comments.
func isCut(raw, data []byte) bool {
	if len(data) > 0 {
		return !isDone(data) && !json.Valid(data)
	}
	for line := range bytes.FieldsFuncSeq(raw, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if line[0] != ':' {
			return true
		}
	}
	return false
}

// isDone reports whether the data is [DONE]. Some servers send a space after it.
func isDone(data []byte) bool {
	return len(data) > 0 && data[0] == '[' && bytes.Equal(bytes.TrimSpace(data), done)
}

// scan sets the fields of a frame that are read from its data. It returns io.EOF for the [DONE] of a responses or
// messages stream.
func (s *Stream) scan(frame *Frame) error {
	s.scanner.scan(frame, func() string { return sse.Name(frame.Raw) })
	if frame.Done && s.scanner.dialect != catalog.Chat {
		return io.EOF
	}
	frame.hideCost()
	return nil
}

// maxEarly bounds the bytes of pending events that Peek copies.
const maxEarly = 1 << 20

// Peek returns the frame that shows whether the upstream serves the request: the first frame, or in a
// responses stream the first frame whose event is not pending. It gives up after 1 MiB of pending events and
// returns the last one. Next later returns all frames that Peek read. Call Peek at most once, before Next.
// The relay uses it to switch to another channel before it has sent anything to the client.
func (s *Stream) Peek() (Frame, error) {
	for {
		frame, err := s.read()
		if err != nil {
			return frame, err
		}
		if s.size += len(frame.Raw); frame.Event == nil || frame.Event.Type != EventPending || s.size > maxEarly {
			s.peeked = append(s.peeked, frame)
			return frame, nil
		}
		s.peeked = append(s.peeked, frame.clone())
	}
}

// HoldFailure reads the end of a responses stream whose Peek returned a failure, so that Next returns the frames
// of the failed answer from memory, then io.EOF. OpenAI sends response.failed after an error event, so HoldFailure
// reads on until that event or the end of the source, and drops all other events. It returns the usage that the answer
// reports, or nil. Call it at most once, after Peek.
func (s *Stream) HoldFailure() *usage.Usage {
	s.endsAfterPeeked = true
	frame := &s.peeked[len(s.peeked)-1]
	*frame = frame.clone()
	for frame := *frame; frame.Event != nil && frame.Event.Type != EventFailed && s.size <= maxEarly; {
		var err error
		if frame, err = s.read(); err != nil || frame.Err != nil {
			break
		}
		if s.size += len(frame.Raw); frame.Event.Type == EventFailed {
			s.peeked = append(s.peeked, frame.clone())
		}
	}
	return s.PeekedUsage()
}

// PeekedUsage returns the usage that the frames that Peek and HoldFailure read report, or nil if they report none. Call
// it before Next.
func (s *Stream) PeekedUsage() *usage.Usage {
	var report Report
	for i := range s.peeked {
		report.Add(&s.peeked[i])
	}
	return report.ReportedUsage()
}

// clone returns the frame with a copy of its bytes, which the next read of the source would overwrite.
func (f *Frame) clone() Frame {
	clone := *f
	clone.Raw, clone.Data = bytes.Clone(f.Raw), bytes.Clone(f.Data)
	return clone
}

// Buffered reports whether Next returns without reading from the source, and so without blocking.
func (s *Stream) Buffered() bool { return len(s.peeked) > 0 || s.reader.Buffered() }

// CountText counts the generated strings of the frame that are not empty, and the bytes of their text. Of a
// responses or messages stream it counts only delta events, because other events repeat the text.
func (f *Frame) CountText() (texts, size int64) {
	keys := chatKeys[:]
	if f.Event != nil {
		if f.Event.Type != EventDelta {
			return 0, 0
		}
		if keys = deltaKeys[:]; f.Event == &blockDelta {
			keys = blockKeys[:]
		}
	}
	eachString(f.Data, keys, func(escaped []byte) {
		texts++
		size += unescapedSize(escaped)
	})
	return texts, size
}

// frameOf scans the frame of a responses event that was stored as bytes.
func frameOf(raw []byte) Frame {
	frame := Frame{Raw: raw, Data: sse.Data(raw)}
	frame.Chunk, frame.Event, frame.Err = scanEvent(frame.Data, func() string { return sse.Name(raw) })
	return frame
}

// Replace sets the data of a frame and scans it again. The frame must be of a chat or responses stream.
func (f *Frame) Replace(data []byte) {
	usage := f.Chunk.Usage
	if f.Event == nil {
		f.Raw, f.Data = appendEvent(nil, "", data), data
		f.Chunk, f.Err = scanChunk(data)
	} else {
		name := f.Event.Name
		f.Raw, f.Data = appendEvent(nil, name, data), data
		f.Chunk, f.Event, f.Err = scanEvent(data, func() string { return name })
	}
	if usage != nil && f.Chunk.Usage != nil {
		f.Chunk.Usage.ReportedCost = usage.ReportedCost // hidden in the data
	}
}

// WithQuota returns the bytes of the frame with `"quota":"<usd>"` in its usage object. usd is the decimal amount in
// USD.
func (f *Frame) WithQuota(usd string) []byte {
	name := ""
	if f.Event != nil {
		name = f.Event.Name
	}
	return appendEvent(nil, name, rawjson.Splice(f.Data, quotaEdits(f.Data, f.Chunk.usage, usd)).Bytes())
}
