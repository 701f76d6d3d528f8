// Package fakeupstream is a scriptable, OpenAI-compatible upstream for tests and benchmarks. It answers chat
// completions and responses deterministically, as JSON or as SSE, and requests for embeddings. A Script says how a
// request is answered or fails. The script of a request is the first of these:
//
//   - the header X-Fakeupstream,
//   - the part of the model id after a question mark: "gpt-4o?status=429&times=2",
//   - a directive in a message, such as "script:status=402", which ends at a space or quotation mark,
//   - the script that SetScript or PUT /control/{model} has set for the plain model name, which is the part
//     before the question mark.
//
// An answer reports 9 input and 12 output tokens, unless a message contains a directive such as
// "usage:7/13/2/3" (prompt, completion, cached, reasoning).
//
// A request must follow the rules of the provider whose endpoint it is for, see package rulestest of libs/provider:
// OpenAI, Azure, Anthropic, Gemini on AI Studio, and Vertex AI below /v1/publishers/google. Else the answer is the
// provider's error, and its header X-Fakeupstream-Rule names the rule. The upstream of a test that needs a lenient
// server says so: Script.Lenient, Reply.Lenient.
//
// SetBill sets what the billing APIs of OpenAI, Anthropic and OpenRouter state.
//
// SetReply sets an answer that is sent as it is, in the dialect of any provider.
//
// POST /v1/sink/chat/completions is for bodies that are too large to keep or parse: it discards them and ignores
// scripts. It answers a stream with one content frame every three seconds for a minute.
//
// A test in another process uses a Client, which calls these endpoints: PUT /control/{model}, PUT /reply/{model} and
// PUT /bill set what the methods of Upstream set. GET /inspect returns the last request body byte for byte
// (?match=text: the last body that contains the text; ?headers: its headers instead; ?request: the Request as JSON).
// GET /counters returns the numbers of requests and of successes (?model=name: of one plain model name). POST
// /barrier/{name} lets one frame of a stream pass a barrier of its script, PUT /barrier/{name} opens the barrier.
//
// Upstream is the scriptable server. Fast is a second, minimal server for benchmarks, which answers from
// prepared bytes and ignores scripts.
package fakeupstream

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

const (
	kept      = 256      // largest number of requests that Find searches
	keptBytes = 64 << 20 // largest size of their bodies; the last body may be larger
)

// Request is a request as the upstream received it.
type Request struct {
	Path   string
	Header http.Header
	Body   []byte
}

// Counters counts the requests of an Upstream or of one model.
type Counters struct {
	Requests  int64 `json:"requests"`  // requests that arrived
	Successes int64 `json:"successes"` // good answers that were written completely
}

// Upstream is an http.Handler that answers by scripts. It is safe for concurrent use. Create it with New.
type Upstream struct {
	mux *http.ServeMux

	mu       sync.Mutex
	scripts  map[string]Script   // by plain model name
	replies  map[string]Reply    // by model name
	applied  map[string]int      // number of requests a script with Times has applied to, by model and script
	counts   map[string]Counters // by plain model name
	recent   []Request           // oldest first
	size     int                 // bytes of the bodies in recent
	bill     Bill                // what the billing APIs state
	barriers map[string]*barrier // by name

	made  int               // number of responses created
	kept  map[string]stored // by API key and id
	order []string          // keys of kept, oldest first
}

