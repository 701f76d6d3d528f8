// Package bucket exports usage logs to object storage with the protocol of S3, as they come: gzip-compressed lines of
// JSON, in objects that are never changed. Package store/export plans the objects, so that each log is in exactly one.
//
//	Plan (database) -> Next: an object's name and ids -> logs by id -> JSON -> gzip -> PUT -> Written (database)
//
// A run that ends anywhere is repeated with the same name and the same logs in the same order, so with the same bytes.
// The PUT asks the server not to replace an object that exists. An object is written in one request from memory: a call
// of the store bounds the number of its logs, and a compressed log has about 200 bytes.
package bucket

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/export"
)

const (
	folder   = "usage_logs"    // below the prefix
	readLogs = 500             // logs that are read at once
	runTime  = 3 * time.Minute // after which a run begins no further object; a task ends after 5 minutes
)

// Plans is the part of the store that plans objects.
type Plans interface {
	Plan(ctx context.Context, scope tenant.Scope, limit int) (n, gaps int, err error)
	Next(ctx context.Context, scope tenant.Scope) (export.Object, bool, error)
	Written(ctx context.Context, scope tenant.Scope, id uuid.UUID) error
}

// Logs is the part of the store that reads usage logs.
type Logs interface {
	LogsByID(ctx context.Context, scope tenant.Scope, ids []uuid.UUID) ([]usage.Log, error)
}

// Options configures an Exporter.
type Options struct {
	// Begin turns the export on, unless it is on.
	Begin    func(ctx context.Context, scope tenant.Scope) (begun bool, err error)
	Plans    Plans
	Logs     Logs
	Scope    tenant.Scope
	Target   Target
	MaxLogs  int // of one object, about
	Log      *slog.Logger
	Registry prometheus.Registerer
}

// Exporter writes objects. It is safe for concurrent use.
type Exporter struct {
	Options
	client *client

	objects, logs, bytes, failures, missing prometheus.Counter
}

// New returns an Exporter and registers its metrics.
func New(o Options) (*Exporter, error) {
	c, err := newClient(o.Target)
	if err != nil {
		return nil, err
	}
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	e := &Exporter{
		Options: o, client: c,
		objects: counter("tollgate_export_objects_total", "Objects that this worker wrote to the bucket."),
		logs:    counter("tollgate_export_logs_total", "Usage logs in these objects."),
		bytes:   counter("tollgate_export_bytes_total", "Compressed size of these objects."),
		failures: counter("tollgate_export_failures_total",
			"Runs of the export that ended with an error. The next run repeats what is missing."),
		missing: counter("tollgate_export_missing_logs_total",
			"Usage logs that were deleted before they were exported."),
	}
	for _, metric := range []prometheus.Collector{e.objects, e.logs, e.bytes, e.failures, e.missing} {
		if err := o.Registry.Register(metric); err != nil {
			return nil, fmt.Errorf("bucket: %w", err)
		}
	}
	return e, nil
}

// Run turns the export on if it is off, and writes objects until no more logs wait or minutes have passed.
func (e *Exporter) Run(ctx context.Context) error {
	err := e.run(ctx)
	if err != nil {
		e.failures.Inc()
		return fmt.Errorf("export usage logs: %w", err)
	}
	return nil
}

func (e *Exporter) run(ctx context.Context) error {
	begun, err := e.Begin(ctx, e.Scope)
	if err != nil {
		return err
	}
	if begun {
		e.Log.InfoContext(ctx, "export of usage logs to the bucket begins with the oldest log")
	}
	// A check also when nothing waits reports a wrong setting before it matters.
	if err := e.client.check(ctx); err != nil {
		return err
	}
	for end := time.Now().Add(runTime); time.Now().Before(end); {
		if err := e.writePlanned(ctx); err != nil {
			return err
		}
		n, gaps, err := e.Plans.Plan(ctx, e.Scope, e.MaxLogs)
		if err != nil {
			return err
		}
		e.miss(ctx, gaps)
		if n < e.MaxLogs {
			return e.writePlanned(ctx)
		}
	}
	return nil
}

// writePlanned writes the objects that are planned, the oldest first. It ends at an error, so that objects appear in
// the order of their names.
func (e *Exporter) writePlanned(ctx context.Context) error {
	for {
		o, ok, err := e.Plans.Next(ctx, e.Scope)
		if err != nil || !ok {
			return err
		}
		if err := e.write(ctx, &o); err != nil {
			return err
		}
	}
}

// write writes one object.
func (e *Exporter) write(ctx context.Context, o *export.Object) error {
	lines, n := newEncoder(), 0
	for part := range slices.Chunk(o.Logs, readLogs) {
		logs, err := e.Logs.LogsByID(ctx, e.Scope, part)
		if err != nil {
			return err
		}
		for i := range logs {
			if err := lines.add(&logs[i]); err != nil {
				return err
			}
		}
		n += len(logs)
	}
	if n > 0 {
		data, err := lines.close()
		if err != nil {
			return err
		}
		if err := e.client.put(ctx, name(o), data); err != nil {
			return err
		}
		e.bytes.Add(float64(len(data)))
		e.objects.Inc()
	}
	if err := e.Plans.Written(ctx, e.Scope, o.ID); err != nil {
		return err
	}
	e.logs.Add(float64(n))
	e.miss(ctx, len(o.Logs)-n)
	return nil
}

// miss reports logs that do not exist any more.
func (e *Exporter) miss(ctx context.Context, logs int) {
	if logs > 0 {
		e.missing.Add(float64(logs))
		e.Log.ErrorContext(ctx, "usage logs were deleted before they were exported", "logs", logs)
	}
}

// name returns the name of an object below the prefix.
func name(o *export.Object) string {
	return folder + "/date=" + o.Day + "/" + o.ID.String() + ".ndjson.gz"
}
