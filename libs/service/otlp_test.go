package service

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

func TestOTLPClient_SendsHeadersAndCompressesAsTheVariablesSay(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=general")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "api-key=of%20traces, team = gateway ,")
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
	var spans tracev1.TracesData
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Api-Key") != "of traces" || r.Header.Get("Team") != "gateway" ||
			r.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("got the headers %v", r.Header)
		}
		plain, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		body, err := io.ReadAll(plain)
		if err != nil || proto.Unmarshal(body, &spans) != nil {
			t.Errorf("got a malformed body, err %v", err)
		}
	}))
	defer collector.Close()
	c, err := newOTLPClient(collector.URL)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.UploadTraces(t.Context(), []*tracev1.ResourceSpans{{SchemaUrl: "one"}, {SchemaUrl: "two"}}); err !=
		nil {
		t.Fatal(err)
	}
	if len(spans.ResourceSpans) != 2 || spans.ResourceSpans[1].SchemaUrl != "two" {
		t.Errorf("the collector got %v", &spans)
	}
}

func TestOTLPClient_ReportsARefusal(t *testing.T) {
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no such key", http.StatusUnauthorized)
	}))
	defer collector.Close()
	c, err := newOTLPClient(collector.URL)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.UploadTraces(t.Context(), nil); err == nil ||
		err.Error() != `send spans: the collector answered 401 Unauthorized: "no such key\n"` {
		t.Errorf("got the error %v", err)
	}
}

func TestNewOTLPClient_RefusesMalformedVariables(t *testing.T) {
	for _, name := range []string{"HEADERS", "CERTIFICATE", "CLIENT_CERTIFICATE"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_"+name, "missing.pem")
			if _, err := newOTLPClient("http://127.0.0.1:1"); err == nil {
				t.Error("got no error")
			}
		})
	}
}
