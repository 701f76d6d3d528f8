package responses_test

import (
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/wire/responses"
)

// A tool of a namespace has one joined name in the conversation, and its own name and namespace at the
// client.
func TestNamespaces_AreJoinedAndSplitAgain(t *testing.T) {
	request, err := responses.DecodeRequest([]byte(`{"model":"m","input":[{"role":"user","content":"hi"},
		{"type":"function_call","call_id":"c0","name":"f","namespace":"crm","arguments":"{}"},
		{"type":"function_call_output","call_id":"c0","namespace":"crm","output":"done"}],
		"tools":[{"type":"namespace","name":"crm","description":"Customers.","tools":[{"type":"function","name":"f"},{"type":"custom","name":"g"}]},{"type":"function","name":"f"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if call := request.Messages[1].Parts[0]; call.Type != conversation.PartToolCall || call.Name != "crm__f" {
		t.Errorf("the earlier call: got %+v, want a call of crm__f", call)
	}
	h := head()
	h.Request = request
	answer := completion.Response{FinishReason: completion.FinishToolCalls, Items: []completion.Item{
		{Type: completion.ItemToolCall, CallID: "c1", Name: "crm__f", Text: "{}"},
		{Type: completion.ItemToolCall, CallID: "c2", Name: "crm__g", Text: "x", Custom: true},
		{Type: completion.ItemToolCall, CallID: "c3", Name: "f", Text: "{}"},
		{Type: completion.ItemToolCall, CallID: "c4", Name: "crm__unknown", Text: "{}"},
	}}
	streamed := frames(h, answer.Events()...)
	for name, got := range map[string]string{"whole": string(responses.NewEncoder(h).Whole(&answer)),
		"streamed": streamed} {
		for _, want := range []string{
			`"call_id":"c1","name":"f","namespace":"crm"}`, `"call_id":"c2","name":"g","namespace":"crm"}`,
			`"call_id":"c3","name":"f"}`, `"call_id":"c4","name":"crm__unknown"}`,
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %s in\n%s", name, want, got)
			}
		}
	}
}
