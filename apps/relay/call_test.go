package relay_test

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
)

func TestChat_IsAnsweredPricedAndLogged(t *testing.T) {
	h := newRelay(t)
	got := h.post(token, chatBody("cheap", ""))
	if got.status != 200 || got.body != completion {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	// 7 tokens x 0.15 USD per 1M x 0.85 = 892.5 nano-dollars, rounded half up.
	if q := got.header.Get("X-Tollgate-Quota"); q != "0.000001403" {
		t.Errorf("X-Tollgate-Quota: got %s", q)
	}
	if c := got.header.Get("X-Tollgate-Channel"); c != "first" {
		t.Errorf("X-Tollgate-Channel: got %s", c)
	}
	log := h.log(got)
	if log.Outcome != usage.Success || log.Quota != 1403 || log.Model != "cheap" || log.Usage.Input != 7 ||
		log.Estimated || log.Status != 200 {
		t.Errorf("usage log: got %+v", log)
	}
	wallet, err := h.store.Quota.Account(t.Context(), tenant.SystemScope("test"), log.TenantID)
	if err != nil || wallet.Used != 1403 {
		t.Errorf("wallet: got %+v, error %v", wallet, err)
	}
}

func TestChat_FailsOverToTheNextChannel(t *testing.T) {
	refused := status(401, `{"error":{"message":"bad key sk-first-channel-key"}}`)
	for name, c := range map[string]struct {
		first  http.HandlerFunc
		stream bool
	}{
		"500":                       {status(500, `{}`), false},
		"429":                       {status(429, `{}`), false},
		"408":                       {status(408, `{}`), false},
		"the credential is refused": {refused, false},
		"the account has no credit": {status(402, `{}`), false},
		"a redirect":                {status(302, ``), false},
		"200 with an error":         {status(200, `{"error":{"message":"no"}}`), false},
		"200 with HTML":             {status(200, `<html>`), false},
		"200 with something else":   {status(200, `{"detail":1}`), false},
		"200 with an incomplete body": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "999")
			_, _ = io.WriteString(w, completion)
		}, false},
		"the connection is closed":            {aborts(), false},
		"stream: 500":                         {status(500, `{}`), true},
		"stream: an empty stream":             {streams(), true},
		"stream: only [DONE]":                 {streams(done), true},
		"stream: an error in the first frame": {streams(`data: {"error":{"message":"no"}}` + "\n\n"), true},
		"stream: malformed data":              {streams("data: hello\n\n"), true},
		"stream: a JSON body instead":         {status(200, completion), true},
		"stream: an incomplete first frame":   {aborts("data: {"), true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRelay(t)
			h.serveFirst(c.first)
			body, want := chatBody("cheap", ""), completion
			if c.stream {
				body, want = chatBody("cheap", `,"stream":true`), chunkHi+chunkStop+done
			}
			got := h.post(token, body)
			if got.status != 200 || got.body != want || got.header.Get("X-Tollgate-Channel") != "second" {
				t.Fatalf("got %d from %q: %s", got.status, got.header.Get("X-Tollgate-Channel"), got.body)
			}
			if log := h.log(got); log.Outcome != usage.Success || len(log.Attempts) != 2 ||
				log.Attempts[0].Error == "" {
				t.Errorf("attempts: got %+v", log.Attempts)
			}
		})
	}
}

func TestChat_ReturnsAnErrorWhenEveryChannelFails(t *testing.T) {
	for name, c := range map[string]struct {
		upstream http.HandlerFunc
		status   int
		kind     string
		code     string
		retry    string
		word     string // error in the usage log if it differs from the code
	}{
		"all fail": {status(500, `{"error":{"message":"supplier text"}}`), 502, "upstream_error",
			"upstream_error", "true", ""},
		"all refuse the credential": {status(401, `{}`), 502, "upstream_error", "upstream_error", "true", ""},
		"all are busy": {status(429, `{}`), 429, "rate_limit_error", "rate_limit_exceeded", "true",
			"upstream_rate_limited"},
		"all answers are malformed": {status(200, `{}`), 502, "upstream_error", "upstream_error", "true", ""},
		"all time out": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, 504,
			"upstream_error", "upstream_timeout", "true", ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRelay(t, func(config *config.Config) {
				if c.code == "upstream_timeout" {
					config.UpstreamFirstByteTimeout = 200 * time.Millisecond
				}
			})
			h.setUpstreams(c.upstream, c.upstream)
			got := h.post(token, chatBody("cheap", ""))
			if got.status != c.status || got.header.Get("X-Should-Retry") != c.retry ||
				strings.Contains(got.body, "supplier") {
				t.Errorf("got %d, X-Should-Retry %q: %s", got.status, got.header.Get("X-Should-Retry"), got.body)
			}
			checkEnvelope(t, got.body, c.kind, c.code, nil)
			if log := h.log(got); log.Outcome != usage.Failed || log.Quota != 0 ||
				log.Error != cmp.Or(c.word, c.code) || log.Status != c.status || len(log.Attempts) != 2 {
				t.Errorf("usage log: got %+v", log)
			}
		})
	}
}

