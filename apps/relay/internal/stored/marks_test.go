package stored_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest/responsetest"
)

// The ids that the upstream of these tests gives.
var upstreamIDs = []string{"msg_1", "ci_1", "cntr_1", "file-1", "vs_1"}

const (
	toolItem    = `{"id":"ci_1","type":"code_interpreter_call","status":"completed","code":"1","container_id":"cntr_1","outputs":null}`
	markedItem  = `{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"hi there","annotations":[{"type":"container_file_citation","container_id":"cntr_1","file_id":"file-1"}]}]}`
	markedTools = `,"tools":[{"type":"file_search","vector_store_ids":["vs_1"]},{"type":"function","name":"f","parameters":{"properties":{"file_id":{"type":"string"}},"default":{"file_id":"file-default"}}}],"metadata":{"file_id":"of the client"},`
)

// marking is an upstream whose answers have ids of all kinds. It records the requests.
func marking(h *relaytest.Relay) *responsetest.Upstream {
	upstream := &responsetest.Upstream{Name: "first"}
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		upstream.Serve(discard{}, r)
		whole := responsetest.Object("resp_first", "completed", toolItem+","+markedItem, markedTools+responsetest.Usage)
		if !strings.Contains(upstream.Latest().Body, `"stream":true`) {
			relaytest.Status(200, whole)(w, r)
			return
		}
		relaytest.Stream(w, responsetest.EventsBefore,
			responsetest.Event(2, "response.output_item.added", `"output_index":0,"item":`+markedItem),
			responsetest.Event(3, "response.output_text.delta",
				`"item_id":"msg_1","output_index":0,"content_index":0,"delta":"say \"item_id\": \"msg_1\""`),
			"event: response.output_text.delta\ndata: {\"type\": \"response.output_text.delta\", \"item_id\": "+
				"\"msg_1\", \"delta\": \"hi\", \"sequence_number\": 4}\n\n",
			responsetest.Event(5, "response.output_item.done", `"output_index":0,"item":`+toolItem),
			responsetest.State(6, "completed", whole))
	})
	return upstream
}

// discard is a ResponseWriter that keeps nothing.
type discard struct{}

func (discard) Header() http.Header { return http.Header{} }

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func (discard) WriteHeader(int) {}

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
			h := relaytest.NewWith(t, responsetest.Manifest)
			marking(h)
			got := responsetest.PostInput(h, token, `"hello"`, extra)
			ids := idsOf(t, got.Body)
			for _, id := range upstreamIDs {
				if ids[id] == "" {
					t.Errorf("the answer lacks %s: %s", id, got.Body)
				}
			}
			for _, kept := range []string{`"default":{"file_id":"file-default"}`,
				`"metadata":{"file_id":"of the client"}`} {
				if !strings.Contains(got.Body, kept) {
					t.Errorf("the answer lacks %s: %s", kept, got.Body)
				}
			}
			if extra != "" && !strings.Contains(got.Body, `"delta":"say \"item_id\": \"msg_1\""`) {
				t.Errorf("generated text changed: %s", got.Body)
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
	one := relaytest.NewWith(t, strings.Replace(responsetest.Manifest, `quota: "0.001"`, `quota: "10"`, 1))
	upstream := marking(one)
	h := one.SecondRelay() // any relay knows the marks
	ids := idsOf(t, responsetest.PostInput(one, token, `"hello"`, "").Body)
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
			got := h.Do("POST", relaytest.ResponsesPath, token, `{"model":"cheap",`+request[0]+`}`)
			if got.Status != 200 {
				t.Fatalf("the tenant's own id: got %d %s, want 200", got.Status, got.Body)
			}
			if sent := upstream.Latest().Body; sent != `{"model":"cheap",`+requestsWith(plain)[name][0]+`}` {
				t.Errorf("the upstream received %s", sent)
			}
			before := len(upstream.Requests())
			for whose, attempt := range map[string]struct{ bearer, body string }{
				"another tenant's id":        {relaytest.SmallToken, request[0]},
				"an id of the upstream":      {token, requestsWith(plain)[name][0]},
				"a mark on another id":       {token, requestsWith(forged)[name][0]},
				"another tenant, a plain id": {relaytest.SmallToken, requestsWith(plain)[name][0]},
			} {
				got := h.Do("POST", relaytest.ResponsesPath, attempt.bearer, `{"model":"cheap",`+attempt.body+`}`)
				if got.Status != 400 || !strings.Contains(got.Body, "'"+request[1]+"'") {
					t.Errorf("%s: got %d %s, want 400", whose, got.Status, got.Body)
				}
				relaytest.CheckError(t, got.Body, "invalid_request_error", "unsupported_parameter", &request[1])
			}
			if len(upstream.Requests()) != before {
				t.Error("the upstream received a refused request")
			}
		})
	}
}

