package messages_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/messages"
)

func TestDecodeRequest_NamesTheFieldAtFault(t *testing.T) {
	const user = `"messages":[{"role":"user","content":"hi"}]`
	with := func(blocks string) string { return `"messages":[{"role":"user","content":[` + blocks + `]}]` }
	said := func(blocks string) string { return `"messages":[{"role":"assistant","content":[` + blocks + `]}]` }
	for members, want := range map[string]struct {
		param string
		kind  problem.Kind
	}{
		`"max_tokens":0,` + user:       {"max_tokens", problem.InvalidType},
		user:                           {"max_tokens", problem.MissingParameter},
		`"max_tokens":9`:               {"messages", problem.MissingParameter},
		`"max_tokens":9,"messages":{}`: {"messages", problem.InvalidType},
		`"max_tokens":9,"messages":[{"role":"user"}]`: {"messages[0].content",
			problem.MissingParameter},
		`"max_tokens":9,"messages":[{"role":"tool","content":"a"}]`: {"messages[0].role",
			problem.UnsupportedParameter},
		`"max_tokens":9,"temperature":"a",` + user: {"temperature",
			problem.InvalidType},
		`"max_tokens":9,"service_tier":"batch",` + user: {"service_tier",
			problem.UnsupportedParameter},
		`"max_tokens":9,"tools":[{"type":"bash_20250124","name":"b"}],` + user: {"tools[0].type",
			problem.UnsupportedParameter},
		`"max_tokens":9,"tools":[{"name":"b"}],` + user: {"tools[0].input_schema",
			problem.InvalidType},
		`"max_tokens":9,"tool_choice":{"type":"tool"},` + user: {"tool_choice.name",
			problem.MissingParameter},
		`"max_tokens":9,"thinking":{"type":"enabled"},` +
			user: {"thinking.budget_tokens", problem.MissingParameter},
		`"max_tokens":9,"output_config":{"effort":"huge"},` + user: {"output_config.effort",
			problem.InvalidType},
		`"max_tokens":9,"output_config":{"format":{"type":"xml"}},` +
			user: {"output_config.format.type", problem.UnsupportedParameter},
		`"max_tokens":9,` +
			with(`{"type":"video"}`): {"messages[0].content[0]", problem.UnsupportedParameter},
		`"max_tokens":9,` +
			with(`{"type":"image","source":{"type":"file"}}`): {"messages[0].content[0].source",
			problem.UnsupportedParameter},
		`"max_tokens":9,` +
			with(`{"type":"document","source":{"type":"base64","data":"?"}}`): {"messages[0].content[0].source.data",
			problem.InvalidType},
		`"max_tokens":9,` +
			with(`{"type":"tool_result","content":"a"}`): {"messages[0].content[0].tool_use_id",
			problem.MissingParameter},
		`"max_tokens":9,` + said(`{"type":"tool_use","id":"a","name":"b","input":1}`): {"messages[0].content[0].input",
			problem.InvalidType},
		`"max_tokens":9,` + said(`{"type":"container_upload"}`): {"messages[0].content[0]",
			problem.UnsupportedParameter},
	} {
		_, err := messages.DecodeRequest([]byte(`{"model":"m",` + members + `}`))
		var p *problem.Problem
		if !errors.As(err, &p) || p.Param != want.param || p.Kind != want.kind {
			t.Errorf("%s: got %v, want %v at %s", members, err, want.kind, want.param)
		}
	}
}

