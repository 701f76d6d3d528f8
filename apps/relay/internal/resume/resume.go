// Package resume loads the state that a request continues.
//
// Some responses no upstream stores: those that this gateway translated from
// another dialect. Responses stores them in the database, where any relay finds
// them and only their own tenant. Other responses stay at the channel that made
// them; their ids say where (package responseid). Resumer turns a request that
// continues either kind into one that can be sent.
package resume

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/responseid"
	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/openai"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// maxReferences bounds the items that one input refers to.
const maxReferences = 1024

// Resumer loads the state that requests continue. It is safe for concurrent use.
type Resumer struct {
	Responses    *Responses
	IDs          *responseid.Codec
	MaxBodyBytes int64 // of a request with the state that it continues
}

// Resumed is a request with the state that it continues.
type Resumed struct {
	Request *openai.Request
	Loaded  int64             // bytes that the loaded state adds to the request
	Origin  responseid.Origin // where the request must go; zero: any channel; without ID: preferably
}

// Query asks for the state of one request.
type Query struct {
	Request  *openai.Request
	Dialect  catalog.Dialect // only requests of Responses continue anything
	Tenant   uuid.UUID
	Snapshot *snapshot.Snapshot
}

// Resume loads the state that a request continues.
//
// Its problems are PreviousNotFound and ItemNotFound for state that is unknown,
// deleted, expired or another tenant's, InvalidType for encrypted content of
// another tenant, TooLarge, and Overloaded while the database does not answer.
func (r *Resumer) Resume(ctx context.Context, q Query) (Resumed, error) {
	if q.Dialect != catalog.Responses {
		return Resumed{Request: q.Request}, nil
	}
	request, err := r.expand(ctx, q)
	if err != nil {
		return Resumed{}, err
	}
	origin, err := r.origin(request, q.Tenant)
	return Resumed{Request: request, Loaded: int64(request.Size() - q.Request.Size()), Origin: origin}, err
}

// expand returns a request that continues or refers to stored responses as one
// that contains all of the conversation, so that any channel can serve it. Other
// requests it returns unchanged.
func (r *Resumer) expand(ctx context.Context, q Query) (*openai.Request, error) {
	request, tenant := q.Request, q.Tenant
	ids, err := references(request)
	if err != nil {
		return nil, err
	}
	items, err := r.items(ctx, ids, tenant)
	if err != nil {
		return nil, err
	}
	turns, err := r.turns(ctx, request, tenant)
	if err != nil {
		return nil, err
	}
	if len(turns)+len(items) == 0 {
		return request, nil
	}
	parts := make([][]byte, 0, 2*len(turns)+len(ids)+1)
	for i := range turns {
		parts = append(parts, turns[i].Input, turns[i].Body)
	}
	for _, id := range ids {
		parts = append(parts, items[id])
	}
	parts = append(parts, request.Body())
	maker := r.maker(q, parts)
	return request.Expand(openai.Expansion{Turns: turns, Items: items, Limit: r.MaxBodyBytes, KeepTag: func(tag string) bool {
		origin, ok := r.IDs.DecodeTag(tenant, tag)
		return ok && origin.Channel == maker
	}})
}

// references returns the ids, in order, of the items that a request refers to
// and that may be stored here.
func references(request *openai.Request) (ids []string, err error) {
	err = request.References(func(id string) error {
		if _, ok := ParseItemID(id); ok {
			ids = append(ids, id)
		}
		if len(ids) > maxReferences {
			return problem.New(problem.TooLarge, "The input refers to more than %d items.", maxReferences).At("input")
		}
		return nil
	})
	return ids, err
}

// items returns the items of the ids, all of them.
func (r *Resumer) items(ctx context.Context, ids []string, tenant uuid.UUID) (map[string][]byte, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	items, err := r.Responses.Items(ctx, tenant, ids)
	if err != nil {
		return nil, tooLargeAt("input", err)
	}
	for _, id := range ids {
		if items[id] == nil {
			return nil, problem.New(problem.ItemNotFound, "Item with id '%.512s' not found.", id).At("input")
		}
	}
	return items, nil
}

// turns returns the stored conversation that a request continues, nil for none.
func (r *Resumer) turns(ctx context.Context, request *openai.Request, tenant uuid.UUID) ([]openai.Turn, error) {
	id, ok := ParseID(request.Previous)
	if !ok {
		return nil, nil
	}
	responses, err := r.Responses.Conversation(ctx, tenant, id)
	if problem.Is(err, problem.NotFound) {
		return nil, previousNotFound(request)
	}
	if err != nil {
		return nil, tooLargeAt("previous_response_id", err)
	}
	turns := make([]openai.Turn, len(responses))
	for i := range responses {
		turns[i] = openai.Turn{Input: responses[i].Input, Body: responses[i].Body}
	}
	return turns, nil
}

// tooLargeAt names the field that asks for too much.
func tooLargeAt(param string, err error) error {
	if problem.Is(err, problem.TooLarge) {
		return problem.New(problem.TooLarge, "%s", problem.From(err).Text()).At(param)
	}
	return err
}

// maker returns the channel whose encrypted content the conversation can use: the
// one that made the response that it continues; otherwise, of the channels that
// serve the model, the last one with content in the conversation's parts. No
// channel can read the content of another one.
func (r *Resumer) maker(q Query, parts [][]byte) (last uuid.UUID) {
	if origin, ok := r.IDs.DecodeID(q.Tenant, q.Request.Previous); ok {
		return origin.Channel
	}
	serving := q.Snapshot.Serving(q.Request.Model)
	for _, part := range parts {
		output.EachTag(part, func(tag string) {
			origin, ok := r.IDs.DecodeTag(q.Tenant, tag)
			if ok && slices.ContainsFunc(serving, func(c *catalog.Channel) bool { return c.ID == origin.Channel }) {
				last = origin.Channel
			}
		})
	}
	return last
}
