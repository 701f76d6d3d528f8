package fakeupstream

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// maxResponses bounds the responses that are kept: beyond it the oldest go.
const maxResponses = 4_096

// response is what a responses answer has beside what a completion has.
type response struct {
	id       string
	previous any // the id it goes on from, nil for none
	store    bool
}

// stored is a response that can be come back to.
type stored struct {
	body  []byte
	input json.RawMessage
}

// responseRequest is what the upstream needs to know of a responses request.
type responseRequest struct {
	Model    string          `json:"model"`
	Input    json.RawMessage `json:"input"`
	Previous string          `json:"previous_response_id"`
	Store    *bool           `json:"store"`
	Stream   bool            `json:"stream"`
	Tools    []struct {
		Type string `json:"type"`
		Name string `json:"name"`
	} `json:"tools"`
	Include []string `json:"include"`
	Text    struct {
		Format struct {
			Type string `json:"type"`
		} `json:"format"`
	} `json:"text"`
}

// parseResponse reads a responses request into what a chat request would be.
func parseResponse(body []byte) (*request, *responseRequest, error) {
	var in responseRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, nil, fmt.Errorf("not a responses request: %w", err)
	}
	r := &request{Model: in.Model, Stream: in.Stream, N: 1, Messages: []message{{Role: "user", Content: in.Input}}}
	r.ResponseFormat.Type = in.Text.Format.Type
	for _, t := range in.Tools {
		if t.Type == "function" {
			var one tool
			one.Function.Name = t.Name
			r.Tools = append(r.Tools, one)
		}
	}
	if strings.Contains(string(in.Input), `"function_call_output"`) {
		r.Tools = nil // the tool has answered
	}
	return r, &in, nil
}

// respond answers POST /v1/responses.
func (u *Upstream) respond(w http.ResponseWriter, r *http.Request) {
	body, ok := u.receive(r)
	if !ok {
		return
	}
	request, in, err := parseResponse(body)
	if err != nil {
		writeJSON(w, http.StatusBadRequest, failure(&Script{Type: "invalid_request_error", Message: err.Error()}))
		return
	}
	if in.Previous != "" && !u.has(r, in.Previous) {
		writeJSON(w, http.StatusBadRequest, marshal(object{"error": object{
			"message": fmt.Sprintf("Previous response with id '%s' not found.", in.Previous), "type": "invalid_request_error",
			"param": "previous_response_id", "code": "previous_response_not_found",
		}}))
		return
	}
	u.serve(w, r, &answer{request: request, response: u.begin(in), counts: request.counts()}, func(a *answer) {
		if a.response.store {
			u.keep(r, a.response.id, stored{a.json(), in.Input})
		}
	})
}

func (u *Upstream) begin(in *responseRequest) *response {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.made++
	r := &response{id: fmt.Sprintf("resp_fake%06d", u.made), store: in.Store == nil || *in.Store}
	if in.Previous != "" {
		r.previous = in.Previous
	}
	return r
}

// owner is whose responses a request may come back to.
func owner(r *http.Request) string { return r.Header.Get("Authorization") }

func (u *Upstream) keep(r *http.Request, id string, s stored) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.order) == maxResponses {
		delete(u.kept, u.order[0])
		u.order = u.order[1:]
	}
	key := owner(r) + " " + id
	u.kept[key] = s
	u.order = append(u.order, key)
}

func (u *Upstream) find(r *http.Request, id string) (stored, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	s, ok := u.kept[owner(r)+" "+id]
	return s, ok
}

func (u *Upstream) has(r *http.Request, id string) bool {
	_, ok := u.find(r, id)
	return ok
}

// stay serves a request for a response that was made before.
func (u *Upstream) stay(answer func(id string, s stored) object) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		u.remember(Request{Path: r.URL.RequestURI(), Header: r.Header.Clone()})
		id := r.PathValue("id")
		s, ok := u.find(r, id)
		if !ok {
			writeJSON(w, http.StatusNotFound, failure(&Script{Type: "invalid_request_error", Message: fmt.Sprintf("Response with id '%s' not found.", id)}))
			return
		}
		if r.Method == http.MethodDelete {
			u.mu.Lock()
			delete(u.kept, owner(r)+" "+id)
			u.mu.Unlock()
		}
		if body := answer(id, s); body != nil {
			writeJSON(w, http.StatusOK, marshal(body))
			return
		}
		writeJSON(w, http.StatusOK, s.body)
	}
}

func itself(string, stored) object { return nil }

func deleted(id string, _ stored) object {
	return object{"id": id, "object": "response", "deleted": true}
}

func inputItems(_ string, s stored) object {
	items := s.input
	if len(items) == 0 || items[0] != '[' {
		items = marshal([]object{{"id": "msg_input0", "type": "message", "role": "user", "status": "completed", "content": []object{{"type": "input_text", "text": items}}}})
	}
	return object{"object": "list", "data": items, "first_id": "msg_input0", "last_id": "msg_input0", "has_more": false}
}

