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

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// vectors is an upstream's answer to a request for embeddings, with a field that the gateway does not know.
const vectors = `{"object":"list", "data":[{"object":"embedding","index":0,"embedding":[0.50,-2.5e-1]}],"model":"cheap","more":1.50,"usage":{"prompt_tokens":8,"total_tokens":8}}`

// embeddingsOn returns a relay whose second channel has the type and the endpoint, and serves the model renamed alone.
func embeddingsOn(t *testing.T, kind, endpoint string) *relaytest.Relay {
	t.Helper()
	h := relaytest.NewWith(t, strings.NewReplacer(
		`renamed: upstream-name, `, ``,
		`{name: second, type: openai, base_url: "${SECOND}/v1", endpoints: [chat], models: {cheap: cheap}, priority: 1}`,
		`{name: second, type: `+kind+`, base_url: "${SECOND}/v1", api_keys: [sk-second], endpoints: [`+endpoint+
			`], models: {renamed: models/up-1}, priority: 1}`,
	).Replace(relaytest.Manifest))
	return h
}

func postEmbeddings(h *relaytest.Relay, body string, headers ...string) relaytest.Reply {
	h.T.Helper()
	return h.Do(http.MethodPost, "/v1/embeddings", token, body, headers...)
}

func TestEmbeddings_PassUnchangedAndAreChargedByInput(t *testing.T) {
	h := relaytest.New(t)
	var path string
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		path = r.URL.Path
		relaytest.Status(200, vectors)(w, r)
	})
	for _, input := range []string{`"a text"`, `["one", "two"]`, `[1, 2,3]`, `[[1,2],[3]]`} {
		body := `{"input":` + input +
			`, "model":"cheap","dimensions":2,"encoding_format":"float","user":"ann","unknown":1.50}`
		got := postEmbeddings(h, body)
		if got.Status != 200 || got.Body != vectors || path != "/v1/embeddings" || h.LastBody() != body {
			t.Fatalf("got %d %s; the upstream got %s: %s", got.Status, got.Body, path, h.LastBody())
		}
		// 8 tokens x 0.15 USD per 1M x 0.85
		log := h.Log(got)
		if log.Quota != 1020 || log.Dialect != "embeddings" || log.Usage != (usage.Usage{Input: 8}) || log.Estimated ||
			log.EndUser != "ann" || log.Outcome != usage.Success {
			t.Errorf("got the log %+v", log)
		}
		if got.Header.Get("X-Tollgate-Quota") != "0.00000102" || got.Header.Get("X-Tollgate-Channel") != "first" ||
			got.Header.Get("X-Tollgate-Output-Cap") != "" {
			t.Errorf("got the headers %v", got.Header)
		}
	}
	h.ServeFirst(relaytest.Status(200, strings.Replace(vectors, "cheap", "upstream-name", 1)))
	if got := postEmbeddings(h, `{"model":"renamed","input":"x"}`); got.Status != 200 ||
		h.LastBody() != `{"model":"upstream-name","input":"x"}` {
		t.Errorf("renamed: got %d; the upstream got %s", got.Status, h.LastBody())
	}
	if got := postEmbeddings(h, `{"model":"renamed","input":"x"}`, "X-Tollgate-Include-Quota",
		"true"); !strings.Contains(got.Body, `"total_tokens":8,"quota":"0.0000068"}`) {
		t.Errorf("with the quota: got %s", got.Body)
	}
}

func TestEmbeddings_HideWhatTheUpstreamCharges(t *testing.T) {
	h := relaytest.New(t)
	const cost = `,"cost":0.00000016`
	answer := strings.Replace(vectors, `"total_tokens":8`, `"total_tokens":8`+cost, 1)
	h.ServeFirst(relaytest.Status(200, answer))
	got := postEmbeddings(h, `{"model":"cheap","input":"x"}`)
	if want := strings.Replace(answer, cost, strings.Repeat(" ", len(cost)), 1); got.Status != 200 || got.Body != want {
		t.Errorf("got %d %s, want %s", got.Status, got.Body, want)
	}
	if log := h.Log(got); log.Usage.ReportedCost != 160 || log.Usage.Input != 8 {
		t.Errorf("got the log %+v, want the reported cost", log)
	}
}

