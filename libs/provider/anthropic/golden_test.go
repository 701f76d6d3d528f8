package anthropic_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/tollgate/tollgate/libs/core/catalog"
	c "github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/provider/anthropic"
	"github.com/tollgate/tollgate/libs/wire/sse"
)

const (
	sonnet    = "claude-sonnet-4-6"
	opus      = "claude-opus-4-8"
	png       = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	pdf       = "JVBERi0xLjQKJSVFT0YK"
	signature = "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds"
	redacted  = "EmwKAhgBEgy3va3pzix/LafPsn4aDFIT2Xlxh0L5L8rLVyIwxtE3rAFBa8cr3qpPkNRj2YfWXGmKDxH4mPnZ5sQ7vB9URj2pLmN3kF8/dW5hR7xJ0aP1oLs9yTcMnKVf2wRpEGjH9XZaBt4UvDcPrQ"

	weatherSchema = `{"type":"object","properties":{"city":{"type":"string"},"unit":{"enum":["c","f"]}},"required":["city"]}`
	thingSchema   = `{"type":"object","properties":{"b":{"type":"integer"},"a":{"type":"string"}},"required":["b","a"],"additionalProperties":false}`
)

// golden is one file of testdata: what its client.json means, and what its
// upstream's answer amounts to.
type golden struct {
	request c.Request
	answer  c.Answer
	fault   *c.Fault
}

var yes, no = true, false

