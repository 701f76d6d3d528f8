package relay_test

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
)

func TestChat_IsAnsweredPricedAndLogged(t *testing.T) {
	h := relaytest.New(t)
	got := h.Post(token, relaytest.ChatBody("cheap", ""))
	if got.Status != 200 || got.Body != relaytest.Completion {
		t.Fatalf("got %d %s", got.Status, got.Body)
	}
	// 7 tokens x 0.15 USD per 1M x 0.85 = 892.5 nano-dollars, rounded half up.
	if q := got.Header.Get("X-Tollgate-Quota"); q != "0.000001403" {
		t.Errorf("X-Tollgate-Quota: got %s", q)
	}
	if c := got.Header.Get("X-Tollgate-Channel"); c != "first" {
		t.Errorf("X-Tollgate-Channel: got %s", c)
	}
	log := h.Log(got)
	if log.Outcome != usage.Success || log.Quota != 1403 || log.Model != "cheap" || log.Usage.Input != 7 ||
		log.Estimated || log.Status != 200 {
		t.Errorf("usage log: got %+v", log)
	}
	wallet, err := h.Store.Quota.Account(t.Context(), tenant.SystemScope("test"), log.TenantID)
	if err != nil || wallet.Used != 1403 {
		t.Errorf("wallet: got %+v, error %v", wallet, err)
	}
}

func TestChat_FailsOverToTheNextChannel(t *testing.T) {
	refused := relaytest.Status(401, `{"error":{"message":"bad key sk-first-channel-key"}}`)
	for name, c := range map[string]struct {
		first  http.HandlerFunc
		stream bool
	}{
		"500":                       {relaytest.Status(500, `{}`), false},
		"429":                       {relaytest.Status(429, `{}`), false},
		"408":                       {relaytest.Status(408, `{}`), false},
		"the credential is refused": {refused, false},
		"the account has no credit": {relaytest.Status(402, `{}`), false},
		"a redirect":                {relaytest.Status(302, ``), false},
		"200 with an error":         {relaytest.Status(200, `{"error":{"message":"no"}}`), false},
		"200 with HTML":             {relaytest.Status(200, `<html>`), false},
		"200 with something else":   {relaytest.Status(200, `{"detail":1}`), false},
		"200 with an incomplete body": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "999")
			_, _ = io.WriteString(w, relaytest.Completion)
		}, false},
		"the connection is closed":            {relaytest.Aborts(), false},
		"stream: 500":                         {relaytest.Status(500, `{}`), true},
		"stream: an empty stream":             {relaytest.Streams(), true},
		"stream: only [DONE]":                 {relaytest.Streams(relaytest.Done), true},
		"stream: an error in the first frame": {relaytest.Streams(`data: {"error":{"message":"no"}}` + "\n\n"), true},
		"stream: malformed data":              {relaytest.Streams("data: hello\n\n"), true},
		"stream: an HTML page instead":        {relaytest.Status(200, `<html>`), true},
		"stream: an incomplete first frame":   {relaytest.Aborts("data: {"), true},
	} {
		t.Run(name, func(t *testing.T) {
			h := relaytest.New(t)
			h.ServeFirst(c.first)
			body, want := relaytest.ChatBody("cheap", ""), relaytest.Completion
			if c.stream {
				body, want = relaytest.ChatBody("cheap", `,"stream":true`), relaytest.ChunkHi+relaytest.ChunkStop+relaytest.Done
			}
			got := h.Post(token, body)
			if got.Status != 200 || got.Body != want || got.Header.Get("X-Tollgate-Channel") != "second" {
				t.Fatalf("got %d from %q: %s", got.Status, got.Header.Get("X-Tollgate-Channel"), got.Body)
			}
			if log := h.Log(got); log.Outcome != usage.Success || len(log.Attempts) != 2 ||
				log.Attempts[0].Error == "" {
				t.Errorf("attempts: got %+v", log.Attempts)
			}
		})
	}
}

