package main

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/e2e/bench/proc"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
)

const (
	// Measured batches; half as many run before, because Postgres writes a full page image at the first change of a
	// page.
	batches   = 50
	batchSize = 2000
	shipped   = (batches + batches/2) * batchSize // events of ship
	busy      = 20                                // number of the big tenant's tokens in the traffic of busyToken
)

// spent holds the CPU times per event in microseconds: of Postgres and of this program.
type spent struct{ server, client float64 }

func (s spent) perCore() float64 { return 1e6 / (s.server + s.client) }

// ship records events as a relay does, in addition to the loaded logs. pick chooses the token of each event.
func (b *base) ship(ctx context.Context, server int, pick func() owned) (spent, error) {
	relay, platform := uuid.Must(uuid.NewV7()), tenant.SystemScope("logbench")
	list, tenants := make([][]usage.Event, batches+batches/2), map[uuid.UUID]bool{}
	for i := range list {
		list[i] = batch(relay, pick)
		for n := range list[i] {
			tenants[list[i][n].TenantID] = true
		}
	}
	for id := range tenants {
		if _, err := b.store.Quota.GrantLease(ctx, platform, relay, quota.AccountRef{ID: id},
			quota.LeaseRequest{Stamp: 1, Need: 100 * money.USD}); err != nil {
			return spent{}, err
		}
	}
	record := func(batches [][]usage.Event) error {
		for _, events := range batches {
			if _, err := b.store.Metering.RecordEvents(ctx, platform, relay, events); err != nil {
				return err
			}
		}
		return nil
	}
	if err := record(list[batches:]); err != nil {
		return spent{}, err
	}
	return meter(server, batches*batchSize, func() error { return record(list[:batches]) })
}

// busyToken returns one of a few tokens of the big tenant.
func (b *base) busyToken() owned { return b.tokens[rand.IntN(busy)] }

// anyToken returns one of all tokens, with the same distribution as in the loaded logs.
func (b *base) anyToken() owned {
	below := func(n int, power float64) int { return int(float64(n) * math.Pow(rand.Float64(), power)) }
	if rand.IntN(2) == 0 {
		return b.tokens[below(bigUsers, 2)*tokensOfUser+below(tokensOfUser, 2)]
	}
	index := below(firms-1, 3)*smallUsers + below(smallUsers, 2)
	return b.tokens[(bigUsers+index)*tokensOfUser+below(tokensOfUser, 2)]
}

// drain rolls up the events that ship recorded.
func (b *base) drain(ctx context.Context, server int) (spent, error) {
	return meter(server, shipped, func() error {
		for {
			if n, err := b.store.Rollup.DrainOutbox(ctx, tenant.SystemScope("logbench"), 0); err != nil || n == 0 {
				return err
			}
		}
	})
}

// batch returns events of the current time.
func batch(relay uuid.UUID, pick func() owned) []usage.Event {
	events := make([]usage.Event, batchSize)
	for i := range events {
		who, serving := pick(), channel(i%2)
		events[i] = usage.Event{Leased: []uuid.UUID{who.tenant}, Log: usage.Log{
			ID: uuid.Must(uuid.NewV7()), CreatedAt: time.Now().UTC(), TenantID: who.tenant, UserID: who.user,
			TokenID: who.token,
			GroupID: relay, ChannelID: serving, RelayID: relay, Model: "model-3", UpstreamModel: "model-3",
			Dialect: "chat",
			Outcome: usage.Success, Status: 200, Usage: usage.Usage{Input: 900, CachedInput: 100, Output: 300},
			PriceID: relay, RuleID: relay, Cost: 315_000, Quota: 315_000,
			Attempts: []usage.Attempt{{ChannelID: serving, Status: 200, Elapsed: time.Second}}, Latency: time.Second,
			FirstByte: time.Second / 3,
		}}
	}
	return events
}

// meter returns the CPU time per event that the work costs in Postgres and in this program.
func meter(server, events int, work func() error) (s spent, err error) {
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
