package stored_test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest/responsetest"
)

// accountRequests are requests of all endpoints that refer to something in the upstream's account. %s is the id, and
// param the field that the refusal names.
var accountRequests = []struct{ name, path, body, param string }{
	{"chat: file", relaytest.ChatPath, `"messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"%s"}}]}]`,
		"messages[0].content[0].file.file_id"},
	{"chat: file, escaped key", relaytest.ChatPath,
		`"messages":[{"role":"user","content":[{"type":"file","file":{"file_\u0069d":"%s"}}]}]`,
		"messages[0].content[0].file.file_id"},
	{"chat: file, second key", relaytest.ChatPath,
		`"messages":[{"role":"user","content":[{"type":"file","file":{"file_data":"data:,","File_ID":"%s"}}]}]`,
		"messages[0].content[0].file.File_ID"},
	{"chat: file, key that Go folds", relaytest.ChatPath,
		`"messages":[{"role":"user","content":[{"type":"file","file":{"ſkill_id":"%s"}}]}]`,
		"messages[0].content[0].file.ſkill_id"},
	{"chat: audio of another answer", relaytest.ChatPath, `"messages":[{"role":"assistant","audio":{"id":"%s"}}]`,
		"messages[0].audio.id"},
	{"chat: audio, escaped keys", relaytest.ChatPath, `"messages":[{"role":"assistant","\u0061udio":{"\u0069d":"%s"}}]`,
		"messages[0].audio.id"},
	{"chat: voice", relaytest.ChatPath, `"messages":[],"audio":{"voice":{"id":"%s"}}`, "audio.voice.id"},
	{"chat: cached content", relaytest.ChatPath, `"messages":[],"extra_body":{"google":{"cached_content":"%s"}}`,
		"extra_body.google.cached_content"},
	{"chat: previous response", relaytest.ChatPath, `"messages":[],"previous_response_id":"%s"`, "previous_response_id"},
	{"chat: store", relaytest.ChatPath, `"messages":[],"tools":[{"type":"file_search","vector_store_ids":["%s"]}]`,
		"tools[0].vector_store_ids[0]"},
	{"messages: document", relaytest.MessagesPath,
		`"max_tokens":9,"messages":[{"role":"user","content":[{"type":"document","source":{"type":"file","file_id":"%s"}}]}]`, "messages[0].content[0].source.file_id"},
	{"messages: image, escaped key", relaytest.MessagesPath,
		`"max_tokens":9,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"file","\u0066ile_id":"%s"}}]}]`, "messages[0].content[0].source.file_id"},
	{"messages: upload", relaytest.MessagesPath,
		`"max_tokens":9,"messages":[{"role":"user","content":[{"type":"container_upload","file_id":"%s"}]}]`,
		"messages[0].content[0].file_id"},
	{"messages: container", relaytest.MessagesPath, `"max_tokens":9,"messages":[],"container":"%s"`, "container"},
	{"messages: container with skills", relaytest.MessagesPath, `"max_tokens":9,"messages":[],"container":{"id":"%s"}`,
		"container.id"},
	{"messages: skill", relaytest.MessagesPath,
		`"max_tokens":9,"messages":[],"container":{"skills":[{"type":"custom","skill_id":"%s"}]}`,
		"container.skills[0].skill_id"},
	{"count of a message", relaytest.MessagesPath + "/count_tokens",
		`"messages":[{"role":"user","content":[{"type":"document","source":{"type":"file","file_id":"%s"}}]}]`,
		"messages[0].content[0].source.file_id"},
	{"count of a response", relaytest.ResponsesPath + "/input_tokens",
		`"input":[{"role":"user","content":[{"type":"input_file","file_id":"%s"}]}]`, "input[0].content[0].file_id"},
	{"compaction", relaytest.ResponsesPath + "/compact",
		`"input":[{"role":"user","content":[{"type":"input_file","file_id":"%s"}]}]`, "input[0].content[0].file_id"},
	{"embeddings", "/v1/embeddings", `"input":"x","file_id":"%s"`, "file_id"},
	{"responses: prompt as text", relaytest.ResponsesPath, `"input":"x","prompt":"%s"`, "prompt"},
	{"responses: variable named metadata", relaytest.ResponsesPath,
		`"input":"x","prompt":{"variables":{"metadata":{"type":"input_file","file_id":"%s"}}}`,
		"prompt.variables.metadata.file_id"},
	{"responses: variable named headers", relaytest.ResponsesPath,
		`"input":"x","prompt":{"variables":{"headers":{"type":"input_file","file_id":"%s"}}}`,
		"prompt.variables.headers.file_id"},
	{"responses: key that Go folds", relaytest.ResponsesPath,
		`"input":"x","tools":[{"type":"file_search","vector_ſtore_ids":["%s"]}]`, "tools[0].vector_ſtore_ids[0]"},
	{"responses: outside of the usual fields", relaytest.ResponsesPath, `"input":"x","attachments":[{"file_id":"%s"}]`,
		"attachments[0].file_id"},
}

