// Package backend implements the places where responses are stored: Database for responses that the relay
// translated, Channels for responses that stay at the channel that made them.
package backend

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/responseid"
	"github.com/tollgate/tollgate/apps/relay/internal/resume"
	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// Database is the Backend of responses that no channel stores. It is safe for concurrent use.
type Database struct {
	Responses *resume.Responses
}

// Do reads or deletes the response. It returns an Overloaded problem if the database doesn't answer.
func (d *Database) Do(ctx context.Context, request stored.Request) (stored.Result, error) {
	id, ok := resume.ParseID(request.ID)
	if !ok {
		return stored.Result{}, problem.Of(problem.ResponseNotFound)
	}
	body, err := d.do(ctx, request, id)
	if problem.Is(err, problem.NotFound) {
		err = problem.Of(problem.ResponseNotFound)
	}
	if err != nil || request.Operation != stored.Stream {
		return stored.Result{Body: body}, err
	}
	return stored.Result{Stream: output.NewReplay(body, request.After)}, nil
}

// copies are the most copies of a response that an operation has in memory. A stream has two of its last event besides
// the response.
var copies = [...]int{stored.Retrieve: 1, stored.Delete: 1, stored.ListInput: 1, stored.Cancel: 1, stored.Stream: 3}

// do performs the operation on the response with the id.
func (d *Database) do(ctx context.Context, request stored.Request, id uuid.UUID) ([]byte, error) {
	if request.Operation == stored.Delete {
		return fmt.Appendf(nil, `{"id":%q,"object":"response","deleted":true}`, request.ID),
			d.Responses.Delete(ctx, request.Reach, id)
	}
	response, err := d.Responses.Get(ctx, request.Reach, id)
	if err == nil { // the size is known only now; until here, the connections to the database bound the memory
		err = request.Memory.Grow(ctx, int64(len(response.Input)+copies[request.Operation]*len(response.Body)))
	}
	switch {
	case err != nil:
		return nil, err
	case request.Operation == stored.ListInput:
		return resume.InputPage(id, response.Input, request.Query)
	case request.Operation == stored.Cancel: // the database only has complete responses
		return nil, problem.New(problem.InvalidType, "Cannot cancel a synchronous response.")
	}
	return response.Body, nil
}

// Channels is the Backend of responses that are stored by the channel that made them. It is safe for concurrent
// use.
type Channels struct {
	Snapshots *snapshot.Loader
	Upstream  *upstream.Client
	IDs       *responseid.Codec
}

// calls maps each operation to an HTTP method and to the path after the response's id.
var calls = [...]struct{ method, path string }{
	stored.Retrieve:  {http.MethodGet, ""},
	stored.Delete:    {http.MethodDelete, ""},
	stored.ListInput: {http.MethodGet, "/input_items"},
	stored.Cancel:    {http.MethodPost, "/cancel"},
	stored.Stream:    {http.MethodGet, ""},
}

// Do sends the operation to the channel that made the response. It returns a NoChannel problem if that channel
// is disabled, deleted or no longer speaks the dialect responses.
func (c *Channels) Do(ctx context.Context, request stored.Request) (stored.Result, error) {
	origin, ok := c.IDs.DecodeID(request.Reach, request.ID)
	if !ok {
		return stored.Result{}, problem.Of(problem.ResponseNotFound)
	}
	current := c.Snapshots.Current()
	channel, target := current.Channel(origin.Channel), current.Target(origin.Channel)
	if channel == nil || target == nil || channel.Status != tenant.Enabled || !channel.Speaks(catalog.Responses) {
		return stored.Result{}, problem.New(problem.NoChannel,
			"The channel that stores the response is not available. Please try again later.")
	}
	query, err := c.query(request, current.MarksIDs(channel))
	if err != nil {
		return stored.Result{}, err
	}
	call := calls[request.Operation]
	send := upstream.StoredRequest{
		Channel: channel, Target: target, Origin: origin, Public: request.ID, Method: call.method,
		Path: call.path, Query: query,
		Memory: request.Memory,
	}
	var mark func(string) string
	if current.MarksIDs(channel) {
		mark = c.marker(request.Reach.Tenant, origin)
	}
	if request.Operation == stored.Stream {
		stream, err := c.Upstream.FetchStream(ctx, send)
		if err != nil {
			return stored.Result{}, fmt.Errorf("fetch the stream of a stored response: %w", err)
		}
		return stored.Result{Stream: &rewrittenStream{stream, c.rewriter(request, origin, mark, stream.Clean)},
			Channel: channel.Name}, nil
	}
	response, err := c.Upstream.Fetch(ctx, send)
	if err != nil {
		return stored.Result{}, fmt.Errorf("fetch stored response: %w", err)
	}
	return stored.Result{Body: c.rewriter(request, origin, mark, response.Clean).RewriteBody(response.Body),
		Channel: channel.Name}, nil
}

// rewrittenStream is a stream of a channel in which the ids are replaced.
type rewrittenStream struct {
	*upstream.StoredStream
	rewriter *output.Rewriter
}

// Next returns the next frame with its ids replaced.
func (s *rewrittenStream) Next() (output.Frame, error) {
	frame, err := s.StoredStream.Next()
	if err == nil {
		s.rewriter.RewriteFrame(&frame)
	}
	return frame, err
}

// query returns the request's query with the upstream's id in place of the marked id of the item after which a page
// begins. marks reports whether the channel's ids are marked.
func (c *Channels) query(request stored.Request, marks bool) (string, error) {
	values, err := url.ParseQuery(request.Query)
	if err != nil {
		return "", problem.New(problem.InvalidType, "The query string is malformed.")
	}
	if !values.Has("after") {
		return request.Query, nil
	}
	origin, ok := c.IDs.UnmarkID(request.Reach.Tenant, values.Get("after"))
	switch {
	case ok:
		values["after"] = []string{origin.ID}
	case marks || len(values["after"]) > 1:
		return "", problem.New(problem.InvalidType, "Item with id '%.512s' not found.", values.Get("after")).At("after")
	}
	return values.Encode(), nil
}

// rewriter replaces the upstream's ids in a response. The origin of the previous response gets the token bound
// of this one, which is correct because this one contains it. mark marks other ids; nil keeps them.
func (c *Channels) rewriter(request stored.Request, origin responseid.Origin,
	mark, clean func(string) string) *output.Rewriter {
	return &output.Rewriter{
		ResponseID: func(string) string { return request.ID },
		PreviousID: func(id string) string {
			previous := origin
			previous.ID = id
			return c.IDs.EncodeID(request.Reach.Tenant, previous)
		},
		MarkID:       mark,
		Tag:          func() string { return c.IDs.EncodeTag(request.Reach.Tenant, origin.Channel, origin.Credential) },
		CleanMessage: clean,
	}
}

// marker returns the function that marks an id of the origin for a tenant.
func (c *Channels) marker(tenantID uuid.UUID, origin responseid.Origin) func(id string) string {
	return func(id string) string {
		origin.ID = id
		return c.IDs.MarkID(tenantID, origin)
	}
}
