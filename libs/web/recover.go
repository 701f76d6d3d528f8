package web

import (
	"log/slog"
	"net/http"
	"runtime/debug"
)

// Recover returns a middleware that recovers from a panic of the handler and logs it. If the response has not begun, it
// calls onPanic to write one. If it has begun, Recover aborts the connection, so that the client does not take the
// truncated response for a complete one.
func Recover(log *slog.Logger, onPanic http.HandlerFunc) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			writer := &trackedWriter{ResponseWriter: w, conn: connOf(r.Context())}
			defer func() {
				if v := recover(); v != nil {
					answerPanic(writer, r, v, log, onPanic)
				}
			}()
			next.ServeHTTP(writer, r)
		})
	}
}

// answerPanic handles the recovered value v. It passes http.ErrAbortHandler on: net/http aborts the connection
// silently.
func answerPanic(w *trackedWriter, r *http.Request, v any, log *slog.Logger, onPanic http.HandlerFunc) {
	if v == http.ErrAbortHandler { //nolint:errorlint // net/http compares the panic's value itself
		panic(v)
	}
	log.ErrorContext(r.Context(), "handler panicked", "panic", v, "method", r.Method, "path", r.URL.Path, "stack",
		string(debug.Stack()))
	if w.wrote {
		panic(http.ErrAbortHandler)
	}
	// Remove the headers of the response that the handler did not finish.
	for _, name := range []string{"Content-Type", "Content-Length", "Content-Encoding", "Cache-Control",
		"ETag", "Set-Cookie"} {
		w.Header().Del(name)
	}
	onPanic(w.ResponseWriter, r)
}

// trackedWriter notes whether the response has begun.
type trackedWriter struct {
	http.ResponseWriter
	conn  *gatheringConn // connection of the request; nil if it does not belong to a Server of this package
	wrote bool           // the response has begun
}

// WriteHeader notes that the response has begun, unless the status is informational (1xx).
func (w *trackedWriter) WriteHeader(status int) {
	w.wrote = w.wrote || status >= http.StatusOK || status == http.StatusSwitchingProtocols
	w.ResponseWriter.WriteHeader(status)
}

// Write notes that the response has begun.
func (w *trackedWriter) Write(p []byte) (int, error) {
	w.wrote = true
	return w.ResponseWriter.Write(p)
}

// FlushError sends everything that was written so far. http.ResponseController calls it.
func (w *trackedWriter) FlushError() error {
	w.wrote = true
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Flush does the same as FlushError, for callers that use http.Flusher.
func (w *trackedWriter) Flush() { _ = w.FlushError() }

// Unwrap returns the wrapped writer, for http.ResponseController.
func (w *trackedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
