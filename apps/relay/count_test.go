package relay_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/metering"
)

const inputTokens = responses + "/input_tokens"

// count counts the tokens of a request for the model cheap with extra members, and returns the number.
func (h *testRelay) count(bearer, extra string) (n int64, from string) {
	h.t.Helper()
	got := h.do("POST", inputTokens, bearer, `{"model":"cheap"`+extra+`}`)
	var counted struct {
		Object string
		Tokens int64 `json:"input_tokens"`
	}
	if err := json.Unmarshal([]byte(got.body), &counted); got.status != 200 || err != nil ||
		counted.Object != "response.input_tokens" {
		h.t.Fatalf("got %d %s, want a count", got.status, got.body)
	}
	return counted.Tokens, got.header.Get("X-Tollgate-Channel")
}

// expectLogs checks the number of usage logs. The caller waits for the last one.
func (h *testRelay) expectLogs(want int) {
	h.t.Helper()
	if logs, err := h.store.Metering.UsageLogs(h.t.Context(), tenant.SystemScope("test"), metering.LogQuery{}); err !=
		nil || len(logs.Items) != want {
		h.t.Errorf("got %d usage logs, error %v, want %d", len(logs.Items), err, want)
	}
}

func TestCount_AsksAChannelThatSpeaksResponses(t *testing.T) {
	h, first, _ := newResponsesUpstreams(t)
	got := h.do("POST", inputTokens, token, `{"model":"cheap", "input":"hello","unknown":1.50}`)
	if want := `{"object":"response.input_tokens", "input_tokens":17,"more":1.50}`; got.status != 200 ||
		got.body != want {
		t.Errorf("got %d %s, want %s", got.status, got.body, want)
	}
	sent := first.latest()
	if sent.method != "POST" || sent.path != "/v1/responses/input_tokens" ||
		sent.body != `{"model":"cheap", "input":"hello","unknown":1.50}` || !strings.HasPrefix(sent.key, "sk-") {
		t.Errorf("the upstream received %+v", sent)
	}
	if got.header.Get("X-Tollgate-Channel") != "first" || got.header.Get("X-Tollgate-Quota") != "" {
		t.Errorf("headers: got %v", got.header)
	}

	made := h.create(token, "")
	for range 3 {
		h.count(token, continuing(made.ID))
		if counted := first.latest(); counted.key != first.requests()[1].key ||
			counted.body != `{"model":"cheap","previous_response_id":"resp_first_2"}` {
			t.Errorf("the upstream received %+v", counted)
		}
	}
	h.log(h.respond(token, ""))
	h.expectLogs(2)
}

func TestCount_EstimatesWhereNoChannelCanCount(t *testing.T) {
	chatOnly, _ := newChatOnly(t)
	missing := func(code int, body string) *testRelay {
		h := newResponsesRelay(t)
		h.setUpstreams(status(code, body), status(code, body))
		return h
	}
	for name, h := range map[string]*testRelay{
		"no channel speaks responses": chatOnly,
		"the path is unknown": missing(404,
			`{"error":{"message":"Not Found","type":"invalid_request_error","param":null,"code":null}}`),
		"the path is unknown, without JSON": missing(404, `nothing here`),
		"another method is known":           missing(405, `{"detail":"Method Not Allowed"}`),
		"the path is an invalid URL": missing(400,
			`{"error":{"message":"Invalid URL (POST /v1/responses/input_tokens)","type":"invalid_request_error","param":null,"code":null}}`),
		"the path is not implemented": missing(501, ``),
	} {
		t.Run(name, func(t *testing.T) {
			short, from := h.count(token, `,"input":"hello world"`)
			if short != 2+4+3 || from != "" {
				t.Errorf("got %d tokens from %q, want 9 from the gateway", short, from)
			}
			if long, _ := h.count(token, `,"input":"hello world","instructions":"`+strings.Repeat("hello world ", 500)+
				`"`); long < short+900 || long > short+1_100 {
				t.Errorf("got %d tokens with 1,000 more words", long)
			}
			if none, _ := h.count(token, ""); none != 3 {
				t.Errorf("without an input: got %d tokens, want 3", none)
			}
		})
	}
}

