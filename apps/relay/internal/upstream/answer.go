package upstream

import (
	"errors"
	"io"
	"net/http"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// heartbeat puts the timer off with every read: once the headers are in, it is
// silence that counts.
type heartbeat struct {
	io.ReadCloser
	attempt *attempt
}

func (h *heartbeat) Read(p []byte) (int, error) {
	a := h.attempt
	a.timer.Reset(a.limits.within(a.ticket.lane.health.now(), a.limits.idle))
	return h.ReadCloser.Read(p)
}

// readAnswer reads and checks a whole JSON answer.
func readAnswer(reply *Reply, response *http.Response, hidden private) *attemptError {
	fail := func(word string, cause error) *attemptError {
		return &attemptError{status: response.StatusCode, word: word, kind: problem.UpstreamFailed, fault: provider.ServerFault, cause: cause}
	}
	body, err := readAll(response)
	if err != nil {
		return fail("cut", err)
	}
	answer, err := openai.ScanAnswer(body)
	if err != nil {
		return fail("nonsense", err)
	}
	if answer.Error != nil {
		return fail("error_body", errors.New(hidden.clean(answer.Error.Message)))
	}
	reply.Body, reply.Answer = body, answer
	return nil
}

var errTooLarge = errors.New("answer too large")

func readAll(response *http.Response) ([]byte, error) {
	if response.ContentLength > maxAnswer {
		return nil, errTooLarge
	}
	if response.ContentLength > 0 {
		body := make([]byte, response.ContentLength)
		_, err := io.ReadFull(response.Body, body)
		return body, err
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if len(body) > maxAnswer {
		err = errTooLarge
	}
	return body, err
}

// openStream reads up to the first frame with data, which must be good: the
// client's 200 depends on it.
func (c *Caller) openStream(reply *Reply, response *http.Response, hidden private) *attemptError {
	fail := func(word string, cause error) *attemptError {
		return &attemptError{status: response.StatusCode, word: word, kind: problem.UpstreamFailed, fault: provider.ServerFault, cause: cause}
	}
	if !isEventStream(response.Header) {
		return fail("nonsense", errors.New("not an event stream"))
	}
	stream := openai.NewStream(response.Body, maxFrame, c.buffers.take())
	frame, err := stream.Peek()
	switch {
	case err != nil:
		return fail("empty_stream", err)
	case frame.Done:
		return fail("empty_stream", errors.New("the stream ends where it begins"))
	case frame.Bad != nil:
		return fail("nonsense", frame.Bad)
	case frame.Chunk.Error != nil:
		return fail("error_frame", errors.New(hidden.clean(frame.Chunk.Error.Message)))
	}
	reply.Stream, reply.buffers = stream, &c.buffers
	return nil
}