var cases = map[string]golden{
	"text": {
		request: c.Request{
			Model: sonnet, MaxOutput: 256, Temperature: "0.70", Stop: []string{"END"}, User: "u-17",
			Messages: []c.Message{said(c.System, text("Be brief.")), said(c.User, text("Hello, Claude"))},
		},
		answer: answer(c.Stop, usage.Usage{Input: 12, Output: 6}, item("Hello!")),
	},
	"stream_text": {
		request: c.Request{Model: sonnet, Stream: true, Messages: []c.Message{said(c.User, text("Hello"))}},
		answer:  answer(c.Stop, usage.Usage{Input: 25, Output: 15}, item("Hello! 😀")),
	},
	"parallel_results": {
		request: c.Request{
			Model: opus, ParallelCalls: &no, ToolChoice: c.ToolChoice{Choice: c.Auto},
			Messages: []c.Message{
				said(c.User, text("Weather in Rome and Oslo?")),
				said(c.Assistant, call("toolu_01A", "weather", `{"city": "Rome"}`), call("call|2", "now", "")),
				said(c.Tools, result("toolu_01A", "21 C")), said(c.Tools, result("call|2", "")), said(c.User, text("Go on.")),
			},
			Tools: []c.Tool{{Name: "weather", Description: "Looks up the weather.", Parameters: json.RawMessage(weatherSchema)}, {Name: "now"}},
		},
		answer: answer(c.Stop, usage.Usage{Input: 409, Output: 14}, item("It is 21 °C in Rome.")),
	},
	"stream_calls": {
		request: c.Request{
			Model: opus, Stream: true, ToolChoice: c.ToolChoice{Choice: c.Required},
			Messages: []c.Message{said(c.User, text("Weather in Rome?"))},
			Tools: []c.Tool{
				{Name: "weather", Description: "Looks up the weather.", Parameters: json.RawMessage(weatherSchema)},
				{Name: "now", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)},
			},
		},
		answer: answer(c.Calls, usage.Usage{Input: 472, Output: 89}, item("Let me look."),
			c.Item{Type: c.CallItem, CallID: "toolu_01T1x", Name: "weather", Text: `{"city": "Rome\u00e9"}`},
			c.Item{Type: c.CallItem, CallID: "toolu_01T2y", Name: "now", Text: `{}`}),
	},
	"images": {
		request: c.Request{Model: sonnet, Messages: []c.Message{said(c.User, text("Which is blue?"),
			c.Part{Type: c.Image, Media: c.Media{URL: "https://example.com/a.jpg"}, Detail: "high"},
			c.Part{Type: c.Image, Media: c.Media{Type: "image/png", Data: png}})}},
		answer: answer(c.Stop, usage.Usage{Input: 1551, Output: 6}, item("The second.")),
	},
	"documents": {
		request: c.Request{Model: sonnet, Messages: []c.Message{said(c.User,
			c.Part{Type: c.File, Media: c.Media{Type: "application/pdf", Name: "report.pdf", Data: pdf}},
			c.Part{Type: c.File, Media: c.Media{Type: "text/plain", Name: "notes.txt", Data: "Z3LDvG4K"}},
			text("Compare."))}},
		answer: answer(c.Stop, usage.Usage{Input: 1925, Output: 5}, item("They agree.")),
	},
	"thinking_turns": {
		request: c.Request{
			Form: c.Responses, Model: opus, Stream: true, MaxOutput: 4000, Store: &no,
			Reasoning: c.Reasoning{Effort: "xhigh", Summary: "auto", Encrypted: true},
			Messages: []c.Message{
				said(c.System, text("Think.")), said(c.User, text("Weather in Rome?")),
				said(c.Assistant, c.Part{Type: c.Thought, Text: "I need the weather.", Seal: "anthropic:thinking:" + signature}),
				said(c.Assistant, c.Part{Type: c.Thought, Seal: "gAAAAABo"}),
				said(c.Assistant, call("toolu_01A", "weather", `{"city":"Rome"}`)),
				said(c.Tools, result("toolu_01A", "21 C")),
			},
			Tools: []c.Tool{{Name: "weather", Description: "Looks up the weather.", Parameters: json.RawMessage(weatherSchema), Strict: &yes}},
		},
		answer: answer(c.Stop, usage.Usage{Input: 520, Output: 18, Reasoning: 42},
			c.Item{Type: c.ThoughtItem, Text: "Warm enough.", Seal: "anthropic:thinking:" + signature}, item("21 °C.")),
	},
	"redacted_thinking": {
		request: c.Request{
			Form: c.Responses, Model: "claude-sonnet-4-5", Reasoning: c.Reasoning{Effort: "medium"},
			Messages: []c.Message{
				said(c.User, text("Why?")),
				said(c.Assistant, c.Part{Type: c.Thought, Seal: "anthropic:redacted:" + redacted}), said(c.Assistant, text("Because.")),
				said(c.User, text("And?")),
			},
		},
		answer: answer(c.Stop, usage.Usage{Input: 88, Output: 130},
			c.Item{Type: c.ThoughtItem, Text: "Let me see.", Seal: "anthropic:thinking:" + signature},
			c.Item{Type: c.ThoughtItem, Seal: "anthropic:redacted:" + redacted}, item("So.")),
	},
	"cache": {
		request: c.Request{
			Model: sonnet, CacheKey: "k1",
			Messages: []c.Message{
				said(c.System, c.Part{Text: "A long text.", Cache: json.RawMessage(`{"type":"ephemeral","ttl":"1h"}`)}),
				said(c.User, c.Part{Text: "Hi", Cache: json.RawMessage(`{"type":"ephemeral"}`)}),
			},
			Tools: []c.Tool{{Name: "now", Parameters: json.RawMessage(`{"type":"object"}`), Cache: json.RawMessage(`{"type":"ephemeral"}`)}},
		},
		answer: answer(c.Stop, usage.Usage{Input: 21, CacheWrite: 188086, CachedInput: 1024, Output: 4}, item("Hi.")),
	},
	"max_tokens": {
		request: c.Request{Model: sonnet, Stream: true, MaxOutput: 3, Temperature: "1", TopP: "1", Messages: []c.Message{said(c.User, text("Count."))}},
		answer:  answer(c.Length, usage.Usage{Input: 9, Output: 3}, item("1 2")),
	},
	"refusal": {
		request: c.Request{Model: opus, Stream: true, Messages: []c.Message{said(c.User, text("How?"))}},
		answer:  answer(c.Filtered, usage.Usage{Input: 564, Output: 22}, item("First")),
	},
	"structured_output": {
		request: c.Request{
			Form: c.Responses, Model: opus, Reasoning: c.Reasoning{Effort: "low"}, Messages: []c.Message{said(c.User, text("Extract."))},
			Format: c.Format{Type: c.Schema, Name: "thing", Strict: &yes, Schema: json.RawMessage(thingSchema)},
		},
		answer: answer(c.Stop, usage.Usage{Input: 150, Output: 20}, item(`{"b":1,"a":"x"}`)),
	},
	"stream_error": {
		request: c.Request{Model: sonnet, Stream: true, Messages: []c.Message{said(c.User, text("Hello"))}},
		answer:  c.Answer{Items: []c.Item{item("Hel")}},
		fault:   &c.Fault{Type: "overloaded_error", Message: "Overloaded"},
	},
	"error_answer": {
		request: c.Request{Model: sonnet, Messages: []c.Message{said(c.User, text("Hello"))}},
		fault:   &c.Fault{Type: "api_error", Message: "Internal server error"},
	},
	"instructions": {
		request: c.Request{Model: sonnet, Messages: []c.Message{
			said(c.Developer, text("One.")), said(c.System, text("Two."), text("")), said(c.User, text("A")),
			{Role: c.User, Name: "bob", Parts: []c.Part{text("B")}},
			said(c.System, text("Three.")), said(c.Assistant, text("C")),
			said(c.Assistant, text(""), c.Part{Type: c.Refusal, Text: "No."}), said(c.User, text("D")),
		}},
		answer: answer(c.Stop, usage.Usage{Input: 40, Output: 2}, item("E")),
	},
	"custom_tool": {
		request: c.Request{
			Form: c.Responses, Model: "claude-sonnet-5", Stream: true, Reasoning: c.Reasoning{Effort: "none"}, ToolChoice: c.ToolChoice{Choice: c.Named, Name: "shell"},
			Messages: []c.Message{
				said(c.User, text("Run it.")),
				said(c.Assistant, c.Part{Type: c.Call, CallID: "toolu_01A", Name: "shell", Arguments: "echo \"hi\"\n", Custom: true}),
				said(c.Tools, c.Part{Type: c.Result, CallID: "toolu_01A", Custom: true, Content: []c.Part{text("hi")}}),
			},
			Tools: []c.Tool{
				{Name: "shell", Description: "Runs a command.", Custom: true},
				{Name: "now", Parameters: json.RawMessage(`{"type":"object"}`), Strict: &no},
			},
		},
		answer: answer(c.Calls, usage.Usage{Input: 300, Output: 31},
			c.Item{Type: c.CallItem, CallID: "toolu_01B", Name: "shell", Custom: true, Text: "ls \"a b\"\n"}),
	},
}