// New returns an Upstream without scripts, which answers every request well.
func New() *Upstream {
	u := &Upstream{mux: http.NewServeMux(), scripts: map[string]Script{}, replies: map[string]Reply{},
		applied: map[string]int{}, counts: map[string]Counters{}, barriers: map[string]*barrier{},
		kept: map[string]stored{}}
	u.mux.HandleFunc("POST /v1/chat/completions", u.complete)
	u.mux.HandleFunc("POST /v1/sink/chat/completions", u.sink)
	u.mux.HandleFunc("POST /v1/responses", u.respond)
	u.mux.HandleFunc("POST /v1/embeddings", u.embed)
	u.mux.HandleFunc("POST /v1/messages", u.replyTo(modelInBody))
	u.mux.HandleFunc("POST /v1/models/{call}", u.replyTo(modelInPath))
	u.mux.HandleFunc("POST /v1/publishers/google/models/{call}", u.replyTo(modelInPath))
	u.mux.HandleFunc("POST /v1/responses/input_tokens", u.about(counted))
	u.mux.HandleFunc("POST /v1/responses/compact", u.about(compacted))
	u.mux.HandleFunc("GET /v1/responses/{id}", u.aboutStored(itself))
	u.mux.HandleFunc("DELETE /v1/responses/{id}", u.aboutStored(deleted))
	u.mux.HandleFunc("GET /v1/responses/{id}/input_items", u.aboutStored(inputItems))
	u.mux.HandleFunc("POST /v1/responses/{id}/cancel", u.aboutStored(itself))
	u.mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, marshal(object{"object": "list", "data": []any{}}))
	})
	u.routeControl()
	u.routeBills()
	return u
}

// ServeHTTP serves the API under /v1, and the endpoints of a Client.
func (u *Upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) { u.mux.ServeHTTP(w, r) }

// SetScript sets the script for requests with the plain model name. The zero Script restores good answers. It
// also resets the counts of all scripts with Times.
func (u *Upstream) SetScript(model string, s Script) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.scripts[model] = s
	clear(u.applied)
}

// Counters returns the sums over all models.
func (u *Upstream) Counters() (sum Counters) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, c := range u.counts {
		sum.Requests += c.Requests
		sum.Successes += c.Successes
	}
	return sum
}

// Of returns the counters of one plain model name.
func (u *Upstream) Of(model string) Counters {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.counts[model]
}

// Find returns the most recent of the last 256 requests whose body contains text; false if there is none.
func (u *Upstream) Find(text string) (Request, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, r := range slices.Backward(u.recent) {
		if bytes.Contains(r.Body, []byte(text)) {
			return r, true
		}
	}
	return Request{}, false
}

// remember records a request for Find. It drops the oldest requests if there are too many or if their bodies are
// too large.
func (u *Upstream) remember(r Request) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.recent = append(u.recent, r)
	u.size += len(r.Body)
	for len(u.recent) > kept || u.size > keptBytes && len(u.recent) > 1 {
		u.size -= len(u.recent[0].Body)
		u.recent[0] = Request{} // append reuses the array only after it has grown
		u.recent = u.recent[1:]
	}
}

// count adds to the counters of a plain model name.
func (u *Upstream) count(model string, add Counters) {
	u.mu.Lock()
	defer u.mu.Unlock()
	c := u.counts[model]
	u.counts[model] = Counters{c.Requests + add.Requests, c.Successes + add.Successes}
}

// script returns the script of a request. It counts the request if the script has Times.
func (u *Upstream) script(header, model, query string) (Script, error) {
	if header != "" {
		query = header
	}
	s, err := ParseScript(query)
	if err != nil {
		return s, err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if set, ok := u.scripts[model]; ok && query == "" {
		s = set
	}
	if s.Times == 0 {
		return s, nil
	}
	key := model + "?" + query
	u.applied[key]++
	if u.applied[key] > s.Times {
		s = s.withoutFault()
	}
	return s, nil
}

// receive reads and records a request; ok is false if the body cannot be read.
func (u *Upstream) receive(r *http.Request) (body []byte, ok bool) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, false // the client has disconnected
	}
	u.remember(Request{Path: r.URL.Path, Header: r.Header.Clone(), Body: body})
	return body, true
}

