package rawjson

import (
	"bytes"
	"cmp"
	"io"
	"slices"
)

// Body is the result of an edit: the original bytes with some spans replaced. It is a list of segments, so
// that a large body is not copied to change a few bytes of it. A Body is immutable. Several readers can read
// it at the same time.
type Body struct {
	segments [][]byte
	size     int64
}

// NewBody returns a Body of the given bytes. The caller must not change them afterwards.
func NewBody(body []byte) Body { return Body{[][]byte{body}, int64(len(body))} }

// Edit replaces the bytes at a span with other bytes. An empty span inserts them, and an empty With deletes
// the span.
type Edit struct {
	At   Span
	With []byte
}

// InOrder sorts edits by their start. It sorts the slice in place and returns it. Edits with the same start
// end up in any order.
func InOrder(edits []Edit) []Edit {
	slices.SortFunc(edits, func(a, b Edit) int { return cmp.Compare(a.At.Start, b.At.Start) })
	return edits
}

// Splice returns the body with the edits applied. The edits must be sorted by their start and must not
// overlap; otherwise Splice panics or returns a damaged body. The result can refer to body, which must not
// change afterwards.
func Splice(body []byte, edits []Edit) Body {
	if len(edits) == 0 {
		return NewBody(body)
	}
	segments := make([][]byte, 0, 2*len(edits)+1)
	at := 0
	for _, e := range edits {
		segments = append(segments, body[at:e.At.Start], e.With)
		at = e.At.End
	}
	segments = append(segments, body[at:])
	var size int64
	for _, segment := range segments {
		size += int64(len(segment))
	}
	spliced := Body{segments, size}
	if size <= maxCopied {
		spliced.segments = [][]byte{spliced.Bytes()}
	}
	return spliced
}

// maxCopied is the size in bytes up to which Splice copies the body into one piece. Up to there a copy is
// cheaper than the additional writes that several pieces cost.
const maxCopied = 64 << 10

// Size returns the length in bytes.
func (b Body) Size() int64 { return b.size }

// Bytes returns a copy of the whole body.
func (b Body) Bytes() []byte {
	all := make([]byte, 0, b.size)
	for _, segment := range b.segments {
		all = append(all, segment...)
	}
	return all
}

// Reader returns a new reader of the whole body. A body of up to 64 KiB in one piece is read by a bytes.Reader,
// which net/http sends together with the headers. Any other reader costs one more write to the connection, and
// refers to the body only until it has been read: net/http keeps the reader for as long as the response lasts.
// Close does nothing.
func (b Body) Reader() io.ReadCloser {
	if len(b.segments) == 1 && b.size <= maxCopied {
		return io.NopCloser(bytes.NewReader(b.segments[0]))
	}
	return &bodyReader{rest: b.segments}
}

// bodyReader reads the segments of a Body one after the other.
type bodyReader struct {
	rest [][]byte
	at   int // offset of the next byte in rest[0]
}

func (r *bodyReader) Read(p []byte) (int, error) {
	n := 0
	for len(r.rest) > 0 {
		copied := copy(p[n:], r.rest[0][r.at:])
		n += copied
		r.at += copied
		if r.at < len(r.rest[0]) {
			return n, nil
		}
		r.rest, r.at = r.rest[1:], 0
	}
	r.rest = nil
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (r *bodyReader) Close() error { return nil }
