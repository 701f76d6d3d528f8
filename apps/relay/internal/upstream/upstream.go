// Package upstream calls channels. A Client makes one attempt after the other along a plan, until one of them
// answers successfully. The client of the relay doesn't see the failed attempts.
//
//	for each pass (first: only closed or half-open circuit breakers; second: any state)
//	  for each channel of the plan
//	    for each credential of the channel
//	      attempt -> success: Reply (a checked JSON body, or a stream whose first frame is good)
//	              -> refusal that is the client's fault (4xx): end, the client gets it
//	              -> refused or busy credential: try the next credential
//	              -> any other failure: try the next channel
//
// An attempt counts as a success only when the whole JSON body is valid, or when the first frame of a stream is
// good. Until then nothing was sent to the client, so failing over is safe; afterwards there is no retry. All
// attempts of a call share one deadline.
//
// A failed answer (failedanswer.go) is a response of the Responses API that says that it failed. The attempt fails and
// the next one follows. If it was the last one, the client gets the failed answer and not an error.
//
// The result of each attempt goes into Health, which has circuit breakers for each model of a channel and for
// each credential on it. A failure opens a breaker of the caller's tenant alone, because its request may be the reason.
// What concerns all tenants needs proof: the failures of many callers (routing.Tally), or a probe of the relay's own
// (outage.go). A Publisher writes the open breakers to the database for the operators, and disables a credential that
// the upstream refuses for good (refusal.go).
//
// Text of an upstream passes through redaction (redact.go) before a client sees it: it must not reveal
// credentials, addresses or the upstream's names.
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

	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/apps/relay/internal/telemetry"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/wire/openai"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
	"github.com/tollgate/tollgate/libs/wire/openai/tally"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

const (
	maxAnswer      = 64 << 20 // bytes of a JSON body
	maxFrame       = 16 << 20 // bytes of one SSE frame
	maxErrorAnswer = 64 << 10 // bytes that are read of an error response
	// credentialCooldown is the shortest time for which the breaker of a refused credential stays open.
	credentialCooldown = time.Minute

	errorAnswerTime = 5 * time.Second // time to read the body of an error response
)

// Options configures a Client. OnAttempt, Tracer and Propagate are optional.
type Options struct {
	// Until the first good frame of a stream or the headers of a JSON response; a channel's setting overrides it.
	FirstByteTimeout time.Duration
	IdleTimeout      time.Duration // longest silence within a response; a channel's setting overrides it
	DrainTime        time.Duration // how long a response is read after its client has disconnected
	RequestTimeout   time.Duration // for all attempts of a call: until a JSON body is complete or a stream has begun
	// Requests is the parent context of all requests. Its end cancels even attempts that outlive their client.
	Requests context.Context
	Now      func() time.Time
	Log      *slog.Logger
	// Prober probes channels and credentials after calls that failed. nil: no probes.
	Prober Prober
	// Current returns the snapshot with the present settings of the channels, for probes. Required with a Prober.
	Current func() *snapshot.Snapshot
	// OnAttempt is called after each attempt. nil: not called.
	OnAttempt func(channel *catalog.Channel, attempt *usage.Attempt)
	// OnProbe is called after each probe with one of the values of probe.Result.Error. nil: not called.
	OnProbe func(channel *catalog.Channel, code string)
	// Tracer makes a span of each attempt of a traced call. nil: no spans.
	Tracer trace.Tracer
	// Propagate sends the trace context to upstreams.
	Propagate bool
}

// Client calls channels. It is safe for concurrent use.
type Client struct {
	Options
	Health     *Health
	rotation   atomic.Uint64 // number of calls: each one starts with the next credential of a channel
	buffers    buffers
	failureLog failureLog
}

// New returns a Client in which every breaker is closed.
func New(o Options) *Client { return &Client{Options: o, Health: newHealth(&o)} }

// Close waits for the probes. The caller must have ended Options.Requests.
func (c *Client) Close() { c.Health.outages.running.Wait() }

