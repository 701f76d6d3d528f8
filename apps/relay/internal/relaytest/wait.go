package relaytest

import (
	"slices"
	"time"

	"github.com/google/uuid"
	dto "github.com/prometheus/client_model/go"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/page"
)

// ExpectLogs checks the number of usage logs. The caller waits for the last one.
func (h *Relay) ExpectLogs(want int) {
	h.T.Helper()
	if logs, err := h.Store.Metering.UsageLogs(h.T.Context(), tenant.SystemScope("test"), metering.LogQuery{}); err !=
		nil || len(logs.Items) != want {
		h.T.Errorf("got %d usage logs, error %v, want %d", len(logs.Items), err, want)
	}
}

// Log waits for the usage log of a request and returns it.
func (h *Relay) Log(r Reply) usage.Log {
	h.T.Helper()
	return h.LogOf(r.Header.Get("X-Request-Id"))
}

// LogOf waits for the usage log with the id and returns it; "" accepts any.
func (h *Relay) LogOf(id string) usage.Log {
	h.T.Helper()
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); <-poll.C {
		log, err := h.readLog(id)
		if err == nil {
			return log
		}
		if problem.From(err).Kind != problem.NotFound {
			h.T.Fatal(err)
		}
	}
	h.T.Fatalf("no usage log for %s", id)
	return usage.Log{}
}

// readLog returns the usage log with the id, or the newest one if id is "".
func (h *Relay) readLog(id string) (usage.Log, error) {
	store, scope := h.Store.Metering, tenant.SystemScope("test")
	if id == "" {
		logs, err := store.UsageLogs(h.T.Context(), scope, metering.LogQuery{Page: page.Page{Limit: 1}})
		if err == nil && len(logs.Items) == 0 {
			err = problem.Of(problem.NotFound)
		}
		if err != nil {
			return usage.Log{}, err
		}
		return logs.Items[0], nil
	}
	key, err := uuid.Parse(id)
	if err != nil {
		return usage.Log{}, err
	}
	log, _, err := store.UsageLog(h.T.Context(), scope, key)
	return log, err
}

// Series returns the value of a counter or gauge, or the count of a histogram; 0 if there is none. Labels are
// pairs of names and values.
func (h *Relay) Series(name string, labels ...string) float64 {
	h.T.Helper()
	families, err := h.Registry.Gather()
	if err != nil {
		h.T.Fatal(err)
	}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			if family.GetName() == name && has(metric, labels) {
				return metric.GetCounter().GetValue() + metric.GetGauge().GetValue() +
					float64(metric.GetHistogram().GetSampleCount())
			}
		}
	}
	return 0
}

// has reports whether the metric has the labels.
func has(metric *dto.Metric, labels []string) bool {
	for i := 0; i < len(labels); i += 2 {
		if !slices.ContainsFunc(metric.GetLabel(), func(l *dto.LabelPair) bool {
			return l.GetName() == labels[i] && l.GetValue() == labels[i+1]
		}) {
			return false
		}
	}
	return true
}

// Eventually waits until the condition holds, and fails the test after 30 seconds.
func (h *Relay) Eventually(condition string, holds func() bool) {
	h.T.Helper()
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); <-poll.C {
		if holds() {
			return
		}
	}
	h.T.Fatalf("timed out waiting until %s", condition)
}
