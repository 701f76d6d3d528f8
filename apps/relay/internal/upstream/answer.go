package upstream

import (
	"errors"
	"io"
	"net/http"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// idleReader resets the timer with every read: after the headers only silence
// counts.
type idleReader struct {
	io.ReadCloser
	attempt *attempt
}

func (h *idleReader) Read(p []byte) (int, error) {
	a := h.attempt
	a.timer.Reset(a.limits.within(a.ticket.lane.health.now(), a.limits.idle))
	return h.ReadCloser.Read(p)
}

// readAnswer reads and checks a whole JSON answer.
func readAnswer(reply *Reply, response *http.Response) *attemptError {
	fail := func(word string, cause error) *attemptError {
		return &attemptError{status: response.StatusCode, word: word, kind: problem.UpstreamFailed, fault: provider.ServerFault, cause: cause}
	}
	body, err := readAll(response)
	if err != nil {
		return fail("cut", err)
	}
	if reply.attempt.answer != nil {
		if body, err = reply.attempt.answer.Whole(body); err != nil {
			return fail(wordOf(err), errors.New(reply.Clean(err.Error())))
		}
	}
	answer, err := output.ScanResponse(body)
	if err != nil {
		return fail("nonsense", err)
	}
	if answer.Error != nil {
		return fail("error_body", errors.New(reply.Clean(answer.Error.Message)))
	}
	reply.Body, reply.Answer = body, answer
	return nil
}

// wordOf tells an error that the upstream reports from an answer that is none.
func wordOf(err error) string {
	if fault := new(completion.UpstreamError); errors.As(err, &fault) {
		return "error_body"
	}
	return "nonsense"
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

// openStream reads up to the frame that tells whether the stream is good, which
// the client's 200 depends on: the first one, of a responses stream the first
// that is more than a promise of an answer.
func (c *Client) openStream(reply *Reply, dialect catalog.Dialect, response *http.Response) *attemptError {
	fail := func(word string, cause error) *attemptError {
		return &attemptError{status: response.StatusCode, word: word, kind: problem.UpstreamFailed, fault: provider.ServerFault, cause: cause}
	}
	if !isEventStream(response.Header) {
		return fail("nonsense", errors.New("not an event stream"))
	}
	var body io.Reader = response.Body
	if reply.attempt.answer != nil {
		body = reply.attempt.answer.Stream(body, maxFrame)
	}
	open := output.NewChatStream
	if dialect == catalog.Responses {
		open = output.NewResponsesStream
	}
	stream := open(body, maxFrame, c.buffers.take())
	frame, err := stream.Peek()
	switch {
	case err != nil:
		return fail("empty_stream", err)
	case frame.Done:
		return fail("empty_stream", errors.New("the stream ends where it begins"))
	case frame.Err != nil:
		return fail("nonsense", frame.Err)
	}
	if fault := frame.UpstreamError(); fault != nil {
		e := fail("error_frame", errors.New(reply.Clean(fault.Message)))
		if fault.Code == rateLimited {
			e.kind = problem.UpstreamBusy
		}
		return e
	}
	reply.Stream, reply.buffers = stream, &c.buffers
	return nil
}

// rateLimited is the code of an error in a stream that a 429 would be
// otherwise.
const rateLimited = "rate_limit_exceeded"
