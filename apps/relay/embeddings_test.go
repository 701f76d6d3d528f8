package relay_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// vectors is an upstream's answer to a request for embeddings, with a field that the gateway does not know.
const vectors = `{"object":"list", "data":[{"object":"embedding","index":0,"embedding":[0.50,-2.5e-1]}],"model":"cheap","more":1.50,"usage":{"prompt_tokens":8,"total_tokens":8}}`

// embeddingsOn returns a relay whose second channel has the type and the endpoint, and serves the model renamed alone.
func embeddingsOn(t *testing.T, kind, endpoint string) *testRelay {
	t.Helper()
	h := newRelayWith(t, strings.NewReplacer(
		`renamed: upstream-name, `, ``,
		`{name: second, type: openai, base_url: "${SECOND}/v1", endpoints: [chat], models: {cheap: cheap}, priority: 1}`,
		`{name: second, type: `+kind+`, base_url: "${SECOND}/v1", api_keys: [sk-second], endpoints: [`+endpoint+
			`], models: {renamed: models/up-1}, priority: 1}`,
	).Replace(manifestYAML))
	return h
}

func (h *testRelay) embed(body string, headers ...string) reply {
	h.t.Helper()
	return h.do(http.MethodPost, "/v1/embeddings", token, body, headers...)
}

func TestEmbeddings_PassUnchangedAndAreChargedByInput(t *testing.T) {
	h := newRelay(t)
	var path string
	h.serveFirst(func(w http.ResponseWriter, r *http.Request) {
		path = r.URL.Path
		status(200, vectors)(w, r)
	})
	for _, input := range []string{`"a text"`, `["one", "two"]`, `[1, 2,3]`, `[[1,2],[3]]`} {
		body := `{"input":` + input +
			`, "model":"cheap","dimensions":2,"encoding_format":"float","user":"ann","unknown":1.50}`
		got := h.embed(body)
		if got.status != 200 || got.body != vectors || path != "/v1/embeddings" || h.lastBody() != body {
			t.Fatalf("got %d %s; the upstream got %s: %s", got.status, got.body, path, h.lastBody())
		}
		// 8 tokens x 0.15 USD per 1M x 0.85
		log := h.log(got)
		if log.Quota != 1020 || log.Dialect != "embeddings" || log.Usage != (usage.Usage{Input: 8}) || log.Estimated ||
			log.EndUser != "ann" || log.Outcome != usage.Success {
			t.Errorf("got the log %+v", log)
		}
		if got.header.Get("X-Tollgate-Quota") != "0.00000102" || got.header.Get("X-Tollgate-Channel") != "first" ||
			got.header.Get("X-Tollgate-Output-Cap") != "" {
			t.Errorf("got the headers %v", got.header)
		}
	}
	h.serveFirst(status(200, strings.Replace(vectors, "cheap", "upstream-name", 1)))
	if got := h.embed(`{"model":"renamed","input":"x"}`); got.status != 200 ||
		h.lastBody() != `{"model":"upstream-name","input":"x"}` {
		t.Errorf("renamed: got %d; the upstream got %s", got.status, h.lastBody())
	}
	if got := h.embed(`{"model":"renamed","input":"x"}`, "X-Tollgate-Include-Quota",
		"true"); !strings.Contains(got.body, `"total_tokens":8,"quota":"0.0000068"}`) {
		t.Errorf("with the quota: got %s", got.body)
	}
}

func TestEmbeddings_HoldNoOutput(t *testing.T) {
	h := newRelay(t)
	h.serveFirst(status(200, vectors))
	// The wallet pays for the input, but for no answer of the model.
	if got := h.do(http.MethodPost, "/v1/embeddings", smallToken, `{"model":"cheap","input":"x"}`); got.status != 200 ||
		got.header.Get("X-Tollgate-Output-Cap") != "" {
		t.Errorf("got %d %s", got.status, got.body)
	}
	got := h.do(http.MethodPost, "/v1/embeddings", smallToken, `{"model":"cheap","input":"`+strings.Repeat("x", 20_000)+
		`"}`)
	if got.status != 429 || !strings.Contains(got.body, "insufficient_quota") {
		t.Errorf("a text that the wallet cannot pay for: got %d %s", got.status, got.body)
	}
}

