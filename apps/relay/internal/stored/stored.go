// Package stored serves requests about responses that were created before:
// retrieve, delete, list the input items, cancel. A response is stored by the
// channel that made it or, if the gateway translated it, in the database.
package stored

import (
	"context"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// Request asks for an operation on a stored response.
type Request struct {
	Tenant    uuid.UUID
	ID        string // as the client knows it
	Operation Operation
	Query     string // encoded, of Retrieve and ListInput
}

// Operation is an operation on a stored response.
type Operation uint8

// The operations.
const (
	Retrieve Operation = iota
	Delete
	ListInput
	Cancel
)

// Result is the answer to a Request.
type Result struct {
	Body    []byte // JSON
	Channel string // its name, "" if no channel was asked
}

// Backend is a place where responses are stored. It recognises its own by their
// ids.
type Backend interface {
	// Do serves the request. A ResponseNotFound problem means that the response is
	// not stored here or belongs to another tenant; clients cannot tell which.
	Do(ctx context.Context, request Request) (Result, error)
}

// Backends asks each Backend until one knows the response.
type Backends []Backend

// Do serves the request.
func (b Backends) Do(ctx context.Context, request Request) (Result, error) {
	for _, backend := range b {
		result, err := backend.Do(ctx, request)
		if err == nil || !problem.Is(err, problem.ResponseNotFound) {
			return result, err
		}
	}
	return Result{}, problem.New(problem.ResponseNotFound, "Response with id '%.512s' not found.", request.ID)
}
