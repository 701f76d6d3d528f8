// Package upstream calls channels: one attempt after the other along a plan,
// until one gives a good answer. The client sees nothing of the failed ones.
package upstream

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/view"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/provider"
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
	Now              func() time.Time
	Log              *slog.Logger
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
		ReadBufferSize:        16 << 10,
	}
	transport.RegisterProtocol(echo.Scheme, echo.NewTransport(o.Now))
	return &Caller{Options: o, Health: NewHealth(o.Now), transport: transport}
}

// Call is what to ask of the channels.
type Call struct {
	Dialect catalog.Dialect
	Request *openai.Request
	Plan    []routing.Candidate // the usable ones, in order
	Catalog *view.Catalog
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
		reply, err := c.try(ctx, call, candidate.Channel, target)
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

// attemptError is why one attempt failed.
type attemptError struct {
	status  int    // of the upstream, 0 without an answer
	word    string // stable word for logs
	kind    problem.Kind
	rest    time.Duration
	refusal *problem.Refusal
	cause   error
}

func (e *attemptError) Error() string {
	if e.cause != nil {
		return e.word + ": " + e.cause.Error()
	}
	return e.word
}

func (e *attemptError) problem() *problem.Problem {
	p := problem.Wrap(e.kind, e)
	if e.kind == problem.RateLimited {
		p.Message = "The upstream's rate limit is reached."
		p.RetryAfter = max(e.rest, time.Second)
	}
	return p
}

// attempt owns one upstream request: its context, timer and body.
type attempt struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	body   io.Closer

	payload payload
}

var errTimeout = errors.New("upstream timed out")

func (a *attempt) close() {
	a.timer.Stop()
	a.cancel(context.Canceled)
	if a.body != nil {
		_ = a.body.Close() // what is left of it is of no use
	}
}

func (c *Caller) try(ctx context.Context, call Call, channel *catalog.Channel, target *view.Target) (*Reply, *attemptError) {
	a := &attempt{}
	a.ctx, a.cancel = context.WithCancelCause(ctx)
	a.timer = time.AfterFunc(c.FirstByteTimeout, func() { a.cancel(errTimeout) })
	reply := &Reply{Channel: channel, UpstreamModel: channel.Models[call.Request.Model], attempt: a}
	err := c.exchange(reply, call, target)
	if err != nil {
		if errors.Is(context.Cause(a.ctx), errTimeout) {
			err = &attemptError{status: err.status, word: "timeout", kind: problem.UpstreamTimeout, cause: errTimeout}
		}
		a.close()
		return nil, err
	}
	a.timer.Stop()
	return reply, nil
}

func (c *Caller) exchange(reply *Reply, call Call, target *view.Target) *attemptError {
	a := reply.attempt
	response, err := c.transport.RoundTrip(c.request(a, call, target, reply.UpstreamModel)) //nolint:bodyclose // attempt.close does
	a.payload.release()
	if err != nil {
		return &attemptError{word: "connect", kind: problem.UpstreamFailed, cause: err}
	}
	a.body = response.Body
	hidden := private{target, reply.UpstreamModel, call.Request.Model}
	if err := c.judge(response, hidden); err != nil {
		return err
	}
	if call.Request.Stream {
		return c.openStream(reply, response, hidden)
	}
	response.Body = &heartbeat{response.Body, a.timer, c.IdleTimeout}
	return readAnswer(reply, response, hidden)
}

func (c *Caller) request(a *attempt, call Call, target *view.Target, upstreamModel string) *http.Request {
	var key string
	if n := uint64(len(target.Keys)); n > 0 {
		key = target.Keys[c.turn.Add(1)%n]
	}
	out := target.Provider.Request(provider.Call{
		Dialect: call.Dialect, Base: target.Base, Key: key, UpstreamModel: upstreamModel, Request: call.Request,
	})
	a.payload.body.Store(&out.Body)
	request := &http.Request{
		Method: out.Method, URL: out.URL, Header: out.Header, Host: out.URL.Host,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: out.Body.Reader(), ContentLength: out.Body.Size(), GetBody: a.payload.reader,
	}
	return request.WithContext(a.ctx)
}

// payload is the body of one attempt. The transport keeps its request for as
// long as the answer lasts: released, the payload lets the body go before.
type payload struct{ body atomic.Pointer[openai.Body] }

var errReleased = errors.New("the body was let go")

// reader serves the transport's retry on a connection that was closed idle.
func (p *payload) reader() (io.ReadCloser, error) {
	if body := p.body.Load(); body != nil {
		return body.Reader(), nil
	}
	return nil, errReleased
}

