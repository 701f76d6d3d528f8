package http1

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
)

// content is the body of a response. At its end the connection becomes idle; if it is closed before, the connection is
// closed. Close may be called while another goroutine reads.
type content struct {
	conn      *conn
	source    io.Reader // net/http's reader of the body
	unbounded bool      // the body ends with the connection
	over      atomic.Bool
	err       error // of the reads after the last one
}

// Read reads from the body. If the request's context has ended, the error is its cause.
func (b *content) Read(p []byte) (int, error) {
	if b.over.Load() {
		if b.err != nil {
			return 0, b.err
		}
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := b.source.Read(p)
	if err == nil {
		return n, nil
	}
	if b.unbounded && errors.Is(err, io.EOF) && b.isCutOff() {
		err = io.ErrUnexpectedEOF
	}
	ctx := b.conn.ctx
	if !b.over.CompareAndSwap(false, true) {
		return n, http.ErrBodyReadAfterClose
	}
	switch {
	case errors.Is(err, io.EOF):
		b.err = io.EOF
		b.conn.end()
	case ctx.Err() != nil:
		b.err = context.Cause(ctx)
		b.conn.close()
	default:
		b.err = fmt.Errorf("http1: read the body: %w", err)
		b.conn.close()
	}
	return n, b.err
}

// isCutOff reports whether the end of an unbounded body may come from a reset of the connection. The kernel reports a
// reset only once; if a write of the request gets it, reads get the same end as that of a whole body.
func (b *content) isCutOff() bool { return b.conn.wrote() && b.conn.writeErr != nil }

// Close closes the connection unless the body was read to its end.
func (b *content) Close() error {
	if b.over.CompareAndSwap(false, true) {
		b.conn.close()
	}
	return nil
}
