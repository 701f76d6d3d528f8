package main

import (
	"context"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/e2e/bench/proc"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/usage"
)

const (
	// measuredEvents are shipped while CPU time is measured. Half as many are shipped before, because Postgres writes a
	// full page image at the first change of a page.
	measuredEvents = 50 * batchSize
	shippedEvents  = measuredEvents + measuredEvents/2
	busyTokens     = 20 // number of the big tenant's tokens in the traffic of busyToken
)

// cpuTime holds the CPU times per event in microseconds: of Postgres and of this program.
type cpuTime struct{ server, client float64 }

func (s cpuTime) perCore() float64 { return 1e6 / (s.server + s.client) }

// ship records events as a relay does, in addition to the loaded logs. pick chooses the token of each event.
func (b *base) ship(ctx context.Context, server int, pick func() caller) (cpuTime, error) {
	relay, tenants := uuid.Must(uuid.NewV7()), map[uuid.UUID]bool{}
	events := presentEvents(shippedEvents, relay, pick)
	for i := range events {
		tenants[events[i].TenantID] = true
	}
	if err := b.lease(ctx, relay, slices.Collect(maps.Keys(tenants))...); err != nil {
		return cpuTime{}, err
	}
	if _, err := record(ctx, b.store, relay, events[measuredEvents:]); err != nil {
		return cpuTime{}, err
	}
	return meter(server, measuredEvents, func() error {
		_, err := record(ctx, b.store, relay, events[:measuredEvents])
		return err
	})
}

// lease grants the relay leases on the tenants.
func (b *base) lease(ctx context.Context, relay uuid.UUID, tenants ...uuid.UUID) error {
	for _, id := range tenants {
		if _, err := b.store.Quota.GrantLease(ctx, platform, relay, quota.AccountRef{ID: id},
			quota.LeaseRequest{Stamp: 1, Need: 100 * money.USD}); err != nil {
			return err
		}
	}
	return nil
}

// busyToken returns one of a few tokens of the big tenant.
func (b *base) busyToken() caller { return b.tokens[rand.IntN(busyTokens)] }

// anyToken returns one of all tokens, with the same distribution as in the loaded logs.
func (b *base) anyToken() caller {
	tokenOfUser := skewed(rand.Float64(), tokensOfUser, 2)
	if rand.IntN(2) == 0 {
		return b.tokens[skewed(rand.Float64(), bigUsers, 2)*tokensOfUser+tokenOfUser]
	}
	user := bigUsers + skewed(rand.Float64(), firms-1, 3)*smallUsers + skewed(rand.Float64(), smallUsers, 2)
	return b.tokens[user*tokensOfUser+tokenOfUser]
}

// drain rolls up the events that ship recorded.
func (b *base) drain(ctx context.Context, server int) (cpuTime, error) {
	return meter(server, shippedEvents, func() error {
		for {
			if n, err := b.store.Rollup.DrainOutbox(ctx, platform, 0); err != nil || n == 0 {
				return err
			}
		}
	})
}

// presentEvents returns n events of the current time, each of a token that pick chooses.
func presentEvents(n int, relay uuid.UUID, pick func() caller) []usage.Event {
	const model = "model-3"
	models := map[string]string{model: model}
	serving := []*catalog.Channel{{ID: channel(0), Models: models}, {ID: channel(1), Models: models}}
	events := make([]usage.Event, n)
	for i := range events {
		who := pick()
		log := who.call(time.Now().UTC(), relay, serving[i%len(serving)], model)
		log.Usage = usage.Usage{Input: 900, CachedInput: 100, Output: 300}
		log.PriceID, log.RuleID, log.Cost, log.Quota = relay, relay, 315_000, 315_000
		events[i] = usage.Event{Log: log, Leased: []uuid.UUID{who.tenant}}
	}
	return events
}

// meter returns the CPU time per event that the work costs in Postgres and in this program.
func meter(server, events int, work func() error) (s cpuTime, err error) {
	var before, after [2]time.Duration
	measure := func(at *[2]time.Duration) (err error) {
		if at[0], err = proc.CPUTree(server); err == nil {
			at[1], err = proc.CPU(os.Getpid())
		}
		return err
	}
	if err := measure(&before); err != nil {
		return s, err
	}
	if err := work(); err != nil {
		return s, err
	}
	perEvent := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 / float64(events) }

	err = measure(&after)
	s.server, s.client = perEvent(after[0]-before[0]), perEvent(after[1]-before[1])
	return s, err
}
