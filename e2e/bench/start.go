package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tollgate/tollgate/e2e/bench/proc"
	"github.com/tollgate/tollgate/e2e/stack"
)

const startCount = 10 // starts of each program

// starts restarts each program on stores that hold its data already. It measures the time until /readyz, which is
// asked every 10 ms, answers 200, and the CPU time of the process until then, which other processes affect less.
func (r *rig) starts(ctx context.Context) (figures []Figure, err error) {
	alone, err := r.kit.Standalone(ctx, stack.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, alone.Close()) }()
	for _, p := range []*stack.Program{r.stack.Relay, r.stack.Console, r.stack.Worker, &alone.Program} {
		times, cpu, err := restarts(ctx, p)
		if err != nil {
			return nil, err
		}
		figures = append(figures,
			Figure{Name: "start of " + p.Name + ": median of 10", Unit: "ms",
				Relay: milliseconds(percentile(times, 50))},
			Figure{Name: "start of " + p.Name + ": slowest of 10", Unit: "ms",
				Relay: milliseconds(times[len(times)-1])},
			Figure{Name: "start of " + p.Name + ": CPU time", Unit: "ms", Relay: milliseconds(cpu)})
	}
	return figures, nil
}

// restarts returns the sorted times that a program took to become ready, and its mean CPU time until then.
func restarts(ctx context.Context, p *stack.Program) (times []time.Duration, cpu time.Duration, err error) {
	for range startCount {
		if err := p.Terminate(); err != nil {
			return nil, 0, err
		}
		began := time.Now()
		if err := p.Start(ctx); err != nil {
			return nil, 0, err
		}
		times = append(times, time.Since(began))
		cost, err := proc.CPU(p.PID())
		if err != nil {
			return nil, 0, err
		}
		cpu += cost
	}
	slices.Sort(times)
	return times, cpu / startCount, nil
}
