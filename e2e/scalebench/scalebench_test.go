package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/stack"
)

// The test checks that the program works, and no figures: they depend on what else the machine does.
func TestRun_MeasuresAllStepsOfTheShortPlan(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it runs programs, services or containers")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	r, err := run(ctx, shortPlan)
	if errors.Is(err, stack.ErrMissing) && os.Getenv("TEST_REQUIRE") != "all" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := r.print(&out); err != nil {
		t.Fatal(err)
	}
	for _, g := range shortPlan.groups {
		for _, s := range g.steps {
			if !strings.Contains(out.String(), s.traffic) {
				t.Errorf("the report has no line for %s:\n%s", s.traffic, out.String())
			}
		}
	}
	for _, l := range r.lines {
		if l.calls > 0 && (l.used.batches == 0 || l.used.wal <= 0) {
			t.Errorf("%s: no transaction, or no WAL: %+v", l.step.traffic, l.used)
		}
	}
}

func TestFit_FindsTheCostsOfTransactionsAndCalls(t *testing.T) {
	t.Parallel()
	reading := func(relays, calls int, batches float64) line {
		return line{
			group: group{relays: relays}, calls: calls, step: step{traffic: few},
			used: used{elapsed: 10 * time.Second, batches: batches,
				wal: 10*100*float64(relays) + 5000*batches + 700*float64(calls)},
		}
	}
	r := &report{lines: []line{
		{group: group{relays: 1}, step: step{traffic: idle}, used: used{elapsed: 5 * time.Second, wal: 500}},
		{group: group{relays: 2}, step: step{traffic: idle}, used: used{elapsed: 5 * time.Second, wal: 1000}},
		reading(1, 2000, 100), reading(1, 8000, 120), reading(2, 4000, 210),
	}}
	got, ok := r.fit(few, func(u used) float64 { return u.wal })
	if !ok || int(got.transaction+0.5) != 5000 || int(got.call+0.5) != 700 {
		t.Errorf("got %+v, %t, want 5000 for each transaction and 700 for each call", got, ok)
	}
	if got, ok := r.fit(known, func(u used) float64 { return u.wal }); ok {
		t.Errorf("got %+v without measurements", got)
	}
}
