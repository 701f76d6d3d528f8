package pipeline

import (
	"net/http"

	"github.com/tollgate/tollgate/apps/relay/internal/tap"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// failedAnswer is an upstream's failed answer, JSON or a whole stream. Nothing of it is sent yet. The call is logged
// as failed and charged for the tokens that the answer reports.
type failedAnswer struct {
	jsonAnswer              // body is the JSON, or the frames of the stream before the last one
	lastFrame  output.Frame // of a stream
	report     output.Report
	opening    *tap.Opening // of a stream
}

// failed returns the failed answer as the client gets it: with the ids of the gateway, and without private data of
// the upstream.
func (d *deliverer) failed(w http.ResponseWriter, x *exchange, opening *tap.Opening, reply *upstream.Reply) answer {
	a := &failedAnswer{jsonAnswer: jsonAnswer{w: w, x: x, reply: reply}, opening: opening}
	if reply.Stream == nil {
		a.body = d.body(x, reply)
		a.report = reply.Answer.Report
		return a
	}
	source := d.source(x, reply)
	for frame, err := source.Next(); err == nil; frame, err = source.Next() {
		a.body = append(a.body, a.lastFrame.Raw...)
		a.lastFrame = frame
		a.report.Add(&frame)
	}
	return a
}

// observed returns the usage that the answer reports, zero if it reports none: what failed is not estimated.
func (a *failedAnswer) observed() observed {
	u := a.report.Usage
	if u == nil {
		u = &usage.Usage{}
	}
	return observed{usage: u, charges: &a.report.Charges, failed: true, failure: a.reply.Failed.Kind.String()}
}

// save does nothing, because the gateway stores no failed responses.
func (a *failedAnswer) save(func(response []byte) error) {}

// finish sends the whole answer.
func (a *failedAnswer) finish(event *usage.Event) error {
	if a.reply.Stream == nil {
		return a.jsonAnswer.finish(event)
	}
	a.w.Header()["Openai-Processing-Ms"] = []string{milliseconds(event.Latency)}
	a.x.showRemaining(a.w.Header())
	a.opening.Begin()
	frame := a.lastFrame.Raw
	if a.x.withQuota && a.lastFrame.Chunk.Usage != nil {
		frame = a.lastFrame.WithQuota(event.Quota.String())
	}
	if a.reply.Translated() { // no upstream stores the response, and the gateway stores no failed ones
		frame = output.MarkFrameNotStored(frame)
	}
	_, _ = a.w.Write(append(a.body, frame...)) //nolint:gosec // an event stream, sent as one; the client may have disconnected
	return nil
}
