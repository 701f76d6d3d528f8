package fakeupstream

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// maxResponses is the number of stored responses; beyond it the oldest are deleted.
const maxResponses = 4_096

// response holds the data that a responses answer has in addition to a chat completion.
type response struct {
	id       string
	previous any // id of the response that it continues; nil if there is none
	store    bool
}

// stored is a response that can be retrieved or continued.
type stored struct {
	body  []byte
	input json.RawMessage
}

// responseRequest holds the fields of a responses request that affect the answer.
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
	Include   []string `json:"include"`
	MaxOutput *int     `json:"max_output_tokens"`
	Text      struct {
		Format struct {
			Type string `json:"type"`
		} `json:"format"`
	} `json:"text"`
}

// parseResponse parses a responses request, and also returns the chat completion request that is closest to it.
func parseResponse(body []byte) (*request, *responseRequest, error) {
	var in responseRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, nil, fmt.Errorf("not a responses request: %w", err)
	}
	r := &request{Model: in.Model, Stream: in.Stream, N: 1, MaxTokens: in.MaxOutput,
		Messages: []message{{Role: "user", Content: in.Input}}}
	r.ResponseFormat.Type = in.Text.Format.Type
	for _, t := range in.Tools {
		if t.Type == "function" {
			var entry tool
			entry.Function.Name = t.Name
			r.Tools = append(r.Tools, entry)
		}
	}
	if strings.Contains(string(in.Input), `"function_call_output"`) {
		r.Tools = nil // the request has the tool's result, so the answer is text
	}
	return r, &in, nil
}

// respond answers POST /v1/responses.
func (u *Upstream) respond(w http.ResponseWriter, r *http.Request) {
	body, ok := u.receive(r)
	if !ok {
		return
	}
	if model, stream := modelInBody(r, body); u.reply(w, r, body, model, stream) {
		return
	}
	request, in, err := parseResponse(body)
	if err != nil {
		writeJSON(w, http.StatusBadRequest, failure(&Script{Type: "invalid_request_error", Message: err.Error()}))
		return
	}
	if in.Previous != "" && !u.has(r, in.Previous) {
		writeJSON(w, http.StatusBadRequest, marshal(object{"error": object{
			"message": fmt.Sprintf("Previous response with id '%s' not found.", in.Previous),
			"type":    "invalid_request_error",
			"param":   "previous_response_id", "code": "previous_response_not_found",
		}}))
		return
	}
	u.serve(w, r, body, answerTo(request, u.begin(in)), func(a *answer) {
		if a.response.store {
			u.keep(r, a.response.id, stored{a.json(), in.Input})
		}
	})
}

// begin returns a new response with an id that no other response has.
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

// owner returns the key to which stored responses belong: a request with another API key cannot see them.
func owner(r *http.Request) string { return r.Header.Get("Authorization") }

// keep stores a response for the request's API key.
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

// find returns a response that was stored for the request's API key.
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

// aboutStored handles a request about a stored response. answer returns the body; nil: the response itself.
func (u *Upstream) aboutStored(answer func(id string, s stored) object) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		u.remember(Request{Path: r.URL.RequestURI(), Header: r.Header.Clone()})
		id := r.PathValue("id")
		s, ok := u.find(r, id)
		if !ok {
			writeJSON(w, http.StatusNotFound,
				failure(&Script{Type: "invalid_request_error",
					Message: fmt.Sprintf("Response with id '%s' not found.", id)}))
			return
		}
		if r.Method == http.MethodDelete {
			u.mu.Lock()
			delete(u.kept, owner(r)+" "+id)
			u.mu.Unlock()
		}
		if r.URL.Query().Get("stream") == "true" {
			s.resume(w, r.URL.Query().Get("starting_after"))
			return
		}
		if body := answer(id, s); body != nil {
			writeJSON(w, http.StatusOK, marshal(body))
			return
		}
		writeJSON(w, http.StatusOK, s.body)
	}
}