func (p *payload) release() { p.body.Store(nil) }

// judge turns an error status into what to do about it.
func (c *Caller) judge(response *http.Response, hidden private) *attemptError {
	e := &attemptError{status: response.StatusCode, kind: problem.UpstreamFailed}
	switch provider.FaultOf(response.StatusCode) {
	case provider.NoFault:
		return nil
	case provider.CredentialFault:
		e.word, e.rest = "credential", credentialRest
	case provider.BusyFault:
		e.word, e.kind, e.rest = "rate_limited", problem.RateLimited, c.restOf(response.Header)
	case provider.ServerFault:
		e.word, e.rest = "status", c.restOf(response.Header)
		if response.StatusCode == http.StatusRequestTimeout || response.StatusCode == http.StatusGatewayTimeout {
			e.kind = problem.UpstreamTimeout
		}
	case provider.ClientFault:
		body, err := io.ReadAll(io.LimitReader(response.Body, maxErrorAnswer))
		if err != nil {
			e.word, e.cause = "cut", err
			return e
		}
		e.word, e.refusal = "rejected", refusal(response.StatusCode, body, hidden)
	}
	return e
}

// restOf reads Retry-After (RFC 9110, section 10.2.3), 0 where there is none.
func (c *Caller) restOf(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 {
		return time.Duration(min(seconds, int(maxRest/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(c.Now()))
	}
	return 0
}

// heartbeat puts the timer off with every read: once the headers are in, it is
// silence that counts.
type heartbeat struct {
	io.ReadCloser
	timer *time.Timer
	idle  time.Duration
}

func (h *heartbeat) Read(p []byte) (int, error) {
	h.timer.Reset(h.idle)
	return h.ReadCloser.Read(p)
}

// readAnswer reads and checks a whole JSON answer.
func readAnswer(reply *Reply, response *http.Response, hidden private) *attemptError {
	fail := func(word string, cause error) *attemptError {
		return &attemptError{status: response.StatusCode, word: word, kind: problem.UpstreamFailed, cause: cause}
	}
	body, err := readAll(response)
	if err != nil {
		return fail("cut", err)
	}
	answer, err := openai.ScanAnswer(body)
	if err != nil {
		return fail("nonsense", err)
	}
	if answer.Error != nil {
		return fail("error_body", errors.New(hidden.clean(answer.Error.Message)))
	}
	reply.Body, reply.Answer = body, answer
	return nil
}

var errTooLarge = errors.New("answer too large")

func readAll(response *http.Response) ([]byte, error) {
	if response.ContentLength > maxAnswer {
		return nil, errTooLarge
	}
	if response.ContentLength > 0 {
		body := make([]byte, response.ContentLength)
		_, err := io.ReadFull(response.Body, body)
		return body, err
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if len(body) > maxAnswer {
		err = errTooLarge
	}
	return body, err
}

// openStream reads up to the first frame with data, which must be good: the
// client's 200 depends on it.
func (c *Caller) openStream(reply *Reply, response *http.Response, hidden private) *attemptError {
	fail := func(word string, cause error) *attemptError {
		return &attemptError{status: response.StatusCode, word: word, kind: problem.UpstreamFailed, cause: cause}
	}
	if !isEventStream(response.Header) {
		return fail("nonsense", errors.New("not an event stream"))
	}
	stream := openai.NewStream(response.Body, maxFrame, c.buffers.take())
	frame, err := stream.Peek()
	switch {
	case err != nil:
		return fail("empty_stream", err)
	case frame.Done:
		return fail("empty_stream", errors.New("the stream ends where it begins"))
	case frame.Bad != nil:
		return fail("nonsense", frame.Bad)
	case frame.Chunk.Error != nil:
		return fail("error_frame", errors.New(hidden.clean(frame.Chunk.Error.Message)))
	}
	reply.Stream, reply.buffers = stream, &c.buffers
	return nil
}

// Silence returns the function to cancel the upstream with when it has been
// silent for too long.
func (r *Reply) Silence() func() { return func() { r.attempt.cancel(errTimeout) } }

// TimedOut reports whether Silence's function ended the upstream.
func (r *Reply) TimedOut() bool { return errors.Is(context.Cause(r.attempt.ctx), errTimeout) }

// Close ends idle connections. Calls in flight go on.
func (c *Caller) Close() {
	if t, ok := c.transport.(*http.Transport); ok {
		t.CloseIdleConnections()
	}
}
