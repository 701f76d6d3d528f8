package once

import (
	"net/http"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/memory"
	"github.com/tollgate/tollgate/libs/web"
)

// copies is the number of copies of an answer that a call has at the same time: plain and sealed.
const copies = 2

// tape is the ResponseWriter of a first call. It passes the answer on to the client and records it. While it buffers,
// it only records. When the client has disconnected, it continues to record, and reports no errors.
//
// It has no method Unwrap, because all bytes must pass through it.
type tape struct {
	w      http.ResponseWriter
	memory *memory.Use
	limit  int    // bytes of the largest answer that is recorded
	onLoss func() // called when the end of the answer can no longer be buffered

	status    int // that is held, 0 for none
	recording []byte
	lost      bool // the answer is not recorded: it is too large, or not to be stored
	buffering bool
	passed    int  // recorded bytes that were passed on, while buffering
	gone      bool // the client has disconnected
}

func (t *tape) Header() http.Header { return t.w.Header() }

// WriteHeader passes the status on, or buffers it.
func (t *tape) WriteHeader(status int) {
	if t.buffering {
		t.status = status
		return
	}
	t.w.WriteHeader(status)
}

// Write records p, and passes it on unless the tape buffers it. It never fails.
func (t *tape) Write(p []byte) (int, error) {
	ok := t.record(p)
	switch {
	case t.buffering && ok:
	case t.buffering:
		t.onLoss()
		t.release()
		t.pass(p)
	default:
		t.pass(p)
	}
	return len(p), nil
}

// FlushError does nothing: what is passed on is flushed.
func (t *tape) FlushError() error { return nil }

// SetWriteDeadline sets the deadline of writes to the client.
func (t *tape) SetWriteDeadline(deadline time.Time) error {
	return http.NewResponseController(t.w).SetWriteDeadline(deadline) //nolint:wrapcheck // passes the call on
}

// record reports whether p is part of the recorded answer now.
func (t *tape) record(p []byte) bool {
	if t.lost {
		return false
	}
	if size := len(t.recording) + len(p); size > cap(t.recording) {
		larger := min(max(2*cap(t.recording), size, firstTape), t.limit)
		if size > t.limit || !t.memory.Try(int64(copies*(larger-cap(t.recording)))) {
			t.lose()
			return false
		}
		t.recording = append(make([]byte, 0, larger), t.recording...)
	}
	t.recording = append(t.recording, p...)
	return true
}

// lose ends the recording. The buffered part of the answer stays until it is released.
func (t *tape) lose() {
	t.lost = true
	if !t.buffering {
		t.memory.Shrink(int64(copies * cap(t.recording)))
		t.recording = nil
	}
}

// firstTape is the size of the first buffer in bytes.
const firstTape = 4 << 10

// pass passes bytes on to the client.
func (t *tape) pass(p []byte) {
	if !t.gone && len(p) > 0 {
		t.gone = web.Send(t.w, p) != nil
	}
}

// answer returns the recorded answer.
func (t *tape) answer() *answer {
	return &answer{head: head{Header: replayable(t.w.Header())}, body: t.recording}
}

// buffer begins to buffer the answer.
func (t *tape) buffer() { t.buffering, t.passed = true, len(t.recording) }

// release passes on what was buffered.
func (t *tape) release() {
	if !t.buffering {
		return
	}
	t.buffering = false
	if t.status != 0 {
		t.w.WriteHeader(t.status)
	}
	t.pass(t.recording[t.passed:])
}
