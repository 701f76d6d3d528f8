package worker

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/service"
	"github.com/tollgate/tollgate/libs/service/otlptest"
)

func TestTasks_CountAPanicAsFailureAndKeepItOutOfTheSpan(t *testing.T) {
	t.Parallel()
	collector := otlptest.New(t)
	traces, err := service.NewTracing(config.Config{Program: config.Worker, OTLPURL: collector.URL, TraceRatio: 1},
		slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	watcher, err := newTasks(&Options{Registry: prometheus.NewRegistry(), Tracer: traces.Tracer()})
	if err != nil {
		t.Fatal(err)
	}
	handler := watcher.watch(queue.PeriodicTask{Task: queue.RollUpUsage,
		Handler: func(context.Context) error { panic("hunter2") }})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic did not reach the queue")
			}
		}()
		_ = handler(t.Context())
	}()
	traces.Close()
	for result, want := range map[string]uint64{"failed": 1, "done": 0} {
		var counted dto.Metric
		histogram, _ := watcher.elapsed.WithLabelValues(string(queue.RollUpUsage), result).(prometheus.Histogram)
		if err := histogram.Write(&counted); err != nil {
			t.Fatal(err)
		}
		if got := counted.GetHistogram().GetSampleCount(); got != want {
			t.Errorf("got %d tasks counted as %s, want %d", got, result, want)
		}
	}
	spans := collector.Spans("task usage:rollup")
	if len(spans) != 1 || spans[0].GetStatus().GetCode().String() != "STATUS_CODE_ERROR" ||
		bytes.Contains(collector.Raw(), []byte("hunter2")) {
		t.Errorf("got spans %v, want one with an error and without the value of the panic", collector.Spans(""))
	}
}