func TestNativeIDs_OfCompleteItemsAreRemovedWhenUnknown(t *testing.T) {
	h := relaytest.NewWith(t, responsetest.Manifest)
	upstream := marking(h)
	responsetest.PostInput(h, token,
		`[{"id":"msg_of_mine","role":"user","content":"x"},{"role":"user","content":"y","id" : "msg_2"},{"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":"{}"}]`, "")
	want :=
		`{"model":"cheap","input":[{"role":"user","content":"x"},{"role":"user","content":"y"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]}`
	if got := upstream.Latest().Body; got != want {
		t.Errorf("the upstream received\n%s\nwant\n%s", got, want)
	}
}

func TestNativeIDs_LeadToTheirChannel(t *testing.T) {
	h, first, second := responsetest.NewUpstreams(t)
	first.Fail(true)
	made := idsOf(t, responsetest.Post(h, token, "").Body)["msg_1"]
	first.Fail(false)
	before := len(first.Requests())
	if got := responsetest.PostInput(h, token, `[`+reference(made)+`]`, ""); got.Status != 200 ||
		!strings.Contains(second.Latest().Body, reference("msg_1")) {
		t.Errorf("got %d %s; the upstream received %s", got.Status, got.Body, second.Latest().Body)
	}
	// Only the first channel serves it.
	other := idsOf(t, h.Do("POST", relaytest.ResponsesPath, token, `{"model":"flat","input":"hello"}`).Body)["msg_1"]
	if got := responsetest.PostInput(h, token, `[`+reference(made)+`,`+reference(other)+`]`, ""); got.Status != 400 ||
		!strings.Contains(got.Body, "input[1]") {
		t.Errorf("items of two channels: got %d %s, want 400", got.Status, got.Body)
	}
	if len(first.Requests()) != before+1 {
		t.Error("the first channel received a request that refers to an item of the second one")
	}
}

func TestNativeIDs_OfCompleteItemsDoNotPreventFailover(t *testing.T) {
	h, first, second := responsetest.NewUpstreams(t)
	// Only the second channel serves orphan. The first one has the better priority for cheap.
	id := idsOf(t, h.Do("POST", relaytest.ResponsesPath, token, `{"model":"orphan","input":"hello"}`).Body)["msg_1"]
	history := func(id string) string {
		return strings.Replace(`[`+responsetest.MessageItem+`,{"role":"user","content":"and?"}]`, "msg_1", id, 1)
	}
	if got := responsetest.PostInput(h, token, history(id), ""); got.Status != 200 || len(first.Requests()) > 0 {
		t.Errorf("got %d from %s, want 200 from the channel that gave the id", got.Status,
			got.Header.Get("X-Tollgate-Channel"))
	}
	second.Fail(true)
	if got := responsetest.PostInput(h, token, history(id), ""); got.Status != 200 ||
		!strings.Contains(first.Latest().Body, history("msg_1")) {
		t.Errorf("with its channel failing: got %d %s; the other one received %s", got.Status, got.Body,
			first.Latest().Body)
	}
}

func TestNativeIDs_OfStoredResponsesAreMarked(t *testing.T) {
	h, first, _ := responsetest.NewUpstreams(t)
	made := responsetest.Create(h, token, "")
	list := h.Do("GET", relaytest.ResponsesPath+"/"+made.ID+"/input_items", token, "")
	ids := regexp.MustCompile(`"msg_0\.tg1[^"]+"`).FindAllString(list.Body, -1)
	if len(ids) != 3 || len(slices.Compact(ids)) != 1 {
		t.Fatalf("got %s, want three marked ids", list.Body)
	}
	after := strings.Trim(ids[0], `"`)
	if got := h.Do("GET", relaytest.ResponsesPath+"/"+made.ID+"/input_items?after="+after, token,
		""); got.Status != 200 || first.Latest().Query != "after=msg_0" {
		t.Errorf("got %d %s; the upstream received %s", got.Status, got.Body, first.Latest().Query)
	}
	if got := h.Do("GET", relaytest.ResponsesPath+"/"+made.ID+"/input_items?after=msg_0", token,
		""); got.Status != 400 {
		t.Errorf("an id of the upstream: got %d %s, want 400", got.Status, got.Body)
	}
}

