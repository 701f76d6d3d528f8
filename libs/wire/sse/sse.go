// Package sse splits a server-sent event stream into frames and reads their fields, as WHATWG HTML section
// 9.2 defines them: lines end in LF, CRLF or CR, and a blank line ends a frame.
//
//	event: response.completed     a frame: all bytes up to and
//	data: {"type": ...}           including the blank line
//	                              the blank line ends the frame
//	: ping                        the next frame, a comment
//	                              and its blank line
//
// A Reader returns each frame with its original bytes, so that a stream can be passed on unchanged: the
// frames of a stream joined together are the stream, apart from the blank line that Next adds to an
// unfinished last frame, and from a byte order mark. Data and Name read a frame. The package does not interpret the
// data and does not write streams.
//
// The code is on the path of every streamed token. It searches with bytes.IndexByte, keeps one buffer for
// each stream, and allocates nothing for a common frame.
package sse

import (
	"bytes"
	"errors"
	"io"
)

// ErrFrameTooLarge means that a frame is longer than the Reader's limit.
var ErrFrameTooLarge = errors.New("sse: frame too large")

// Reader splits a stream into frames. It is not safe for concurrent use. The buffer is used like this:
//
//	buf  | returned | frame | rest of what was read | free |
//	     0          start   start+frameSize        end    len(buf)
type Reader struct {
	src        io.Reader
	buf        []byte
	start      int // where the next frame begins
	end        int // where the bytes that were read end
	searchFrom int // no frame ends before this offset, so the search continues here
	frameSize  int // length of the next frame, 0 if it is not known to be complete
	limit      int
	memory     Memory // see UseMemory; nil: all memory is free
	err        error  // of src; returned after all complete frames
	unfinished bool   // the source ended within the last frame
	begun      bool   // a frame was returned
}

// byteOrderMark is the mark with which a stream may begin. It belongs to no frame.
var byteOrderMark = []byte("\ufeff")

// The sizes of the Reader's own buffer. It grows up to fastBuffer if the source fills it with one read. It
// grows further only for a frame that does not fit.
const (
	firstBuffer = 1 << 10
	fastBuffer  = 32 << 10
)

// largeBuffer is the size in bytes above which the buffer grows only with memory of UseMemory.
const largeBuffer = 64 << 10

// NewReader returns a Reader of frames of at most limit bytes each. It reads into buf, and into a larger
// buffer of its own if buf is too small. buf can be nil.
func NewReader(src io.Reader, limit int, buf []byte) *Reader {
	return &Reader{src: src, limit: limit, buf: buf[:cap(buf)]}
}

// Memory is memory that several Readers share.
type Memory interface {
	// TakeForFrame takes the memory for a buffer that grows by so many bytes because a frame is large.
	TakeForFrame(bytes int) error
}

// UseMemory makes the Reader take memory before its buffer grows beyond 64 KiB. An error ends the stream, and Next
// returns it. Call UseMemory before Next.
func (r *Reader) UseMemory(memory Memory) { r.memory = memory }

// Release returns the buffer, so that another Reader can use it. After that all frames are invalid, and no
// method may be called. The buffer can be larger than the one passed to NewReader.
func (r *Reader) Release() []byte {
	buf := r.buf
	r.buf, r.start, r.end = nil, 0, 0
	return buf
}

// Next returns the next frame with its closing blank line. The frame is valid until the next call.
//
// Some servers omit the blank line at the end of the stream. Next therefore returns the bytes that are left
// there as a frame too, adds a blank line to it, and returns io.EOF from the following call. The frame may also
// be cut off: the caller must check it if Unfinished says so. Any other error is the source's error,
// ErrFrameTooLarge, or that of the Memory; the frame that was being read is then dropped.
func (r *Reader) Next() ([]byte, error) {
	for {
		if r.Buffered() {
			return r.take(r.frameSize), nil
		}
		if r.err != nil {
			if errors.Is(r.err, io.EOF) && r.end > r.start {
				r.buf = append(r.buf[:r.end], "\n\n"...)
				r.end = len(r.buf)
				r.unfinished = true
				return r.take(r.end - r.start), nil
			}
			return nil, r.err
		}
		r.fill()
	}
}

// Unfinished reports whether the stream ended before the blank line of the frame that Next returned last.
func (r *Reader) Unfinished() bool { return r.unfinished }

// Buffered reports whether Next returns a frame without reading from the source, and so without blocking.
func (r *Reader) Buffered() bool {
	if r.frameSize == 0 {
		r.frameSize = frameEnd(r.buf[r.start:r.end], r.searchFrom-r.start)
		// A blank line may be split over reads: look at the last bytes again.
		r.searchFrom = max(r.start, r.end-2)
	}
	return r.frameSize > 0
}

// take removes the next frame, which has n bytes, from the buffer.
func (r *Reader) take(n int) []byte {
	frame := r.buf[r.start : r.start+n]
	r.start += n
	r.searchFrom, r.frameSize = r.start, 0
	if !r.begun {
		r.begun = true
		frame = bytes.TrimPrefix(frame, byteOrderMark)
	}
	return frame
}

