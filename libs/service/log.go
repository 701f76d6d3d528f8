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

	lines *lineBuffer
}

// NewLogs returns logs that write to w, with the level and format of the configuration.
func NewLogs(w io.Writer, c config.Config) Logs {
	lines := newLineBuffer(w)
	logs := Logs{Log: newLog(writeFunc(lines.write), c), RequestLog: newLog(writeFunc(lines.gather), c), lines: lines}
	if c.LogFormat != config.Text {
		logs.RequestLog = slog.New(newRequestLines(writeFunc(lines.gather), &slog.HandlerOptions{Level: c.LogLevel},
			c.Program))
	}
	return logs
}

// newLog returns a log that adds the name of the program to each line.
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
	bufferTime = 100 * time.Millisecond // longest time for which a line is buffered
	bufferSize = 64 << 10               // largest size of the buffer in bytes, unless a single line is longer
)

// lineBuffer buffers lines and writes many with one system call, which costs more than formatting the line. It is safe
// for concurrent use. While the buffer is written, other lines are buffered in a second one. A caller waits only if
// that one is full, too, so the buffers never exceed their bound. Lines whose write fails are lost; later lines are
// still attempted.
type lineBuffer struct {
	out io.Writer

	mu    sync.Mutex
	lines []byte      // buffered lines
	due   *time.Timer // runs while lines is not empty; nil before the first gathered line

	writing sync.Mutex // held during a write, and taken before mu is released, so that lines are written in their order
	spare   []byte     // the other buffer, which is being written while writing is held; empty otherwise
}

// newLineBuffer returns an empty buffer.
func newLineBuffer(out io.Writer) *lineBuffer { return &lineBuffer{out: out} }

// gather buffers a line. It first writes the buffer if the line does not fit.
func (b *lineBuffer) gather(line []byte) (int, error) {
	b.mu.Lock()
	if len(b.lines)+len(line) > bufferSize && len(b.lines) > 0 {
		_ = b.flush(line) // an error concerns earlier lines; this one is still buffered
		return len(line), nil
	}
	if len(b.lines) == 0 {
		b.startTimer()
	}
	b.lines = append(b.lines, line...)
	b.mu.Unlock()
	return len(line), nil
}

// startTimer starts the timer that writes the buffer. The caller holds mu, so the timer is set before it can fire.
func (b *lineBuffer) startTimer() {
	if b.due == nil {
		b.due = time.AfterFunc(bufferTime, func() { _, _ = b.write(nil) })
		return
	}
	b.due.Reset(bufferTime)
}

// write writes the buffer and then the line, in one system call.
func (b *lineBuffer) write(line []byte) (int, error) {
	b.mu.Lock()
	b.lines = append(b.lines, line...)
	return len(line), b.flush(nil)
}

// flush writes the buffered lines, and buffers next. The caller holds mu; flush releases it before it writes.
func (b *lineBuffer) flush(next []byte) error {
	b.writing.Lock()
	defer b.writing.Unlock()
	full := b.lines
	b.lines = b.spare[:0]
	b.lines = append(b.lines, next...)
	switch {
	case len(next) > 0:
		b.startTimer()
	case b.due != nil:
		b.due.Stop()
	}
	b.mu.Unlock()
	if b.spare = full[:0]; cap(full) > 2*bufferSize { // a very long line must not occupy memory forever
		b.spare = nil
	}
	if len(full) == 0 {
		return nil
	}
	_, err := b.out.Write(full)
	return err
}
