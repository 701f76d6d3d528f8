package main

import (
	"regexp"
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
)

// The test fails when a migration breaks the statements of the benchmark. It checks no figures: they depend on what
// else the machine does.
func TestBench_FillsAndQueriesThePresentSchema(t *testing.T) {
	story.NeedsPrograms(t)
	ctx := story.Context(t)
	server, err := stack.StartPostgres(ctx)
	if err != nil {
		story.Missing(t, err)
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Remove(); err != nil {
			t.Error(err)
		}
	})
	b := &base{rows: 2000, months: 3}
	defer b.close(ctx)
	if err := b.open(ctx, server.URL); err != nil {
		t.Fatal(err)
	}
	if n := story.Query(t, b.url, "SELECT count(*) FROM usage_logs"); n < 1990 || n > 2000 {
		t.Errorf("got %d logs, want 2000 less one for each month by rounding", n)
	}
	if _, err := ask(ctx, []*base{b}, &plan{rounds: 1, only: *regexp.MustCompile("")}); err != nil {
		t.Error(err)
	}
	relay := uuid.Must(uuid.NewV7())
	if err := b.lease(ctx, relay, b.big().tenant); err != nil {
		t.Fatal(err)
	}
	if n, err := record(ctx, b.store, relay, presentEvents(200, relay, b.busyToken)); err != nil || n != 200 {
		t.Errorf("%d events were new, want 200: %v", n, err)
	}
	if u, err := upgrade(ctx, server.URL, b.rows, b.months); err != nil || u.steps == 0 {
		t.Errorf("upgrade: got %+v, want the steps after the baseline: %v", u, err)
	}
}