func TestCount_IncludesTheStateThatTheRequestContinues(t *testing.T) {
	h, _ := newChatOnly(t)
	made := h.create(token, `,"instructions":"`+strings.Repeat("not carried over ", 200)+`"`)
	own, _ := h.count(token, `,"input":"hello world"`)
	for name, input := range map[string]string{"with an input": `,"input":"hello world"`, "without one": "",
		"with null": `,"input":null`} {
		whole, from := h.count(token, input+continuing(made.ID))
		// The earlier turn has two messages of one and two words.
		if least := own + 2*4; from != "" || whole > least+10 || input == "" && whole >= least+3 || len(input) > 15 &&
			whole < least+3 {
			t.Errorf("%s: got %d tokens from %q; the input alone has %d", name, whole, from, own)
		}
	}

	native, first, _ := newResponsesUpstreams(t)
	kept := native.create(token, "")
	native.setUpstreams(status(404, `{}`), first.serve)
	if n, _ := native.count(token, `,"input":"hello world"`+continuing(kept.ID)); n < 1_500 || n > 1_520 {
		t.Errorf("got %d tokens, want the 1,500 of the response that the channel stores, and the input", n)
	}
}

func TestCount_TriesTheNextChannel(t *testing.T) {
	for name, broken := range map[string]http.HandlerFunc{
		"after a failure": status(500, `{}`), "after a busy upstream": status(429, `{}`),
		"after a refused credential":      status(401, `{}`),
		"after an answer without a count": status(200, `{"object":"response","output":[]}`),
		"after HTML":                      status(200, `<html>`), "after an unknown path": status(404, `{}`),
	} {
		t.Run(name, func(t *testing.T) {
			h, first, second := newResponsesUpstreams(t)
			h.setUpstreams(broken, second.serve)
			for range 5 {
				if n, from := h.count(token, `,"input":"hello"`); n != 17 || from != "second" {
					t.Errorf("got %d tokens from %q, want 17 from second", n, from)
				}
			}
			// What counting meets says nothing about calls.
			h.setUpstreams(first.serve, second.serve)
			if got := h.respond(token, ""); got.status != 200 || got.header.Get("X-Tollgate-Channel") != "first" {
				t.Errorf("a call afterwards: got %d from %q, want 200 from first", got.status,
					got.header.Get("X-Tollgate-Channel"))
			}
		})
	}
}

func TestCount_ReturnsErrors(t *testing.T) {
	h := newRelayWith(t, responsesManifest, func(c *config.Config) { c.MaxBodyBytes = 1 << 20 })
	h.setUpstreams(respond, respond)
	model, stream, conversation, previous, input := "model", "stream", "conversation", "previous_response_id", "input"
	for name, c := range map[string]struct {
		bearer, body string
		status       int
		kind, code   string
		param        *string
	}{
		"no token": {"", `{"model":"cheap"}`, 401, "invalid_request_error",
			"invalid_api_key", nil},
		"an unknown model": {token, `{"model":"nothing"}`, 404, "invalid_request_error",
			"model_not_found", &model},
		"a model that is not permitted": {token, `{"model":"secret"}`, 404, "invalid_request_error",
			"model_not_found", &model},
		"no model": {token, `{"input":"hello"}`, 400, "invalid_request_error",
			"missing_required_parameter", &model},
		"a stream": {token, `{"model":"cheap","stream":true}`, 400, "invalid_request_error",
			"unsupported_parameter", &stream},
		"a conversation": {token, `{"model":"cheap","conversation":"conv_1"}`, 400,
			"invalid_request_error", "unsupported_parameter", &conversation},
		"an unknown previous response": {token, `{"model":"cheap","previous_response_id":"resp_1"}`, 400,
			"invalid_request_error", "previous_response_not_found", &previous},
		"an input of a wrong type": {token, `{"model":"cheap","input":1}`, 400, "invalid_request_error",
			"invalid_type", &input},
		"a model that no channel serves": {token, `{"model":"off"}`, 404, "invalid_request_error",
			"model_not_found", &model},
		"a body that is too large": {token, `{"model":"cheap","input":"` + strings.Repeat("x", 1<<20) + `"}`, 413,
			"invalid_request_error", "request_too_large", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := h.do("POST", inputTokens, c.bearer, c.body)
			if got.status != c.status {
				t.Errorf("got %d %s, want %d", got.status, got.body, c.status)
			}
			checkEnvelope(t, got.body, c.kind, c.code, c.param)
		})
	}
	refused := status(400,
		`{"error":{"message":"Unknown parameter: 'store' of sk-first-channel-key.","type":"invalid_request_error","param":"store","code":"unknown_parameter"}}`)
	h.setUpstreams(refused, respond)
	store := "store"
	got := h.do("POST", inputTokens, token, `{"model":"cheap","store":true}`)
	if got.status != 400 || strings.Contains(got.body, "sk-first") {
		t.Errorf("a refusal of the upstream: got %d %s", got.status, got.body)
	}
	checkEnvelope(t, got.body, "invalid_request_error", "unknown_parameter", &store)
	h.setUpstreams(status(500, `{}`), status(503, `{}`))
	got = h.do("POST", inputTokens, token, `{"model":"cheap"}`)
	if got.status != 502 {
		t.Errorf("all channels fail: got %d %s, want 502", got.status, got.body)
	}
	h.setUpstreams(status(404,
		`{"error":{"message":"The model 'cheap' does not exist","type":"invalid_request_error","param":null,"code":"model_not_found"}}`), respond)
	if got = h.do("POST", inputTokens, token, `{"model":"cheap"}`); got.status != 502 {
		t.Errorf("the upstream does not know the model: got %d %s, want 502", got.status, got.body)
	}
}

