package relay_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The ids that the upstream of these tests gives.
var upstreamIDs = []string{"msg_1", "ci_1", "cntr_1", "file-1", "vs_1"}

const (
	toolItem    = `{"id":"ci_1","type":"code_interpreter_call","status":"completed","code":"1","container_id":"cntr_1","outputs":null}`
	markedItem  = `{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"hi there","annotations":[{"type":"container_file_citation","container_id":"cntr_1","file_id":"file-1"}]}]}`
	markedTools = `,"tools":[{"type":"file_search","vector_store_ids":["vs_1"]},{"type":"function","name":"f","parameters":{"properties":{"file_id":{"type":"string"}},"default":{"file_id":"file-default"}}}],"metadata":{"file_id":"of the client"},`
)

// marking is an upstream whose answers have ids of all kinds. It records the requests.
func marking(h *testRelay) *responsesUpstream {
	upstream := &responsesUpstream{name: "first"}
	h.serveFirst(func(w http.ResponseWriter, r *http.Request) {
		upstream.serve(discard{}, r)
		whole := responseObject("resp_first", "completed", toolItem+","+markedItem, markedTools+responseUsage)
		if !strings.Contains(upstream.latest().body, `"stream":true`) {
			status(200, whole)(w, r)
			return
		}
		stream(w, eventsBefore,
			event(2, "response.output_item.added", `"output_index":0,"item":`+markedItem),
			event(3, "response.output_text.delta",
				`"item_id":"msg_1","output_index":0,"content_index":0,"delta":"say \"item_id\": \"msg_1\""`),
			"event: response.output_text.delta\ndata: {\"type\": \"response.output_text.delta\", \"item_id\": "+
				"\"msg_1\", \"delta\": \"hi\", \"sequence_number\": 4}\n\n",
			event(5, "response.output_item.done", `"output_index":0,"item":`+toolItem),
			state(6, "completed", whole))
	})
	return upstream
}

// discard is a ResponseWriter that keeps nothing.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}

// unmarked returns an answer without the marks on ids.
func unmarked(answer string) string {
	return regexp.MustCompile(`\.tg1[A-Za-z0-9_-]{48}"`).ReplaceAllString(answer, `"`)
}

var markedID = regexp.MustCompile(`"([a-z]+[_-]1)(\.tg1[A-Za-z0-9_-]+)?"`)

// idsOf returns the ids in an answer as the client gets them, by the upstream's ids. Each must be marked, always alike.
func idsOf(t *testing.T, answer string) map[string]string {
	t.Helper()
	ids := map[string]string{}
	for _, found := range markedID.FindAllStringSubmatch(answer, -1) {
		id, mark := found[1], found[2]
		if mark == "" || ids[id] != "" && ids[id] != id+mark {
			t.Errorf("%s: got the marks %q and %q in %s", id, ids[id], mark, answer)
		}
		ids[id] = id + mark
	}
	return ids
}

func TestNativeIDs_AreMarkedInAnswers(t *testing.T) {
	for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			h := newRelayWith(t, responsesManifest)
			marking(h)
			got := h.sendInput(token, `"hello"`, extra)
			ids := idsOf(t, got.body)
			for _, id := range upstreamIDs {
				if ids[id] == "" {
					t.Errorf("the answer lacks %s: %s", id, got.body)
				}
			}
			for _, kept := range []string{`"default":{"file_id":"file-default"}`,
				`"metadata":{"file_id":"of the client"}`} {
				if !strings.Contains(got.body, kept) {
					t.Errorf("the answer lacks %s: %s", kept, got.body)
				}
			}
			if extra != "" && !strings.Contains(got.body, `"delta":"say \"item_id\": \"msg_1\""`) {
				t.Errorf("generated text changed: %s", got.body)
			}
		})
	}
}

// requestsWith are requests that refer to an upstream's id, with the path of the id.
func requestsWith(ids map[string]string) map[string][2]string {
	return map[string][2]string{
		"item_reference": {fmt.Sprintf(`"input":[{"role":"user","content":"x"},{"type":"item_reference","id":%q}]`,
			ids["msg_1"]), "input[1]"},
		"bare reference": {fmt.Sprintf(`"input":[{"id":%q}]`, ids["msg_1"]), "input[0]"},
		"escaped key": {fmt.Sprintf(`"input":[{"type":"item_reference","\u0069d":%q}]`, ids["msg_1"]),
			"input[0]"},
		"key in upper case": {fmt.Sprintf(`"input":[{"type":"item_reference","ID":%q}]`, ids["msg_1"]), "input[0].ID"},
		"tool call": {fmt.Sprintf(`"input":[{"type":"code_interpreter_call","id":%q}]`, ids["ci_1"]),
			"input[0]"},
		"file_id": {fmt.Sprintf(`"input":[{"role":"user","content":[{"type":"input_file","file_id":%q}]}]`,
			ids["file-1"]), "input[0].content[0].file_id"},
		"container": {fmt.Sprintf(`"input":"x","tools":[{"type":"code_interpreter","container":%q}]`,
			ids["cntr_1"]), "tools[0].container"},
		"file_ids": {fmt.Sprintf(
			`"input":"x","tools":[{"type":"code_interpreter","container":{"type":"auto","file_ids":[%q]}}]`,
			ids["file-1"]), "tools[0].container.file_ids[0]"},
		"vector_store_ids": {fmt.Sprintf(`"input":"x","tools":[{"type":"file_search","vector_store_ids":[%q]}]`,
			ids["vs_1"]), "tools[0].vector_store_ids[0]"},
		"prompt.id": {fmt.Sprintf(`"input":"x","prompt":{"id":%q}`, ids["file-1"]), "prompt.id"},
	}
}

