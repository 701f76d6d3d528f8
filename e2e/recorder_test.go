package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"sync"
	"testing"
)

// exchange is a request and the complete answer to it, as the recorder forwarded them.
type exchange struct {
	Path    string          `json:"path"`
	Client  string          `json:"client"` // User-Agent
	Model   string          `json:"model"`
	Request json.RawMessage `json:"request"`
	Status  int             `json:"status"`
	ID      string          `json:"id"`   // X-Request-Id
	Type    string          `json:"type"` // Content-Type
	Answer  string          `json:"answer"`
	Cut     bool            `json:"cut"` // the answer was not read up to its end
}

// recorder is a proxy that records all requests and answers.
type recorder struct {
	server *httptest.Server

	mu   sync.Mutex
	kept []exchange
}

// record starts a recorder in front of target. It ends with the test.
func record(t *testing.T, target string) *recorder {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{}
	proxy := &httputil.ReverseProxy{
		FlushInterval:  -1, // forward each event at once
		Rewrite:        func(p *httputil.ProxyRequest) { p.SetURL(to) },
		ModifyResponse: r.tap,
	}
	r.server = httptest.NewServer(keepBody(proxy))
	t.Cleanup(func() {
		r.server.CloseClientConnections()
		r.server.Close()
	})
	return r
}

// keepBody reads each request's body and puts it into the request's context, where tap finds it.
func keepBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has disconnected
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), sent{}, body)))
	})
}

// sent is the context key of a request's body.
type sent struct{}

// tap starts the record of an exchange when the answer's headers arrive.
func (r *recorder) tap(response *http.Response) error {
	request := response.Request
	e := exchange{
		Path: request.URL.Path, Client: request.UserAgent(), Status: response.StatusCode,
		ID: response.Header.Get("X-Request-Id"), Type: response.Header.Get("Content-Type"), Cut: true,
	}
	if body, ok := request.Context().Value(sent{}).([]byte); ok && json.Valid(body) {
		var asked struct{ Model string }
		_ = json.Unmarshal(body, &asked) // the model stays empty if the body has none
		e.Request, e.Model = body, asked.Model
	}
	response.Body = &tapped{ReadCloser: response.Body, exchange: e, keep: r.keep}
	return nil
}

func (r *recorder) keep(e exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = append(r.kept, e)
}

// exchanges returns a copy of the records so far.
func (r *recorder) exchanges() []exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.kept)
}

// write writes the records to a file, one JSON object on each line.
func (r *recorder) write(t *testing.T, path string) {
	t.Helper()
	var lines bytes.Buffer
	for _, e := range r.exchanges() {
		if err := json.NewEncoder(&lines).Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// tapped is the body of an answer. Close adds the exchange to the records.
type tapped struct {
	io.ReadCloser
	read     bytes.Buffer
	exchange exchange
	keep     func(exchange)
	once     sync.Once
}

func (b *tapped) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read.Write(p[:n])
	if err == io.EOF {
		b.exchange.Cut = false
	}
	return n, err
}

// Close adds the exchange to the records, once even if the body is closed twice.
func (b *tapped) Close() error {
	b.once.Do(func() {
		b.exchange.Answer = b.read.String()
		b.keep(b.exchange)
	})
	return b.ReadCloser.Close()
}
