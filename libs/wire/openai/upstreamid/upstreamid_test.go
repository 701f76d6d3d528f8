package upstreamid_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/wire/openai"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
	"github.com/tollgate/tollgate/libs/wire/openai/upstreamid"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// mark appends a mark to an id, and unmark removes it.
func mark(id string) string { return id + ".mark" }

func unmark(id openai.ID) openai.IDEdit {
	if plain, ok := strings.CutSuffix(id.Text, ".mark"); ok {
		return openai.IDEdit{Replace: plain}
	}
	return openai.IDEdit{Refuse: "unknown"}
}

// marking returns a Rewriter that only marks ids.
func marking() *output.Rewriter {
	same := func(text string) string { return text }
	return &output.Rewriter{ResponseID: same, PreviousID: same, MarkID: mark, Tag: func() string { return "tag" },
		CleanMessage: same}
}

func TestIsKey_IgnoresCase(t *testing.T) {
	keys := []string{
		"file_id", "file_ids", "container", "container_id", "vector_store_id", "vector_store_ids",
		"approval_request_id", "skill_id",
		"cached_content", "knowledge_id", "previous_response_id", "audio", "voice", "prompt", "conversation",
	}
	folded := strings.NewReplacer("s", "\u017F", "k", "\u212A")
	for _, kind := range []upstreamid.Kind{upstreamid.ResponsesRequest, upstreamid.MessagesRequest,
		upstreamid.OtherRequest} {
		for _, key := range keys {
			for _, spelled := range []string{key, strings.ToUpper(key), folded.Replace(key)} {
				if !upstreamid.IsKey([]byte(spelled), kind) {
					t.Errorf("%s: got false, want true", spelled)
				}
			}
		}
		for _, key := range []string{"", "d", "user", "role", "content", "assistant", "response_ids"} {
			if upstreamid.IsKey([]byte(key), kind) {
				t.Errorf("%q: got true, want false", key)
			}
		}
	}
	if !upstreamid.IsKey([]byte("ID"), upstreamid.ResponsesRequest) {
		t.Error("ID of a responses request: got false, want true")
	}
}