func TestCount_IsFreeForAnAccountThatIsUsedUp(t *testing.T) {
	h := newRelayWith(t, strings.Replace(responsesManifest, `quota: "0.001"`, `quota: "0"`, 1))
	h.serveFirst((&responsesUpstream{name: "first"}).serve)
	if got := h.respond(smallToken, ""); got.status != 429 {
		t.Fatalf("a call: got %d, want 429", got.status)
	}
	if n, _ := h.count(smallToken, `,"input":"`+strings.Repeat("x", 100<<10)+`"`); n != 17 {
		t.Errorf("got %d tokens, want 17", n)
	}
	h.expectLogs(0)
}

func TestCount_CountsAsARequestForTheRateLimits(t *testing.T) {
	h := newLimitedRelay(t, "requests_per_minute: 2, tokens_per_minute: 100000")
	h.serveFirst((&responsesUpstream{name: "first"}).serve)
	for left := range 2 {
		got := h.do("POST", inputTokens, limitedToken, `{"model":"cheap","input":"hello"}`)
		expectHeaders(t, got, map[string]string{"x-ratelimit-remaining-requests": strconv.Itoa(1 - left),
			"x-ratelimit-limit-tokens": "100000"})
		if got.status != 200 {
			t.Errorf("within the limit: got %d %s", got.status, got.body)
		}
	}
	refused := h.do("POST", inputTokens, limitedToken, `{"model":"cheap","input":"hello"}`)
	if refused.status != http.StatusTooManyRequests {
		t.Errorf("beyond the limit: got %d %s", refused.status, refused.body)
	}
	checkEnvelope(t, refused.body, "rate_limit_error", "rate_limit_exceeded", nil)
	if got := h.post(limitedToken, chatBody("cheap", "")); got.status != http.StatusTooManyRequests {
		t.Errorf("a call: got %d, want 429, because counting took the limit", got.status)
	}
}

func TestCount_SendsParametersOfTheChannelOnlyInPlaceOfTheClients(t *testing.T) {
	h := newRelayWith(t,
		strings.Replace(responsesManifest, "priority: 0",
			`settings: {parameters: {"truncation": "auto", "safety_identifier": "acme"}, system_prompt: "Be kind."}, priority: 0`, 1))
	made := &responsesUpstream{name: "first"}
	h.setUpstreams(made.serve, respond)
	h.count(token, `,"input":"hello","truncation":"disabled"`)
	if sent, want := made.latest().body,
		`{"model":"cheap","input":"hello","truncation":"auto","instructions":"Be kind."}`; sent != want {
		t.Errorf("the upstream received %s, want %s", sent, want)
	}
}
