package telemetry

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/console"
	"github.com/tollgate/tollgate/apps/relay"
	"github.com/tollgate/tollgate/apps/worker"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/queue/embedded"
	"github.com/tollgate/tollgate/libs/service"
	"github.com/tollgate/tollgate/libs/web"
)

// checked is a program with readiness checks.
type checked interface {
	service.Service
	Checks() []web.Check
}

// checks returns the names of the readiness checks of each program, sorted.
func checks(t *testing.T) map[string][]string {
	t.Helper()
	_, rt := open(t)
	if err := rt.Store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	server, err := embedded.Start()
	if err != nil {
		t.Fatal(err)
	}
	rt.Redis = queue.Embed(server.Addr, server.Password, server.Close, rt.Log) // rt closes it
	wake := queue.NewClient(rt.Redis)
	t.Cleanup(func() { _ = wake.Close() })
	names := map[string][]string{}
	add := func(program string, made checked, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			if err := made.Stop(ctx); err != nil {
				t.Error(err)
			}
		})
		for _, check := range made.Checks() {
			names[program] = append(names[program], check.Name)
		}
		slices.Sort(names[program])
	}
	r, err := relay.New(relay.Options{Config: rt.Config, Store: rt.Store, Queue: wake, Redis: rt.Redis, Log: rt.Log,
		Registry: prometheus.NewRegistry()})
	add("relay", r, err)
	c, err := console.New(console.Options{Config: rt.Config, Store: rt.Store, Log: rt.Log,
		Registry: prometheus.NewRegistry()})
	add("console", c, err)
	w, err := worker.New(worker.Options{Store: rt.Store, Redis: rt.Redis, Log: rt.Log,
		Registry: prometheus.NewRegistry()})
	add("worker", w, err)
	return names
}

// The table in docs/observability.md and the runbook of the alert have every check of /readyz, and no other.
func TestReadinessChecks_AreDocumented(t *testing.T) {
	_, table, _ := strings.Cut(string(read(t, "docs/observability.md")), "| program | check | not ready where |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	_, runbook, _ := strings.Cut(string(read(t, "docs/runbooks.md")), "\n## TollgateNotReady\n")
	runbook, _, _ = strings.Cut(runbook, "\n## ")
	documented := map[string][]string{}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || strings.HasPrefix(cells[0], "---") {
			continue
		}
		check := strings.Trim(cells[1], " `")
		for program := range strings.SplitSeq(strings.TrimSpace(cells[0]), ", ") {
			documented[program] = append(documented[program], check)
		}
		if !strings.Contains(runbook, "`"+check+"`") {
			t.Errorf("the runbook of TollgateNotReady does not say what to do about %s", check)
		}
	}
	for _, names := range documented {
		slices.Sort(names)
	}
	if has := checks(t); !maps.EqualFunc(documented, has, slices.Equal) {
		t.Errorf("docs/observability.md has the checks %v, want %v as the programs have", documented, has)
	}
}
