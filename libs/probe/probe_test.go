package probe_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/probe"
	"github.com/tollgate/tollgate/libs/provider/registry"
	"github.com/tollgate/tollgate/libs/seal"
)

const (
	secret     = "sk-a-secret-credential-0123"
	completion = `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"content":"pong"}}]}`
)

// asked is a request that the upstream received.
type asked struct{ method, path, authorization, body string }

// upstream starts an upstream with a fixed response. It returns a channel with one credential, and the last request.
func upstream(t *testing.T, status int, answer string) (*catalog.Channel, *asked) {
	t.Helper()
	seen := &asked{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*seen = asked{r.Method, r.URL.Path, r.Header.Get("Authorization"), string(body)}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	sealed, err := seal.New([32]byte{1}).SealCredential(secret)
	if err != nil {
		t.Fatal(err)
	}
	return &catalog.Channel{
		Type: "openai", BaseURL: server.URL + "/v1/", Credentials: []catalog.SealedSecret{sealed},
		Dialects: []catalog.Dialect{catalog.Chat, catalog.Responses}, Models: map[string]string{"m": "up-m"},
	}, seen
}

func TestCheck_ClassifiesTheResponse(t *testing.T) {
	p := probe.New(seal.New([32]byte{1}), registry.Lookup, address.Policy{})
	for _, row := range []struct {
		status  int
		answer  string
		word    string
		refusal catalog.DisabledReason
	}{
		{200, `{"data":[]}`, "", ""},
		{401, `{"error":{"message":"bad key ` + secret + `"}}`, probe.ErrorCredential, catalog.ReasonDenied},
		{402, ``, probe.ErrorUnpaid, catalog.ReasonUnpaid},
		{429, `{}`, probe.ErrorRateLimited, ""},
		{404, `not here`, probe.ErrorRejected, ""},
		{500, `{}`, probe.ErrorStatus, ""},
	} {
		channel, seen := upstream(t, row.status, row.answer)
		key := p.Credentials(channel)[0]
		result, able := p.Check(t.Context(), channel, key)
		if !able || result.Status != row.status || result.Error != row.word || result.Refusal != row.refusal ||
			result.Latency <= 0 {
			t.Errorf("status %d: got %+v, want error %q and refusal %q", row.status, result, row.word, row.refusal)
		}
		if want := (asked{"GET", "/v1/models", "Bearer " + secret, ""}); *seen != want {
			t.Errorf("status %d: got request %+v, want %+v", row.status, *seen, want)
		}
		if strings.Contains(result.Detail, secret) {
			t.Errorf("the result shows the credential: %s", result.Detail)
		}
	}
}

func TestCheck_ReturnsFalseWhenTheChannelCannotBeProbed(t *testing.T) {
	p := probe.New(seal.New([32]byte{1}), registry.Lookup, address.Policy{})
	if _, able := p.Check(t.Context(), &catalog.Channel{Type: "echo"}, probe.Credential{}); able {
		t.Error("a channel of the type echo, which cannot be probed, was probed")
	}
	if _, able := p.Check(t.Context(), &catalog.Channel{Type: "pigeon"}, probe.Credential{}); able {
		t.Error("a channel of an unknown type was probed")
	}
	result, _ := p.Check(t.Context(), &catalog.Channel{Type: "openai", BaseURL: "http://127.0.0.1:1"},
		probe.Credential{})
	if result.Error != probe.ErrorUnreachable || result.Status != 0 || result.Detail == "" {
		t.Errorf("closed port: got %+v, want error %q", result, probe.ErrorUnreachable)
	}
	channel, _ := upstream(t, 200, "")
	if key := probe.New(seal.New([32]byte{2}), registry.Lookup, address.Policy{}).
		Credentials(channel)[0]; key.Plain != "" || key.Fingerprint != "" || key.Mask == "" {
		t.Errorf("credential of another secret key: got %+v, want only a mask", key)
	}
}

func TestTry_SendsASmallCallAndChecksTheResponse(t *testing.T) {
	p := probe.New(seal.New([32]byte{1}), registry.Lookup, address.Policy{})
	onGemini := func(c *catalog.Channel) { c.Type, c.Dialects = "gemini", []catalog.Dialect{catalog.Gemini} }
	for _, row := range []struct {
		name    string
		dialect catalog.Dialect
		change  func(*catalog.Channel)
		answer  string
		path    string
		body    string
		word    string
	}{
		{"chat", catalog.Chat, nil, completion, "/v1/chat/completions", `"max_completion_tokens":1,`, ""},
		{"chat with max_tokens", catalog.Chat, func(c *catalog.Channel) {
			c.Settings.Quirks = []catalog.Quirk{catalog.OldMaxTokens}
		}, completion, "/v1/chat/completions", `"max_tokens":1,`, ""},
		{"responses", catalog.Responses, nil, `{"output":[]}`, "/v1/responses", `"input":"ping"`, ""},
		{"embeddings", catalog.Embeddings, nil, `{"data":[]}`, "/v1/embeddings", `"input":"ping"`, ""},
		{"embeddings of a server without them", catalog.Embeddings, nil, completion, "/v1/embeddings", `"input":"ping"`,
			probe.ErrorMalformed},
		{"embeddings of gemini", catalog.Embeddings, onGemini, `{"embedding":{"values":[0.5]}}`,
			"/v1/models/up-m:embedContent", `"text":"ping"`, ""},
		{"200 with an error", catalog.Chat, nil, `{"error":{"message":"no"}}`, "/v1/chat/completions", "up-m",
			probe.ErrorMalformed},
		{"200 with HTML", catalog.Chat, nil, `<html>`, "/v1/chat/completions", "up-m", probe.ErrorMalformed},
	} {
		channel, seen := upstream(t, 200, row.answer)
		if row.change != nil {
			row.change(channel)
		}
		result := p.Try(t.Context(), channel, p.Credentials(channel)[0], "m", row.dialect)
		if result.Error != row.word || result.Status != 200 {
			t.Errorf("%s: got %+v, want status 200 and error %q", row.name, result, row.word)
		}
		if seen.path != row.path || !strings.Contains(seen.body, row.body) || !strings.Contains(seen.body, `up-m"`) {
			t.Errorf("%s: got request %+v, want path %s and a body with %s", row.name, *seen, row.path, row.body)
		}
	}
	echo := &catalog.Channel{Type: "echo", Dialects: []catalog.Dialect{catalog.Chat},
		Models: map[string]string{"m": "m"}}
	if result := p.Try(t.Context(), echo, probe.Credential{}, "m", catalog.Chat); result.Error != "" ||
		result.Status != 200 {
		t.Errorf("echo: got %+v, want success", result)
	}
	messages := &catalog.Channel{Type: "anthropic", Dialects: []catalog.Dialect{catalog.Messages},
		Models: map[string]string{"m": "m"}}
	if result := p.Try(t.Context(), messages, probe.Credential{}, "m", catalog.Embeddings); result.Error !=
		probe.ErrorUnsupported {
		t.Errorf("embeddings of a channel that speaks messages: got %+v, want that it is not supported", result)
	}
}

func TestDialectOf_PrefersChat(t *testing.T) {
	both := &catalog.Channel{Dialects: []catalog.Dialect{catalog.Responses, catalog.Chat},
		Models: map[string]string{"b": "x", "a": "y"}}
	responses := &catalog.Channel{Dialects: []catalog.Dialect{catalog.Responses}}
	messages := &catalog.Channel{Dialects: []catalog.Dialect{catalog.Messages}}
	if probe.DialectOf(both) != catalog.Chat || probe.DialectOf(responses) != catalog.Responses ||
		probe.DialectOf(messages) != catalog.Chat {
		t.Error("DialectOf returned the wrong dialect")
	}
	if probe.ModelOf(both) != "a" || probe.ModelOf(responses) != "" {
		t.Error("ModelOf did not return the first model")
	}
}
