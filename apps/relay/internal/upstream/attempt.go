package upstream

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/trace"

	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/egress"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/provider/translate"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// attempt owns one upstream request: its context, timer and response body.
type attempt struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	limits limits
	ticket ticket
	body   io.Closer
	source timedReader // of the body, if it is a stream

	drainTime    time.Duration // how long the attempt outlives its client, 0: not at all
	stopWatching func() bool   // ends the wait for the client's disconnect, nil for none
	payload      payload
	dialect      catalog.Dialect       // of the request body
	memory       Memory                // of the call, for the answer
	forFrames    int64                 // bytes that were taken for the frames of a stream
	answer       *translate.Translator // nil if the upstream speaks the client's dialect, and for embeddings
	embeddings   embeddingsDecoder     // nil if the upstream speaks the client's dialect
	responseID   uuid.UUID             // of the translated response, in the dialect responses
	span         trace.Span            // nil if the call isn't traced
}

var (
	errTimeout = errors.New("upstream timed out")
	errLate    = errors.New("the deadline of the call has passed")
	errStalled = errors.New("the upstream did not complete its error response in time")
	errDrained = errors.New("the client has disconnected and the drain time has passed")
)

// open starts an attempt. Its context ends with ctx, the context of the client's request, or some time later
// if the channel is set to drain. It also ends when the relay stops.
func (c *Client) open(ctx context.Context, channel *catalog.Channel, t ticket, deadline time.Time) *attempt {
	a := &attempt{ticket: t, limits: c.limits(channel, deadline)}
	if channel.OnDisconnect == catalog.DisconnectDrain {
		// The context must outlive the client's request, so it is derived from a context of the relay.
		a.drainTime = c.DrainTime
		a.ctx, a.cancel = context.WithCancelCause(c.Requests)
		a.stopWatching = context.AfterFunc(ctx, a.clientGone)
	} else {
		a.ctx, a.cancel = context.WithCancelCause(ctx)
	}
	a.timer = time.AfterFunc(a.limits.limitWait(t.begun, a.limits.firstFrame), a.expire)
	return a
}

// expire ends the attempt: because of its own timeout, or because the deadline of the call has passed.
func (a *attempt) expire() {
	if a.ticket.model.health.now().Before(a.limits.deadline) {
		a.cancel(errTimeout)
		return
	}
	a.cancel(errLate)
}

// limits are the timeouts of an attempt.
type limits struct {
	firstFrame time.Duration // until the first good frame, or the headers of a JSON response
	idle       time.Duration // longest silence in a JSON body
	deadline   time.Time     // of the whole call
}

// limits returns the timeouts of an attempt on the channel.
func (c *Client) limits(channel *catalog.Channel, deadline time.Time) limits {
	return limits{
		firstFrame: cmp.Or(channel.Settings.FirstByteTimeout, c.FirstByteTimeout),
		idle:       cmp.Or(channel.Settings.IdleTimeout, c.IdleTimeout),
		deadline:   deadline,
	}
}

// limitWait returns wait, or the time until the deadline if that is shorter.
func (l *limits) limitWait(now time.Time, wait time.Duration) time.Duration {
	return min(wait, max(l.deadline.Sub(now), 0))
}

// clientGone ends the attempt after drainTime, because the client has disconnected.
func (a *attempt) clientGone() {
	if a.drainTime == 0 {
		a.cancel(context.Canceled)
		return
	}
	ctx, cancel := context.WithTimeout(a.ctx, a.drainTime)
	context.AfterFunc(ctx, func() {
		cancel()
		a.cancel(errDrained)
	})
}

// TakeForFrame implements sse.Memory. If there is no room, it ends the attempt.
func (a *attempt) TakeForFrame(bytes int) error {
	n := frameCopies * int64(bytes)
	if err := a.memory.Grow(a.ctx, n); err != nil {
		a.cancel(err)
		return err
	}
	a.forFrames += n
	return nil
}

// close releases everything that the attempt owns.
func (a *attempt) close() {
	if a.stopWatching != nil {
		a.stopWatching()
	}
	a.timer.Stop()
	a.ticket.endInFlight()
	a.cancel(context.Canceled)
	if a.body != nil {
		_ = a.body.Close() // the rest of the body is of no use
	}
	if a.span != nil {
		a.span.End()
	}
}

