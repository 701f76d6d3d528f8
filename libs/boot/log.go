package boot

import (
	"io"
	"log/slog"
)

// NewLog returns the log of a program, as its configuration wants it.
func NewLog(w io.Writer, c Config) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	var handler slog.Handler = slog.NewJSONHandler(w, options)
	if c.LogFormat == Text {
		handler = slog.NewTextHandler(w, options)
	}
	return slog.New(handler).With("program", c.Program)
}