// complete answers POST /v1/chat/completions.
func (u *Upstream) complete(w http.ResponseWriter, r *http.Request) {
	body, ok := u.receive(r)
	if !ok {
		return
	}
	if model, stream := modelInBody(r, body); u.reply(w, r, body, model, stream) {
		return
	}
	request, err := parseRequest(body)
	if err != nil {
		writeJSON(w, http.StatusBadRequest, failure(&Script{Type: "invalid_request_error", Message: err.Error()}))
		return
	}
	u.serve(w, r, body, answerTo(request, nil), func(*answer) {})
}

// serve answers by the script. It calls begun just before an answer without a fault.
func (u *Upstream) serve(w http.ResponseWriter, r *http.Request, body []byte, a *answer, begun func(*answer)) {
	model, query := a.request.split()
	if query == "" {
		query = a.request.directive()
	}
	script, err := u.script(r.Header.Get("X-Fakeupstream"), model, query)
	if err != nil {
		writeJSON(w, http.StatusNotImplemented, failure(&Script{Type: "bad_script", Message: err.Error()}))
		return
	}
	u.count(model, Counters{Requests: 1})
	if a.script = &script; !script.Lenient && u.refuse(w, r, body) {
		return
	}
	if script.Fault == "" && script.Status == 0 {
		begun(a)
	}
	if u.answer(w, r, a) {
		u.count(model, Counters{Successes: 1})
	}
}

// sink answers POST /v1/sink/chat/completions. It finds out whether the client requests a stream from the first
// bytes of the body, where its stream field must be.
func (u *Upstream) sink(w http.ResponseWriter, r *http.Request) {
	var head [512]byte
	n, _ := io.ReadFull(r.Body, head[:]) // a body may be shorter
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return // the client has disconnected
	}
	stream := bytes.Contains(head[:n], []byte(`"stream":true`))
	u.answer(w, r, &answer{
		request: &request{Model: "sink", N: 1, Stream: stream}, counts: defaultCounts,
		script: &Script{Chunks: 20, Pace: 3 * time.Second},
	})
}

// answer writes the answer. It reports whether the answer was good and was written completely.
func (u *Upstream) answer(w http.ResponseWriter, r *http.Request, a *answer) bool {
	s := &stream{w: w, r: r, script: a.script, out: http.NewResponseController(w)}
	if a.script.Barrier != "" {
		s.barrier = u.barrier(a.script.Barrier)
	}
	if !s.pause(a.script.Delay) {
		return false
	}
	w.Header().Set("X-Request-Id", "req_upstream_0001")
	w.Header().Set("Openai-Organization", "org-supplier")
	switch a.script.Fault {
	case CutBeforeHeaders:
		panic(http.ErrAbortHandler)
	case StallBeforeHeaders:
		<-r.Context().Done()
		return false
	case ErrorBody:
		writeJSON(w, http.StatusOK, failure(a.script))
		return false
	case Garbage:
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html><body>Welcome to the proxy of this hotel</body></html>")
		return false
	}
	if a.script.Status != 0 && a.script.Status != http.StatusOK {
		if a.script.RetryAfter != "" {
			w.Header().Set("Retry-After", a.script.RetryAfter)
		}
		writeJSON(w, a.script.Status, failure(a.script))
		return false
	}
	if a.request.Stream {
		return s.run(a)
	}
	return s.writeBody(a.json())
}

// writeBody writes a JSON answer, or the part of it that the script's fault lets through.
func (s *stream) writeBody(body []byte) bool {
	switch s.script.Fault {
	case Empty:
		body = nil
	case Cut, Stall:
		s.w.Header().Set("Content-Type", "application/json")
		s.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = s.w.Write(body[:len(body)/2])
		s.flush()
		s.injectFault()
		panic(http.ErrAbortHandler)
	}
	writeJSON(s.w, http.StatusOK, body)
	return s.script.Fault == ""
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// Serve returns an HTTP server for u; the caller calls its Serve or ListenAndServe.
func (u *Upstream) Serve() *http.Server {
	return &http.Server{Handler: u, ReadHeaderTimeout: time.Minute}
}
