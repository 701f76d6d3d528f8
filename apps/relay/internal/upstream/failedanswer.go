package upstream

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// failureTime is the longest time to read the events that follow an error event. It is short, because the next attempt
// waits meanwhile, and most upstreams end the stream at once.
const failureTime = time.Second

// failedBody returns the event response.failed for an upstream that answers the request for a responses stream with
// the JSON of a failed response. It returns nil for any other answer. It reads the body of each answer in JSON. An
// error means that there was no memory for the body.
func failedBody(reply *Reply, dialect catalog.Dialect, response *http.Response) ([]byte, error) {
	if dialect != catalog.Responses || reply.Translated() || !isMedia(response.Header, "application/json") {
		return nil, nil
	}
	body, err := readAll(reply.attempt.ctx, reply.attempt.memory, response)
	if isNoMemory(err) {
		return nil, err
	}
	if err != nil {
		return nil, nil //nolint:nilerr // the caller reports an answer that is not a stream
	}
	if answer, err := output.ScanAnswer(dialect, body); err != nil || !answer.Failed {
		return nil, nil //nolint:nilerr // not a failed response
	}
	frame := bytes.NewBufferString("event: response.failed\ndata: " +
		"{\"type\":\"response.failed\",\"sequence_number\":0,\"response\":")
	if json.Compact(frame, body) != nil { // a line end would end the event's line of data
		return nil, nil //nolint:nilerr // not JSON, so not a failed response
	}
	frame.WriteString("}\n\n")
	return frame.Bytes(), nil
}

// isFailure reports whether the Responses API reports a failure by events of this type. It is false for an error
// object in any other event or in a chunk of a chat stream.
func isFailure(e *output.Event) bool {
	return e != nil && (e.Name == "response.failed" || e.Name == "error")
}

// holdFailure makes the stream, which began with a failure, the reply's failed answer. It reads the rest of it for
// at most failureTime, and returns the usage that the answer reports, or nil.
func (c *Client) holdFailure(reply *Reply, stream *output.Stream) *usage.Usage {
	a := reply.attempt
	a.timer.Stop()
	stall := time.AfterFunc(a.limits.limitWait(c.Now(), failureTime), func() { a.cancel(errStalled) })
	defer stall.Stop()
	counts := stream.HoldFailure()
	reply.Stream, reply.buffers = stream, &c.buffers
	return counts
}