func TestNativeIDs_ReachTheUpstreamOnlyForTheirTenant(t *testing.T) {
	one := newRelayWith(t, strings.Replace(responsesManifest, `quota: "0.001"`, `quota: "10"`, 1))
	upstream := marking(one)
	h := one.secondRelay() // any relay knows the marks
	ids := idsOf(t, one.sendInput(token, `"hello"`, "").body)
	plain := map[string]string{}
	for _, id := range upstreamIDs {
		plain[id] = id
	}
	forged := map[string]string{}
	for id, marked := range ids {
		forged[id] = "x" + marked
	}
	for name, request := range requestsWith(ids) {
		t.Run(name, func(t *testing.T) {
			got := h.do("POST", responses, token, `{"model":"cheap",`+request[0]+`}`)
			if got.status != 200 {
				t.Fatalf("the tenant's own id: got %d %s, want 200", got.status, got.body)
			}
			if sent := upstream.latest().body; sent != `{"model":"cheap",`+requestsWith(plain)[name][0]+`}` {
				t.Errorf("the upstream received %s", sent)
			}
			before := len(upstream.requests())
			for whose, attempt := range map[string]struct{ bearer, body string }{
				"another tenant's id":        {smallToken, request[0]},
				"an id of the upstream":      {token, requestsWith(plain)[name][0]},
				"a mark on another id":       {token, requestsWith(forged)[name][0]},
				"another tenant, a plain id": {smallToken, requestsWith(plain)[name][0]},
			} {
				got := h.do("POST", responses, attempt.bearer, `{"model":"cheap",`+attempt.body+`}`)
				if got.status != 400 || !strings.Contains(got.body, "'"+request[1]+"'") {
					t.Errorf("%s: got %d %s, want 400", whose, got.status, got.body)
				}
				checkEnvelope(t, got.body, "invalid_request_error", "unsupported_parameter", &request[1])
			}
			if len(upstream.requests()) != before {
				t.Error("the upstream received a refused request")
			}
		})
	}
}

func TestNativeIDs_OfCompleteItemsAreRemovedWhenUnknown(t *testing.T) {
	h := newRelayWith(t, responsesManifest)
	upstream := marking(h)
	h.sendInput(token,
		`[{"id":"msg_of_mine","role":"user","content":"x"},{"role":"user","content":"y","id" : "msg_2"},{"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":"{}"}]`, "")
	want :=
		`{"model":"cheap","input":[{"role":"user","content":"x"},{"role":"user","content":"y"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]}`
	if got := upstream.latest().body; got != want {
		t.Errorf("the upstream received\n%s\nwant\n%s", got, want)
	}
}

func TestNativeIDs_LeadToTheirChannel(t *testing.T) {
	h, first, second := newResponsesUpstreams(t)
	first.fail(true)
	made := idsOf(t, h.respond(token, "").body)["msg_1"]
	first.fail(false)
	before := len(first.requests())
	if got := h.sendInput(token, `[`+reference(made)+`]`, ""); got.status != 200 ||
		!strings.Contains(second.latest().body, reference("msg_1")) {
		t.Errorf("got %d %s; the upstream received %s", got.status, got.body, second.latest().body)
	}
	// Only the first channel serves it.
	other := idsOf(t, h.do("POST", responses, token, `{"model":"flat","input":"hello"}`).body)["msg_1"]
	if got := h.sendInput(token, `[`+reference(made)+`,`+reference(other)+`]`, ""); got.status != 400 ||
		!strings.Contains(got.body, "input[1]") {
		t.Errorf("items of two channels: got %d %s, want 400", got.status, got.body)
	}
	if len(first.requests()) != before+1 {
		t.Error("the first channel received a request that refers to an item of the second one")
	}
}

