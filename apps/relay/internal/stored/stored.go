// Package stored serves operations on responses that already exist: retrieve, whole or as a stream, delete, list the
// input items and cancel. A response is stored by the channel that made it or, if the relay translated it, in the
// database. Package backend implements both; Backends tries them in order.
package stored

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// Request describes an operation on a stored response.
type Request struct {
	Reach     tenant.Reach // whose responses the caller may use
	ID        string       // in the client's form
	Operation Operation
	Query     string // URL-encoded; used by Retrieve, Stream and ListInput
	After     int64  // of Stream: the sequence number after which the stream begins, -1 for its beginning
	Memory    Memory // for the response; the caller releases it when the Result is no longer used
}

// Memory reserves memory for a response. Package memory implements it.
type Memory interface {
	// Grow takes n more bytes. It returns an Overloaded problem if there is no room in time, and TooLarge if there can
	// be none.
	Grow(ctx context.Context, n int64) error
}

// Operation is an operation on a stored response.
type Operation uint8

// The operations.
const (
	Retrieve Operation = iota
	Delete
	ListInput
	Cancel
	Stream // retrieve as a stream
)

// Result is the outcome of a Request.
type Result struct {
	Body    []byte // JSON
	Stream  Events // instead of the Body, for the operation Stream. The caller must close it
	Channel string // name of the channel that served the request; "" for the database
}

// Events is the stream of a response. It is not safe for concurrent use, except for Cancel.
type Events interface { //nolint:interfacebloat // the four are one stream from its beginning to its end
	// Next returns the next frame, io.EOF at the end. The frame is valid until the next call.
	Next() (output.Frame, error)
	// Buffered reports whether Next can return at once.
	Buffered() bool
	// Cancel ends the stream, and a Next that waits.
	Cancel()
	// Close ends the stream and releases its memory.
	Close()
}

// Backend is a place where responses are stored. It recognizes its own responses by their ids.
type Backend interface {
	// Do serves the request. It returns a ResponseNotFound problem if the response is not stored here or
	// out of reach; a client cannot distinguish the two.
	Do(ctx context.Context, request Request) (Result, error)
}

// Backends is a list of backends that are tried in order.
type Backends []Backend

// Do serves the request with the first Backend that knows the response. It returns a ResponseNotFound problem
// if none does.
func (b Backends) Do(ctx context.Context, request Request) (Result, error) {
	for _, backend := range b {
		result, err := backend.Do(ctx, request)
		if err == nil || !problem.Is(err, problem.ResponseNotFound) {
			return result, err
		}
	}
	return Result{}, problem.New(problem.ResponseNotFound, "Response with id '%.512s' not found.", request.ID)
}
