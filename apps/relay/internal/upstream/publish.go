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

// HealthStore is where relays publish the health of channels.
type HealthStore interface {
	// PublishHealth replaces what the relay published before.
	PublishHealth(ctx context.Context, scope tenant.Scope, relayID uuid.UUID, lanes []UnhealthyLane) error
	// DisableCredential reports whether it was enabled.
	DisableCredential(ctx context.Context, scope tenant.Scope, c CredentialRef, why catalog.DisabledReason) (changed bool, err error)
}

// CredentialRef names a credential of a channel.
type CredentialRef struct {
	ChannelID   uuid.UUID
	Fingerprint string
}

// PublisherOptions are those of a Publisher.
type PublisherOptions struct {
	Health    *Health
	Store     HealthStore
	RelayID   uuid.UUID
	Transient func(error) bool // reports whether a later attempt may succeed
	Log       *slog.Logger
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
	PublisherOptions
	scope tenant.Scope

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
func NewPublisher(o PublisherOptions) *Publisher {
	p := &Publisher{PublisherOptions: o, scope: tenant.SystemScope("relay"), wake: make(chan struct{}, 1)}
	o.Health.refusals.wake = p.nudge
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
	_ = p.Store.PublishHealth(ctx, p.scope, p.RelayID, nil) // what stays there expires
}

func (p *Publisher) publish(ctx context.Context) {
	now := p.Health.now()
	if now.Sub(p.sweptAt) > sweepEvery {
		p.Health.sweep(now)
		p.sweptAt = now
	}
	p.disable(ctx)
	version := p.Health.version.Load()
	due := version != p.publishedVersion || p.published && now.Sub(p.publishedAt) > publishAgain
	if !due {
		return
	}
	lanes := p.Health.Unhealthy()
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	err := p.Store.PublishHealth(ctx, p.scope, p.RelayID, lanes)
	p.note(ctx, err)
	if err == nil {
		p.publishedVersion, p.publishedAt, p.published = version, now, len(lanes) > 0
	}
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
	for c, why := range p.Health.refusals.toDisable() {
		ctx, cancel := context.WithTimeout(ctx, publishTimeout)
		changed, err := p.Store.DisableCredential(ctx, p.scope, CredentialRef{c.channel, c.fingerprint}, why)
		cancel()
		if p.Transient(err) {
			p.note(ctx, err)
			return // the next tick tries again
		}
		p.Health.refusals.disabled(c)
		if changed {
			p.Log.WarnContext(ctx, "credential disabled", "channel_id", c.channel, "fingerprint", c.fingerprint, "reason", why)
		}
	}
}

// note logs when the store becomes unavailable and available.
func (p *Publisher) note(ctx context.Context, err error) {
	if failing := err != nil; failing != p.failing && ctx.Err() == nil {
		p.failing = failing
		p.Log.WarnContext(ctx, "telling of channels' health", "succeeding", !failing, "error", err)
	}
}
