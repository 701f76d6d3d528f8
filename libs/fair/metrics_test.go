package fair

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

func TestMetrics_AreThoseOfEachQueue(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	slots := New(Options[string]{Total: 3, Metrics: registry, Name: "slots"})
	New(Options[string]{Total: 1, Metrics: registry, Name: "others"})
	lease, err := slots.Acquire(t.Context(), 2, "a")
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Release()
	if _, err := slots.Acquire(t.Context(), 4, "a"); err == nil {
		t.Fatal("more than the total was granted")
	}
	want := `
		# HELP tollgate_queue_held What requests hold of the queue: slots, or bytes.
		# TYPE tollgate_queue_held gauge
		tollgate_queue_held{queue="others"} 0
		tollgate_queue_held{queue="slots"} 2
		# HELP tollgate_queue_refused_total Requests that waited in vain or found no place in the queue.
		# TYPE tollgate_queue_refused_total counter
		tollgate_queue_refused_total{queue="others"} 0
		tollgate_queue_refused_total{queue="slots"} 1
		# HELP tollgate_queue_waiting Requests that wait in the queue.
		# TYPE tollgate_queue_waiting gauge
		tollgate_queue_waiting{queue="others"} 0
		tollgate_queue_waiting{queue="slots"} 0
	`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
}
