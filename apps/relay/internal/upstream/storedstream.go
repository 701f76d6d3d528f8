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
	hidden private
	body   io.Closer
	cancel context.CancelCauseFunc
	pool   *buffers
}

// Clean removes private data from a text of the stream.
func (s *StoredStream) Clean(text string) string { return s.hidden.clean(text) }

// Cancel ends the upstream's stream because it was silent for too long.
func (s *StoredStream) Cancel() { s.cancel(errTimeout) }

// Close ends the stream. Afterwards none of its frames is valid.
func (s *StoredStream) Close() {
	s.cancel(context.Canceled)
	_ = s.body.Close() // the rest of the body is of no use
	s.pool.give(s.Release())
}

// FetchStream sends a request for the stream of a stored response to the response's channel, and returns when the stream
// has begun. Its errors are those of Fetch. The stream ends with ctx.
func (c *Client) FetchStream(ctx context.Context, stored StoredRequest) (*StoredStream, error) {
	store, unknown := stored.store()
	if unknown != nil {
		return nil, unknown
	}
	ctx, cancel := context.WithCancelCause(ctx)
	late := time.AfterFunc(c.FirstByteTimeout, func() { cancel(errTimeout) })
	defer late.Stop()
	stream, err := c.openStored(stored.request(ctx, store), stored.hidden())
	if err != nil {
		defer cancel(context.Canceled)
		return nil, storedProblem(ctx, err)
	}
	stream.cancel = cancel
	return stream, nil
}

// openStored sends the request and checks that the answer is a stream.
func (c *Client) openStored(request *http.Request, hidden private) (*StoredStream, *attemptError) {
	response, err := hidden.target.Transport.RoundTrip(request)
	if err != nil {
		return nil, &attemptError{word: "connect", kind: problem.UpstreamFailed, cause: err}
	}
	failed := c.faultOrNoStream(response, hidden)
	if failed != nil {
		_ = response.Body.Close() // the rest of the body is of no use
		return nil, failed
	}
	return &StoredStream{
		Stream: output.NewStream(catalog.Responses, response.Body, maxFrame, c.buffers.take()), hidden: hidden, body: response.Body, pool: &c.buffers,
	}, nil
}

// faultOrNoStream returns the failure of a response that is not a stream, or nil.
func (c *Client) faultOrNoStream(response *http.Response, hidden private) *attemptError {
	switch {
	case provider.FaultOf(response.StatusCode) != provider.NoFault:
		return c.faultOf(response, hidden)
	case !isMedia(response.Header, "text/event-stream"):
		return &attemptError{status: response.StatusCode, word: "nonsense", kind: problem.UpstreamFailed, cause: errors.New("the content type is not text/event-stream")}
	}
	return nil
}
