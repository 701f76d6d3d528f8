package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/libs/store/metering"
)

// task is something that programs do again and again while the database changes.
type task struct {
	name string
	do   func(context.Context) error
}

// waits holds the longest time that each task took.
type waits struct {
	names   []string
	longest []time.Duration
}

// during runs the tasks, each again and again with a short pause, while work runs, and returns the longest time that
// each took.
func during(ctx context.Context, tasks []task, work func(context.Context) error) (w waits, err error) {
	working, stop := context.WithCancel(ctx)
	defer stop()
	w.longest = make([]time.Duration, len(tasks))
	errs := make([]error, len(tasks))
	var running sync.WaitGroup
	for i, t := range tasks {
		w.names = append(w.names, t.name)
		running.Go(func() {
			for working.Err() == nil {
				began := time.Now()
				// The task that runs at the end also counts: it may have waited for the work.
				if errs[i] = t.do(ctx); errs[i] != nil {
					return
				}
				w.longest[i] = max(w.longest[i], time.Since(began))
				pause(working, taskPause)
			}
		})
	}
	err = work(ctx)
	stop()
	running.Wait()
	for i, taskErr := range errs {
		if taskErr != nil {
			return w, fmt.Errorf("%s: %w", w.names[i], taskErr)
		}
	}
	return w, err
}

const taskPause = 20 * time.Millisecond

// pause waits for the time, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// programs returns what relays, consoles and workers do with the base: record usage, read pages, look tokens up, and
// roll up.
func (b *base) programs(relay uuid.UUID) []task {
	return []task{
		{"shipment of 200 events", func(ctx context.Context) error {
			_, err := record(ctx, b.store, relay, presentEvents(200, relay, b.busyToken))
			return err
		}},
		{"page of a tenant", func(ctx context.Context) error {
			_, err := b.store.Metering.UsageLogs(ctx, b.big().owner(), metering.LogQuery{})
			return err
		}},
		{"page deep in the history", func(ctx context.Context) error {
			_, err := b.store.Metering.UsageLogs(ctx, b.big().owner(), metering.LogQuery{Page: b.after(0.5)})
			return err
		}},
		{"rollup", func(ctx context.Context) error {
			_, err := b.store.Rollup.DrainOutbox(ctx, platform, 0)
			return err
		}},
	}
}

// monthDrop describes a drop of a month.
type monthDrop struct {
	name string
	took time.Duration
	waits
}

// retire drops the two oldest months: the first while nothing else holds a lock for long, the second while a report
// reads the table for some seconds. It measures what programs wait meanwhile.
func (b *base) retire(ctx context.Context) (list []monthDrop, err error) {
	relay := uuid.Must(uuid.NewV7())
	if err := b.lease(ctx, relay, b.big().tenant); err != nil {
		return nil, err
	}
	for _, c := range []struct {
		name string
		work func(context.Context) error
	}{
		{"before", func(ctx context.Context) error { pause(ctx, readerTime); return nil }},
		{"drop of a month", func(ctx context.Context) error { return b.drop(ctx, 1) }},
		{fmt.Sprintf("drop of a month while a report of %v reads it", readerTime), func(ctx context.Context) error {
			done, err := b.report(ctx)
			if err != nil {
				return err
			}
			defer func() { <-done }()
			return b.drop(ctx, 2)
		}},
	} {
		began := time.Now()
		w, err := during(ctx, b.programs(relay), c.work)
		if err != nil {
			return list, fmt.Errorf("%s: %w", c.name, err)
		}
		list = append(list, monthDrop{c.name, time.Since(began), w})
	}
	return list, nil
}

// readerTime is the time that report keeps its lock.
const readerTime = 5 * time.Second

// drop drops the first n months, unless they are dropped.
func (b *base) drop(ctx context.Context, n int) error {
	keep := time.Since(b.from.AddDate(0, n, 0)) - time.Hour
	result, err := b.store.Metering.DropUsageLogs(ctx, platform, keep)
	if err == nil && result.Partitions != 1 {
		return fmt.Errorf("%d partitions were dropped, want 1", result.Partitions)
	}
	return err
}

// report begins a transaction that reads the table, and ends it after readerTime.
func (b *base) report(ctx context.Context) (done chan struct{}, err error) {
	conn, err := pgx.Connect(ctx, b.url)
	if err != nil {
		return nil, err
	}
	tx, err := conn.Begin(ctx)
	if err == nil {
		_, err = tx.Exec(ctx, "SELECT FROM usage_logs LIMIT 1")
	}
	if err != nil {
		_ = conn.Close(ctx)
		return nil, err
	}
	done = make(chan struct{})
	go func() {
		defer close(done)
		pause(ctx, readerTime)
		_ = conn.Close(ctx)
	}()
	return done, nil
}
