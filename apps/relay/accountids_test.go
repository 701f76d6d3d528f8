package relay_test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// accountRequests are requests of all endpoints that refer to something in the upstream's account. %s is the id, and
// param the field that the refusal names.
var accountRequests = []struct{ name, path, body, param string }{
	{"chat: file", chatPath, `"messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"%s"}}]}]`,
		"messages[0].content[0].file.file_id"},
	{"chat: file, escaped key", chatPath,
		`"messages":[{"role":"user","content":[{"type":"file","file":{"file_\u0069d":"%s"}}]}]`,
		"messages[0].content[0].file.file_id"},
	{"chat: file, second key", chatPath,
		`"messages":[{"role":"user","content":[{"type":"file","file":{"file_data":"data:,","File_ID":"%s"}}]}]`,
		"messages[0].content[0].file.File_ID"},
	{"chat: file, key that Go folds", chatPath,
		`"messages":[{"role":"user","content":[{"type":"file","file":{"ſkill_id":"%s"}}]}]`,
		"messages[0].content[0].file.ſkill_id"},
	{"chat: audio of another answer", chatPath, `"messages":[{"role":"assistant","audio":{"id":"%s"}}]`,
		"messages[0].audio.id"},
	{"chat: audio, escaped keys", chatPath, `"messages":[{"role":"assistant","\u0061udio":{"\u0069d":"%s"}}]`,
		"messages[0].audio.id"},
	{"chat: voice", chatPath, `"messages":[],"audio":{"voice":{"id":"%s"}}`, "audio.voice.id"},
	{"chat: cached content", chatPath, `"messages":[],"extra_body":{"google":{"cached_content":"%s"}}`,
		"extra_body.google.cached_content"},
	{"chat: previous response", chatPath, `"messages":[],"previous_response_id":"%s"`, "previous_response_id"},
	{"chat: store", chatPath, `"messages":[],"tools":[{"type":"file_search","vector_store_ids":["%s"]}]`,
		"tools[0].vector_store_ids[0]"},
	{"messages: document", messagesPath,
		`"max_tokens":9,"messages":[{"role":"user","content":[{"type":"document","source":{"type":"file","file_id":"%s"}}]}]`, "messages[0].content[0].source.file_id"},
	{"messages: image, escaped key", messagesPath,
		`"max_tokens":9,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"file","\u0066ile_id":"%s"}}]}]`, "messages[0].content[0].source.file_id"},
	{"messages: upload", messagesPath,
		`"max_tokens":9,"messages":[{"role":"user","content":[{"type":"container_upload","file_id":"%s"}]}]`,
		"messages[0].content[0].file_id"},
	{"messages: container", messagesPath, `"max_tokens":9,"messages":[],"container":"%s"`, "container"},
	{"messages: container with skills", messagesPath, `"max_tokens":9,"messages":[],"container":{"id":"%s"}`,
		"container.id"},
	{"messages: skill", messagesPath,
		`"max_tokens":9,"messages":[],"container":{"skills":[{"type":"custom","skill_id":"%s"}]}`,
		"container.skills[0].skill_id"},
	{"count of a message", messagesPath + "/count_tokens",
		`"messages":[{"role":"user","content":[{"type":"document","source":{"type":"file","file_id":"%s"}}]}]`,
		"messages[0].content[0].source.file_id"},
	{"count of a response", responsesPath + "/input_tokens",
		`"input":[{"role":"user","content":[{"type":"input_file","file_id":"%s"}]}]`, "input[0].content[0].file_id"},
	{"compaction", responsesPath + "/compact",
		`"input":[{"role":"user","content":[{"type":"input_file","file_id":"%s"}]}]`, "input[0].content[0].file_id"},
	{"embeddings", "/v1/embeddings", `"input":"x","file_id":"%s"`, "file_id"},
	{"responses: prompt as text", responsesPath, `"input":"x","prompt":"%s"`, "prompt"},
	{"responses: variable named metadata", responsesPath,
		`"input":"x","prompt":{"variables":{"metadata":{"type":"input_file","file_id":"%s"}}}`,
		"prompt.variables.metadata.file_id"},
	{"responses: variable named headers", responsesPath,
		`"input":"x","prompt":{"variables":{"headers":{"type":"input_file","file_id":"%s"}}}`,
		"prompt.variables.headers.file_id"},
	{"responses: key that Go folds", responsesPath,
		`"input":"x","tools":[{"type":"file_search","vector_ſtore_ids":["%s"]}]`, "tools[0].vector_ſtore_ids[0]"},
	{"responses: outside of the usual fields", responsesPath, `"input":"x","attachments":[{"file_id":"%s"}]`,
		"attachments[0].file_id"},
}