// FuzzIDs checks that marked output can be sent back as input, that each id in it is found there again, and that the
// upstream then gets what it sent.
func FuzzIDs(f *testing.F) {
	f.Add(
		[]byte(
			`[{"id":"msg_1","type":"message","content":[{"type":"output_text","annotations":[{"file_id":"f","container_id":"c"}]}]}]`))
	f.Add(
		[]byte(
			`[{"id" : "a\u0062","container":"c","x":{"vector_store_ids":["v",1,"w"],"parameters":{"file_id":"no"}}},{"\u0069d":"x"},[],{}]`))
	f.Add([]byte(`[{"id":"","Id":"b","file_ids":[["x"]],"metadata":{"id":"m"}}]`))
	f.Fuzz(func(t *testing.T, items []byte) {
		if !json.Valid(items) || items[0] != '[' {
			return
		}
		body := append(append([]byte(`{"object":"response","output":`), items...), `,"output_text":""}`...)
		if _, err := output.ScanAnswer(catalog.Chat, body); err != nil {
			return
		}
		var marked []byte
		body = marking().RewriteBody(body)
		s := rawjson.Scanner{Body: body}
		if _, err := s.Object(func(key []byte, value rawjson.Span) error {
			if string(key) == "output" {
				marked = value.Of(body)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		request, err := openai.ScanRequest(append(append([]byte(`{"model":"m","input":`), marked...), '}'),
			catalog.Responses)
		if err != nil {
			return // not UTF-8, or too deep
		}
		if err := request.RemoveTags(func(string) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if err := request.EditIDs(unmark); err != nil {
			if strings.Contains(err.Error(), "more than once") {
				return
			}
			t.Fatalf("%v: %s", err, marked)
		}
		var sent, want struct{ Input any }
		if err := json.Unmarshal(request.Forward("m").Bytes(), &sent); err != nil {
			t.Fatalf("the request is not JSON any more: %v", err)
		}
		if err := json.Unmarshal(append(append([]byte(`{"input":`), items...), '}'), &want); err != nil {
			t.Fatal(err)
		}
		got, _ := json.Marshal(sent.Input)
		expected, _ := json.Marshal(want.Input)
		if !bytes.Equal(got, expected) {
			t.Errorf("the upstream gets\n%s\nwant\n%s", got, expected)
		}
	})
}

func TestEach_FindsIDsByTheirPlace(t *testing.T) {
	const event = `{"type":"x","item_id":"1","first_id":"2","id":"event","item":{"id":"3","x":{"id":"inner"}},"response":{"id":"resp","output":[{"id":"4"},{"output":[{"id":"part"}]}],` +
		`"prompt":{"id":"5","variables":{"a":{"file_id":"6"}}},"tools":[{"vector_store_ids":["7","8"],"container":{"file_ids":["9"]},"parameters":{"file_id":"schema"}}],"metadata":{"file_id":"m"}}}`
	var found []string
	complete := upstreamid.Each([]byte(event), upstreamid.Answer,
		func(id upstreamid.ID) { found = append(found, string(rawjson.Text(id.At.Of([]byte(event))))) })
	if got := strings.Join(found, ""); !complete || got != "123456789" {
		t.Errorf("got %q, complete %v", found, complete)
	}
}

func TestEach_FindsIDsOfRequests(t *testing.T) {
	for _, row := range []struct {
		name string
		kind upstreamid.Kind
		body string
	}{
		{"responses", upstreamid.ResponsesRequest,
			`{"prompt":"1","container":"2","input":[{"id":"3","x":[{"vector_\u017ftore_ids":["4"],"S\u212Aill_id":"5"}]}],"previous_response_id":"no",` +
				`"text":{"format":{"schema":{"file_id":"no"}}},"cached_content":"6","metadata":{"file_id":"no"},"tools":[{"headers":{"file_id":"no"},"Headers":{"file_id":"7"}}]}`},
		{"variables of a prompt", upstreamid.ResponsesRequest,
			`{"prompt":{"id":"1","variables":{"metadata":{"file_id":"2"},"headers":[{"file_id":"3"}],"schema":{"parameters":{"file_ids":["4"]}}}}}`},
		{"chat", upstreamid.OtherRequest,
			`{"messages":[{"content":[{"file":{"f\u0069le_id":"1","file_id":"2"}}],"audio":{"id":"3"},"tool_calls":[{"id":"no"}]}],"audio":{"voice":{"id":"4"}},` +
				`"tools":[{"function":{"parameters":{"file_id":"no"}},"retrieval":{"knowledge_id":"5"}}],"extra_body":{"google":{"cachedContent":"6"}},"parameters":{"file_id":"7"}}`},
		{"messages", upstreamid.MessagesRequest,
			`{"container":"1","messages":[{"id":"no","content":[{"id":"no","input":{"file_id":"no"}},{"source":{"file_id":"2"}},{"type":"container_upload","file_id":"3"}]}],` +
				`"tools":[{"input_schema":{"file_id":"no"},"input_examples":[{"file_id":"no"}]}],"input":{"file_id":"4"}}`},
		{"container with an id", upstreamid.MessagesRequest,
			`{"container":{"id":"1","\u0049D":"2","skills":[{"skill_id":"3"}]}}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			found := ""
			complete := upstreamid.Each([]byte(row.body), row.kind,
				func(id upstreamid.ID) { found += string(rawjson.Text(id.At.Of([]byte(row.body)))) })
			if want := "1234567"[:len(found)]; !complete || found != want ||
				strings.Contains(row.body, fmt.Sprintf(`"%d"`, len(found)+1)) {
				t.Errorf("got %q, complete %v", found, complete)
			}
		})
	}
}