// Call describes one model call to the Client.
type Call struct {
	ID        uuid.UUID // id of the request
	Caller    routing.Caller
	Dialect   catalog.Dialect
	Operation provider.Operation // "": a call; otherwise all channels of the Plan speak the Dialect
	Betas     string             // see provider.Call
	Request   *openai.Request
	Plan      []routing.Candidate // the channels that may be tried, in order
	Affinity  uint64              // calls with the same value use the same credential; 0: any
	Origin    stored.Origin       // origin of the response that the request continues; zero for none
	Snapshot  *snapshot.Snapshot
	// RefuseIgnored is true if the tenant refuses calls with a field that would be ignored, see Reply.Ignored.
	RefuseIgnored bool
	OutputCap     int64 // most output tokens of one choice that the quota pays for, sent to the upstream; 0: no cap
	// OrdinaryTier is true if the price lacks a service tier that providers choose by themselves. The request to a
	// channel that refuses calls without a price then asks for the ordinary tier, unless the client asks for another.
	OrdinaryTier bool
	ToolCalls    int64     // max_tool_calls that is sent to an upstream that speaks responses; 0: none
	Begun        time.Time // when the plan was made; the first attempt counts from then
	// EstimateInput estimates the input tokens, for a translated stream in the dialect messages and for translated
	// embeddings. nil: a stream states none.
	EstimateInput func() int64
	Memory        Memory        // from which a translation of the request and large answers take their memory
	Owner         rawjson.Owner // of the memory of the request's body; nil: the memory is not used again

	deadline     time.Time
	conversation *conversation.Request // the decoded Request, once a channel with another dialect needs it
}

// Memory reserves memory for a call.
type Memory = stored.Memory

// Reply is a successful answer: a complete JSON body, or a stream whose first frame is good and is the next
// one. If every attempt failed, it may be the last upstream's failed answer. The caller must Close it.
type Reply struct {
	Channel       *catalog.Channel
	UpstreamModel string
	Attempts      []usage.Attempt

	Body   []byte          // the JSON body, nil for a stream
	Answer output.Response // the fields that were read of Body
	Stream *output.Stream  // nil for a JSON body

	// Failed is nil for a success. Otherwise the answer says in the client's dialect that the upstream failed, and
	// Failed is the problem that it stands for. All frames of a failed Stream are in memory.
	Failed *problem.Problem

	// Ignored has the paths of the fields of the request that the upstream did not get, because its dialect does not
	// have them.
	Ignored []string

	// SentTier is the name of the ordinary service tier that was sent because the client left the tier to the provider,
	// see Call.OrdinaryTier; "" for none.
	SentTier string

	// Withheld is the problem that the client gets in place of a complete answer, which the upstream charges for; nil
	// for none.
	Withheld *problem.Problem

	frames  int // bytes of the frames of a Stream that was made of an answer in JSON, otherwise 0
	attempt *attempt
	buffers *buffers
	redact  redactor
	dialect catalog.Dialect // of the client
}

// Credential returns the hash of the channel's credential that was used.
func (r *Reply) Credential() stored.CredentialHash {
	return stored.HashCredential(r.attempt.ticket.key.Fingerprint)
}

// ResponseID returns the id of a translated response in the dialect responses; uuid.Nil for any other answer.
func (r *Reply) ResponseID() uuid.UUID { return r.attempt.responseID }

// InMemory returns the bytes of the answer that stay in memory until the client has it. A stream that was made of an
// answer in JSON has its frames, and the buffer through which they are read. Other streams have what their large frames
// took so far.
func (r *Reply) InMemory() int64 { return int64(len(r.Body)+2*r.frames) + r.attempt.forFrames }

// Clean removes private data from a text of the upstream.
func (r *Reply) Clean(text string) string { return r.redact.clean(text) }

// PublicModel returns the public name for the upstream's name of the called model, and any other name unchanged.
func (r *Reply) PublicModel(name string) string {
	if name == r.UpstreamModel {
		return r.redact.publicModel
	}
	return name
}

// RecordUsage adds the usage to the attempt's span, if the call is traced.
func (r *Reply) RecordUsage(log *usage.Log) {
	if r.attempt.span != nil {
		r.attempt.span.SetAttributes(telemetry.Tokens(log)...)
	}
}

// Close ends the attempt and releases its memory. Afterwards no frame of the Stream is valid.
func (r *Reply) Close() {
	if r.Failed == nil { // a failed attempt is closed already
		r.attempt.close()
	}
	if r.Stream != nil {
		r.buffers.give(r.Stream.Release())
		r.Stream = nil
	}
}

// buffers is a pool of the buffers of streams that have ended.
type buffers struct{ pool sync.Pool }

// maxPooled is the capacity in bytes above which a buffer isn't pooled, because only a single large frame
// needed it.
const maxPooled = 64 << 10

// take returns a buffer of an earlier stream, or nil if there is none.
func (b *buffers) take() []byte {
	if buffer, ok := b.pool.Get().(*[]byte); ok {
		return *buffer
	}
	return nil
}

