// Package sse splits a server-sent event stream into frames and reads their
// data, as WHATWG HTML section 9.2 defines them: lines end in LF, CRLF or CR,
// a blank line ends a frame. Frames keep their bytes, so that a stream can be
// passed on as it came.
package sse

import (
	"bytes"
	"errors"
	"io"
)

// ErrFrameTooLarge is returned for a frame beyond the Reader's limit.
var ErrFrameTooLarge = errors.New("sse: frame too large")

// Reader splits a stream into frames. It is not safe for concurrent use.
type Reader struct {
	src   io.Reader
	buf   []byte
	start int // of the first frame not handed out
	end   int // of what was read
	seen  int // up to where no frame end was found
	found int // length of the first frame not handed out, 0 where it is not known
	limit int
	err   error
}

// The buffer grows to fastBuffer for a source that fills it at once, beyond
// only for a frame that needs it.
const (
	firstBuffer = 4 << 10
	fastBuffer  = 32 << 10
)

// NewReader reads frames of at most limit bytes. It reads into buf, or a larger
// one where it has to; nil: one of its own.
func NewReader(src io.Reader, limit int, buf []byte) *Reader {
	return &Reader{src: src, limit: limit, buf: buf[:cap(buf)]}
}

// Release returns the buffer, for another Reader. No frame is valid and no
// method may be called afterwards.
func (r *Reader) Release() []byte {
	buf := r.buf
	r.buf, r.start, r.end = nil, 0, 0
	return buf
}

// Next returns the next frame with its closing blank line; it is valid until
// the next call. At the end of the stream what is left without a blank line
// (some servers omit it) is a frame too and gets one, then comes io.EOF. Any
// other error is the source's, or ErrFrameTooLarge; a frame cut off by one is
// dropped.
func (r *Reader) Next() ([]byte, error) {
	for {
		if r.Buffered() {
			return r.take(r.found), nil
		}
		if r.err != nil {
			if errors.Is(r.err, io.EOF) && r.end > r.start {
				r.buf = append(r.buf[:r.end], "\n\n"...)
				r.end = len(r.buf)
				return r.take(r.end - r.start), nil
			}
			return nil, r.err
		}
		r.fill()
	}
}

// Buffered reports whether Next would return a frame without reading.
func (r *Reader) Buffered() bool {
	if r.found == 0 {
		r.found = frameEnd(r.buf[r.start:r.end], r.seen-r.start)
		// A blank line may be split over reads: look at the last bytes again.
		r.seen = max(r.start, r.end-2)
	}
	return r.found > 0
}

func (r *Reader) take(n int) []byte {
	frame := r.buf[r.start : r.start+n]
	r.start += n
	r.seen, r.found = r.start, 0
	return frame
}

func (r *Reader) fill() {
	if r.start == r.end {
		if r.end == len(r.buf) && r.end > 0 && r.end < fastBuffer {
			r.buf = make([]byte, 2*r.end)
		}
		r.start, r.end, r.seen = 0, 0, 0
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

func (r *Reader) makeRoom() {
	held := r.end - r.start
	if held >= r.limit {
		r.err = ErrFrameTooLarge
		return
	}
	into := r.buf
	if held > len(r.buf)/2 || len(r.buf) < fastBuffer {
		into = make([]byte, max(firstBuffer, 2*len(r.buf)))
	}
	copy(into, r.buf[r.start:r.end])
	r.buf, r.seen, r.start, r.end = into, r.seen-r.start, 0, held
}

// frameEnd returns the length of the first frame in b, 0 where none is
// complete. Nothing before from ends a frame.
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
	if i := bytes.Index(b[from:], []byte("\r\r")); i >= 0 {
		return from + i + 2
	}
	return 0
}

// Data returns the frame's data: its data lines joined by LF, nil where it has
// none (a comment). It aliases the frame where there is one data line.
func Data(frame []byte) []byte {
	if data, ok := oneLine(afterEvent(frame)); ok {
		return data
	}
	var data []byte
	found := false
	for len(frame) > 0 {
		var line []byte
		line, frame = cutLine(frame)
		value, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			continue
		}
		value = bytes.TrimPrefix(value, []byte(" "))
		if !found {
			data, found = value, true
			continue
		}
		data = append(append(data[:len(data):len(data)], '\n'), value...)
	}
	return data
}

// afterEvent skips the event line that some servers put before the data.
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

// oneLine settles the frame that nearly every frame is: one data line and the
// blank line, ended by LF.
func oneLine(frame []byte) (data []byte, ok bool) {
	const before, after = len("data: "), len("\n\n")
	if len(frame) < before+after || string(frame[:before]) != "data: " || string(frame[len(frame)-after:]) != "\n\n" {
		return nil, false
	}
	data = frame[before : len(frame)-after]
	return data, bytes.IndexByte(data, '\n') < 0 && bytes.IndexByte(data, '\r') < 0
}

func cutLine(b []byte) (line, rest []byte) {
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

// Name returns the frame's event name, "" where it has none.
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
