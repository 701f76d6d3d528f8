// Package stored serves requests about responses that were created before:
// retrieve, delete, list the input items, cancel. A response is stored by the
// channel that made it or, if the gateway translated it, in the database.
package stored

import (
	"context"
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/responseid"
	"github.com/tollgate/tollgate/apps/relay/internal/resume"
	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
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

// Database is the Backend of responses that no channel stores. It is safe for
// concurrent use.
type Database struct {
	Responses *resume.Responses
}

// Do reads or deletes the response. Overloaded while the database does not answer.
func (d *Database) Do(ctx context.Context, request Request) (Result, error) {
	id, ok := resume.ParseID(request.ID)
	if !ok {
		return Result{}, problem.Of(problem.ResponseNotFound)
	}
	body, err := d.do(ctx, request, id)
	if problem.Is(err, problem.NotFound) {
		err = problem.Of(problem.ResponseNotFound)
	}
	return Result{Body: body}, err
}

func (d *Database) do(ctx context.Context, request Request, id uuid.UUID) ([]byte, error) {
	if request.Operation == Delete {
		return fmt.Appendf(nil, `{"id":%q,"object":"response","deleted":true}`, request.ID), d.Responses.Delete(ctx, request.Tenant, id)
	}
	response, err := d.Responses.Get(ctx, request.Tenant, id)
	switch {
	case err != nil:
		return nil, err
	case request.Operation == ListInput:
		return resume.InputPage(id, response.Input, request.Query)
	case request.Operation == Cancel: // only complete responses are stored
		return nil, problem.New(problem.InvalidType, "Cannot cancel a synchronous response.")
	}
	return response.Body, nil
}

// Channels is the Backend of responses that the channel stores that made them. It
// is safe for concurrent use.
type Channels struct {
	Snapshots *snapshot.Loader
	Upstream  *upstream.Client
	IDs       *responseid.Codec
}

// calls are the HTTP requests of the operations.
var calls = [...]struct{ method, path string }{
	Retrieve:  {http.MethodGet, ""},
	Delete:    {http.MethodDelete, ""},
	ListInput: {http.MethodGet, "/input_items"},
	Cancel:    {http.MethodPost, "/cancel"},
}

// Do asks the channel that made the response. NoChannel if the channel is
// disabled, gone, or no longer speaks Responses.
func (c *Channels) Do(ctx context.Context, request Request) (Result, error) {
	origin, ok := c.IDs.DecodeID(request.Tenant, request.ID)
	if !ok {
		return Result{}, problem.Of(problem.ResponseNotFound)
	}
	current := c.Snapshots.Current()
	channel, target := current.Channel(origin.Channel), current.Target(origin.Channel)
	if channel == nil || target == nil || channel.Status != tenant.Enabled || !channel.Speaks(catalog.Responses) {
		return Result{}, problem.New(problem.NoChannel, "The channel that made the response is not available.")
	}
	call := calls[request.Operation]
	response, err := c.Upstream.Fetch(ctx, upstream.StoredRequest{
		Channel: channel, Target: target, Origin: origin, Public: request.ID, Method: call.method, Path: call.path, Query: request.Query,
	})
	if err != nil {
		return Result{}, fmt.Errorf("fetch stored response: %w", err)
	}
	return Result{c.rewriter(request, origin, response).RewriteBody(response.Body), channel.Name}, nil
}

// rewriter replaces the upstream's names in a response. The response that it
// continues has no more tokens than the response itself.
func (c *Channels) rewriter(request Request, origin responseid.Origin, response *upstream.StoredResponse) *output.Rewriter {
	return &output.Rewriter{
		ResponseID: func(string) string { return request.ID },
		PreviousID: func(id string) string {
			earlier := origin
			earlier.ID = id
			return c.IDs.EncodeID(request.Tenant, earlier)
		},
		Tag:          func() string { return c.IDs.EncodeTag(request.Tenant, origin.Channel, origin.Credential) },
		CleanMessage: response.Clean,
	}
}
