package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
)

// repeatBatches is the number of batches of each case of repeats.
const repeatBatches = 10

// recorded holds what Postgres needs for an event of a case, on each base: microseconds of CPU time and blocks, from
// its buffers or from the file system.
type recorded struct {
	name   string
	micros []float64
	blocks []float64
}

// repeats measures the check that an event is recorded at most once: on each base it records events of the present, the
// same events again, events of the first month, and these again. The blocks of each case show whether the check reads
// more when there are more logs or partitions.
func repeats(ctx context.Context, bases []*base, server int) ([]recorded, error) {
	cases := []recorded{{name: "events of now"}, {name: "the same events again"}, {name: "events of the first month"},
		{name: "the same events again"}}
	for _, b := range bases {
		relay := uuid.Must(uuid.NewV7())
		if err := b.lease(ctx, relay); err != nil {
			return nil, err
		}
		present, late := b.batches(relay, time.Time{}), b.batches(relay, b.at(0.001))
		for i, batches := range [][][]usage.Event{present, present, late, late} {
			used, blocks, err := b.recordBatches(ctx, server, relay, batches, repeatBatches*batchSize*(1-i%2))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", cases[i].name, err)
			}
			cases[i].micros, cases[i].blocks = append(cases[i].micros, used.server), append(cases[i].blocks, blocks)
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
func (b *base) batches(relay uuid.UUID, at time.Time) (made [][]usage.Event) {
	for range repeatBatches {
		events := batch(relay, b.busyToken)
		for i := range events {
			if !at.IsZero() {
				events[i].CreatedAt = at
				floor := floor(at)
				copy(events[i].ID[:6], floor[:6])
			}
		}
		made = append(made, events)
	}
	return made
}

// recordBatches records the batches on a connection of its own and returns the CPU time and the blocks per event. It
// returns an error if the number of new events is not want.
func (b *base) recordBatches(ctx context.Context, server int, relay uuid.UUID, batches [][]usage.Event,
	want int) (used spent, blocks float64, err error) {
	before, err := b.blocks(ctx)
	if err != nil {
		return used, 0, err
	}
	address, err := url.Parse(b.url)
	if err != nil {
		return used, 0, err
	}
	query := address.Query()
	query.Set("application_name", recorder)
	address.RawQuery = query.Encode()
	s, err := store.Open(ctx, db.Options{URL: address.String()})
	if err != nil {
		return used, 0, err
	}
	inserted := 0
	used, err = meter(server, repeatBatches*batchSize, func() error {
		for _, events := range batches {
			n, err := s.Metering.RecordEvents(ctx, tenant.SystemScope("logbench"), relay, events)
			if err != nil {
				return err
			}
			inserted += n
		}
		return nil
	})
	if err := errors.Join(err, s.Close()); err != nil {
		return used, 0, err
	}
	if inserted != want {
		return used, 0, fmt.Errorf("%d events were new, want %d", inserted, want)
	}
	after, err := b.blocks(ctx)
	return used, float64(after-before) / float64(repeatBatches*batchSize), err
}

// recorder is the name of the connections of recordBatches.
const recorder = "logbench recorder"

// blocks returns the number of blocks that all connections have asked for. It waits for the end of the recorders, which
// report their numbers when they end.
func (b *base) blocks(ctx context.Context) (n int64, err error) {
	for running := true; running; {
		if err := b.conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = $1)",
			recorder).Scan(&running); err != nil {
			return 0, err
		}
	}
	err = b.conn.QueryRow(ctx, "SELECT blks_hit + blks_read FROM pg_stat_database WHERE datname = current_database()").
		Scan(&n)
	return n, err
}
