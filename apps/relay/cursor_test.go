package relay_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// Cursor sends a responses request as a chat request, and reads the answer to a chat.
func TestChat_AnswersAResponsesRequestAsAChat(t *testing.T) {
	h := newClientsRelay(t)
	for _, kind := range []string{"chat", "responses", "messages", "gemini"} {
		whole := h.Post(token,
			`{"model":"`+kind+`","instructions":"Be brief.","input":"hi","text":{"verbosity":"medium"}}`)
		if whole.Status != http.StatusOK || !strings.Contains(whole.Body, `"object":"chat.completion"`) ||
			!strings.Contains(whole.Body, `"content":"hi`) {
			t.Errorf("%s: got %d %s", kind, whole.Status, whole.Body)
		}
		for options, wantsUsage := range map[string]bool{"": false, `,"stream_options":{"include_usage":true}`: true} {
			got := h.Post(token, `{"model":"`+kind+`","input":"hi","stream":true`+options+`}`)
			if got.Status != http.StatusOK || !strings.HasSuffix(got.Body, relaytest.Done) ||
				strings.Contains(got.Body, `"choices":[]`) != wantsUsage {
				t.Errorf("%s%s: got %d %s", kind, options, got.Status, got.Body)
			}
			if log := h.Log(got); log.Dialect != "chat" || log.Outcome != usage.Success {
				t.Errorf("%s: got the usage log %+v", kind, log)
			}
		}
	}
}

func TestChat_RefusesAResponsesRequestAtItsOwnFields(t *testing.T) {
	h := newClientsRelay(t)
	refusing := relaytest.NewWith(t, strings.Replace(clientsYAML, "name: Acme\n",
		"name: Acme\n    ignored_fields: refuse\n", 1))
	refusing.ServeFirst(anyDialect)
	const optional, file = `"input":"hi","tools":[{"type":"web_search"}]`,
		`"input":[{"role":"user","content":[{"type":"input_file","file_id":"file-1"}]}]`
	for name, c := range map[string]struct {
		h            *relaytest.Relay
		members      string
		param, words string
	}{
		"neither messages nor input": {h, `"x":1`, "messages", "Missing required parameter: 'messages'."},
		"it continues a response": {h, `"input":"hi","previous_response_id":"resp_1"`,
			"previous_response_id", "/v1/responses"},
		"a malformed item": {h, `"input":[{"type":"function_call","name":"f"}]`, "input[0].call_id",
			"input[0].call_id"},
		"a field that no chat has": {h, `"input":"hi","zebra":1`, "zebra", "zebra"},
		"a required tool": {h,
			`"input":"hi","tools":[{"type":"web_search"}],"tool_choice":"required"`, "tools[0]", "tools[0]"},
		"a file that the channel can't read": {h, file, "input", "'input'"},
		"the tenant refuses ignored fields":  {refusing, optional, "tools[0]", "tools[0]"},
	} {
		got := c.h.Post(token, `{"model":"gemini",`+c.members+`}`)
		var e struct {
			Error struct{ Param, Message string }
		}
		if err := json.Unmarshal([]byte(got.Body), &e); err != nil || got.Status != http.StatusBadRequest ||
			e.Error.Param != c.param || !strings.Contains(e.Error.Message, c.words) {
			t.Errorf("%s: got %d %s, want 400 at %s", name, got.Status, got.Body, c.param)
		}
	}
}
