package service

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// otlpClient sends spans by OTLP over HTTP. It implements otlptrace.Client. OpenTelemetry's own client, otlptracehttp,
// contains all of gRPC.
type otlpClient struct {
	url     string
	headers http.Header
	gzip    bool
	http    *http.Client
}

// newOTLPClient reads the standard variables OTEL_EXPORTER_OTLP_HEADERS, _COMPRESSION, _CERTIFICATE,
// _CLIENT_CERTIFICATE and _CLIENT_KEY, each also as OTEL_EXPORTER_OTLP_TRACES_..., which comes first. It does not
// connect.
func newOTLPClient(url string) (*otlpClient, error) {
	headers, err := otlpHeaders(otlpVariable("HEADERS"))
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:errcheck // nothing replaces http.DefaultTransport
	if transport.TLSClientConfig, err = otlpTLS(); err != nil {
		return nil, err
	}
	return &otlpClient{
		url: url, headers: headers, gzip: otlpVariable("COMPRESSION") == "gzip",
		http: &http.Client{Transport: transport, Timeout: spanTimeout},
	}, nil
}

func otlpVariable(name string) string {
	if value := os.Getenv("OTEL_EXPORTER_OTLP_TRACES_" + name); value != "" {
		return value
	}
	return os.Getenv("OTEL_EXPORTER_OTLP_" + name)
}

// otlpHeaders reads a list such as "key=value,other=a%20b".
func otlpHeaders(list string) (http.Header, error) {
	headers := http.Header{"Content-Type": {"application/x-protobuf"}}
	for entry := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(entry) == "" {
			continue
		}
		name, value, ok := strings.Cut(entry, "=")
		text, err := url.PathUnescape(value)
		if !ok || err != nil {
			// It may hold a key, so it is not shown.
			return nil, errors.New("OTEL_EXPORTER_OTLP_HEADERS: must have the form name=value,name=value, with " +
				"values as in a URL")
		}
		headers.Set(strings.TrimSpace(name), strings.TrimSpace(text))
	}
	return headers, nil
}

// otlpTLS returns nil if no variable names a certificate.
func otlpTLS() (*tls.Config, error) {
	authority, certificate, key := otlpVariable("CERTIFICATE"), otlpVariable("CLIENT_CERTIFICATE"),
		otlpVariable("CLIENT_KEY")
	if authority == "" && certificate == "" {
		return nil, nil //nolint:nilnil // the defaults of http.Transport apply
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if authority != "" {
		text, err := os.ReadFile(authority)
		if err != nil {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
		}
		if config.RootCAs = x509.NewCertPool(); !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CERTIFICATE: %s holds no certificate", authority)
		}
	}
	if certificate != "" {
		pair, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// Start does nothing.
func (*otlpClient) Start(context.Context) error { return nil }

// Stop closes idle connections.
func (c *otlpClient) Stop(context.Context) error {
	c.http.CloseIdleConnections()
	return nil
}

// UploadTraces sends one batch. It does not retry: the exporter drops the spans of a failed batch.
func (c *otlpClient) UploadTraces(ctx context.Context, spans []*tracev1.ResourceSpans) error {
	// On the wire it equals an ExportTraceServiceRequest.
	body, err := proto.Marshal(&tracev1.TracesData{ResourceSpans: spans})
	if err != nil {
		return fmt.Errorf("encode spans: %w", err)
	}
	headers := c.headers.Clone()
	if c.gzip {
		body = compressed(body)
		headers.Set("Content-Encoding", "gzip")
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("send spans: %w", err)
	}
	r.Header = headers
	resp, err := c.http.Do(r)
	if err != nil {
		return fmt.Errorf("send spans: %w", err)
	}
	defer resp.Body.Close()                                           //nolint:errcheck // the answer was read
	answer, _ := io.ReadAll(io.LimitReader(resp.Body, maxOTLPAnswer)) // only for the error
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("send spans: the collector answered %s: %q", resp.Status, answer)
	}
	return nil
}

const maxOTLPAnswer = 1024 // bytes

func compressed(body []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(body) // writing to memory does not fail
	_ = w.Close()
	return out.Bytes()
}
