package echo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/openai"
	"github.com/tollgate/tollgate/libs/wire/param"
)

const (
	chatPath   = "/chat/completions"
	maxChoices = 128 // OpenAI's limit for n
)

// Transport is an http.RoundTripper that answers chat completions and requests for embeddings as OpenAI does. The
// answer is the text of the last user message; a token is a word. The same request always gets the same answer.
// Transport generates the answer while it is read. It is safe for concurrent use.
type Transport struct{ now func() time.Time }

// NewTransport returns a Transport with the given clock.
func NewTransport(now func() time.Time) *Transport { return &Transport{now: now} }

// RoundTrip answers one request. It returns an error only if the request's body cannot be read or its context has
// ended; invalid requests get an error response.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	var body bytes.Buffer
	if r.Body != nil {
		body.Grow(int(max(0, r.ContentLength)) + bytes.MinRead)
		_, err := body.ReadFrom(r.Body)
		if err := errors.Join(err, r.Body.Close(), r.Context().Err()); err != nil {
			return nil, fmt.Errorf("echo: %w", err)
		}
	}
	answer := t.chat
	switch {
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, embeddingsPath):
		answer = embed
	case r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, chatPath):
		return refuse(r, problem.New(problem.NotFound, "Invalid URL (%s %s)", r.Method, r.URL.Path)), nil
	}
	response, err := answer(r, body.Bytes())
	if err != nil {
		return refuse(r, problem.From(err)), nil
	}
	return response, nil
}

// chat answers a request for a chat completion. An error is a problem of the request.
func (t *Transport) chat(r *http.Request, body []byte) (*http.Response, error) {
	call, err := openai.ScanRequest(body, catalog.Chat)
	if err != nil {
		return nil, err
	}
	var conversation struct {
		Messages []message `json:"messages"`
	}
	if err := json.Unmarshal(body, &conversation); err != nil {
		return nil, param.Problem(err, "")
	}
	if len(conversation.Messages) == 0 {
		return nil, param.Missing("messages")
	}
	if call.Choices > maxChoices {
		return nil, param.Invalid("n", "1 to 128")
	}
	contentType := "application/json"
	if call.Stream {
		contentType = "text/event-stream; charset=utf-8"
	}
	next, stop := iter.Pull(newAnswer(call, conversation.Messages, xxhash.Sum64(body), t.now()).pieces)
	return respond(r, http.StatusOK, contentType, &reply{ctx: r.Context(), next: next, stop: stop}), nil
}

// textOf returns the text of a message's content: the string itself, or the joined text parts of an array.
func textOf(content jsontext.Value) (text string) {
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	for _, part := range parts {
		text += part.Text
	}
	return text
}

// refuse returns the response for a problem of a request.
func refuse(r *http.Request, p *problem.Problem) *http.Response {
	body, _ := json.Marshal(map[string]any{"error": map[string]any{"message": p.Text(), "type": p.Kind.Class().Type,
		"param": p.Param, "code": p.PublicCode()}}, jsontext.AllowInvalidUTF8(true)) // a key need not be UTF-8
	return respond(r, p.Kind.Class().Status, "application/json", io.NopCloser(bytes.NewReader(body)))
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

// reply is the body of a response. It generates each piece when it is read. One Read returns bytes of one piece only,
// as if each event came in a network packet of its own.
type reply struct {
	ctx  context.Context // context of the request; when it ends, Read fails
	next func() ([]byte, bool)
	stop func()

	mu     sync.Mutex // net/http may call Close during a Read
	tail   []byte     // part of the present piece that is not read yet
	closed bool
}

// Read implements io.Reader.
func (r *reply) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return 0, http.ErrBodyReadAfterClose
	}
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if len(r.tail) == 0 {
		var ok bool
		if r.tail, ok = r.next(); !ok {
			return 0, io.EOF
		}
	}
	n := copy(p, r.tail)
	r.tail = r.tail[n:]
	return n, nil
}

// Close implements io.Closer. Later reads fail.
func (r *reply) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed, r.tail = true, nil
	r.stop()
	return nil
}