// responseObject returns the response in a state, with what it has said by then.
func (a *answer) responseObject(status string, output []object) object {
	o := object{
		"id": a.response.id, "object": "response", "created_at": created, "status": status, "background": false, "error": nil, "incomplete_details": nil,
		"instructions": nil, "max_output_tokens": nil, "metadata": object{}, "model": a.request.Model, "output": output, "parallel_tool_calls": true,
		"previous_response_id": a.response.previous, "reasoning": object{"effort": nil, "summary": nil}, "service_tier": "default", "store": a.response.store,
		"temperature": 1.0, "text": object{"format": object{"type": "text"}}, "tool_choice": "auto", "tools": []any{}, "top_p": 1.0, "truncation": "disabled",
		"usage": nil, "user": nil,
	}
	if status == "in_progress" {
		return o
	}
	switch a.script.Usage {
	case UsageAbsent:
		delete(o, "usage")
	case UsageNull:
	default:
		o["usage"] = a.responseUsage()
	}
	switch status {
	case "failed":
		o["error"] = object{"code": "server_error", "message": a.message()}
	case "incomplete":
		o["incomplete_details"] = object{"reason": "max_output_tokens"}
	}
	return o
}

func (a *answer) message() string {
	if a.script.Message != "" {
		return a.script.Message
	}
	return "The upstream says no."
}

func (a *answer) responseUsage() object {
	c := a.counts
	return object{
		"input_tokens": c.prompt, "input_tokens_details": object{"cached_tokens": c.cached},
		"output_tokens": c.completion, "output_tokens_details": object{"reasoning_tokens": c.reasoning}, "total_tokens": c.prompt + c.completion,
	}
}

// status is that of the whole answer.
func (a *answer) status() string {
	switch a.script.Fault {
	case Incomplete:
		return "incomplete"
	case FailedFirst, FailedAfter:
		return "failed"
	}
	return "completed"
}

// item returns the one item of the answer, as it ends or, without text, as it begins.
func (a *answer) item(status, text string) object {
	if a.request.callsTool() {
		return object{"id": "fc_fake0001", "type": "function_call", "status": status, "call_id": "call_fake0001", "name": a.request.Tools[0].Function.Name, "arguments": text}
	}
	content := []object{}
	if status != "in_progress" {
		content = append(content, textPart(text))
	}
	return object{"id": "msg_fake0001", "type": "message", "status": status, "role": "assistant", "content": content}
}

func textPart(text string) object {
	return object{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}
}

func (a *answer) responseText() string {
	if a.request.callsTool() {
		return toolArguments
	}
	return a.content()
}

func (a *answer) responseJSON() []byte {
	return marshal(a.responseObject(a.status(), []object{a.item("completed", a.responseText())}))
}

// events are those of one stream, each with its type and the number of its place.
type events struct {
	item, stem string
	frames     [][]byte
}

func (e *events) add(kind string, o object) {
	o["type"], o["sequence_number"] = kind, len(e.frames)
	e.frames = append(e.frames, marshal(o))
}

func (e *events) of(kind string, o object) {
	o["item_id"], o["output_index"] = e.item, 0
	e.add(kind, o)
}

// responseEvents returns the JSON of every event of a stream in the official
// order, and how many of them precede the content.
func (a *answer) responseEvents() (frames [][]byte, head int) {
	e := events{item: "msg_fake0001", stem: "response.output_text"}
	text := a.responseText()
	for _, kind := range []string{"response.created", "response.in_progress"} {
		e.add(kind, object{"response": a.responseObject("in_progress", []object{})})
	}
	e.add("response.output_item.added", object{"output_index": 0, "item": a.item("in_progress", "")})
	if a.request.callsTool() {
		e.item, e.stem = "fc_fake0001", "response.function_call_arguments"
		head = len(e.frames)
		for _, part := range cut(text, 3) {
			e.of(e.stem+".delta", object{"delta": part})
		}
		e.of(e.stem+".done", object{"arguments": text, "name": a.request.Tools[0].Function.Name})
	} else {
		head = a.speak(&e, text)
	}
	e.add("response.output_item.done", object{"output_index": 0, "item": a.item("completed", text)})
	e.add("response."+a.status(), object{"response": a.responseObject(a.status(), []object{a.item("completed", text)})})
	return e.frames, head
}

// speak adds the events of a message's text, and returns how many precede it.
func (a *answer) speak(e *events, text string) (head int) {
	e.of("response.content_part.added", object{"content_index": 0, "part": textPart("")})
	head = len(e.frames)
	if a.script.Frames == FramesBig {
		e.of(e.stem+".delta", object{"content_index": 0, "delta": strings.Repeat("x", bigFrame), "logprobs": []any{}})
	}
	for _, part := range cut(text, a.script.chunks()) {
		e.of(e.stem+".delta", object{"content_index": 0, "delta": part, "logprobs": []any{}})
	}
	e.of(e.stem+".done", object{"content_index": 0, "text": text, "logprobs": []any{}})
	e.of("response.content_part.done", object{"content_index": 0, "part": textPart(text)})
	return head
}

// streamFailure is the data of an error in a stream: of responses an event.
func (a *answer) streamFailure() []byte {
	if a.response == nil {
		return failure(a.script)
	}
	return marshal(object{"type": "error", "code": "server_error", "message": a.message(), "param": nil, "sequence_number": 0})
}

// failedFirst are the events of a response that fails once it is created.
func (a *answer) failedFirst() [][]byte {
	e := events{}
	e.add("response.created", object{"response": a.responseObject("in_progress", []object{})})
	e.add("response.failed", object{"response": a.responseObject("failed", []object{})})
	return e.frames
}
