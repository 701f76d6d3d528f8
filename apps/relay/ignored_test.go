package relay_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// hinting is a chat request for a model with fields that Gemini does not have, and one that no other dialect than chat
// has.
func hinting(model, more string) string {
	return `{"model":"` + model +
		`","messages":[{"role":"user","content":"hi","name":"ann"}],"user":"u","verbosity":"low"` + more + `}`
}

func TestIgnoredFields_AreStatedOnStreamsAndErrors(t *testing.T) {
	const onGemini = "verbosity,user,messages[0].name"
	for name, c := range map[string]struct {
		model, more   string
		upstream      http.HandlerFunc
		status        int
		fields, error string
	}{
		"an answer": {"gemini", "", anyDialect, 200, onGemini, ""},
		"a stream":  {"gemini", `,"stream":true`, anyDialect, 200, onGemini, ""},
		"a field that no dialect has": {"gemini", `,"prediction":{"type":"content","content":"a"}`, anyDialect, 200,
			"prediction," + onGemini, ""},
		"the channel speaks the dialect": {"chat", "", anyDialect, 200, "", ""},
		"an error of the upstream": {"gemini", "",
			relaytest.Status(400,
				`{"error":{"code":400,"message":"The input token count exceeds the maximum number of tokens allowed.","status":"INVALID_ARGUMENT"}}`), 400, onGemini, "upstream_rejected"},
		"an outage of the upstream": {"gemini", "", relaytest.Status(500, `{"error":{}}`), 502, onGemini, "upstream_error"},
		"the attempt that serves the call": {"failover", "", func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, ":generateContent") {
				relaytest.Status(500, `{"error":{}}`)(w, r)
				return
			}
			anyDialect(w, r)
		}, 200, "", ""},
	} {
		h := newClientsRelay(t)
		h.ServeFirst(c.upstream)
		got := h.Post(token, hinting(c.model, c.more))
		if fields := got.Header.Get("X-Tollgate-Ignored-Fields"); got.Status != c.status || fields != c.fields {
			t.Errorf("%s: got %d, ignored %q, %s, want %d and %q", name, got.Status, fields, got.Body,
				c.status, c.fields)
		}
		if log := h.Log(got); log.IgnoredFields != c.fields || log.Error != c.error {
			t.Errorf("%s: got the usage log %+v, want the ignored fields %q", name, log, c.fields)
		}
	}
}

func TestIgnoredFields_AreRefusedIfTheTenantOrTheChannelSaysSo(t *testing.T) {
	refusing := strings.Replace(clientsYAML, "name: Acme\n", "name: Acme\n    ignored_fields: refuse\n", 1)
	for name, c := range map[string]struct{ manifest, model, param string }{
		"the channel":                        {clientsYAML, "strict", "verbosity"},
		"the channel, another one serves it": {clientsYAML, "either", ""},
		"the tenant":                         {refusing, "gemini", "verbosity"},
		"the tenant, nothing is ignored":     {refusing, "chat", ""},
		"the tenant, another one serves it":  {refusing, "failover", ""},
	} {
		h := relaytest.NewWith(t, c.manifest)
		h.ServeFirst(anyDialect)
		got := h.Post(token, hinting(c.model, ""))
		want := http.StatusOK
		if c.param != "" {
			want = http.StatusBadRequest
		}
		var e struct{ Error struct{ Param, Code string } }
		if err := json.Unmarshal([]byte(got.Body), &e); err != nil || got.Status != want || e.Error.Param != c.param ||
			got.Header.Get("X-Tollgate-Ignored-Fields") != "" {
			t.Errorf("%s: got %d %v %s, want %d at %q", name, got.Status, got.Header, got.Body, want, c.param)
		}
		if log := h.Log(got); (log.Outcome == usage.Success) != (c.param == "") || log.IgnoredFields != "" {
			t.Errorf("%s: got the usage log %+v", name, log)
		}
	}
}

// The relay expands a response that it stores itself: earlier turns come before the client's input, and are not the
// client's fields.
func TestIgnoredFields_HaveThePathsOfTheClient(t *testing.T) {
	h := newClientsRelay(t)
	const image = `[{"role":"user","content":[{"type":"input_image","image_url":"https://x.example/a.png","detail":"high"}]}]`
	first := h.Do(http.MethodPost, relaytest.ResponsesPath, token, `{"model":"gemini","input":`+image+
		`,"tools":[{"type":"web_search"}],"include":["web_search_call.results"]}`)
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(first.Body), &made); err != nil ||
		first.Header.Get("X-Tollgate-Ignored-Fields") != "tools[0],input[0].content[0].detail" {
		t.Fatalf("got %d %v %s", first.Status, first.Header, first.Body)
	}
	second := h.Do(http.MethodPost, relaytest.ResponsesPath, token, `{"model":"gemini","previous_response_id":"`+made.ID+
		`","input":`+image+`}`)
	if got := second.Header.Get("X-Tollgate-Ignored-Fields"); second.Status != 200 ||
		got != "input[0].content[0].detail" {
		t.Errorf("got %d, %q, %s", second.Status, got, second.Body)
	}
}

func TestIgnoredFields_OfEmbeddingsAreStated(t *testing.T) {
	h := embeddingsOn(t, "gemini", "gemini")
	h.ServeSecond(relaytest.Status(200, `{"embedding":{"values":[1]}}`))
	got := postEmbeddings(h, `{"model":"renamed","input":"hi","user":"ann"}`)
	if fields := got.Header.Get("X-Tollgate-Ignored-Fields"); got.Status != 200 || fields != "user" ||
		h.Log(got).IgnoredFields != fields {
		t.Errorf("got %d, %q, %s", got.Status, fields, got.Body)
	}
}
