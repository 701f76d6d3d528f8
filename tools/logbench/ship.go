package main

import (
	"context"
	"math/rand/v2"
	"os"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/tools/bench/proc"
)

const (
	batches   = 50
	batchSize = 2000
)

// spent is the CPU time of an event, in microseconds.
type spent struct{ server, client, wall float64 }

func (s spent) perCore() float64 { return 1e6 / (s.server + s.client) }

// ship records events the way a relay does, into the database as it stands.
func (b *base) ship(ctx context.Context, server int) (spent, error) {
	relay, platform := uuid.Must(uuid.NewV7()), tenant.SystemScope("logbench")
	for _, id := range []uuid.UUID{b.big().tenant, b.small().tenant} {
		if _, err := b.store.LeaseQuota(ctx, platform, relay, id, money.USD); err != nil {
			return spent{}, err
		}
	}
	made := make([][]usage.Event, batches+1)
	for i := range made {
		made[i] = b.batch(relay)
	}
	record := func(events []usage.Event) error {
		_, err := b.store.RecordEvents(ctx, platform, relay, events)
		return err
	}
	if err := record(made[batches]); err != nil {
		return spent{}, err
	}
	return meter(server, batches*batchSize, func() error {
		for _, events := range made[:batches] {
			if err := record(events); err != nil {
				return err
			}
		}
		return nil
	})
}

// drain rolls up what ship recorded.
func (b *base) drain(ctx context.Context, server int) (spent, error) {
	return meter(server, (batches+1)*batchSize, func() error {
		for {
			if n, err := b.store.DrainOutbox(ctx, tenant.SystemScope("logbench"), 0); err != nil || n == 0 {
				return err
			}
		}
	})
}

// batch are calls of the present second, skewed as the loaded ones are.
func (b *base) batch(relay uuid.UUID) []usage.Event {
	events := make([]usage.Event, batchSize)
	for i := range events {
		at := rand.IntN(len(b.tokens))
		if rand.IntN(2) == 0 {
			at = int(rand.Float64() * rand.Float64() * bigUsers * tokensOfUser)
		}
		who, serving := b.tokens[at], channel(at%8)
		events[i] = usage.Event{Leased: []uuid.UUID{who.tenant}, Log: usage.Log{
			ID: uuid.Must(uuid.NewV7()), CreatedAt: time.Now().UTC(), TenantID: who.tenant, UserID: who.user, TokenID: who.token,
			GroupID: relay, ChannelID: serving, RelayID: relay, Model: "model-3", UpstreamModel: "model-3", Dialect: "chat",
			Outcome: usage.Success, Status: 200, Usage: usage.Usage{Input: 900, CachedInput: 100, Output: 300},
			PriceID: relay, RuleID: relay, Cost: 315_000, Quota: 315_000,
			Attempts: []usage.Attempt{{ChannelID: serving, Status: 200, Elapsed: time.Second}}, Latency: time.Second, FirstByte: time.Second / 3,
		}}
	}
	return events
}

// meter tells what the work costs each of the events, on the server and here.
func meter(server, events int, work func() error) (s spent, err error) {
	var before, after [2]time.Duration
	read := func(at *[2]time.Duration) (err error) {
		if at[0], err = proc.CPUTree(server); err == nil {
			at[1], err = proc.CPU(os.Getpid())
		}
		return err
	}
	if err := read(&before); err != nil {
		return s, err
	}
	began := time.Now()
	if err := work(); err != nil {
		return s, err
	}
	each := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 / float64(events) }
	s.wall = each(time.Since(began))
	err = read(&after)
	s.server, s.client = each(after[0]-before[0]), each(after[1]-before[1])
	return s, err
}