// try makes one attempt. It takes over the ticket and ends it.
func (f *failover) try(ctx context.Context, cand candidate, t ticket) (*Reply, *attemptError) {
	channel := cand.entry.Channel
	a := f.open(ctx, channel, t, f.call.deadline)
	a.span = f.span(ctx, f.call.Dialect, channel, channel.Models[f.call.Request.Model])
	ended := false
	defer func() {
		if !ended { // after a panic: a half-open breaker would wait for the end of this attempt forever
			a.ticket.discard(f.Now())
			a.close()
		}
	}()
	reply := &Reply{Channel: channel, UpstreamModel: channel.Models[f.call.Request.Model], attempt: a,
		dialect: f.call.Dialect}
	err := f.exchange(reply, f.call, cand)
	f.failure.Ignored = reply.Ignored
	f.clock, ended = f.Now(), true
	if err != nil {
		err.endCallIfBilled(a)
	}
	if err == nil {
		a.timer.Stop()
		f.endWithSuccess(a)
		if reply.Stream != nil {
			a.ticket.recordStreamStart(f.clock)
		}
		return reply, nil
	}
	// The error of a canceled request doesn't say why the request was canceled, but the cause of the context
	// does. A timeout of the channel counts as a failure of the channel. The deadline of the call and a
	// disconnect of the client don't: the channel may have had only the last few seconds of the call. What the attempt
	// was billed stays with it.
	switch cause := context.Cause(a.ctx); {
	case errors.Is(cause, errTimeout):
		err = &attemptError{status: err.status, code: codeTimeout, kind: problem.UpstreamTimeout,
			fault: provider.ServerFault, final: err.final, usage: err.usage, cause: errTimeout}
	case errors.Is(cause, errLate):
		err = &attemptError{status: err.status, code: codeLate, kind: problem.UpstreamTimeout,
			final: err.final, usage: err.usage, cause: errLate}
		f.Health.outages.suspect(channel, t.key)
	case ctx.Err() != nil:
		err.fault = provider.NoFault
		// What the upstream had said by then stays: a refusal, and an error response whose body stalled. So does the
		// failure of an attempt that outlived its client.
		if cause != nil && !errors.Is(cause, errStalled) && err.refusal == nil {
			err.code = interruptionCode(ctx)
		}
	}
	f.endWithFailure(a, err)
	a.recordOnSpan(err.code)
	a.close()
	return nil, err
}

// endCallIfBilled makes a failure the last attempt of its call if the failed answer reports usage: the upstream bills
// it, and would bill another answer, too. A report of zeros, as some servers begin a stream with, is no report.
func (e *attemptError) endCallIfBilled(a *attempt) {
	if e.usage == nil && a.answer != nil {
		e.usage = a.answer.ReportedUsage()
	}
	if u := e.usage; u != nil && u.Total() == 0 && u.ReportedCost == 0 && u.Tools == (usage.Tools{}) {
		e.usage = nil
	}
	e.final = e.final || e.usage != nil && e.usage.Total() > 0
}

// endWithSuccess ends the attempt's ticket after a success. The success of an operation does not prove that calls
// succeed.
func (f *failover) endWithSuccess(a *attempt) {
	if f.call.Operation != "" {
		a.ticket.discard(f.clock)
		return
	}
	a.ticket.recordSuccess(f.clock)
}

// endWithFailure ends the attempt's ticket after a failure. A failed operation says nothing about calls: many servers
// lack the operation, and providers limit its rate separately. OpenAI answers 403 to a request for embeddings if the
// model has none, which says nothing about the credential.
func (f *failover) endWithFailure(a *attempt, err *attemptError) {
	if f.call.Dialect == catalog.Embeddings && err.status == http.StatusForbidden {
		a.ticket.discard(f.clock)
		return
	}
	if f.call.Operation != "" || err.fault == provider.NoFault || err.fault == provider.ClientFault {
		a.ticket.discard(f.clock)
		return
	}
	a.ticket.recordFailure(err, f.clock)
}