func TestChat_PassesARefusalOnWithoutSecrets(t *testing.T) {
	h := newRelay(t)
	h.serveFirst(func(w http.ResponseWriter, r *http.Request) {
		status(400, `{"error":{"message":"bad tool of upstream-name for key sk-first-channel-key at `+r.Host+
			`","type":"invalid_request_error","param":"tools","code":null}}`)(w, r)
	})
	got := h.post(token, chatBody("renamed", ""))
	if got.status != 400 || got.header.Get("X-Should-Retry") != "false" ||
		!strings.Contains(got.body, "bad tool of renamed") ||
		strings.Contains(got.body, "sk-first") || strings.Contains(got.body, "127.0.0.1") {
		t.Errorf("got %d %s", got.status, got.body)
	}
	param := "tools"
	checkEnvelope(t, got.body, "invalid_request_error", "", &param)
	if log := h.log(got); log.Outcome != usage.Failed || log.Status != 400 || log.Quota != 0 {
		t.Errorf("usage log: got %+v", log)
	}
}

// checkEnvelope checks the error object, which must have all four keys. The code "" stands for null.
func checkEnvelope(t *testing.T, body, kind, code string, param *string) {
	t.Helper()
	var got struct {
		Error map[string]*string `json:"error"`
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Errorf("envelope %s: %v", body, err)
		return
	}
	e := got.Error
	if len(e) != 4 || e["message"] == nil || *e["message"] == "" || e["type"] == nil || *e["type"] != kind {
		t.Errorf("envelope %s, want type %s", body, kind)
	}
	if c := e["code"]; code == "" && c != nil || code != "" && (c == nil || *c != code) {
		t.Errorf("envelope %s, want code %q", body, code)
	}
	if p := e["param"]; (p == nil) != (param == nil) || p != nil && *p != *param {
		t.Errorf("envelope %s, want param %v", body, param)
	}
}