func TestNativeIDs_OfStoredResponsesAreMarked(t *testing.T) {
	h, first, _ := newResponsesUpstreams(t)
	made := h.create(token, "")
	list := h.do("GET", responses+"/"+made.ID+"/input_items", token, "")
	ids := regexp.MustCompile(`"msg_0\.tg1[^"]+"`).FindAllString(list.body, -1)
	if len(ids) != 3 || len(slices.Compact(ids)) != 1 {
		t.Fatalf("got %s, want three marked ids", list.body)
	}
	after := strings.Trim(ids[0], `"`)
	if got := h.do("GET", responses+"/"+made.ID+"/input_items?after="+after, token, ""); got.status != 200 ||
		first.latest().query != "after=msg_0" {
		t.Errorf("got %d %s; the upstream received %s", got.status, got.body, first.latest().query)
	}
	if got := h.do("GET", responses+"/"+made.ID+"/input_items?after=msg_0", token, ""); got.status != 400 {
		t.Errorf("an id of the upstream: got %d %s, want 400", got.status, got.body)
	}
}

func TestNativeIDs_OfATenantsOwnAccountPass(t *testing.T) {
	manifest := strings.Replace(responsesManifest, `quota: "0.001"`, `quota: "10"`, 1)
	h := newRelayWith(t, strings.Replace(manifest, `priority: 1}`, `priority: 1, settings: {account_of: acme}}`, 1))
	first, second := marking(h), &responsesUpstream{name: "second"}
	h.serveSecond(second.serve)
	plain := map[string]string{"msg_1": "msg_x", "ci_1": "ci_x", "cntr_1": "cntr_x", "file-1": "file-x", "vs_1": "vs_x"}
	for name, request := range requestsWith(plain) {
		body := `{"model":"cheap",` + request[0] + `}`
		if got := h.do("POST", responses, token, body); got.status != 200 || second.latest().body != body {
			t.Errorf("%s: got %d %s; the upstream received %s", name, got.status, got.body, second.latest().body)
		}
		if got := h.do("POST", responses, smallToken, body); got.status != 400 {
			t.Errorf("%s, another tenant: got %d %s, want 400", name, got.status, got.body)
		}
	}
	if n := len(first.requests()); n > 0 {
		t.Errorf("a shared account received %d requests with ids", n)
	}
	if got := h.do("POST", responses, token, `{"model":"orphan","input":"x"}`); got.status != 200 {
		t.Errorf("the tenant's call to a model that only its account serves: got %d %s, want 200", got.status, got.body)
	}
	before := len(second.requests())
	unknown := h.do("POST", responses, smallToken, `{"model":"no-such","input":"x"}`)
	got := h.do("POST", responses, smallToken, `{"model":"orphan","input":"x"}`)
	if got.status != 404 || got.body != strings.ReplaceAll(unknown.body, "no-such", "orphan") ||
		len(second.requests()) != before {
		t.Errorf("another tenant's call to that model: got %d %s, want the answer for an unknown one",
			got.status, got.body)
	}
	for bearer, want := range map[string]bool{token: true, smallToken: false} {
		listed := strings.Contains(h.do("GET", "/v1/models", bearer, "").body, `"orphan"`)
		if retrieved := h.do("GET", "/v1/models/orphan", bearer, "").status == 200; listed != want ||
			retrieved != want {
			t.Errorf("a model that only the account of a tenant serves: listed %v, retrieved %v; want %v", listed,
				retrieved, want)
		}
	}
}

// A tenant whose account only one channel has can use ids as the provider gives them.
func TestNativeIDs_OfTheOnlyAccountOfATenantHaveNoMarks(t *testing.T) {
	own := strings.NewReplacer(`priority: 0}`, `priority: 0, settings: {account_of: acme}}`)
	other := regexp.MustCompile(`(?m)^ {2}- \{name: second, .*\n`)
	if !other.MatchString(responsesManifest) {
		t.Fatal("the manifest has no channel second")
	}
	alone := other.ReplaceAllString(own.Replace(responsesManifest), "")
	history :=
		`[{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"x"},{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"output_text","text":"hi"}]},{"role":"user","content":"go on"}]`
	for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			h := newRelayWith(t, alone)
			upstream := marking(h)
			got := h.sendInput(token, history, extra)
			if got.status != 200 || strings.Contains(got.body, ".tg1") || !strings.Contains(got.body, `"id":"msg_1"`) {
				t.Errorf("got %d %s, want the upstream's ids", got.status, got.body)
			}
			if sent := upstream.latest().body; !strings.Contains(sent, history) {
				t.Errorf("the upstream received %s, want %s in it", sent, history)
			}
		})
	}
	t.Run("another channel of the tenant", func(t *testing.T) {
		two := strings.Replace(own.Replace(responsesManifest), `priority: 1}`,
			`priority: 1, settings: {account_of: acme}}`, 1)
		h := newRelayWith(t, two)
		upstream := marking(h)
		if got := h.sendInput(token, history, ""); got.status != 200 || !strings.Contains(got.body, "msg_1.tg1") {
			t.Errorf("got %d %s, want marks", got.status, got.body)
		}
		if sent := upstream.latest().body; strings.Contains(sent, "msg_1") || strings.Contains(sent, "rs_1") {
			t.Errorf("the upstream received %s, want no unknown ids", sent)
		}
	})
}
