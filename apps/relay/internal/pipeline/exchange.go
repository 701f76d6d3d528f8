package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/admit"
	"github.com/tollgate/tollgate/apps/relay/internal/inbound"
	"github.com/tollgate/tollgate/apps/relay/internal/memory"
	"github.com/tollgate/tollgate/apps/relay/internal/meter"
	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/wire/openai"
	"github.com/tollgate/tollgate/libs/wire/openai/tally"
)

// exchange is the state of one admitted call. It keeps only a sample of a stream's or a large body, so that the
// body's memory is free when the upstream has answered.
type exchange struct {
	log       usage.Log // filled in by the stages
	terms     pricing.Terms
	snapshot  *snapshot.Snapshot // has the costs of the channels
	bound     costBound
	needs     routing.Needs
	hold      *admit.Hold
	estimator *meter.Estimator
	now       func() time.Time
	operation provider.Operation
	tenant    string // slug of the caller's tenant
	// The flags are adjacent, so that they share a machine word: a call allocates less.
	softQuota  bool // the tenant lets streams exceed their quota
	strict     bool // the tenant refuses calls of which a field would be ignored
	omitsTools bool // the request omits optional tools, see omitOptionalTools
	countable  bool // the tokenizer's count of the input is close to that of an upstream
	audio      bool // the client asked for audio
	wantsUsage bool // a stream's client wants the usage
	withQuota  bool // the client wants the quota in the usage
	// A client of messages asked for no tool whose code the provider charges for, but other tools can run code.
	freeCode   bool
	choices    int64        // how many answers the client asked for
	sample     meter.Sample // of the request body, for an estimate
	previous   string       // id of the response that the call continues, in the client's form; "" for none
	input      []byte       // the client's input, nil unless the relay is to save the response
	responseID uuid.UUID    // the response's id in the database, if the relay is to save it
}

// includeQuota is the request header that asks for the quota in the usage object of the answer, or declines it.
const includeQuota = "X-Tollgate-Include-Quota"

// wantsQuota reports whether the answer's usage must have the quota: the request decides, or its tenant.
func wantsQuota(h http.Header, t *tenant.Tenant) bool {
	switch h.Get(includeQuota) {
	case "true":
		return true
	case "false":
		return false
	}
	return t.IncludeQuota
}

// admission holds the results of the stages before the hold.
type admission struct {
	caller      *token.Caller
	request     *openai.Request
	model       *catalog.Model
	terms       pricing.Terms
	dialect     catalog.Dialect
	operation   provider.Operation // "": a call
	snapshot    *snapshot.Snapshot
	omitsTools  bool  // the request omits optional tools, see omitOptionalTools
	extra       int64 // tokens that resumed state and the channel add
	attribution attributed
}

// group returns the caller's user group.
func (a *admission) group() *tenant.Group { return a.snapshot.Group(a.caller.User.GroupID) }

// exchange returns the exchange of a call whose quota is about to be reserved.
func (p *Pipeline) exchange(in inbound.Call, r *http.Request, a admission) *exchange {
	caller, request := a.caller, a.request
	withQuota := wantsQuota(r.Header, &caller.Tenant)
	x := &exchange{
		terms:      a.terms,
		snapshot:   a.snapshot,
		estimator:  p.Estimator,
		now:        p.Now,
		operation:  a.operation,
		tenant:     caller.Tenant.Slug,
		softQuota:  caller.Tenant.QuotaMode == tenant.QuotaSoft,
		strict:     caller.Tenant.IgnoredFields == tenant.RefuseIgnored,
		omitsTools: a.omitsTools,
		choices:    request.Choices,
		audio:      asksFor(request, charge.AudioOutput),
		freeCode:   in.Dialect == catalog.Messages && !asksFor(request, charge.CodeInterpreter),
		countable:  a.countable(),
		previous:   request.Previous,
		withQuota:  withQuota,
		wantsUsage: request.IncludeUsage || withQuota,
		log: usage.Log{
			ID: in.ID, CreatedAt: in.Started, RelayID: p.RelayID,
			TenantID: caller.Tenant.ID, UserID: caller.User.ID, TokenID: caller.Token.ID, GroupID: caller.User.GroupID,
			Model: request.Model, Dialect: string(in.Dialect), Stream: request.Stream,
			EndUser: a.attribution.endUser, Tags: a.attribution.tags,
		},
	}
	if p.MarkClient != nil {
		x.log.Client = p.MarkClient(caller.Token.ID, in.Addr, in.Report.Agent)
	}
	// A sample of a large body must not keep the body in memory, and neither must one of a stream, which lasts.
	if request.Stream || request.Size() > memory.SmallBody {
		x.sample = meter.SampleOf(request.Body())
	} else {
		x.sample = meter.SampleIn(request.Body())
	}
	x.sample.Texts, x.sample.Media = in.Dialect == catalog.Embeddings, request.Parts()
	if in.Dialect == catalog.Responses && !request.NotStored {
		x.input = request.Input()
	}
	return x
}

// asksFor reports whether the request asks for something that is charged for.
func asksFor(request *openai.Request, kind charge.Kind) bool {
	return slices.ContainsFunc(request.Charges, func(c charge.Charge) bool { return c.Kind == kind })
}

// answered records which channel answered. It releases the input unless the call was translated and did not fail:
// only then must the relay save the response, because no upstream stores it.
func (x *exchange) answered(reply *upstream.Reply) {
	x.log.ChannelID, x.log.UpstreamModel, x.log.Attempts = reply.Channel.ID, reply.UpstreamModel, reply.Attempts
	if reply.Failed == nil {
		x.log.Unpriced = int(x.needs.UnpricedKinds(reply.Channel))
	}
	if reply.Translated() && reply.Failed == nil {
		x.input, x.responseID = bytes.Clone(x.input), reply.ResponseID()
		return
	}
	x.input = nil
}

