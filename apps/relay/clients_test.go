package relay_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest/responsetest"
	"github.com/tollgate/tollgate/libs/core/usage"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing them")

// clientsYAML declares a model on a channel of each kind. strict refuses requests of which a field would be ignored.
const clientsYAML = `
groups:
  - {name: default, models: ["*"]}
models:
  - {id: chat, owned_by: acme, price: {input: "1", output: "4"}}
  - {id: responses, owned_by: acme, price: {input: "1", output: "4", tools: {web_search: "0.01"}}}
  - {id: messages, owned_by: acme, price: {input: "1", output: "4"}}
  - {id: gemini, owned_by: acme, price: {input: "1", output: "4"}}
  - {id: vertex, owned_by: acme, price: {input: "1", output: "4"}}
  - {id: strict, owned_by: acme, price: {input: "1", output: "4"}}
  - {id: either, owned_by: acme, price: {input: "1", output: "4"}}
  - {id: failover, owned_by: acme, price: {input: "1", output: "4"}}
channels:
  - {name: chat, type: openai, base_url: "${FIRST}/v1", endpoints: [chat], models: {chat: up}}
  - {name: responses, type: openai, base_url: "${FIRST}/v1", endpoints: [responses], models: {responses: up}}
  - {name: messages, type: anthropic, base_url: "${FIRST}", endpoints: [messages], models: {messages: claude-sonnet-4-5}}
  - {name: gemini, type: gemini, base_url: "${FIRST}/v1beta", endpoints: [gemini], models: {gemini: gemini-2.5-flash, failover: gemini-2.5-flash}}
  - {name: vertex, type: gemini, base_url: "${FIRST}/v1/projects/p/locations/l/publishers/google", endpoints: [gemini], models: {vertex: gemini-2.5-flash}}
  - {name: strict, type: gemini, base_url: "${FIRST}/v1beta", endpoints: [gemini], models: {strict: gemini-2.5-flash, either: gemini-2.5-flash}, settings: {ignored_fields: refuse}}
  - {name: after, type: openai, base_url: "${FIRST}/v1", endpoints: [chat], models: {either: up, failover: up}, priority: 1}
tenants:
  - slug: acme
    name: Acme
    quota: "100.00"
    users:
      - email: owner@acme.example
        password: "a-long-password"
        role: owner
        group: default
        tokens:
          - {name: main, value: "a-token-for-the-tests"}
`

const geminiAnswer = `{"candidates":[{"content":{"role":"model","parts":[{"text":"hi there"}]},"finishReason":"STOP","index":0}],` +
	`"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":2,"totalTokenCount":9}}`

// anyDialect is an upstream that speaks every dialect, by the path.
func anyDialect(w http.ResponseWriter, r *http.Request) {
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/messages"):
		relaytest.SendMessage(w, r)
	case strings.HasSuffix(path, ":streamGenerateContent"):
		relaytest.Stream(w, "data: "+geminiAnswer+"\n\n")
	case strings.HasSuffix(path, ":generateContent"):
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, geminiAnswer)
	default:
		responsetest.Both(w, r)
	}
}

func newClientsRelay(t *testing.T) *relaytest.Relay {
	t.Helper()
	h := relaytest.NewWith(t, clientsYAML)
	h.ServeFirst(anyDialect)
	return h
}

// clientCase is a request as a program sends it, and what becomes of it on a channel of each kind. The files are in
// testdata/clients; with -update the test writes what it found.
type clientCase struct {
	Source  string          `json:"source"` // where the program's request can be read
	Day     string          `json:"day"`    // when it was read
	Path    string          `json:"path"`
	Request json.RawMessage `json:"request"` // its model is replaced by the name of a kind
	Kinds   map[string]struct {
		Ignored string          `json:"ignored,omitempty"` // the header x-tollgate-ignored-fields
		Sent    json.RawMessage `json:"sent"`              // to the upstream
	} `json:"kinds"`
}

// oneLine returns JSON without white space.
func oneLine(t *testing.T, raw []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return b.String()
}

// withModel returns the body with another model.
func withModel(t *testing.T, body []byte, model string) string {
	t.Helper()
	return strings.Replace(oneLine(t, body), `"model":"MODEL"`, `"model":"`+model+`"`, 1)
}

// closes has the end of a stream by the path.
var closes = map[string]string{relaytest.ChatPath: relaytest.Done, relaytest.ResponsesPath: "event: response.completed",
	relaytest.MessagesPath: "event: message_stop"}

func TestClients_AreServedByEveryKindOfChannel(t *testing.T) {
	files, err := filepath.Glob("testdata/clients/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	h := newClientsRelay(t)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var c clientCase
			if err := json.Unmarshal(raw, &c); err != nil {
				t.Fatal(err)
			}
			if c.Source == "" || c.Day == "" {
				t.Error("the case does not say where and when its request was read")
			}
			for _, kind := range []string{"chat", "responses", "messages", "gemini", "vertex"} {
				want := c.Kinds[kind]
				got := h.Do(http.MethodPost, c.Path, token, withModel(t, c.Request, kind))
				if got.Status != http.StatusOK || got.Header.Get("Content-Type") != "application/json" &&
					!strings.Contains(got.Body, closes[strings.TrimRight(c.Path, "/")]) {
					t.Errorf("%s: got %d %s", kind, got.Status, got.Body)
					continue
				}
				ignored, sent := got.Header.Get("X-Tollgate-Ignored-Fields"), oneLine(t, []byte(h.LastBody()))
				if *update {
					if c.Kinds == nil {
						_ = json.Unmarshal([]byte(`{}`), &c.Kinds)
					}
					want.Ignored, want.Sent = ignored, json.RawMessage(sent)
					c.Kinds[kind] = want
				}
				if ignored != want.Ignored || want.Sent == nil || sent != oneLine(t, want.Sent) {
					t.Errorf("%s: ignored %q, want %q\nsent %s\nwant %s", kind, ignored, want.Ignored, sent, want.Sent)
				}
				if log := h.Log(got); log.Outcome != usage.Success || log.IgnoredFields != ignored {
					t.Errorf("%s: got the usage log %+v, want the ignored fields %q", kind, log, ignored)
				}
			}
			if *update {
				var b bytes.Buffer
				e := json.NewEncoder(&b)
				e.SetEscapeHTML(false)
				e.SetIndent("", "  ")
				if err := e.Encode(c); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
