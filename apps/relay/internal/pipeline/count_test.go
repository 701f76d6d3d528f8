package pipeline_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest/responsetest"
	"github.com/tollgate/tollgate/libs/config"
)

// countTokens counts the tokens of a request for the model cheap with extra members, and returns the number.
func countTokens(h *relaytest.Relay, bearer, extra string) (n int64, from string) {
	h.T.Helper()
	got := h.Do("POST", responsetest.InputTokensPath, bearer, `{"model":"cheap"`+extra+`}`)
	var counted struct {
		Object string
		Tokens int64 `json:"input_tokens"`
	}
	if err := json.Unmarshal([]byte(got.Body), &counted); got.Status != 200 || err != nil ||
		counted.Object != "response.input_tokens" {
		h.T.Fatalf("got %d %s, want a count", got.Status, got.Body)
	}
	return counted.Tokens, got.Header.Get("X-Tollgate-Channel")
}

func TestCount_AsksAChannelThatSpeaksResponses(t *testing.T) {
	h, first, _ := responsetest.NewUpstreams(t)
	got := h.Do("POST", responsetest.InputTokensPath, token, `{"model":"cheap", "input":"hello","unknown":1.50}`)
	if want := `{"object":"response.input_tokens", "input_tokens":17,"more":1.50}`; got.Status != 200 ||
		got.Body != want {
		t.Errorf("got %d %s, want %s", got.Status, got.Body, want)
	}
	sent := first.Latest()
	if sent.Method != "POST" || sent.Path != "/v1/responses/input_tokens" ||
		sent.Body != `{"model":"cheap", "input":"hello","unknown":1.50}` || !strings.HasPrefix(sent.Key, "sk-") {
		t.Errorf("the upstream received %+v", sent)
	}
	if got.Header.Get("X-Tollgate-Channel") != "first" || got.Header.Get("X-Tollgate-Quota") != "" {
		t.Errorf("headers: got %v", got.Header)
	}

	made := responsetest.Create(h, token, "")
	for range 3 {
		countTokens(h, token, responsetest.Continuing(made.ID))
		if counted := first.Latest(); counted.Key != first.Requests()[1].Key ||
			counted.Body != `{"model":"cheap","previous_response_id":"resp_first_2"}` {
			t.Errorf("the upstream received %+v", counted)
		}
	}
	h.Log(responsetest.Post(h, token, ""))
	h.ExpectLogs(2)
}

func TestCount_EstimatesWhereNoChannelCanCount(t *testing.T) {
	chatOnly, _ := responsetest.NewChatOnly(t)
	missing := func(code int, body string) *relaytest.Relay {
		h := responsetest.New(t)
		h.SetUpstreams(relaytest.Status(code, body), relaytest.Status(code, body))
		return h
	}
	for name, h := range map[string]*relaytest.Relay{
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
			short, from := countTokens(h, token, `,"input":"hello world"`)
			if short != 2+4+3 || from != "" {
				t.Errorf("got %d tokens from %q, want 9 from the gateway", short, from)
			}
			if long, _ := countTokens(h, token, `,"input":"hello world","instructions":"`+strings.Repeat("hello world ", 500)+
				`"`); long < short+900 || long > short+1_100 {
				t.Errorf("got %d tokens with 1,000 more words", long)
			}
			if none, _ := countTokens(h, token, ""); none != 3 {
				t.Errorf("without an input: got %d tokens, want 3", none)
			}
		})
	}
}

func TestCount_IncludesTheStateThatTheRequestContinues(t *testing.T) {
	h, _ := responsetest.NewChatOnly(t)
	made := responsetest.Create(h, token, `,"instructions":"`+strings.Repeat("not carried over ", 200)+`"`)
	own, _ := countTokens(h, token, `,"input":"hello world"`)
	for name, input := range map[string]string{"with an input": `,"input":"hello world"`, "without one": "",
		"with null": `,"input":null`} {
		whole, from := countTokens(h, token, input+responsetest.Continuing(made.ID))
		// The earlier turn has two messages of one and two words.
		if least := own + 2*4; from != "" || whole > least+10 || input == "" && whole >= least+3 || len(input) > 15 &&
			whole < least+3 {
			t.Errorf("%s: got %d tokens from %q; the input alone has %d", name, whole, from, own)
		}
	}

	native, first, _ := responsetest.NewUpstreams(t)
	kept := responsetest.Create(native, token, "")
	native.SetUpstreams(relaytest.Status(404, `{}`), first.Serve)
	if n, _ := countTokens(native, token, `,"input":"hello world"`+responsetest.Continuing(kept.ID)); n < 1_500 || n > 1_520 {
		t.Errorf("got %d tokens, want the 1,500 of the response that the channel stores, and the input", n)
	}
}

func TestCount_TriesTheNextChannel(t *testing.T) {
	for name, broken := range map[string]http.HandlerFunc{
		"after a failure": relaytest.Status(500, `{}`), "after a busy upstream": relaytest.Status(429, `{}`),
		"after a refused credential":      relaytest.Status(401, `{}`),
		"after an answer without a count": relaytest.Status(200, `{"object":"response","output":[]}`),
		"after HTML":                      relaytest.Status(200, `<html>`), "after an unknown path": relaytest.Status(404, `{}`),
	} {
		t.Run(name, func(t *testing.T) {
			h, first, second := responsetest.NewUpstreams(t)
			h.SetUpstreams(broken, second.Serve)
			for range 5 {
				if n, from := countTokens(h, token, `,"input":"hello"`); n != 17 || from != "second" {
					t.Errorf("got %d tokens from %q, want 17 from second", n, from)
				}
			}
			// What counting meets says nothing about calls.
			h.SetUpstreams(first.Serve, second.Serve)
			if got := responsetest.Post(h, token, ""); got.Status != 200 ||
				got.Header.Get("X-Tollgate-Channel") != "first" {
				t.Errorf("a call afterwards: got %d from %q, want 200 from first", got.Status,
					got.Header.Get("X-Tollgate-Channel"))
			}
		})
	}
}

