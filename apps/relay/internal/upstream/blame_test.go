package upstream_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest/responsetest"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// missing are the answers of upstreams that do not have the model.
var missing = map[string]http.HandlerFunc{
	"a numeric code": relaytest.Status(404,
		`{"error":{"message":"No endpoints found for acme/small:free.","code":404}}`),
	"model_not_found": relaytest.Status(404,
		`{"error":{"message":"The model 'cheap' does not exist","type":"invalid_request_error","code":"model_not_found"}}`),
	"a detail": relaytest.Status(404, `{"detail":"Not Found"}`),
	"retired":  relaytest.Status(410, `{"error":{"message":"The model is retired"}}`),
	"a 400":    relaytest.Status(400, `{"error":{"message":"No such model","code":"model_not_found"}}`),
	"a page": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("<html>404</html>"))
	},
}

// The gateway has chosen the upstream's id of the model, so the client's model is not at fault.
func TestMissingModel_IsTheFaultOfTheChannel(t *testing.T) {
	for name, upstream := range missing {
		t.Run(name, func(t *testing.T) {
			for front, ask := range map[string]func(*relaytest.Relay) relaytest.Reply{
				"chat": func(h *relaytest.Relay) relaytest.Reply {
					return h.Post(token, relaytest.ChatBody("cheap", ""))
				},
				"stream": func(h *relaytest.Relay) relaytest.Reply {
					return h.Post(token, relaytest.ChatBody("cheap", `,"stream":true`))
				},
				"responses": func(h *relaytest.Relay) relaytest.Reply {
					return h.Do(http.MethodPost, relaytest.ResponsesPath, token, responsetest.Body(""))
				},
			} {
				h := relaytest.New(t)
				h.SetUpstreams(upstream, relaytest.Answer)
				got := ask(h)
				if got.Status != 200 {
					t.Fatalf("%s: got %d %s, want the answer of the second channel", front, got.Status, got.Body)
				}
				if log := h.Log(got); log.Outcome != usage.Success || len(log.Attempts) != 2 ||
					log.Attempts[0].Error != "status" {
					t.Errorf("%s: usage log: got %+v", front, log)
				}
				h.SetUpstreams(upstream, upstream)
				if got = ask(h); got.Status != http.StatusBadGateway || strings.Contains(got.Body, "small") {
					t.Errorf("%s: all channels: got %d %s, want 502 without the upstream's text", front,
						got.Status, got.Body)
				}
			}
		})
	}
}

func TestTranslation_ThatAnUpstreamRefusesIsNotTheFaultOfTheClient(t *testing.T) {
	refuses := relaytest.Status(400,
		`{"error":{"message":"Unknown parameter: 'messages[0].id'.","type":"invalid_request_error","param":"messages[0].id","code":"unknown_parameter"}}`)
	h := relaytest.New(t)
	h.SetUpstreams(refuses, relaytest.Answer)
	got := h.Do(http.MethodPost, relaytest.ResponsesPath, token, responsetest.Body(""))
	if got.Status != 200 {
		t.Fatalf("got %d %s, want the answer of the second channel", got.Status, got.Body)
	}
	if log := h.Log(got); len(log.Attempts) != 2 || log.Attempts[0].Error != "translation_rejected" ||
		log.Attempts[0].Status != 400 {
		t.Errorf("attempts: got %+v", log.Attempts)
	}

	h.SetUpstreams(refuses, refuses)
	got = h.Do(http.MethodPost, relaytest.ResponsesPath, token, responsetest.Body(""))
	relaytest.CheckError(t, got.Body, "upstream_error", "translation_rejected", nil)
	if got.Status != http.StatusBadGateway || got.Header.Get("X-Should-Retry") != "false" ||
		!strings.Contains(got.Body, got.Header.Get("X-Request-Id")) || strings.Contains(got.Body, "messages[0]") {
		t.Errorf("got %d %v %s, want 502 with the request id", got.Status, got.Header, got.Body)
	}
	if log := h.Log(got); log.Outcome != usage.Failed || log.Error != "translation_rejected" || len(log.Attempts) != 2 {
		t.Errorf("usage log: got %+v", log)
	}

	h.SetUpstreams(relaytest.Status(400,
		`{"error":{"message":"This model's maximum context length is 128 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`), relaytest.Answer)
	got = h.Do(http.MethodPost, relaytest.ResponsesPath, token, responsetest.Body(""))
	if log := h.Log(got); got.Status != 400 || !strings.Contains(got.Body, "context_length_exceeded") ||
		len(log.Attempts) != 1 || log.Error != "upstream_rejected" {
		t.Errorf("a conversation that is too long: got %d %s, usage log %+v", got.Status, got.Body, log)
	}

	h.SetUpstreams(refuses, relaytest.Answer)
	got = h.Post(token, relaytest.ChatBody("cheap", ""))
	if log := h.Log(got); got.Status != 400 || !strings.Contains(got.Body, "unknown_parameter") ||
		len(log.Attempts) != 1 {
		t.Errorf("without translation: got %d %s, usage log %+v", got.Status, got.Body, log)
	}
}