// accountID is an id of the upstream's account that the gateway gave to nobody.
const accountID = "file-OF-ALPHA"

func TestAccountIDs_ReachNoSharedAccount(t *testing.T) {
	for channel, manifest := range map[string]string{
		"chat":      manifestYAML,
		"responses": strings.ReplaceAll(responsesManifest, "endpoints: [chat, responses]", "endpoints: [responses]"),
		"messages": strings.NewReplacer("endpoints: [messages],", "endpoints: [messages], unpriced: allow,").
			Replace(messagesManifest),
	} {
		t.Run("on a channel that speaks "+channel, func(t *testing.T) {
			h := newRelayWith(t, manifest)
			var reached atomic.Int32
			count := func(w http.ResponseWriter, _ *http.Request) { reached.Add(1); w.WriteHeader(http.StatusTeapot) }
			h.setUpstreams(count, count)
			for _, request := range accountRequests {
				for _, id := range []string{accountID, "msg_0123456789abcdef0123456789abcdef_0"} {
					for _, extra := range []string{"", `,"stream":true`} {
						if extra != "" && (request.path == "/v1/embeddings" || strings.Count(request.path, "/") > 2 &&
							request.path != chatPath) {
							continue // has no stream
						}
						got := h.do("POST", request.path, token,
							`{"model":"cheap",`+fmt.Sprintf(request.body, id)+extra+`}`)
						if got.status != 400 || !strings.Contains(got.body, "'"+request.param+"'") {
							t.Errorf("%s, %s%s: got %d %s, want 400 that names %s", request.name, id, extra, got.status,
								got.body, request.param)
						}
					}
				}
			}
			if n := reached.Load(); n > 0 {
				t.Errorf("the upstream received %d requests", n)
			}
		})
	}
}

func TestAccountIDs_OfAReferenceInTheGatewaysFormAreResolvedHowEverTheyAreSpelled(t *testing.T) {
	h := newRelayWith(t, responsesManifest)
	upstream := marking(h)
	for _, item := range []string{
		`{"type":"item_reference","\u0069d":"msg_0123456789abcdef0123456789abcdef_0"}`,
		`{"i\u0064":"msg_0123456789abcdef0123456789abcdef_0"}`,
		`{"type":"item_reference","ID":"msg_0123456789abcdef0123456789abcdef_0"}`,
	} {
		if got := h.sendInput(token, `[`+item+`]`, ""); got.status != 404 && got.status != 400 ||
			len(upstream.requests()) > 0 {
			t.Errorf("%s: got %d %s, want 400 or 404", item, got.status, got.body)
		}
	}
}

