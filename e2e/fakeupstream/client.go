package fakeupstream

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Client controls an Upstream of another process. Its methods fail the test if the Upstream does not answer.
type Client struct {
	URL string // base URL without a path
}

// SetScript sets the script for requests with the plain model name. See Upstream.SetScript.
func (c Client) SetScript(t testing.TB, model, script string) {
	t.Helper()
	c.do(t, http.MethodPut, "/control/"+model, strings.NewReader(script))
}

// SetReply sets the answer to every request for the model. See Upstream.SetReply.
func (c Client) SetReply(t testing.TB, model string, r Reply) {
	t.Helper()
	c.do(t, http.MethodPut, "/reply/"+model, bytes.NewReader(marshal(r)))
}

// SetBill replaces what the upstream charged. See Upstream.SetBill.
func (c Client) SetBill(t testing.TB, b Bill) {
	t.Helper()
	c.do(t, http.MethodPut, "/bill", bytes.NewReader(marshal(b)))
}

// Pass lets one frame through a barrier. It returns when a stream that waits at the barrier has taken it.
func (c Client) Pass(t testing.TB, barrier string) {
	t.Helper()
	c.do(t, http.MethodPost, "/barrier/"+barrier, nil)
}

// Open lets all frames through a barrier, now and later.
func (c Client) Open(t testing.TB, barrier string) {
	t.Helper()
	c.do(t, http.MethodPut, "/barrier/"+barrier, nil)
}

// Counters returns the sums over all models.
func (c Client) Counters(t testing.TB) (n Counters) {
	t.Helper()
	c.read(t, "/counters", &n)
	return n
}

// Of returns the counters of one plain model name.
func (c Client) Of(t testing.TB, model string) (n Counters) {
	t.Helper()
	c.read(t, "/counters?model="+url.QueryEscape(model), &n)
	return n
}

// Find returns the most recent of the last 256 requests whose body contains text; false if there is none.
func (c Client) Find(t testing.TB, text string) (r Request, ok bool) {
	t.Helper()
	ok = c.read(t, "/inspect?request&match="+url.QueryEscape(text), &r)
	return r, ok
}

// read decodes the answer to a GET into result. It returns false for status 404.
func (c Client) read(t testing.TB, path string, result any) bool {
	t.Helper()
	status, body := c.do(t, http.MethodGet, path, nil)
	if status == http.StatusNotFound {
		return false
	}
	if err := json.Unmarshal(body, result); err != nil {
		t.Fatalf("%s: %v: %s", path, err, body)
	}
	return true
}

// do sends a request. Its status must be a success, or 404 for a GET.
func (c Client) do(t testing.TB, method, path string, body io.Reader) (status int, answer []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, c.URL+path, body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end below
	if answer, err = io.ReadAll(resp.Body); err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	if resp.StatusCode >= 300 && (method != http.MethodGet || resp.StatusCode != http.StatusNotFound) {
		t.Fatalf("%s %s: %s: %s", method, path, resp.Status, answer)
	}
	return resp.StatusCode, answer
}
