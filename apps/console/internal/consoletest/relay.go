package consoletest

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
)

// ServeRelay starts a server with the handler, and makes the console use it as its relay.
func (s *Stack) ServeRelay(handler http.HandlerFunc) {
	s.Helper()
	server := httptest.NewServer(handler)
	s.Cleanup(server.Close)
	s.Relay.Store(&server.URL)
}

// Play sends a call of the playground and returns the response before its body is read.
func (c *Client) Play(ctx context.Context, body string) (*http.Response, error) {
	c.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL+"/api/playground/chat/completions",
		strings.NewReader(body))
	c.Must(err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Tollgate-Token", "sk-tg-of-the-page")
	request.AddCookie(&http.Cookie{Name: "tollgate_session", Value: c.Cookie})
	return http.DefaultClient.Do(request)
}

// PlayToEnd sends a call of the playground and reads the complete response.
func (c *Client) PlayToEnd(body string) Reply {
	c.Helper()
	response, err := c.Play(c.Context(), body)
	c.Must(err)
	defer response.Body.Close() //nolint:errcheck // the body was read completely
	raw, err := io.ReadAll(response.Body)
	c.Must(err)
	return Reply{Response: response, Raw: string(raw)}
}
