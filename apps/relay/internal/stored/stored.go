// Package stored has everything that the relay does with responses that are kept for later requests, and with what
// refers to them.
//
// There are two kinds of stored responses:
//
//	made by                            stored by                       id (resp_...)
//	a channel that speaks responses    that channel                    encrypted origin (Codec)
//	the relay, by translation          the database, for any relay     128 random bits in hexadecimal
//
// Three parts use them:
//
//   - Responses saves and loads those of the database, whose rows are in libs/store/response.
//   - Resumer turns a request that continues either kind into one that can be sent. Only requests to /v1/responses
//     continue anything: with previous_response_id, with references to items, or with encrypted content in their input.
//     The Resumer replaces references to the database's responses by the conversation itself, so that any channel can
//     serve the request. It replaces the id of a channel's response by the upstream's own id, and returns the origin,
//     to which the request must be routed. Encrypted content can only be read by the channel that made it; a tag in
//     front of it tells which one that is. Requests of all dialects can refer to files and other things in an
//     upstream's account, whose ids it checks.
//   - Backends serves operations on a response: retrieve, whole or as a stream, delete, list the input items and
//     cancel. Database and Channels are its two backends.
//
// A caller can only use responses within reach: the user's own, or those of the whole tenant if the role permits it
// (permission.Responses). The database is asked with that reach, ids out of reach do not decode, and tags of another
// tenant cannot be decrypted.
package stored

import (
	"context"
	"time"

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

// Memory reserves memory for a call or a response. Package memory implements it.
type Memory interface {
	// Grow takes n more bytes. It returns an Overloaded problem if there is no room in time, and TooLarge if there can
	// be none.
	Grow(ctx context.Context, n int64) error
	// Shrink gives n of the bytes back.
	Shrink(n int64)
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
	// IdleTimeout is the channel's bound of the silence in the Stream, 0 for the default of the relay.
	IdleTimeout time.Duration
}

// Events is the stream of a response. It is not safe for concurrent use, except for LastRead and CancelSilent.
type Events interface { //nolint:interfacebloat // the five are one stream from its beginning to its end
	// Next returns the next frame, io.EOF at the end. The frame is valid until the next call.
	Next() (output.Frame, error)
	// Buffered reports whether Next can return at once.
	Buffered() bool
	// LastRead returns when bytes of the stream arrived last, also those that are in no frame.
	LastRead() time.Time
	// CancelSilent ends the stream, and a Next that waits, because the upstream has been silent for too long.
	CancelSilent()
	// Close ends the stream and releases its memory.
	Close()
}

// Backend is a place where responses are stored. It recognizes its own responses by their ids.
type Backend interface {
	// Do serves the request. It returns a ResponseNotFound problem if the response is not stored here or
	// out of reach; a client cannot distinguish the two.
	Do(ctx context.Context, request Request) (Result, error)
}

// Backends is a list of backends that are tried in order: Database and Channels.
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
