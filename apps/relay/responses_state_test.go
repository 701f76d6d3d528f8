package relay_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/metering"
)

// responsesUpstream is an upstream of the dialect responses. It records the requests and makes responses with
// ids of its own.
type responsesUpstream struct {
	name string

	mu       sync.Mutex
	received []sentRequest
	fails    bool
}

// sentRequest is a request that the upstream received.
type sentRequest struct{ method, path, query, key, body string }

func (k *responsesUpstream) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	k.mu.Lock()
	k.received = append(k.received, sentRequest{r.Method, r.URL.Path, r.URL.RawQuery,
		strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), string(body)})
	n, fails := len(k.received), k.fails
	k.mu.Unlock()
	id := "resp_" + k.name
	var request struct {
		Stream   bool
		Previous *string `json:"previous_response_id"`
	}
	_ = json.Unmarshal(body, &request)
	previous, _ := json.Marshal(request.Previous)
	thought := `{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"secret of ` + k.name + `"},`
	whole := strings.Replace(responseObject(fmt.Sprintf("%s_%d", id, n), "completed", thought+messageItem,
		","+responseUsage),
		`"previous_response_id":null`, `"previous_response_id":`+string(previous), 1)
	switch {
	case fails:
		status(500, `{}`)(w, r)
	case strings.HasSuffix(r.URL.Path, "/compact"):
		status(200, compacted(k.name))(w, r)
	case strings.HasSuffix(r.URL.Path, "/input_tokens"):
		status(200, `{"object":"response.input_tokens", "input_tokens":17,"more":1.50}`)(w, r)
	case r.Method == http.MethodDelete:
		status(200, `{"id":"`+id+`_1","object":"response","deleted":true}`)(w, r)
	case strings.HasSuffix(r.URL.Path, "/input_items"):
		status(200,
			`{"object":"list","data":[{"id":"msg_0","type":"message","role":"user","content":[{"type":"input_text","text":"hello"}]}],"first_id":"msg_0","last_id":"msg_0","has_more":false}`)(w, r)
	case strings.HasSuffix(r.URL.Path, "/resp_gone"):
		status(404,
			`{"error":{"message":"Response with id 'resp_gone' not found.","type":"invalid_request_error","param":null,"code":null}}`)(w, r)
	case r.Method == http.MethodGet && r.URL.Query().Get("stream") == "true":
		k.resume(w, r)
	case request.Stream:
		stream(w, eventsBefore,
			event(2, "response.output_item.done", `"output_index":0,"item":`+strings.TrimSuffix(thought, ",")),
			state(3, "completed", whole))
	default:
		status(200, whole)(w, r)
	}
}

func (k *responsesUpstream) fail(fails bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.fails = fails
}

func (k *responsesUpstream) requests() []sentRequest {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]sentRequest(nil), k.received...)
}

func (k *responsesUpstream) latest() sentRequest {
	all := k.requests()
	if len(all) == 0 {
		return sentRequest{}
	}
	return all[len(all)-1]
}

// newResponsesUpstreams returns a relay with two channels and their upstreams, which store responses.
func newResponsesUpstreams(t *testing.T) (h *testRelay, first, second *responsesUpstream) {
	t.Helper()
	h = newRelayWith(t, strings.Replace(responsesManifest, `api_keys: ["sk-first-channel-key"]`,
		`api_keys: ["sk-first-channel-key", "sk-other-channel-key"]`, 1))
	first, second = &responsesUpstream{name: "first"}, &responsesUpstream{name: "second"}
	h.setUpstreams(first.serve, second.serve)
	return h, first, second
}

// create creates a response and returns it.
func (h *testRelay) create(bearer, extra string) response {
	h.t.Helper()
	got := h.respond(bearer, extra)
	if got.status != 200 {
		h.t.Fatalf("got %d %s, want 200", got.status, got.body)
	}
	if strings.Contains(extra, `"stream":true`) {
		return lastEvent(h.t, got.body).Response
	}
	return parse(h.t, got.body)
}

