package relay_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/tollgate/tollgate/openapi/clients/go/relay"
)

func TestAssistantMessage_KeepsTheWholeAnswer(t *testing.T) {
	t.Parallel()
	const shared = `"role":"assistant","content":"Hello","refusal":"no","reasoning_content":"a greeting",
		"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}],
		"function_call":{"name":"f","arguments":"{}"},
		"images":[{"type":"image_url","index":0,"image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}],
		"annotations":[{"type":"url_citation","url_citation":{"url":"https://example.com","title":"t",
			"start_index":0,"end_index":5}}]`
	for answered, sent := range map[string]string{
		"": "",
		`,"audio":{"id":"audio_1","data":"UklGRg==","expires_at":1,"transcript":"Hello"}`: `,"audio":{"id":"audio_1"}`,
		`,"audio":{"data":"UklGRg=="}`: "", // nothing to refer to
	} {
		var answer relay.ChatGenerated
		if err := json.Unmarshal([]byte("{"+shared+answered+"}"), &answer); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(relay.AssistantMessage(answer))
		if err != nil {
			t.Fatal(err)
		}
		var got, want any
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte("{"+shared+sent+"}"), &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %v\nwant %v", got, want)
		}
	}
}
