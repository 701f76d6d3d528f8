package tap

import (
	"math"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tollgate/tollgate/libs/web"
)

// Timeouts limit the silence in a stream.
type Timeouts struct {
	KeepAlive    time.Duration // silence after which the client gets an SSE comment
	IdleTimeout  time.Duration // silence of the upstream after which it is given up
	WriteTimeout time.Duration // how long one write to the client may take
}

// pacer watches a stream that is being written. One timer does for all three
// limits and looks at the times of the last events, so that passing a frame on
// costs one reading of the clock and no timer.
type pacer struct {
	Timeouts
	control *http.ResponseController
	silent  func() // called when the upstream has been silent for too long
	begun   time.Time

	mu sync.Mutex // held while the client is written to
	w  http.ResponseWriter

	// Times since begun, in nanoseconds.
	heard   atomic.Int64 // of the upstream
	sent    atomic.Int64 // to the client
	writing atomic.Int64 // begin of the write under way, 0 for none

	state  sync.Mutex // guards what follows
	closed bool
	timer  *time.Timer
}

var keepAlive = []byte(": keep-alive\n\n")

func newPacer(w http.ResponseWriter, pace Timeouts, silent func()) *pacer {
	p := &pacer{Timeouts: pace, w: w, control: http.NewResponseController(w), silent: silent, begun: time.Now()}
	p.timer = time.AfterFunc(time.Hour, p.tick)
	p.timer.Reset(p.interval())
	return p
}

func (p *pacer) interval() time.Duration {
	return max(min(p.KeepAlive, p.IdleTimeout, p.WriteTimeout)/4, time.Millisecond)
}

func (p *pacer) now() time.Duration { return time.Since(p.begun) }

// send gives the client what the upstream has just sent.
func (p *pacer) send(frames []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	p.heard.Store(int64(now))
	return p.write(frames, now)
}

// write needs mu.
func (p *pacer) write(frames []byte, now time.Duration) error {
	p.sent.Store(int64(now))
	p.writing.Store(int64(now))
	defer p.writing.Store(0)
	return web.Send(p.w, frames)
}

// hear notes that the upstream is alive.
func (p *pacer) hear() { p.heard.Store(int64(p.now())) }

// leave ends the comments: there is nobody to read them.
func (p *pacer) leave() { p.sent.Store(math.MaxInt64) }

// tick runs on the timer's goroutine.
func (p *pacer) tick() {
	now := p.now()
	writing := time.Duration(p.writing.Load())
	switch {
	case writing > 0 && now-writing >= p.WriteTimeout:
		// The client does not read: fail the write under way.
		_ = p.control.SetWriteDeadline(time.Now()) // a writer without deadlines has no slow clients
	case writing == 0 && now-time.Duration(p.heard.Load()) >= p.IdleTimeout:
		p.silent()
	default:
		p.comment(now)
	}
	p.again()
}

func (p *pacer) again() {
	p.state.Lock()
	defer p.state.Unlock()
	if !p.closed {
		p.timer.Reset(p.interval())
	}
}

// comment tells the client that the stream is alive.
func (p *pacer) comment(now time.Duration) {
	if !p.mu.TryLock() {
		return
	}
	defer p.mu.Unlock()
	if p.isClosed() || now-time.Duration(p.sent.Load()) < p.KeepAlive {
		return
	}
	// This is the timer's goroutine: nobody else would notice that it is stuck.
	// Whatever fails here fails again with the next frame.
	_ = p.control.SetWriteDeadline(time.Now().Add(p.WriteTimeout))
	if p.write(keepAlive, now) == nil {
		_ = p.control.SetWriteDeadline(time.Time{})
	}
}

func (p *pacer) isClosed() bool {
	p.state.Lock()
	defer p.state.Unlock()
	return p.closed
}

// close ends the watch: afterwards nothing but the caller writes.
func (p *pacer) close() {
	p.mu.Lock() // a comment under way ends first
	defer p.mu.Unlock()
	p.state.Lock()
	defer p.state.Unlock()
	p.closed = true
	p.timer.Stop()
}