func TestEmbeddings_HoldNoOutput(t *testing.T) {
	h := relaytest.New(t)
	h.ServeFirst(relaytest.Status(200, vectors))
	// The wallet pays for the input, but for no answer of the model.
	if got := h.Do(http.MethodPost, "/v1/embeddings", relaytest.SmallToken, `{"model":"cheap","input":"x"}`); got.Status != 200 ||
		got.Header.Get("X-Tollgate-Output-Cap") != "" {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
	got := h.Do(http.MethodPost, "/v1/embeddings", relaytest.SmallToken, `{"model":"cheap","input":"`+strings.Repeat("x", 20_000)+
		`"}`)
	if got.Status != 429 || !strings.Contains(got.Body, "insufficient_quota") {
		t.Errorf("a text that the wallet cannot pay for: got %d %s", got.Status, got.Body)
	}
}

func TestEmbeddings_Bill2048InputsExactly(t *testing.T) {
	h := relaytest.New(t)
	inputs := make([]string, 2048)
	for i := range inputs {
		inputs[i] = fmt.Sprintf("text %d", i)
	}
	quoted, _ := json.Marshal(inputs)
	data := strings.Repeat(`{"object":"embedding","index":0,"embedding":"AAAAPwAAgL4="},`, len(inputs))
	h.ServeFirst(relaytest.Status(200, `{"object":"list","data":[`+strings.TrimSuffix(data, ",")+
		`],"model":"cheap","usage":{"prompt_tokens":6151,"total_tokens":6151}}`))
	got := postEmbeddings(h, `{"model":"cheap","encoding_format":"base64","input":`+string(quoted)+`}`)
	log := h.Log(got)
	// 6,151 tokens x 0.15 USD per 1M x 0.85 = 784,252.5 nano-dollars, rounded half up.
	if got.Status != 200 || strings.Count(got.Body, "embedding\",\"index") != 2048 || log.Usage.Input != 6151 ||
		log.Quota != 784_253 {
		t.Errorf("got %d, the log %+v", got.Status, log)
	}
	wallet, err := h.Store.Quota.Account(t.Context(), tenant.SystemScope("test"), log.TenantID)
	if err != nil || wallet.Used != 784_253 {
		t.Errorf("wallet: got %+v, error %v", wallet, err)
	}
}

func TestEmbeddings_CountTheInputIfTheUpstreamDoesNot(t *testing.T) {
	h := relaytest.New(t)
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
			h.ServeFirst(relaytest.Status(200, `{"object":"list","data":[]`+c.usage+`}`))
			log := h.Log(postEmbeddings(h, `{"model":"cheap","input":["hello world",[1,2,3,4]]}`))
			if log.Usage != (usage.Usage{Input: c.want}) || log.Estimated != c.estimated {
				t.Errorf("got %+v, estimated %t", log.Usage, log.Estimated)
			}
		})
	}
}

func TestEmbeddings_AreChargedIfTheAnswerIsTooLarge(t *testing.T) {
	h := relaytest.New(t)
	tooLarge := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(64<<20+1))
		w.WriteHeader(http.StatusOK)
	}
	h.SetUpstreams(tooLarge, relaytest.Status(200, vectors))
	got := postEmbeddings(h, `{"model":"cheap","input":["hello world",[1,2,3,4]]}`)
	param := "input"
	if got.Status != http.StatusRequestEntityTooLarge || got.Header.Get("X-Tollgate-Quota") == "0" {
		t.Fatalf("got %d %s with %v", got.Status, got.Body, got.Header)
	}
	relaytest.CheckError(t, got.Body, "invalid_request_error", "request_too_large", &param)
	log := h.Log(got)
	if log.Usage != (usage.Usage{Input: 6}) || !log.Estimated || log.Quota == 0 || log.Outcome != usage.Partial ||
		log.Status != got.Status || len(log.Attempts) != 1 {
		t.Errorf("got the log %+v, want the estimated input charged, and no second attempt", log)
	}
}

