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
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/tollgate/tollgate/libs/config"
)

const (
	tracesPath  = "/v1/traces"
	spanQueue   = 4_096 // spans that wait for the collector; more are dropped
	spanBatch   = 512
	spanEvery   = 2 * time.Second
	spanTimeout = 5 * time.Second // of one batch
	lastSpans   = 5 * time.Second // for what waits when the program ends
	complainAt  = time.Minute     // between two words about a collector that does not answer
)

// Tracing sends spans to the collector at the configuration's OTLPURL. Where
// that is empty it is nil, which has no Tracer.
type Tracing struct {
	provider *sdk.TracerProvider
	log      *slog.Logger
}

// NewTracing returns the tracing of a program, which Close ends. It does not
// wait for the collector. How the exporter's connection is made may be told by
// the standard variables, such as OTEL_EXPORTER_OTLP_HEADERS.
func NewTracing(c config.Config, log *slog.Logger) (*Tracing, error) {
	if c.OTLPURL == "" {
		return nil, nil //nolint:nilnil // no tracing is a tracing that does nothing
	}
	exporter, err := otlptracehttp.New(context.Background(),
		otlptracehttp.WithEndpointURL(strings.TrimSuffix(c.OTLPURL, tracesPath)+tracesPath), otlptracehttp.WithTimeout(spanTimeout))
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	otel.SetErrorHandler(&complaints{log: log, now: time.Now})
	return &Tracing{log: log, provider: sdk.NewTracerProvider(
		sdk.WithBatcher(exporter, sdk.WithMaxQueueSize(spanQueue), sdk.WithMaxExportBatchSize(spanBatch), sdk.WithBatchTimeout(spanEvery), sdk.WithExportTimeout(spanTimeout)),
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(c.TraceRatio))),
		sdk.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "tollgate-"+c.Program), attribute.String("service.version", Version()),
		)),
	)}, nil
}

// Tracer returns what begins spans, nil where there is no tracing.
func (t *Tracing) Tracer() trace.Tracer {
	if t == nil {
		return nil
	}
	return t.provider.Tracer("github.com/tollgate/tollgate")
}

// Close sends the spans that wait, for 5 s at the most.
func (t *Tracing) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastSpans)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		t.log.WarnContext(ctx, "the last traces were not sent", "error", err)
	}
}

// complaints tells the log once a minute of a collector that does not answer:
// OpenTelemetry keeps its error handler per process.
type complaints struct {
	log  *slog.Logger
	now  func() time.Time
	last atomic.Int64 // unix ns
}

// Handle takes an error of the exporter.
func (c *complaints) Handle(err error) {
	last, now := c.last.Load(), c.now().UnixNano()
	if now-last < int64(complainAt) || !c.last.CompareAndSwap(last, now) || errors.Is(err, context.Canceled) {
		return
	}
	c.log.Warn("traces are not taken", "error", err)
}
