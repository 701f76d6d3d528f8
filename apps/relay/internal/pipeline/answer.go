package pipeline

import (
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/meter"
	"github.com/tollgate/tollgate/apps/relay/internal/tap"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// answer is an answer to the client. Its end, or all of it, is not sent yet.
type answer interface {
	// observed returns the facts about the answer that metering needs.
	observed() observed
	// save calls write with the final response object if the answer is complete. If write fails, save sets `store` to
	// false in the answer.
	save(write func(response []byte) error)
	ending
}

// ending ends an answer. The caller calls exactly one of its methods.
type ending interface {
	// finish sends the rest of the answer. The event must be in the spool.
	finish(event *usage.Event) error
	// abort ends the answer with an error instead of its rest.
	abort(err error) error
}

// milliseconds formats d for a header.
func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// jsonAnswer is a complete and checked JSON body. Nothing of it is sent yet.
type jsonAnswer struct {
	w          http.ResponseWriter
	x          *exchange
	reply      *upstream.Reply
	body       []byte // as the client gets it, except for the quota
	clientGone bool   // the client disconnected before anything was sent
}

func (a *jsonAnswer) observed() observed {
	s := observed{usage: a.reply.Answer.Usage, charges: &a.reply.Answer.Charges, clientGone: a.clientGone}
	if catalog.Dialect(a.x.log.Dialect) != catalog.Embeddings {
		s.output = meter.Output{Sample: a.reply.Answer.Generated(a.reply.Body), Sampled: 1, Pieces: 1}
	}
	switch {
	case a.clientGone:
		s.failure = problem.ClientClosed.String()
	case a.reply.Withheld != nil:
		s.failure, s.status = a.reply.Withheld.Kind.String(), a.reply.Withheld.Kind.Class().Status
	}
	return s
}

// quoted returns the body with the quota in the usage object. The call must be metered.
func (a *jsonAnswer) quoted() rawjson.Body { return output.WithQuota(a.body, a.x.log.Quota.String()) }

// save calls write with the body, which is the response object.
func (a *jsonAnswer) save(write func(response []byte) error) {
	body := a.body
	if a.x.withQuota {
		body = a.quoted().Bytes()
	}
	if write(body) != nil {
		a.body = output.MarkNotStored(a.body)
	}
}

// jsonType is shared by all answers, which saves an allocation: net/http doesn't change header values.
var jsonType = []string{"application/json"}

// finish sends the headers, which include the quota of the metered call, and the body. It returns the problem of an
// answer that is withheld.
func (a *jsonAnswer) finish(event *usage.Event) error {
	header := a.w.Header()
	header["Content-Type"] = jsonType
	header["Openai-Processing-Ms"] = []string{milliseconds(event.Latency)}
	header["X-Tollgate-Quota"] = []string{event.Quota.String()}
	a.x.showRemaining(header)
	if a.reply.Withheld != nil {
		return a.reply.Withheld
	}
	if a.x.withQuota {
		body := a.quoted()
		header["Content-Length"] = []string{strconv.FormatInt(body.Size(), 10)}
		_, _ = io.Copy(a.w, body.Reader())
		return nil
	}
	header["Content-Length"] = []string{strconv.Itoa(len(a.body))}
	_, _ = a.w.Write(a.body) //nolint:gosec // JSON, sent as JSON; the call of a client that disconnected is billed too
	return nil
}

// abort returns err: nothing is sent yet, so the caller can still write an error response.
func (a *jsonAnswer) abort(err error) error { return err }

// streamAnswer is a stream that was sent except for its end.
type streamAnswer struct {
	delivery  *tap.Delivery
	result    tap.Result
	broken    *problem.Problem // why the stream did not complete; nil unless it ended in the middle
	stopped   bool             // the relay ended the stream at a stop sequence
	cut       bool             // it did so before the upstream had reported the usage of the whole answer
	withQuota bool             // the client asked for the quota in the usage object
}

func (a *streamAnswer) observed() observed {
	return observed{
		usage: a.result.Usage, stale: a.cut || !a.result.Complete && a.result.SinceUsage > 0,
		charges: &a.result.Charges, firstByte: a.result.FirstByte, failure: a.failure(),
		output: meter.Output{Sample: a.result.Sample, Sampled: a.result.Sampled,
			Pieces: a.result.Chunks - a.result.Large, Unsampled: a.result.LargeText, Sound: a.result.Sound},
		clientGone: a.result.End == tap.ClientGone,
	}
}

// save calls write with the response object of the terminal event.
func (a *streamAnswer) save(write func(response []byte) error) {
	terminal := a.delivery.Terminal()
	if response := output.ResponseInFrame(terminal); response != nil && write(response) != nil {
		a.delivery.Amend(output.MarkFrameNotStored(terminal))
	}
}

// failure returns the problem word for the usage log; "" for a complete stream.
func (a *streamAnswer) failure() string {
	switch {
	case a.result.End == tap.Completed:
		return ""
	case a.result.End == tap.ClientGone:
		return problem.ClientClosed.String()
	case a.result.End == tap.QuotaExhausted:
		return problem.QuotaExhausted.String()
	}
	return a.broken.Kind.String()
}

// finish ends the stream with [DONE] or the terminal event, and with the usage if it lacks it. If the upstream did not
// complete the stream, finish ends it with an error. Write errors are ignored: they mean that the client disconnected.
func (a *streamAnswer) finish(event *usage.Event) error {
	switch {
	case a.result.End == tap.Completed && (a.stopped || a.delivery.Uncounted()):
		_ = a.delivery.FinishStopped(event.Usage, a.quota(event))
	case a.result.End == tap.Completed:
		_ = a.delivery.Finish()
	case a.result.End == tap.ClientGone:
		a.delivery.Abandon()
	case a.result.End == tap.QuotaExhausted:
		_ = a.delivery.FinishExhausted(event.Usage, a.quota(event))
	default:
		return a.abort(a.broken)
	}
	return nil
}

// quota returns the quota for the usage object; "" if the client did not ask for it.
func (a *streamAnswer) quota(event *usage.Event) string {
	if !a.withQuota {
		return ""
	}
	return event.Quota.String()
}

// abort sends err as the last event of the stream.
func (a *streamAnswer) abort(err error) error {
	_ = a.delivery.Fail(problem.From(err))
	return nil
}
