package upstream

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/provider"
)

// ConditionQuery selects the channels whose conditions decide where a tenant's call goes.
type ConditionQuery struct {
	Channels []*catalog.Channel // that serve the model to the tenant
	Model    string             // public id
	TenantID uuid.UUID
}

// Conditions appends the condition of each channel, in the order of the channels, for routing.Plan.
func (c *Client) Conditions(conditions []routing.Condition, current *snapshot.Snapshot, query ConditionQuery,
	now time.Time) []routing.Condition {
	for _, channel := range query.Channels {
		target := current.Target(channel.ID)
		switch {
		case target == nil:
			conditions = append(conditions, routing.Condition{State: routing.Unusable})
		case target.AllDisabled():
			conditions = append(conditions, routing.Condition{State: routing.NoCredentialLeft})
		default:
			key := modelKey{channel.ID, channel.Models[query.Model]}
			conditions = append(conditions, c.Health.condition(key, query.TenantID, target.Credentials, now))
		}
	}
	return conditions
}

// candidate is an entry of the plan, with its target and the health of its model.
type candidate struct {
	entry  routing.Candidate
	target *snapshot.Target
	model  *modelHealth
}

// pass is one pass over the plan. The first pass skips open circuit breakers. The second one tries them too,
// because a channel with recent failures is better than none.
type pass uint8

const (
	healthyOnly pass = iota
	anyHealth
)

// failover is the state of one Do.
type failover struct {
	*Client
	call         *Call
	clock        time.Time           // when the last attempt ended; saves reading the clock again
	failure      Failure             // its Problem is nil until an attempt fails
	failedAnswer *Reply              // the failed answer of the last attempt, nil if it failed in another way
	rotation     uint64              // index at which the rotation over credentials starts
	rejections   int                 // upstreams that refused a translated request
	tried        map[credential]bool // those that were tried; an empty fingerprint stands for the whole channel
}

// Do tries the channels of the plan until one answers successfully. It tries each channel once, and the other
// credentials of a channel only if one is refused or busy. It returns either a Reply or a Failure. If every
// attempt failed, and the last one with a failed answer, the Reply is that answer. If no channel supports the
// request, the Failure has their UnsupportedParameter problem.
func (c *Client) Do(ctx context.Context, call Call) (*Reply, *Failure) {
	call.deadline = call.Begun.Add(c.RequestTimeout)
	f := failover{Client: c, call: &call, clock: call.Begun, rotation: c.rotation.Add(1)}
	// The field tried makes the second pass skip the credentials that the first pass has tried.
	for _, pass := range [...]pass{healthyOnly, anyHealth} {
		for i := range call.Plan {
			entry := call.Plan[i]
			target := call.Snapshot.Target(entry.Channel.ID)
			if target == nil {
				continue
			}
			cand := candidate{entry, target,
				c.Health.model(modelKey{entry.Channel.ID, entry.Channel.Models[call.Request.Model]})}
			if reply, done := f.tryChannel(ctx, cand, pass); done {
				return f.result(reply)
			}
		}
	}
	return f.result(nil)
}

// result returns the outcome of the call: the reply; or if there is none, the failed answer of the last attempt; or
// the Failure. It moves the record of the attempts into the Reply.
func (f *failover) result(reply *Reply) (*Reply, *Failure) {
	if reply == nil && f.failedAnswer != nil {
		reply, f.failedAnswer.Failed = f.failedAnswer, f.failure.Problem
	}
	if reply == nil {
		failure := f.failure
		if failure.Problem == nil {
			failure.Problem = problem.Of(problem.NoChannel)
		}
		return nil, &failure
	}
	reply.Attempts = f.failure.Attempts
	return reply, nil
}

// tryChannel tries the credentials of one channel. done is true if the call has ended, with or without a reply.
func (f *failover) tryChannel(ctx context.Context, cand candidate, pass pass) (reply *Reply, done bool) {
	id := cand.entry.Channel.ID
	if f.tried[credential{id, ""}] {
		return nil, false
	}
	keys := cand.target.Credentials
	start := f.firstCredential(keys)
	for n := range max(len(keys), 1) {
		key := noCredential
		if len(keys) > 0 {
			key = &keys[(start+n)%len(keys)]
		}
		if key.Disabled || f.tried[credential{id, key.Fingerprint}] {
			continue
		}
		t, ok := f.permit(cand, key, pass)
		if !ok {
			continue
		}
		reply, err := f.try(ctx, cand, t)
		f.record(cand, key, err, f.clock.Sub(t.begun))
		if err == nil {
			return reply, true
		}
		err.notOwner = err.refusal != nil && f.isNotOwner(keys, key)
		if final := f.fail(ctx, err); final {
			return nil, true
		}
		f.markTried(credential{id, key.Fingerprint})
		// The failure doesn't depend on the credential: another one would fail too.
		if err.fault != provider.CredentialFault && err.fault != provider.BusyFault && !err.notOwner {
			f.markTried(credential{id, ""})
			return nil, false
		}
	}
	return nil, false
}

