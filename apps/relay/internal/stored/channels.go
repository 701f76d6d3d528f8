package stored

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// Channels is the Backend of responses that are stored by the channel that made them. It is safe for concurrent
// use.
type Channels struct {
	Snapshots *snapshot.Loader
	Sender    Sender
	IDs       *Codec
}

// Sender sends operations to the channels that store responses. There is one attempt, because only one channel has the
// response. Package upstream implements it.
//
// The errors are problems: ResponseNotFound if the channel doesn't have the response, NoChannel if its provider stores
// none, Overloaded or TooLarge if there is no memory for the answer.
type Sender interface {
	// Fetch returns the channel's answer, whose Body is valid JSON.
	Fetch(ctx context.Context, call ChannelCall) (Answer, error)
	// FetchStream returns when the Stream of the answer has begun. The stream ends with ctx.
	FetchStream(ctx context.Context, call ChannelCall) (Answer, error)
}

// ChannelCall is an operation on a response that a channel stores.
type ChannelCall struct {
	Channel *catalog.Channel
	Target  *snapshot.Target
	Origin  Origin // of the response
	Public  string // the response's id in the client's form
	Method  string
	Path    string // the part of the path after the id, such as "/cancel"
	Query   string // URL-encoded
	Memory  Memory // for the answer, and for a copy of it in which the ids are replaced
}

// Answer is a channel's answer to a ChannelCall: a Body or a Stream.
type Answer struct {
	Body   []byte
	Stream Events                   // the caller must close it
	Clean  func(text string) string // removes private data of the upstream from a text of the answer
}

// calls maps each operation to an HTTP method and to the path after the response's id.
var calls = [...]struct{ method, path string }{
	Retrieve:  {http.MethodGet, ""},
	Delete:    {http.MethodDelete, ""},
	ListInput: {http.MethodGet, "/input_items"},
	Cancel:    {http.MethodPost, "/cancel"},
	Stream:    {http.MethodGet, ""},
}

// Do sends the operation to the channel that made the response. It returns a NoChannel problem if that channel
// is disabled, deleted or no longer speaks the dialect responses.
func (c *Channels) Do(ctx context.Context, request Request) (Result, error) {
	origin, ok := c.IDs.DecodeID(request.Reach, request.ID)
	if !ok {
		return Result{}, problem.Of(problem.ResponseNotFound)
	}
	current := c.Snapshots.Current()
	channel, target := current.Channel(origin.Channel), current.Target(origin.Channel)
	if channel == nil || target == nil || channel.Status != tenant.Enabled || !channel.Speaks(catalog.Responses) {
		return Result{}, problem.New(problem.NoChannel,
			"The channel that stores the response is not available. Please try again later.")
	}
	query, err := c.query(request, current.MarksIDs(channel))
	if err != nil {
		return Result{}, err
	}
	call := calls[request.Operation]
	send := ChannelCall{
		Channel: channel, Target: target, Origin: origin, Public: request.ID, Method: call.method,
		Path: call.path, Query: query,
		Memory: request.Memory,
	}
	var mark func(string) string
	if current.MarksIDs(channel) {
		mark = c.marker(request.Reach.TenantID, origin)
	}
	if request.Operation == Stream {
		answer, err := c.Sender.FetchStream(ctx, send)
		if err != nil {
			return Result{}, fmt.Errorf("fetch the stream of a stored response: %w", err)
		}
		return Result{Stream: &rewrittenStream{answer.Stream, c.rewriter(request, origin, mark, answer.Clean)},
			Channel: channel.Name, IdleTimeout: channel.Settings.IdleTimeout}, nil
	}
	answer, err := c.Sender.Fetch(ctx, send)
	if err != nil {
		return Result{}, fmt.Errorf("fetch stored response: %w", err)
	}
	return Result{Body: c.rewriter(request, origin, mark, answer.Clean).RewriteBody(answer.Body),
		Channel: channel.Name}, nil
}

// rewrittenStream is a stream of a channel in which the ids are replaced.
type rewrittenStream struct {
	Events
	rewriter *output.Rewriter
}

// Next returns the next frame with its ids replaced.
func (s *rewrittenStream) Next() (output.Frame, error) {
	frame, err := s.Events.Next()
	if err == nil {
		s.rewriter.RewriteFrame(&frame)
	}
	return frame, err
}

// query returns the request's query with the upstream's id in place of the marked id of the item after which a page
// begins. marks reports whether the channel's ids are marked.
func (c *Channels) query(request Request, marks bool) (string, error) {
	values, err := url.ParseQuery(request.Query)
	if err != nil {
		return "", problem.New(problem.InvalidType, "The query string is malformed.")
	}
	if !values.Has("after") {
		return request.Query, nil
	}
	origin, ok := c.IDs.UnmarkID(request.Reach.TenantID, values.Get("after"))
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
func (c *Channels) rewriter(request Request, origin Origin, mark, clean func(string) string) *output.Rewriter {
	return &output.Rewriter{
		ResponseID: func(string) string { return request.ID },
		PreviousID: func(id string) string {
			previous := origin
			previous.ID = id
			return c.IDs.EncodeID(request.Reach.TenantID, previous)
		},
		MarkID: mark,
		Tag: func() string {
			return c.IDs.EncodeTag(request.Reach.TenantID, origin.Channel, origin.Credential)
		},
		CleanMessage: clean,
	}
}

// marker returns the function that marks an id of the origin for a tenant.
func (c *Channels) marker(tenantID uuid.UUID, origin Origin) func(id string) string {
	return func(id string) string {
		origin.ID = id
		return c.IDs.MarkID(tenantID, origin)
	}
}
