package main

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// repeatBatches is the number of batches of each case of repeats.
const repeatBatches = 10

// recorded holds the microseconds of CPU time that Postgres needs for an event of a case, on each base.
type recorded struct {
	name   string
	micros []float64
}

// repeats measures the check that an event is recorded at most once: on each base it records events of the present, the
// same events again, events of the first month, and these again.
func repeats(ctx context.Context, bases []*base, server int) ([]recorded, error) {
	cases := []recorded{{name: "events of now"}, {name: "the same events again"}, {name: "events of the first month"},
		{name: "the same events again"}}
	for _, b := range bases {
		relay := uuid.Must(uuid.NewV7())
		if err := b.lease(ctx, relay); err != nil {
			return nil, err
		}
		present, lateBatches := b.batches(relay, time.Time{}), b.batches(relay, b.at(0.001))
		for i, batches := range [][][]usage.Event{present, present, lateBatches, lateBatches} {
			cost, err := b.recordBatches(ctx, server, relay, batches, repeatBatches*batchSize*(1-i%2))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", cases[i].name, err)
			}
			cases[i].micros = append(cases[i].micros, cost.server)
		}
	}
	return cases, nil
}

// lease grants the relay a lease on the big tenant.
func (b *base) lease(ctx context.Context, relay uuid.UUID) error {
	_, err := b.store.Quota.GrantLease(ctx, tenant.SystemScope("logbench"), relay, quota.AccountRef{ID: b.big().tenant},
		quota.LeaseRequest{Stamp: 1, Need: 100 * money.USD})
	return err
}

// batches returns events of the big tenant, of the time at, or of now if it is zero.
func (b *base) batches(relay uuid.UUID, at time.Time) (list [][]usage.Event) {
	for range repeatBatches {
		events := batch(relay, b.busyToken)
		for i := range events {
			if !at.IsZero() {
				events[i].CreatedAt = at
				floor := floor(at)
				copy(events[i].ID[:6], floor[:6])
			}
		}
		list = append(list, events)
	}
	return list
}

// recordBatches records the batches and returns the CPU time per event. It returns an error if the number of new events
// is not want.
func (b *base) recordBatches(ctx context.Context, server int, relay uuid.UUID, batches [][]usage.Event,
	want int) (cost spent, err error) {
	total := 0
	cost, err = meter(server, repeatBatches*batchSize, func() error {
		for _, events := range batches {
			n, err := b.store.Metering.RecordEvents(ctx, tenant.SystemScope("logbench"), relay, events)
			if err != nil {
				return err
			}
			total += n
		}
		return nil
	})
	if err == nil && total != want {
		err = fmt.Errorf("%d events were new, want %d", total, want)
	}
	return cost, err
}
