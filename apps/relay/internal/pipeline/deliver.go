package pipeline

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/apps/relay/internal/tap"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
	"github.com/tollgate/tollgate/libs/wire/openai/tally"
	"github.com/tollgate/tollgate/libs/wire/openai/upstreamid"
)

// deliverer passes replies on to clients.
type deliverer struct {
	ids      *stored.Codec
	timeouts tap.Timeouts
	buffers  *tap.Buffers
	now      func() time.Time
}

// open begins to wait for the answer to a request. It returns nil if that will not be a stream.
func (d *deliverer) open(w http.ResponseWriter, x *exchange) *tap.Opening {
	if !x.log.Stream {
		return nil
	}
	return tap.Open(w, catalog.Dialect(x.log.Dialect), d.timeouts, d.buffers)
}

// deliver sends a stream to the client except for its end. It sends nothing of a JSON body: the body waits
// until the call is metered, because a header shows the quota. It sends nothing of a failed answer either. opening is
// that of a stream, and is held.
func (d *deliverer) deliver(w http.ResponseWriter, r *http.Request, x *exchange, opening *tap.Opening,
	reply *upstream.Reply) answer {
	header := w.Header()
	header["X-Tollgate-Channel"] = []string{reply.Channel.Name}
	if reply.SentTier != "" {
		header[tierHeader] = []string{reply.SentTier}
	}
	if reply.Failed != nil {
		return d.failed(w, x, opening, reply)
	}
	if reply.Stream == nil {
		return &jsonAnswer{w: w, x: x, reply: reply, body: d.body(x, reply),
			clientGone: errors.Is(context.Cause(r.Context()), context.Canceled)}
	}
	header["Openai-Processing-Ms"] = []string{milliseconds(d.now().Sub(x.log.CreatedAt))}
	x.showRemaining(header)
	allowance := newAllowance(x)
	options := tap.Options{
		Source: d.source(x, reply), Dialect: catalog.Dialect(x.log.Dialect), WantsUsage: x.wantsUsage,
		Choices: x.choices, Mark: allowance.mark(r.Context(), 0), Allowance: allowance,
		Upstream: reply, OnClientGone: reply.ClientGone,
		Drain:    reply.Channel.OnDisconnect == catalog.DisconnectDrain,
		Timeouts: d.timeoutsOf(reply.Channel), Buffers: d.buffers,
	}
	if x.withQuota {
		options.FormatQuota = func(u usage.Usage) string {
			// The dialect has no fields for some of the classes.
			if reply.Translated() && x.log.Dialect == string(catalog.Messages) {
				if full, charges := reply.CompleteUsage(&u, tally.Charges{}); full != nil {
					u = charges.AddTo(*full)
				}
			}
			_, quota := x.charge(r.Context(), x.charged(u))
			return quota.String()
		}
	}
	delivery, result := opening.Deliver(r.Context(), options)
	if reply.Translated() {
		result.Usage, result.Charges = reply.CompleteUsage(result.Usage, result.Charges)
	}
	sent := &streamAnswer{delivery: delivery, result: result, stopped: reply.Stopped(),
		cut: reply.Stopped() && !reply.HasFinalUsage(), withQuota: x.withQuota}
	if sent.stopped {
		reply.Cancel() // the rest of the upstream's answer is not part of the client's
	}
	switch result.End {
	case tap.UpstreamAborted, tap.UpstreamError:
		sent.broken = reply.ReportBroken()
	case tap.QuotaExhausted:
		reply.Cancel() // the account cannot pay for the rest, so the upstream need not generate it
	}
	return sent
}

// source returns the stream of the reply. In the responses dialect, and of audio, it replaces the upstream's ids by the
// ids that the client gets.
func (d *deliverer) source(x *exchange, reply *upstream.Reply) tap.Source {
	switch mark := d.audioMarker(x, reply); {
	case mark != nil:
		return &audioStream{reply.Stream, mark}
	case x.log.Dialect != string(catalog.Responses):
		return reply.Stream
	}
	return &renamedStream{reply.Stream, d.rewriter(x, reply, x.bound.input+x.bound.output)}
}

