package output

import (
	"bytes"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/metered"
	"github.com/tollgate/tollgate/libs/wire/openai/tally"
)

// Report holds what an answer says about itself so far: the usage that it reports, and what it is charged for besides.
// It is the only reader of both, for answers whose bytes pass unchanged and for those that are translated. The zero
// value is ready to use; it is not safe for concurrent use.
type Report struct {
	Usage   *usage.Usage  // the last reported usage, which may lack the Charges; nil for none
	Charges tally.Charges // what the answer states outside of the usage
	Sound   int64         // bytes of base64 of the sound in the chunks of a chat stream
}

// Add adds what a frame says. Frames with a piece of text, and streams without a tier or tools, cost almost nothing.
// Call it for each frame, in order.
func (r *Report) Add(f *Frame) {
	f.addCharges(&r.Charges)
	r.Sound += f.soundSize()
	if f.Chunk.Usage != nil {
		f.Chunk.Usage.Follow(r.Usage)
		r.Usage = f.Chunk.Usage
	}
}

// The keys of the sound of a chunk, and of its base64.
var (
	audioKey  = []byte(`"audio"`)
	soundKeys = [...][]byte{[]byte(`"data":`)}
)

// soundSize returns the bytes of base64 of the sound in a chunk of a chat stream.
func (f *Frame) soundSize() (size int64) {
	if f.Event != nil || f.Chunk.isPlainText || !bytes.Contains(f.Data, audioKey) {
		return 0
	}
	eachString(f.Data, soundKeys[:], func(base64 []byte) { size += int64(len(base64)) })
	return size
}

// ReportedUsage returns the usage with the charges, or nil if the answer reports no usage.
func (r *Report) ReportedUsage() *usage.Usage {
	if r.Usage == nil {
		return nil
	}
	u := r.Charges.AddTo(*r.Usage)
	return &u
}

// StatedDetails returns the details of ReportedUsage, and those of the Charges if no usage is reported.
func (r *Report) StatedDetails() usage.Details {
	if u := r.ReportedUsage(); u != nil {
		return u.Details
	}
	return r.Charges.AddTo(usage.Usage{}).Details
}

// scanner reads the data of the frames of one stream, in order.
type scanner struct {
	dialect catalog.Dialect
	counts  metered.Counts // of a messages stream
}

// scan sets the fields of a frame that are read from its data. name returns the name of the frame's event.
func (s *scanner) scan(frame *Frame, name func() string) {
	frame.Done = isDone(frame.Data)
	switch {
	case frame.Done:
	case s.dialect == catalog.Responses:
		frame.Chunk, frame.Event, frame.Err = scanEvent(frame.Data, name)
	case s.dialect == catalog.Messages:
		frame.Chunk, frame.Event, frame.Err = s.scanMessageEvent(frame.Data, name)
	default:
		frame.Chunk, frame.Err = scanChunk(frame.Data)
		if frame.Chunk.hasNothing || frame.Err != nil {
			frame.nameEvent(name())
		}
	}
}

// Reader reads the reports of an answer that a decoder translates, frame by frame or as a whole. It is not safe for
// concurrent use.
type Reader struct {
	Report

	scanner scanner
}

// NewReader returns the Reader of an answer in the dialect, which is chat, responses or messages.
func NewReader(dialect catalog.Dialect) *Reader { return &Reader{scanner: scanner{dialect: dialect}} }

// Frame returns the next frame of a stream, with the name of its event ("" for none) and its data, which is not empty.
// It has no Raw.
func (r *Reader) Frame(name string, data []byte) Frame {
	frame := Frame{Data: data}
	r.scanner.scan(&frame, func() string { return name })
	r.Add(&frame)
	return frame
}

// Answer reads a complete answer or an error body, see ScanAnswer.
func (r *Reader) Answer(body []byte) (Response, error) {
	answer, err := ScanAnswer(r.scanner.dialect, body)
	r.Report = answer.Report
	return answer, err
}

// nameEvent reads the name of an event of a chat stream that is not a chunk. Some servers end a stream that failed with
// an error, and keep it alive with pings, whose data need not be JSON.
func (f *Frame) nameEvent(name string) {
	switch {
	case name == "ping":
		f.ping, f.Err = true, nil
	case name == "error" && f.Err == nil:
		f.Chunk.Error = parseError(f.Data)
	}
}

// ScanAnswer reads a complete answer in the dialect, which is chat, responses or messages, or an error body. A response
// with the status "failed" counts as an error. It returns an error for JSON of another kind, and for a body that is
// malformed or cut off.
func ScanAnswer(dialect catalog.Dialect, body []byte) (Response, error) {
	if dialect == catalog.Messages {
		return scanMessage(body)
	}
	return scanResponse(body)
}