func TestEmbeddings_Bill2048InputsExactly(t *testing.T) {
	h := newRelay(t)
	inputs := make([]string, 2048)
	for i := range inputs {
		inputs[i] = fmt.Sprintf("text %d", i)
	}
	quoted, _ := json.Marshal(inputs)
	data := strings.Repeat(`{"object":"embedding","index":0,"embedding":"AAAAPwAAgL4="},`, len(inputs))
	h.serveFirst(status(200, `{"object":"list","data":[`+strings.TrimSuffix(data, ",")+
		`],"model":"cheap","usage":{"prompt_tokens":6151,"total_tokens":6151}}`))
	got := h.embed(`{"model":"cheap","encoding_format":"base64","input":` + string(quoted) + `}`)
	log := h.log(got)
	// 6,151 tokens x 0.15 USD per 1M x 0.85 = 784,252.5 nano-dollars, rounded half up.
	if got.status != 200 || strings.Count(got.body, "embedding\",\"index") != 2048 || log.Usage.Input != 6151 ||
		log.Quota != 784_253 {
		t.Errorf("got %d, the log %+v", got.status, log)
	}
	wallet, err := h.store.Quota.Account(t.Context(), tenant.SystemScope("test"), log.TenantID)
	if err != nil || wallet.Used != 784_253 {
		t.Errorf("wallet: got %+v, error %v", wallet, err)
	}
}

func TestEmbeddings_CountTheInputIfTheUpstreamDoesNot(t *testing.T) {
	h := newRelay(t)
	for name, c := range map[string]struct {
		usage     string
		want      int64
		estimated bool
	}{
		"only a total":   {`,"usage":{"total_tokens":5}`, 5, false},
		"with an output": {`,"usage":{"prompt_tokens":5,"completion_tokens":9,"total_tokens":14}`, 5, false},
		"none":           {``, 6, true}, // hello world, and four tokens
		"null":           {`,"usage":null`, 6, true},
		"no tokens":      {`,"usage":{"prompt_tokens":0,"total_tokens":0}`, 6, true},
	} {
		t.Run(name, func(t *testing.T) {
			h.serveFirst(status(200, `{"object":"list","data":[]`+c.usage+`}`))
			log := h.log(h.embed(`{"model":"cheap","input":["hello world",[1,2,3,4]]}`))
			if log.Usage != (usage.Usage{Input: c.want}) || log.Estimated != c.estimated {
				t.Errorf("got %+v, estimated %t", log.Usage, log.Estimated)
			}
		})
	}
}

func TestEmbeddings_AreChargedIfTheAnswerIsTooLarge(t *testing.T) {
	h := newRelay(t)
	tooLarge := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(64<<20+1))
		w.WriteHeader(http.StatusOK)
	}
	h.setUpstreams(tooLarge, status(200, vectors))
	got := h.embed(`{"model":"cheap","input":["hello world",[1,2,3,4]]}`)
	param := "input"
	if got.status != http.StatusRequestEntityTooLarge || got.header.Get("X-Tollgate-Quota") == "0" {
		t.Fatalf("got %d %s with %v", got.status, got.body, got.header)
	}
	checkEnvelope(t, got.body, "invalid_request_error", "request_too_large", &param)
	log := h.log(got)
	if log.Usage != (usage.Usage{Input: 6}) || !log.Estimated || log.Quota == 0 || log.Outcome != usage.Partial ||
		log.Status != got.status || len(log.Attempts) != 1 {
		t.Errorf("got the log %+v, want the estimated input charged, and no second attempt", log)
	}
}