func TestAccountIDs_PassToTheTenantsOwnAccount(t *testing.T) {
	for name, row := range map[string]struct{ from, to, path, body string }{
		"chat": {"endpoints: [chat]", "endpoints: [chat]", chatPath,
			`{"model":"cheap","messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"file-1"}}]}],"n":1}`},
		"chat, translated": {"endpoints: [chat]", "endpoints: [responses]", chatPath,
			`{"model":"cheap","messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"file-1"}}]}],"n":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			manifest := strings.Replace(manifestYAML, `quota: "0.001"`, `quota: "10"`, 1)
			manifest = strings.Replace(manifest, `models: {cheap: cheap}, priority: 1}`,
				`models: {cheap: cheap}, priority: 1, settings: {account_of: acme}}`, 1)
			h := newRelayWith(t, strings.ReplaceAll(manifest, row.from, row.to))
			var shared, own atomic.Int32
			var sent atomic.Value
			h.setUpstreams(
				func(w http.ResponseWriter, _ *http.Request) { shared.Add(1); w.WriteHeader(http.StatusTeapot) },
				func(w http.ResponseWriter, r *http.Request) {
					own.Add(1)
					body, _ := io.ReadAll(r.Body)
					sent.Store(string(body))
					w.WriteHeader(http.StatusTeapot)
				},
			)
			h.do("POST", row.path, token, row.body)
			if body, _ := sent.Load().(string); own.Load() != 1 || !strings.Contains(body, `"file_id":"file-1"`) {
				t.Errorf("the tenant's account received %d requests, the last one %q", own.Load(), body)
			}
			if got := h.do("POST", row.path, smallToken, row.body); got.status != 400 || own.Load() != 1 {
				t.Errorf("another tenant: got %d %s, want 400", got.status, got.body)
			}
			if shared.Load() > 0 {
				t.Error("the shared account received a request with an id")
			}
		})
	}
}

func TestAccountIDs_WithTheTenantsMarkPassInChat(t *testing.T) {
	manifest := strings.NewReplacer(`quota: "0.001"`, `quota: "10"`, "endpoints: [chat, responses]",
		"endpoints: [responses]").Replace(responsesManifest)
	h := newRelayWith(t, manifest)
	upstream := marking(h)
	file := idsOf(t, h.sendInput(token, `"hello"`, "").body)["file-1"]
	for name, path := range map[string]string{"chat": chatPath, "messages": messagesPath} {
		part := fmt.Sprintf(`{"type":"file","file":{"file_id":%q}}`, file)
		if path == messagesPath {
			part = fmt.Sprintf(`{"type":"document","source":{"type":"file","file_id":%q}}`, file)
		}
		body := `{"model":"cheap","max_tokens":16,"messages":[{"role":"user","content":[` + part + `]}]}`
		before := len(upstream.requests())
		if got := h.do("POST", path, smallToken, body); got.status != 400 || len(upstream.requests()) != before {
			t.Errorf("%s, another tenant: got %d %s, want 400", name, got.status, got.body)
		}
		if path == messagesPath {
			continue // no other dialect has its form of files
		}
		if got := h.do("POST", path, token, body); got.status != 200 ||
			!strings.Contains(upstream.latest().body, `"file_id":"file-1"`) {
			t.Errorf("%s: got %d %s; the upstream received %s", name, got.status, got.body, upstream.latest().body)
		}
	}
}

// The audio of an answer is an id of the upstream's account, too. A conversation continues with it on the channel that
// gave it, and nobody else can refer to it.
func TestAccountIDs_OfAudioContinueAConversation(t *testing.T) {
	manifest := strings.NewReplacer(`quota: "0.001"`, `quota: "10"`, "endpoints: [chat]",
		"endpoints: [chat], unpriced: allow").Replace(manifestYAML)
	h := newRelayWith(t, manifest)
	var bodies []string
	var mu sync.Mutex
	h.serveFirst(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		bodies = append(bodies, string(body))
		mu.Unlock()
		if strings.Contains(string(body), `"stream":true`) {
			stream(w,
				`data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","audio":{"id":"audio_1"}}}]}`+"\n\n",
				`data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"audio":{"data":"UklG","transcript":"hi"}},"finish_reason":"stop"}]}`+"\n\n",
				`data: {"id":"c","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`+"\n\n", "data: [DONE]\n\n")
			return
		}
		status(200,
			`{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,"audio":{"id":"audio_1","data":"UklG","transcript":"hi"}},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`)(w, r)
	})
	for _, extra := range []string{"", `,"stream":true`} {
		ask := func(by, messages string) reply {
			return h.do("POST", chatPath, by,
				`{"model":"cheap","modalities":["text","audio"],"audio":{"voice":"alloy","format":"wav"},"messages":[`+
					messages+`]`+extra+`}`)
		}
		first := ask(token, `{"role":"user","content":"hello"}`)
		found := regexp.MustCompile(`"audio":\{"id":"([^"]+)"`).FindStringSubmatch(first.body)
		if first.status != 200 || len(found) != 2 || found[1] == "audio_1" ||
			!strings.Contains(first.body, `"data":"UklG"`) {
			t.Fatalf("stream %q: got %d %s, want audio with a marked id", extra, first.status, first.body)
		}
		again := `{"role":"assistant","audio":{"id":"` + found[1] + `"}},{"role":"user","content":"go on"}`
		if got := ask(token, again); got.status != 200 ||
			!strings.Contains(bodies[len(bodies)-1], `"audio":{"id":"audio_1"}`) {
			t.Errorf("stream %q: got %d %s; the upstream received %s", extra, got.status, got.body,
				bodies[len(bodies)-1])
		}
		before := len(bodies)
		if got := ask(smallToken, again); got.status != 400 || len(bodies) != before {
			t.Errorf("stream %q: another tenant got %d %s, want 400", extra, got.status, got.body)
		}
	}
}
