package pipeline

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/admit"
	"github.com/tollgate/tollgate/apps/relay/internal/meter"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// call is what is known of an admitted call. It does not hold the body of a
// streamed one, only a sample of it.
type exchange struct {
	log       usage.Log // filled in as the call goes on
	terms     pricing.Terms
	bound     costBound
	hold      *admit.Hold
	soft      bool // the tenant's streams outlive their quota
	choices   int64
	sample    meter.Sample
	previous  string // the id of the response that it goes on from, as the client knows it
	turn      []byte // what the client says in it, nil where the response is not to be kept here
	wantsUse  bool
	withQuota bool
}

// includeQuota asks for the quota in the final usage object of a stream.
const includeQuota = "X-Tollgate-Include-Quota"

// admitted is what admission found out of a call.
type admission struct {
	caller  *token.Caller
	request *openai.Request
	terms   pricing.Terms
	need    costBound
	hold    *admit.Hold
}

func (l *Pipeline) begin(from Inbound, r *http.Request, a admission) *exchange {
	caller, request := a.caller, a.request
	withQuota := request.Stream && r.Header.Get(includeQuota) == "true"
	c := &exchange{
		terms:     a.terms,
		bound:     a.need,
		hold:      a.hold,
		soft:      caller.Tenant.QuotaMode == tenant.Soft,
		choices:   request.Choices,
		previous:  request.Previous,
		withQuota: withQuota,
		wantsUse:  request.IncludeUsage || withQuota,
		log: usage.Log{
			ID: from.ID, CreatedAt: from.Started, RelayID: l.RelayID,
			TenantID: caller.Tenant.ID, UserID: caller.User.ID, TokenID: caller.Token.ID, GroupID: caller.User.GroupID,
			Model: request.Model, Dialect: string(from.Dialect), Stream: request.Stream,
		},
	}
	if request.Stream {
		c.sample = meter.SampleOf(request.Body())
	} else {
		c.sample = meter.SampleIn(request.Body())
	}
	if from.Dialect == catalog.Responses && !request.NotStored {
		c.turn = request.Input()
	}
	return c
}

// answer is what the client is given.
type answer interface {
	ending
	// seen returns what metering needs.
	seen() seen
	// keep hands the response object that the client is about to have to by, if
	// there is one that came to its end. Where that fails the client is told that
	// its response is not kept.
	keep(by func(response []byte) error)
}

// ending is how an answer ends.
type ending interface {
	// finish sends what is left, once the event is kept.
	finish(event *usage.Event) error
	// abort ends it with an error in place of that.
	abort(err error) error
}

// seen is what an answer showed of itself.
type seen struct {
	usage     *usage.Usage // nil: the upstream reported none
	stale     bool         // more was delivered after the usage was reported
	output    meter.Output // what an estimate is made of
	firstByte time.Time    // zero: now
	failure   string       // problem word of a partial answer, "" for a whole one
}

// meter makes the event of an answered call.
func (l *Pipeline) meter(ctx context.Context, c *exchange, answer answer) *usage.Event {
	seen := answer.seen()
	log := &c.log
	log.Outcome, log.Error, log.Status = usage.Success, seen.failure, http.StatusOK
	if seen.failure != "" {
		log.Outcome = usage.Partial
	}
	log.Usage, log.Estimated = c.consumed(seen)
	log.PriceID, log.RuleID = c.terms.Price.ID, c.terms.Rule.ID
	log.Cost, log.Quota = l.charge(ctx, c, log.Usage)
	l.clock(c, seen.firstByte)
	return &usage.Event{Log: *log, Leased: c.hold.Leased()}
}

// consumed is what the upstream reported. What it did not report is estimated:
// all of it, or what came after an answer broke off that was reported in part.
func (c *exchange) consumed(seen seen) (u usage.Usage, estimated bool) {
	if seen.usage != nil && !seen.stale {
		return *seen.usage, false
	}
	estimate := meter.Estimate(c.log.Model, c.sample, seen.output)
	if seen.usage == nil {
		return estimate, true
	}
	u = *seen.usage
	more := estimate.OutputTotal() - u.OutputTotal()
	u.Output += max(0, more)
	return u, more > 0
}

// charge returns what u costs by the price, and how much of that the hold can
// be made to cover, which is what is deducted.
func (l *Pipeline) charge(ctx context.Context, c *exchange, u usage.Usage) (cost, quota money.Amount) {
	cost, err := c.terms.Cost(u)
	if err != nil { // absurd counts: the most that can be charged is what is held
		cost = c.hold.Amount()
	}
	return cost, min(cost, l.Admit.Grow(context.WithoutCancel(ctx), c.hold, cost))
}

// keep appends the event. Its error is logged here and bears no cause.
func (l *Pipeline) keep(ctx context.Context, event *usage.Event) error {
	if err := l.Spool.Append(context.WithoutCancel(ctx), event); err != nil {
		l.Log.Error("usage event not kept", "request_id", event.ID, "error", err)
		return problem.Of(problem.Internal)
	}
	return nil
}

func (l *Pipeline) clock(c *exchange, firstByte time.Time) {
	now := l.Now()
	if firstByte.IsZero() {
		firstByte = now
	}
	c.log.Latency, c.log.FirstByte = now.Sub(c.log.CreatedAt), firstByte.Sub(c.log.CreatedAt)
}

// fail records a call that no channel answered, which is free, and returns
// the failure to be written. An event that cannot be kept is no loss here: it
// bears no quota.
func (l *Pipeline) fail(c *exchange, failure *upstream.Failure) error {
	class := failure.Problem.Kind.Class()
	c.log.Outcome, c.log.Error, c.log.Status = usage.Failed, class.Name, class.Status
	if failure.Problem.Upstream != nil {
		c.log.Status = failure.Problem.Upstream.Status
	}
	if failure.Channel != nil {
		c.log.ChannelID, c.log.UpstreamModel = failure.Channel.ID, failure.Channel.Models[c.log.Model]
	}
	c.log.Attempts = failure.Attempts
	l.clock(c, time.Time{})
	c.log.FirstByte = 0
	_ = l.Spool.Append(context.Background(), &usage.Event{Log: c.log, Leased: []uuid.UUID{}})
	return failure
}
