// Package pipeline serves a model call in the stages that Serve lists, from the
// token to the settled bill. A stage never calls an earlier one.
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
	"github.com/tollgate/tollgate/apps/relay/internal/limit"
	"github.com/tollgate/tollgate/apps/relay/internal/resume"
	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/apps/relay/internal/tap"
	"github.com/tollgate/tollgate/apps/relay/internal/telemetry"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// Spool keeps usage events until they are in the database.
type Spool interface {
	// Append returns once the event is as durable as the configuration asks.
	Append(ctx context.Context, event *usage.Event) error
	// Full reports that no more events can be kept.
	Full() bool
}

// Options of a Pipeline: what its stages work with.
type Options struct {
	RelayID   uuid.UUID
	Auth      *auth.Authenticator
	Snapshots *snapshot.Loader
	Limit     *limit.Limiter
	Resumer   *resume.Resumer
	Admit     *admit.Admitter
	Upstream  *upstream.Client
	Spool     Spool
	Timeouts  tap.Timeouts
	Now       func() time.Time
	Log       *slog.Logger
}

// Pipeline serves model calls. It is safe for concurrent use.
type Pipeline struct {
	Options
	reader    reader
	router    router
	deliverer deliverer
	recorder  recorder
}

// New returns a Pipeline.
func New(o Options) *Pipeline {
	return &Pipeline{
		Options:   o,
		reader:    reader{maxBytes: o.Resumer.MaxBodyBytes, now: o.Now},
		router:    router{upstream: o.Upstream, now: o.Now},
		deliverer: deliverer{ids: o.Resumer.IDs, timeouts: o.Timeouts, buffers: new(tap.Buffers), now: o.Now},
		recorder:  recorder{spool: o.Spool, responses: o.Resumer.Responses, log: o.Log},
	}
}

// Inbound is a request as it arrives.
type Inbound struct {
	ID      uuid.UUID // of the request, and of its usage log
	Addr    netip.Addr
	Dialect catalog.Dialect
	Started time.Time
	Report  *telemetry.Request // filled in on the way
}

// Serve answers one model call. It returns an error only before anything was
// sent; the caller writes it. Once a stream has begun, Serve sends errors as its
// last event and returns nil.
func (p *Pipeline) Serve(w http.ResponseWriter, r *http.Request, in Inbound) error {
	// 1. authenticate: whose token is it, and may it be used now, from here?
	caller, err := p.Auth.Authenticate(r, in.Addr)
	if err != nil {
		return err
	}
	in.Report.Caller = caller

	// 2. read: the bounded body, scanned for the few fields that matter.
	request, err := p.reader.read(w, r, in.Dialect)
	if err != nil {
		return err
	}

	// 3. authorise: is the model visible to the caller, at what terms? All later
	// stages see the catalog of this one snapshot. It is taken after the body,
	// which may arrive slowly.
	current := p.Snapshots.Current()
	model, terms, err := current.Authorise(caller, request.Model, in.Started)
	if err != nil {
		return err
	}
	in.Report.Model = model.ID

	// 4. limit: refuse a call that could not be recorded, or exceeds its limits.
	permit, err := p.limit(r.Context(), w.Header(), limit.Demand{
		ID: in.ID, Caller: caller, Group: current.Group(caller.User.GroupID), Model: model, Tokens: guessTokens(request),
	})
	if err != nil {
		return err
	}
	defer permit.Release() // unless settled

	// 5. resume: load the state that the request continues, and charge the permit
	// for it.
	resumed, err := p.resume(r.Context(), w.Header(), permit, resume.Query{
		Request: request, Dialect: in.Dialect, Tenant: caller.Tenant.ID, Snapshot: current,
	})
	if err != nil {
		return err
	}
	request = resumed.Request

	// 6. hold: reserve the most that the call can cost; a stream may begin with less.
	x, err := p.hold(r, in, admission{caller, request, model, terms, resumed.Origin.Tokens + current.Added(model.ID)})
	if err != nil {
		return err
	}
	defer x.hold.Release() // unless settled
	in.Report.Log = &x.log

	// 7. route: which channels, in which order?
	call, err := p.router.route(current, x, request, resumed.Origin)
	if err != nil {
		return p.recorder.fail(x, &upstream.Failure{Problem: problem.From(err)})
	}

	// 8. call: one channel after the other, until one answers well.
	reply, failure := p.Upstream.Do(r.Context(), call)
	if failure != nil {
		in.Report.Channel, failure.Problem = failure.Channel, resume.ClientProblem(failure.Problem, request)
		return p.recorder.fail(x, failure)
	}
	in.Report.Channel = reply.Channel
	defer reply.Close()

	// 9. tap: pass a stream to the client, all but its end, and no further than its
	// quota.
	answer := p.deliverer.deliver(w, r, x, reply)

	// 10. meter: what did the call consume, and cost? The event is in the spool
	// before the client has the last byte.
	event := x.meter(r.Context(), answer.observed())
	reply.RecordUsage(&event.Log)
	if err := p.recorder.record(r.Context(), event); err != nil {
		in.Report.Err = err
		return answer.abort(err)
	}

	// 11. settle: turn the hold into the cost, save a response that no upstream
	// stores, and send the end.
	x.hold.Settle(event.Quota)
	permit.Settle(event.Usage.Total())
	p.recorder.save(r.Context(), x, answer)
	return answer.finish(event)
}

// limit takes what the call uses of its limits, while there is room to record it.
func (p *Pipeline) limit(ctx context.Context, header http.Header, demand limit.Demand) (*limit.Permit, error) {
	if p.Spool.Full() {
		return nil, problem.Of(problem.Overloaded).After(time.Second)
	}
	return p.Limit.Take(ctx, header, demand)
}

// resume loads the state that a request continues, and charges the permit for its
// tokens.
func (p *Pipeline) resume(ctx context.Context, header http.Header, permit *limit.Permit, q resume.Query) (resume.Resumed, error) {
	resumed, err := p.Resumer.Resume(ctx, q)
	if err != nil {
		return resume.Resumed{}, err
	}
	return resumed, permit.Charge(ctx, header, guessResumed(resumed.Loaded, resumed.Origin.Tokens))
}

// hold reserves the quota of a call and returns its exchange.
func (p *Pipeline) hold(r *http.Request, in Inbound, a admission) (*exchange, error) {
	bound, err := boundCost(a.request, a.model, a.terms, a.added)
	if err != nil {
		return nil, err
	}
	hold, err := p.Admit.Hold(r.Context(), a.caller, bound.least, bound.most)
	if err != nil {
		return nil, err
	}
	x := p.begin(in, r, a)
	x.bound, x.hold = bound, hold
	return x, nil
}