// resume sends the first and the last event of the response's stream, or only those after a sequence number.
func (s stored) resume(w http.ResponseWriter, after string) {
	begun := strings.Replace(string(s.body), `"status":"completed"`, `"status":"in_progress"`, 1)
	w.Header().Set("Content-Type", "text/event-stream")
	for i, event := range []object{
		{"type": "response.created", "sequence_number": 0, "response": json.RawMessage(begun)},
		{"type": "response.completed", "sequence_number": 1, "response": json.RawMessage(s.body)},
	} {
		if after == "" || strconv.Itoa(i) > after {
			// The client may have disconnected.
			_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event["type"], marshal(event))
		}
	}
}

// about handles an operation on the input of a responses request.
func (u *Upstream) about(answer func(in *responseRequest) object) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, ok := u.receive(r)
		if !ok {
			return
		}
		_, in, err := parseResponse(body)
		if err != nil {
			writeJSON(w, http.StatusBadRequest, failure(&Script{Type: "invalid_request_error", Message: err.Error()}))
			return
		}
		writeJSON(w, http.StatusOK, marshal(answer(in)))
	}
}

// counted answers a request to count tokens: with one for each byte of the input.
func counted(in *responseRequest) object {
	return object{"object": "response.input_tokens", "input_tokens": len(in.Input)}
}

// compacted answers a request to compact a conversation. The compaction used 7 input tokens and 13 output tokens.
func compacted(*responseRequest) object {
	return object{
		"id": "resp_fakecompact", "object": "response.compaction", "created_at": created,
		"output": []object{
			{"id": "msg_fake1", "type": "message", "status": "completed", "role": "user",
				"content": []object{{"type": "input_text", "text": "Hello."}}},
			{"id": "cmp_fake1", "type": "compaction", "encrypted_content": "a summary that nobody can read"},
		},
		"usage": object{
			"input_tokens": 7, "input_tokens_details": object{"cached_tokens": 0}, "output_tokens": 13,
			"output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 20,
		},
	}
}

// itself, deleted and inputItems are the answers for aboutStored.
func itself(string, stored) object { return nil }

func deleted(id string, _ stored) object {
	return object{"id": id, "object": "response", "deleted": true}
}

func inputItems(_ string, s stored) object {
	items := s.input
	if len(items) == 0 || items[0] != '[' {
		items = marshal([]object{{"id": "msg_input0", "type": "message", "role": "user", "status": "completed",
			"content": []object{{"type": "input_text", "text": items}}}})
	}
	return object{"object": "list", "data": items, "first_id": "msg_input0", "last_id": "msg_input0", "has_more": false}
}