// accountID is an id of the upstream's account that the gateway gave to nobody.
const accountID = "file-OF-ALPHA"

func TestAccountIDs_ReachNoSharedAccount(t *testing.T) {
	for channel, manifest := range map[string]string{
		"chat":      relaytest.Manifest,
		"responses": strings.ReplaceAll(responsetest.Manifest, "endpoints: [chat, responses]", "endpoints: [responses]"),
		"messages": strings.NewReplacer("endpoints: [messages],", "endpoints: [messages], unpriced: allow,").
			Replace(relaytest.MessagesManifest),
	} {
		t.Run("on a channel that speaks "+channel, func(t *testing.T) {
			h := relaytest.NewWith(t, manifest)
			var reached atomic.Int32
			count := func(w http.ResponseWriter, _ *http.Request) { reached.Add(1); w.WriteHeader(http.StatusTeapot) }
			h.SetUpstreams(count, count)
			for _, request := range accountRequests {
				for _, id := range []string{accountID, "msg_0123456789abcdef0123456789abcdef_0"} {
					for _, extra := range []string{"", `,"stream":true`} {
						if extra != "" && (request.path == "/v1/embeddings" || strings.Count(request.path, "/") > 2 &&
							request.path != relaytest.ChatPath) {
							continue // has no stream
						}
						got := h.Do("POST", request.path, token,
							`{"model":"cheap",`+fmt.Sprintf(request.body, id)+extra+`}`)
						if got.Status != 400 || !strings.Contains(got.Body, "'"+request.param+"'") {
							t.Errorf("%s, %s%s: got %d %s, want 400 that names %s", request.name, id, extra, got.Status,
								got.Body, request.param)
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
	h := relaytest.NewWith(t, responsetest.Manifest)
	upstream := marking(h)
	for _, item := range []string{
		`{"type":"item_reference","\u0069d":"msg_0123456789abcdef0123456789abcdef_0"}`,
		`{"i\u0064":"msg_0123456789abcdef0123456789abcdef_0"}`,
		`{"type":"item_reference","ID":"msg_0123456789abcdef0123456789abcdef_0"}`,
	} {
		if got := responsetest.PostInput(h, token, `[`+item+`]`, ""); got.Status != 404 && got.Status != 400 ||
			len(upstream.Requests()) > 0 {
			t.Errorf("%s: got %d %s, want 400 or 404", item, got.Status, got.Body)
		}
	}
}

func TestAccountIDs_PassToTheTenantsOwnAccount(t *testing.T) {
	for name, row := range map[string]struct{ from, to, path, body string }{
		"chat": {"endpoints: [chat]", "endpoints: [chat]", relaytest.ChatPath,
			`{"model":"cheap","messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"file-1"}}]}],"n":1}`},
		"chat, translated": {"endpoints: [chat]", "endpoints: [responses]", relaytest.ChatPath,
			`{"model":"cheap","messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"file-1"}}]}],"n":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			manifest := strings.Replace(relaytest.Manifest, `quota: "0.001"`, `quota: "10"`, 1)
			manifest = strings.Replace(manifest, `models: {cheap: cheap}, priority: 1}`,
				`models: {cheap: cheap}, priority: 1, settings: {account_of: acme}}`, 1)
			h := relaytest.NewWith(t, strings.ReplaceAll(manifest, row.from, row.to))
			var shared, own atomic.Int32
			var sent atomic.Value
			h.SetUpstreams(
				func(w http.ResponseWriter, _ *http.Request) { shared.Add(1); w.WriteHeader(http.StatusTeapot) },
				func(w http.ResponseWriter, r *http.Request) {
					own.Add(1)
					body, _ := io.ReadAll(r.Body)
					sent.Store(string(body))
					w.WriteHeader(http.StatusTeapot)
				},
			)
			h.Do("POST", row.path, token, row.body)
			if body, _ := sent.Load().(string); own.Load() != 1 || !strings.Contains(body, `"file_id":"file-1"`) {
				t.Errorf("the tenant's account received %d requests, the last one %q", own.Load(), body)
			}
			if got := h.Do("POST", row.path, relaytest.SmallToken, row.body); got.Status != 400 || own.Load() != 1 {
				t.Errorf("another tenant: got %d %s, want 400", got.Status, got.Body)
			}
			if shared.Load() > 0 {
				t.Error("the shared account received a request with an id")
			}
		})
	}
}

func TestAccountIDs_WithTheTenantsMarkPassInChat(t *testing.T) {
	manifest := strings.NewReplacer(`quota: "0.001"`, `quota: "10"`, "endpoints: [chat, responses]",
		"endpoints: [responses]").Replace(responsetest.Manifest)
	h := relaytest.NewWith(t, manifest)
	upstream := marking(h)
	file := idsOf(t, responsetest.PostInput(h, token, `"hello"`, "").Body)["file-1"]
	for name, path := range map[string]string{"chat": relaytest.ChatPath, "messages": relaytest.MessagesPath} {
		part := fmt.Sprintf(`{"type":"file","file":{"file_id":%q}}`, file)
		if path == relaytest.MessagesPath {
			part = fmt.Sprintf(`{"type":"document","source":{"type":"file","file_id":%q}}`, file)
		}
		body := `{"model":"cheap","max_tokens":16,"messages":[{"role":"user","content":[` + part + `]}]}`
		before := len(upstream.Requests())
		if got := h.Do("POST", path, relaytest.SmallToken, body); got.Status != 400 ||
			len(upstream.Requests()) != before {
			t.Errorf("%s, another tenant: got %d %s, want 400", name, got.Status, got.Body)
		}
		if path == relaytest.MessagesPath {
			continue // no other dialect has its form of files
		}
		if got := h.Do("POST", path, token, body); got.Status != 200 ||
			!strings.Contains(upstream.Latest().Body, `"file_id":"file-1"`) {
			t.Errorf("%s: got %d %s; the upstream received %s", name, got.Status, got.Body, upstream.Latest().Body)
		}
	}
}

// The audio of an answer is an id of the upstream's account, too. A conversation continues with it on the channel that
// gave it, and nobody else can refer to it.
func TestAccountIDs_OfAudioContinueAConversation(t *testing.T) {
	manifest := strings.NewReplacer(`quota: "0.001"`, `quota: "10"`, "endpoints: [chat]",
		"endpoints: [chat], unpriced: allow").Replace(relaytest.Manifest)
	h := relaytest.NewWith(t, manifest)
	var bodies []string
	var mu sync.Mutex
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		bodies = append(bodies, string(body))
		mu.Unlock()
		if strings.Contains(string(body), `"stream":true`) {
			relaytest.Stream(w,
				`data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","audio":{"id":"audio_1"}}}]}`+"\n\n",
				`data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"audio":{"data":"UklG","transcript":"hi"}},"finish_reason":"stop"}]}`+"\n\n",
				`data: {"id":"c","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`+"\n\n", "data: [DONE]\n\n")
			return
		}
		relaytest.Status(200,
			`{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,"audio":{"id":"audio_1","data":"UklG","transcript":"hi"}},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`)(w, r)
	})
	for _, extra := range []string{"", `,"stream":true`} {
		ask := func(by, messages string) relaytest.Reply {
			return h.Do("POST", relaytest.ChatPath, by,
				`{"model":"cheap","modalities":["text","audio"],"audio":{"voice":"alloy","format":"wav"},"messages":[`+
					messages+`]`+extra+`}`)
		}
		first := ask(token, `{"role":"user","content":"hello"}`)
		found := regexp.MustCompile(`"audio":\{"id":"([^"]+)"`).FindStringSubmatch(first.Body)
		if first.Status != 200 || len(found) != 2 || found[1] == "audio_1" ||
			!strings.Contains(first.Body, `"data":"UklG"`) {
			t.Fatalf("stream %q: got %d %s, want audio with a marked id", extra, first.Status, first.Body)
		}
		again := `{"role":"assistant","audio":{"id":"` + found[1] + `"}},{"role":"user","content":"go on"}`
		if got := ask(token, again); got.Status != 200 ||
			!strings.Contains(bodies[len(bodies)-1], `"audio":{"id":"audio_1"}`) {
			t.Errorf("stream %q: got %d %s; the upstream received %s", extra, got.Status, got.Body,
				bodies[len(bodies)-1])
		}
		before := len(bodies)
		if got := ask(relaytest.SmallToken, again); got.Status != 400 || len(bodies) != before {
			t.Errorf("stream %q: another tenant got %d %s, want 400", extra, got.Status, got.Body)
		}
	}
}
