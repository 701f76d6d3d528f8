package upstream

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/responseid"
	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/provider"
)

// Serving names channels that serve a public model to a tenant.
type Serving struct {
	Channels []*catalog.Channel
	Model    string
	Tenant   uuid.UUID
}

// Conditions appends the condition of each channel, in the order of the channels, for routing.Plan.
func (c *Client) Conditions(conditions []routing.Condition, now *snapshot.Snapshot, of Serving, at time.Time) []routing.Condition {
	for _, channel := range of.Channels {
		target := now.Target(channel.ID)
		switch {
		case target == nil:
			conditions = append(conditions, routing.Condition{State: routing.Unusable})
		case target.AllDisabled():
			conditions = append(conditions, routing.Condition{State: routing.NoCredentialLeft})
		default:
			conditions = append(conditions, c.Health.condition(laneKey{channel.ID, channel.Models[of.Model]}, of.Tenant, target.Credentials, at))
		}
	}
	return conditions
}

// offer is a channel that may be tried, with its target and its lane.
type offer struct {
	candidate routing.Candidate
	target    *snapshot.Target
	lane      *lane
}

// round is one pass over the plan. The first pass skips open circuit breakers. The second one tries them too,
// because a channel with recent failures is better than none.
type round uint8

const (
	healthyOnly round = iota
	anyHealth
)

// run is the state of one Do.
type run struct {
	*Client
	call       *Call
	clock      time.Time           // when the last attempt ended; saves reading the clock again
	failure    Failure             // its Problem is nil until an attempt fails
	failed     *Reply              // the failed answer of the last attempt, nil if it failed in another way
	turn       uint64              // index at which the rotation over credentials starts
	rejections int                 // upstreams that refused a translated request
	tried      map[credential]bool // the credentials that were tried; an empty fingerprint stands for the whole channel
}

// Do tries the channels of the plan until one answers successfully. It tries each channel once, and the other
// credentials of a channel only if one is refused or busy. It returns either a Reply or a Failure. If every
// attempt failed, and the last one with a failed answer, the Reply is that answer. If no channel supports the
// request, the Failure has their UnsupportedParameter problem.
func (c *Client) Do(ctx context.Context, call Call) (*Reply, *Failure) {
	call.deadline = call.Begun.Add(c.RequestTimeout)
	r := run{Client: c, call: &call, clock: call.Begun, turn: c.turn.Add(1)}
	// The field tried makes the second round skip the credentials that the first round has tried.
	for _, how := range [...]round{healthyOnly, anyHealth} {
		for i := range call.Plan {
			candidate := call.Plan[i]
			target := call.Snapshot.Target(candidate.Channel.ID)
			if target == nil {
				continue
			}
			o := offer{candidate, target, c.Health.lane(laneKey{candidate.Channel.ID, candidate.Channel.Models[call.Request.Model]})}
			if reply, over := r.channel(ctx, o, how); over {
				return r.result(reply)
			}
		}
	}
	return r.result(nil)
}

// result returns the outcome of the call: the reply; or if there is none, the failed answer of the last attempt; or
// the Failure. It moves the record of the attempts into the Reply.
func (r *run) result(reply *Reply) (*Reply, *Failure) {
	if reply == nil && r.failed != nil {
		reply, r.failed.Failed = r.failed, r.failure.Problem
	}
	if reply == nil {
		failure := r.failure
		if failure.Problem == nil {
			failure.Problem = problem.Of(problem.NoChannel)
		}
		return nil, &failure
	}
	reply.Attempts = r.failure.Attempts
	reply.Attempts[len(reply.Attempts)-1].Usage = nil // the usage of the reply is that of the call
	return reply, nil
}

// channel tries the credentials of one channel. over is true if the call has ended, with or without a reply.
func (r *run) channel(ctx context.Context, o offer, how round) (reply *Reply, over bool) {
	id := o.candidate.Channel.ID
	if r.tried[credential{id, ""}] {
		return nil, false
	}
	keys := o.target.Credentials
	first := r.firstOf(keys)
	for n := range max(len(keys), 1) {
		key := noCredential
		if len(keys) > 0 {
			key = &keys[(first+n)%len(keys)]
		}
		if key.Disabled || r.tried[credential{id, key.Fingerprint}] {
			continue
		}
		t, ok := r.permit(o, key, how)
		if !ok {
			continue
		}
		reply, err := r.try(ctx, o, t)
		r.note(o, key, err, r.clock.Sub(t.begun))
		if err == nil {
			return reply, true
		}
		if r.ends(ctx, err) {
			return nil, true
		}
		r.markTried(credential{id, key.Fingerprint})
		// The failure doesn't depend on the credential: another one would fail too.
		if err.fault != provider.CredentialFault && err.fault != provider.BusyFault {
			r.markTried(credential{id, ""})
			return nil, false
		}
	}
	return nil, false
}

