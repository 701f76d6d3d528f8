package pipeline

import (
	"fmt"
	"math/rand/v2"
	"net/http"

	"github.com/tollgate/tollgate/apps/relay/internal/inbound"
	"github.com/tollgate/tollgate/apps/relay/internal/limit"
	"github.com/tollgate/tollgate/apps/relay/internal/meter"
	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/core/token"
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
	in.Report.Requested = request.Model
	current := p.Snapshots.Current()
	model, _, err := current.Authorize(caller, request.Model, in.Started)
	if err != nil {
		return inbound.Counted{}, err
	}
	in.Report.Model = model.ID
	permit, err := p.Limit.Take(r.Context(), w.Header(), limit.Demand{
		ID: in.ID, Caller: caller, Group: current.Group(caller.User.GroupID), Model: model,
	})
	if err != nil {
		return inbound.Counted{}, err
	}
	defer permit.Release()
	resumed, err := p.resume(r.Context(), w.Header(), reserved{use: use}, stored.Query{
		Request: request, Dialect: in.Dialect, Reach: permission.Responses(caller.User), Tenant: caller.Tenant.Slug,
		Snapshot: current,
	})
	if err != nil {
		return inbound.Counted{}, err
	}
	call, err := p.router.count(current, caller, &in, resumed)
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
		return inbound.Counted{Body: p.estimate(in.Dialect, model, resumed)}, nil
	}
	in.Report.Channel = failure.Channel
	return inbound.Counted{}, stored.ClientProblem(failure.Problem, resumed.Request)
}

// count plans the attempts to count the tokens of a request. The plan is empty if no channel of the model can count. It
// returns NoChannel if no channel serves the model.
func (rt router) count(current *snapshot.Snapshot, caller *token.Caller, in *inbound.Call,
	resumed stored.Resumed) (upstream.Call, error) {
	request, start := resumed.Request, rt.now()
	serving := eligible(current.ServingTo(caller.Tenant.Slug, request.Model), in.Dialect, resumed.Origin)
	if len(serving) == 0 {
		return upstream.Call{}, problem.Of(problem.NoChannel)
	}
	channels := offering(makersOf(request, serving), in.Dialect)
	of := upstream.Serving{Channels: channels, Model: request.Model, Tenant: caller.Tenant.ID}
	affinity := routing.AffinityOf(caller.Tenant.ID, request.CacheKey())
	plan, usable := routing.Plan(routing.Query{
		Channels: channels, Conditions: rt.upstream.Conditions(nil, current, of, start), Dialect: in.Dialect,
		Affinity: affinity, Pick: rand.Uint64N,
	})
	return upstream.Call{
		ID: in.ID, Caller: routing.Caller{Tenant: caller.Tenant.ID, Token: caller.Token.ID}, Origin: resumed.Origin,
		Dialect:   in.Dialect,
		Operation: provider.CountInput, Request: request, Plan: plan[:usable], Affinity: affinity,
		Snapshot: current, Begun: start,
	}, nil
}

// offering returns the channels that may have the operations on the input of a request: those that speak its dialect.
func offering(channels []*catalog.Channel, dialect catalog.Dialect) (offering []*catalog.Channel) {
	for _, channel := range channels {
		if channel.Speaks(dialect) {
			offering = append(offering, channel)
		}
	}
	return offering
}

// estimate returns the answer with the gateway's own count. Of a conversation that a channel stores, only an upper
// bound of its tokens is known.
func (p *Pipeline) estimate(dialect catalog.Dialect, model *catalog.Model, resumed stored.Resumed) []byte {
	sample := meter.SampleIn(resumed.Request.Body())
	sample.Media = resumed.Request.Parts()
	estimate := p.Estimator.Estimate(meter.Call{Model: model.ID, Request: sample})
	if dialect == catalog.Messages {
		return fmt.Appendf(nil, `{"input_tokens":%d}`, estimate.Input)
	}
	return fmt.Appendf(nil, `{"object":"response.input_tokens","input_tokens":%d}`,
		estimate.Input+resumed.Origin.Tokens)
}
