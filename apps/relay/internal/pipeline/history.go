package pipeline

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/resume"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	storeresponse "github.com/tollgate/tollgate/libs/store/response"
	"github.com/tollgate/tollgate/libs/wire/openai"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// maxReferences bounds the items that one input refers to.
const maxReferences = 1024

// expand returns a request that goes on from a response which is kept here, or
// refers to items of such, as one that says all of it again, so that any channel
// may serve it. Others it returns as they are.
func (l *Pipeline) expand(ctx context.Context, request *openai.Request, tenant uuid.UUID) (*openai.Request, error) {
	ids, err := references(request)
	if err != nil {
		return nil, err
	}
	items, err := l.items(ctx, ids, tenant)
	if err != nil {
		return nil, err
	}
	turns, err := l.turns(ctx, request, tenant)
	if err != nil {
		return nil, err
	}
	if len(turns)+len(items) == 0 {
		return request, nil
	}
	said := make([][]byte, 0, 2*len(turns)+len(ids)+1)
	for i := range turns {
		said = append(said, turns[i].Input, turns[i].Body)
	}
	for _, id := range ids {
		said = append(said, items[id])
	}
	maker := l.maker(append(said, request.Body()), request, tenant)
	return request.Expand(openai.Expansion{Turns: turns, Items: items, Limit: l.MaxBodyBytes, KeepTag: func(tag string) bool {
		made, ok := l.IDs.DecodeTag(tenant, tag)
		return ok && made.Channel == maker
	}})
}

// references returns the ids, in order, of the items that a request refers to
// and that could be kept here.
func references(request *openai.Request) (ids []string, err error) {
	err = request.References(func(id string) error {
		if _, ok := resume.ParseItem(id); ok {
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
func (l *Pipeline) items(ctx context.Context, ids []string, tenant uuid.UUID) (map[string][]byte, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	items, err := l.History.Items(ctx, tenant, ids)
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

// turns returns the conversation that a request goes on with, nil where it is
// none that is kept here.
func (l *Pipeline) turns(ctx context.Context, request *openai.Request, tenant uuid.UUID) ([]openai.Turn, error) {
	id, ok := resume.Parse(request.Previous)
	if !ok {
		return nil, nil
	}
	kept, err := l.History.Turns(ctx, tenant, id)
	if problem.Is(err, problem.NotFound) {
		return nil, previousNotFound(request)
	}
	if err != nil {
		return nil, tooLargeAt("previous_response_id", err)
	}
	turns := make([]openai.Turn, len(kept))
	for i := range kept {
		turns[i] = openai.Turn{Input: kept[i].Input, Body: kept[i].Body}
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

// maker returns the channel whose encrypted content a conversation goes on
// with: the one that made the response it goes on from; otherwise, of those
// that serve the model, the latest in what was said. What others made, no
// channel could read.
func (l *Pipeline) maker(said [][]byte, request *openai.Request, tenant uuid.UUID) (latest uuid.UUID) {
	if origin, ok := l.IDs.DecodeID(tenant, request.Previous); ok {
		return origin.Channel
	}
	serving := l.Snapshots.Current().Serving(request.Model)
	for _, data := range said {
		output.EachTag(data, func(tag string) {
			made, ok := l.IDs.DecodeTag(tenant, tag)
			if ok && slices.ContainsFunc(serving, func(c *catalog.Channel) bool { return c.ID == made.Channel }) {
				latest = made.Channel
			}
		})
	}
	return latest
}

// keepTurn lets go of what the client said, or of all that came with it.
func (c *exchange) keepTurn(reply *upstream.Reply) {
	if reply.Translated() {
		c.turn = bytes.Clone(c.turn)
		return
	}
	c.turn = nil // the channel keeps it
}

// remember keeps a response that no channel keeps. It never fails the call.
func (l *Pipeline) remember(ctx context.Context, c *exchange, answer answer) {
	if c.turn == nil {
		return
	}
	previous, _ := resume.Parse(c.previous) // nothing else is gone on from without its channel
	answer.keep(func(response []byte) error {
		err := l.History.Keep(ctx, storeresponse.Response{
			ID: c.log.ID, TenantID: c.log.TenantID, UserID: c.log.UserID, TokenID: c.log.TokenID, Model: c.log.Model,
			PreviousID: previous, CreatedAt: c.log.CreatedAt, Input: c.turn, Body: response,
		})
		if err != nil {
			l.Log.Warn("response not kept", "request_id", c.log.ID, "error", err)
		}
		return err
	})
}

// relocated names the field at fault as the client of the request knows it.
func relocated(failure *upstream.Failure, request *openai.Request) *upstream.Failure {
	if request.Expanded() {
		failure.Problem = problem.From(relocate(failure.Problem, request))
	}
	return failure
}

// relocate does so for an error that names a field of an expanded request, be
// it ours or an upstream's.
func relocate(err error, request *openai.Request) error {
	p := problem.From(err)
	if p == nil {
		return nil
	}
	there := *p
	there.Param, there.Message = relocateText(p.Param, p.Message, request)
	if p.Upstream != nil {
		refusal := *p.Upstream
		refusal.Param, refusal.Message = relocateText(refusal.Param, refusal.Message, request)
		there.Upstream = &refusal
	}
	return &there
}

func relocateText(param, message string, request *openai.Request) (own, text string) {
	if own = request.ClientPath(param); own == param {
		return param, message
	}
	return own, strings.ReplaceAll(message, param, own)
}
