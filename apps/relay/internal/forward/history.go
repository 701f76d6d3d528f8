package forward

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/history"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// expand returns a request that goes on from a response which is kept here as
// one that says all of it again, so that any channel may serve it. Others it
// returns as they are.
func (l *Line) expand(ctx context.Context, request *openai.Request, tenant uuid.UUID) (*openai.Request, error) {
	id, ok := history.Parse(request.Previous)
	if !ok {
		return request, nil
	}
	kept, err := l.History.Turns(ctx, tenant, id)
	switch {
	case problem.Is(err, problem.NotFound):
		return nil, previousNotFound(request)
	case problem.Is(err, problem.TooLarge):
		return nil, problem.New(problem.TooLarge, "%s", problem.From(err).Text()).At("previous_response_id")
	case err != nil:
		return nil, err
	}
	turns := make([]openai.Turn, len(kept))
	for i := range kept {
		turns[i] = openai.Turn{Input: kept[i].Input, Body: kept[i].Body}
	}
	maker := l.maker(turns, request, tenant)
	return request.Expand(openai.Expansion{Turns: turns, Limit: l.MaxBody, Keep: func(tag string) bool {
		made, ok := l.Pins.OpenTag(tenant, tag)
		return ok && made.Channel == maker
	}})
}

// maker returns the channel whose encrypted content a conversation goes on
// with: of those that serve the model the latest. What others made, no channel
// could read.
func (l *Line) maker(turns []openai.Turn, request *openai.Request, tenant uuid.UUID) (latest uuid.UUID) {
	serving := l.View.Current().Serving(request.Model)
	note := func(tag string) {
		made, ok := l.Pins.OpenTag(tenant, tag)
		if ok && slices.ContainsFunc(serving, func(c *catalog.Channel) bool { return c.ID == made.Channel }) {
			latest = made.Channel
		}
	}
	for i := range turns {
		openai.EachTag(turns[i].Input, note)
		openai.EachTag(turns[i].Body, note)
	}
	openai.EachTag(request.Body(), note)
	return latest
}

// keepTurn lets go of what the client said, or of all that came with it.
func (c *call) keepTurn(reply *upstream.Reply) {
	if reply.Translated() {
		c.turn = bytes.Clone(c.turn)
		return
	}
	c.turn = nil // the channel keeps it
}

// remember keeps a response that no channel keeps. It never fails the call.
func (l *Line) remember(ctx context.Context, c *call, answer answer) {
	if c.turn == nil {
		return
	}
	previous, _ := history.Parse(c.previous) // nothing else is gone on from without its channel
	answer.keep(func(response []byte) error {
		err := l.History.Keep(ctx, store.Response{
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
	if p.Refusal != nil {
		refusal := *p.Refusal
		refusal.Param, refusal.Message = relocateText(refusal.Param, refusal.Message, request)
		there.Refusal = &refusal
	}
	return &there
}

func relocateText(param, message string, request *openai.Request) (own, text string) {
	if own = request.Own(param); own == param {
		return param, message
	}
	return own, strings.ReplaceAll(message, param, own)
}