func said(role c.Role, parts ...c.Part) c.Message { return c.Message{Role: role, Parts: parts} }

func text(s string) c.Part { return c.Part{Text: s} }

func call(id, name, arguments string) c.Part {
	return c.Part{Type: c.Call, CallID: id, Name: name, Arguments: arguments}
}

func result(id, s string) c.Part {
	return c.Part{Type: c.Result, CallID: id, Content: []c.Part{text(s)}}
}

func item(s string) c.Item { return c.Item{Text: s} }

func answer(finish c.Finish, counts usage.Usage, items ...c.Item) c.Answer {
	return c.Answer{Finish: finish, Usage: &counts, Items: items}
}

func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) != len(cases) {
		t.Fatalf("%d files, %d cases, %v", len(files), len(cases), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, known := cases[strings.TrimSuffix(filepath.Base(file), ".txtar")]
			if !known {
				t.Fatal("no case of this name")
			}
			sections := map[string][]byte{}
			for _, f := range archive.Files {
				sections[f.Name] = f.Data
			}
			decoder := checkRequest(t, want.request, sections["upstream.json"])
			if stream := sections["upstream.sse"]; stream != nil {
				checkStream(t, decoder, stream, want)
			} else {
				checkAnswer(t, decoder, sections["upstream_answer.json"], want)
			}
		})
	}
}

func checkRequest(t *testing.T, request c.Request, want []byte) provider.Decoder {
	t.Helper()
	out, err := anthropic.Provider{}.Request(provider.Call{
		Dialect: catalog.Chat, Channel: &catalog.Channel{}, UpstreamModel: request.Model, Conversation: &request,
	})
	if err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, want); err != nil {
		t.Fatal(err)
	}
	if got := out.Body.Bytes(); !bytes.Equal(got, compact.Bytes()) {
		t.Errorf("the upstream is sent\n%s, want\n%s", got, compact.Bytes())
	}
	return out.Decoder
}

func checkAnswer(t *testing.T, decoder provider.Decoder, body []byte, want golden) {
	t.Helper()
	got, err := decoder.Whole(body)
	var fault *c.Fault
	if errors.As(err, &fault) {
		err = nil
	}
	if err != nil || !reflect.DeepEqual(fault, want.fault) {
		t.Errorf("%v, %v, want %v", err, fault, want.fault)
	}
	check(t, got, want.answer)
}

func checkStream(t *testing.T, decoder provider.Decoder, stream []byte, want golden) {
	t.Helper()
	var gather c.Gather
	for _, e := range decode(t, decoder, stream) {
		gather.Add(e)
	}
	if !reflect.DeepEqual(gather.Fault, want.fault) {
		t.Errorf("fault %v, want %v", gather.Fault, want.fault)
	}
	check(t, gather.Answer, want.answer)
}

func decode(t *testing.T, decoder provider.Decoder, stream []byte) (events []c.Event) {
	t.Helper()
	reader := sse.NewReader(bytes.NewReader(stream), 1<<20, nil)
	for {
		raw, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			events, err = decoder.Frame(events, "", sse.Data(raw))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	events, err := decoder.Close(events)
	if err != nil {
		t.Error(err)
	}
	return events
}

// check compares all but the upstream's own names.
func check(t *testing.T, got, want c.Answer) {
	t.Helper()
	got.ID, got.Model = "", ""
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v %+v, want %+v %+v", got, got.Usage, want, want.Usage)
	}
}