func TestAPI_RefusesInvalidRequests(t *testing.T) {
	h := newRelay(t, func(c *config.Config) { c.MaxBodyBytes = 1 << 20 })
	model, messages, streamParam := "model", "messages", "stream"
	chat := "/v1/chat/completions"
	for name, c := range map[string]struct {
		method, path, bearer, body string
		headers                    []string
		status                     int
		kind, code                 string
		param                      *string
		retry                      string
	}{
		"no token": {"POST", chat, "", chatBody("cheap", ""), nil, 401, "invalid_request_error",
			"invalid_api_key", nil, "false"},
		"another scheme": {"POST", chat, "", chatBody("cheap", ""),
			[]string{"Authorization", "Basic abc"}, 401, "invalid_request_error", "invalid_api_key", nil, "false"},
		"an unknown token": {"POST", chat, "this-token-is-unknown-here", chatBody("cheap", ""), nil, 401,
			"invalid_request_error", "invalid_api_key", nil, "false"},
		"a malformed token": {"POST", chat, "sk-tg-damaged", chatBody("cheap", ""), nil, 401,
			"invalid_request_error", "invalid_api_key", nil, "false"},
		"a very long token": {"POST", chat, strings.Repeat("x", 5000), chatBody("cheap", ""), nil, 401,
			"invalid_request_error", "invalid_api_key", nil, "false"},
		"another address": {"POST", chat, nearToken, chatBody("cheap", ""), nil, 403, "permission_error",
			"ip_not_allowed", nil, "false"},
		"an unknown model": {"POST", chat, token, chatBody("nope", ""), nil, 404, "invalid_request_error",
			"model_not_found", &model, "false"},
		"a disabled model": {"POST", chat, token, chatBody("off", ""), nil, 404, "invalid_request_error",
			"model_not_found", &model, "false"},
		"a model that is not permitted": {"POST", chat, token, chatBody("secret", ""), nil, 404,
			"invalid_request_error", "model_not_found", &model, "false"},
		"a model without a channel": {"POST", chat, token, chatBody("orphan", ""), nil, 404,
			"invalid_request_error", "model_not_found", &model, "false"},
		"malformed JSON": {"POST", chat, token, `{"model":`, nil, 400, "invalid_request_error",
			"invalid_json", nil, "false"},
		"an empty body": {"POST", chat, token, ``, nil, 400, "invalid_request_error",
			"invalid_json", nil, "false"},
		"no model": {"POST", chat, token, `{"messages":[]}`, nil, 400, "invalid_request_error",
			"missing_required_parameter", &model, "false"},
		"no messages": {"POST", chat, token, `{"model":"cheap"}`, nil, 400, "invalid_request_error",
			"missing_required_parameter", &messages, "false"},
		"messages of the wrong type": {"POST", chat, token, `{"model":"cheap","messages":"hi"}`, nil, 400,
			"invalid_request_error", "invalid_type", &messages, "false"},
		"stream of the wrong type": {"POST", chat, token, chatBody("cheap", `,"stream":"yes"`), nil, 400,
			"invalid_request_error", "invalid_type", &streamParam, "false"},
		"a large body": {"POST", chat, token, chatBody("cheap", `,"x":"`+strings.Repeat("x", 5<<20)+
			`"`), nil, 413, "invalid_request_error", "request_too_large", nil, "false"},
		"another media type": {"POST", chat, token, chatBody("cheap", ""), []string{"Content-Type",
			"text/plain"}, 415, "invalid_request_error", "unsupported_media_type", nil, "false"},
		"a compressed body": {"POST", chat, token, chatBody("cheap", ""), []string{"Content-Encoding",
			"gzip"}, 415, "invalid_request_error", "unsupported_media_type", nil, "false"},
		"an unknown path": {"GET", "/v1/nothing", token, "", nil, 404, "invalid_request_error",
			"unknown_url", nil, "false"},
		"the root": {"GET", "/", "", "", nil, 404, "invalid_request_error",
			"unknown_url", nil, "false"},
		"a path with two dots": {"GET", "/v1/../x", token, "", nil, 404, "invalid_request_error",
			"unknown_url", nil, "false"},
		"a path to a route with dots": {"GET", "/v1/responses/../models", token, "", nil, 404,
			"invalid_request_error", "unknown_url", nil, "false"},
		"two slashes at the beginning": {"GET", "//v1/models", token, "", nil, 404, "invalid_request_error",
			"unknown_url", nil, "false"},
		"two slashes": {"POST", "/v1//chat/completions", token, chatBody("cheap", ""), nil, 404,
			"invalid_request_error", "unknown_url", nil, "false"},
		"escaped dots": {"GET", "/v1/%2e%2e/models", token, "", nil, 404, "invalid_request_error",
			"unknown_url", nil, "false"},
		"a model with dots and a slash": {"GET", "/v1/models/..%2fmodels", token, "", nil, 404, "invalid_request_error",
			"model_not_found", &model, "false"},
		"OPTIONS": {"OPTIONS", chat, token, "", nil, 405, "invalid_request_error",
			"method_not_allowed", nil, "false"},
		"PATCH": {"PATCH", chat, token, "{}", nil, 405, "invalid_request_error",
			"method_not_allowed", nil, "false"},
		"a method of its own": {"BREW", chat, token, "", nil, 405, "invalid_request_error",
			"method_not_allowed", nil, "false"},
		"another method": {"DELETE", chat, token, "", nil, 405, "invalid_request_error",
			"method_not_allowed", nil, "false"},
		"models without a token": {"GET", "/v1/models", "", "", nil, 401, "invalid_request_error",
			"invalid_api_key", nil, "false"},
		"retrieval of an unknown model": {"GET", "/v1/models/nope", token, "", nil, 404, "invalid_request_error",
			"model_not_found", &model, "false"},
	} {
		t.Run(name, func(t *testing.T) {
			got := h.do(c.method, c.path, c.bearer, c.body, c.headers...)
			if got.status != c.status || got.header.Get("X-Should-Retry") != c.retry ||
				got.header.Get("X-Request-Id") == "" {
				t.Errorf("got %d, X-Should-Retry %q, X-Request-Id %q: %.200s", got.status,
					got.header.Get("X-Should-Retry"), got.header.Get("X-Request-Id"), got.body)
			}
			checkEnvelope(t, got.body, c.kind, c.code, c.param)
			if c.status == 405 && got.header.Get("Allow") != "POST" {
				t.Errorf("Allow: got %q, want POST", got.header.Get("Allow"))
			}
		})
	}
	if len(h.bodies) > 0 {
		t.Errorf("%d refused requests reached the upstream", len(h.bodies))
	}
}

