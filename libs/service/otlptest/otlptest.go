// Package otlptest provides a collector of traces for tests. It receives spans by OTLP over HTTP and keeps them in
// memory.
package otlptest

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Collector keeps the spans that it receives. It is safe for concurrent use.
type Collector struct {
	URL string // base URL, without /v1/traces

	mu       sync.Mutex
	spans    []*trace.Span
	services []string
	raw      []byte // all request bodies, uncompressed
}

// New starts a collector and stops it at the end of the test. A malformed request fails the test.
func New(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/traces", func(w http.ResponseWriter, r *http.Request) {
		if err := c.take(r); err != nil {
			t.Error(err)
			w.WriteHeader(http.StatusBadRequest)
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

// take stores the spans of one request.
func (c *Collector) take(r *http.Request) error {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		reader, err := gzip.NewReader(body)
		if err != nil {
			return err
		}
		body = reader
	}
	raw, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	var request collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(raw, &request); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw = append(c.raw, raw...)
	for _, resource := range request.GetResourceSpans() {
		c.services = append(c.services, Text(resource.GetResource().GetAttributes(), "service.name"))
		for _, scope := range resource.GetScopeSpans() {
			c.spans = append(c.spans, scope.GetSpans()...)
		}
	}
	return nil
}

// Spans returns the received spans with the name, sorted by start time. The name "" stands for all spans.
func (c *Collector) Spans(name string) []*trace.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	spans := slices.DeleteFunc(slices.Clone(c.spans), func(s *trace.Span) bool {
		return name != "" && s.GetName() != name
	})
	slices.SortFunc(spans, func(a, b *trace.Span) int {
		return int(int64(a.GetStartTimeUnixNano()) - int64(b.GetStartTimeUnixNano()))
	})
	return spans
}

// Services returns the service.name of each received batch, in order.
func (c *Collector) Services() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.services)
}

// Raw returns the bytes of everything that was received, to search for texts that must not be sent.
func (c *Collector) Raw() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.raw)
}

// All returns the attributes by name: whole numbers as int64, everything else as string.
func All(attributes []*common.KeyValue) map[string]any {
	values := map[string]any{}
	for _, a := range attributes {
		switch v := a.GetValue().GetValue().(type) {
		case *common.AnyValue_StringValue:
			values[a.GetKey()] = v.StringValue
		case *common.AnyValue_IntValue:
			values[a.GetKey()] = v.IntValue
		default:
			values[a.GetKey()] = a.GetValue().String()
		}
	}
	return values
}

// Text returns the value of a string attribute, or "" if there is none with the key.
func Text(attributes []*common.KeyValue, key string) string {
	return value(attributes, key).GetStringValue()
}

// Number returns the value of a whole number attribute, or 0 if there is none with the key.
func Number(attributes []*common.KeyValue, key string) int64 {
	return value(attributes, key).GetIntValue()
}

func value(attributes []*common.KeyValue, key string) *common.AnyValue {
	for _, a := range attributes {
		if a.GetKey() == key {
			return a.GetValue()
		}
	}
	return nil
}
