package responsetest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// ChatUpstream is an upstream that speaks only chat. It records the messages that it receives and numbers its
// answers. It calls a function when the last message is "call it".
type ChatUpstream struct {
	mu       sync.Mutex
	requests [][]Message
}

// Message is a message that the upstream received: its role, and its text or its calls.
type Message struct{ Role, Text string }

// Serve answers a chat request.
func (s *ChatUpstream) Serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var request struct {
		Stream   bool
		Messages []struct {
			Role    string
			Content any
			Call    string `json:"tool_call_id"`
			Calls   []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
	}
	_ = json.Unmarshal(body, &request)
	var messages []Message
	for _, m := range request.Messages {
		text := ""
		if m.Content != nil {
			text = fmt.Sprint(m.Content)
		}
		for _, c := range m.Calls {
			text += c.ID + "=" + c.Function.Name + c.Function.Arguments
		}
		if m.Call != "" {
			text = m.Call + ":" + text
		}
		messages = append(messages, Message{m.Role, text})
	}
	s.mu.Lock()
	s.requests = append(s.requests, messages)
	n := len(s.requests)
	s.mu.Unlock()

	delta, finish := fmt.Sprintf(`{"role":"assistant","content":"answer %d"}`, n), "stop"
	if messages[len(messages)-1].Text == "call it" {
		delta, finish =
			`{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}`, "tool_calls"
	}
	usage := `"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}`
	if !request.Stream {
		relaytest.Status(200,
			fmt.Sprintf(
				`{"id":"c1","object":"chat.completion","created":1,"model":"cheap","choices":[{"index":0,"message":%s,"finish_reason":%q}],%s}`, delta, finish, usage))(w, r)
		return
	}
	chunk := `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"cheap","choices":[%s]%s}` + "\n\n"
	relaytest.Stream(w, fmt.Sprintf(chunk, `{"index":0,"delta":`+delta+`,"finish_reason":null}`, ""),
		fmt.Sprintf(chunk, fmt.Sprintf(`{"index":0,"delta":{},"finish_reason":%q}`, finish), ""),
		fmt.Sprintf(chunk, "", ","+usage), relaytest.Done)
}

// Latest returns the messages of the last request.
func (s *ChatUpstream) Latest() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[len(s.requests)-1]
}

// NewChatOnly returns a relay whose model cheap is served by a channel that speaks only chat.
func NewChatOnly(t *testing.T, change ...func(*config.Config)) (*relaytest.Relay, *ChatUpstream) {
	t.Helper()
	return NewChatOnlyOn(t, storetest.SQLite(t), change...)
}

// NewChatOnlyOn does the same as NewChatOnly, on the database at url.
func NewChatOnlyOn(t *testing.T, url string, change ...func(*config.Config)) (*relaytest.Relay, *ChatUpstream) {
	t.Helper()
	h, s := relaytest.NewOn(t, url, relaytest.Manifest, change...), &ChatUpstream{}
	h.ServeFirst(s.Serve)
	return h, s
}

// Upstream is an upstream of the dialect responses. It records the requests and makes responses with
// ids of its own.
type Upstream struct {
	Name string

	mu       sync.Mutex
	requests []Request
	fails    bool
}

// Request is a request that the upstream received.
type Request struct{ Method, Path, Query, Key, Body string }

// Serve answers every operation of the Responses API.
func (k *Upstream) Serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	k.mu.Lock()
	k.requests = append(k.requests, Request{r.Method, r.URL.Path, r.URL.RawQuery,
		strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), string(body)})
	n, fails := len(k.requests), k.fails
	k.mu.Unlock()
	id := "resp_" + k.Name
	var request struct {
		Stream   bool
		Previous *string `json:"previous_response_id"`
	}
	_ = json.Unmarshal(body, &request)
	previous, _ := json.Marshal(request.Previous)
	thought := `{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"secret of ` + k.Name + `"},`
	object := strings.Replace(Object(fmt.Sprintf("%s_%d", id, n), "completed", thought+MessageItem,
		","+Usage),
		`"previous_response_id":null`, `"previous_response_id":`+string(previous), 1)
	switch {
	case fails:
		relaytest.Status(500, `{}`)(w, r)
	case strings.HasSuffix(r.URL.Path, "/compact"):
		relaytest.Status(200, Compacted(k.Name))(w, r)
	case strings.HasSuffix(r.URL.Path, "/input_tokens"):
		relaytest.Status(200, `{"object":"response.input_tokens", "input_tokens":17,"more":1.50}`)(w, r)
	case r.Method == http.MethodDelete:
		relaytest.Status(200, `{"id":"`+id+`_1","object":"response","deleted":true}`)(w, r)
	case strings.HasSuffix(r.URL.Path, "/input_items"):
		relaytest.Status(200,
			`{"object":"list","data":[{"id":"msg_0","type":"message","role":"user","content":[{"type":"input_text","text":"hello"}]}],"first_id":"msg_0","last_id":"msg_0","has_more":false}`)(w, r)
	case strings.HasSuffix(r.URL.Path, "/resp_gone"):
		relaytest.Status(404,
			`{"error":{"message":"Response with id 'resp_gone' not found.","type":"invalid_request_error","param":null,"code":null}}`)(w, r)
	case r.Method == http.MethodGet && r.URL.Query().Get("stream") == "true":
		k.Resume(w, r)
	case request.Stream:
		relaytest.Stream(w, EventsBefore,
			Event(2, "response.output_item.done", `"output_index":0,"item":`+strings.TrimSuffix(thought, ",")),
			State(3, "completed", object))
	default:
		relaytest.Status(200, object)(w, r)
	}
}

// Fail sets whether the upstream answers every request with an error.
func (k *Upstream) Fail(fails bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.fails = fails
}

// Requests returns all requests that the upstream received.
func (k *Upstream) Requests() []Request {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]Request(nil), k.requests...)
}

// Latest returns the last request that the upstream received, and a Request without values if there is none.
func (k *Upstream) Latest() Request {
	requests := k.Requests()
	if len(requests) == 0 {
		return Request{}
	}
	return requests[len(requests)-1]
}

// NewUpstreams returns a relay with two channels and their upstreams, which store responses.
func NewUpstreams(t *testing.T) (h *relaytest.Relay, first, second *Upstream) {
	t.Helper()
	h = relaytest.NewWith(t, strings.Replace(Manifest, `api_keys: ["sk-first-channel-key"]`,
		`api_keys: ["sk-first-channel-key", "sk-other-channel-key"]`, 1))
	first, second = &Upstream{Name: "first"}, &Upstream{Name: "second"}
	h.SetUpstreams(first.Serve, second.Serve)
	return h, first, second
}

// Resume sends the stream of a response that the upstream stores, after the event with the number starting_after.
func (k *Upstream) Resume(w http.ResponseWriter, r *http.Request) {
	after := -1
	if text := r.URL.Query().Get("starting_after"); text != "" {
		after, _ = strconv.Atoi(text)
	}
	events := strings.ReplaceAll(EventsWhole, "resp_up", "resp_"+k.Name+"_1")
	relaytest.Stream(w, strings.SplitAfter(events, "\n\n")[min(after+1, 9):]...)
}