func TestChat_SpendsTheQuotaExactly(t *testing.T) {
	h := newRelay(t)
	var served, exhausted int
	for range 10 {
		got := h.post(poorToken, chatBody("flat", ""))
		switch {
		case got.status == 200:
			served++
		case got.status == 429 && got.header.Get("X-Should-Retry") == "false":
			exhausted++
			checkEnvelope(t, got.body, "insufficient_quota", "insufficient_quota", nil)
		}
	}
	// A request costs 0.85 x 0.01 USD, so 0.03 USD pays for three.
	if served != 3 || exhausted != 7 {
		t.Errorf("got %d served and %d refused, want 3 and 7", served, exhausted)
	}
}

func TestChat_ForwardsTheBodyByteForByte(t *testing.T) {
	h := newRelay(t)
	body := "{ \"zeta\":1.0e+3,\"model\" : \"renamed\",\n " +
		"\"messages\":[{\"role\":\"user\",\"content\":\"\\u00e4\\/\", \"extra\":{\"n\":12345678901234567890}}], " +
		"\"unknown\":[null,  true],\"seed\":-0 }\n"
	if got := h.post(token, body); got.status != 200 {
		t.Fatalf("got %d %s, want 200", got.status, got.body)
	}
	want := strings.Replace(body, `"renamed"`, `"upstream-name"`, 1)
	if len(h.bodies) != 1 || string(h.bodies[0]) != want {
		t.Errorf("upstream got\n%s\nwant\n%s", h.bodies, want)
	}
}

func TestModels_HaveTheirBoundsAndModalitiesWhenTheseAreKnown(t *testing.T) {
	h := newRelayWith(t, strings.Replace(manifestYAML, "{id: cheap,", "{id: cheap, context_length: 128000, "+
		"max_output_tokens: 4096, modalities: {input: [text, image], output: [text]},", 1))
	for model, want := range map[string]string{
		"cheap": `"owned_by":"acme","context_length":128000,"max_output_tokens":4096,"modalities":{"input":["text","image"],"output":["text"]}}`,
		"flat":  `"owned_by":"acme"}`,
	} {
		for _, path := range []string{"/v1/models", "/v1/models/" + model} {
			if got := h.do(http.MethodGet, path, token, ""); got.status != 200 ||
				!strings.Contains(got.body, `"id":"`+model+`"`) || !strings.Contains(got.body, want) {
				t.Errorf("%s of %s: got %d %s, want %s", path, model, got.status, got.body, want)
			}
		}
	}
}

func TestModels_ListsExactlyTheModelsThatChatAccepts(t *testing.T) {
	h := newRelay(t)
	got := h.do(http.MethodGet, "/v1/models", token, "")
	var list struct {
		Object string
		Data   []struct {
			ID, Object string
			OwnedBy    string `json:"owned_by"`
		}
	}
	if err := json.Unmarshal([]byte(got.body), &list); err != nil || got.status != 200 || list.Object != "list" {
		t.Fatalf("got %d %s, %v", got.status, got.body, err)
	}
	listed := map[string]bool{}
	for _, m := range list.Data {
		listed[m.ID] = true
		if m.Object != "model" || m.OwnedBy != "acme" {
			t.Errorf("got record %+v", m)
		}
	}
	for _, model := range []string{"cheap", "flat", "renamed", "off", "secret", "orphan", "nope"} {
		accepted := h.post(token, chatBody(model, "")).status == 200
		retrieved := h.do(http.MethodGet, "/v1/models/"+model, token, "").status == 200
		if accepted != listed[model] || retrieved != listed[model] {
			t.Errorf("%s: got listed %v, accepted %v, retrieved %v, want all equal", model, listed[model],
				accepted, retrieved)
		}
	}
}
