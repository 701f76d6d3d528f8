// Package pipeline serves model calls. Pipeline.Serve takes a request through thirteen stages, from the token to
// the settled bill, and reads as their list. Each stage has a file or a package of its own, and no stage calls
// an earlier one.
//
//	request                                                                  internal package
//	  | 1 authenticate   who is the caller?                                   auth
//	  | 2 screen         what can be refused before the body is read          spool, admit, limit
//	  | 3 read           bounded body, scanned for the fields that matter     memory
//	  | 4 authorize      model and price, from one snapshot of the catalog    snapshot
//	  | 5 limit          rate limits                                          limit
//	  | 6 once           with an Idempotency-Key: was the call served before? once
//	  | 7 resume         stored conversation state                            stored
//	  | 8 hold           reserve the highest possible cost                    admit
//	  | 9 route          which channels, in which order
//	  |10 call           fail over until a channel answers                    upstream
//	  |11 tap            pass the stream on, except its end                   tap
//	  |12 meter          usage and cost; the event goes to the spool          meter, spool
//	  |13 settle         hold becomes cost; send the end of the answer        admit, once
//	  v
//	client
//
// The order carries the guarantees. Quota is reserved before any channel is called, so no account is overspent.
// The usage event is in the spool before the client gets the last byte, so an answer that a client saw complete
// is always billed, and only once. A client gets an error as an HTTP error response before the first byte, and
// as the last event of the stream after it. Each stage that reserves something has a deferred release, which
// does nothing once the reservation is settled.
//
// A stream may begin although its account cannot pay for the longest possible answer. Then the hold grows in
// steps while the answer is delivered (allowance.go), and the stream ends early when the quota is used up.
package pipeline

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/admit"
	"github.com/tollgate/tollgate/apps/relay/internal/auth"
	"github.com/tollgate/tollgate/apps/relay/internal/inbound"
	"github.com/tollgate/tollgate/apps/relay/internal/limit"
	"github.com/tollgate/tollgate/apps/relay/internal/memory"
	"github.com/tollgate/tollgate/apps/relay/internal/meter"
	"github.com/tollgate/tollgate/apps/relay/internal/once"
	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/apps/relay/internal/tap"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/attribution"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/fair"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// Spool stores usage events until they are in the database. Package spool implements it.
type Spool interface {
	// Append returns when the event is as durable as the configuration asks for.
	Append(ctx context.Context, event *usage.Event) error
	// Full reports whether there may be no room for another event.
	Full() bool
}

// Options configures a Pipeline with the parts that its stages use. All fields except MarkClient are required.
type Options struct {
	RelayID   uuid.UUID
	Auth      *auth.Authenticator
	Slots     *fair.Queue[uuid.UUID] // of the requests in flight, by tenant and user
	Snapshots *snapshot.Loader
	Limit     *limit.Limiter
	Memory    *memory.Budget // for request bodies
	Once      *once.Keys
	Resumer   *stored.Resumer
	Admit     *admit.Admitter
	Upstream  *upstream.Client
	Estimator *meter.Estimator
	Spool     Spool
	Timeouts  tap.Timeouts
	// MaxToolCalls is the most calls of priced tools that the provider runs, of a call that does not limit them.
	MaxToolCalls int64
	// MarkClient returns the Client of usage logs, see seal.Sealer.MarkClient. nil: logs have none.
	MarkClient func(token uuid.UUID, address netip.Addr, agent string) int64
	Now        func() time.Time
	Log        *slog.Logger
}

// Pipeline serves model calls. It is safe for concurrent use.
type Pipeline struct {
	Options
	reader    reader
	router    router
	deliverer deliverer
	recorder  recorder
}

// New returns a Pipeline. It starts nothing in the background.
func New(o Options) *Pipeline {
	return &Pipeline{
		Options:   o,
		reader:    reader{maxBytes: o.Resumer.MaxBodyBytes, memory: o.Memory, now: o.Now},
		router:    router{upstream: o.Upstream, now: o.Now},
		deliverer: deliverer{ids: o.Resumer.IDs, timeouts: o.Timeouts, buffers: new(tap.Buffers), now: o.Now},
		recorder:  recorder{spool: o.Spool, responses: o.Resumer.Responses, log: o.Log},
	}
}

