package memory

import (
	"sync"
	"sync/atomic"
)

const (
	// bufferStep is the difference in bytes between two sizes of buffers, and the smallest size.
	bufferStep = SmallBody
	// maxBuffer is the size in bytes up to which the memory of a Buffer is used again.
	maxBuffer = 1 << 20
)

// buffers has the buffers of each size that are not in use. The garbage collector empties it.
var buffers [maxBuffer / bufferStep]sync.Pool

// Buffer is memory for the body of a large request, which is used again after the last user has released it. Without
// that, clearing and collecting such memory is a tenth of the cost of a call with 200 KB. A Buffer that is never
// released is left to the garbage collector. Its methods are safe for concurrent use.
type Buffer struct {
	room  []byte
	users atomic.Int32
}

// NewBuffer returns a Buffer of size bytes or up to 64 KiB more, with one user. Its bytes are not cleared.
func NewBuffer(size int64) *Buffer {
	if size > maxBuffer {
		return newBuffer(size)
	}
	class := max(0, (size-1)/bufferStep)
	b, ok := buffers[class].Get().(*Buffer)
	if !ok {
		return newBuffer((class + 1) * bufferStep)
	}
	b.users.Store(1)
	return b
}

func newBuffer(size int64) *Buffer {
	b := &Buffer{room: make([]byte, size)}
	b.users.Store(1)
	return b
}

// BufferSize returns the size in bytes of the Buffer that NewBuffer returns.
func BufferSize(size int64) int64 {
	if size > maxBuffer {
		return size
	}
	return (max(0, (size-1)/bufferStep) + 1) * bufferStep
}

// Bytes returns all of the memory. A user must not refer to it after Release.
func (b *Buffer) Bytes() []byte { return b.room }

// Retain adds a user.
func (b *Buffer) Retain() { b.users.Add(1) }

// Release removes a user. After the last one, another call may get the memory.
func (b *Buffer) Release() {
	if b.users.Add(-1) > 0 {
		return
	}
	if len(b.room) > maxBuffer {
		b.room = nil // an HTTP client may refer to the Buffer for as long as a response lasts
		return
	}
	if overwrites {
		for i := range b.room {
			b.room[i] = '#'
		}
	}
	buffers[len(b.room)/bufferStep-1].Put(b)
}
