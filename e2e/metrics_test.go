package e2e

import (
	"fmt"
	"testing"

	"github.com/tollgate/tollgate/e2e/story"
)

// awaitMetric waits until the metric has the value on all relays.
func awaitMetric(t *testing.T, w *testbed, name string, value float64) {
	t.Helper()
	for _, relay := range w.Relays {
		story.Eventually(t, story.Patience, fmt.Sprintf("%s is %v", name, value),
			func() bool { return story.Metrics(t, relay.Ops)[name] == value })
	}
}

// applied makes one change of a topic of the change feed. It returns when all relays have applied the change, and fails
// the test if one of them recorded that this took longer than a second. The effect of the change must then hold at
// once.
func (w *testbed) applied(t *testing.T, topic string, change func()) {
	t.Helper()
	var ops []string
	for _, relay := range w.Relays {
		ops = append(ops, relay.Ops)
	}
	story.Applied(t, ops, topic, change)
}