// exchange sends the request and checks the response. On success it fills in reply.
func (c *Client) exchange(reply *Reply, call *Call, cand candidate) *attemptError {
	a := reply.attempt
	a.memory = call.Memory
	request, err := c.request(call, reply, cand.target)
	if err != nil {
		return requestError(err)
	}
	response, err := cand.target.Transport.RoundTrip(request) //nolint:bodyclose // attempt.close closes it
	a.payload.release()
	if err != nil {
		return connectError(err)
	}
	a.body = response.Body
	egress.Unzip(response)
	// Everything that the upstream says from here on may reach the client and must be redacted.
	reply.redact = redactor{cand.target, reply.UpstreamModel, call.Request.Model, call.Origin.ID, call.Request.Previous}
	if provider.FaultOf(response.StatusCode) != provider.NoFault {
		err := c.readErrorResponse(response, a, reply.redact)
		if (call.Operation != "" || call.Dialect == catalog.Embeddings) && err.isMissingPath() {
			return missingOperation(err)
		}
		return err.correctFault(call, a)
	}
	if call.Request.Stream {
		return c.openStream(reply, call.Dialect, response)
	}
	response.Body = a.limitSilence(response.Body, c.Now) // the headers have arrived in time
	if call.Operation == provider.CountInput {
		return readCount(reply, response)
	}
	if call.Dialect == catalog.Embeddings {
		return readEmbeddings(reply, call, response)
	}
	return readAnswer(reply, call.Dialect, response)
}

// requestError returns the error of a request that cannot be built for the channel, because the channel lacks a
// feature, a field contradicts the channel's settings or cannot be translated, or there is no memory for a translation.
func requestError(err error) *attemptError {
	switch p := problem.From(err); p.Kind { //nolint:exhaustive // all others are about a field
	case problem.Overloaded, problem.TooLarge:
		return &attemptError{code: codeNoMemory, kind: p.Kind, cause: err}
	case problem.InvalidType, problem.InvalidJSON:
		return &attemptError{code: codeUnsupported, kind: p.Kind, cause: err}
	}
	return &attemptError{code: codeUnsupported, kind: problem.UnsupportedParameter, cause: err}
}

// correctFault returns the error with the right fault. The provider judges by the response alone, and takes some faults
// for the client's that are not, because it does not know the call. The gateway has chosen the upstream's id of the
// model, so a 404 is the channel's fault, unless the call refers to something in the channel's account. The refusal of
// a translated request is the client's fault only if the response says so.
func (e *attemptError) correctFault(call *Call, a *attempt) *attemptError {
	switch {
	case e.refusal == nil:
	case e.isMissingModel() && !call.Origin.Required:
		return &attemptError{status: e.status, code: codeStatus, kind: problem.UpstreamFailed,
			fault: provider.ServerFault, cause: errors.New(e.refusal.Message)}
	case e.channelOnly:
	case a.answer != nil && !provider.RefusesClient(a.dialect, e.status, e.body):
		return &attemptError{status: e.status, code: codeTranslationRejected, kind: problem.TranslationRejected,
			cause: errors.New(e.refusal.Message)}
	}
	return e
}

// isMissingModel reports whether the upstream says that it does not have the model or the path.
func (e *attemptError) isMissingModel() bool {
	switch e.status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone:
		return true
	}
	return e.refusal.Code == "model_not_found"
}

// connectError distinguishes a connection that the egress policy forbids from one that failed.
func connectError(err error) *attemptError {
	code := codeConnect
	var forbidden *egress.ForbiddenError
	if errors.As(err, &forbidden) {
		code = codeEgressRefused
	}
	return &attemptError{code: code, kind: problem.UpstreamFailed, fault: provider.ServerFault, cause: err}
}