// responseObject returns the response object with this status and output. Usage is in it from the end on.
func (a *answer) responseObject(status string, output []object) object {
	o := object{
		"id": a.response.id, "object": "response", "created_at": created, "status": status, "background": false,
		"error": nil, "incomplete_details": nil,
		"instructions": nil, "max_output_tokens": nil, "metadata": object{}, "model": a.request.Model, "output": output,
		"parallel_tool_calls":  true,
		"previous_response_id": a.response.previous, "reasoning": object{"effort": nil, "summary": nil},
		"service_tier": a.tier(), "store": a.response.store,
		"temperature": 1.0, "text": object{"format": object{"type": "text"}}, "tool_choice": "auto", "tools": []any{},
		"top_p": 1.0, "truncation": "disabled",
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

// message returns the error message of the script.
func (a *answer) message() string {
	if a.script.Message != "" {
		return a.script.Message
	}
	return "The upstream rejects the request."
}

func (a *answer) responseUsage() object {
	c := a.counts
	return object{
		"input_tokens": c.prompt, "input_tokens_details": a.promptDetails(),
		"output_tokens": c.completion, "output_tokens_details": object{"reasoning_tokens": c.reasoning},
		"total_tokens": c.prompt + c.completion,
	}
}

// status returns the final status of the response.
func (a *answer) status() string {
	switch a.script.Fault {
	case Incomplete:
		return "incomplete"
	case FailedFirst, FailedAfter:
		return "failed"
	}
	if a.cut {
		return "incomplete"
	}
	return "completed"
}

// item returns the only output item. With status in_progress it has no content yet.
func (a *answer) item(status, text string) object {
	if a.request.callsTool() {
		return object{"id": "fc_fake0001", "type": "function_call", "status": status, "call_id": "call_fake0001",
			"name": a.request.Tools[0].Function.Name, "arguments": text}
	}
	content := []object{}
	if status != "in_progress" {
		content = append(content, textPart(text))
	}
	return object{"id": "msg_fake0001", "type": "message", "status": status, "role": "assistant", "content": content}
}

// toolItems returns the output items of the tools that the provider ran: searches, each with a page that it opened, and
// code.
func (a *answer) toolItems() (items []object) {
	for i := range a.script.Searches {
		for _, action := range []string{"search", "open_page"} {
			items = append(items, object{"id": fmt.Sprintf("ws_fake%04d_%s", i, action), "type": "web_search_call",
				"status": "completed", "action": object{"type": action}})
		}
	}
	for i := range a.script.Sessions {
		items = append(items, object{"id": fmt.Sprintf("ci_fake%04d", i), "type": "code_interpreter_call",
			"status": "completed", "container_id": fmt.Sprintf("cntr_fake%04d", i), "code": "1+1", "outputs": nil})
	}
	return items
}

func textPart(text string) object {
	return object{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}
}

// responseText returns the text of the message, or the arguments of the tool call.
func (a *answer) responseText() string {
	if a.request.callsTool() {
		return toolArguments
	}
	return a.content()
}

func (a *answer) responseJSON() []byte {
	return marshal(a.responseObject(a.status(), append(a.toolItems(), a.item("completed", a.responseText()))))
}

// events collects the events of one stream. add sets each event's type and sequence number.
type events struct {
	item, stem string
	index      int // of the output item
	frames     [][]byte
}

// add appends an event of the type kind.
func (e *events) add(kind string, o object) {
	o["type"], o["sequence_number"] = kind, len(e.frames)
	e.frames = append(e.frames, marshal(o))
}

// of appends an event that concerns the output item.
func (e *events) of(kind string, o object) {
	o["item_id"], o["output_index"] = e.item, e.index
	e.add(kind, o)
}

// responseEvents returns the JSON of every event of a stream in the official order. head is the number of
// events before the first content event.
func (a *answer) responseEvents() (frames [][]byte, head int) {
	e := events{item: "msg_fake0001", stem: "response.output_text"}
	text := a.responseText()
	for _, kind := range []string{"response.created", "response.in_progress"} {
		e.add(kind, object{"response": a.responseObject("in_progress", []object{})})
	}
	tools := a.toolItems()
	for i, item := range tools {
		e.add("response.output_item.done", object{"output_index": i, "item": item})
	}
	e.index = len(tools)
	e.add("response.output_item.added", object{"output_index": e.index, "item": a.item("in_progress", "")})
	if a.request.callsTool() {
		e.item, e.stem = "fc_fake0001", "response.function_call_arguments"
		head = len(e.frames)
		for _, part := range cut(text, 3) {
			e.of(e.stem+".delta", object{"delta": part})
		}
		e.of(e.stem+".done", object{"arguments": text, "name": a.request.Tools[0].Function.Name})
	} else {
		head = a.addText(&e, text)
	}
	e.add("response.output_item.done", object{"output_index": e.index, "item": a.item("completed", text)})
	e.add("response."+a.status(),
		object{"response": a.responseObject(a.status(), append(tools, a.item("completed", text)))})
	return e.frames, head
}

// addText adds the events of a message's text. It returns the number of events before the first content event.
func (a *answer) addText(e *events, text string) (head int) {
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

// streamFailure returns the data of the frame or event that reports an error in a stream.
func (a *answer) streamFailure() []byte {
	if a.response == nil {
		return failure(a.script)
	}
	return marshal(object{"type": "error", "code": "server_error", "message": a.message(), "param": nil,
		"sequence_number": 0})
}

// failedFirst returns the events of a response that fails right after it was created.
func (a *answer) failedFirst() [][]byte {
	e := events{}
	e.add("response.created", object{"response": a.responseObject("in_progress", []object{})})
	e.add("response.failed", object{"response": a.responseObject("failed", []object{})})
	return e.frames
}