// body returns the JSON of the reply. In the responses dialect, and of audio, it replaces the upstream's ids by the ids
// that the client gets.
func (d *deliverer) body(x *exchange, reply *upstream.Reply) []byte {
	switch mark := d.audioMarker(x, reply); {
	case mark != nil:
		body, _ := upstreamid.MarkAudio(reply.Body, mark)
		return body
	case x.log.Dialect != string(catalog.Responses):
		return reply.Body
	}
	tokens := x.bound.input + x.bound.output
	if reply.Answer.Usage != nil {
		tokens = reply.Answer.Usage.Total()
	}
	return d.rewriter(x, reply, tokens).RewriteBody(reply.Body)
}

// timeoutsOf returns the stream timeouts of a channel: the timeouts of the relay, unless the channel overrides
// them.
func (d *deliverer) timeoutsOf(channel *catalog.Channel) tap.Timeouts {
	timeouts := d.timeouts
	timeouts.IdleTimeout = cmp.Or(channel.Settings.IdleTimeout, timeouts.IdleTimeout)
	return timeouts
}

// rewriter returns the Rewriter that replaces the upstream's ids in an answer. An id of the upstream gets the
// same replacement everywhere in the answer. tokens is an upper bound of the tokens of the response; the
// replacement id contains it, so that a later request that continues the response can be bounded.
func (d *deliverer) rewriter(x *exchange, reply *upstream.Reply, tokens int64) *output.Rewriter {
	origin := stored.Origin{Channel: reply.Channel.ID, Credential: reply.Credential(),
		User: x.log.UserID, Tokens: tokens}
	var rewritten stored.Origin
	var ownName, tag string
	rewriter := &output.Rewriter{
		ResponseID: func(id string) string {
			if reply.Translated() { // a translated response has the relay's id already
				return id
			}
			if rewritten.ID != id {
				rewritten = origin
				rewritten.ID = id
				ownName = d.ids.EncodeID(x.log.TenantID, rewritten)
			}
			return ownName
		},
		PreviousID: func(string) string { return x.previous },
		MarkID:     d.marker(x, reply, origin),
		ResumedID:  x.previous,
		Tag: func() string {
			if tag == "" {
				tag = d.ids.EncodeTag(x.log.TenantID, origin.Channel, origin.Credential)
			}
			return tag
		},
		CleanMessage: reply.Clean,
	}
	if reply.Failed != nil { // it stands for an error, and no error names the upstream's model
		rewriter.Model = reply.PublicModel
	}
	return rewriter
}

// marker returns the function that marks the other ids of the upstream; nil for a translated answer, which has the
// relay's ids, and for a channel whose ids need no mark. The events of a stream repeat the id of their item, so the
// last one is kept.
func (d *deliverer) marker(x *exchange, reply *upstream.Reply, origin stored.Origin) func(id string) string {
	if reply.Translated() || !x.snapshot.MarksIDs(reply.Channel) {
		return nil
	}
	mark := ""
	return func(id string) string {
		if id != origin.ID {
			origin.ID = id
			mark = d.ids.MarkID(x.log.TenantID, origin)
		}
		return mark
	}
}

// audioMarker returns the function that marks the ids of audio in a chat answer; nil for an answer that has none.
func (d *deliverer) audioMarker(x *exchange, reply *upstream.Reply) func(id string) string {
	if !x.audio || x.log.Dialect != string(catalog.Chat) {
		return nil
	}
	return d.marker(x, reply, stored.Origin{Channel: reply.Channel.ID, Credential: reply.Credential(),
		User: x.log.UserID})
}

// audioStream is a chat stream in which the ids of audio are marked.
type audioStream struct {
	*output.Stream
	mark func(id string) string
}

// Next returns the next frame with its ids marked.
func (s *audioStream) Next() (output.Frame, error) {
	frame, err := s.Stream.Next()
	if err == nil && frame.Err == nil {
		if data, ok := upstreamid.MarkAudio(frame.Data, s.mark); ok {
			frame.Replace(data)
		}
	}
	return frame, err
}

// renamedStream is a responses stream in which the ids are replaced.
type renamedStream struct {
	*output.Stream
	rewriter *output.Rewriter
}

// Next returns the next frame with its ids replaced.
func (s *renamedStream) Next() (output.Frame, error) {
	frame, err := s.Stream.Next()
	if err == nil {
		s.rewriter.RewriteFrame(&frame)
	}
	return frame, err
}
