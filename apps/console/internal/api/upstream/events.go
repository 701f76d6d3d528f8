package upstream

import (
	"bytes"
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

const (
	writeTime = time.Minute      // for one write to the client
	aliveTime = 15 * time.Second // of silence after which a comment is written
)

// eventWriter writes server-sent events to a client, each at once. While there are none it writes comments, so that
// proxies between the console and the client do not end the connection. It is safe for concurrent use.
type eventWriter struct {
	mu      sync.Mutex
	w       http.ResponseWriter
	control *http.ResponseController
	alive   *time.Timer
	within  bool // the last write ended within an event
	closed  bool
}

// newEventWriter writes the head of the response. The caller must call close.
func newEventWriter(w http.ResponseWriter) *eventWriter {
	e := &eventWriter{w: w, control: http.NewResponseController(w)}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	e.alive = time.AfterFunc(aliveTime, e.comment)
	_, _ = e.Write(nil) // it sends the head; a client that is gone is noticed later
	return e
}

// Write implements io.Writer.
func (e *eventWriter) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.alive.Reset(aliveTime)
	if len(p) > 0 {
		e.within = !bytes.HasSuffix(p, []byte("\n\n"))
	}
	return e.send(p)
}

// send writes and flushes. The caller holds mu. The errors of deadlines mean only that w does not support them.
func (e *eventWriter) send(p []byte) (int, error) {
	_ = e.control.SetWriteDeadline(time.Now().Add(writeTime))
	defer func() { _ = e.control.SetWriteDeadline(time.Time{}) }()
	n, err := e.w.Write(p)
	if err == nil {
		err = e.control.Flush()
	}
	return n, err
}

// comment writes a comment.
func (e *eventWriter) comment() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	e.alive.Reset(aliveTime)
	if !e.within {
		_, _ = e.send([]byte(": alive\n\n")) // the next event reports a client that is gone
	}
}

// end writes the receipt.
func (e *eventWriter) end(receipt *ChannelCallReceipt) {
	data, err := json.Marshal(ChannelCallEvent{Receipt: receipt})
	if err != nil { // it has only numbers and strings
		return
	}
	prefix := "event: receipt\ndata: "
	if e.within { // the answer broke off
		prefix = "\n\n" + prefix
	}
	_, _ = e.Write(append([]byte(prefix), append(data, "\n\n"...)...)) // a client that is gone needs no receipt
}

// close stops the comments.
func (e *eventWriter) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	e.alive.Stop()
}
