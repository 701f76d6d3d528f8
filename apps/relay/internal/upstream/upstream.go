// Package upstream calls channels: one attempt after the other along a plan,
// until one gives a good answer. The client does not see failed attempts.
package upstream

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/trace"

	"github.com/tollgate/tollgate/apps/relay/internal/responseid"
	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/apps/relay/internal/telemetry"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/wire/openai"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

const (
	maxAnswer          = 64 << 20 // bytes of a JSON answer
	maxFrame           = 16 << 20 // bytes of one SSE frame
	maxErrorAnswer     = 64 << 10 // bytes read of an error answer
	credentialCooldown = time.Minute

	errorAnswerTime = 5 * time.Second // for the body of an error answer
)

// Options of a Client.
type Options struct {
	FirstByteTimeout time.Duration // until the first good frame, or the whole JSON answer's headers, where a channel has none of its own
	IdleTimeout      time.Duration // silence inside an answer, the same
	DrainTime        time.Duration // how long an answer is read on for a client that has left
	RequestTimeout   time.Duration // for all attempts of a call: a JSON answer is whole by then, a stream has begun
	// Requests is the parent of all requests' contexts: with it ends what outlives
	// its client.
	Requests context.Context
	Now      func() time.Time
	Log      *slog.Logger
	// OnAttempt is called after each attempt, unless nil.
	OnAttempt func(channel *catalog.Channel, attempt *usage.Attempt)
	// Tracer makes a span of each attempt of a call that is traced. nil: none.
	Tracer trace.Tracer
	// Propagate sends upstreams the trace that a call is part of.
	Propagate bool
}

// Client calls channels. It is safe for concurrent use.
type Client struct {
	Options
	Health     *Health
	turn       atomic.Uint64 // rotates over a channel's credentials
	buffers    buffers
	failureLog failureLog
}

// New returns a Client that knows of no unhealthy channel.
func New(o Options) *Client { return &Client{Options: o, Health: NewHealth(o.Now)} }

// Call is what to ask of the channels.
type Call struct {
	ID       uuid.UUID // the request's
	Dialect  catalog.Dialect
	Request  *openai.Request
	Plan     []routing.Candidate // the usable ones, in order
	Affinity uint64              // calls with the same one use the same credential; 0: any
	Origin   responseid.Origin   // of the response that the request goes on from: zero for none
	Snapshot *snapshot.Snapshot
	Begun    time.Time // when the plan was made: the time of its attempts counts from then

	deadline     time.Time
	conversation *conversation.Request // what Request means, once a channel needed to know
}

// Reply is a good answer: a whole JSON body, or a stream whose first frame is
// good and comes next. It must be closed.
type Reply struct {
	Channel       *catalog.Channel
	UpstreamModel string
	Attempts      []usage.Attempt

	Body   []byte          // the JSON answer, nil for a stream
	Answer output.Response // what was read of Body
	Stream *output.Stream  // nil for JSON

	attempt *attempt
	buffers *buffers
	hidden  private
}

// Credential tells which of the channel's credentials was used.
func (r *Reply) Credential() responseid.CredentialHash {
	return responseid.HashCredential(r.attempt.ticket.key.Fingerprint)
}

// Clean takes out of an upstream's text what is private.
func (r *Reply) Clean(text string) string { return r.hidden.clean(text) }

// RecordUsage adds the usage to the trace.
func (r *Reply) RecordUsage(log *usage.Log) {
	if r.attempt.span != nil {
		r.attempt.span.SetAttributes(telemetry.Tokens(log)...)
	}
}

// Close ends the upstream's side. No frame of the Stream is valid afterwards.
func (r *Reply) Close() {
	r.attempt.close()
	if r.Stream != nil {
		r.buffers.give(r.Stream.Release())
		r.Stream = nil
	}
}

// buffers are those of streams that have ended.
type buffers struct{ pool sync.Pool }

// maxPooled is the size in bytes beyond which a buffer is not kept: it was for
// one large frame.
const maxPooled = 64 << 10

func (b *buffers) take() []byte {
	if kept, ok := b.pool.Get().(*[]byte); ok {
		return *kept
	}
	return nil
}

func (b *buffers) give(buf []byte) {
	if cap(buf) <= maxPooled {
		b.pool.Put(&buf)
	}
}

// Failure is what Do returns when no channel gave a good answer.
type Failure struct {
	Problem  *problem.Problem
	Channel  *catalog.Channel
	Attempts []usage.Attempt
}

// Error is for logs.
func (f *Failure) Error() string { return f.Problem.Error() }

// Unwrap returns the Problem.
func (f *Failure) Unwrap() error { return f.Problem }

// interrupted tells a client that left (context.Canceled) from a relay that
// stops (any other cause).
func interrupted(ctx context.Context) *problem.Problem {
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return problem.Wrap(problem.Overloaded, cause)
	}
	return problem.Wrap(problem.ClientClosed, context.Canceled)
}

// Translated reports whether the answer was made here of what the upstream
// said in another dialect.
func (r *Reply) Translated() bool { return r.attempt.answer != nil }

// CancelSilent returns the function that cancels the upstream because it was
// silent for too long.
func (r *Reply) CancelSilent() func() { return func() { r.attempt.cancel(errTimeout) } }

// TimedOut reports whether CancelSilent's function ended the upstream.
func (r *Reply) TimedOut() bool { return errors.Is(context.Cause(r.attempt.ctx), errTimeout) }

// Leave ends the upstream's side for want of a client, at once or, where the
// channel is drained, in its time. It may be called at any time before Close.
func (r *Reply) Leave() { r.attempt.leave() }

// Cancel ends the upstream's side at once. It may be called before Close.
func (r *Reply) Cancel() { r.attempt.cancel(context.Canceled) }

// ReportBroken records that the answer did not complete. It counts against the
// channel if the upstream is at fault.
func (r *Reply) ReportBroken() {
	word := "broken"
	if cause := context.Cause(r.attempt.ctx); errors.Is(cause, errTimeout) {
		word = "silent"
	} else if cause != nil {
		return // the client's doing, or ours
	}
	r.attempt.fail(word)
	t := &r.attempt.ticket
	t.failed(&attemptError{word: word, fault: provider.ServerFault}, t.lane.health.now())
}