// continuing returns the member that continues a response.
func continuing(id string) string { return fmt.Sprintf(`,"previous_response_id":%q`, id) }

func TestFollowUp_GoesToTheChannelThatMadeTheResponse(t *testing.T) {
	for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			h, first, second := newResponsesUpstreams(t)
			first.fail(true)
			made := h.create(token, extra)
			first.fail(false)
			tried := len(first.requests())
			next := h.create(token, continuing(made.ID)+extra)
			if sent := second.latest().body; !strings.Contains(sent, `"previous_response_id":"resp_`) ||
				strings.Contains(sent, made.ID) {
				t.Errorf("the upstream received %s", sent)
			}
			if next.Previous == nil || *next.Previous != made.ID {
				t.Errorf("previous response: got %v, want %s", next.Previous, made.ID)
			}
			second.fail(true)
			if got := h.respond(token, continuing(next.ID)+extra); got.status != 502 {
				t.Errorf("got %d %s, want 502", got.status, got.body)
			}
			if len(first.requests()) != tried {
				t.Errorf("the other channel received the follow-up")
			}
		})
	}
}

func TestFollowUp_UsesTheCredentialThatMadeTheResponse(t *testing.T) {
	h, first, _ := newResponsesUpstreams(t)
	made := h.create(token, "")
	key := first.latest().key
	for range 4 {
		made = h.create(token, continuing(made.ID))
		if got := first.latest().key; got != key {
			t.Errorf("credential: got %s, want %s", got, key)
		}
	}
}

func TestFollowUp_IsUnknownWithAForeignID(t *testing.T) {
	h, first, second := newResponsesUpstreams(t)
	made := h.create(token, "")
	before := len(first.requests())
	other := []byte(made.ID)
	other[len(other)/2] ^= 1
	for name, c := range map[string]struct{ bearer, id string }{
		"an id of another tenant":    {smallToken, made.ID},
		"a modified id":              {token, string(other)},
		"an id of the upstream":      {token, "resp_first_1"},
		"an empty id":                {token, "resp_"},
		"an id of a chat completion": {token, "chatcmpl-1"},
		"a very long id":             {token, "resp_" + strings.Repeat("A", 10_000)},
	} {
		t.Run(name, func(t *testing.T) {
			param := "previous_response_id"
			got := h.respond(c.bearer, continuing(c.id))
			if got.status != 400 || got.header.Get("X-Should-Retry") != "false" {
				t.Errorf("got %d %s", got.status, got.body)
			}
			checkEnvelope(t, got.body, "invalid_request_error", "previous_response_not_found", &param)
			for _, operation := range []struct{ method, path string }{{"GET", ""}, {"DELETE", ""},
				{"GET", "/input_items"}, {"POST", "/cancel"}} {
				got := h.do(operation.method, responses+"/"+c.id+operation.path, c.bearer, "")
				if got.status != 404 {
					t.Errorf("%s %s: got %d %s, want 404", operation.method, operation.path, got.status, got.body)
				}
				checkEnvelope(t, got.body, "invalid_request_error", "response_not_found", nil)
			}
		})
	}
	if len(first.requests()) != before || len(second.requests()) != 0 {
		t.Error("an upstream received a request")
	}
}

