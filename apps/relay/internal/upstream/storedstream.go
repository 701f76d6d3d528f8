package upstream

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/egress"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// storedStream is the stream of a response that a channel stores. It implements stored.Events.
type storedStream struct {
	*output.Stream
	ctx    context.Context // of the request to the upstream
	cancel context.CancelCauseFunc
	memory Memory // for large frames
	source timedReader
	pool   *buffers
}

// TakeForFrame implements sse.Memory.
func (s *storedStream) TakeForFrame(bytes int) error {
	return s.memory.Grow(s.ctx, frameCopies*int64(bytes))
}

// LastRead returns when bytes of the stream arrived last.
func (s *storedStream) LastRead() time.Time { return s.source.LastRead() }

// CancelSilent ends the upstream's stream because it was silent for too long.
func (s *storedStream) CancelSilent() { s.cancel(errTimeout) }

// Close ends the stream. Afterwards none of its frames is valid.
func (s *storedStream) Close() {
	s.cancel(context.Canceled)
	_ = s.source.Close() // the rest of the body is of no use
	s.pool.give(s.Release())
}

// FetchStream implements stored.Sender.
func (c *Client) FetchStream(ctx context.Context, call stored.ChannelCall) (stored.Answer, error) {
	store, storeErr := storeOf(&call)
	if storeErr != nil {
		return stored.Answer{}, storeErr
	}
	ctx, cancel := context.WithCancelCause(ctx)
	limits := c.limits(call.Channel, c.Now().Add(c.RequestTimeout))
	defer c.limitHeaders(&limits, cancel).Stop()
	redact := storedRedactor(&call)
	stream, err := c.openStored(storedRequest(ctx, store, &call), redact, call.Memory)
	if err != nil {
		defer cancel(context.Canceled)
		return stored.Answer{}, storedProblem(ctx, err)
	}
	stream.cancel = cancel
	return stored.Answer{Stream: stream, Clean: redact.clean}, nil
}

// openStored sends the request and checks that the answer is a stream. Large frames take their memory from memory.
func (c *Client) openStored(request *http.Request, redact redactor, memory Memory) (*storedStream, *attemptError) {
	response, err := redact.target.Transport.RoundTrip(request)
	if err != nil {
		return nil, &attemptError{code: codeConnect, kind: problem.UpstreamFailed, cause: err}
	}
	egress.Unzip(response)
	failure := c.streamFailure(response, redact)
	if failure != nil {
		_ = response.Body.Close() // the rest of the body is of no use
		return nil, failure
	}
	s := &storedStream{ctx: request.Context(), memory: memory, pool: &c.buffers}
	s.Stream = output.NewStream(catalog.Responses, s.source.wrap(response.Body), maxFrame, c.buffers.take())
	s.UseMemory(s)
	return s, nil
}

// streamFailure returns the failure of a response that is not a stream, or nil.
func (c *Client) streamFailure(response *http.Response, redact redactor) *attemptError {
	switch {
	case provider.FaultOf(response.StatusCode) != provider.NoFault:
		return c.faultOf(response, redact)
	case !isMedia(response.Header, "text/event-stream"):
		return &attemptError{status: response.StatusCode, code: codeNonsense, kind: problem.UpstreamFailed,
			cause: errors.New("the content type is not text/event-stream")}
	}
	return nil
}
