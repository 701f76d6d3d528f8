// Package reclaim ends the quota leases of relays that stay away, so that what
// they were leased can be spent by others.
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

// Leases are what is reclaimed.
type Leases interface {
	ReclaimLeases(ctx context.Context, scope tenant.Scope, grace time.Duration) ([]storerelay.Reclaimed, error)
}

// Reclaimer reclaims leases. It is safe for concurrent use.
type Reclaimer struct {
	leases Leases
	scope  tenant.Scope
	grace  time.Duration
	log    *slog.Logger
	relays prometheus.Counter
}

// New returns a Reclaimer that counts in the registry. Grace is how long a
// relay may be away.
func New(leases Leases, grace time.Duration, log *slog.Logger, registry *prometheus.Registry) (*Reclaimer, error) {
	r := &Reclaimer{
		leases: leases, scope: tenant.SystemScope("worker"), grace: grace, log: log,
		relays: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tollgate_relays_reclaimed_total", Help: "Relays whose leases were ended because they stayed away.",
		}),
	}
	if err := registry.Register(r.relays); err != nil {
		return nil, fmt.Errorf("reclaim: %w", err)
	}
	return r, nil
}

// Run reclaims what there is to reclaim now.
func (r *Reclaimer) Run(ctx context.Context) error {
	reclaimed, err := r.leases.ReclaimLeases(ctx, r.scope, r.grace)
	for _, relay := range reclaimed {
		r.relays.Inc()
		r.log.WarnContext(ctx, "leases of an absent relay were reclaimed", "relay_id", relay.RelayID, "amount", relay.Amount, "seen_at", relay.SeenAt)
	}
	return err
}