func TestResponse_OperationsGoToItsChannel(t *testing.T) {
	h, first, _ := newResponsesUpstreams(t)
	made := h.create(token, "")
	key := first.latest().key
	at := responses + "/" + made.ID

	got := h.do("GET", at+"?include=reasoning.encrypted_content", token, "")
	if r := parse(t, got.body); got.status != 200 || r.ID != made.ID || r.OutputText == nil ||
		*r.OutputText != "hi there" || !strings.HasPrefix(r.Output[0].Encrypted, "tg1.") {
		t.Errorf("got %d %s", got.status, got.body)
	}
	if a := first.latest(); a.path != "/v1/responses/resp_first_1" ||
		a.query != "include=reasoning.encrypted_content" || a.key != key {
		t.Errorf("the upstream received %+v", a)
	}
	if c := got.header.Get("X-Tollgate-Channel"); c != "first" {
		t.Errorf("X-Tollgate-Channel: got %q, want first", c)
	}
	got = h.do("GET", at+"/input_items?limit=1&order=asc", token, "")
	if got.status != 200 || !strings.Contains(unmarked(got.body), `"first_id":"msg_0"`) ||
		first.latest().query != "limit=1&order=asc" {
		t.Errorf("got %d %s from %+v", got.status, got.body, first.latest())
	}
	got = h.do("POST", at+"/cancel", token, "")
	if r := parse(t, got.body); got.status != 200 || r.ID != made.ID ||
		first.latest().path != "/v1/responses/resp_first_1/cancel" {
		t.Errorf("got %d %s", got.status, got.body)
	}
	got = h.do("DELETE", at, token, "")
	if want := `{"id":"` + made.ID + `","object":"response","deleted":true}`; got.status != 200 || got.body != want {
		t.Errorf("got %d %s, want %s", got.status, got.body, want)
	}
	h.logOf("")
	if logs, err := h.store.Metering.UsageLogs(t.Context(), tenant.SystemScope("test"), metering.LogQuery{}); err !=
		nil || len(logs.Items) != 1 {
		t.Errorf("got %d usage logs, error %v, want only that of the call", len(logs.Items), err)
	}
}

func TestResponse_OperationsReturnErrors(t *testing.T) {
	h, first, _ := newResponsesUpstreams(t)
	at := responses + "/" + h.create(token, "").ID
	got := h.do("GET", at, "", "")
	checkEnvelope(t, got.body, "invalid_request_error", "invalid_api_key", nil)

	first.fail(true)
	got = h.do("GET", at, token, "")
	checkEnvelope(t, got.body, "upstream_error", "upstream_error", nil)

	for name, body := range map[string]struct {
		status     int
		body, kind string
		code       string
	}{
		"the upstream has deleted the response": {404,
			`{"error":{"message":"Response with id 'resp_first_1' not found.","type":"invalid_request_error"}}`,
			"invalid_request_error", "response_not_found"},
		"the upstream refuses the request": {400,
			`{"error":{"message":"resp_first_1 cannot be cancelled by sk-first-channel-key","type":"invalid_request_error","param":null,"code":null}}`, "invalid_request_error", ""},
		"the credential is refused":    {401, `{}`, "upstream_error", "upstream_error"},
		"the upstream is busy":         {429, `{}`, "rate_limit_error", "rate_limit_exceeded"},
		"an HTML page instead of JSON": {200, `<html>`, "upstream_error", "upstream_error"},
		"an incomplete answer":         {200, `{"id":`, "upstream_error", "upstream_error"},
		"an empty answer":              {200, ``, "upstream_error", "upstream_error"},
	} {
		t.Run(name, func(t *testing.T) {
			h.serveFirst(status(body.status, body.body))
			got := h.do("POST", at+"/cancel", token, "")
			if got.status == 200 || strings.Contains(got.body, "resp_first") || strings.Contains(got.body, "sk-first") {
				t.Errorf("got %d %s", got.status, got.body)
			}
			checkEnvelope(t, got.body, body.kind, body.code, nil)
		})
	}
}

func TestFollowUp_IsRefusedWhenTheChannelIsDisabled(t *testing.T) {
	h, first, second := newResponsesUpstreams(t)
	made := h.create(token, "")
	before := len(first.requests())
	h.disable("first", "flat")
	got := h.respond(token, continuing(made.ID))
	if got.status != 503 {
		t.Errorf("got %d %s, want 503", got.status, got.body)
	}
	checkEnvelope(t, got.body, "server_error", "no_channel_available", nil)
	got = h.do("GET", responses+"/"+made.ID, token, "")
	checkEnvelope(t, got.body, "server_error", "no_channel_available", nil)
	if len(first.requests()) != before || len(second.requests()) != 0 {
		t.Error("an upstream received a request")
	}
	if r := h.create(token, ""); len(second.requests()) != 1 || r.ID == "" {
		t.Error("a new response was not made by the other channel")
	}
}

