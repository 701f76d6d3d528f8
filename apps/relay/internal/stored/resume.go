package stored

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/wire/openai"
	"github.com/tollgate/tollgate/libs/wire/openai/sealtag"
)

// maxReferences is the upper bound of the items to which one input may refer.
const maxReferences = 1024

// Resumer loads the state that requests continue. It is safe for concurrent use.
type Resumer struct {
	Responses    *Responses
	IDs          *Codec
	MaxBodyBytes int64 // upper bound of a request with the loaded state
}

// Resumed is a request with the state that it continues.
type Resumed struct {
	Request *openai.Request
	Loaded  int64  // bytes that the loaded state added to the request
	Origin  Origin // where the request must go, or goes first. Zero: any channel
}

// Query describes a request to the Resumer, and who sent it.
type Query struct {
	Request  *openai.Request
	Dialect  catalog.Dialect // only requests of the dialect responses continue a response
	Reach    tenant.Reach    // whose responses the caller may continue
	Tenant   string          // the tenant's slug
	Snapshot *snapshot.Snapshot
}

// Resume returns the request with the state that it continues. A request that continues nothing is returned
// unchanged.
//
// Its errors are problems: PreviousNotFound or ItemNotFound if the state is unknown, deleted, expired or
// out of reach, InvalidType for encrypted content of another tenant, TooLarge, and Overloaded if
// the database doesn't answer.
func (r *Resumer) Resume(ctx context.Context, q Query) (Resumed, error) {
	if q.Dialect != catalog.Responses {
		if !q.Request.MayHaveIDs() {
			return Resumed{Request: q.Request}, nil
		}
		origin, err := r.editIDs(q.Request, q, Origin{})
		if err != nil {
			err = ClientProblem(problem.From(err), q.Request)
		}
		return Resumed{Request: q.Request, Origin: origin}, err
	}
	request, err := r.expand(ctx, q)
	if err != nil {
		return Resumed{}, err
	}
	// The origin comes from the expanded request, which may contain tags of the loaded conversation.
	origin, err := r.origin(request, q)
	return Resumed{Request: request, Loaded: int64(request.Size() - q.Request.Size()), Origin: origin}, err
}

// expand returns a request in which the loaded conversation and the loaded items replace the references to
// them. A request without references to the database is returned unchanged.
func (r *Resumer) expand(ctx context.Context, q Query) (*openai.Request, error) {
	request, reach := q.Request, q.Reach
	ids, err := references(request)
	if err != nil {
		return nil, err
	}
	items, err := r.items(ctx, ids, reach)
	if err != nil {
		return nil, err
	}
	turns, err := r.turns(ctx, request, reach)
	if err != nil {
		return nil, err
	}
	// The request refers to nothing in the database, so its bytes stay as they are.
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
	// An expanded request holds encrypted content of several responses. Only one channel's content can stay.
	maker := r.maker(q, parts)
	return request.Expand(openai.Expansion{Turns: turns, Items: items, Limit: r.MaxBodyBytes,
		KeepTag: func(tag string) bool {
			origin, ok := r.IDs.DecodeTag(reach.TenantID, tag)
			return ok && origin.Channel == maker
		}})
}

// references returns the ids of the items to which a request refers, in order, as far as they have the form of
// ids of the database. Other ids belong to a channel.
func references(request *openai.Request) (ids []string, err error) {
	err = request.References(func(id string) error {
		if _, ok := parseItemID(id); ok {
			ids = append(ids, id)
		}
		if len(ids) > maxReferences {
			return problem.New(problem.TooLarge, "The input refers to more than %d items. Please refer to fewer items.",
				maxReferences).At("input")
		}
		return nil
	})
	return ids, err
}

// items loads the items with the ids. A missing one is an ItemNotFound problem.
func (r *Resumer) items(ctx context.Context, ids []string, reach tenant.Reach) (map[string][]byte, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	items, err := r.Responses.items(ctx, reach, ids)
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

// turns loads the stored conversation that a request continues. It returns nil if the request continues none
// that the database could have.
func (r *Resumer) turns(ctx context.Context, request *openai.Request, reach tenant.Reach) ([]openai.Turn, error) {
	id, ok := ParseID(request.Previous)
	if !ok {
		return nil, nil
	}
	responses, err := r.Responses.conversation(ctx, reach, id)
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

// tooLargeAt adds the name of the request field to a TooLarge problem.
func tooLargeAt(param string, err error) error {
	if problem.Is(err, problem.TooLarge) {
		return problem.New(problem.TooLarge, "%s", problem.From(err).Text()).At(param)
	}
	return err
}

// maker returns the channel whose encrypted content may stay in the request; all other encrypted content is
// removed, because no channel can read the content of another channel. It is the channel that made the
// response that the request continues. Without one, it is the last channel that made a piece of the content
// and that serves the model; uuid.Nil if there is none.
func (r *Resumer) maker(q Query, parts [][]byte) (channel uuid.UUID) {
	if origin, ok := r.IDs.DecodeID(q.Reach, q.Request.Previous); ok {
		return origin.Channel
	}
	serving := q.Snapshot.ServingTo(q.Tenant, q.Request.Model)
	for _, part := range parts {
		sealtag.Each(part, func(tag string) {
			origin, ok := r.IDs.DecodeTag(q.Reach.TenantID, tag)
			if ok && slices.ContainsFunc(serving, func(c *catalog.Channel) bool { return c.ID == origin.Channel }) {
				channel = origin.Channel
			}
		})
	}
	return channel
}
