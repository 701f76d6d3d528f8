package gemini_test

import (
	"encoding/json"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// outcome is a call as it is meant, and what becomes of it.
type outcome struct {
	request conversation.Request
	items   []conversation.Item
	finish  conversation.Finish
	usage   usage.Usage // zero: none
	fault   string      // the code of the upstream's error
	cut     bool        // the answer breaks off
}

func said(s string) []conversation.Item {
	return []conversation.Item{{Type: conversation.TextItem, Text: s}}
}

func text(s string) conversation.Part { return conversation.Part{Type: conversation.Text, Text: s} }

func turn(role conversation.Role, parts ...conversation.Part) conversation.Message {
	return conversation.Message{Role: role, Parts: parts}
}

func asked(s string) conversation.Message { return turn(conversation.User, text(s)) }

func call(id, name, args string) conversation.Part {
	return conversation.Part{Type: conversation.Call, CallID: id, Name: name, Arguments: args}
}

func result(id string, content ...conversation.Part) conversation.Message {
	return turn(conversation.Tools, conversation.Part{Type: conversation.Result, CallID: id, Content: content})
}

var (
	flexible = false
	strict   = true

	weather = []conversation.Tool{{
		Name: "get_weather", Description: "The weather of a city.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"},"unit":{"enum":["c","f"]}},"required":["city"],"additionalProperties":false}`),
	}}
	plainWeather = []conversation.Tool{{Name: "get_weather", Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`), Strict: &flexible}}
	shell        = []conversation.Tool{{Name: "shell", Description: "Runs a command.", Custom: true}}

	thinking = conversation.Reasoning{Effort: "low", Summary: "auto", Encrypted: true}
)

