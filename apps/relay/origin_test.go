package relay_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/config"
)

// A header that is sent but not exposed is invisible for pages.
func TestOrigins_ExposeEveryHeaderThatTheRelaySends(t *testing.T) {
	h := relaytest.NewLimited(t, "requests_per_minute: 2, tokens_per_minute: 100000",
		func(c *config.Config) { c.MaxBodyBytes = 4 << 10 })
	const origin = "Origin"
	seen := map[string]bool{}
	for _, row := range []struct {
		name string
		want int
		got  relaytest.Reply
	}{
		{"an answer", 200, h.Post(relaytest.LimitedToken, relaytest.ChatBody("cheap", ""), origin, "https://app.example")},
		{"a stream", 200, h.Post(relaytest.LimitedToken, relaytest.ChatBody("cheap", `,"stream":true`), origin, "https://app.example")},
		{"a rate limit", 429, h.Post(relaytest.LimitedToken, relaytest.ChatBody("cheap", ""), origin, "https://app.example")},
		{"an output cap", 200, h.Post(relaytest.SmallToken, relaytest.ChatBody("cheap", ""), origin, "https://app.example")},
		{"an unknown token", 401, h.Post("nobody", relaytest.ChatBody("cheap", ""), origin, "https://app.example")},
		{"an unknown model", 404, h.Post(token, relaytest.ChatBody("nothing", ""), origin, "https://app.example")},
		{"a large body", 413, h.Post(token, relaytest.LargeBody(8<<10), origin, "https://app.example")},
		{"models", 200, h.Do(http.MethodGet, "/v1/models", token, "", origin, "https://app.example")},
	} {
		header := row.got.Header
		if row.got.Status != row.want || header.Get("Access-Control-Allow-Origin") != "*" ||
			header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: %d %s, headers %v", row.name, row.got.Status, row.got.Body, header)
		}
		exposed := strings.Split(header.Get("Access-Control-Expose-Headers"), ", ")
		for name := range header {
			lower := strings.ToLower(name)
			seen[lower] = true
			if ours := strings.HasPrefix(lower, "x-") || strings.HasPrefix(lower, "openai-") ||
				strings.HasPrefix(lower, "retry-"); ours &&
				lower != "x-accel-buffering" && !slices.Contains(exposed, lower) { // that one is for proxies
				t.Errorf("%s: %s is not exposed", row.name, lower)
			}
		}
	}
	for _, name := range []string{"x-request-id", "x-tollgate-quota", "x-tollgate-channel", "x-tollgate-output-cap",
		"x-tollgate-quota-remaining", "x-ratelimit-limit-tokens", "retry-after", "x-should-retry"} {
		if !seen[name] {
			t.Errorf("no answer had %s", name)
		}
	}
}

// No byte of the body is sent and there is no token, so an answer proves that the relay waits for neither.
func TestWebSocket_IsRefusedAtOnce(t *testing.T) {
	h := relaytest.New(t)
	for _, row := range []struct{ name, request string }{
		{"a handshake", "GET /v1/responses HTTP/1.1\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " +
			"dGhlIHNhbXBsZSBub25jZQ==\r\n"},
		{"a handshake for another path", "GET /v1/chat/completions HTTP/1.1\r\nSec-WebSocket-Version: " +
			"13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"},
		{"a call with a body", "POST /v1/responses HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: " +
			"100000\r\n"},
		{"a call with a chunked body", "POST /v1/responses HTTP/1.1\r\nContent-Type: " +
			"application/json\r\nTransfer-Encoding: chunked\r\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			conn, err := net.Dial("tcp", strings.TrimPrefix(h.URL, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
			_, _ = fmt.Fprint(conn, row.request+"Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
			var raw strings.Builder // http.ReadResponse removes the Connection header
			response, err := http.ReadResponse(bufio.NewReader(io.TeeReader(conn, &raw)), nil)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			if response.StatusCode != http.StatusUpgradeRequired || err != nil ||
				response.Header.Get("Upgrade") != "HTTP/1.1" ||
				!strings.Contains(raw.String(), "\r\nConnection: Upgrade\r\n") || !response.Close ||
				response.Header.Get("Content-Type") != "application/json" ||
				response.Header.Get("X-Request-Id") == "" ||
				!strings.HasPrefix(string(body),
					`{"error":{"message":"This server does not support WebSockets. Send the request over HTTP.","type":"invalid_request_error","param":null,"code":"websocket_unsupported"}}`) {
				t.Errorf("%d %v %s (%v)", response.StatusCode, response.Header, body, err)
			}
		})
	}
	if got := h.Post(token, relaytest.ChatBody("cheap", "")); got.Status != 200 {
		t.Errorf("a usual call afterwards: %d %s", got.Status, got.Body)
	}
}

// The document is no call: nobody pays for it, and the connection still serves calls of any length.
func TestDocument_IsNoCall(t *testing.T) {
	h := relaytest.New(t)
	for _, path := range []string{"/v1/openapi.json", "/v1/openapi.yaml"} {
		if got := h.Do(http.MethodGet, path, "", ""); got.Status != 200 || got.Err != nil ||
			got.Header.Get("X-Request-Id") == "" {
			t.Fatalf("%s: %d, %v", path, got.Status, got.Err)
		}
	}
	// Logs arrive in order, so the only one is that of the call.
	if log := h.Log(h.Post(token, relaytest.ChatBody("cheap", ""))); log.Model != "cheap" {
		t.Errorf("the log is %+v", log)
	}
	h.Eventually("one call is recorded", func() bool {
		return h.Series("tollgate_calls_recorded_total", "outcome", "success") == 1
	})
	h.Eventually("the documents are counted", func() bool {
		return h.Series("tollgate_requests_total", "endpoint", "document", "outcome", "success") == 2
	})
}
