package pipeline

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// router decides which channels a call tries, and in which order.
type router struct {
	upstream *upstream.Client
	now      func() time.Time
}

// route plans the attempts of a call. It returns NoChannel if no channel serves the model, and
// UnsupportedParameter, with the request field, if each channel lacks a feature that the call needs, or refuses what
// has no price. It returns UnsupportedParameter without a field if no channel has the operation.
func (rt router) route(x *exchange, request *openai.Request, origin stored.Origin) (upstream.Call, error) {
	start, current := rt.now(), x.snapshot
	var buf [16]routing.Condition
	channels := makersOf(request,
		eligible(current.ServingTo(x.tenant, request.Model), catalog.Dialect(x.log.Dialect), origin))
	if x.operation != "" && len(channels) > 0 {
		if channels = speaking(channels, catalog.Dialect(x.log.Dialect)); len(channels) == 0 {
			return upstream.Call{}, upstream.NoOperation()
		}
	}
	if x.omitsTools {
		channels = acceptingOmission(channels)
	}
	x.needs = needs(request)
	x.needs.Unpriced = x.unpriced(request.Charges)
	x.needs.Model, x.needs.Dialect, x.needs.UnpricedOfModels = request.Model, catalog.Dialect(x.log.Dialect),
		x.terms.UnpricedOfModels()
	query := routing.Query{
		Channels: channels, Conditions: rt.upstream.Conditions(buf[:0], current,
			upstream.ConditionQuery{Channels: channels, Model: request.Model, TenantID: x.log.TenantID}, start),
		Dialect: catalog.Dialect(x.log.Dialect), Needs: x.needs,
		First: origin.Channel, Affinity: routing.AffinityOf(x.log.TenantID, request.CacheKey()), Pick: rand.Uint64N,
	}
	if model := current.Model(request.Model); model != nil && model.Routing == catalog.Cheapest {
		query.Costs = costsOf(current, channels, estimated(request, x.log.CreatedAt))
	}
	plan, usable := routing.Plan(query)
	if usable == 0 {
		return upstream.Call{}, x.needs.Refuse(plan, query.Dialect)
	}
	return upstream.Call{
		ID: x.log.ID, Caller: routing.Caller{TenantID: x.log.TenantID, TokenID: x.log.TokenID}, Origin: origin,
		Dialect: query.Dialect, Operation: x.operation, Request: request,
		RefuseIgnored: x.strict, OutputCap: x.bound.outputCap, ToolCalls: x.bound.sentCalls,
		OrdinaryTier: !x.terms.Prices(charge.Charge{Kind: charge.ServiceTier, ServiceTier: provider.ChosenTier},
			x.bound.input), Plan: plan[:usable], Affinity: query.Affinity, Snapshot: current, Begun: start,
	}, nil
}

// estimatedOutput is the number of output tokens of a choice that a request without a lower cap is estimated at.
const estimatedOutput = 1_000

// estimated estimates the tokens of a call for the choice of the cheapest channel: a quarter of its bytes, and the
// output cap of each choice, or 1,000 tokens without a cap or with a greater one.
func estimated(request *openai.Request, at time.Time) estimate {
	output := int64(estimatedOutput)
	if request.OutputCap > 0 {
		output = min(output, request.OutputCap)
	}
	if !request.Generates() {
		output = 0
	}
	return estimate{request.Model, pricing.Estimated{Input: guessInput(request),
		Output: output * min(max(request.Choices, 1), guessedTokens), At: at}}
}

// estimate is an estimated call of a public model.
type estimate struct {
	model string
	call  pricing.Estimated
}

// costsOf returns what the upstream of each channel charges for the call, for routing.Plan.
func costsOf(current *snapshot.Snapshot, channels []*catalog.Channel, e estimate) []money.Amount {
	costs := make([]money.Amount, 0, len(channels))
	for _, channel := range channels {
		cost, ok := current.Costs.Estimate(channel.ID, channel.Models[e.model], e.call)
		if !ok {
			cost = routing.UnknownCost
		}
		costs = append(costs, cost)
	}
	return costs
}

// needs returns the features that a channel must have to serve the request.
func needs(request *openai.Request) routing.Needs {
	return routing.Needs{
		Stream: request.Stream, Tools: request.Tools, Vision: request.Media > 0, StructuredOutput: request.Structured,
	}
}

// makersOf returns the channels that can read the thinking blocks of a messages request: those that speak messages. If
// none of them serves the model, or the request has no such blocks, it returns all channels; the others get the request
// without these blocks.
func makersOf(request *openai.Request, channels []*catalog.Channel) []*catalog.Channel {
	if !request.HasOwnThinking() {
		return channels
	}
	if makers := speaking(channels, catalog.Messages); len(makers) > 0 {
		return makers
	}
	return channels
}

// eligible returns the channels that may serve a request. A request that continues a response which a channel stores,
// or that refers to ids which a channel gave, must go to that channel. A request with encrypted content goes to the
// channel that made the content. If that channel no longer serves the model, any channel may serve the request,
// although none of them can decrypt the content. Any channel may also serve a request with ids that it does not need.
func eligible(channels []*catalog.Channel, dialect catalog.Dialect, origin stored.Origin) []*catalog.Channel {
	if !origin.Binds() {
		return channels
	}
	isOrigin := func(c *catalog.Channel) bool {
		return c.ID == origin.Channel && (!origin.Required || dialect != catalog.Responses ||
			c.Speaks(catalog.Responses))
	}
	if i := slices.IndexFunc(channels, isOrigin); i >= 0 {
		return channels[i : i+1]
	}
	if origin.Required {
		return nil
	}
	return channels
}
