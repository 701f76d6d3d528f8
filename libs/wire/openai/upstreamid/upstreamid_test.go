package upstreamid_test

import (
	"bytes"
	"encoding/json"
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

func unmark(id openai.ID) openai.Take {
	if plain, ok := strings.CutSuffix(id.Text, ".mark"); ok {
		return openai.Take{Replace: plain}
	}
	return openai.Take{Refuse: "unknown"}
}

// marking returns a Rewriter that only marks ids.
func marking() *output.Rewriter {
	same := func(text string) string { return text }
	return &output.Rewriter{ResponseID: same, PreviousID: same, MarkID: mark, Tag: func() string { return "tag" }, CleanMessage: same}
}

func TestIsKey_IgnoresCase(t *testing.T) {
	for _, key := range []string{"id", "file_id", "file_ids", "container", "container_id", "vector_store_id", "vector_store_ids", "approval_request_id", "skill_id"} {
		if !upstreamid.IsKey([]byte(key)) || !upstreamid.IsKey([]byte(strings.ToUpper(key))) {
			t.Errorf("%s: got false, want true", key)
		}
	}
	for _, key := range []string{"", "d", "user", "role", "content", "assistant", "response_ids"} {
		if upstreamid.IsKey([]byte(key)) {
			t.Errorf("%q: got true, want false", key)
		}
	}
}

// FuzzIDs checks that marked output can be sent back as input, that each id in it is found there again, and that the
// upstream then gets what it sent.
func FuzzIDs(f *testing.F) {
	f.Add([]byte(`[{"id":"msg_1","type":"message","content":[{"type":"output_text","annotations":[{"file_id":"f","container_id":"c"}]}]}]`))
	f.Add([]byte(`[{"id" : "a\u0062","container":"c","x":{"vector_store_ids":["v",1,"w"],"parameters":{"file_id":"no"}}},{"\u0069d":"x"},[],{}]`))
	f.Add([]byte(`[{"id":"","Id":"b","file_ids":[["x"]],"metadata":{"id":"m"}}]`))
	f.Fuzz(func(t *testing.T, items []byte) {
		if !json.Valid(items) || items[0] != '[' {
			return
		}
		body := append(append([]byte(`{"object":"response","output":`), items...), `,"output_text":""}`...)
		if _, err := output.ScanResponse(body); err != nil {
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
		request, err := openai.ScanRequest(append(append([]byte(`{"model":"m","input":`), marked...), '}'), catalog.Responses)
		if err != nil {
			return // not UTF-8, or too deep
		}
		if err := request.TakeTags(func(string) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if err := request.TakeIDs(unmark); err != nil {
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
	complete := upstreamid.Each([]byte(event), false, func(id upstreamid.ID) { found = append(found, string(rawjson.Text(id.At.Of([]byte(event))))) })
	if got := strings.Join(found, ""); !complete || got != "123456789" {
		t.Errorf("got %q, complete %v", found, complete)
	}
}