func TestEmbeddings_FailOverToAnotherChannelOfTheModel(t *testing.T) {
	for name, first := range map[string]http.HandlerFunc{
		"500":                 relaytest.Status(500, `{}`),
		"429":                 relaytest.Status(429, `{}`),
		"404 without a model": relaytest.Status(404, `{"detail":"Not Found"}`),
		"403": relaytest.Status(403,
			`{"error":{"message":"You are not allowed to generate embeddings from this model"}}`),
		"200 with an error":      relaytest.Status(200, `{"error":{"message":"no"}}`),
		"200 with something":     relaytest.Status(200, relaytest.Completion),
		"the connection is lost": relaytest.Aborts(),
	} {
		t.Run(name, func(t *testing.T) {
			h := relaytest.New(t)
			h.SetUpstreams(first, relaytest.Status(200, vectors))
			got := postEmbeddings(h, `{"model":"cheap","input":"x"}`)
			if got.Status != 200 || got.Header.Get("X-Tollgate-Channel") != "second" {
				t.Fatalf("got %d %s", got.Status, got.Body)
			}
			if log := h.Log(got); len(log.Attempts) != 2 || log.Usage.Input != 8 {
				t.Errorf("got the log %+v", log)
			}
		})
	}
}

func TestEmbeddings_AreRefusedWithTheField(t *testing.T) {
	h := relaytest.New(t)
	missing := relaytest.Status(404, `{"detail":"Not Found"}`)
	h.SetUpstreams(missing, missing)
	onAnthropic := embeddingsOn(t, "anthropic", "messages")
	for name, c := range map[string]struct {
		h                 *relaytest.Relay
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
			got := postEmbeddings(c.h, c.body)
			var e struct{ Error struct{ Param, Code string } }
			if err := json.Unmarshal([]byte(got.Body), &e); err != nil || got.Status != c.status ||
				e.Error.Param != c.param || e.Error.Code != c.code {
				t.Errorf("got %d %s", got.Status, got.Body)
			}
		})
	}
}

