package web

import (
	"log/slog"
	"net/http"
	"runtime/debug"
)

// Recover returns a middleware that survives a handler's panic: it logs it
// and, where nothing was written yet, calls onPanic to answer. An answer that
// had begun is cut instead, so that the client cannot take it for whole.
func Recover(log *slog.Logger, onPanic http.HandlerFunc) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			tracked := &trackedWriter{ResponseWriter: w, conn: connOf(r.Context())}
			defer func() {
				if v := recover(); v != nil {
					answerPanic(tracked, r, v, log, onPanic)
				}
			}()
			next.ServeHTTP(tracked, r)
		})
	}
}

func answerPanic(w *trackedWriter, r *http.Request, v any, log *slog.Logger, onPanic http.HandlerFunc) {
	if v == http.ErrAbortHandler { //nolint:errorlint // net/http compares the panic's value itself
		panic(v)
	}
	log.ErrorContext(r.Context(), "handler panicked", "panic", v, "method", r.Method, "path", r.URL.Path, "stack", string(debug.Stack()))
	if w.wrote {
		panic(http.ErrAbortHandler)
	}
	for _, name := range []string{"Content-Type", "Content-Length", "Content-Encoding", "Cache-Control", "ETag", "Set-Cookie"} {
		w.Header().Del(name)
	}
	onPanic(w.ResponseWriter, r)
}

// trackedWriter knows whether an answer has begun. http.ResponseController
// reaches the writer beneath by Unwrap.
type trackedWriter struct {
	http.ResponseWriter
	conn  *gatheringConn // nil: of no Server
	wrote bool
}

// WriteHeader notes that the answer has begun, unless it is informational.
func (w *trackedWriter) WriteHeader(status int) {
	w.wrote = w.wrote || status >= http.StatusOK || status == http.StatusSwitchingProtocols
	w.ResponseWriter.WriteHeader(status)
}

// Write notes that the answer has begun.
func (w *trackedWriter) Write(p []byte) (int, error) {
	w.wrote = true
	return w.ResponseWriter.Write(p)
}

// FlushError sends what was written so far.
func (w *trackedWriter) FlushError() error {
	w.wrote = true
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Flush is FlushError for callers that do not use http.ResponseController.
func (w *trackedWriter) Flush() { _ = w.FlushError() }

// Unwrap returns the writer beneath.
func (w *trackedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
