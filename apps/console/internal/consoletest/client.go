package consoletest

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/signin"
)

// Client sends requests to the console, with a session cookie, an access key, both or neither.
type Client struct {
	*Stack
	Cookie string // value of the session cookie, "" for none
	Key    string // an access key
	Peer   string // address in X-Forwarded-For, which counts if the stack trusts proxies; "" for none
	Device string // value of the device cookie, "" for none
}

// Anonymous returns a client that is not signed in.
func (s *Stack) Anonymous() *Client { return &Client{Stack: s} }

// As returns a client with a new session of the user. It creates the
// session in the store, which is faster than signing in with a password.
func (s *Stack) As(u tenant.User) *Client {
	s.Helper()
	var raw [32]byte
	_, _ = rand.Read(raw[:])
	_, hash, err := s.Store.Identity.UserWithPassword(s.Context(), System, u.Email)
	s.Must(err)
	s.Must(s.Store.Signin.CreateSession(s.Context(), System, signin.NewSession{
		UserID: u.ID, PasswordHash: hash, Hash: sha256.Sum256(raw[:]), ExpiresAt: time.Now().Add(time.Hour),
	}))
	return &Client{Stack: s, Cookie: base64.RawURLEncoding.EncodeToString(raw[:])}
}

// WithKey returns a client with a new access key of the user that may write.
func (s *Stack) WithKey(u tenant.User) *Client {
	s.Helper()
	_, value := s.AccessKey(u)
	return &Client{Stack: s, Key: value}
}

// CookieName returns the name of the session cookie.
func (s *Stack) CookieName() string {
	if s.Config.ConsoleSecureCookies {
		return "__Host-tollgate_session"
	}
	return "tollgate_session"
}

// Get sends a GET.
func (c *Client) Get(path string) Reply { c.Helper(); return c.Do(http.MethodGet, path, nil) }

// Post sends a POST, see Do.
func (c *Client) Post(path string, body any) Reply {
	c.Helper()
	return c.Do(http.MethodPost, path, body)
}

// Patch sends a PATCH, see Do.
func (c *Client) Patch(path string, body any) Reply {
	c.Helper()
	return c.Do(http.MethodPatch, path, body)
}

// Do sends a request. A string is sent as the body unchanged; any other body is encoded as JSON.
func (c *Client) Do(method, path string, body any) Reply {
	c.Helper()
	var reader io.Reader
	if raw, ok := body.(string); ok {
		reader = strings.NewReader(raw)
	} else if body != nil {
		raw, err := json.Marshal(body)
		c.Must(err)
		reader = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(context.Background(), method, c.URL+path, reader)
	c.Must(err)
	if reader != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return c.Send(request)
}

// Send sends the request with the client's credentials.
func (c *Client) Send(request *http.Request) Reply {
	c.Helper()
	if c.Cookie != "" {
		request.AddCookie(&http.Cookie{Name: c.CookieName(), Value: c.Cookie})
	}
	if c.Peer != "" {
		request.Header.Set("X-Forwarded-For", c.Peer)
	}
	if c.Device != "" {
		request.AddCookie(&http.Cookie{Name: "tollgate_device", Value: c.Device})
	}
	if c.Key != "" {
		request.Header.Set("Authorization", "Bearer "+c.Key)
	}
	response, err := http.DefaultClient.Do(request)
	c.Must(err)
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	c.Must(err)
	r := Reply{Response: response, Raw: string(raw)}
	_ = json.Unmarshal(raw, &r.JSON) // fails for responses that are not JSON, such as pages
	return r
}

// Reply is a response and its body, Raw. JSON is nil unless Raw is a JSON object.
type Reply struct {
	*http.Response
	Raw  string
	JSON map[string]any
}

// Want checks the status and returns the body.
func (r Reply) Want(t testing.TB, status int) map[string]any {
	t.Helper()
	if r.StatusCode != status {
		t.Fatalf("%s %s: status %d, want %d: %s", r.Request.Method, r.Request.URL.Path, r.StatusCode, status, r.Raw)
	}
	return r.JSON
}

// Refused checks that the response is a problem document with the
// status, and that it names the field param; "" means no field.
func (r Reply) Refused(t testing.TB, status int, param string) {
	t.Helper()
	r.Want(t, status)
	if got := r.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("Content-Type = %q", got)
	}
	var want any
	if param != "" {
		want = param
	}
	if got := r.JSON["param"]; got != want {
		t.Errorf("%s %s: param = %v, want %q: %s", r.Request.Method, r.Request.URL.Path, got, param, r.Raw)
	}
}
