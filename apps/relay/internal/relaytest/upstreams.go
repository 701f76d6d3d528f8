package relaytest

import (
	"io"
	"net/http"
)

// Stream sends the frames of an event stream, each with a flush.
func Stream(w http.ResponseWriter, frames ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, frame := range frames {
		_, _ = io.WriteString(w, frame)
		_ = http.NewResponseController(w).Flush()
	}
}

// Streams is an upstream that sends the frames.
func Streams(frames ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { Stream(w, frames...) }
}

// Status is an upstream that answers with the status and the JSON body.
func Status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// Aborts is an upstream that sends the frames and then breaks the connection.
func Aborts(frames ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		Stream(w, frames...)
		panic(http.ErrAbortHandler)
	}
}