// give returns a buffer to the pool.
func (b *buffers) give(buf []byte) {
	if cap(buf) <= maxPooled {
		b.pool.Put(&buf)
	}
}

// Failure is the result of a call without a successful attempt. Channel is the last one that was tried, nil for
// none, and Ignored is that of its Reply.
type Failure struct {
	Problem  *problem.Problem
	Channel  *catalog.Channel
	Attempts []usage.Attempt
	Ignored  []string
}

// Error describes the failure for logs. It may contain private data.
func (f *Failure) Error() string { return f.Problem.Error() }

// Unwrap returns the Problem.
func (f *Failure) Unwrap() error { return f.Problem }

// interruption returns the problem of a call whose context has ended: the client disconnected
// (context.Canceled), or the relay stops (any other cause).
func interruption(ctx context.Context) *problem.Problem {
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return problem.Wrap(problem.Overloaded, cause)
	}
	return problem.Wrap(problem.ClientClosed, context.Canceled)
}

// interruptionCode returns the code of an attempt that ended because the context of its call has ended.
func interruptionCode(ctx context.Context) failureCode {
	if interruption(ctx).Kind == problem.ClientClosed {
		return codeClientClosed
	}
	return codeRelayStopped
}

// Translated reports whether the upstream speaks another dialect, so that the relay generated the answer by
// translation.
func (r *Reply) Translated() bool { return r.attempt.answer != nil }

// CompleteUsage adds to the usage and the charges of a translated answer what the translation lost. counts and charges
// were read from the answer in the client's dialect. That dialect states the usage, the service tier and the tools only
// at the end of a stream, where some upstreams state them at the beginning, and it has no field for what the upstream
// charges. The usage is nil if the upstream reported none.
func (r *Reply) CompleteUsage(counts *usage.Usage, charges tally.Charges) (*usage.Usage, tally.Charges) {
	tier := r.attempt.answer.StatedDetails()
	if r.dialect == catalog.Messages { // it begins with an estimate, and has no fields for some of the classes
		return r.attempt.answer.FullUsage(), tally.ChargesOf(tier)
	}
	if counts == nil {
		return r.attempt.answer.ReportedUsage(), tally.ChargesOf(tier)
	}
	u := *counts
	u.ReportedCost = tier.ReportedCost
	return &u, charges
}

// Stopped reports whether a translated answer was ended at a stop sequence of the client.
func (r *Reply) Stopped() bool { return r.Translated() && r.attempt.answer.Stopped() }

// HasFinalUsage reports whether the upstream has reported the usage of a whole translated answer. Some report a part of
// it before, as Anthropic does at the beginning of a stream.
func (r *Reply) HasFinalUsage() bool { return r.attempt.answer.HasFinalUsage() }

// LastRead returns when bytes of the upstream's stream arrived last, also those that are in no frame of the Stream,
// such as comments and the pings of a translated stream. It may be called at any time.
func (r *Reply) LastRead() time.Time { return r.attempt.source.LastRead() }

// CancelSilent cancels the upstream's response because it was silent for too long. It may be called at any time before
// Close.
func (r *Reply) CancelSilent() { r.attempt.cancel(errTimeout) }

// ClientGone ends the upstream's response because the client has disconnected. It ends at once or, if the channel is
// set to drain, after Options.DrainTime. It may be called at any time before Close.
func (r *Reply) ClientGone() { r.attempt.clientGone() }

// Cancel ends the upstream's response at once. It may be called at any time before Close.
func (r *Reply) Cancel() { r.attempt.cancel(context.Canceled) }

// ReportBroken records that a stream did not complete, and returns the problem for the client. It counts against the
// channel unless the client or the relay ended it.
func (r *Reply) ReportBroken() *problem.Problem {
	// The three codes are the only failures that an attempt can have after its success.
	code, p := codeBroken, problem.New(problem.UpstreamFailed,
		"The upstream ended the stream before the end of its answer. Please try again.")
	switch cause := context.Cause(r.attempt.ctx); {
	case errors.Is(cause, errTimeout):
		code, p = codeSilent, problem.New(problem.UpstreamTimeout,
			"The upstream sent nothing for too long before the end of its answer. Please try again.")
	case isNoMemory(cause):
		r.attempt.recordOnSpan(codeNoMemory)
		return problem.From(cause)
	case cause != nil:
		return p // the client or the relay canceled the call
	}
	r.attempt.recordOnSpan(code)
	t := &r.attempt.ticket
	t.recordFailure(&attemptError{code: code, fault: provider.ServerFault}, t.model.health.now())
	return p
}
