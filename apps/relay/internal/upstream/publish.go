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
)

// HealthStore is the database to which relays publish the health of channels.
type HealthStore interface {
	// PublishHealth replaces everything that the relay published before.
	PublishHealth(ctx context.Context, scope tenant.Scope, relayID uuid.UUID, breakers []BreakerStatus) error
	// DisableCredential disables the credential on all relays. changed reports whether it was enabled before.
	DisableCredential(ctx context.Context, scope tenant.Scope, c CredentialRef,
		reason catalog.DisabledReason) (changed bool, err error)
}

// CredentialRef identifies a credential of a channel.
type CredentialRef struct {
	ChannelID   uuid.UUID
	Fingerprint string
}

// PublisherOptions configures a Publisher. All fields are required.
type PublisherOptions struct {
	Health    *Health
	Store     HealthStore
	RelayID   uuid.UUID
	Transient func(error) bool // reports whether a retry may succeed
	Log       *slog.Logger
}

const (
	publishEvery = time.Second // shortest time between two publications
	// Time after which unchanged rows are renewed; shorter than store.HealthRetention, after which they expire.
	publishAgain   = time.Minute
	publishTimeout = 5 * time.Second // longest time of one statement
	sweepEvery     = time.Minute     // time between two sweeps of the Health
	removeTimeout  = 2 * time.Second // for the removal of the rows at Stop
)

// Publisher publishes a Health in the background. While the HealthStore is unavailable, the health is known to
// this relay alone; the relay's own routing doesn't need the store.
type Publisher struct {
	PublisherOptions
	scope tenant.Scope

	wake chan struct{}
	stop context.CancelFunc
	done sync.WaitGroup

	// The fields below belong to the goroutine.
	publishedVersion int64 // the Health's version at the last publication
	publishedAt      time.Time
	hasRows          bool // the store has rows of this relay
	sweptAt          time.Time
	failing          bool // the last write failed
}

// NewPublisher returns a Publisher. The caller must Start it.
func NewPublisher(o PublisherOptions) *Publisher {
	p := &Publisher{PublisherOptions: o, scope: tenant.SystemScope("relay"), wake: make(chan struct{}, 1)}
	o.Health.refusals.wake = p.signal
	return p
}

// signal makes the goroutine disable the refused credentials without waiting for the next tick.
func (p *Publisher) signal() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Start starts the goroutine. It runs until Stop.
func (p *Publisher) Start(ctx context.Context) {
	ctx, p.stop = context.WithCancel(context.WithoutCancel(ctx))
	p.done.Go(func() { p.run(ctx) })
}

// Stop ends the goroutine, which removes the relay's rows. It may be called twice, and before Start.
func (p *Publisher) Stop() {
	if p.stop != nil {
		p.stop()
	}
	p.done.Wait()
}

// run publishes until ctx ends, and then removes the relay's rows.
func (p *Publisher) run(ctx context.Context) {
	ticker := time.NewTicker(publishEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			p.removeRows()
			return
		case <-ticker.C:
			p.publish(ctx)
		case <-p.wake:
			p.disable(ctx)
		}
	}
}

// removeRows removes the relay's rows, so that operators don't see the state of a stopped relay.
func (p *Publisher) removeRows() {
	if !p.hasRows {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), removeTimeout)
	defer cancel()
	_ = p.Store.PublishHealth(ctx, p.scope, p.RelayID, nil) // after a failure the rows expire
}

// publish writes the unhealthy breakers if they have changed or must be renewed.
func (p *Publisher) publish(ctx context.Context) {
	now := p.Health.now()
	if now.Sub(p.sweptAt) > sweepEvery {
		p.Health.sweep(now)
		p.sweptAt = now
	}
	p.disable(ctx)
	// The version is read before the breakers. A change in between is published again at the next tick, but none
	// is missed.
	version := p.Health.version.Load()
	mustPublish := version != p.publishedVersion || p.hasRows && now.Sub(p.publishedAt) > publishAgain
	if !mustPublish {
		return
	}
	breakers := p.Health.Unhealthy()
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	err := p.Store.PublishHealth(ctx, p.scope, p.RelayID, breakers)
	p.logChange(ctx, err)
	if err == nil {
		p.publishedVersion, p.publishedAt, p.hasRows = version, now, len(breakers) > 0
	}
}

// StateWord returns the word of the routing reason for a state, as it appears in the API and in metrics.
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

// disable disables the credentials that upstreams refused for good.
func (p *Publisher) disable(ctx context.Context) {
	for c, reason := range p.Health.refusals.toDisable() {
		ctx, cancel := context.WithTimeout(ctx, publishTimeout)
		changed, err := p.Store.DisableCredential(ctx, p.scope, CredentialRef{c.channelID, c.fingerprint}, reason)
		cancel()
		if p.Transient(err) {
			p.logChange(ctx, err)
			return // the next tick retries
		}
		// Any other error, for example that the channel was deleted, is permanent.
		p.Health.refusals.remove(c)
		if err != nil {
			p.Log.ErrorContext(ctx, "credential not disabled", "channel_id", c.channelID, "fingerprint", c.fingerprint,
				"reason", reason, "error", err)
		}
		if changed {
			p.Log.WarnContext(ctx, "credential disabled", "channel_id", c.channelID, "fingerprint", c.fingerprint,
				"reason", reason)
		}
	}
}

// logChange logs when the store becomes unavailable and when it is available again.
func (p *Publisher) logChange(ctx context.Context, err error) {
	if failing := err != nil; failing != p.failing && ctx.Err() == nil {
		p.failing = failing
		p.Log.WarnContext(ctx, "publication of channel health changed state", "succeeding", !failing, "error", err)
	}
}
