package relay

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
)

const (
	maxEvent = 16 << 20 // upper bound of one line of a stream, in bytes
	maxError = 1 << 20  // upper bound of what is read of an error response, in bytes
)

// ErrCut means that a stream ended without its last event, so that the response may be incomplete.
var ErrCut = errors.New("the stream ended without its last event")

// Refusal is an error that the relay returned instead of a response, or that ended a stream. ErrorObject has
// the code and the message.
type Refusal struct {
	Status int // HTTP status; 200 if the error ended a stream
	ErrorObject
}

// Error returns the status and the message.
func (r *Refusal) Error() string { return fmt.Sprintf("status %d: %s", r.Status, r.Message) }

// StreamChat sends a chat request and yields the chunks of the response as they arrive. It sets body.Stream.
// After an error it yields nothing more. The error is a *Refusal, ErrCut, or an error of the connection or of
// decoding. Leaving the loop early cancels the request.
func (c *Client) StreamChat(ctx context.Context, body ChatCompletionRequest) iter.Seq2[ChatCompletionChunk, error] {
	return func(yield func(ChatCompletionChunk, error) bool) {
		stream := true
		body.Stream = &stream
		answer, err := c.stream(ctx, "/v1/chat/completions", body) //nolint:bodyclose // walk closes it
		walk(answer, err, func(data []byte) (chunk ChatCompletionChunk, last bool, err error) {
			if string(data) == "[DONE]" {
				return chunk, true, io.EOF
			}
			return chunk, false, json.Unmarshal(data, &chunk)
		}, yield)
	}
}

// StreamResponse sends a responses request and yields the events of the stream as they arrive. It sets
// body.Stream. After an error it yields nothing more. The error is a *Refusal, ErrCut, or an error of the
// connection or of decoding. Leaving the loop early cancels the request.
func (c *Client) StreamResponse(ctx context.Context, body ResponseRequest) iter.Seq2[ResponseStreamEvent, error] {
	return func(yield func(ResponseStreamEvent, error) bool) {
		stream := true
		body.Stream = &stream
		answer, err := c.stream(ctx, "/v1/responses", body) //nolint:bodyclose // walk closes it
		walk(answer, err, func(data []byte) (event ResponseStreamEvent, last bool, err error) {
			kind := ""
			if err = json.Unmarshal(data, &event); err == nil {
				kind, err = event.Discriminator()
			}
			return event, terminal[kind], err
		}, yield)
	}
}

// stream sends a request whose response is a stream. The caller closes the body of the response.
func (c *Client) stream(ctx context.Context, path string, body any) (*http.Response, error) {
	return c.send(ctx, &operation{method: http.MethodPost, path: path, body: body}, nil)
}

// terminal holds the events that end the stream of a response.
var terminal = map[string]bool{"response.completed": true, "response.incomplete": true, "response.failed": true}

// walk yields the values that decode returns for the events of a stream, until decode reports the last event.
// decode returns io.EOF for an event that has no value. walk closes the body.
func walk[T any](answer *http.Response, err error, decode func([]byte) (T, bool, error), yield func(T, error) bool) {
	var none T
	if err != nil {
		yield(none, err)
		return
	}
	defer answer.Body.Close() //nolint:errcheck // the rest of the body is not needed
	if kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type")); kind != "text/event-stream" {
		yield(none, refusal(answer))
		return
	}
	for data, err := range events(answer.Body) {
		if err != nil {
			yield(none, err)
			return
		}
		if failed := inStream(data); failed != nil {
			yield(none, failed)
			return
		}
		item, last, err := decode(data)
		if err == io.EOF || !yield(item, err) || err != nil || last { //nolint:errorlint // decode returns io.EOF itself, never wrapped
			return
		}
	}
	yield(none, ErrCut)
}

// events yields the data of each event of a stream. It ignores comments and the names of events, because the
// data has the type of the event too. An event that is cut off at the end of the body is dropped.
func events(body io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		lines := bufio.NewScanner(body)
		lines.Buffer(nil, maxEvent)
		var data []byte
		for lines.Scan() {
			line := bytes.TrimSuffix(lines.Bytes(), []byte("\r"))
			if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
				data = append(append(data, bytes.TrimPrefix(value, []byte(" "))...), '\n')
				continue
			}
			if len(line) == 0 && len(data) > 0 {
				if !yield(data[:len(data)-1], nil) {
					return
				}
				data = nil
			}
		}
		if err := lines.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// inStream returns the error that an event of a stream reports, nil if it reports none. The event error of a response
// has the members of the error itself, or has it in an object.
func inStream(data []byte) error {
	var failed struct {
		Type    string       `json:"type"`
		Code    *string      `json:"code"`
		Message string       `json:"message"`
		Param   *string      `json:"param"`
		Error   *ErrorObject `json:"error"`
	}
	err := json.Unmarshal(data, &failed)
	switch {
	case err != nil:
		return nil //nolint:nilerr // decode reports malformed JSON
	case failed.Error != nil:
		return &Refusal{Status: http.StatusOK, ErrorObject: *failed.Error}
	case failed.Type == "error":
		return &Refusal{Status: http.StatusOK, ErrorObject: ErrorObject{Type: failed.Type, Code: failed.Code,
			Message: failed.Message, Param: failed.Param}}
	}
	return nil
}

// refusal returns the error of a response that is not a stream. The body of another server, such as a proxy,
// gives the text of its status.
func refusal(answer *http.Response) error {
	raw, err := io.ReadAll(io.LimitReader(answer.Body, maxError))
	if err != nil {
		return err
	}
	var body ErrorResponse
	if err := json.Unmarshal(raw, &body); err != nil || body.Error.Message == "" {
		return &Refusal{Status: answer.StatusCode,
			ErrorObject: ErrorObject{Message: http.StatusText(answer.StatusCode)}}
	}
	return &Refusal{Status: answer.StatusCode, ErrorObject: body.Error}
}