// observed holds the facts about an answer that metering needs.
type observed struct {
	usage      *usage.Usage   // nil if the upstream reported none
	stale      bool           // more was delivered after the last usage report
	charges    *tally.Charges // what the answer states outside of the usage
	output     meter.Output   // the answer's text, for an estimate
	firstByte  time.Time      // zero means now
	failure    string         // problem word of a partial or failed answer; "" for a complete answer
	status     int            // HTTP status of the answer; 0 stands for 200
	failed     bool           // the upstream says that it failed
	clientGone bool           // the client has disconnected
}

// meter completes the usage log and returns the event of an answered call.
func (x *exchange) meter(ctx context.Context, obs observed) *usage.Event {
	log := &x.log
	log.Outcome, log.Error, log.Status = usage.Success, obs.failure, cmp.Or(obs.status, http.StatusOK)
	log.Usage, log.Estimated = x.consumed(obs)
	log.Unpriced |= int(x.terms.Unpriced(&log.Usage))
	switch {
	case obs.failed:
		log.Outcome = usage.Failed
	case obs.failure != "":
		log.Outcome = usage.Partial
	}
	x.terms = x.terms.For(log.Outcome, pricing.Formula)
	isCharged := !obs.failed || log.Usage.Total() > 0 || log.Usage.Tools != (usage.Tools{})
	if isCharged {
		log.PriceID, log.RuleID, log.Formula = x.terms.Price.ID, x.terms.Rule.ID, pricing.Formula
		log.Cost, log.Quota = x.charge(ctx, log.Usage)
	}
	x.supply(isCharged)
	x.clock(obs.firstByte)
	return &usage.Event{Log: *log, Leased: x.hold.Leased()}
}

// consumed returns the usage of the call, with the service tier and the calls of tools that the answer states.
func (x *exchange) consumed(obs observed) (u usage.Usage, isEstimate bool) {
	u, isEstimate = x.tokens(obs)
	return x.charged(obs.charges.AddTo(u)), isEstimate
}

// charged returns the usage without what the provider does not charge for.
func (x *exchange) charged(u usage.Usage) usage.Usage {
	if x.freeCode {
		u.CodeInterpreterSessions = 0
	}
	return u
}

// tokens returns the usage of the call. It prefers the upstream's report. Without a report it estimates
// everything. If an answer broke off after a report, it adds an estimate of the output that came after the
// report. A report of no output next to a text is no report of it, because some servers always send zeros. Neither is a
// report of no input next to an output: some servers leave out what they read from their cache.
func (x *exchange) tokens(obs observed) (u usage.Usage, isEstimate bool) {
	if obs.usage == nil {
		return x.estimate(obs), true
	}
	u = *obs.usage
	lacksOutput := obs.stale || !obs.failed && u.OutputTotal() == 0 && !obs.output.IsEmpty()
	lacksInput := !obs.failed && u.InputTotal() == 0 && u.OutputTotal() > 0
	if !lacksOutput && !lacksInput {
		return u, false
	}
	estimate := x.estimate(obs)
	if lacksOutput && estimate.AudioOutput > u.AudioOutput {
		u.AudioOutput, isEstimate, lacksInput = estimate.AudioOutput, true, u.InputTotal() == 0
	}
	if extra := estimate.OutputTotal() - u.OutputTotal(); lacksOutput && extra > 0 {
		u.Output += extra
		isEstimate, lacksInput = true, u.InputTotal() == 0
	}
	if lacksInput {
		u.Input, isEstimate = estimate.Input, true
	}
	return u, isEstimate
}

// estimate estimates the usage of what was observed.
func (x *exchange) estimate(obs observed) usage.Usage {
	return x.estimator.Estimate(meter.Call{TenantID: x.log.TenantID, Model: x.log.Model, Request: x.sample,
		Output: obs.output, ClientGone: obs.clientGone})
}

// estimateInput estimates the input tokens, for an answer that must state them before the upstream has counted them.
func (x *exchange) estimateInput() int64 { return x.estimate(observed{}).Input }

// charge returns the cost by the price, and the quota to deduct: the cost, as far as the hold can be extended to it.
func (x *exchange) charge(ctx context.Context, u usage.Usage) (cost, quota money.Amount) {
	cost, err := x.terms.Cost(u)
	if err != nil { // the counts are implausibly large: charge no more than the hold
		cost = x.hold.Amount()
	}
	if cost <= x.hold.Amount() {
		return cost, cost
	}
	return cost, min(cost, x.hold.Extend(context.WithoutCancel(ctx), cost, 0))
}

// clock sets the latency and the time to the first byte.
func (x *exchange) clock(firstByte time.Time) {
	now := x.now()
	if firstByte.IsZero() {
		firstByte = now
	}
	x.log.Latency, x.log.FirstByte = now.Sub(x.log.CreatedAt), firstByte.Sub(x.log.CreatedAt)
}

// fail completes the usage log of a call that no channel answered.
func (x *exchange) fail(failure *upstream.Failure) {
	class := failure.Problem.Kind.Class()
	x.log.Outcome, x.log.Error, x.log.Status = usage.Failed, class.Name, class.Status
	if failure.Problem.Upstream != nil {
		x.log.Status = failure.Problem.Upstream.Status
	}
	if failure.Channel != nil {
		x.log.ChannelID, x.log.UpstreamModel = failure.Channel.ID, failure.Channel.Models[x.log.Model]
	}
	x.log.Attempts = failure.Attempts
	x.supply(false)
	x.clock(time.Time{})
	x.log.FirstByte = 0
}
