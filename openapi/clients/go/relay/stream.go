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
	maxEvent = 16 << 20 // bytes of one line of a stream
	maxError = 1 << 20  // bytes of the body of a refusal
)

// ErrCut is told of a stream that ended before its end was announced: what came
// may not be all.
var ErrCut = errors.New("the stream ended without its last event")

// Refusal is an error that the relay answered with, or ended a stream with.
type Refusal struct {
	Status int // HTTP status; 200 where the stream had begun
	ErrorObject
}

// Error returns the text for people.
func (r *Refusal) Error() string { return fmt.Sprintf("status %d: %s", r.Status, r.Message) }

// StreamChat makes a chat call and yields the chunks of its answer as they
// come. An error is the last thing that it yields: a *Refusal, ErrCut, or that
// of the connection. Ending the loop early ends the call.
func (c *ClientWithResponses) StreamChat(ctx context.Context, body ChatCompletionRequest) iter.Seq2[ChatCompletionChunk, error] {
	return func(yield func(ChatCompletionChunk, error) bool) {
		stream := true
		body.Stream = &stream
		answer, err := c.ClientInterface.CreateChatCompletion(ctx, nil, body) //nolint:bodyclose // walk closes it
		walk(answer, err, func(data []byte) (chunk ChatCompletionChunk, last bool, err error) {
			if string(data) == "[DONE]" {
				return chunk, true, io.EOF
			}
			return chunk, false, json.Unmarshal(data, &chunk)
		}, yield)
	}
}

// StreamResponse makes a response and yields the events of its stream as they
// come. An error is the last thing that it yields: a *Refusal, ErrCut, or that
// of the connection. Ending the loop early ends the call.
func (c *ClientWithResponses) StreamResponse(ctx context.Context, body ResponseRequest) iter.Seq2[ResponseStreamEvent, error] {
	return func(yield func(ResponseStreamEvent, error) bool) {
		stream := true
		body.Stream = &stream
		answer, err := c.ClientInterface.CreateResponse(ctx, nil, body) //nolint:bodyclose // walk closes it
		walk(answer, err, func(data []byte) (event ResponseStreamEvent, last bool, err error) {
			kind := ""
			if err = json.Unmarshal(data, &event); err == nil {
				kind, err = event.Discriminator()
			}
			return event, terminal[kind], err
		}, yield)
	}
}

// terminal are the events that end the stream of a response.
var terminal = map[string]bool{"response.completed": true, "response.incomplete": true, "response.failed": true}

// walk yields what decode makes of each event until it says that this was the
// last one. io.EOF from decode: there is nothing to yield.
func walk[T any](answer *http.Response, err error, decode func([]byte) (T, bool, error), yield func(T, error) bool) {
	var none T
	if err != nil {
		yield(none, err)
		return
	}
	defer answer.Body.Close() //nolint:errcheck // all was read, or is not wanted
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
		if err == io.EOF || !yield(item, err) || err != nil || last { //nolint:errorlint // decode's own, never wrapped
			return
		}
	}
	yield(none, ErrCut)
}

// events yields the data of each event. Comments and the names of events are
// passed over: the data says all.
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

// inStream is the error that an event of a chat stream may be.
func inStream(data []byte) error {
	var failed struct {
		Error *ErrorObject `json:"error"`
	}
	if err := json.Unmarshal(data, &failed); err != nil || failed.Error == nil {
		return nil //nolint:nilerr // what is no JSON is for decode to tell
	}
	return &Refusal{Status: http.StatusOK, ErrorObject: *failed.Error}
}

func refusal(answer *http.Response) error {
	raw, err := io.ReadAll(io.LimitReader(answer.Body, maxError))
	if err != nil {
		return err
	}
	var body ErrorResponse
	if err := json.Unmarshal(raw, &body); err != nil || body.Error.Message == "" {
		return &Refusal{Status: answer.StatusCode, ErrorObject: ErrorObject{Message: http.StatusText(answer.StatusCode)}}
	}
	return &Refusal{Status: answer.StatusCode, ErrorObject: body.Error}
}
