package echo

import (
	"context"
	"errors"
	"io"
	"sync"
)

var errClosed = errors.New("echo: read on a closed body")

// reply is the body of a response. It generates each piece when it is read. One Read returns bytes of one piece only,
// as if each event came in a network packet of its own.
type reply struct {
	ctx  context.Context             // context of the request; when it ends, Read fails
	next func([]byte) ([]byte, bool) // answer.next

	mu     sync.Mutex // net/http may call Close during a Read
	piece  []byte     // buffer of the present piece
	rest   []byte     // part of piece that is not read yet
	over   bool       // there are no further pieces
	closed bool
}

// Read implements io.Reader.
func (r *reply) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return 0, errClosed
	}
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	for len(r.rest) == 0 {
		if r.over {
			return 0, io.EOF
		}
		var ok bool
		r.piece, ok = r.next(r.piece[:0])
		r.rest, r.over = r.piece, !ok
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Close implements io.Closer. Later reads fail.
func (r *reply) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.piece, r.rest, r.next = nil, nil, nil
	return nil
}
