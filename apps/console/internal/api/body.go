package api

import (
	"errors"
	"io"
	"net"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/fair"
)

// The most bytes of bodies that the console holds at once: those of clients that are not signed in, and those of
// all others. A body counts with its length from the start until its request is answered, and one without a length
// with the bytes that have arrived.
const (
	publicBodyBytes = 4 << 20
	callerBodyBytes = 16 << 20
)

// requestBytes is the number of bytes that a request with a body takes besides the body. So one address
// with many unfinished requests takes at most a quarter of the connections of the console, and all addresses together
// half of them.
const requestBytes = 2 << 10

// newRoom returns room for so many bytes of bodies or answers. A key holds as much as is free afterwards: one alone
// half of the room, each of two a third. So whatever a flood holds, a small body of another key finds room. Nobody
// waits for it.
func newRoom(size int64, metrics prometheus.Registerer, name string) *fair.Queue[string] {
	return fair.New(fair.Options[string]{Total: size, MaxOfFree: 1, RetryAfter: overloadRetry,
		Metrics: metrics, Name: name})
}

func tooLarge(limit int64) error {
	return problem.New(problem.TooLarge, "The request body is larger than %d bytes, the limit of this operation.",
		limit)
}

// boundedBody is the body of a request. All errors of Read except time-outs are problems, because others would make
// Huma report an internal error.
type boundedBody struct {
	io.ReadCloser
	limit, left int64               // bytes that the body may have, and may still have
	known       bool                // the length is known, and held has room for it
	held        *fair.Lease[string] // room for the body
}

// Read reads from the body. It fails if the body exceeds the limit, or if there is no room for more.
func (b *boundedBody) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 { // one more byte shows that the body is too large
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, tooLarge(b.limit)
	}
	if !b.known {
		if err := b.held.Grow(int64(n)); err != nil {
			return 0, err
		}
	}
	return n, readError(err)
}

// readError returns the error of a read from a connection as a problem, unless it is the end or a time-out.
func readError(err error) error {
	var network net.Error
	if err == nil || errors.Is(err, io.EOF) || errors.As(err, &network) && network.Timeout() {
		return err
	}
	return &problem.Problem{Kind: problem.InvalidJSON, Message: "The request body is incomplete or malformed: the " +
		"connection ended before all of it was received.", Cause: err}
}
