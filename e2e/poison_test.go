package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/hostile"
	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
	"github.com/tollgate/tollgate/e2e/wait"
)

// TestPoison_OfOneTenantIsNotNoticedByAnother sends three calls of one tenant that the upstream answers with each kind
// of failure. All following calls of another tenant, for the same model on the same channel with the same
// credential, must succeed.
func TestPoison_OfOneTenantIsNotNoticedByAnother(t *testing.T) {
	t.Parallel()
	const poisoned, rounds = 3, 40
	w := testbedWith(t, stack.Options{Manifest: poisonManifest()})
	var hostiles sync.WaitGroup
	for _, m := range poisonedModels() {
		hostiles.Go(func() {
			for range poisoned {
				m.Send(story.Context(t), http.DefaultClient, w.Relay.URL, hostileToken, m.model)
			}
		})
	}
	hostiles.Wait()
	reached := map[string]int64{}
	for _, m := range poisonedModels() {
		reached[m.model] = w.upstream.Of(t, m.model).Requests
	}
	failures := map[string][]string{}
	other := w.caller(otherToken)
	for n := range rounds {
		for _, m := range poisonedModels() {
			r := other.post(story.Context(t), ask(m.model, someCounts, []string{streaming}[:n%2]...))
			if !r.complete(n%2 == 1) {
				failures[m.model] = append(failures[m.model],
					fmt.Sprintf("status %d, %v: %.200s", r.status, r.err, r.body))
			}
		}
		// A relay may take a moment to learn what another part of Tollgate concludes from the failures.
		wait.For(t.Context(), 50*time.Millisecond)
	}
	for _, m := range poisonedModels() {
		t.Run(m.Name+" "+m.model, func(t *testing.T) {
			if reached[m.model] == 0 {
				t.Error("no hostile call reached the upstream")
			}
			if failed := failures[m.model]; len(failed) > 0 {
				t.Errorf("%d of %d calls failed; the last one: %s", len(failed), rounds, failed[len(failed)-1])
			}
		})
	}
}

// The tokens of poisonManifest.
const (
	hostileToken = "hostile-0123456789abcdef"
	otherToken   = "other-0123456789abcdef"
)

// poisonedModel is a model that is called with one kind of poison.
type poisonedModel struct {
	hostile.Poison
	model string
}

// poisonedModels returns two models for each kind: only-N has one channel with one credential; paired-N has two
// channels, of which one ignores the scripts in calls.
func poisonedModels() (all []poisonedModel) {
	for i, kind := range hostile.Poisons() {
		all = append(all, poisonedModel{kind, fmt.Sprintf("only-%d", i)},
			poisonedModel{kind, fmt.Sprintf("paired-%d", i)})
	}
	return all
}

// poisonManifest returns a manifest with the models, their channels, and the two tenants.
func poisonManifest() string {
	var models, channels strings.Builder
	channel := func(name, model, upstreamModel string) {
		fmt.Fprintf(&channels, "  - {name: %s, type: openai, base_url: \"${UPSTREAM_URL}\", api_keys: "+
			"[upstream-key], endpoints: [chat], models: {%s: %q}}\n", name, model, upstreamModel)
	}
	for _, m := range poisonedModels() {
		fmt.Fprintf(&models, "  - {id: %s, owned_by: test, max_output_tokens: 1000, price: {input: \"1\", output: "+
			"\"1\"}}\n", m.model)
		channel(m.model, m.model, m.model)
		if strings.HasPrefix(m.model, "paired") {
			channel(m.model+"-sound", m.model, m.model+"?chunks=5")
		}
	}
	return "groups:\n  - {name: default, models: [\"*\"]}\nmodels:\n" + models.String() + "channels:\n" +
		channels.String() + `tenants:
  - slug: hostile
    name: Hostile
    quota: "100"
    users: [{email: owner@hostile.example, password: correct horse battery, role: owner, group: default, tokens: [{name: main, value: ` + hostileToken + `}]}]
  - slug: other
    name: Other
    quota: "100"
    users: [{email: owner@other.example, password: correct horse battery, role: owner, group: default, tokens: [{name: main, value: ` + otherToken + `}]}]
`
}