func TestCount_ReturnsErrors(t *testing.T) {
	h := relaytest.NewWith(t, responsetest.Manifest, func(c *config.Config) { c.MaxBodyBytes = 1 << 20 })
	h.SetUpstreams(responsetest.Respond, responsetest.Respond)
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
			got := h.Do("POST", responsetest.InputTokensPath, c.bearer, c.body)
			if got.Status != c.status {
				t.Errorf("got %d %s, want %d", got.Status, got.Body, c.status)
			}
			relaytest.CheckError(t, got.Body, c.kind, c.code, c.param)
		})
	}
	refused := relaytest.Status(400,
		`{"error":{"message":"Unknown parameter: 'store' of sk-first-channel-key.","type":"invalid_request_error","param":"store","code":"unknown_parameter"}}`)
	h.SetUpstreams(refused, responsetest.Respond)
	store := "store"
	got := h.Do("POST", responsetest.InputTokensPath, token, `{"model":"cheap","store":true}`)
	if got.Status != 400 || strings.Contains(got.Body, "sk-first") {
		t.Errorf("a refusal of the upstream: got %d %s", got.Status, got.Body)
	}
	relaytest.CheckError(t, got.Body, "invalid_request_error", "unknown_parameter", &store)
	h.SetUpstreams(relaytest.Status(500, `{}`), relaytest.Status(503, `{}`))
	got = h.Do("POST", responsetest.InputTokensPath, token, `{"model":"cheap"}`)
	if got.Status != 502 {
		t.Errorf("all channels fail: got %d %s, want 502", got.Status, got.Body)
	}
	h.SetUpstreams(relaytest.Status(404,
		`{"error":{"message":"The model 'cheap' does not exist","type":"invalid_request_error","param":null,"code":"model_not_found"}}`), responsetest.Respond)
	if got = h.Do("POST", responsetest.InputTokensPath, token, `{"model":"cheap"}`); got.Status != 502 {
		t.Errorf("the upstream does not know the model: got %d %s, want 502", got.Status, got.Body)
	}
}

func TestCount_IsFreeForAnAccountThatIsUsedUp(t *testing.T) {
	h := relaytest.NewWith(t, strings.Replace(responsetest.Manifest, `quota: "0.001"`, `quota: "0"`, 1))
	h.ServeFirst((&responsetest.Upstream{Name: "first"}).Serve)
	if got := responsetest.Post(h, relaytest.SmallToken, ""); got.Status != 429 {
		t.Fatalf("a call: got %d, want 429", got.Status)
	}
	if n, _ := countTokens(h, relaytest.SmallToken, `,"input":"`+strings.Repeat("x", 100<<10)+`"`); n != 17 {
		t.Errorf("got %d tokens, want 17", n)
	}
	h.ExpectLogs(0)
}

func TestCount_CountsAsARequestForTheRateLimits(t *testing.T) {
	h := relaytest.NewLimited(t, "requests_per_minute: 2, tokens_per_minute: 100000")
	h.ServeFirst((&responsetest.Upstream{Name: "first"}).Serve)
	for left := range 2 {
		got := h.Do("POST", responsetest.InputTokensPath, relaytest.LimitedToken, `{"model":"cheap","input":"hello"}`)
		expectHeaders(t, got, map[string]string{"x-ratelimit-remaining-requests": strconv.Itoa(1 - left),
			"x-ratelimit-limit-tokens": "100000"})
		if got.Status != 200 {
			t.Errorf("within the limit: got %d %s", got.Status, got.Body)
		}
	}
	refused := h.Do("POST", responsetest.InputTokensPath, relaytest.LimitedToken, `{"model":"cheap","input":"hello"}`)
	if refused.Status != http.StatusTooManyRequests {
		t.Errorf("beyond the limit: got %d %s", refused.Status, refused.Body)
	}
	relaytest.CheckError(t, refused.Body, "rate_limit_error", "rate_limit_exceeded", nil)
	if got := h.Post(relaytest.LimitedToken, relaytest.ChatBody("cheap",
		"")); got.Status != http.StatusTooManyRequests {
		t.Errorf("a call: got %d, want 429, because counting took the limit", got.Status)
	}
}

func TestCount_SendsParametersOfTheChannelOnlyInPlaceOfTheClients(t *testing.T) {
	h := relaytest.NewWith(t,
		strings.Replace(responsetest.Manifest, "priority: 0",
			`settings: {parameters: {"truncation": "auto", "safety_identifier": "acme"}, system_prompt: "Be kind."}, priority: 0`, 1))
	made := &responsetest.Upstream{Name: "first"}
	h.SetUpstreams(made.Serve, responsetest.Respond)
	countTokens(h, token, `,"input":"hello","truncation":"disabled"`)
	if sent, want := made.Latest().Body,
		`{"model":"cheap","input":"hello","truncation":"auto","instructions":"Be kind."}`; sent != want {
		t.Errorf("the upstream received %s, want %s", sent, want)
	}
}
