package service

import (
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/tollgate/tollgate/libs/config"
)

// Logs are the two logs of a program. Both write to the same place, and all lines appear in the order of the calls.
type Logs struct {
	Log        *slog.Logger // writes a line before the call returns
	RequestLog *slog.Logger // writes a line within 100 ms; for the lines that each request causes

	lines *gatherer
}

// NewLogs returns logs that write to w, with the level and format of the configuration.
func NewLogs(w io.Writer, c config.Config) Logs {
	lines := newGatherer(w)
	return Logs{Log: newLog(writeFunc(lines.write), c), RequestLog: newLog(writeFunc(lines.gather), c), lines: lines}
}

func newLog(w io.Writer, c config.Config) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	var handler slog.Handler = slog.NewJSONHandler(w, options)
	if c.LogFormat == config.Text {
		handler = slog.NewTextHandler(w, options)
	}
	return slog.New(handler).With("program", c.Program)
}

// Flush writes all buffered lines. It ignores errors: there is no other place to report them.
func (l *Logs) Flush() { _, _ = l.lines.write(nil) }

// writeFunc is a function that implements io.Writer.
type writeFunc func(p []byte) (int, error)

func (f writeFunc) Write(p []byte) (int, error) { return f(p) }

const (
	gatherTime = 100 * time.Millisecond // longest time for which a line is buffered
	gatherRoom = 64 << 10               // largest size of the buffer in bytes, unless a single line is longer
)

// gatherer buffers lines and writes many with one system call, which costs more than formatting the line. It is safe for
// concurrent use. A caller waits while the buffer is written, so the buffer never exceeds its bound. Lines whose write
// fails are lost; later lines are still attempted.
type gatherer struct {
	out io.Writer

	mu    sync.Mutex
	lines []byte      // buffered lines
	due   *time.Timer // runs while lines is not empty
}

func newGatherer(out io.Writer) *gatherer {
	g := &gatherer{out: out}
	g.due = time.AfterFunc(gatherTime, func() { _, _ = g.write(nil) })
	g.due.Stop()
	return g
}

// gather buffers a line. It first writes the buffer if the line does not fit.
func (g *gatherer) gather(line []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.lines)+len(line) > gatherRoom {
		_ = g.flush() // an error concerns earlier lines; this one is still buffered
	}
	if len(g.lines) == 0 {
		g.due.Reset(gatherTime)
	}
	g.lines = append(g.lines, line...)
	return len(line), nil
}

// write writes the buffer and then the line, in one system call.
func (g *gatherer) write(line []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lines = append(g.lines, line...)
	return len(line), g.flush()
}

// flush writes and empties the buffer. The caller holds mu.
func (g *gatherer) flush() error {
	g.due.Stop()
	if len(g.lines) == 0 {
		return nil
	}
	_, err := g.out.Write(g.lines)
	g.lines = g.lines[:0]
	if cap(g.lines) > 2*gatherRoom { // a very long line must not occupy memory forever
		g.lines = nil
	}
	return err
}
