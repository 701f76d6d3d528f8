package tap

import (
	"math"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tollgate/tollgate/libs/web"
)

// Timeouts bound the silence in a stream. All but KeepAlive must be positive.
type Timeouts struct {
	// Time without a write to the client after which the client gets an SSE comment; 0: never.
	KeepAlive   time.Duration
	IdleTimeout time.Duration // silence of the upstream after which the stream is canceled
	// Time after which it is canceled although the upstream sends comments and pings, or IdleTimeout if that is longer.
	PingTimeout  time.Duration
	WriteTimeout time.Duration // upper bound of one write to the client
}

// pacer enforces the timeouts of one stream. It uses one timer for all, which fires four times within the
// shortest and compares times: so passing a frame on costs one reading of the clock and no timer operation.
type pacer struct {
	Timeouts
	control *http.ResponseController
	begun   time.Time

	mu     sync.Mutex // held during a write to the client
	w      http.ResponseWriter
	frame  []byte // sent during a silence
	headed bool   // the client has the status and the headers

	// Times since begun, in nanoseconds.
	heard     atomic.Int64 // last frame of the upstream that was no ping
	lastWrite atomic.Int64 // last write to the client
	writing   atomic.Int64 // start of the write in progress, 0 for none

	state    sync.Mutex // guards upstream, closed and timer
	upstream Upstream   // nil while no upstream has answered
	closed   bool
	timer    *time.Timer
}

// keepAlive is an SSE comment. Clients ignore it; proxies see that the connection is in use.
var keepAlive = []byte(": keep-alive\n\n")

// newPacer starts a pacer before an upstream has answered. The caller must close it.
func newPacer(w http.ResponseWriter, pace Timeouts) *pacer {
	if pace.KeepAlive == 0 {
		pace.KeepAlive = math.MaxInt64
	}
	p := &pacer{Timeouts: pace, w: w, frame: keepAlive, control: http.NewResponseController(w), begun: time.Now()}
	p.timer = time.AfterFunc(time.Hour, p.tick)
	p.timer.Reset(p.interval())
	return p
}

// answered restarts a closed pacer when an upstream has answered, with the timeouts of its channel. frame is sent
// during a silence.
func (p *pacer) answered(timeouts Timeouts, upstream Upstream, frame []byte) {
	p.hear()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frame = frame
	p.state.Lock()
	defer p.state.Unlock()
	p.IdleTimeout, p.PingTimeout = timeouts.IdleTimeout, timeouts.PingTimeout
	p.upstream, p.closed = upstream, false
	p.timer.Reset(p.interval())
}

// head sends the status and the headers of an event stream, unless the client has them. The pacer must be closed.
func (p *pacer) head() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sendHead()
}

// sendHead is head for a caller that holds mu.
func (p *pacer) sendHead() {
	if p.headed {
		return
	}
	p.headed = true
	header := p.w.Header()
	header["Content-Type"] = eventStream
	header["Cache-Control"] = noCache
	header["X-Accel-Buffering"] = noBuffering
	p.w.WriteHeader(http.StatusOK)
}

// interval returns the time between two ticks.
func (p *pacer) interval() time.Duration {
	return max(min(p.KeepAlive, p.IdleTimeout, p.WriteTimeout)/4, time.Millisecond)
}

// now returns the time since the pacer began.
func (p *pacer) now() time.Duration { return time.Since(p.begun) }

// send writes frames that the upstream has just sent.
func (p *pacer) send(frames []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	p.heard.Store(int64(now))
	return p.write(frames, now)
}

// sendPings does the same for frames that are all pings.
func (p *pacer) sendPings(frames []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.write(frames, p.now())
}

// write writes frames and records the time. The caller holds mu.
func (p *pacer) write(frames []byte, now time.Duration) error {
	p.lastWrite.Store(int64(now))
	p.writing.Store(int64(now))
	defer p.writing.Store(0)
	return web.Send(p.w, frames)
}

// hear records that the upstream has just sent a frame that is no ping.
func (p *pacer) hear() { p.heard.Store(int64(p.now())) }

// leave stops the keep-alive comments, because the client has disconnected.
func (p *pacer) leave() { p.lastWrite.Store(math.MaxInt64) }

// tick checks the timeouts. It runs on the timer's goroutine.
func (p *pacer) tick() {
	now := p.now()
	writing := time.Duration(p.writing.Load())
	switch {
	case writing > 0 && now-writing >= p.WriteTimeout:
		// The client doesn't read: a deadline in the past fails the write in progress.
		_ = p.control.SetWriteDeadline(time.Now()) // a writer without deadlines is a test's and never blocks
	case writing == 0 && p.isSilent(now):
	default:
		p.comment(now)
	}
	p.again()
}

// isSilent reports whether the upstream has been silent for too long, after it has canceled it. Comments and pings end
// a silence, but not for longer than PingTimeout.
func (p *pacer) isSilent(now time.Duration) bool {
	p.state.Lock()
	upstream, idle, pings := p.upstream, p.IdleTimeout, p.PingTimeout
	p.state.Unlock()
	if upstream == nil {
		return false
	}
	heard := time.Duration(p.heard.Load())
	if now-max(heard, upstream.LastRead().Sub(p.begun)) < idle && now-heard < max(idle, pings) {
		return false
	}
	upstream.CancelSilent()
	return true
}

// again restarts the timer, unless the pacer is closed.
func (p *pacer) again() {
	p.state.Lock()
	defer p.state.Unlock()
	if !p.closed {
		p.timer.Reset(p.interval())
	}
}

// comment sends a keep-alive comment if nothing was written for long enough, after the headers if the client does not
// have them. It does nothing while a frame is being written.
func (p *pacer) comment(now time.Duration) {
	if !p.mu.TryLock() {
		return
	}
	defer p.mu.Unlock()
	if p.isClosed() || now-time.Duration(p.lastWrite.Load()) < p.KeepAlive {
		return
	}
	// The write needs a deadline here: tick runs on this goroutine, so nothing else could end a write that
	// blocks. An error is ignored because the next frame gets the same one.
	_ = p.control.SetWriteDeadline(time.Now().Add(p.WriteTimeout))
	p.sendHead()
	if p.write(p.frame, now) == nil {
		_ = p.control.SetWriteDeadline(time.Time{})
	}
}

func (p *pacer) isClosed() bool {
	p.state.Lock()
	defer p.state.Unlock()
	return p.closed
}

// close stops the timer. It waits for a comment in progress; afterwards only the caller writes to the client, until
// answered is called.
func (p *pacer) close() {
	p.mu.Lock() // a comment under way ends first
	defer p.mu.Unlock()
	p.state.Lock()
	defer p.state.Unlock()
	p.closed = true
	p.timer.Stop()
}