func TestEmbeddings_AreTranslatedForGemini(t *testing.T) {
	h := embeddingsOn(t, "gemini", "gemini")
	var path, sent, answer string
	h.ServeSecond(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		path, sent = r.URL.Path, string(raw)
		relaytest.Status(200, answer)(w, r)
	})
	answer = `{"embedding":{"values":[0.50,-2.5e-1]}}`
	got := postEmbeddings(h, `{"model":"renamed","input":"hello world","dimensions":2,"user":"ann"}`)
	want :=
		`{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.50,-2.5e-1]}],"model":"renamed","usage":{"prompt_tokens":2,"total_tokens":2}}`
	if got.Status != 200 || got.Body != want {
		t.Errorf("got %d %s, want %s", got.Status, got.Body, want)
	}
	if path != "/v1/models/up-1:embedContent" ||
		sent != `{"model":"models/up-1","content":{"parts":[{"text":"hello world"}]},"outputDimensionality":2}` {
		t.Errorf("the upstream got %s: %s", path, sent)
	}
	if log := h.Log(got); log.Usage.Input != 2 || !log.Estimated || log.Dialect != "embeddings" ||
		log.EndUser != "ann" || log.Attempts[0].Dialect != "gemini" {
		t.Errorf("got the log %+v", log)
	}

	answer = `{"embeddings":[{"values":[0.5]},{"values":[-0.25]}],"usageMetadata":{"promptTokenCount":11}}`
	got = postEmbeddings(h, `{"model":"renamed","input":["a","b\n"],"encoding_format":"base64"}`)
	half, quarter := base64.StdEncoding.EncodeToString([]byte{0, 0, 0, 0x3f}),
		base64.StdEncoding.EncodeToString([]byte{0, 0, 0x80, 0xbe})
	want = `{"object":"list","data":[{"object":"embedding","index":0,"embedding":"` + half +
		`"},{"object":"embedding","index":1,"embedding":"` + quarter +
		`"}],"model":"renamed","usage":{"prompt_tokens":11,"total_tokens":11}}`
	if got.Body != want || path != "/v1/models/up-1:batchEmbedContents" ||
		sent !=
			`{"requests":[{"model":"models/up-1","content":{"parts":[{"text":"a"}]}},{"model":"models/up-1","content":{"parts":[{"text":"b\n"}]}}]}` {
		t.Errorf("got %s from %s with %s", got.Body, path, sent)
	}
	if log := h.Log(got); log.Usage.Input != 11 || log.Estimated {
		t.Errorf("got the log %+v", log)
	}

	answer = `{"embeddings":[{"values":[0.5]}]}`
	if got := postEmbeddings(h, `{"model":"renamed","input":["a","b"]}`); got.Status != 502 {
		t.Errorf("one vector for two texts: got %d %s", got.Status, got.Body)
	}
	for param, body := range map[string]string{
		"input":           `"input":[1,2]`,
		"dimensions":      `"input":"x","dimensions":0`,
		"encoding_format": `"input":"x","encoding_format":"int8"`,
		"task":            `"input":"x","task":"search"`,
	} {
		if got := postEmbeddings(h, `{"model":"renamed",`+body+`}`); got.Status != 400 ||
			!strings.Contains(got.Body, `"param":"`+param+`"`) {
			t.Errorf("%s: got %d %s", body, got.Status, got.Body)
		}
	}
	if got := postEmbeddings(h, `{"model":"renamed","input":null}`); got.Status != 400 ||
		!strings.Contains(got.Body, `"param":"input"`) {
		t.Errorf("no input: got %d %s", got.Status, got.Body)
	}
	if got := postEmbeddings(h, `{"model":"renamed","input":[`+strings.Repeat(`"x",`, 100)+`"x"]}`); got.Status != 400 ||
		!strings.Contains(got.Body, "at most 100 texts") {
		t.Errorf("101 texts: got %d %s", got.Status, got.Body)
	}
}

func TestEmbeddings_LeaveAChannelsPromptAndParametersOut(t *testing.T) {
	h := relaytest.NewWith(t, strings.Replace(relaytest.Manifest, "priority: 0}",
		"priority: 0, settings: {system_prompt: Be "+
			"brief., parameters: {temperature: 0, dimensions: 3}, quirks: [system_role]}}", 1))
	h.ServeFirst(relaytest.Status(200, vectors))
	for _, c := range [][2]string{
		{`{"model":"cheap","input":"x"}`, `{"model":"cheap","input":"x"}`},
		{`{"model":"cheap","input":"x","dimensions":2}`, `{"model":"cheap","input":"x","dimensions":3}`},
	} {
		if got := postEmbeddings(h, c[0]); got.Status != 200 || h.LastBody() != c[1] {
			t.Errorf("got %d; the upstream got %s", got.Status, h.LastBody())
		}
	}
}

func TestEmbeddings_AreSentAgainForAnIdempotencyKey(t *testing.T) {
	h := relaytest.New(t)
	h.ServeFirst(relaytest.Status(200, vectors))
	first := postEmbeddings(h, `{"model":"cheap","input":"x"}`, "Idempotency-Key", "once")
	again := postEmbeddings(h, `{"model":"cheap","input":"x"}`, "Idempotency-Key", "once")
	if again.Status != 200 || again.Body != first.Body || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("got %d %s", again.Status, again.Body)
	}
	h.Log(first)
	h.ExpectLogs(1)
}