// Serve answers one model call. It returns an error only if nothing was sent to the client yet; the caller then
// writes the error response. Once a stream has begun, Serve sends an error as the stream's last event and
// returns nil.
func (p *Pipeline) Serve(w http.ResponseWriter, r *http.Request, in inbound.Call) error {
	// 1. authenticate: who is the caller, may the token be used now and from this address, and is there a slot for it?
	caller, err := p.authenticate(r, in)
	if err != nil {
		return err
	}

	// 2. screen: refuse a call before its body is read if that is possible: one whose event could not be recorded, and
	// one with a large body that exceeds the quota or a rate limit without it.
	screening, err := p.screen(w, r, in, caller)
	if err != nil {
		return err
	}
	defer screening.Release() // does nothing after limit

	// 3. read: the bounded body, scanned for the few fields that matter.
	request, use, err := p.reader.read(w, r, caller, in.Scan)
	defer use.Release() // does nothing when the upstream has answered
	if err != nil {
		return err
	}

	// 4. authorize: may the caller use the model, and at which price?
	a, err := p.authorize(r, in, caller, request)
	if err != nil {
		return err
	}

	// 5. limit: refuse a request that exceeds a rate limit. This completes the permit of screen.
	permit, err := p.Limit.Take(r.Context(), w.Header(), limit.Demand{ID: in.ID, Caller: caller, Model: a.model,
		Group: a.group(), Tokens: guessTokens(request), Screened: screening})
	if err != nil {
		return err
	}
	defer permit.Release() // does nothing after Settle

	// 6. once: with an Idempotency-Key, send the answer of the first call with it, or record it for later calls.
	execution, err := p.once(w, r, in, caller, request, use)
	if _, ok := execution.Replayed(); err != nil || ok {
		return err
	}
	defer execution.Release() // does nothing after finish
	w, r = execution.Take(w, r)

	// 7. resume: load the conversation state that the request continues. Its tokens count towards the rate limits too.
	origin, err := p.resume(r.Context(), w.Header(), &a, reserved{permit, use})
	if err != nil {
		return err
	}

	// 8. hold: reserve the highest cost that the call can have. Optional tools that no channel has are omitted before.
	p.router.omitOptionalTools(&a, origin)
	x, err := p.hold(r, in, a)
	if err != nil {
		return err
	}
	defer x.hold.Release() // does nothing after Settle

	// 9. route: which channels may serve the call, and in which order are they tried?
	call, err := p.router.route(x, a.request, origin)
	if err != nil {
		return p.recorder.fail(x, &upstream.Failure{Problem: stored.ClientProblem(problem.From(err), a.request)})
	}
	x.showSent(w.Header())
	x.prepare(&call, use, in.Betas)

	// 10. call: try one channel after the other until one answers. The client of a stream gets comments meanwhile.
	opening := p.deliverer.open(w, x)
	defer opening.EndComments() // after a panic
	reply, failure := p.Upstream.Do(r.Context(), call)
	opening.EndComments()
	if failure != nil {
		return opening.Fail(p.fail(w, in, x, a.request, failure))
	}
	defer reply.Close()
	in.Report.Channel = reply.Channel
	x.ignore(w.Header(), a.request, reply.Ignored)
	x.answered(reply)
	use.Keep(callerBytes(caller) + int64(len(x.input)) + reply.InMemory()) // no more of the request is needed

	// 11. tap: pass a stream on to the client, except its end, and only as far as the quota pays for it.
	answer := p.deliverer.deliver(w, r, x, opening, reply)

	// 12. meter: how much did the call use, and what does it cost? The event must be in the spool before the client
	// gets the last byte: otherwise a crash could lose the bill of an answer that the client saw complete.
	event := x.meter(r.Context(), answer.observed())
	reply.RecordUsage(&event.Log)
	execution.Metered(&event.Log)
	if err := p.recorder.record(r.Context(), event); err != nil {
		in.Report.Err = err
		execution.Unrecorded()
		return opening.Fail(answer.abort(err))
	}

	// 13. settle: turn the hold into the cost, save a response that no upstream stores, and send the end.
	x.learn(&event.Log)
	x.hold.Settle(event.Quota)
	permit.Settle(event.Usage.Total())
	p.recorder.save(r.Context(), x, answer)
	return finish(execution, answer, event)
}

