package main

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/usage"
)

// repeatedEvents is the number of events of each case of repeats.
const repeatedEvents = 10 * batchSize

// repeatCost holds the microseconds of CPU time that Postgres needs for an event of a case, on each base.
type repeatCost struct {
	name   string
	micros []float64
}

// repeats measures the check that an event is recorded at most once: on each base it records events of the present, the
// same events again, events of the first month, and these again.
func repeats(ctx context.Context, bases []*base, server int) ([]repeatCost, error) {
	cases := []repeatCost{{name: "events of now"}, {name: "the same events again"}, {name: "events of the first month"},
		{name: "the same events again"}}
	for _, b := range bases {
		relay := uuid.Must(uuid.NewV7())
		if err := b.lease(ctx, relay, b.big().tenant); err != nil {
			return nil, err
		}
		present := presentEvents(repeatedEvents, relay, b.busyToken)
		late := presentEvents(repeatedEvents, relay, b.busyToken)
		for i := range late {
			late[i].CreatedAt = b.at(0.001)
			late[i].ID = idAt(late[i].CreatedAt)
		}
		for i, events := range [][]usage.Event{present, present, late, late} {
			cost, err := b.recordNew(ctx, server, relay, events, repeatedEvents*(1-i%2))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", cases[i].name, err)
			}
			cases[i].micros = append(cases[i].micros, cost.server)
		}
	}
	return cases, nil
}

// recordNew records the events and returns the CPU time per event. It returns an error if the number of new events is
// not want.
func (b *base) recordNew(ctx context.Context, server int, relay uuid.UUID, events []usage.Event,
	want int) (cost cpuTime, err error) {
	count := 0
	cost, err = meter(server, len(events), func() (err error) {
		count, err = record(ctx, b.store, relay, events)
		return err
	})
	if err == nil && count != want {
		err = fmt.Errorf("%d events were new, want %d", count, want)
	}
	return cost, err
}
