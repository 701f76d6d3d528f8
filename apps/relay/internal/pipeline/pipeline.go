// Package pipeline is the line that every model call walks, from the token to
// the settled bill.
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
	"github.com/tollgate/tollgate/apps/relay/internal/responseid"
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
	// Append returns once the event is as safe as the configuration asks.
	Append(ctx context.Context, event *usage.Event) error
	// Full reports that no more events can be kept.
	Full() bool
}

// Line holds the stages. It is safe for concurrent use.
type Pipeline struct {
	RelayID      uuid.UUID
	Auth         *auth.Authenticator
	Snapshots    *snapshot.Loader
	Limit        *limit.Limiter
	Admit        *admit.Admitter
	Upstream     *upstream.Client
	IDs          *responseid.Codec
	History      *resume.History
	Keepers      []Keeper // of responses that clients come back to
	Spool        Spool
	MaxBodyBytes int64 // bytes
	Timeouts     tap.Timeouts
	Now          func() time.Time
	Log          *slog.Logger

	buffers tap.Buffers
}

// Origin is where a call comes from and what it wants.
type Inbound struct {
	ID      uuid.UUID // the request's id, which becomes its usage log's
	Addr    netip.Addr
	Dialect catalog.Dialect
	Started time.Time
	Report  *telemetry.Request // told what is found out on the way
}

// Serve answers one model call. An error it returns is for the caller to
// write: nothing has been sent then. Once a stream has begun, errors are sent
// as its last event and Serve returns nil.
func (l *Pipeline) Serve(w http.ResponseWriter, r *http.Request, from Inbound) error {
	// 1. authenticate: whose token is it, and may it be used now, from here?
	caller, err := l.Auth.Authenticate(r, from.Addr)
	if err != nil {
		return err
	}
	from.Report.Caller = caller

	// 2. read: the bounded body, scanned for the few fields the gateway needs,
	// and where it has to go back to.
	request, origin, err := l.read(w, r, from.Dialect, caller)
	if err != nil {
		return err
	}

	// 3. authorise: is the model visible to the token and its group, at what terms?
	catalog := l.Snapshots.Current()
	model, terms, err := catalog.Authorise(caller, request.Model, from.Started)
	if err != nil {
		return err
	}
	from.Report.Model = model.ID

	// 4. limit: a call that could not be recorded afterwards is not begun, nor is
	// one beyond its limits. The permit ends here, unless it was settled before.
	permit, err := l.limit(r.Context(), w.Header(), limit.Demand{
		ID: from.ID, Caller: caller, Group: catalog.Group(caller.User.GroupID), Model: model, Tokens: guessTokens(request),
	})
	if err != nil {
		return err
	}
	defer permit.Release()

	// 5. hold: reserve the most it can cost; a stream may begin with less. The
	// hold ends here, unless it was settled before.
	need, err := boundCost(request, model, terms, origin.Tokens+catalog.Added(model.ID))
	if err != nil {
		return err
	}
	hold, err := l.Admit.Hold(r.Context(), caller, need.least, need.most)
	if err != nil {
		return err
	}
	defer hold.Release()
	call := l.begin(from, r, admission{caller, request, terms, need, hold})
	from.Report.Log = &call.log

	// 6. route: which channels, in which order?
	asked, err := l.route(catalog, call, request, origin)
	if err != nil {
		return l.fail(call, &upstream.Failure{Problem: problem.From(err)})
	}

	// 7. call: one channel after the other, until one answers well.
	reply, failure := l.Upstream.Do(r.Context(), asked)
	if failure != nil {
		from.Report.Channel = failure.Channel
		return l.fail(call, relocated(failure, request))
	}
	from.Report.Channel = reply.Channel
	defer reply.Close()

	// 8. tap: a stream goes to the client as it comes, all but its end, and no
	// further than its quota.
	answer := l.deliver(w, r, call, reply)

	// 9. meter: what was consumed, what does it cost? The event is kept before
	// the client has the last byte.
	event := l.meter(r.Context(), call, answer)
	reply.RecordUsage(&event.Log)
	if err := l.keep(r.Context(), event); err != nil {
		from.Report.Err = err
		return answer.abort(err)
	}

	// 10. settle: the hold becomes the cost, and the client gets the end. What no
	// upstream keeps for it is kept before that.
	hold.Settle(event.Quota)
	permit.Settle(event.Usage.Total())
	l.remember(r.Context(), call, answer)
	return answer.finish(event)
}
