package relay

import (
	"context"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/service"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/relay"
)

// lender lends quota from the store. It counts requests for leases, and sends a
// report of the relay with each beat.
type lender struct {
	*quotadb.Store
	relays *relay.Store
	report func() relay.Report
	asked  func(ask quota.LeaseRequest, answer quota.LeaseResponse, err error)
}

// GrantLease asks for a lease, or gives it back.
func (l lender) GrantLease(ctx context.Context, scope tenant.Scope, relayID uuid.UUID, account quota.AccountRef, ask quota.LeaseRequest) (quota.LeaseResponse, error) {
	answer, err := l.Store.GrantLease(ctx, scope, relayID, account, ask)
	l.asked(ask, answer, err)
	return answer, err
}

// Beat is a sign of life with a report.
func (l lender) Beat(ctx context.Context, scope tenant.Scope, relayID uuid.UUID) (reclaims int64, err error) {
	return l.relays.Beat(ctx, scope, relayID, l.report())
}

// report is how the relay does now.
func (r *Relay) report() relay.Report {
	backlog := r.spool.Backlog()
	return relay.Report{
		Version: service.Version(), State: *r.state.Load(), StartedAt: r.startedAt, InFlight: r.served.InFlight(),
		SpoolEvents: int64(backlog.Events), SpoolBytes: backlog.Bytes, SpoolOldestAt: backlog.Oldest,
	}
}

// The states of a relay, in their order.
const (
	serving  = "serving"
	draining = "draining"
	stopped  = "stopped"
)

func (r *Relay) become(state string) { r.state.Store(&state) }

// farewell is the last beat of a relay that left nothing behind: operators see
// that it has not just fallen silent.
func (r *Relay) farewell(ctx context.Context) {
	r.become(stopped)
	if _, err := r.options.Store.Relay.Beat(ctx, r.scope, r.spool.Identity(), r.report()); err != nil {
		r.options.Log.Warn("nobody was told that the relay has stopped", "error", err)
	}
}
