package upstream

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/pin"
	"github.com/tollgate/tollgate/apps/relay/internal/view"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/provider/translate"
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
	answer   *translate.Answer // nil where the upstream speaks the client's dialect
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
	a.timer = time.AfterFunc(c.FirstByteTimeout, func() { a.cancel(errTimeout) })
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

func (c *Caller) try(ctx context.Context, call *Call, channel *catalog.Channel, target *view.Target) (*Reply, *attemptError) {
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

func (c *Caller) exchange(reply *Reply, call *Call, target *view.Target) *attemptError {
	a := reply.attempt
	request, err := c.request(call, reply, target)
	if err != nil {
		return &attemptError{word: "unsupported", kind: problem.UnsupportedParameter, cause: err}
	}
	response, err := c.transport.RoundTrip(request) //nolint:bodyclose // attempt.close does
	a.payload.release()
	if err != nil {
		return &attemptError{word: "connect", kind: problem.UpstreamFailed, cause: err}
	}
	a.body = response.Body
	reply.hidden = private{target, reply.UpstreamModel, call.Request.Model, call.Origin.ID, call.Request.Previous}
	if err := c.judge(response, target, reply.hidden); err != nil {
		return err
	}
	if call.Request.Stream {
		return c.openStream(reply, call.Dialect, response)
	}
	response.Body = &heartbeat{response.Body, a.timer, c.IdleTimeout}
	return readAnswer(reply, response)
}

func (c *Caller) request(call *Call, reply *Reply, target *view.Target) (*http.Request, error) {
	reply.key = c.credential(target, call.Origin.Credential)
	meaning, err := call.translated(reply.Channel)
	if err != nil {
		return nil, err
	}
	out, err := target.Provider.Request(provider.Call{
		Dialect: call.Dialect, Channel: reply.Channel, Base: target.Base, Key: reply.key, UpstreamModel: reply.UpstreamModel,
		Request: call.Request, Conversation: meaning,
	})
	if err != nil {
		return nil, err
	}
	a := reply.attempt
	if out.Decoder != nil {
		a.answer = translate.NewAnswer(call.Dialect, conversation.Head{
			ID: hex.EncodeToString(call.ID[:]), Model: call.Request.Model, Created: c.Now(), Request: meaning,
		}, out.Decoder)
	}
	a.payload.body.Store(&out.Body)
	request := &http.Request{
		Method: out.Method, URL: out.URL, Header: out.Header, Host: out.URL.Host,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: out.Body.Reader(), ContentLength: out.Body.Size(), GetBody: a.payload.reader,
	}
	return request.WithContext(a.ctx), nil
}

// translated returns what the request means, nil where the channel speaks the
// client's dialect.
func (c *Call) translated(channel *catalog.Channel) (*conversation.Request, error) {
	if channel.Speaks(c.Dialect) {
		return nil, nil //nolint:nilnil // nothing is to be translated
	}
	if c.conversation != nil {
		return c.conversation, nil
	}
	var err error
	c.conversation, err = translate.Request(c.Request.Forward(c.Request.Model).Bytes(), c.Dialect)
	return c.conversation, err
}

// credential returns the one that is wanted. Where the channel has it no more,
// or none is wanted, they take turns.
func (c *Caller) credential(target *view.Target, wanted pin.Credential) string {
	if wanted != (pin.Credential{}) {
		for _, key := range target.Keys {
			if pin.CredentialOf(key) == wanted {
				return key
			}
		}
	}
	if n := uint64(len(target.Keys)); n > 0 {
		return target.Keys[c.turn.Add(1)%n]
	}
	return ""
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
