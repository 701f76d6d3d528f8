package upstream

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// failureTime is the longest time to read the events that follow an error event. It is short, because the next attempt
// waits meanwhile, and most upstreams end the stream at once.
const failureTime = time.Second

// failedFrame returns the event response.failed with a failed response.
func failedFrame(response []byte) []byte {
	frame := bytes.NewBufferString("event: response.failed\ndata: " +
		"{\"type\":\"response.failed\",\"sequence_number\":0,\"response\":")
	if json.Compact(frame, response) != nil { // a line end would end the event's line of data
		return nil
	}
	frame.WriteString("}\n\n")
	return frame.Bytes()
}

// isFailure reports whether the Responses API reports a failure by events of this type. It is false for an error
// object in any other event or in a chunk of a chat stream.
func isFailure(e *output.Event) bool {
	return e != nil && (e.Name == "response.failed" || e.Name == "error")
}

// readFailure makes the stream, which began with a failure, the reply's failed answer. It reads the rest of it for
// at most failureTime, and returns the usage that the answer reports, or nil.
func (c *Client) readFailure(reply *Reply, stream *output.Stream) *usage.Usage {
	a := reply.attempt
	a.timer.Stop()
	stall := time.AfterFunc(a.limits.limitWait(c.Now(), failureTime), func() { a.cancel(errStalled) })
	defer stall.Stop()
	counts := stream.HoldFailure()
	reply.Stream, reply.buffers = stream, &c.buffers
	return counts
}
