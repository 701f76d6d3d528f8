package relay_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/openapi/clients/go/relay"
)

const (
	hello = `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}`
	done  = "data: [DONE]\n\n"
)

// clientOf returns a client of a relay that answers every request with the status, content type and body.
func clientOf(t testing.TB, status int, contentType, body string) *relay.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer token" {
			t.Errorf("authorization: %q", r.Header.Get("Authorization"))
		}
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	client, err := relay.New(server.URL, "token")
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestStreamChat_YieldsChunksAndReportsHowTheStreamEnded(t *testing.T) {
	t.Parallel()
	const sse = "text/event-stream; charset=utf-8"
	for _, row := range []struct {
		name        string
		status      int
		contentType string
		body        string
		chunks      int
		fails       func(error) bool
	}{
		{"complete", 200, sse, hello + "\n\n" + hello + "\n\n" + done, 2, nil},
		{"comments, names and CRLF", 200, sse, ": wait\r\n\r\nevent: x\r\n" + hello + "\r\n\r\n" + done, 1, nil},
		{"only [DONE]", 200, sse, done, 0, nil},
		{"cut off", 200, sse, hello + "\n\n", 1, is(relay.ErrCut)},
		{"cut off within an event", 200, sse, hello + "\n\n" + hello, 1, is(relay.ErrCut)},
		{"an error in the stream", 200, sse,
			hello + "\n\n" + `data: {"error":{"message":"broke","type":"t","param":null,"code":"upstream_error"}}` +
				"\n\n", 1, refused(200, "upstream_error")},
		{"malformed JSON", 200, sse, "data: {\n\n", 0, func(err error) bool { return !errors.Is(err, relay.ErrCut) }},
		{"error status", 404, "application/json",
			`{"error":{"message":"no such model","type":"t","param":"model","code":"model_not_found"}}`, 0,
			refused(404, "model_not_found")},
		{"error status of a proxy", 502, "text/html", "<html>", 0, refused(502, "")},
		{"a line above the limit", 200, sse, "data: " + strings.Repeat("x", 17<<20), 0,
			func(err error) bool { return !errors.Is(err, relay.ErrCut) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			client, chunks := clientOf(t, row.status, row.contentType, row.body), 0
			var failed error
			for chunk, err := range client.StreamChat(t.Context(), relay.ChatCompletionRequest{Model: "m"}) {
				if failed = err; err == nil {
					chunks += len(chunk.Choices)
				}
			}
			if chunks != row.chunks || (failed != nil) != (row.fails != nil) || failed != nil && !row.fails(failed) {
				t.Errorf("got %d chunks and the error %v, want %d chunks and an error: %v", chunks, failed, row.chunks,
					row.fails != nil)
			}
		})
	}
}

func is(want error) func(error) bool { return func(err error) bool { return errors.Is(err, want) } }

func refused(status int, code string) func(error) bool {
	return func(err error) bool {
		var r *relay.Refusal
		return errors.As(err, &r) && r.Status == status &&
			(r.Code == nil && code == "" || r.Code != nil && *r.Code == code)
	}
}

func TestStreamResponse_ReportsErrorEvents(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"in the event " +
			"itself": `{"type":"error","code":"server_error","message":"Oops.","param":null,"sequence_number":1}`,
		"in an object": `{"type":"error","error":{"type":"server_error","code":"server_error","message":"Oops.","param":null},"sequence_number":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := clientOf(t, 200, "text/event-stream", "data: "+body+"\n\n")
			var failed error
			for _, err := range client.StreamResponse(t.Context(), relay.ResponseRequest{Model: "m"}) {
				failed = err
			}
			if !refused(200, "server_error")(failed) {
				t.Errorf("got %v, want a refusal with the code server_error", failed)
			}
		})
	}
}

func TestStreamResponse_StopsAtTheLastEvent(t *testing.T) {
	t.Parallel()
	event := func(kind string) string {
		return "event: " + kind + "\ndata: {\"type\":\"" + kind + "\",\"sequence_number\":0}\n\n"
	}
	for _, row := range []struct {
		name, body string
		events     int
		fails      bool
	}{
		{"completed", event("response.created") + event("response.completed"), 2, false},
		{"failed", event("response.created") + event("response.failed"), 2, false},
		{"malformed data after the last event", event("response.incomplete") + "data: {", 1, false},
		{"cut off", event("response.created"), 1, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			client, events := clientOf(t, 200, "text/event-stream", row.body), 0
			var failed error
			for _, err := range client.StreamResponse(t.Context(), relay.ResponseRequest{Model: "m"}) {
				if failed = err; err == nil {
					events++
				}
			}
			if events != row.events || errors.Is(failed, relay.ErrCut) != row.fails {
				t.Errorf("got %d events and the error %v, want %d events and ErrCut: %v", events, failed,
					row.events, row.fails)
			}
		})
	}
}

// FuzzStreamChat checks that the loop ends, whatever a server sends.
func FuzzStreamChat(f *testing.F) {
	f.Add(hello + "\n\n" + done)
	f.Add("data:\r\n\r\ndata: null\n\n")
	f.Fuzz(func(t *testing.T, body string) {
		for _, err := range clientOf(t, 200, "text/event-stream", body).
			StreamChat(t.Context(), relay.ChatCompletionRequest{}) {
			_ = err // any error is fine
		}
	})
}
