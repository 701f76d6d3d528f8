package service

import (
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/tollgate/tollgate/libs/config"
)

// Logs are the two of a program. Their lines come out in the order in which they
// were written, whichever of the two they were written to.
type Logs struct {
	Log        *slog.Logger // a line is out when the call returns
	RequestLog *slog.Logger // a line is out within 100 ms; for those that each request has

	lines *gatherer
}

// NewLogs returns the logs of a program, as its configuration wants them.
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

// Flush writes what is gathered.
func (l *Logs) Flush() { _, _ = l.lines.write(nil) } // there is nowhere to tell that nothing can be told

type writeFunc func(p []byte) (int, error)

func (f writeFunc) Write(p []byte) (int, error) { return f(p) }

const (
	gatherTime = 100 * time.Millisecond // that a line waits at most
	gatherRoom = 64 << 10               // bytes of lines that wait, unless one line is longer
)

// gatherer writes lines together, for a write of its own costs a line more than
// all else. It is safe for concurrent use; who writes waits while another one's
// lines are on their way out, so that no more than gatherRoom are ever held.
// Lines that cannot be written are gone, and those after them are tried again.
type gatherer struct {
	out io.Writer

	mu    sync.Mutex
	lines []byte
	due   *time.Timer // runs while there are lines
}

func newGatherer(out io.Writer) *gatherer {
	g := &gatherer{out: out}
	g.due = time.AfterFunc(gatherTime, func() { _, _ = g.write(nil) })
	g.due.Stop()
	return g
}

// gather keeps a line until others are written with it.
func (g *gatherer) gather(line []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.lines)+len(line) > gatherRoom {
		_ = g.flush() // this line is not among those that could not be written
	}
	if len(g.lines) == 0 {
		g.due.Reset(gatherTime)
	}
	g.lines = append(g.lines, line...)
	return len(line), nil
}

// write writes a line and all that is gathered before it.
func (g *gatherer) write(line []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lines = append(g.lines, line...)
	return len(line), g.flush()
}

func (g *gatherer) flush() error {
	g.due.Stop()
	if len(g.lines) == 0 {
		return nil
	}
	_, err := g.out.Write(g.lines)
	g.lines = g.lines[:0]
	if cap(g.lines) > 2*gatherRoom {
		g.lines = nil
	}
	return err
}
