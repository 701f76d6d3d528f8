// Package reclaim runs the task that ends the leases of relays without a heartbeat, so that other relays can
// spend the leased quota. The protocol is described in libs/store/relay.
package reclaim

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/tenant"
	storerelay "github.com/tollgate/tollgate/libs/store/relay"
)

// Leases is the part of the store that reclaims leases.
type Leases interface {
	ReclaimLeases(ctx context.Context, scope tenant.Scope, grace time.Duration) ([]storerelay.Reclaimed, error)
}

// Reclaimer reclaims the leases of relays without a heartbeat. It is safe for concurrent use.
type Reclaimer struct {
	leases Leases
	scope  tenant.Scope
	grace  time.Duration
	log    *slog.Logger
	relays prometheus.Counter
}

// New returns a Reclaimer and registers its metric. A relay loses its leases after grace without a heartbeat.
func New(leases Leases, grace time.Duration, log *slog.Logger, registry *prometheus.Registry) (*Reclaimer, error) {
	r := &Reclaimer{
		leases: leases, scope: tenant.SystemScope("worker"), grace: grace, log: log,
		relays: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tollgate_relays_reclaimed_total", Help: "Relays whose leases were reclaimed because their " +
				"heartbeats stopped.",
		}),
	}
	if err := registry.Register(r.relays); err != nil {
		return nil, fmt.Errorf("reclaim: %w", err)
	}
	return r, nil
}

// Run reclaims the leases of up to 100 relays whose grace is over and logs each relay.
func (r *Reclaimer) Run(ctx context.Context) error {
	relays, err := r.leases.ReclaimLeases(ctx, r.scope, r.grace)
	for _, relay := range relays {
		r.relays.Inc()
		r.log.WarnContext(ctx, "reclaimed the leases of a relay without heartbeat", "relay_id", relay.RelayID, "amount",
			relay.Amount, "seen_at", relay.SeenAt)
	}
	return err
}
