package upstream

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/view"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/egress"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

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

	patience time.Duration // for which it outlives its client
	forget   func() bool   // ends the watch over the client, nil for none
	payload  payload
}

var (
	errTimeout = errors.New("upstream timed out")
	errDrained = errors.New("the client has left, and the time to drain the upstream is over")
)

// open begins the attempt. It ends with its client's context ctx, or where the
// channel is drained some time after; when the relay stops, so do all.
func (c *Caller) open(ctx context.Context, channel *catalog.Channel) *attempt {
	a := &attempt{}
	if channel.OnDisconnect == catalog.Drain {
		a.patience = c.DrainTime
		a.ctx, a.cancel = context.WithCancelCause(c.Requests)
		a.forget = context.AfterFunc(ctx, a.leave)
	} else {
		a.ctx, a.cancel = context.WithCancelCause(ctx)
	}
	a.timer = time.AfterFunc(cmp.Or(channel.Settings.FirstByteTimeout, c.FirstByteTimeout), func() { a.cancel(errTimeout) })
	return a
}

// leave ends the attempt for want of a client, in its time.
func (a *attempt) leave() {
	if a.patience == 0 {
		a.cancel(context.Canceled)
		return
	}
	ctx, done := context.WithTimeout(a.ctx, a.patience)
	context.AfterFunc(ctx, func() {
		done()
		a.cancel(errDrained)
	})
}

func (a *attempt) close() {
	if a.forget != nil {
		a.forget()
	}
	a.timer.Stop()
	a.cancel(context.Canceled)
	if a.body != nil {
		_ = a.body.Close() // what is left of it is of no use
	}
}

func (c *Caller) try(ctx context.Context, call Call, channel *catalog.Channel, target *view.Target) (*Reply, *attemptError) {
	a := c.open(ctx, channel)
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
	request, err := c.request(call, reply, target)
	if err != nil {
		return unfit(err)
	}
	response, err := target.Transport.RoundTrip(request) //nolint:bodyclose // attempt.close does
	a.payload.release()
	if err != nil {
		return unreached(err)
	}
	a.body = response.Body
	hidden := private{target, reply.UpstreamModel, call.Request.Model}
	if err := c.judge(response, target, hidden); err != nil {
		return err
	}
	if call.Request.Stream {
		return c.openStream(reply, response, hidden)
	}
	response.Body = &heartbeat{response.Body, a.timer, cmp.Or(reply.Channel.Settings.IdleTimeout, c.IdleTimeout)}
	return readAnswer(reply, response, hidden)
}

// unfit is for a request that the channel cannot be sent: what it lacks, or
// what the client got wrong where the channel's settings had to be put in.
func unfit(err error) *attemptError {
	p := problem.From(err)
	if p.Kind != problem.InvalidType && p.Kind != problem.InvalidJSON {
		return &attemptError{word: "unsupported", kind: problem.UnsupportedParameter, cause: err}
	}
	class := p.Kind.Class()
	return &attemptError{word: "rejected", refusal: &problem.Refusal{
		Status: class.Status, Message: p.Text(), Type: class.Type, Param: p.Param, Code: class.Code,
	}}
}

// unreached tells a connection that the policy forbids from one that failed.
func unreached(err error) *attemptError {
	word := "connect"
	var refused *egress.Refused
	if errors.As(err, &refused) {
		word = "egress_refused"
	}
	return &attemptError{word: word, kind: problem.UpstreamFailed, cause: err}
}

func (c *Caller) request(call Call, reply *Reply, target *view.Target) (*http.Request, error) {
	var key string
	if n := uint64(len(target.Keys)); n > 0 {
		key = target.Keys[c.turn.Add(1)%n]
	}
	out, err := target.Provider.Request(provider.Call{
		Dialect: call.Dialect, Channel: reply.Channel, Base: target.Base, Key: key, UpstreamModel: reply.UpstreamModel, Request: call.Request,
	})
	if err != nil {
		return nil, err
	}
	maps.Copy(out.Header, target.Header)
	a := reply.attempt
	a.payload.body.Store(&out.Body)
	request := &http.Request{
		Method: out.Method, URL: out.URL, Header: out.Header, Host: out.URL.Host,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: out.Body.Reader(), ContentLength: out.Body.Size(), GetBody: a.payload.reader,
	}
	return request.WithContext(a.ctx), nil
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
func (c *Caller) judge(response *http.Response, target *view.Target, hidden private) *attemptError {
	if provider.FaultOf(response.StatusCode) == provider.NoFault {
		return nil
	}
	e := &attemptError{status: response.StatusCode, kind: problem.UpstreamFailed}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxErrorAnswer))
	if err != nil {
		e.word, e.cause = "cut", err
		return e
	}
	switch target.Provider.Fault(response.StatusCode, body) {
	case provider.CredentialFault:
		e.word, e.rest = "credential", credentialRest
	case provider.BusyFault:
		e.word, e.kind, e.rest = "rate_limited", problem.RateLimited, c.restOf(response.Header)
	case provider.ClientFault:
		e.word, e.refusal = "rejected", refusal(response.StatusCode, body, hidden)
	case provider.NoFault, provider.ServerFault:
		e.word, e.rest = "status", c.restOf(response.Header)
		if response.StatusCode == http.StatusRequestTimeout || response.StatusCode == http.StatusGatewayTimeout {
			e.kind = problem.UpstreamTimeout
		}
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
