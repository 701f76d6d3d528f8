package http1

import (
	"io"
	"sync"
)

// ahead reads the body of a response that arrives fast with fewer system calls. The reader of a connection is small,
// because most streams arrive slowly. When it was filled at once, there is more: as long as that lasts, ahead reads
// into a larger buffer.
type ahead struct {
	fast   bool    // the last read filled its buffer
	buffer *[]byte // nil if there is nothing to hold
	tail   []byte  // what of it is still to be read
	err    error   // after tail
}

// aheadBuffer is the size in bytes of the larger buffer.
const aheadBuffer = 32 << 10

// aheads has larger buffers.
var aheads = sync.Pool{New: func() any { return new(make([]byte, aheadBuffer)) }}

// read reads into p from what is held or from the connection.
func (a *ahead) read(from io.Reader, p []byte) (int, error) {
	if len(a.tail) == 0 && (!a.fast || len(p) >= aheadBuffer) {
		n, err := from.Read(p)
		a.fast = n == len(p)
		return n, err
	}
	if len(a.tail) == 0 {
		a.buffer, _ = aheads.Get().(*[]byte)
		n, err := from.Read(*a.buffer)
		a.tail, a.err, a.fast = (*a.buffer)[:n], err, n > len(p)
	}
	n := copy(p, a.tail)
	a.tail = a.tail[n:]
	if len(a.tail) > 0 {
		return n, nil
	}
	aheads.Put(a.buffer)
	err := a.err
	a.buffer, a.tail, a.err = nil, nil, nil
	return n, err
}

// isEmpty reports whether nothing is held.
func (a *ahead) isEmpty() bool { return len(a.tail) == 0 }
