package pipeline

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/envelope"
	"github.com/tollgate/tollgate/apps/relay/internal/meter"
	"github.com/tollgate/tollgate/apps/relay/internal/tap"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// deliver gives a stream to the client, all but its end. A JSON answer waits:
// its headers tell the quota.
func (l *Pipeline) deliver(w http.ResponseWriter, r *http.Request, c *exchange, reply *upstream.Reply) answer {
	c.log.ChannelID, c.log.UpstreamModel, c.log.Attempts = reply.Channel.ID, reply.UpstreamModel, reply.Attempts
	c.keepTurn(reply)
	header := w.Header()
	header["X-Tollgate-Channel"] = []string{reply.Channel.Name}
	if reply.Stream == nil {
		return &jsonAnswer{w: w, reply: reply, body: l.wholeBody(c, reply), left: errors.Is(context.Cause(r.Context()), context.Canceled)}
	}
	header["Openai-Processing-Ms"] = []string{milliseconds(l.Now().Sub(c.log.CreatedAt))}
	allowance := l.allowance(c)
	options := tap.Options{
		Source: l.source(c, reply), Dialect: catalog.Dialect(c.log.Dialect), WantsUsage: c.wantsUse, Choices: c.choices, Mark: allowance.mark(0), Allowance: allowance,
		OnSilence: reply.CancelSilent(), OnClientGone: reply.Leave, Drain: reply.Channel.OnDisconnect == catalog.Drain,
		Timeouts: l.pace(reply.Channel), Buffers: &l.buffers,
	}
	if c.withQuota {
		options.FormatQuota = func(u usage.Usage) string {
			_, quota := l.charge(r.Context(), c, u)
			return quota.String()
		}
	}
	delivery, result := tap.Deliver(r.Context(), w, options)
	timedOut := reply.TimedOut()
	switch result.End {
	case tap.UpstreamAborted, tap.UpstreamError:
		reply.ReportBroken()
	case tap.QuotaExhausted:
		reply.Cancel() // what it would still send, nobody would pay for
	}
	return &streamAnswer{delivery: delivery, result: result, timedOut: timedOut, withQuota: c.withQuota}
}

// source is the reply's stream as the client is to read it.
func (l *Pipeline) source(c *exchange, reply *upstream.Reply) tap.Source {
	if c.log.Dialect != string(catalog.Responses) {
		return reply.Stream
	}
	return &named{reply.Stream, l.names(c, reply, c.bound.input+c.bound.output)}
}

// wholeBody is the reply's JSON as the client is to read it.
func (l *Pipeline) wholeBody(c *exchange, reply *upstream.Reply) []byte {
	if c.log.Dialect != string(catalog.Responses) {
		return reply.Body
	}
	tokens := c.bound.input + c.bound.output
	if reply.Answer.Usage != nil {
		tokens = reply.Answer.Usage.Total()
	}
	return l.names(c, reply, tokens).RewriteBody(reply.Body)
}

// pace is the line's, with the channel's own patience where it has one.
func (l *Pipeline) pace(channel *catalog.Channel) tap.Timeouts {
	pace := l.Timeouts
	pace.IdleTimeout = cmp.Or(channel.Settings.IdleTimeout, pace.IdleTimeout)
	return pace
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// jsonAnswer is a whole body, checked and not yet sent.
type jsonAnswer struct {
	w     http.ResponseWriter
	reply *upstream.Reply
	body  []byte // for the client
	left  bool   // the client has, before it was given anything
}

func (a *jsonAnswer) seen() seen {
	s := seen{usage: a.reply.Answer.Usage, output: meter.Output{Sample: a.reply.Answer.Generated(a.reply.Body), Sampled: 1, Pieces: 1}}
	if a.left {
		s.failure = problem.ClientClosed.String()
	}
	return s
}

func (a *jsonAnswer) keep(by func(response []byte) error) {
	if by(a.body) != nil {
		a.body = output.MarkNotStored(a.body)
	}
}

var jsonType = []string{"application/json"}

func (a *jsonAnswer) finish(event *usage.Event) error {
	header := a.w.Header()
	header["Content-Type"] = jsonType
	header["Content-Length"] = []string{strconv.Itoa(len(a.body))}
	header["Openai-Processing-Ms"] = []string{milliseconds(event.Latency)}
	header["X-Tollgate-Quota"] = []string{event.Quota.String()}
	_, _ = a.w.Write(a.body) //nolint:gosec // JSON, sent as JSON; a client that is gone was billed for what it asked
	return nil
}

func (a *jsonAnswer) abort(err error) error { return err }

// streamAnswer is a stream of which only the end is missing.
type streamAnswer struct {
	delivery  *tap.Delivery
	result    tap.Result
	timedOut  bool
	withQuota bool
}

func (a *streamAnswer) seen() seen {
	return seen{
		usage: a.result.Usage, stale: !a.result.Complete && a.result.SinceUsage > 0, firstByte: a.result.FirstByte, failure: a.failure(),
		output: meter.Output{Sample: a.result.Sample, Sampled: a.result.Sampled, Pieces: a.result.Chunks},
	}
}

func (a *streamAnswer) keep(by func(response []byte) error) {
	terminal := a.delivery.Terminal()
	if response := output.ResponseInFrame(terminal); response != nil && by(response) != nil {
		a.delivery.Amend(output.MarkFrameNotStored(terminal))
	}
}

func (a *streamAnswer) failure() string {
	switch {
	case a.result.End == tap.Completed:
		return ""
	case a.result.End == tap.ClientGone:
		return problem.ClientClosed.String()
	case a.result.End == tap.QuotaExhausted:
		return problem.QuotaExhausted.String()
	case a.timedOut:
		return problem.UpstreamTimeout.String()
	}
	return problem.UpstreamFailed.String()
}

// finish ends the stream: with [DONE], or with a typed error where the
// upstream did not come to its end. Errors of writing are a client's that left.
func (a *streamAnswer) finish(event *usage.Event) error {
	switch {
	case a.result.End == tap.Completed:
		_ = a.delivery.Finish()
	case a.result.End == tap.ClientGone:
		a.delivery.Abandon()
	case a.result.End == tap.QuotaExhausted:
		quota := ""
		if a.withQuota {
			quota = event.Quota.String()
		}
		_ = a.delivery.FinishExhausted(event.Usage, quota)
	case a.timedOut:
		return a.abort(problem.New(problem.UpstreamTimeout, "The upstream fell silent before the end of its answer."))
	default:
		return a.abort(problem.New(problem.UpstreamFailed, "The upstream broke off before the end of its answer."))
	}
	return nil
}

func (a *streamAnswer) abort(err error) error {
	_ = a.delivery.Fail(envelope.Of(problem.From(err)))
	return nil
}