// The upstream bills its answer. It must not be thrown away.
func TestChat_StreamsTheAnswerOfAnUpstreamThatIgnoresStream(t *testing.T) {
	h := relaytest.New(t)
	h.ServeFirst(relaytest.Status(200, "\n"+relaytest.Completion))
	got := h.Post(token, relaytest.ChatBody("cheap", `,"stream":true`))
	want := strings.Replace(strings.Replace(relaytest.ChunkHi, `"delta":{`, `"delta":{"role":"assistant",`, 1), "null", `"stop"`, 1) +
		relaytest.Done
	if got.Status != 200 || got.Body != want || got.Header.Get("X-Tollgate-Channel") != "first" ||
		!strings.HasPrefix(got.Header.Get("Content-Type"), "text/event-stream") {
		t.Errorf("got %d %v %s, want %s", got.Status, got.Header, got.Body, want)
	}
	if log := h.Log(got); log.Outcome != usage.Success || len(log.Attempts) != 1 || log.Estimated ||
		log.Usage != (usage.Usage{Input: 7, Output: 1}) {
		t.Errorf("usage log: got %+v", log)
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
		"all fail": {relaytest.Status(500, `{"error":{"message":"supplier text"}}`), 502, "upstream_error",
			"upstream_error", "true", ""},
		"all refuse the credential": {relaytest.Status(401, `{}`), 502, "upstream_error", "upstream_error", "true", ""},
		"all are busy": {relaytest.Status(429, `{}`), 429, "rate_limit_error", "rate_limit_exceeded", "true",
			"upstream_rate_limited"},
		"all answers are malformed": {relaytest.Status(200, `{}`), 502, "upstream_error", "upstream_error", "true", ""},
		"all time out": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, 504,
			"upstream_error", "upstream_timeout", "true", ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := relaytest.New(t, func(config *config.Config) {
				if c.code == "upstream_timeout" {
					config.UpstreamFirstByteTimeout = 200 * time.Millisecond
				}
			})
			h.SetUpstreams(c.upstream, c.upstream)
			got := h.Post(token, relaytest.ChatBody("cheap", ""))
			if got.Status != c.status || got.Header.Get("X-Should-Retry") != c.retry ||
				strings.Contains(got.Body, "supplier") {
				t.Errorf("got %d, X-Should-Retry %q: %s", got.Status, got.Header.Get("X-Should-Retry"), got.Body)
			}
			relaytest.CheckError(t, got.Body, c.kind, c.code, nil)
			if log := h.Log(got); log.Outcome != usage.Failed || log.Quota != 0 ||
				log.Error != cmp.Or(c.word, c.code) || log.Status != c.status || len(log.Attempts) != 2 {
				t.Errorf("usage log: got %+v", log)
			}
		})
	}
}

func TestChat_PassesARefusalOnWithoutSecrets(t *testing.T) {
	h := relaytest.New(t)
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		relaytest.Status(400, `{"error":{"message":"bad tool of upstream-name for key sk-first-channel-key at `+r.Host+
			`","type":"invalid_request_error","param":"tools","code":null}}`)(w, r)
	})
	got := h.Post(token, relaytest.ChatBody("renamed", ""))
	if got.Status != 400 || got.Header.Get("X-Should-Retry") != "false" ||
		!strings.Contains(got.Body, "bad tool of renamed") ||
		strings.Contains(got.Body, "sk-first") || strings.Contains(got.Body, "127.0.0.1") {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
	param := "tools"
	relaytest.CheckError(t, got.Body, "invalid_request_error", "", &param)
	if log := h.Log(got); log.Outcome != usage.Failed || log.Status != 400 || log.Quota != 0 {
		t.Errorf("usage log: got %+v", log)
	}
}

