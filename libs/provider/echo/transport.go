package echo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
)

const (
	maxBody = 64 << 20 // largest request body in bytes
	path    = "/chat/completions"
)

// Transport is an http.RoundTripper that answers chat completions and requests for embeddings as OpenAI does. The
// answer is the text of the last user message; a token is a word. The same request always gets the same answer.
// Transport starts no goroutines and generates the answer while it is read. It is safe for concurrent use.
type Transport struct{ now func() time.Time }

// NewTransport returns a Transport with the given clock. nil stands for time.Now.
func NewTransport(now func() time.Time) *Transport {
	if now == nil {
		now = time.Now
	}
	return &Transport{now: now}
}

// RoundTrip answers one request. It returns an error only if the request's body cannot be read or its context has
// ended; invalid requests get an error response.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := readBody(r)
	if err != nil {
		return nil, fmt.Errorf("echo: %w", err)
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	embeds := strings.HasSuffix(r.URL.Path, embeddingsPath)
	if r.Method != http.MethodPost || !embeds && !strings.HasSuffix(r.URL.Path, path) {
		return refuse(r, http.StatusNotFound,
			refusal{Message: fmt.Sprintf("Invalid URL (%s %s)", r.Method, r.URL.Path)}), nil
	}
	if len(body) > maxBody {
		return refuse(r, http.StatusRequestEntityTooLarge, refusal{Message: "The request is too large."}), nil
	}
	if embeds {
		return embed(r, body), nil
	}
	call, failure := parseRequest(body)
	if failure != nil {
		return refuse(r, http.StatusBadRequest, *failure), nil
	}
	return respond(r, http.StatusOK, call.contentType(), &reply{
		ctx:  r.Context(),
		next: newAnswer(call, xxhash.Sum64(body), t.now()).next,
	}), nil
}

// readBody returns the request's body, at most maxBody+1 bytes of it, and closes it as http.RoundTripper requires.
func readBody(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	var body bytes.Buffer
	if r.ContentLength > 0 && r.ContentLength <= maxBody {
		body.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	_, err := body.ReadFrom(io.LimitReader(r.Body, maxBody+1))
	return body.Bytes(), errors.Join(err, r.Body.Close())
}

// respond returns a response without a known length, as a server with chunked encoding would send it.
func respond(r *http.Request, status int, contentType string, body io.ReadCloser) *http.Response {
	return &http.Response{
		Status: fmt.Sprintf("%d %s", status, http.StatusText(status)), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {contentType}},
		Body:   body, ContentLength: -1, Request: r,
	}
}
