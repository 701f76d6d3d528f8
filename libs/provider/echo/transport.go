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
	maxBody = 64 << 20 // bytes of a request
	path    = "/chat/completions"
)

// Transport is an http.RoundTripper that answers chat completions as OpenAI
// does. The answer is the text of the last user message, word for word; a
// token is a word. The same request gets the same answer. It starts no
// goroutine and makes the answer as it is read. It is safe for concurrent use.
type Transport struct{ now func() time.Time }

// NewTransport returns a Transport. nil is time.Now.
func NewTransport(now func() time.Time) *Transport {
	if now == nil {
		now = time.Now
	}
	return &Transport{now: now}
}

// RoundTrip answers one request. Its only errors are those of reading the
// request's body and of its context.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := readBody(r)
	if err != nil {
		return nil, fmt.Errorf("echo: %w", err)
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, path) {
		return refuse(r, http.StatusNotFound, refusal{Message: fmt.Sprintf("Invalid URL (%s %s)", r.Method, r.URL.Path)}), nil
	}
	if len(body) > maxBody {
		return refuse(r, http.StatusRequestEntityTooLarge, refusal{Message: "The request is too large."}), nil
	}
	asked, refused := parseRequest(body)
	if refused != nil {
		return refuse(r, http.StatusBadRequest, *refused), nil
	}
	return respond(r, http.StatusOK, asked.contentType(), &reply{
		ctx:  r.Context(),
		next: newAnswer(asked, xxhash.Sum64(body), t.now()).next,
	}), nil
}

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

func respond(r *http.Request, status int, contentType string, body io.ReadCloser) *http.Response {
	return &http.Response{
		Status: fmt.Sprintf("%d %s", status, http.StatusText(status)), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {contentType}},
		Body:   body, ContentLength: -1, Request: r,
	}
}