// request builds the HTTP request of an attempt. If the channel speaks another dialect, it also creates the
// translator of the answer. An error means that the request cannot be sent to this channel.
func (c *Client) request(call *Call, reply *Reply, target *snapshot.Target) (*http.Request, error) {
	a := reply.attempt
	decoded, err := call.decodedFor(a.ctx, reply.Channel)
	if err != nil {
		return nil, err
	}
	request := call.Request
	if reply.SentTier = call.ordinaryTier(reply.Channel, target.Base); reply.SentTier != "" && decoded == nil {
		request = request.WithServiceTier(reply.SentTier)
	}
	out, err := target.Provider.Request(provider.Call{
		Dialect: call.Dialect, Operation: call.Operation, Channel: reply.Channel, Base: target.Base,
		Credential:    a.ticket.key.Plain,
		UpstreamModel: reply.UpstreamModel, Betas: call.Betas,
		MaxOutput: call.Snapshot.MaxOutput(call.Request.Model), Request: request, Conversation: decoded,
		ServiceTier: reply.SentTier,
	})
	if err != nil {
		return nil, err
	}
	if err := call.setIgnored(reply, out.Ignored); err != nil {
		return nil, err
	}
	a.embeddings, a.dialect = out.Embeddings, out.Dialect
	// The channel's own headers override those of the provider.
	maps.Copy(out.Header, target.Header)
	c.propagate(a.span, out.Header)
	// The provider has translated the request: the body lacks the channel's parameters, and the answer must be decoded.
	if out.Decoder != nil {
		if out.Body, err = out.Body.WithParameters(reply.Channel.Settings.Parameters); err != nil {
			return nil, err
		}
		id := call.ID
		if call.Dialect == catalog.Responses { // the usage-log id must not reveal the response id
			a.responseID = stored.NewID()
			id = a.responseID
		}
		head := completion.Header{ID: hex.EncodeToString(id[:]), Model: call.Request.Model, Created: c.Now(),
			Request: decoded}
		if call.Dialect == catalog.Messages && call.Request.Stream && call.EstimateInput != nil {
			head.InputTokens = call.EstimateInput()
		}
		a.answer = translate.NewTranslator(call.Dialect, head, out.Decoder)
		a.answer.StopAt(out.Stop)
		if a.drainTime > 0 {
			a.answer.ReadOn(a.clientGone)
		}
	}
	if call.OutputCap > 0 {
		if out, err = out.LimitOutput(call.OutputCap, &reply.Channel.Settings); err != nil {
			return nil, err
		}
	}
	if call.ToolCalls > 0 {
		if out, err = out.LimitToolCalls(call.ToolCalls); err != nil {
			return nil, err
		}
	}
	body := &sentBody{out.Body, call.Owner}
	a.payload.body.Store(body)
	httpRequest := &http.Request{
		Method: out.Method, URL: out.URL, Header: out.Header, Host: out.URL.Host,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: body.reader(), ContentLength: body.Size(), GetBody: a.payload.reader,
	}
	return httpRequest.WithContext(a.ctx), nil
}

// ordinaryTier returns the name of the ordinary service tier if the request to the channel states it in place of the
// client's, see Call.OrdinaryTier, and "" if it does not. A parameter of the channel prevails.
func (c *Call) ordinaryTier(channel *catalog.Channel, base *url.URL) string {
	if !c.OrdinaryTier || channel.Unpriced == charge.Allow || c.Operation == provider.CountInput ||
		c.Dialect == catalog.Embeddings {
		return ""
	}
	if _, set := channel.Settings.Parameters["service_tier"]; set {
		return ""
	}
	asks, explicit := c.Request.AsksForAnyTier()
	// A translation does not send auto, the client's name of the ordinary tier, and tiers that it cannot express.
	if !channel.Speaks(c.Dialect) {
		asks, explicit = asks || usage.OrdinaryTier(c.Request.ServiceTier) || !routing.TranslatesTier(channel), false
	}
	name, chooses := provider.OrdinaryTier(channel, base)
	if !asks || !chooses && !explicit {
		return ""
	}
	return name
}

// setIgnored records the fields that the request to the channel does not have. It returns an UnsupportedParameter
// problem with the first of them if the tenant or the channel refuses calls with ignored fields.
func (c *Call) setIgnored(reply *Reply, fields []string) error {
	if len(fields) > 0 && (c.RefuseIgnored || reply.Channel.Settings.IgnoredFields == tenant.RefuseIgnored) {
		return conversation.UnsupportedPath(fields[0])
	}
	reply.Ignored = fields
	return nil
}

// decodedFor returns the decoded request for a channel that speaks another dialect. It returns nil if the channel
// speaks the client's dialect, because then the bytes pass unchanged, and for embeddings, which the provider translates
// itself. The request is decoded only once for all attempts of the call; a system prompt of the channel is added to a
// copy.
func (c *Call) decodedFor(ctx context.Context, channel *catalog.Channel) (*conversation.Request, error) {
	if channel.Speaks(c.Dialect) {
		return nil, nil //nolint:nilnil // nothing must be translated
	}
	if c.Dialect == catalog.Embeddings {
		return nil, c.Memory.Grow(ctx, TranslationBytes(c.Request.Body()))
	}
	if c.conversation == nil {
		err := c.Memory.Grow(ctx, TranslationBytes(c.Request.Body()))
		if err != nil {
			return nil, err
		}
		c.conversation, err = translate.DecodeRequest(c.Request.Forward(c.Request.Model).Bytes(), c.Dialect)
		if err != nil {
			return nil, err
		}
	}
	if prompt := channel.Settings.SystemPrompt; prompt != "" {
		return c.conversation.WithSystemPrompt(prompt), nil
	}
	return c.conversation, nil
}