func TestEmbeddings_FailOverToAnotherChannelOfTheModel(t *testing.T) {
	for name, first := range map[string]http.HandlerFunc{
		"500":                 status(500, `{}`),
		"429":                 status(429, `{}`),
		"404 without a model": status(404, `{"detail":"Not Found"}`),
		"403": status(403,
			`{"error":{"message":"You are not allowed to generate embeddings from this model"}}`),
		"200 with an error":      status(200, `{"error":{"message":"no"}}`),
		"200 with something":     status(200, completion),
		"the connection is lost": aborts(),
	} {
		t.Run(name, func(t *testing.T) {
			h := newRelay(t)
			h.setUpstreams(first, status(200, vectors))
			got := h.embed(`{"model":"cheap","input":"x"}`)
			if got.status != 200 || got.header.Get("X-Tollgate-Channel") != "second" {
				t.Fatalf("got %d %s", got.status, got.body)
			}
			if log := h.log(got); len(log.Attempts) != 2 || log.Usage.Input != 8 {
				t.Errorf("got the log %+v", log)
			}
		})
	}
}

func TestEmbeddings_AreRefusedWithTheField(t *testing.T) {
	h := newRelay(t)
	missing := status(404, `{"detail":"Not Found"}`)
	h.setUpstreams(missing, missing)
	onAnthropic := embeddingsOn(t, "anthropic", "messages")
	for name, c := range map[string]struct {
		h                 *testRelay
		body, param, code string
		status            int
	}{
		"no input":                 {h, `{"model":"cheap"}`, "input", "missing_required_parameter", 400},
		"an input of another type": {h, `{"model":"cheap","input":7}`, "input", "invalid_type", 400},
		"no model":                 {h, `{"input":"x"}`, "model", "missing_required_parameter", 400},
		"a stream": {h, `{"model":"cheap","input":"x","stream":true}`, "stream",
			"unsupported_parameter", 400},
		"another spelling":        {h, `{"model":"cheap","Input":"x","input":"x"}`, "Input", "invalid_type", 400},
		"an unknown model":        {h, `{"model":"gpt-0","input":"x"}`, "model", "model_not_found", 404},
		"no channel has the path": {h, `{"model":"cheap","input":"x"}`, "model", "unsupported_parameter", 400},
		"a channel with messages only": {onAnthropic, `{"model":"renamed","input":"x"}`, "model",
			"unsupported_parameter", 400},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.h.embed(c.body)
			var e struct{ Error struct{ Param, Code string } }
			if err := json.Unmarshal([]byte(got.body), &e); err != nil || got.status != c.status ||
				e.Error.Param != c.param || e.Error.Code != c.code {
				t.Errorf("got %d %s", got.status, got.body)
			}
		})
	}
}