// cases are those of the files of the same names.
var cases = map[string]outcome{
	"text": {
		request: conversation.Request{
			Messages:    []conversation.Message{turn(conversation.System, text("Be brief.")), asked("Hello"), turn(conversation.Assistant, text("Hello! How can I help?")), asked("What is 2 + 2?")},
			Temperature: "0.2", TopP: "1.0", Seed: "7", Stop: []string{"END"}, User: "u-1",
		},
		items: said("4"), finish: conversation.Stop, usage: usage.Usage{Input: 20, Output: 1},
	},
	"stream": {
		request: conversation.Request{Messages: []conversation.Message{asked("Count to three.")}, Stream: true},
		items:   said("One, two, “three”."), finish: conversation.Stop, usage: usage.Usage{Input: 6, Output: 8},
	},
	"tools_results": {
		request: conversation.Request{
			Messages: []conversation.Message{
				asked("Weather in Paris and Rome?"),
				turn(conversation.Assistant, call("call_a", "get_weather", `{"city": "Paris"}`), call("call_b", "get_weather", `{"city": "Rome"}`)),
				result("call_a", text(`{"celsius": 11.50}`)), result("call_b", text("sunny, 19 °C")),
			},
			Tools: weather, ToolChoice: conversation.ToolChoice{Choice: conversation.Auto},
		},
		items: said("Paris: 11.5 °C. Rome: sunny, 19 °C."), finish: conversation.Stop, usage: usage.Usage{Input: 130, Output: 18},
	},
	"tools_stream": {
		request: conversation.Request{
			Messages: []conversation.Message{asked("Weather in Paris and Rome?")}, Stream: true,
			Tools: weather, ToolChoice: conversation.ToolChoice{Choice: conversation.Named, Name: "get_weather"},
		},
		items: []conversation.Item{
			{Type: conversation.CallItem, CallID: "call_9dedd2243a0d6a98_0", Name: "get_weather", Text: `{"city":"Paris"}`, Seal: "gemini:CikB0e2Kb6Vv"},
			{Type: conversation.CallItem, CallID: "call_9dedd2243a0d6a98_1", Name: "get_weather", Text: `{"city":"Rome","unit":"c"}`},
		},
		finish: conversation.Calls, usage: usage.Usage{Input: 61, Output: 34, Reasoning: 52},
	},
	"thinking_first_turn": {
		request: conversation.Request{
			Form: conversation.Responses, Messages: []conversation.Message{asked("Weather in Paris?")},
			Tools: plainWeather, Reasoning: thinking, Stream: true, Store: &flexible,
		},
		items: []conversation.Item{
			{Type: conversation.ThoughtItem, Text: "**Looking up the weather**\n\nI need the tool.", Seal: "gemini:call:EuIBCt8BAXLI2nw="},
			{Type: conversation.CallItem, CallID: "y2fs9a1k", Name: "get_weather", Text: `{"city":"Paris"}`},
		},
		finish: conversation.Calls, usage: usage.Usage{Input: 30, Output: 16, Reasoning: 64},
	},
	"thinking_second_turn": {
		request: conversation.Request{
			Form: conversation.Responses,
			Messages: []conversation.Message{
				asked("Weather in Paris?"),
				turn(conversation.Assistant, conversation.Part{Type: conversation.Thought, Text: "**Looking up the weather**\n\nI need the tool.", Seal: "gemini:call:EuIBCt8BAXLI2nw="}),
				turn(conversation.Assistant, call("y2fs9a1k", "get_weather", `{"city":"Paris"}`)),
				result("y2fs9a1k", text(`{"celsius":11}`)),
			},
			Tools: plainWeather, Reasoning: thinking, Stream: true, Store: &flexible,
		},
		items: []conversation.Item{
			{Type: conversation.TextItem, Text: "It is 11 °C in Paris."},
			{Type: conversation.ThoughtItem, Seal: "gemini:EjQKMgFyyNp8"},
		},
		finish: conversation.Stop, usage: usage.Usage{Input: 110, Output: 9},
	},
	"unsigned_call": {
		request: conversation.Request{
			Messages: []conversation.Message{
				asked("Weather in Paris and Rome?"),
				turn(conversation.Assistant, call("call_a", "get_weather", `{"city":"Paris"}`), call("call_b", "get_weather", `{"city":"Rome"}`)),
				result("call_a", text("11")), result("call_b", text("19")),
			},
			Tools: weather,
		},
		items: said("11 and 19."), finish: conversation.Stop, usage: usage.Usage{Input: 140, Output: 6, Reasoning: 20},
	},
	"images": {
		request: conversation.Request{Messages: []conversation.Message{turn(conversation.User, text("Compare."),
			conversation.Part{Type: conversation.Image, Media: conversation.Media{Type: "image/png", Data: "iVBORw0KGgo="}},
			conversation.Part{Type: conversation.Image, Media: conversation.Media{URL: "https://example.com/cat.jpg"}, Detail: "high"})}},
		items: said("They differ."), finish: conversation.Stop, usage: usage.Usage{Input: 522, Output: 3},
	},
	"audio": {
		request: conversation.Request{Messages: []conversation.Message{turn(conversation.User, text("Transcribe."),
			conversation.Part{Type: conversation.Audio, Media: conversation.Media{Type: "audio/wav", Data: "UklGRiQAAABXQVZF"}})}},
		items: said("Good morning."), finish: conversation.Stop, usage: usage.Usage{Input: 4, AudioInput: 64, Output: 3},
	},
	"document": {
		request: conversation.Request{Messages: []conversation.Message{turn(conversation.User,
			conversation.Part{Type: conversation.File, Media: conversation.Media{Type: "application/pdf", Data: "JVBERi0xLjQ=", Name: "a.pdf"}}, text("Sum up."))}},
		items: said("A contract."), finish: conversation.Stop, usage: usage.Usage{Input: 262, Output: 3},
	},
	"structured": {
		request: conversation.Request{
			Messages: []conversation.Message{asked("A colour.")}, Reasoning: conversation.Reasoning{Effort: "none"},
			Format: conversation.Format{
				Type: conversation.Schema, Name: "colour", Strict: &strict,
				Schema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"},"hue":{"type":"number","minimum":0.0}},"required":["name","hue"],"additionalProperties":false}`),
			},
		},
		items: said(`{"name":"teal","hue":180}`), finish: conversation.Stop, usage: usage.Usage{Input: 4, Output: 11},
	},
	"max_tokens": {
		request: conversation.Request{Messages: []conversation.Message{asked("A long story.")}, MaxOutput: 5},
		items:   said("Once upon a time,"), finish: conversation.Length, usage: usage.Usage{Input: 5, Output: 5},
	},
	"safety": {
		request: conversation.Request{Messages: []conversation.Message{asked("Something dangerous.")}, Stream: true},
		items:   said("First, you"), finish: conversation.Filtered, usage: usage.Usage{Input: 4, Output: 3},
	},
	"prompt_blocked": {
		request: conversation.Request{Messages: []conversation.Message{asked("Something forbidden.")}},
		finish:  conversation.Filtered, usage: usage.Usage{Input: 5},
	},
	"cached": {
		request: conversation.Request{
			Form: conversation.Responses, Messages: []conversation.Message{turn(conversation.System, text("A long manual.")), asked("Summarise.")}, CacheKey: "k",
		},
		items: said("Short."), finish: conversation.Stop, usage: usage.Usage{Input: 100, CachedInput: 4000, Output: 3, Reasoning: 120},
	},
	"custom_tool": {
		request: conversation.Request{
			Form: conversation.Responses,
			Messages: []conversation.Message{
				asked("List the files."),
				turn(conversation.Assistant, conversation.Part{Type: conversation.Call, CallID: "c1", Name: "shell", Custom: true, Arguments: "ls -1"}),
				turn(conversation.Tools, conversation.Part{Type: conversation.Result, CallID: "c1", Custom: true, Content: []conversation.Part{text("a.txt\nb.txt")}}),
				asked("And hidden ones?"),
			},
			Tools: shell,
		},
		items:  []conversation.Item{{Type: conversation.CallItem, CallID: "k9", Name: "shell", Custom: true, Text: "ls -1a\n"}},
		finish: conversation.Calls, usage: usage.Usage{Input: 80, Output: 9},
	},
	"result_image": {
		request: conversation.Request{
			Form: conversation.Responses,
			Messages: []conversation.Message{
				asked("What do you see?"),
				turn(conversation.Assistant, call("c1", "screenshot", `{}`)),
				result("c1", text("the screen"), conversation.Part{Type: conversation.Image, Media: conversation.Media{Type: "image/png", Data: "iVBORw0KGgo="}}),
			},
			Tools: []conversation.Tool{{Name: "screenshot"}},
		},
		items: said("A login form."), finish: conversation.Stop, usage: usage.Usage{Input: 1200, Output: 4, Reasoning: 10},
	},
	"error_in_stream": {
		request: conversation.Request{Messages: []conversation.Message{asked("Hello")}, Stream: true},
		items:   said("Hel"), fault: "503",
	},
	"cut_stream": {
		request: conversation.Request{Messages: []conversation.Message{asked("Hello")}, Stream: true},
		items:   said("Hel"), cut: true,
	},
	"malformed_call": {
		request: conversation.Request{Messages: []conversation.Message{asked("Weather?")}, Tools: weather},
		fault:   "MALFORMED_FUNCTION_CALL",
	},
}
