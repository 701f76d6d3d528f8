package manifest_test

import (
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/manifest"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

const costsYAML = `
models:
  - {id: m, owned_by: o, price: {input: "5"}, routing: cheapest}
channels:
  - name: c
    type: echo
    endpoints: [chat]
    models: {m: up-m}
    costs:
      up-m: {factor: "0.9", input: "3", output: "15", tiers: [{above_input: 1000, input: "6"}]}
      other/model.v1: {request: "0.01"}
`

// Costs are versions: only a change of them adds one.
func TestApply_AddsAVersionOfCostsThatDiffer(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, db.Options{URL: storetest.SQLite(t)})
	apply := func(text string) (changes []manifest.Change) {
		applied, err := manifest.ApplyText(t.Context(), "test", []byte(text), manifest.Target{Store: s})
		if err != nil {
			t.Fatal(err)
		}
		return applied.Changes
	}
	find := func(model string) (rate, factor string) {
		snapshot, err := s.Catalog.Snapshot(t.Context(), tenant.SystemScope("test"))
		if err != nil {
			t.Fatal(err)
		}
		if m := snapshot.Model("m"); m.Routing != catalog.Cheapest {
			t.Errorf("the model is routed by %q, want cheapest", m.Routing)
		}
		cost := snapshot.Costs.Find(snapshot.Channels()[0].ID, model, time.Now())
		if cost == nil {
			t.Fatalf("%s has no costs", model)
		}
		if cost.Rates.Input != nil {
			rate = cost.Rates.Input.String()
		}
		return rate, cost.Factor.String()
	}
	if changes := apply(costsYAML); len(changes) != 4 || changes[2].Thing != "channel_cost" ||
		changes[2].Name != "c other/model.v1" {
		t.Errorf("got the changes %v, want a model, a channel and two costs", changes)
	}
	if rate, factor := find("up-m"); rate != "3" || factor != "0.9" {
		t.Errorf("got a rate of %s and a factor of %s, want 3 and 0.9", rate, factor)
	}
	if _, factor := find("other/model.v1"); factor != "1" {
		t.Errorf("without a factor it is %s, want 1", factor)
	}
	if changes := apply(costsYAML); len(changes) != 0 {
		t.Errorf("the second time changes %v", changes)
	}
	changed := "models: [{id: m, owned_by: o, price: {input: '5'}}]\n" +
		"channels: [{name: c, type: echo, endpoints: [chat], models: {m: up-m}, costs: {up-m: {input: '2.5'}}}]"
	if changes := apply(changed); len(changes) != 1 || changes[0].Thing != "channel_cost" {
		t.Errorf("got the changes %v, want one of costs", changes)
	}
	if rate, factor := find("up-m"); rate != "2.5" || factor != "1" {
		t.Errorf("got a rate of %s and a factor of %s, want 2.5 and 1", rate, factor)
	}
}
