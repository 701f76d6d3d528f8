package upstream

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
)

const storedResponse = `{"id":"resp_up","object":"response","status":"completed","output":[]}`

// retrieve makes an operation on a response that the channel a stores.
func (s *testClient) retrieve(operation stored.Operation) (stored.Result, error) {
	ids := stored.NewCodec(seal.New([32]byte{1}))
	id := ids.EncodeID(s.caller.TenantID, stored.Origin{Channel: uuid.NewSHA1(uuid.Nil, []byte("a")),
		User: uuid.UUID{1}, ID: "resp_up"})
	channels := stored.Channels{Snapshots: s.snapshots, Sender: s.Client, IDs: ids}
	return channels.Do(s.t.Context(), stored.Request{Reach: tenant.Reach{TenantID: s.caller.TenantID}, ID: id,
		Operation: operation, After: -1, Memory: unbounded{}})
}

// steady is a body whose bytes arrive one by one, each after a pause.
type steady struct {
	io.Reader
	pause time.Duration
}

func (s steady) Read(p []byte) (int, error) {
	elapse(s.pause)
	return s.Reader.Read(p[:1])
}

func TestStored_HasTheTimeoutsOfOtherCalls(t *testing.T) {
	own := catalog.Settings{FirstByteTimeout: 20 * time.Second, IdleTimeout: 7 * time.Second}
	patient := catalog.Settings{FirstByteTimeout: time.Hour}
	stalls := func(r *http.Request) (*http.Response, error) {
		response, err := says(200, "")(r)
		response.Body, response.ContentLength = io.NopCloser(stalled{r.Context()}), -1
		return response, err
	}
	slow := func(*http.Request) (*http.Response, error) {
		response, err := says(200, "")(nil)
		response.Body = io.NopCloser(steady{strings.NewReader(storedResponse), 5 * time.Second})
		response.ContentLength = -1
		return response, err
	}
	for name, c := range map[string]struct {
		settings  catalog.Settings
		operation stored.Operation
		serve     func(*http.Request) (*http.Response, error)
		want      time.Duration // until the timeout, 0 for an answer
	}{
		"no headers":                      {own, stored.Retrieve, hangs, 20 * time.Second},
		"no headers, default":             {catalog.Settings{}, stored.Retrieve, hangs, 50 * time.Second},
		"no headers of a stream":          {own, stored.Stream, hangs, 20 * time.Second},
		"no headers of a stream, default": {catalog.Settings{}, stored.Stream, hangs, 50 * time.Second},
		"no body":                         {own, stored.Retrieve, stalls, 7 * time.Second},
		"no body, default":                {catalog.Settings{}, stored.Retrieve, stalls, 30 * time.Second},
		"no headers until the deadline":   {patient, stored.Retrieve, hangs, 10 * time.Minute},
		"no stream until the deadline":    {patient, stored.Stream, hangs, 10 * time.Minute},
		"a slow body":                     {own, stored.Retrieve, slow, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTestClient(t, row{name: "a", settings: c.settings,
					dialects: []catalog.Dialect{catalog.Responses}})
				s.FirstByteTimeout, s.IdleTimeout = 50*time.Second, 30*time.Second
				s.script["a"] = c.serve
				begun := time.Now()
				result, err := s.retrieve(c.operation)
				if c.want == 0 {
					if err != nil || len(result.Body) == 0 {
						t.Errorf("got %s, %v, want the response", result.Body, err)
					}
					return
				}
				if took := time.Since(begun); !problem.Is(err, problem.UpstreamTimeout) || took != c.want {
					t.Errorf("got %v after %v, want a timeout after %v", err, took, c.want)
				}
			})
		})
	}
}

func TestStored_StreamHasTheIdleTimeoutOfItsChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, row{name: "a", settings: catalog.Settings{IdleTimeout: 7 * time.Second},
			dialects: []catalog.Dialect{catalog.Responses}})
		s.script["a"] = streamed(createdEvent)
		result, err := s.retrieve(stored.Stream)
		if err != nil {
			t.Fatal(err)
		}
		defer result.Stream.Close()
		if result.IdleTimeout != 7*time.Second {
			t.Errorf("got %v, want 7s", result.IdleTimeout)
		}
	})
}

func TestStored_ReadsCompressedAnswers(t *testing.T) {
	zipped := func(body string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = io.WriteString(z, body)
		_ = z.Close()
		return b.String()
	}
	refusal := zipped(`{"error":{"message":"Too hot","type":"invalid_request_error"}}`)
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, speaksResponses("a", 0))
		s.script["a"] = says(200, zipped(storedResponse), "Content-Encoding", "gzip")
		if result, err := s.retrieve(stored.Retrieve); err != nil ||
			!strings.Contains(string(result.Body), `"status":"completed"`) {
			t.Errorf("whole: got %s, %v", result.Body, err)
		}
		s.script["a"] = says(200, zipped(createdEvent), "Content-Encoding", "gzip", "Content-Type", "text/event-stream")
		result, err := s.retrieve(stored.Stream)
		if err != nil {
			t.Fatal(err)
		}
		defer result.Stream.Close()
		if frame, err := result.Stream.Next(); err != nil || frame.Event.Name != "response.created" {
			t.Errorf("stream: got %s, %v", frame.Raw, err)
		}
		s.script["a"] = says(400, refusal, "Content-Encoding", "gzip")
		for _, operation := range []stored.Operation{stored.Retrieve, stored.Stream} {
			if _, err := s.retrieve(operation); !problem.Is(err, problem.UpstreamRejected) ||
				problem.From(err).Upstream.Message != "Too hot" {
				t.Errorf("refusal of operation %d: got %v", operation, err)
			}
		}
	})
}