// permit asks the breakers for permission to start an attempt. In the second round it is always granted.
func (r *run) permit(o offer, key *snapshot.Credential, how round) (ticket, bool) {
	t := ticket{channel: o.candidate.Channel, key: key, caller: r.call.Caller}
	if how == anyHealth {
		return o.lane.force(t, r.clock), true
	}
	if r.Health.outages.find(t.channel.ID) != nil {
		return ticket{}, false
	}
	return o.lane.begin(t, r.clock)
}

// markTried marks a credential, or a whole channel, as tried.
func (r *run) markTried(c credential) {
	if r.tried == nil {
		r.tried = map[credential]bool{}
	}
	r.tried[c] = true
}

// firstOf returns the index of the credential to start with. A request that continues a response starts with
// that response's credential. Calls with the same affinity start with the same one, which makes use of the
// provider's cache. Other calls rotate.
func (r *run) firstOf(keys []snapshot.Credential) int {
	if len(keys) < 2 {
		return 0
	}
	// A stored response or encrypted content belongs to the account of one credential.
	if wanted := r.call.Origin.Credential; wanted != (responseid.CredentialHash{}) {
		return max(0, slices.IndexFunc(keys, func(k snapshot.Credential) bool { return responseid.HashCredential(k.Fingerprint) == wanted }))
	}
	if r.call.Affinity == 0 {
		return int(r.turn % uint64(len(keys)))
	}
	names := make([]string, len(keys))
	for i := range keys {
		names[i] = keys[i].Fingerprint
	}
	return routing.Preferred(r.call.Affinity, names)
}

// ends records why an attempt failed and reports whether the call must end without another attempt.
func (r *run) ends(ctx context.Context, err *attemptError) bool {
	switch {
	case err.refusal != nil:
		r.failure.Problem, r.failed = &problem.Problem{Kind: problem.UpstreamRejected, Upstream: err.refusal}, nil
		return !err.here || ctx.Err() != nil || !r.clock.Before(r.call.deadline)
	// The client has disconnected or the relay stops: another attempt would be useless.
	case ctx.Err() != nil:
		r.failure.Problem, r.failed = interrupted(ctx), nil
		return true
	case err.kind == problem.TranslationRejected:
		r.rejections++
		r.failure.Problem, r.failed = r.translationRejected(err), nil
		return r.rejections >= maxRejections || !r.clock.Before(r.call.deadline)
	case err.kind == problem.UnsupportedParameter, err.kind == problem.InvalidType, err.kind == problem.InvalidJSON:
		if r.failure.Problem == nil { // report it only if no other kind of failure happened: other failures may be temporary, so the client may retry
			r.failure.Problem = err.problem()
		}
		return false
	}
	r.failure.Problem, r.failed = err.problem(), err.answer
	return err.final || !r.clock.Before(r.call.deadline)
}

// maxRejections is the number of channels that may refuse a translated request before the call ends.
const maxRejections = 2

// translationRejected returns the problem of a translated request that an upstream refused.
func (r *run) translationRejected(err *attemptError) *problem.Problem {
	p := problem.New(problem.TranslationRejected,
		"The upstream refused the request in the form to which the gateway translated it. That is a fault of the gateway: please report it to its operator with the request id %s.", r.call.ID)
	p.Cause = err
	return p
}

// note records an attempt for the usage log, the metrics and the log.
func (r *run) note(o offer, key *snapshot.Credential, err *attemptError, elapsed time.Duration) {
	channel := o.candidate.Channel
	attempt := usage.Attempt{
		ChannelID: channel.ID, Status: http.StatusOK, Elapsed: elapsed, Credential: key.Mask, Reason: o.candidate.Reason.String(),
	}
	// The attempt records the dialect only if the request is translated.
	if !o.candidate.Native && len(channel.Dialects) > 0 {
		attempt.Dialect = string(channel.Dialects[0])
	}
	if err != nil {
		attempt.Status, attempt.Error, attempt.Usage = err.status, err.word, err.usage
	}
	r.failure.Channel, r.failure.Attempts = channel, append(r.failure.Attempts, attempt)
	if r.OnAttempt != nil {
		r.OnAttempt(channel, &r.failure.Attempts[len(r.failure.Attempts)-1])
	}
	if err != nil && (err.fault != provider.NoFault && err.fault != provider.ClientFault || err.kind == problem.TranslationRejected) {
		if suppressed, ok := r.failureLog.admit(failureKey{channel.ID, err.word}, r.clock); ok {
			r.Log.Warn("channel failed", "channel", channel.Name, "key", key.Mask, "status", err.status, "error", err, "more", suppressed)
		}
	}
}
