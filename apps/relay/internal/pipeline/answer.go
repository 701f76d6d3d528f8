package pipeline

import (
	"net/http"
	"strconv"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/envelope"
	"github.com/tollgate/tollgate/apps/relay/internal/meter"
	"github.com/tollgate/tollgate/apps/relay/internal/tap"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// answer is the answer to the client, of which at least the end is not yet sent.
type answer interface {
	// observed returns what metering needs.
	observed() observed
	// save calls by with the final response object, if the answer is complete. If by
	// fails, the client reads that its response is not stored.
	save(by func(response []byte) error)
	ending
}

// ending is the end of an answer: one of the two.
type ending interface {
	// finish sends the rest, after the event is in the spool.
	finish(event *usage.Event) error
	// abort ends the answer with an error instead.
	abort(err error) error
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// jsonAnswer is a complete body, checked and not yet sent.
type jsonAnswer struct {
	w          http.ResponseWriter
	reply      *upstream.Reply
	body       []byte // for the client
	clientGone bool   // before anything was sent
}

func (a *jsonAnswer) observed() observed {
	s := observed{usage: a.reply.Answer.Usage, output: meter.Output{Sample: a.reply.Answer.Generated(a.reply.Body), Sampled: 1, Pieces: 1}}
	if a.clientGone {
		s.failure = problem.ClientClosed.String()
	}
	return s
}

func (a *jsonAnswer) save(by func(response []byte) error) {
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

// streamAnswer is a stream that was sent, all but its end.
type streamAnswer struct {
	delivery  *tap.Delivery
	result    tap.Result
	timedOut  bool
	withQuota bool
}

func (a *streamAnswer) observed() observed {
	return observed{
		usage: a.result.Usage, stale: !a.result.Complete && a.result.SinceUsage > 0, firstByte: a.result.FirstByte, failure: a.failure(),
		output: meter.Output{Sample: a.result.Sample, Sampled: a.result.Sampled, Pieces: a.result.Chunks},
	}
}

func (a *streamAnswer) save(by func(response []byte) error) {
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

// finish ends the stream: with [DONE], or with a typed error if the upstream did
// not complete it. A write fails only for a client that left.
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
