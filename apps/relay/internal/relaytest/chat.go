package relaytest

import (
	"bytes"
	"io"
	"net/http"
	"strings"
)

// A completion, and the frames of a stream that says the same.
const (
	Completion = `{"id":"c1","object":"chat.completion","created":1,"model":"cheap","choices":[{"index":0,"message":{"role":"assistant","content":"hi there"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":1,"total_tokens":8}}`
	ChunkHi    = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"cheap","choices":[{"index":0,"delta":{"content":"hi there"},"finish_reason":null}]}` + "\n\n"
	ChunkStop  = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"cheap","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	ChunkUsage = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"cheap","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500}}` + "\n\n"
	Done       = "data: [DONE]\n\n"
)

// Answer is an upstream that behaves well.
func Answer(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if !bytes.Contains(body, []byte(`"stream":true`)) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, Completion)
		return
	}
	Stream(w, ChunkHi, ChunkStop, ChunkUsage, Done)
}

// Frames of a long stream.
const (
	ChunkWord = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"cheap","choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}]}` + "\n\n"
	chunkMuch = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"cheap","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":5000,"total_tokens":6000}}` + "\n\n"
)

// LongWinded is an upstream that sends 5,000 tokens and ignores the output cap of the request.
func LongWinded() http.HandlerFunc {
	var frames []string
	for range 50 {
		frames = append(frames, strings.Repeat(ChunkWord, 100))
	}
	return Streams(append(frames, ChunkStop, chunkMuch, Done)...)
}
