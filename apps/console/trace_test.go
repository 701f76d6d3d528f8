package console_test

import (
	"encoding/hex"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/service/otlptest"
)

func TestTrace_HasOneSpanPerRequest(t *testing.T) {
	t.Parallel()
	w := consoletest.Setup(t).Watch()
	me := w.As(w.Acme.Member)
	me.GetTraced("/api/tokens?limit=1", traceparent).Want(t, http.StatusOK)
	me.Get("/api/tokens/"+w.Globex.Token.ID.String()).Want(t, http.StatusNotFound)
	me.Get("/api/made-up/by-a-client").Want(t, http.StatusNotFound)
	w.Anonymous().GetTraced("/api/platform", strings.TrimSuffix(traceparent, "1")+"0").Want(t, http.StatusOK)
	w.Store.Close() //nolint:errcheck // the next request must fail, to check its span
	me.Get("/api/quota").Want(t, http.StatusInternalServerError)
	w.Flush()
	span := func(route string, status int64, more map[string]any) map[string]any {
		attributes := map[string]any{"http.request.method": "GET", "url.scheme": "http", "http.route": route,
			"http.response.status_code": status}
		maps.Copy(attributes, more)
		return attributes
	}
	for name, want := range map[string]struct {
		attributes   map[string]any
		code, status string
		parent       string
	}{
		"GET /api/tokens": {span("GET /api/tokens", 200, nil), unset, "", callersSpan},
		"GET /api/tokens/{id}": {span("GET /api/tokens/{id}", 404,
			map[string]any{"error.type": "not_found", "tollgate.error.domain": "caller"}), unset, "", ""},
		"/": {span("/", 404, map[string]any{"error.type": "unknown_url", "tollgate.error.domain": "caller"}), unset, "",
			""},
		"GET /api/quota": {
			span("GET /api/quota", 500, map[string]any{"error.type": "internal_error",
				"tollgate.error.domain": "gateway"}), "STATUS_CODE_ERROR", "internal_error", "",
		},
	} {
		spans := w.Collector.Spans(name)
		if len(spans) != 1 {
			t.Errorf("got %d spans of %s, want 1: %v", len(spans), name, spans)
			continue
		}
		span := spans[0]
		if got := otlptest.All(span.GetAttributes()); !maps.Equal(got, want.attributes) {
			t.Errorf("%s: got attributes %v, want %v", name, got, want.attributes)
		}
		if kind, got := span.GetKind().String(), span.GetStatus(); kind != "SPAN_KIND_SERVER" ||
			got.GetCode().String() != want.code || got.GetMessage() != want.status {
			t.Errorf("%s: got kind %s and status %s", name, kind, got)
		}
		trace, parent := hex.EncodeToString(span.GetTraceId()), hex.EncodeToString(span.GetParentSpanId())
		if parent != want.parent || (trace == callersTrace) != (want.parent != "") {
			t.Errorf("%s: got trace %s and parent span %q", name, trace, parent)
		}
		if span.GetEndTimeUnixNano() < span.GetStartTimeUnixNano() || len(span.GetEvents()) > 0 {
			t.Errorf("%s: got span %v, want ordered times and no events", name, span)
		}
	}
	if all := w.Collector.Spans(""); len(all) != 4 {
		t.Errorf("got %d spans, want 4: a request whose caller decided not to sample it has none: %v", len(all), all)
	}
	if got := w.Collector.Services(); !slices.Contains(got, "tollgate-console") {
		t.Errorf("got spans of the services %v, want tollgate-console", got)
	}
}
