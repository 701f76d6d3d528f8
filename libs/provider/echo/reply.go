package echo

import (
	"context"
	"errors"
	"io"
	"sync"
)

var errClosed = errors.New("echo: read on a closed body")

// reply is the body of a response. Each piece is made when it is read; a Read
// returns bytes of one piece only, as a network would that sends each event
// by itself.
type reply struct {
	ctx  context.Context // a body ends with its request
	next func([]byte) ([]byte, bool)

	mu     sync.Mutex // Close may come at any time
	piece  []byte
	rest   []byte
	over   bool
	closed bool
}

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
		var more bool
		r.piece, more = r.next(r.piece[:0])
		r.rest, r.over = r.piece, !more
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *reply) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.piece, r.rest, r.next = nil, nil, nil
	return nil
}