func TestAPI_RefusesInvalidRequests(t *testing.T) {
	h := relaytest.New(t, func(c *config.Config) { c.MaxBodyBytes = 1 << 20 })
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
		"no token": {"POST", chat, "", relaytest.ChatBody("cheap", ""), nil, 401, "invalid_request_error",
			"invalid_api_key", nil, "false"},
		"another scheme": {"POST", chat, "", relaytest.ChatBody("cheap", ""),
			[]string{"Authorization", "Basic abc"}, 401, "invalid_request_error", "invalid_api_key", nil, "false"},
		"an unknown token": {"POST", chat, "this-token-is-unknown-here", relaytest.ChatBody("cheap", ""), nil, 401,
			"invalid_request_error", "invalid_api_key", nil, "false"},
		"a malformed token": {"POST", chat, "sk-tg-damaged", relaytest.ChatBody("cheap", ""), nil, 401,
			"invalid_request_error", "invalid_api_key", nil, "false"},
		"a very long token": {"POST", chat, strings.Repeat("x", 5000), relaytest.ChatBody("cheap", ""), nil, 401,
			"invalid_request_error", "invalid_api_key", nil, "false"},
		"another address": {"POST", chat, nearToken, relaytest.ChatBody("cheap", ""), nil, 403, "permission_error",
			"ip_not_allowed", nil, "false"},
		"an unknown model": {"POST", chat, token, relaytest.ChatBody("nope", ""), nil, 404, "invalid_request_error",
			"model_not_found", &model, "false"},
		"a disabled model": {"POST", chat, token, relaytest.ChatBody("off", ""), nil, 404, "invalid_request_error",
			"model_not_found", &model, "false"},
		"a model that is not permitted": {"POST", chat, token, relaytest.ChatBody("secret", ""), nil, 404,
			"invalid_request_error", "model_not_found", &model, "false"},
		"a model without a channel": {"POST", chat, token, relaytest.ChatBody("orphan", ""), nil, 404,
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
		"stream of the wrong type": {"POST", chat, token, relaytest.ChatBody("cheap", `,"stream":"yes"`), nil, 400,
			"invalid_request_error", "invalid_type", &streamParam, "false"},
		"a large body": {"POST", chat, token, relaytest.ChatBody("cheap", `,"x":"`+strings.Repeat("x", 5<<20)+
			`"`), nil, 413, "invalid_request_error", "request_too_large", nil, "false"},
		"another media type": {"POST", chat, token, relaytest.ChatBody("cheap", ""), []string{"Content-Type",
			"text/plain"}, 415, "invalid_request_error", "unsupported_media_type", nil, "false"},
		"a compressed body": {"POST", chat, token, relaytest.ChatBody("cheap", ""), []string{"Content-Encoding",
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
		"two slashes": {"POST", "/v1//chat/completions", token, relaytest.ChatBody("cheap", ""), nil, 404,
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
			got := h.Do(c.method, c.path, c.bearer, c.body, c.headers...)
			if got.Status != c.status || got.Header.Get("X-Should-Retry") != c.retry ||
				got.Header.Get("X-Request-Id") == "" {
				t.Errorf("got %d, X-Should-Retry %q, X-Request-Id %q: %.200s", got.Status,
					got.Header.Get("X-Should-Retry"), got.Header.Get("X-Request-Id"), got.Body)
			}
			relaytest.CheckError(t, got.Body, c.kind, c.code, c.param)
			if c.status == 405 && got.Header.Get("Allow") != "POST" {
				t.Errorf("Allow: got %q, want POST", got.Header.Get("Allow"))
			}
		})
	}
	if len(h.Bodies) > 0 {
		t.Errorf("%d refused requests reached the upstream", len(h.Bodies))
	}
}

func TestChat_SpendsTheQuotaExactly(t *testing.T) {
	h := relaytest.New(t)
	var served, exhausted int
	for range 10 {
		got := h.Post(relaytest.PoorToken, relaytest.ChatBody("flat", ""))
		switch {
		case got.Status == 200:
			served++
		case got.Status == 429 && got.Header.Get("X-Should-Retry") == "false":
			exhausted++
			relaytest.CheckError(t, got.Body, "insufficient_quota", "insufficient_quota", nil)
		}
	}
	// A request costs 0.85 x 0.01 USD, so 0.03 USD pays for three.
	if served != 3 || exhausted != 7 {
		t.Errorf("got %d served and %d refused, want 3 and 7", served, exhausted)
	}
}

func TestChat_ForwardsTheBodyByteForByte(t *testing.T) {
	h := relaytest.New(t)
	body := "{ \"zeta\":1.0e+3,\"model\" : \"renamed\",\n " +
		"\"messages\":[{\"role\":\"user\",\"content\":\"\\u00e4\\/\", \"extra\":{\"n\":12345678901234567890}}], " +
		"\"unknown\":[null,  true],\"seed\":-0 }\n"
	if got := h.Post(token, body); got.Status != 200 {
		t.Fatalf("got %d %s, want 200", got.Status, got.Body)
	}
	want := strings.Replace(body, `"renamed"`, `"upstream-name"`, 1)
	if len(h.Bodies) != 1 || string(h.Bodies[0]) != want {
		t.Errorf("upstream got\n%s\nwant\n%s", h.Bodies, want)
	}
}

func TestModels_HaveTheirBoundsAndModalitiesWhenTheseAreKnown(t *testing.T) {
	h := relaytest.NewWith(t, strings.Replace(relaytest.Manifest, "{id: cheap,", "{id: cheap, context_length: 128000, "+
		"max_output_tokens: 4096, modalities: {input: [text, image], output: [text]},", 1))
	for model, want := range map[string]string{
		"cheap": `"owned_by":"acme","context_length":128000,"max_output_tokens":4096,"modalities":{"input":["text","image"],"output":["text"]}}`,
		"flat":  `"owned_by":"acme"}`,
	} {
		for _, path := range []string{"/v1/models", "/v1/models/" + model} {
			if got := h.Do(http.MethodGet, path, token, ""); got.Status != 200 ||
				!strings.Contains(got.Body, `"id":"`+model+`"`) || !strings.Contains(got.Body, want) {
				t.Errorf("%s of %s: got %d %s, want %s", path, model, got.Status, got.Body, want)
			}
		}
	}
}

func TestModels_ListsExactlyTheModelsThatChatAccepts(t *testing.T) {
	h := relaytest.New(t)
	got := h.Do(http.MethodGet, "/v1/models", token, "")
	var list struct {
		Object string
		Data   []struct {
			ID, Object string
			OwnedBy    string `json:"owned_by"`
		}
	}
	if err := json.Unmarshal([]byte(got.Body), &list); err != nil || got.Status != 200 || list.Object != "list" {
		t.Fatalf("got %d %s, %v", got.Status, got.Body, err)
	}
	listed := map[string]bool{}
	for _, m := range list.Data {
		listed[m.ID] = true
		if m.Object != "model" || m.OwnedBy != "acme" {
			t.Errorf("got record %+v", m)
		}
	}
	for _, model := range []string{"cheap", "flat", "renamed", "off", "secret", "orphan", "nope"} {
		accepted := h.Post(token, relaytest.ChatBody(model, "")).Status == 200
		retrieved := h.Do(http.MethodGet, "/v1/models/"+model, token, "").Status == 200
		if accepted != listed[model] || retrieved != listed[model] {
			t.Errorf("%s: got listed %v, accepted %v, retrieved %v, want all equal", model, listed[model],
				accepted, retrieved)
		}
	}
}

const nearToken = "a-token-for-one-network"