// permit asks the breakers for permission to start an attempt. In the second pass it is always granted.
func (f *failover) permit(cand candidate, key *snapshot.Credential, pass pass) (ticket, bool) {
	t := ticket{channel: cand.entry.Channel, key: key, caller: f.call.Caller}
	if pass == anyHealth {
		return cand.model.force(t, f.clock), true
	}
	if f.Health.outages.find(t.channel.ID) != nil {
		return ticket{}, false
	}
	return cand.model.begin(t, f.clock)
}

// markTried marks a credential, or a whole channel, as tried.
func (f *failover) markTried(c credential) {
	if f.tried == nil {
		f.tried = map[credential]bool{}
	}
	f.tried[c] = true
}

// owner returns the index of the credential that made what the request continues, -1 for none. A stored response or
// encrypted content belongs to the account of that credential.
func (f *failover) owner(keys []snapshot.Credential) int {
	hash := f.call.Origin.Credential
	if hash == (stored.CredentialHash{}) {
		return -1
	}
	return slices.IndexFunc(keys, func(k snapshot.Credential) bool {
		return stored.HashCredential(k.Fingerprint) == hash
	})
}

// isNotOwner reports whether another credential than key can serve a request that is bound to its origin, and key may
// be of another account, which does not know what the request continues. Only the owner's refusal is certain.
func (f *failover) isNotOwner(keys []snapshot.Credential, key *snapshot.Credential) bool {
	i := f.owner(keys)
	return i >= 0 && f.call.Origin.Binds() && !keys[i].Disabled && key != &keys[i]
}

// firstCredential returns the index of the credential to start with. A request that continues a response starts with
// that response's credential. Calls with the same affinity start with the same one, which makes use of the
// provider's cache. Other calls rotate.
func (f *failover) firstCredential(keys []snapshot.Credential) int {
	if len(keys) < 2 {
		return 0
	}
	if i := f.owner(keys); i >= 0 {
		return i
	}
	if f.call.Affinity == 0 {
		return int(f.rotation % uint64(len(keys)))
	}
	names := make([]string, len(keys))
	for i := range keys {
		names[i] = keys[i].Fingerprint
	}
	return routing.Preferred(f.call.Affinity, names)
}

// fail records why an attempt failed, and reports whether the call must end without another attempt.
func (f *failover) fail(ctx context.Context, err *attemptError) (final bool) {
	switch {
	case err.refusal != nil:
		if !err.notOwner || f.failure.Problem == nil {
			f.failure.Problem = &problem.Problem{Kind: problem.UpstreamRejected, Upstream: err.refusal}
			f.failedAnswer = nil
		}
		return !err.channelOnly && !err.notOwner || ctx.Err() != nil || !f.clock.Before(f.call.deadline)
	// The client has disconnected or the relay stops: another attempt would be useless.
	case ctx.Err() != nil:
		f.failure.Problem, f.failedAnswer = interruption(ctx), nil
		return true
	case err.kind == problem.TranslationRejected:
		f.rejections++
		f.failure.Problem, f.failedAnswer = f.translationRejected(err), nil
		return f.rejections >= maxRejections || !f.clock.Before(f.call.deadline)
	case err.kind == problem.UnsupportedParameter, err.kind == problem.InvalidType, err.kind == problem.InvalidJSON:
		// Report it only if no other kind of failure happened: other failures may be temporary, so the client may
		// retry.
		if f.failure.Problem == nil {
			f.failure.Problem = err.problem()
		}
		return false
	}
	f.failure.Problem, f.failedAnswer = err.problem(), err.answer
	return err.final || !f.clock.Before(f.call.deadline)
}

// maxRejections is the number of channels that may refuse a translated request before the call ends.
const maxRejections = 2

// translationRejected returns the problem of a translated request that an upstream refused.
func (f *failover) translationRejected(err *attemptError) *problem.Problem {
	p := problem.New(problem.TranslationRejected,
		"The upstream refused the request in the form to which the gateway translated it. That is a fault of the "+
			"gateway: please report it to its operator with the request id %s.", f.call.ID)
	p.Cause = err
	return p
}

// record records an attempt for the usage log, the metrics and the log.
func (f *failover) record(cand candidate, key *snapshot.Credential, err *attemptError, duration time.Duration) {
	channel := cand.entry.Channel
	attempt := usage.Attempt{
		ChannelID: channel.ID, Status: http.StatusOK, Elapsed: duration, Credential: key.Mask,
		Reason: cand.entry.Reason.String(),
	}
	// The attempt records the dialect only if the request is translated.
	if !cand.entry.Native && len(channel.Dialects) > 0 {
		attempt.Dialect = string(channel.Dialects[0])
	}
	if err != nil {
		attempt.Status, attempt.Error, attempt.Usage = err.status, string(err.code), err.usage
		attempt.Message = err.message(redactor{target: cand.target})
	}
	f.failure.Channel, f.failure.Attempts = channel, append(f.failure.Attempts, attempt)
	if f.OnAttempt != nil {
		f.OnAttempt(channel, &f.failure.Attempts[len(f.failure.Attempts)-1])
	}
	if err != nil && (err.fault != provider.NoFault && err.fault != provider.ClientFault ||
		err.kind == problem.TranslationRejected) {
		if repeats, ok := f.failureLog.allow(failureKey{channel.ID, err.code}, f.clock); ok {
			f.Log.Warn("channel failed", "channel", channel.Name, "key", key.Mask, "status", err.status, "error", err,
				"more", repeats)
		}
	}
}
