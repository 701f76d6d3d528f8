package pipeline

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/responseid"
	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// router decides which channels a call tries, and in which order.
type router struct {
	upstream *upstream.Client
	now      func() time.Time
}

// route plans the attempts of a call. It returns NoChannel if no channel serves the model, and
// UnsupportedParameter, with the request field, if each channel lacks a feature that the call needs.
func (rt router) route(current *snapshot.Snapshot, x *exchange, request *openai.Request, origin responseid.Origin) (upstream.Call, error) {
	begun := rt.now()
	var room [16]routing.Condition
	channels := eligible(current.ServingTo(x.tenant, request.Model), origin)
	query := routing.Query{
		Channels: channels, Conditions: rt.upstream.Conditions(room[:0], current, upstream.Serving{Channels: channels, Model: request.Model, Tenant: x.log.TenantID}, begun),
		Dialect: catalog.Dialect(x.log.Dialect), Needs: needs(request),
		Affinity: routing.AffinityOf(x.log.TenantID, request.CacheKey()), Pick: rand.Uint64N,
	}
	plan, usable := routing.Plan(query)
	if usable == 0 {
		return upstream.Call{}, routing.Refuse(plan, query.Dialect)
	}
	return upstream.Call{
		ID: x.log.ID, Caller: routing.Caller{Tenant: x.log.TenantID, Token: x.log.TokenID}, Origin: origin, Dialect: query.Dialect, Request: request,
		OutputCap: x.outputCap, Plan: plan[:usable], Affinity: query.Affinity, Snapshot: current, Begun: begun,
	}, nil
}

// needs returns the features that a channel must have to serve the request.
func needs(request *openai.Request) routing.Needs {
	return routing.Needs{
		Stream: request.Stream, Tools: request.Tools, Vision: request.Media > 0, StructuredOutput: request.Structured,
	}
}

// eligible returns the channels that may serve a request. A request that continues a response which a channel stores, or
// that refers to ids which a channel gave, must go to that channel. A request with encrypted content goes to the channel that made the content.
// If that channel no longer serves the model, any channel may serve the request, although none of them can
// decrypt the content.
func eligible(channels []*catalog.Channel, origin responseid.Origin) []*catalog.Channel {
	if origin.Channel == uuid.Nil {
		return channels
	}
	made := func(c *catalog.Channel) bool {
		return c.ID == origin.Channel && (!origin.Required || c.Speaks(catalog.Responses))
	}
	if i := slices.IndexFunc(channels, made); i >= 0 {
		return channels[i : i+1]
	}
	if origin.Required {
		return nil
	}
	return channels
}
