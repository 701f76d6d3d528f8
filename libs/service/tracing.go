package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/tollgate/tollgate/libs/config"
)

const (
	tracesPath       = "/v1/traces"
	spanQueue        = 4_096           // largest number of spans that wait for the collector; further spans are dropped
	spanBatch        = 512             // spans of one batch
	spanEvery        = 2 * time.Second // longest time between two batches
	spanTimeout      = 5 * time.Second // timeout of one batch
	lastSpans        = 5 * time.Second // time for the waiting spans when the program ends
	exportErrorEvery = time.Minute     // shortest time between two log lines about a failing collector
)

// Tracing sends spans to the collector at the configuration's OTLPURL. A nil *Tracing does nothing and is valid.
type Tracing struct {
	provider *sdk.TracerProvider
	log      *slog.Logger
}

// NewTracing returns the tracing of a program, or nil if no OTLPURL is configured. The caller ends it with Close.
// NewTracing does not connect to the collector. Some standard variables of OpenTelemetry configure the connection, see
// newOTLPClient.
func NewTracing(c config.Config, log *slog.Logger) (*Tracing, error) {
	if c.OTLPURL == "" {
		return nil, nil //nolint:nilnil // a nil *Tracing is valid and does nothing
	}
	client, err := newOTLPClient(strings.TrimSuffix(strings.TrimSuffix(c.OTLPURL, tracesPath), "/") + tracesPath)
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	exporter, err := otlptrace.New(context.Background(), client)
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	otel.SetErrorHandler(&exportErrors{log: log, now: time.Now})
	return &Tracing{log: log, provider: sdk.NewTracerProvider(
		sdk.WithBatcher(exporter, sdk.WithMaxQueueSize(spanQueue), sdk.WithMaxExportBatchSize(spanBatch),
			sdk.WithBatchTimeout(spanEvery), sdk.WithExportTimeout(spanTimeout)),
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(c.TraceRatio))),
		sdk.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "tollgate-"+c.Program), attribute.String("service.version", Version()),
		)),
	)}, nil
}

// Tracer returns the tracer that starts spans, or nil if there is no tracing.
func (t *Tracing) Tracer() trace.Tracer {
	if t == nil {
		return nil
	}
	return t.provider.Tracer("github.com/tollgate/tollgate")
}

// Close sends the waiting spans, for at most 5 s, and logs a failure.
func (t *Tracing) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastSpans)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		t.log.WarnContext(ctx, "sending the last traces failed", "error", err)
	}
}

// exportErrors logs errors of the exporter, at most one each minute. OpenTelemetry has one error handler for the whole
// process.
type exportErrors struct {
	log *slog.Logger
	now func() time.Time
	at  atomic.Int64 // unix ns
}

// Handle implements otel.ErrorHandler. It ignores the error of a canceled export.
func (c *exportErrors) Handle(err error) {
	before, now := c.at.Load(), c.now().UnixNano()
	if now-before < int64(exportErrorEvery) || !c.at.CompareAndSwap(before, now) || errors.Is(err, context.Canceled) {
		return
	}
	c.log.Warn("sending traces failed", "error", err)
}
