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
	"github.com/tollgate/tollgate/libs/store"
)

// Board is where relays tell each other, and operators, of channels.
type Board interface {
	PublishHealth(ctx context.Context, scope tenant.Scope, relayID uuid.UUID, ills []store.ChannelHealth) error
	DisableCredential(ctx context.Context, scope tenant.Scope, c store.Credential, why catalog.Refusal) (bool, error)
}

const (
	publishEvery   = time.Second     // at most
	publishAgain   = time.Minute     // where nothing has changed; less than store.HealthKept
	publishTimeout = 5 * time.Second // of one statement
	sweepEvery     = time.Minute     // of the Health
	parting        = 2 * time.Second // for the last word
)

// Publisher tells the Board what a Health sees, off the way of any call. While
// the Board cannot be written to, what is seen counts on this relay alone.
type Publisher struct {
	health *Health
	board  Board
	relay  uuid.UUID
	log    *slog.Logger
	scope  tenant.Scope

	wake chan struct{}
	stop context.CancelFunc
	done sync.WaitGroup

	// Of the goroutine alone.
	said    int64 // version of the Health
	saidAt  time.Time
	some    bool // anything stands on the board
	sweptAt time.Time
	failing bool
}

// NewPublisher returns a Publisher that must be started.
func NewPublisher(health *Health, board Board, relayID uuid.UUID, log *slog.Logger) *Publisher {
	p := &Publisher{health: health, board: board, relay: relayID, log: log, scope: tenant.SystemScope("relay"), wake: make(chan struct{}, 1)}
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

// Stop takes back what was said. It may be called twice, or before Start.
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
			p.tell(ctx)
		case <-p.wake:
			p.disable(ctx)
		}
	}
}

// retract is a relay's last word.
func (p *Publisher) retract() {
	if !p.some {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), parting)
	defer cancel()
	_ = p.board.PublishHealth(ctx, p.scope, p.relay, nil) // what stays there expires
}

func (p *Publisher) tell(ctx context.Context) {
	now := p.health.now()
	if now.Sub(p.sweptAt) > sweepEvery {
		p.health.sweep(now)
		p.sweptAt = now
	}
	p.disable(ctx)
	version := p.health.version.Load()
	due := version != p.said || p.some && now.Sub(p.saidAt) > publishAgain
	if !due {
		return
	}
	ills := illsOf(p.health.Ills())
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	err := p.board.PublishHealth(ctx, p.scope, p.relay, ills)
	p.note(ctx, err)
	if err == nil {
		p.said, p.saidAt, p.some = version, now, len(ills) > 0
	}
}

func illsOf(ills []Ill) []store.ChannelHealth {
	all := make([]store.ChannelHealth, 0, len(ills))
	for _, ill := range ills {
		all = append(all, store.ChannelHealth{
			ChannelID: ill.ChannelID, Model: ill.Model, Fingerprint: ill.Fingerprint, Mask: ill.Mask,
			State: WordOf(ill.State), Word: ill.Word, Failures: int64(ill.Failures), Until: ill.Until,
		})
	}
	return all
}

// WordOf is the routing reason that a state amounts to.
func WordOf(state routing.State) string {
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

// disable writes down which credentials no relay is to use any more.
func (p *Publisher) disable(ctx context.Context) {
	for c, why := range p.health.refusals.toDisable() {
		ctx, cancel := context.WithTimeout(ctx, publishTimeout)
		changed, err := p.board.DisableCredential(ctx, p.scope, store.Credential{ChannelID: c.channel, Fingerprint: c.fingerprint}, why)
		cancel()
		if store.Transient(err) {
			p.note(ctx, err)
			return // the next tick tries again
		}
		p.health.refusals.disabled(c)
		if changed {
			p.log.WarnContext(ctx, "credential disabled", "channel_id", c.channel, "fingerprint", c.fingerprint, "reason", why)
		}
	}
}

// note tells the log when the board goes and comes.
func (p *Publisher) note(ctx context.Context, err error) {
	if failing := err != nil; failing != p.failing && ctx.Err() == nil {
		p.failing = failing
		p.log.WarnContext(ctx, "telling of channels' health", "succeeding", !failing, "error", err)
	}
}
