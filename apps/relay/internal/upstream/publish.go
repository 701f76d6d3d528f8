package upstream

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/db"
)

// HealthStore is where relays publish the health of channels.
type HealthStore interface {
	PublishHealth(ctx context.Context, scope tenant.Scope, relayID uuid.UUID, ills []catalogdb.ChannelHealth) error
	DisableCredential(ctx context.Context, scope tenant.Scope, c catalogdb.Credential, why catalog.DisabledReason) (bool, error)
}

const (
	publishEvery   = time.Second     // at most
	publishAgain   = time.Minute     // where nothing has changed; less than store.HealthKept
	publishTimeout = 5 * time.Second // of one statement
	sweepEvery     = time.Minute     // of the Health
	parting        = 2 * time.Second // for the last word
)

// Publisher publishes a Health in the background. While the HealthStore cannot be
// written to, the health counts on this relay alone.
type Publisher struct {
	health *Health
	store  HealthStore
	relay  uuid.UUID
	log    *slog.Logger
	scope  tenant.Scope

	wake chan struct{}
	stop context.CancelFunc
	done sync.WaitGroup

	// Of the goroutine alone.
	publishedVersion int64 // version of the Health that was published last
	publishedAt      time.Time
	published        bool // the store has rows of this relay
	sweptAt          time.Time
	failing          bool
}

// NewPublisher returns a Publisher that must be started.
func NewPublisher(health *Health, board HealthStore, relayID uuid.UUID, log *slog.Logger) *Publisher {
	p := &Publisher{health: health, store: board, relay: relayID, log: log, scope: tenant.SystemScope("relay"), wake: make(chan struct{}, 1)}
	health.refusals.wake = p.nudge
	return p
}

func (p *Publisher) nudge() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Start launches the goroutine.
func (p *Publisher) Start(ctx context.Context) {
	ctx, p.stop = context.WithCancel(context.WithoutCancel(ctx))
	p.done.Go(func() { p.run(ctx) })
}

// Stop removes the relay's rows. It may be called twice, or before Start.
func (p *Publisher) Stop() {
	if p.stop != nil {
		p.stop()
	}
	p.done.Wait()
}

func (p *Publisher) run(ctx context.Context) {
	ticker := time.NewTicker(publishEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			p.retract()
			return
		case <-ticker.C:
			p.publish(ctx)
		case <-p.wake:
			p.disable(ctx)
		}
	}
}

// retract removes the relay's rows.
func (p *Publisher) retract() {
	if !p.published {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), parting)
	defer cancel()
	_ = p.store.PublishHealth(ctx, p.scope, p.relay, nil) // what stays there expires
}

func (p *Publisher) publish(ctx context.Context) {
	now := p.health.now()
	if now.Sub(p.sweptAt) > sweepEvery {
		p.health.sweep(now)
		p.sweptAt = now
	}
	p.disable(ctx)
	version := p.health.version.Load()
	due := version != p.publishedVersion || p.published && now.Sub(p.publishedAt) > publishAgain
	if !due {
		return
	}
	ills := healthRows(p.health.Unhealthy())
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	err := p.store.PublishHealth(ctx, p.scope, p.relay, ills)
	p.note(ctx, err)
	if err == nil {
		p.publishedVersion, p.publishedAt, p.published = version, now, len(ills) > 0
	}
}

func healthRows(ills []UnhealthyLane) []catalogdb.ChannelHealth {
	all := make([]catalogdb.ChannelHealth, 0, len(ills))
	for _, ill := range ills {
		all = append(all, catalogdb.ChannelHealth{
			ChannelID: ill.ChannelID, Model: ill.Model, Fingerprint: ill.Fingerprint, Mask: ill.Mask,
			State: StateWord(ill.State), Word: ill.Word, Failures: int64(ill.Failures), Until: ill.Until,
		})
	}
	return all
}

// StateWord returns the word of the routing reason that a state causes.
func StateWord(state routing.State) string {
	switch state {
	case routing.HalfOpen:
		return routing.Trial.String()
	case routing.Open:
		return routing.Cooling.String()
	case routing.NoCredentialLeft:
		return routing.NoCredential.String()
	case routing.Unusable:
		return routing.NotReady.String()
	case routing.Closed:
	}
	return routing.Eligible.String()
}

// disable records which credentials no relay may use any more.
func (p *Publisher) disable(ctx context.Context) {
	for c, why := range p.health.refusals.toDisable() {
		ctx, cancel := context.WithTimeout(ctx, publishTimeout)
		changed, err := p.store.DisableCredential(ctx, p.scope, catalogdb.Credential{ChannelID: c.channel, Fingerprint: c.fingerprint}, why)
		cancel()
		if db.Transient(err) {
			p.note(ctx, err)
			return // the next tick tries again
		}
		p.health.refusals.disabled(c)
		if changed {
			p.log.WarnContext(ctx, "credential disabled", "channel_id", c.channel, "fingerprint", c.fingerprint, "reason", why)
		}
	}
}

// note logs when the store becomes unavailable and available.
func (p *Publisher) note(ctx context.Context, err error) {
	if failing := err != nil; failing != p.failing && ctx.Err() == nil {
		p.failing = failing
		p.log.WarnContext(ctx, "telling of channels' health", "succeeding", !failing, "error", err)
	}
}