// authorize returns what the stages until the hold need, without the state that the request resumes. They all use its
// snapshot, so that a change of the catalog cannot split a request. The snapshot is taken after the body is read,
// because a slow client can take minutes for it.
func (p *Pipeline) authorize(r *http.Request, in inbound.Call, caller *token.Caller,
	request *openai.Request) (admission, error) {
	in.Report.Requested = request.Model
	labels, err := attribute(r.Header, request, attribution.Names(caller.Tenant.MetadataTags))
	if err != nil {
		return admission{}, err
	}
	current := p.Snapshots.Current()
	model, terms, err := current.Authorize(caller, request.Model, in.Started)
	if err != nil {
		return admission{}, err
	}
	in.Report.Model = model.ID
	return admission{
		caller: caller, request: request, model: model, terms: terms, dialect: in.Dialect, operation: in.Operation,
		attribution: labels, snapshot: current, extra: current.Added(model.ID),
	}, nil
}

// reserved holds what a call has reserved before its state is resumed.
type reserved struct {
	permit *limit.Permit
	use    *memory.Use
}

// resume loads the state that a request continues, and returns where the request must go. It replaces the request by
// the expanded one, and adds the state's tokens to the admission and the permit, and the memory of the expanded request
// to the use. Until then, the connections to the database bound the memory of states that are being loaded.
func (p *Pipeline) resume(ctx context.Context, header http.Header, a *admission,
	claims reserved) (stored.Origin, error) {
	resumption, err := p.Resumer.Resume(ctx, stored.Query{
		Request: a.request, Dialect: a.dialect, Reach: permission.Responses(a.caller.User),
		Tenant: a.caller.Tenant.Slug, Snapshot: a.snapshot,
	})
	if err != nil {
		return stored.Origin{}, err
	}
	if resumption.Loaded > 0 {
		if err := claims.use.Grow(ctx, int64(resumption.Request.Size())); err != nil {
			return stored.Origin{}, err
		}
	}
	tokens := guessInput(resumption.Request) - guessInput(a.request)
	a.request, a.extra = resumption.Request, a.extra+resumption.Origin.Tokens
	return resumption.Origin, claims.permit.Charge(ctx, header, guessResumed(tokens, resumption.Origin.Tokens))
}

// hold computes the highest cost of the call, reserves it, and returns and reports the call's exchange. A stream may
// begin with less, and an account that has less left may limit the output.
func (p *Pipeline) hold(r *http.Request, in inbound.Call, a admission) (*exchange, error) {
	bound, err := boundCost(&a, p.MaxToolCalls)
	if err != nil {
		return nil, err
	}
	hold, err := p.reserve(r.Context(), &a, &bound)
	if err != nil {
		return nil, err
	}
	x := p.exchange(in, r, a)
	x.bound, x.hold, in.Report.Log = bound, hold, &x.log
	return x, nil
}

// authenticate returns the caller, reports who it is, and takes a slot of its tenant and user. It reports the owner of
// a token that is refused, too.
func (p *Pipeline) authenticate(r *http.Request, in inbound.Call) (*token.Caller, error) {
	caller, err := p.Auth.Authenticate(r, in.Addr)
	in.Report.Caller, in.Report.Owner = caller, caller
	if err != nil {
		in.Report.Owner = auth.OwnerOf(err)
		return nil, err
	}
	*in.Slot, err = p.Slots.TryAcquire(1, caller.Tenant.ID, caller.User.ID)
	return caller, err
}

// fail reports and records a call that no channel answered, and returns the problem for the client.
func (p *Pipeline) fail(w http.ResponseWriter, in inbound.Call, x *exchange, request *openai.Request,
	failure *upstream.Failure) error {
	x.ignore(w.Header(), request, failure.Ignored)
	in.Report.Channel, failure.Problem = failure.Channel, stored.ClientProblem(failure.Problem, request)
	in.Report.Err = p.recorder.fail(x, failure)
	return in.Report.Err
}