func TestEmbeddings_AreTranslatedForGemini(t *testing.T) {
	h := embeddingsOn(t, "gemini", "gemini")
	var path, sent, answer string
	h.serveSecond(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		path, sent = r.URL.Path, string(raw)
		status(200, answer)(w, r)
	})
	answer = `{"embedding":{"values":[0.50,-2.5e-1]}}`
	got := h.embed(`{"model":"renamed","input":"hello world","dimensions":2,"user":"ann"}`)
	want :=
		`{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.50,-2.5e-1]}],"model":"renamed","usage":{"prompt_tokens":2,"total_tokens":2}}`
	if got.status != 200 || got.body != want {
		t.Errorf("got %d %s, want %s", got.status, got.body, want)
	}
	if path != "/v1/models/up-1:embedContent" ||
		sent != `{"model":"models/up-1","content":{"parts":[{"text":"hello world"}]},"outputDimensionality":2}` {
		t.Errorf("the upstream got %s: %s", path, sent)
	}
	if log := h.log(got); log.Usage.Input != 2 || !log.Estimated || log.Dialect != "embeddings" ||
		log.EndUser != "ann" || log.Attempts[0].Dialect != "gemini" {
		t.Errorf("got the log %+v", log)
	}

	answer = `{"embeddings":[{"values":[0.5]},{"values":[-0.25]}],"usageMetadata":{"promptTokenCount":11}}`
	got = h.embed(`{"model":"renamed","input":["a","b\n"],"encoding_format":"base64"}`)
	half, quarter := base64.StdEncoding.EncodeToString([]byte{0, 0, 0, 0x3f}),
		base64.StdEncoding.EncodeToString([]byte{0, 0, 0x80, 0xbe})
	want = `{"object":"list","data":[{"object":"embedding","index":0,"embedding":"` + half +
		`"},{"object":"embedding","index":1,"embedding":"` + quarter +
		`"}],"model":"renamed","usage":{"prompt_tokens":11,"total_tokens":11}}`
	if got.body != want || path != "/v1/models/up-1:batchEmbedContents" ||
		sent !=
			`{"requests":[{"model":"models/up-1","content":{"parts":[{"text":"a"}]}},{"model":"models/up-1","content":{"parts":[{"text":"b\n"}]}}]}` {
		t.Errorf("got %s from %s with %s", got.body, path, sent)
	}
	if log := h.log(got); log.Usage.Input != 11 || log.Estimated {
		t.Errorf("got the log %+v", log)
	}

	answer = `{"embeddings":[{"values":[0.5]}]}`
	if got := h.embed(`{"model":"renamed","input":["a","b"]}`); got.status != 502 {
		t.Errorf("one vector for two texts: got %d %s", got.status, got.body)
	}
	for param, body := range map[string]string{
		"input":           `"input":[1,2]`,
		"dimensions":      `"input":"x","dimensions":0`,
		"encoding_format": `"input":"x","encoding_format":"int8"`,
		"task":            `"input":"x","task":"search"`,
	} {
		if got := h.embed(`{"model":"renamed",` + body + `}`); got.status != 400 ||
			!strings.Contains(got.body, `"param":"`+param+`"`) {
			t.Errorf("%s: got %d %s", body, got.status, got.body)
		}
	}
	if got := h.embed(`{"model":"renamed","input":null}`); got.status != 400 ||
		!strings.Contains(got.body, `"param":"input"`) {
		t.Errorf("no input: got %d %s", got.status, got.body)
	}
	if got := h.embed(`{"model":"renamed","input":[` + strings.Repeat(`"x",`, 100) + `"x"]}`); got.status != 400 ||
		!strings.Contains(got.body, "at most 100 texts") {
		t.Errorf("101 texts: got %d %s", got.status, got.body)
	}
}

func TestEmbeddings_LeaveAChannelsPromptAndParametersOut(t *testing.T) {
	h := newRelayWith(t, strings.Replace(manifestYAML, "priority: 0}", "priority: 0, settings: {system_prompt: Be "+
		"brief., parameters: {temperature: 0, dimensions: 3}, quirks: [system_role]}}", 1))
	h.serveFirst(status(200, vectors))
	for _, c := range [][2]string{
		{`{"model":"cheap","input":"x"}`, `{"model":"cheap","input":"x"}`},
		{`{"model":"cheap","input":"x","dimensions":2}`, `{"model":"cheap","input":"x","dimensions":3}`},
	} {
		if got := h.embed(c[0]); got.status != 200 || h.lastBody() != c[1] {
			t.Errorf("got %d; the upstream got %s", got.status, h.lastBody())
		}
	}
}

func TestEmbeddings_AreSentAgainForAnIdempotencyKey(t *testing.T) {
	h := newRelay(t)
	h.serveFirst(status(200, vectors))
	first := h.embed(`{"model":"cheap","input":"x"}`, "Idempotency-Key", "once")
	again := h.embed(`{"model":"cheap","input":"x"}`, "Idempotency-Key", "once")
	if again.status != 200 || again.body != first.body || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("got %d %s", again.status, again.body)
	}
	h.log(first)
	h.expectLogs(1)
}