// disable disables a channel and waits until the relay has applied it. model must be served by that channel
// only: it then disappears.
func (h *testRelay) disable(name, model string) {
	h.t.Helper()
	scope := tenant.SystemScope("test")
	snapshot, err := h.store.Catalog.Snapshot(h.t.Context(), scope)
	if err != nil {
		h.t.Fatal(err)
	}
	off := tenant.Disabled
	for _, channel := range snapshot.Channels() {
		if channel.Name != name {
			continue
		}
		if _, err := h.store.Catalog.UpdateChannel(h.t.Context(), scope, channel.ID,
			catalogdb.ChannelPatch{Status: &off}); err != nil {
			h.t.Fatal(err)
		}
	}
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); <-poll.C {
		if h.do(http.MethodGet, "/v1/models/"+model, token, "").status == 404 {
			return
		}
	}
	h.t.Fatalf("the relay did not disable %s in time", name)
}

func TestEncryptedContent_GoesToTheChannelThatMadeIt(t *testing.T) {
	for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			h, first, second := newResponsesUpstreams(t)
			first.fail(true)
			made := h.create(token, extra)
			first.fail(false)
			tagged := made.Output[0].Encrypted
			if !strings.HasPrefix(tagged, "tg1.") || !strings.HasSuffix(tagged, ".secret of second") {
				t.Fatalf("encrypted content: got %q", tagged)
			}
			tried := len(first.requests())
			input :=
				fmt.Sprintf(
					`{"model":"cheap","input":[{"type":"message","role":"user","content":"hi"},{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":%q}]}`, tagged)
			got := h.do("POST", responses, token, input)
			if got.status != 200 || len(first.requests()) != tried {
				t.Fatalf("got %d %s", got.status, got.body)
			}
			// The relay did not give this id.
			want := strings.NewReplacer(tagged, "secret of second", `"id":"rs_1",`, "").Replace(input)
			if second.latest().body != want {
				t.Errorf("the channel received\n%s\nwant\n%s", second.latest().body, want)
			}

			param := "input[1].encrypted_content"
			got = h.do("POST", responses, smallToken,
				strings.Replace(input, `"model"`, `"max_output_tokens":5,"model"`, 1))
			if got.status != 400 {
				t.Errorf("another tenant: got %d %s, want 400", got.status, got.body)
			}
			checkEnvelope(t, got.body, "invalid_request_error", "invalid_type", &param)

			plain := strings.Replace(input, tagged, "made elsewhere", 1)
			if got = h.do("POST", responses, token, plain); got.status != 200 {
				t.Errorf("content without a tag: got %d %s", got.status, got.body)
			}
			h.disable("second", "orphan")
			if got = h.do("POST", responses, token, input); got.status != 200 ||
				got.header.Get("X-Tollgate-Channel") != "first" {
				t.Errorf("with its channel disabled: got %d %s", got.status, got.body)
			}
		})
	}
}

func TestFollowUp_HoldsQuotaForThePreviousResponse(t *testing.T) {
	h, _, _ := newResponsesUpstreams(t)
	// 0.001 USD pays for about 7,800 input tokens; a response has 1,500 tokens here.
	cap := `,"max_output_tokens":16`
	made := h.create(smallToken, cap)
	log := h.logOf("")
	if log.Outcome != usage.Success || log.Quota != 382_500 {
		t.Fatalf("usage log: got %+v", log)
	}
	// The 0.0006175 USD that are left pay for this text alone, but not together with the previous response.
	long := strings.Replace(cap, `16`, `16,"instructions":"`+strings.Repeat("x", 3_300)+`"`, 1)
	if got := h.respond(smallToken, long+continuing(made.ID)); got.status != 429 {
		t.Errorf("with the previous response: got %d %s, want 429", got.status, got.body)
	}
	if got := h.respond(smallToken, long); got.status != 200 {
		t.Errorf("without a previous response: got %d %s, want 200", got.status, got.body)
	}
}
