package worker

import (
	"context"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/tollgate/tollgate/libs/queue"
)

// tasks records a metric and, if tracing is on, a trace for every task that ran.
type tasks struct {
	elapsed *prometheus.HistogramVec
	ended   *prometheus.GaugeVec
	every   *prometheus.GaugeVec
	tracer  trace.Tracer // nil: no traces
}

// newTasks registers the metric of tasks.
func newTasks(o *Options) (*tasks, error) {
	t := &tasks{tracer: o.Tracer, elapsed: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "tollgate_task_duration_seconds", Help: "Time that tasks of this worker took, by task and result: " +
			"done or failed.",
		Buckets: prometheus.ExponentialBuckets(0.005, 4, 10), // to 1310 s
	}, []string{"task", "result"}), ended: prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "tollgate_task_last_done_timestamp_seconds",
		Help: "When this worker last completed the task, or, before it did so, when it started.",
	}, []string{"task"}), every: prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "tollgate_task_interval_seconds", Help: "Interval of the task's schedule.",
	}, []string{"task"})}
	for _, metric := range []prometheus.Collector{t.elapsed, t.ended, t.every} {
		if err := o.Registry.Register(metric); err != nil {
			return nil, fmt.Errorf("tasks: %w", err)
		}
	}
	return t, nil
}

// watched replaces the handlers of the schedule by handlers that are recorded, and returns it.
func (t *tasks) watched(schedule []queue.PeriodicTask) []queue.PeriodicTask {
	for i := range schedule {
		schedule[i].Handler = t.watch(schedule[i])
	}
	return schedule
}

// watch returns the task's handler with its duration and result recorded.
func (t *tasks) watch(job queue.PeriodicTask) queue.Handler {
	done, failed := t.elapsed.WithLabelValues(string(job.Task), "done"),
		t.elapsed.WithLabelValues(string(job.Task), "failed")
	end := t.ended.WithLabelValues(string(job.Task))
	end.SetToCurrentTime() // so that the age grows even if no task ever runs
	t.every.WithLabelValues(string(job.Task)).Set(job.Every.Seconds())
	return func(ctx context.Context) error {
		begun, result := time.Now(), failed // a panic is a failure, too
		defer func() { result.Observe(time.Since(begun).Seconds()) }()
		err := t.trace(ctx, job)
		if err == nil {
			result = done
			end.SetToCurrentTime()
		}
		return err
	}
}

// trace runs the task's handler in a span.
func (t *tasks) trace(ctx context.Context, job queue.PeriodicTask) error {
	if t.tracer == nil {
		return job.Handler(ctx)
	}
	ctx, span := t.tracer.Start(ctx, "task "+string(job.Task),
		trace.WithAttributes(attribute.String("tollgate.task", string(job.Task))))
	failed := true // a panic is a failure, too
	defer func() {
		if failed {
			span.SetStatus(codes.Error, "failed")
		}
		span.End() // deferred directly, End would record the value of a panic, which may hold secrets
	}()
	err := job.Handler(ctx)
	failed = err != nil
	return err
}