func TestNativeIDs_OfATenantsOwnAccountPass(t *testing.T) {
	manifest := strings.Replace(responsetest.Manifest, `quota: "0.001"`, `quota: "10"`, 1)
	h := relaytest.NewWith(t, strings.Replace(manifest, `priority: 1}`, `priority: 1, settings: {account_of: acme}}`, 1))
	first, second := marking(h), &responsetest.Upstream{Name: "second"}
	h.ServeSecond(second.Serve)
	plain := map[string]string{"msg_1": "msg_x", "ci_1": "ci_x", "cntr_1": "cntr_x", "file-1": "file-x", "vs_1": "vs_x"}
	for name, request := range requestsWith(plain) {
		body := `{"model":"cheap",` + request[0] + `}`
		if got := h.Do("POST", relaytest.ResponsesPath, token, body); got.Status != 200 ||
			second.Latest().Body != body {
			t.Errorf("%s: got %d %s; the upstream received %s", name, got.Status, got.Body, second.Latest().Body)
		}
		if got := h.Do("POST", relaytest.ResponsesPath, relaytest.SmallToken, body); got.Status != 400 {
			t.Errorf("%s, another tenant: got %d %s, want 400", name, got.Status, got.Body)
		}
	}
	if n := len(first.Requests()); n > 0 {
		t.Errorf("a shared account received %d requests with ids", n)
	}
	if got := h.Do("POST", relaytest.ResponsesPath, token, `{"model":"orphan","input":"x"}`); got.Status != 200 {
		t.Errorf("the tenant's call to a model that only its account serves: got %d %s, want 200", got.Status, got.Body)
	}
	before := len(second.Requests())
	unknown := h.Do("POST", relaytest.ResponsesPath, relaytest.SmallToken, `{"model":"no-such","input":"x"}`)
	got := h.Do("POST", relaytest.ResponsesPath, relaytest.SmallToken, `{"model":"orphan","input":"x"}`)
	if got.Status != 404 || got.Body != strings.ReplaceAll(unknown.Body, "no-such", "orphan") ||
		len(second.Requests()) != before {
		t.Errorf("another tenant's call to that model: got %d %s, want the answer for an unknown one",
			got.Status, got.Body)
	}
	for bearer, want := range map[string]bool{token: true, relaytest.SmallToken: false} {
		listed := strings.Contains(h.Do("GET", "/v1/models", bearer, "").Body, `"orphan"`)
		if retrieved := h.Do("GET", "/v1/models/orphan", bearer, "").Status == 200; listed != want ||
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
	if !other.MatchString(responsetest.Manifest) {
		t.Fatal("the manifest has no channel second")
	}
	alone := other.ReplaceAllString(own.Replace(responsetest.Manifest), "")
	history :=
		`[{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"x"},{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"output_text","text":"hi"}]},{"role":"user","content":"go on"}]`
	for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			h := relaytest.NewWith(t, alone)
			upstream := marking(h)
			got := responsetest.PostInput(h, token, history, extra)
			if got.Status != 200 || strings.Contains(got.Body, ".tg1") || !strings.Contains(got.Body, `"id":"msg_1"`) {
				t.Errorf("got %d %s, want the upstream's ids", got.Status, got.Body)
			}
			if sent := upstream.Latest().Body; !strings.Contains(sent, history) {
				t.Errorf("the upstream received %s, want %s in it", sent, history)
			}
		})
	}
	t.Run("another channel of the tenant", func(t *testing.T) {
		two := strings.Replace(own.Replace(responsetest.Manifest), `priority: 1}`,
			`priority: 1, settings: {account_of: acme}}`, 1)
		h := relaytest.NewWith(t, two)
		upstream := marking(h)
		if got := responsetest.PostInput(h, token, history, ""); got.Status != 200 ||
			!strings.Contains(got.Body, "msg_1.tg1") {
			t.Errorf("got %d %s, want marks", got.Status, got.Body)
		}
		if sent := upstream.Latest().Body; strings.Contains(sent, "msg_1") || strings.Contains(sent, "rs_1") {
			t.Errorf("the upstream received %s, want no unknown ids", sent)
		}
	})
}