// fill reads once from the source. It stores the source's error in r.err.
func (r *Reader) fill() {
	if r.start == r.end {
		// The last read filled the buffer, so the source is fast: larger reads save calls.
		if r.end == len(r.buf) && r.end > 0 && r.end < fastBuffer {
			r.buf = make([]byte, 2*r.end)
		}
		r.start, r.end, r.searchFrom = 0, 0, 0
	}
	if r.end == len(r.buf) {
		r.makeRoom()
		if r.err != nil {
			return
		}
	}
	n, err := r.src.Read(r.buf[r.end:])
	r.end += n
	r.err = err
}

// makeRoom moves the unread bytes to the beginning of the buffer, or of a buffer twice as large if they fill
// more than half of this one or it is still small. The bytes of earlier frames are overwritten.
func (r *Reader) makeRoom() {
	size := r.end - r.start
	if size >= r.limit {
		r.err = ErrFrameTooLarge
		return
	}
	buf := r.buf
	if size > len(r.buf)/2 || len(r.buf) < fastBuffer {
		larger := max(firstBuffer, 2*len(r.buf))
		if larger > largeBuffer && r.memory != nil {
			if r.err = r.memory.TakeForFrame(larger - len(r.buf)); r.err != nil {
				return
			}
		}
		buf = make([]byte, larger)
	}
	copy(buf, r.buf[r.start:r.end])
	r.buf, r.searchFrom, r.start, r.end = buf, r.searchFrom-r.start, 0, size
}

// frameEnd returns the length of the first frame in b, or 0 if none is complete. The search starts at the
// offset from; the caller knows that no frame ends before it.
func frameEnd(b []byte, from int) int {
	for i := from; ; {
		n := bytes.IndexByte(b[i:], '\n')
		if n < 0 {
			break
		}
		i += n + 1
		if i < len(b) && b[i] == '\n' {
			return i + 1
		}
		if i+1 < len(b) && b[i] == '\r' && b[i+1] == '\n' {
			return i + 2
		}
	}
	// Streams with CR as the only line end are rare, so they are looked for last.
	if i := bytes.Index(b[from:], []byte("\r\r")); i >= 0 {
		return from + i + 2
	}
	return 0
}

// Data returns the frame's data: its data lines joined by LF. It returns nil if the frame has no data line,
// as a comment. The result refers to the frame if there is exactly one data line.
func Data(frame []byte) []byte {
	if data, ok := oneLine(afterEvent(frame)); ok {
		return data
	}
	var data []byte
	hasData := false
	for len(frame) > 0 {
		var line []byte
		line, frame = cutLine(frame)
		value, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			continue
		}
		value = bytes.TrimPrefix(value, []byte(" "))
		if !hasData {
			data, hasData = value, true
			continue
		}
		data = append(append(data[:len(data):len(data)], '\n'), value...)
	}
	return data
}

// afterEvent skips the event line that some servers send before the data. It returns the frame unchanged if
// there is none, or if the line ends in anything but LF.
func afterEvent(frame []byte) []byte {
	if len(frame) <= 6 || string(frame[:6]) != "event:" {
		return frame
	}
	end := bytes.IndexByte(frame, '\n')
	if bytes.IndexByte(frame[:end+1], '\r') >= 0 {
		return frame
	}
	return frame[end+1:]
}

// oneLine returns the data of the most common frame: one data line and the blank line, both ended by LF. ok
// is false for any other frame.
func oneLine(frame []byte) (data []byte, ok bool) {
	const prefix, suffix = len("data: "), len("\n\n")
	if len(frame) < prefix+suffix || string(frame[:prefix]) != "data: " || string(frame[len(frame)-suffix:]) != "\n\n" {
		return nil, false
	}
	data = frame[prefix : len(frame)-suffix]
	return data, bytes.IndexByte(data, '\n') < 0 && bytes.IndexByte(data, '\r') < 0
}

// cutLine returns the first line of b without its end, which is LF, CRLF or CR, and the rest of b.
func cutLine(b []byte) (line, tail []byte) {
	i := bytes.IndexByte(b, '\n')
	if i < 0 {
		if i = bytes.IndexByte(b, '\r'); i < 0 {
			return b, nil
		}
		return b[:i], b[i+1:]
	}
	if cr := bytes.IndexByte(b[:i], '\r'); cr >= 0 && cr < i-1 {
		return b[:cr], b[cr+1:]
	}
	return bytes.TrimSuffix(b[:i], []byte("\r")), b[i+1:]
}

// Name returns the frame's event name, or "" if it has none. It does not read lines after the data.
func Name(frame []byte) string {
	name := ""
	for len(frame) > 0 && !bytes.HasPrefix(frame, []byte("data: ")) {
		var line []byte
		line, frame = cutLine(frame)
		if value, ok := bytes.CutPrefix(line, []byte("event:")); ok {
			name = string(bytes.TrimPrefix(value, []byte(" ")))
		}
	}
	return name
}
