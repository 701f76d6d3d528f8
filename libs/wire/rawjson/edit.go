package rawjson

import (
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
	size := len(body)
	for _, e := range edits {
		size += len(e.With) - (e.At.End - e.At.Start)
	}
	offset := 0
	segments := make([][]byte, 0, 2*len(edits)+1)
	for _, e := range edits {
		segments = append(segments, body[offset:e.At.Start], e.With)
		offset = e.At.End
	}
	return Body{append(segments, body[offset:]), int64(size)}
}

// Size returns the length in bytes.
func (b Body) Size() int64 { return b.size }

// Bytes returns a copy of the whole body.
func (b Body) Bytes() []byte {
	data := make([]byte, 0, b.size)
	for _, segment := range b.segments {
		data = append(data, segment...)
	}
	return data
}

// Joined returns the whole body in one piece. It refers to the body unless that has several pieces.
func (b Body) Joined() []byte {
	if len(b.segments) == 1 {
		return b.segments[0]
	}
	return b.Bytes()
}

// Owner is memory that is used again after all its users have released it.
type Owner interface {
	Retain()  // adds a user
	Release() // removes a user, which must not refer to the memory any more
}

// Reader returns a new reader of the whole body. It refers to the body only until the body has been read or taken
// (Take), because HTTP clients keep the reader for as long as the response lasts. Close does nothing.
func (b Body) Reader() io.ReadCloser { return &bodyReader{segments: b.segments} }

// ReaderOf returns a Reader that is a user of the memory of the body. Only the caller of Take can release it. If the
// body is read instead, its memory is not used again, because HTTP clients do not tell when they have read it for the
// last time.
func (b Body) ReaderOf(owner Owner) io.ReadCloser {
	owner.Retain()
	return &bodyReader{segments: b.segments, owner: owner}
}

// bodyReader reads the segments of a Body one after the other.
type bodyReader struct {
	segments [][]byte
	offset   int   // of the next byte in segments[0]
	owner    Owner // nil for none
}

// Take returns the rest of the body without copying it. Nothing is left to read. The caller becomes the user of the
// memory in place of the reader, and must call Release.
func (r *bodyReader) Take() [][]byte {
	segments, offset := r.segments, r.offset
	r.segments, r.offset = nil, 0
	if offset > 0 {
		segments = slices.Clone(segments)
		segments[0] = segments[0][offset:]
	}
	return segments
}

// Retain adds a user of the memory.
func (r *bodyReader) Retain() {
	if r.owner != nil {
		r.owner.Retain()
	}
}

// Release removes a user of the memory.
func (r *bodyReader) Release() {
	if r.owner != nil {
		r.owner.Release()
	}
}

func (r *bodyReader) Read(p []byte) (int, error) {
	n := 0
	for len(r.segments) > 0 {
		count := copy(p[n:], r.segments[0][r.offset:])
		n += count
		r.offset += count
		if r.offset < len(r.segments[0]) {
			return n, nil
		}
		r.segments, r.offset = r.segments[1:], 0
	}
	r.segments, r.owner = nil, nil
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (r *bodyReader) Close() error { return nil }