// TranslationBytes returns an upper bound of the memory in bytes that the translation of a body uses: a copy of the
// body, the decoded conversation, and the body for the upstream with the smaller buffer from which it grew. A message
// or a part of a message takes up to 350 bytes besides its text, and as much again while the list of them grows.
func TranslationBytes(body []byte) int64 {
	const copies, perObject = 3, 700
	return copies*int64(len(body)) + perObject*int64(bytes.Count(body, []byte("{")))
}

// payload holds the request body of one attempt. The transport keeps a reference to its request for as long as
// the response lasts. Releasing the payload frees the body's memory earlier: when the response headers have
// arrived.
type payload struct{ body atomic.Pointer[sentBody] }

// sentBody is a request body, and the owner of its memory as in Call.
type sentBody struct {
	rawjson.Body
	owner rawjson.Owner
}

// reader returns a new reader of the body.
func (b *sentBody) reader() io.ReadCloser {
	if b.owner == nil {
		return b.Reader()
	}
	return b.ReaderOf(b.owner)
}

var errReleased = errors.New("the request body was released")

// reader returns a new reader of the body. The transport calls it to retry on a new connection when an idle one
// was closed by the upstream.
func (p *payload) reader() (io.ReadCloser, error) {
	if body := p.body.Load(); body != nil {
		return body.reader(), nil
	}
	return nil, errReleased
}

func (p *payload) release() { p.body.Store(nil) }

// readErrorResponse determines the fault of an error response. It waits only errorAnswerTime for the body; then
// it uses the status and the part of the body that has arrived.
func (c *Client) readErrorResponse(response *http.Response, a *attempt, redact redactor) *attemptError {
	a.timer.Stop()
	stall := time.AfterFunc(a.limits.limitWait(c.Now(), errorAnswerTime), func() { a.cancel(errStalled) })
	defer stall.Stop()
	return c.faultOf(response, redact)
}

// faultOf reads an error response and returns the failure, with the party that caused it. The provider decides
// by status and body.
func (c *Client) faultOf(response *http.Response, redact redactor) *attemptError {
	e := &attemptError{status: response.StatusCode, kind: problem.UpstreamFailed}
	body, readErr := io.ReadAll(io.LimitReader(response.Body, maxErrorAnswer))
	e.fault, e.upstreamText = redact.target.Provider.Fault(response.StatusCode, body), messageOf(body)
	// The body may say that the credential or the server is at fault. Without all of it, a 4xx must not end the
	// call.
	if readErr != nil && e.fault == provider.ClientFault {
		e.code, e.fault, e.cause = codeCut, provider.ServerFault, readErr
		return e
	}
	switch e.fault {
	case provider.CredentialFault:
		// Another credential of the channel may be accepted, so only this one's breaker opens.
		e.code, e.cooldown = codeCredential, credentialCooldown
		reason, _ := provider.DisabledReasonOf(response.StatusCode, body)
		if reason == catalog.ReasonUnpaid {
			e.code = codeUnpaid
		}
		// A 403 often concerns one request, for example a flagged input, and no probe can tell: it is no evidence
		// against the credential.
		if response.StatusCode != http.StatusForbidden {
			e.disableReason = reason
		}
	case provider.BusyFault:
		e.code, e.kind, e.cooldown = codeRateLimited, problem.UpstreamBusy, c.parseRetryAfter(response.Header)
	case provider.ClientFault:
		e.code, e.refusal, e.body = codeRejected, publicRefusal(response.StatusCode, body, redact), body
		e.channelOnly = isChannelOnly(response.StatusCode, body)
	case provider.NoFault, provider.ServerFault:
		e.code, e.fault, e.cooldown = codeStatus, provider.ServerFault, c.parseRetryAfter(response.Header)
		if response.StatusCode == http.StatusRequestTimeout || response.StatusCode == http.StatusGatewayTimeout {
			e.kind = problem.UpstreamTimeout
		}
	}
	return e
}

// parseRetryAfter returns the duration in Retry-After (RFC 9110, section 10.2.3), which is a number of seconds
// or a date; 0 if there is none. A number of seconds is bounded by routing.MaxCooldown.
func (c *Client) parseRetryAfter(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 {
		return time.Duration(min(seconds, int(routing.MaxCooldown/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(c.Now()))
	}
	return 0
}