func TestDecodeRequest_ListsWhatNoOtherDialectHas(t *testing.T) {
	r, err :=
		messages.DecodeRequest(
			[]byte(
				`{"model":"m","max_tokens":9,"messages":[],"top_k":5,"container":null,"mcp_servers":[],"cache_control":{"type":"ephemeral"},"new":{"a":1},"output_config":{"effort":"low","other":true}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.Untranslatable, " "); got != "new output_config.other" || r.TopK != "5" {
		t.Errorf("got %s", got)
	}
	if p := r.UnsupportedField(conversation.FieldEffort); p.Param != "output_config.effort" {
		t.Errorf("got %s", p.Param)
	}
}

func TestDecodeRequest_ListsHintsThatNoOtherDialectHas(t *testing.T) {
	r, err :=
		messages.DecodeRequest([]byte(`{"model":"m","max_tokens":9,"cache_control":{"type":"ephemeral"},"speed":"fast",
		"context_management":{"edits":[{"type":"clear_thinking_20251015"},{"type":"clear_tool_uses_20250919"}]},
		"system":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}],
		"tools":[{"name":"a","input_schema":{},"defer_loading":true,"input_examples":[{}],"allowed_callers":["code_execution_20250825"],"cache_control":{}},
			{"name":"b","input_schema":{},"allowed_callers":["direct"],"input_examples":[],"cache_control":null}],
		"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"a","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","cache_control":{},"content":[{"type":"text","text":"b","cache_control":{}}]}]}]}`))
	want := []string{
		"cache_control", "speed", "context_management.edits[1]", "system[0].cache_control",
		"tools[0].cache_control", "tools[0].defer_loading", "tools[0].input_examples", "tools[0].allowed_callers",
		"messages[2].content[0].cache_control", "messages[2].content[0].content[0].cache_control",
	}
	if err != nil || !slices.Equal(r.Ignored, want) {
		t.Errorf("got %q, %v, want %q", r.Ignored, err, want)
	}
}

// script makes events of bytes, in any order.
func script(data []byte) (events []completion.Event) {
	for len(data) >= 3 {
		e := completion.Event{Type: completion.EventType(data[0] % 6), Index: int(data[1] % 4)}
		n := min(int(data[2]%8), len(data)-3)
		text := string(data[3 : 3+n])
		switch e.Type {
		case completion.EventItemBegin:
			e.Item = completion.Item{Type: completion.ItemType(data[2] / 8 % 5), CallID: "c", Name: "f"}
		case completion.EventItemDelta:
			e.Item.Text = text
		case completion.EventItemEnd:
			e.Item.Signature = []string{"", "anthropic:thinking:s", "anthropic:redacted:d", "gemini:x"}[data[2]/8%4]
		case completion.EventEnd:
			e.Response = completion.Response{FinishReason: completion.FinishStop,
				Usage: &usage.Usage{Input: 1, Output: 2}}
		}
		events, data = append(events, e), data[3+n:]
	}
	return events
}

// FuzzEncoder checks that any order of events gives a well-formed stream that the package's own Decoder reads, with one
// open block at a time.
func FuzzEncoder(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 0, 0, 2, 0, 2, 'h', 'i', 3, 0, 0, 4, 0, 0})
	f.Add([]byte{1, 0, 24, 1, 1, 24, 2, 1, 1, '{', 2, 0, 1, '{', 3, 1, 0, 3, 0, 24, 1, 2, 16, 3, 2, 16, 4, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		encoder := messages.NewEncoder(completion.Header{ID: "1", Model: "m", InputTokens: 3})
		var frames []byte
		for _, e := range script(data) {
			frames = encoder.Frames(frames, e)
		}
		decoder := messages.NewDecoder(&conversation.Request{})
		open, ended := false, false
		var events []completion.Event
		for frame := range bytes.SplitSeq(frames, []byte("\n\n")) {
			if len(frame) == 0 {
				continue
			}
			name, line, ok := strings.Cut(string(frame), "\ndata: ")
			if !ok || !json.Valid([]byte(line)) || ended {
				t.Fatalf("%q: frame %q", frames, frame)
			}
			switch name {
			case "event: content_block_start":
				if open {
					t.Fatalf("%q: two open blocks", frames)
				}
				open = true
			case "event: content_block_stop":
				open = false
			case "event: message_stop", "event: error":
				ended = true
			}
			var err error
			if events, err = decoder.Frame(events, strings.TrimPrefix(name, "event: "), []byte(line)); err != nil {
				t.Fatalf("%q: %v", frames, err)
			}
		}
	})
}

// FuzzDecodeRequest checks that a request is either refused with a problem, or decoded in a form that EncodeRequest
// accepts or refuses with a problem.
func FuzzDecodeRequest(f *testing.F) {
	f.Add(
		[]byte(
			`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"hi","citations":[{}]},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}]}]}`))
	f.Add(
		[]byte(
			`{"model":"m","max_tokens":9,"system":"s","stream":true,"thinking":{"type":"enabled","budget_tokens":2048},"tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"any"},"messages":[` +
				`{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"tollgate:gemini:b"},{"type":"redacted_thinking","data":"c"},{"type":"tool_use","id":"t","name":"f","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"x"}]}]}`))
	f.Add([]byte(`{"model":"m","max_tokens":1e3,"messages":null}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if !utf8.Valid(body) || bytes.Contains(bytes.ToLower(body), []byte(`\ud`)) {
			return // the scan of requests refuses it, or a string is cut within a character
		}
		var p *problem.Problem
		r, err := messages.DecodeRequest(body)
		if err != nil {
			if !errors.As(err, &p) {
				t.Fatalf("%s: %v", body, err)
			}
			return
		}
		if _, _, err := messages.EncodeRequest(r, messages.Options{Model: "claude-sonnet-4-5"}); err != nil &&
			!errors.As(err, &p) {
			t.Fatalf("%s: %v", body, err)
		}
	})
}

func TestAllowedBetas_SplitsTheList(t *testing.T) {
	allowed, others := messages.AllowedBetas([]string{"claude-code-20250219, oauth-2025-04-20",
		"context-1m-2025-08-07,<x>,"})
	if allowed != "claude-code-20250219,context-1m-2025-08-07" || others != "oauth-2025-04-20" {
		t.Errorf("got %q and %q", allowed, others)
	}
}
