package pipeline

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/admit"
	"github.com/tollgate/tollgate/apps/relay/internal/meter"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// exchange is an admitted call and its answer. Of the body of a streamed call it
// holds only a sample.
type exchange struct {
	log       usage.Log // filled in on the way
	terms     pricing.Terms
	bound     costBound
	admit     *admit.Admitter
	hold      *admit.Hold
	now       func() time.Time
	soft      bool // the tenant's streams outlive their quota
	choices   int64
	sample    meter.Sample
	previous  string // id of the response that the call continues, as the client knows it
	input     []byte // the client's input, nil if the response is not to be saved here
	wantsUse  bool
	withQuota bool
}

// includeQuota asks for the quota in the final usage object of a stream.
const includeQuota = "X-Tollgate-Include-Quota"

// admission is the result of the stages before the hold.
type admission struct {
	caller  *token.Caller
	request *openai.Request
	model   *catalog.Model
	terms   pricing.Terms
	added   int64 // tokens that resumed state and the channel add
}

// begin returns the exchange of a call that is about to be held for.
func (p *Pipeline) begin(in Inbound, r *http.Request, a admission) *exchange {
	caller, request := a.caller, a.request
	withQuota := request.Stream && r.Header.Get(includeQuota) == "true"
	x := &exchange{
		terms:     a.terms,
		admit:     p.Admit,
		now:       p.Now,
		soft:      caller.Tenant.QuotaMode == tenant.QuotaSoft,
		choices:   request.Choices,
		previous:  request.Previous,
		withQuota: withQuota,
		wantsUse:  request.IncludeUsage || withQuota,
		log: usage.Log{
			ID: in.ID, CreatedAt: in.Started, RelayID: p.RelayID,
			TenantID: caller.Tenant.ID, UserID: caller.User.ID, TokenID: caller.Token.ID, GroupID: caller.User.GroupID,
			Model: request.Model, Dialect: string(in.Dialect), Stream: request.Stream,
		},
	}
	if request.Stream {
		x.sample = meter.SampleOf(request.Body())
	} else {
		x.sample = meter.SampleIn(request.Body())
	}
	if in.Dialect == catalog.Responses && !request.NotStored {
		x.input = request.Input()
	}
	return x
}

// answered records which channel answered. It keeps the input only of a translated
// call, whose response no channel stores.
func (x *exchange) answered(reply *upstream.Reply) {
	x.log.ChannelID, x.log.UpstreamModel, x.log.Attempts = reply.Channel.ID, reply.UpstreamModel, reply.Attempts
	if reply.Translated() {
		x.input = bytes.Clone(x.input)
		return
	}
	x.input = nil
}

// observed is what an answer shows of itself to metering.
type observed struct {
	usage     *usage.Usage // nil: the upstream reported none
	stale     bool         // more was delivered after the usage was reported
	output    meter.Output // input of an estimate
	firstByte time.Time    // zero: now
	failure   string       // problem word of a partial answer, "" for a complete one
}

// meter makes the event of an answered call.
func (x *exchange) meter(ctx context.Context, seen observed) *usage.Event {
	log := &x.log
	log.Outcome, log.Error, log.Status = usage.Success, seen.failure, http.StatusOK
	if seen.failure != "" {
		log.Outcome = usage.Partial
	}
	log.Usage, log.Estimated = x.consumed(seen)
	log.PriceID, log.RuleID = x.terms.Price.ID, x.terms.Rule.ID
	log.Cost, log.Quota = x.charge(ctx, log.Usage)
	x.clock(seen.firstByte)
	return &usage.Event{Log: *log, Leased: x.hold.Leased()}
}

// consumed returns the usage that the upstream reported. Usage that it did not
// report is estimated: all of it, or the part after a usage report in an answer
// that broke off.
func (x *exchange) consumed(seen observed) (u usage.Usage, estimated bool) {
	if seen.usage != nil && !seen.stale {
		return *seen.usage, false
	}
	estimate := meter.Estimate(x.log.Model, x.sample, seen.output)
	if seen.usage == nil {
		return estimate, true
	}
	u = *seen.usage
	more := estimate.OutputTotal() - u.OutputTotal()
	u.Output += max(0, more)
	return u, more > 0
}

// charge returns the cost of u by the price, and the part of it that the hold can
// be made to cover, which is deducted.
func (x *exchange) charge(ctx context.Context, u usage.Usage) (cost, quota money.Amount) {
	cost, err := x.terms.Cost(u)
	if err != nil { // absurd counts: charge no more than the hold
		cost = x.hold.Amount()
	}
	return cost, min(cost, x.admit.Grow(context.WithoutCancel(ctx), x.hold, cost))
}

// clock records the latency, and the time to the first byte.
func (x *exchange) clock(firstByte time.Time) {
	now := x.now()
	if firstByte.IsZero() {
		firstByte = now
	}
	x.log.Latency, x.log.FirstByte = now.Sub(x.log.CreatedAt), firstByte.Sub(x.log.CreatedAt)
}

// fail notes that no channel answered.
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
	x.clock(time.Time{})
	x.log.FirstByte = 0
}