// An answer that was billed is not asked for again, and not at another channel.
func TestAnswer_ThatWasBilledIsNotTriedAgain(t *testing.T) {
	for name, body := range map[string]string{
		"no choices":      `{"id":"c1","object":"chat.completion","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":500}}`,
		"half a call":     `{"id":"c1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","tool_calls":[{"type":"strange"}]},"finish_reason":"error"}],"usage":{"prompt_tokens":1000,"completion_tokens":500}}`,
		"an error, usage": `{"error":{"message":"failed"},"usage":{"prompt_tokens":1000,"completion_tokens":500}}`,
	} {
		t.Run(name, func(t *testing.T) {
			h := relaytest.New(t)
			h.SetUpstreams(relaytest.Status(200, body), relaytest.Answer)
			got := h.Do(http.MethodPost, relaytest.ResponsesPath, token, responsetest.Body(""))
			log := h.Log(got)
			if len(log.Attempts) != 1 {
				t.Errorf("got %d %s after %d attempts, want one", got.Status, got.Body, len(log.Attempts))
			}
		})
	}
}

// concerns are refusals that concern one upstream: its key, its account, its limits, or a proxy before it.
var concerns = map[string]http.HandlerFunc{
	"an unknown key of xAI": relaytest.Status(400,
		`{"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***. You can obtain an API key from https://console.x.ai."}`),
	"an unknown key of Google": relaytest.Status(400,
		`[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`),
	"no money at Alibaba Cloud": relaytest.Status(400,
		`{"error":{"code":"Arrearage","type":"Arrearage","message":"Access denied, please make sure your account is in good standing."}}`),
	"no money at OpenAI": relaytest.Status(400,
		`{"error":{"code":"billing_hard_limit_reached","message":"Billing hard limit has been reached"}}`),
	"an organization not checked": relaytest.Status(400,
		`{"error":{"code":"unsupported_value","param":"stream","message":"Your organization must be verified to stream this model."}}`),
	"tokens per minute of Groq": relaytest.Status(413,
		`{"error":{"code":"rate_limit_exceeded","type":"tokens","message":"Request too large for model on tokens per minute (TPM): Limit 6000, Requested 9000"}}`),
	"tokens per minute of OpenAI": relaytest.Status(429,
		`{"error":{"message":"Request too large for gpt-4o in organization org-abcdefgh12345678 on tokens per min (TPM): Limit 30000, Requested 36278. The input or output tokens must be reduced in order to run successfully.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`),
	"capacity of Groq":        relaytest.Status(498, `{"error":{"message":"Flex tier capacity exceeded"}}`),
	"a proxy that gave up":    relaytest.Status(499, ``),
	"a connection of another": relaytest.Status(421, `misdirected`),
	"a page of a proxy": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte("<html><center><h1>400 Bad Request</h1></center><hr><center>nginx</center></html>"))
	},
	"no choice": relaytest.Status(200,
		`{"id":"c1","object":"chat.completion","created":1,"model":"cheap","choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}`),
}

func TestRefusal_OfOneUpstreamIsTriedOnTheNext(t *testing.T) {
	for name, upstream := range concerns {
		t.Run(name, func(t *testing.T) {
			h := relaytest.New(t)
			h.SetUpstreams(upstream, relaytest.Answer)
			if got := h.Post(token, relaytest.ChatBody("cheap", "")); got.Status != 200 {
				t.Errorf("native: got %d %s, want the answer of the second channel", got.Status, got.Body)
			}
			if got := h.Do(http.MethodPost, relaytest.ResponsesPath, token, responsetest.Body("")); got.Status != 200 {
				t.Errorf("translated: got %d %s, want the answer of the second channel", got.Status, got.Body)
			}
		})
	}
}

func TestRefusal_OfALargeRequestReachesTheClient(t *testing.T) {
	for _, name := range []string{"tokens per minute of Groq", "tokens per minute of OpenAI"} {
		t.Run(name, func(t *testing.T) {
			h := relaytest.New(t)
			h.SetUpstreams(concerns[name], concerns[name])
			for range 20 { // the breakers stay closed: a caller must not make channels pause
				if got := h.Post(token, relaytest.ChatBody("cheap", "")); got.Status != 413 ||
					!strings.Contains(got.Body, "Request too large") || strings.Contains(got.Body, "org-") {
					t.Fatalf("got %d %s, want the upstream's refusal with 413", got.Status, got.Body)
				}
			}
			h.ServeFirst(relaytest.Answer)
			if got := h.Post(token, relaytest.ChatBody("cheap", "")); got.Status != 200 ||
				len(h.Log(got).Attempts) != 1 {
				t.Errorf("got %d %s, want the answer of the first channel", got.Status, got.Body)
			}
		})
	}
}

func TestRefusal_OfAllUpstreamsReachesTheClient(t *testing.T) {
	h := relaytest.New(t)
	h.ServeFirst(relaytest.Status(422,
		`{"detail":[{"type":"extra_forbidden","loc":["body","store"],"msg":"Extra inputs are not permitted","input":true}]}`))
	if got := h.Post(token, relaytest.ChatBody("cheap", "")); got.Status != 422 ||
		!strings.Contains(got.Body, `"store: Extra inputs are not permitted"`) {
		t.Errorf("got %d %s, want the fault of the field", got.Status, got.Body)
	}
}
