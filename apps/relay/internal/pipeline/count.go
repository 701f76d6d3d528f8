package pipeline

import (
	"fmt"
	"math/rand/v2"
	"net/http"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/inbound"
	"github.com/tollgate/tollgate/apps/relay/internal/limit"
	"github.com/tollgate/tollgate/apps/relay/internal/meter"
	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/provider"
)

// Count counts the tokens of the input of a responses or messages request. It is free: it takes nothing from the quota,
// and leaves no usage log. It counts as a request without tokens for the rate limits. A channel counts if one can.
// Otherwise the gateway estimates the number.
func (p *Pipeline) Count(w http.ResponseWriter, r *http.Request, in inbound.Call) (inbound.Counted, error) {
	caller, err := p.authenticate(r, in)
	if err != nil {
		return inbound.Counted{}, err
	}
	if err := p.reader.check(r); err != nil {
		leaveUnread(w)
		return inbound.Counted{}, err
	}
	request, use, err := p.reader.read(w, r, caller, in.Scan)
	defer use.Release()
	if err != nil {
		return inbound.Counted{}, err
	}
	a, err := p.authorize(r, in, caller, request)
	if err != nil {
		return inbound.Counted{}, err
	}
	permit, err := p.Limit.Take(r.Context(), w.Header(), limit.Demand{
		ID: in.ID, Caller: caller, Group: a.group(), Model: a.model,
	})
	if err != nil {
		return inbound.Counted{}, err
	}
	defer permit.Release()
	origin, err := p.resume(r.Context(), w.Header(), &a, reserved{use: use})
	if err != nil {
		return inbound.Counted{}, err
	}
	call, err := p.router.count(&a, in.ID, origin)
	if err != nil {
		return inbound.Counted{}, err
	}
	lend(&call, use)
	call.Betas = in.Betas
	reply, failure := p.Upstream.Do(r.Context(), call)
	switch {
	case failure == nil:
		defer reply.Close()
		in.Report.Channel = reply.Channel
		return inbound.Counted{Body: reply.Body, Channel: reply.Channel.Name}, nil
	case failure.Problem.Kind == problem.UnsupportedParameter, len(call.Plan) == 0:
		return inbound.Counted{Body: p.estimate(&a, origin)}, nil
	}
	in.Report.Channel = failure.Channel
	return inbound.Counted{}, stored.ClientProblem(failure.Problem, a.request)
}

// count plans the attempts to count the tokens of a request. The plan is empty if no channel of the model can count. It
// returns NoChannel if no channel serves the model.
func (rt router) count(a *admission, id uuid.UUID, origin stored.Origin) (upstream.Call, error) {
	request, tenant, start := a.request, &a.caller.Tenant, rt.now()
	serving := eligible(a.snapshot.ServingTo(tenant.Slug, request.Model), a.dialect, origin)
	if len(serving) == 0 {
		return upstream.Call{}, problem.Of(problem.NoChannel)
	}
	channels := speaking(makersOf(request, serving), a.dialect)
	query := upstream.ConditionQuery{Channels: channels, Model: request.Model, TenantID: tenant.ID}
	affinity := routing.AffinityOf(tenant.ID, request.CacheKey())
	plan, usable := routing.Plan(routing.Query{
		Channels: channels, Conditions: rt.upstream.Conditions(nil, a.snapshot, query, start), Dialect: a.dialect,
		First: origin.Channel, Affinity: affinity, Pick: rand.Uint64N,
	})
	return upstream.Call{
		ID: id, Caller: routing.Caller{TenantID: tenant.ID, TokenID: a.caller.Token.ID}, Origin: origin,
		Dialect: a.dialect, Operation: provider.CountInput, Request: request, Plan: plan[:usable], Affinity: affinity,
		Snapshot: a.snapshot, Begun: start,
	}, nil
}

// speaking returns the channels that may have the operations on the input of a request: those that speak its dialect.
func speaking(channels []*catalog.Channel, dialect catalog.Dialect) (list []*catalog.Channel) {
	for _, channel := range channels {
		if channel.Speaks(dialect) {
			list = append(list, channel)
		}
	}
	return list
}

// estimate returns the answer with the gateway's own count. Of a conversation that a channel stores, only an upper
// bound of its tokens is known.
func (p *Pipeline) estimate(a *admission, origin stored.Origin) []byte {
	sample := meter.SampleIn(a.request.Body())
	sample.Media = a.request.Parts()
	estimate := p.Estimator.Estimate(meter.Call{TenantID: a.caller.Token.TenantID, Model: a.model.ID, Request: sample})
	if a.dialect == catalog.Messages {
		return fmt.Appendf(nil, `{"input_tokens":%d}`, estimate.Input)
	}
	return fmt.Appendf(nil, `{"object":"response.input_tokens","input_tokens":%d}`, estimate.Input+origin.Tokens)
}
