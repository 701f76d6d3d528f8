package tap

import (
	"net/http"
	"sync"
	"time"
)

// Pace are the limits of silence in a stream.
type Pace struct {
	KeepAlive    time.Duration // silence after which the client gets an SSE comment
	IdleTimeout  time.Duration // silence of the upstream after which it is given up
	WriteTimeout time.Duration // how long one write to the client may take
}

// pacer watches a stream that is being written. One timer does for all three
// limits, so that a frame costs two readings of the clock and no timer.
type pacer struct {
	Pace
	control *http.ResponseController
	silent  func() // called once when the upstream has been silent for too long

	mu       sync.Mutex // held while the client is written to
	w        http.ResponseWriter
	lastSent time.Time

	state   sync.Mutex // guards what the timer reads while mu is held by a slow write
	heard   time.Time
	writing time.Time // begin of the write under way, zero for none
	closed  bool
	timer   *time.Timer
}

var keepAlive = []byte(": keep-alive\n\n")

func newPacer(w http.ResponseWriter, pace Pace, silent func()) *pacer {
	now := time.Now()
	p := &pacer{Pace: pace, w: w, control: http.NewResponseController(w), silent: silent, lastSent: now, heard: now}
	p.timer = time.AfterFunc(time.Hour, p.tick)
	p.timer.Reset(p.interval())
	return p
}

func (p *pacer) interval() time.Duration {
	return max(min(p.KeepAlive, p.IdleTimeout, p.WriteTimeout)/4, time.Millisecond)
}

// hear notes that the upstream sent something.
func (p *pacer) hear() {
	now := time.Now()
	p.state.Lock()
	p.heard = now
	p.state.Unlock()
}

// write hands frame to the client's connection, which may keep it for a while.
func (p *pacer) write(frame []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begin()
	defer p.end()
	_, err := p.w.Write(frame)
	return err
}

// send sends frame and all that was written before it.
func (p *pacer) send(frame []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begin()
	defer p.end()
	return p.sendLocked(frame)
}

func (p *pacer) sendLocked(frame []byte) error {
	if _, err := p.w.Write(frame); err != nil {
		return err
	}
	return p.control.Flush()
}

func (p *pacer) begin() {
	now := time.Now()
	p.lastSent = now
	p.state.Lock()
	p.writing = now
	p.state.Unlock()
}

func (p *pacer) end() {
	p.state.Lock()
	p.writing = time.Time{}
	p.state.Unlock()
}

// tick runs on the timer's goroutine.
func (p *pacer) tick() {
	now := time.Now()
	p.state.Lock()
	silence, writing, closed := now.Sub(p.heard), p.writing, p.closed
	p.state.Unlock()
	switch {
	case closed:
		return
	case !writing.IsZero() && now.Sub(writing) >= p.WriteTimeout:
		// The client does not read: fail the write under way.
		_ = p.control.SetWriteDeadline(now) // a writer without deadlines has no slow clients
	case writing.IsZero() && silence >= p.IdleTimeout:
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
func (p *pacer) comment(now time.Time) {
	if !p.mu.TryLock() {
		return
	}
	defer p.mu.Unlock()
	if p.isClosed() || now.Sub(p.lastSent) < p.KeepAlive {
		return
	}
	p.begin()
	defer p.end()
	// This is the timer's goroutine: nobody else would notice that it is stuck.
	// Whatever fails here fails again with the next frame.
	_ = p.control.SetWriteDeadline(now.Add(p.WriteTimeout))
	if p.sendLocked(keepAlive) == nil {
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
