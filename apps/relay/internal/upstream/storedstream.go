package upstream

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// StoredStream is the stream of a response that a channel stores. The caller must Close it.
type StoredStream struct {
	*output.Stream
	redact redactor
	body   io.Closer
	cancel context.CancelCauseFunc
	pool   *buffers
}

// Clean removes private data from a text of the stream.
func (s *StoredStream) Clean(text string) string { return s.redact.clean(text) }

// Cancel ends the upstream's stream because it was silent for too long.
func (s *StoredStream) Cancel() { s.cancel(errTimeout) }

// Close ends the stream. Afterwards none of its frames is valid.
func (s *StoredStream) Close() {
	s.cancel(context.Canceled)
	_ = s.body.Close() // the rest of the body is of no use
	s.pool.give(s.Release())
}

// FetchStream sends a request for the stream of a stored response to the response's channel, and returns when the
// stream has begun. Its errors are those of Fetch. The stream ends with ctx.
func (c *Client) FetchStream(ctx context.Context, request StoredRequest) (*StoredStream, error) {
	store, storeErr := request.store()
	if storeErr != nil {
		return nil, storeErr
	}
	ctx, cancel := context.WithCancelCause(ctx)
	late := time.AfterFunc(c.FirstByteTimeout, func() { cancel(errTimeout) })
	defer late.Stop()
	stream, err := c.openStored(request.request(ctx, store), request.redactor())
	if err != nil {
		defer cancel(context.Canceled)
		return nil, storedProblem(ctx, err)
	}
	stream.cancel = cancel
	return stream, nil
}

// openStored sends the request and checks that the answer is a stream.
func (c *Client) openStored(request *http.Request, redact redactor) (*StoredStream, *attemptError) {
	response, err := redact.target.Transport.RoundTrip(request)
	if err != nil {
		return nil, &attemptError{code: codeConnect, kind: problem.UpstreamFailed, cause: err}
	}
	failure := c.faultOrNoStream(response, redact)
	if failure != nil {
		_ = response.Body.Close() // the rest of the body is of no use
		return nil, failure
	}
	return &StoredStream{
		Stream: output.NewStream(catalog.Responses, response.Body, maxFrame, c.buffers.take()), redact: redact,
		body: response.Body, pool: &c.buffers,
	}, nil
}

// faultOrNoStream returns the failure of a response that is not a stream, or nil.
func (c *Client) faultOrNoStream(response *http.Response, redact redactor) *attemptError {
	switch {
	case provider.FaultOf(response.StatusCode) != provider.NoFault:
		return c.faultOf(response, redact)
	case !isMedia(response.Header, "text/event-stream"):
		return &attemptError{status: response.StatusCode, code: codeNonsense, kind: problem.UpstreamFailed,
			cause: errors.New("the content type is not text/event-stream")}
	}
	return nil
}
