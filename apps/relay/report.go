package relay

import (
	"context"

	"github.com/tollgate/tollgate/libs/service"
	"github.com/tollgate/tollgate/libs/store/relay"
)

// report returns the present state of the relay for the operators.
func (r *Relay) report() relay.Report {
	backlog, bodies := r.spool.Backlog(), r.bodies.Stats()
	return relay.Report{
		Version: service.Version(), State: *r.state.Load(), StartedAt: r.startedAt, InFlight: r.served.InFlight(),
		SpoolEvents: int64(backlog.Events), SpoolBytes: backlog.Bytes, SpoolOldestAt: backlog.Oldest,
		BodyBytes: bodies.Used, BodyMaxBytes: bodies.Size, BodyWaiting: bodies.Waiting, BodyRefused: bodies.Refused,
	}
}

// The states of a relay, in the order in which it passes through them.
const (
	serving  = "serving"
	draining = "draining"
	stopped  = "stopped"
)

// setState sets the state that the next heartbeat reports.
func (r *Relay) setState(state string) { r.state.Store(&state) }

// reportStopped sends a last heartbeat with the state "stopped", so that operators can distinguish a relay that
// stopped properly from one that failed.
func (r *Relay) reportStopped(ctx context.Context) {
	r.setState(stopped)
	if _, err := r.options.Store.Relay.Beat(ctx, r.scope, r.spool.Identity(), r.report()); err != nil {
		r.options.Log.Warn("last heartbeat of the stopped relay failed", "error", err)
	}
}
