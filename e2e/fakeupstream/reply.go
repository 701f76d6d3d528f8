package fakeupstream

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
)

// Reply is an answer of a provider. The Upstream sends it as it is, so it can be in the dialect of any provider.
type Reply struct {
	Body   []byte   // of an answer without a stream
	Frames [][]byte // data of the frames of a stream
	Cut    bool     // the connection breaks off after the frames
	// Lenient says that requests need not follow the rules of the provider.
	Lenient bool
}

// SetReply sets the answer to every request for the model: to chat completions, responses, embeddings, Anthropic's
// messages (/v1/messages) and Gemini's methods (such as /v1/models/{model}:generateContent). No script applies to such
// a request.
func (u *Upstream) SetReply(model string, r Reply) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.replies[model] = r
}

// reply answers with the Reply for the model, if there is one.
func (u *Upstream) reply(w http.ResponseWriter, r *http.Request, body []byte, model string, isStream bool) bool {
	u.mu.Lock()
	script, ok := u.replies[model]
	u.mu.Unlock()
	if !ok {
		return false
	}
	u.count(model, Counters{Requests: 1})
	if !script.Lenient && u.refuse(w, r, body) {
		return true
	}
	if !isStream {
		writeJSON(w, http.StatusOK, script.Body)
		u.count(model, Counters{Successes: 1})
		return true
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	s := &stream{w: w, r: r, script: &Script{}, out: http.NewResponseController(w)}
	for _, data := range script.Frames {
		s.events = bytes.HasPrefix(data, []byte(`{"type":"`)) // responses and messages name their events
		if !s.frame(data) {
			return true
		}
	}
	if script.Cut {
		panic(http.ErrAbortHandler)
	}
	u.count(model, Counters{Successes: 1})
	return true
}

// replyTo returns a handler of another provider's endpoint. It answers 404 for models without a Reply.
func (u *Upstream) replyTo(modelOf func(r *http.Request, body []byte) (model string, stream bool)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, ok := u.receive(r)
		if !ok {
			return
		}
		if model, stream := modelOf(r, body); !u.reply(w, r, body, model, stream) {
			http.Error(w, "no such model", http.StatusNotFound)
		}
	}
}

// modelInBody reads the model and the stream flag of chat completions, responses and messages.
func modelInBody(_ *http.Request, body []byte) (model string, stream bool) {
	var in struct {
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
	}
	_ = json.Unmarshal(body, &in) // a malformed body names no model
	return in.Model, in.Stream
}

// modelInPath reads the model and the method of Gemini's content.
func modelInPath(r *http.Request, _ []byte) (model string, stream bool) {
	model, method, _ := strings.Cut(r.PathValue("call"), ":")
	return model, method == "streamGenerateContent"
}
