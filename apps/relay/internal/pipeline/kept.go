package pipeline

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

// Ask is what a client wants of a response that was made before.
type Ask struct {
	Tenant uuid.UUID
	ID     string // as the client knows it
	Deed   Operation
	Query  string // encoded, of Retrieve and InputItems
}

// Deed is what is done with a response.
type Operation uint8

// The deeds.
const (
	Retrieve Operation = iota
	Delete
	InputItems
	Cancel
)

// Kept is a Keeper's answer.
type StoredAnswer struct {
	Body    []byte // JSON
	Channel string // its name, "" where no channel was asked
}

// Keeper keeps responses, or knows who does. Each knows its own by their ids.
type Keeper interface {
	// Ask does what is asked. A ResponseNotFound problem says that the response is
	// not known here, or not the tenant's: these look the same.
	Ask(ctx context.Context, ask Ask) (StoredAnswer, error)
}

// Ask asks the keepers, until one knows the response.
func (l *Pipeline) Ask(ctx context.Context, ask Ask) (StoredAnswer, error) {
	for _, keeper := range l.Keepers {
		kept, err := keeper.Ask(ctx, ask)
		if err == nil || !problem.Is(err, problem.ResponseNotFound) {
			return kept, err
		}
	}
	return StoredAnswer{}, problem.New(problem.ResponseNotFound, "Response with id '%.512s' not found.", ask.ID)
}

// Channels is the Keeper of responses that stay where they were made. It is
// safe for concurrent use.
type Channels struct {
	View     *snapshot.Loader
	Upstream *upstream.Client
	Pins     *responseid.Codec
}

// Here is the Keeper of responses that no channel keeps. It is safe for
// concurrent use.
type Here struct {
	History *resume.History
}

// Ask finds the response in the database. Overloaded where that does not answer.
func (k *Here) Ask(ctx context.Context, ask Ask) (StoredAnswer, error) {
	id, ok := resume.Parse(ask.ID)
	if !ok {
		return StoredAnswer{}, problem.Of(problem.ResponseNotFound)
	}
	body, err := k.do(ctx, ask, id)
	if problem.Is(err, problem.NotFound) {
		err = problem.Of(problem.ResponseNotFound)
	}
	return StoredAnswer{Body: body}, err
}

func (k *Here) do(ctx context.Context, ask Ask, id uuid.UUID) ([]byte, error) {
	if ask.Deed == Delete {
		return fmt.Appendf(nil, `{"id":%q,"object":"response","deleted":true}`, ask.ID), k.History.Delete(ctx, ask.Tenant, id)
	}
	response, err := k.History.Response(ctx, ask.Tenant, id)
	switch {
	case err != nil:
		return nil, err
	case ask.Deed == InputItems:
		return resume.Items(id, response.Input, ask.Query)
	case ask.Deed == Cancel: // it is kept once it is complete
		return nil, problem.New(problem.InvalidType, "Cannot cancel a synchronous response.")
	}
	return response.Body, nil
}

// deeds are how a channel is asked.
var deeds = [...]struct{ method, path string }{
	Retrieve:   {http.MethodGet, ""},
	Delete:     {http.MethodDelete, ""},
	InputItems: {http.MethodGet, "/input_items"},
	Cancel:     {http.MethodPost, "/cancel"},
}

// Ask asks the channel that made the response. NoChannel where it is disabled,
// gone, or speaks no responses any more.
func (k *Channels) Ask(ctx context.Context, ask Ask) (StoredAnswer, error) {
	origin, ok := k.Pins.DecodeID(ask.Tenant, ask.ID)
	if !ok {
		return StoredAnswer{}, problem.Of(problem.ResponseNotFound)
	}
	now := k.View.Current()
	channel, target := now.Channel(origin.Channel), now.Target(origin.Channel)
	if channel == nil || target == nil || channel.Status != tenant.Enabled || !channel.Speaks(catalog.Responses) {
		return StoredAnswer{}, problem.New(problem.NoChannel, "The channel that made the response is not available.")
	}
	deed := deeds[ask.Deed]
	answer, err := k.Upstream.Fetch(ctx, upstream.StoredRequest{
		Channel: channel, Target: target, Origin: origin, Public: ask.ID, Method: deed.method, Path: deed.path, Query: ask.Query,
	})
	if err != nil {
		return StoredAnswer{}, err
	}
	return StoredAnswer{k.names(ask, origin, answer).RewriteBody(answer.Body), channel.Name}, nil
}

// names are those of a response that was asked for. What it went on from had
// no more tokens than it has itself.
func (k *Channels) names(ask Ask, origin responseid.Origin, answer *upstream.StoredResponse) *output.Rewriter {
	return &output.Rewriter{
		ResponseID: func(string) string { return ask.ID },
		PreviousID: func(id string) string {
			earlier := origin
			earlier.ID = id
			return k.Pins.EncodeID(ask.Tenant, earlier)
		},
		Tag:          func() string { return k.Pins.EncodeTag(ask.Tenant, origin.Channel, origin.Credential) },
		CleanMessage: answer.Clean,
	}
}
