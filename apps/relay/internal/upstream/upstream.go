// Package upstream calls channels: one attempt after the other along a plan,
// until one gives a good answer. The client sees nothing of the failed ones.
package upstream

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/pin"
	"github.com/tollgate/tollgate/apps/relay/internal/view"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/provider/echo"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

const (
	maxAnswer      = 64 << 20 // bytes of a JSON answer
	maxFrame       = 16 << 20 // bytes of one SSE frame
	maxErrorAnswer = 64 << 10 // bytes read of an error answer
	credentialRest = time.Minute
	idlePerHost    = 4_096
)

// Options of a Caller.
type Options struct {
	ConnectTimeout   time.Duration
	FirstByteTimeout time.Duration // until the first good frame, or the whole JSON answer's headers
	IdleTimeout      time.Duration // silence inside an answer
	DrainTime        time.Duration // how long an answer is read on for a client that has left
	// Requests is the parent of all requests' contexts: with it ends what outlives
	// its client.
	Requests context.Context
	Now      func() time.Time
	Log      *slog.Logger
}

// Caller calls channels. It is safe for concurrent use.
type Caller struct {
	Options
	Health    *Health
	transport http.RoundTripper
	turn      atomic.Uint64 // rotates over a channel's credentials
	buffers   buffers
}

// New returns a Caller with its own connections.
func New(o Options) *Caller {
	transport := &http.Transport{
		Proxy:                 nil, // egress goes where the operator's base URLs say, nowhere else
		DialContext:           (&net.Dialer{Timeout: o.ConnectTimeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   o.ConnectTimeout,
		ForceAttemptHTTP2:     true,
		DisableCompression:    true, // the client gets the bytes as they are
		MaxIdleConns:          0,
		MaxIdleConnsPerHost:   idlePerHost,
		IdleConnTimeout:       90 * time.Second,
		ExpectContinueTimeout: time.Second,
		WriteBufferSize:       16 << 10,
		ReadBufferSize:        32 << 10, // few large reads of a fast stream
	}
	transport.RegisterProtocol(echo.Scheme, echo.NewTransport(o.Now))
	return &Caller{Options: o, Health: NewHealth(o.Now), transport: transport}
}

// Call is what to ask of the channels.
type Call struct {
	ID      uuid.UUID // the request's
	Dialect catalog.Dialect
	Request *openai.Request
	Plan    []routing.Candidate // the usable ones, in order
	Catalog *view.Catalog
	Origin  pin.Pin // of the response that the request goes on from: zero for none

	conversation *conversation.Request // what Request means, once a channel needed to know
}

// Reply is a good answer: a whole JSON body, or a stream whose first frame is
// good and comes next. It must be closed.
type Reply struct {
	Channel       *catalog.Channel
	UpstreamModel string
	Attempts      []usage.Attempt

	Body   []byte         // the JSON answer, nil for a stream
	Answer openai.Answer  // what was read of Body
	Stream *openai.Stream // nil for JSON

	attempt *attempt
	buffers *buffers
	hidden  private
	key     string // the credential used
}

// Credential tells which of the channel's credentials was used.
func (r *Reply) Credential() pin.Credential { return pin.CredentialOf(r.key) }

// Clean takes out of an upstream's text what is private.
func (r *Reply) Clean(text string) string { return r.hidden.clean(text) }

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

// Do tries the channels of the plan, each once, until one answers well. It
// returns a Reply or a Failure, never both, never neither.
func (c *Caller) Do(ctx context.Context, call Call) (*Reply, *Failure) {
	failure := &Failure{Problem: problem.Of(problem.NoChannel)}
	for _, candidate := range call.Plan {
		target := call.Catalog.Target(candidate.Channel.ID)
		if target == nil {
			continue
		}
		started := c.Now()
		reply, err := c.try(ctx, &call, candidate.Channel, target)
		failure.note(candidate.Channel, err, c.Now().Sub(started))
		if err == nil {
			c.Health.Served(candidate.Channel.ID)
			reply.Attempts = failure.Attempts
			return reply, nil
		}
		if err.refusal != nil {
			failure.Problem = &problem.Problem{Kind: problem.UpstreamRejected, Refusal: err.refusal}
			return nil, failure
		}
		if ctx.Err() != nil {
			failure.Problem = interrupted(ctx)
			return nil, failure
		}
		if err.kind == problem.UnsupportedParameter { // the channel is well, the call is not for it
			failure.Problem = problem.From(err.cause)
			continue
		}
		c.Health.Failed(candidate.Channel.ID, err.rest)
		c.Log.Warn("channel failed", "channel", candidate.Channel.Name, "status", err.status, "error", err)
		failure.Problem = err.problem()
	}
	return nil, failure
}

// interrupted tells a client that left (context.Canceled) from a relay that
// stops (any other cause).
func interrupted(ctx context.Context) *problem.Problem {
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return problem.Wrap(problem.Overloaded, cause)
	}
	return problem.Wrap(problem.UpstreamFailed, context.Canceled)
}

func (f *Failure) note(channel *catalog.Channel, err *attemptError, elapsed time.Duration) {
	attempt := usage.Attempt{ChannelID: channel.ID, Status: http.StatusOK, Elapsed: elapsed}
	if err != nil {
		attempt.Status, attempt.Error = err.status, err.word
	}
	f.Channel, f.Attempts = channel, append(f.Attempts, attempt)
}

// Translated reports whether the answer was made here of what the upstream
// said in another dialect.
func (r *Reply) Translated() bool { return r.attempt.answer != nil }

// Silence returns the function to cancel the upstream with when it has been
// silent for too long.
func (r *Reply) Silence() func() { return func() { r.attempt.cancel(errTimeout) } }

// TimedOut reports whether Silence's function ended the upstream.
func (r *Reply) TimedOut() bool { return errors.Is(context.Cause(r.attempt.ctx), errTimeout) }

// Leave ends the upstream's side for want of a client, at once or, where the
// channel is drained, in its time. It may be called at any time before Close.
func (r *Reply) Leave() { r.attempt.leave() }

// Cancel ends the upstream's side at once. It may be called before Close.
func (r *Reply) Cancel() { r.attempt.cancel(context.Canceled) }

// Close ends idle connections. Calls in flight go on.
func (c *Caller) Close() {
	if t, ok := c.transport.(*http.Transport); ok {
		t.CloseIdleConnections()
	}
}
