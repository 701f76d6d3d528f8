package gemini_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/gemini"
)

// A model of the second generation and one of the third.
const (
	second = "gemini-2.5-flash"
	third  = "gemini-3-flash-preview"
)

func message(role conversation.MessageRole, parts ...conversation.Part) conversation.Message {
	return conversation.Message{Role: role, Parts: parts, Path: "messages[0]"}
}

func text(s string) conversation.Part {
	return conversation.Part{Type: conversation.PartText, Text: s, Path: "messages[0].content"}
}

func call(id, args, seal string) conversation.Part {
	return conversation.Part{Type: conversation.PartToolCall, CallID: id, Name: "f", Arguments: args, Signature: seal,
		Path: "messages[0].tool_calls[0]"}
}

func thought(s, seal string) conversation.Part {
	return conversation.Part{Type: conversation.PartReasoning, Text: s, Signature: seal}
}

func result(id string, content ...conversation.Part) conversation.Message {
	return message(conversation.RoleTool, conversation.Part{Type: conversation.PartToolResult, CallID: id,
		Content: content, Path: "messages[0]"})
}

func media(kind conversation.PartType, m conversation.Media) conversation.Part {
	return conversation.Part{Type: kind, Media: m, Path: "messages[0].content[0]"}
}

// withQuestion returns r with one question, unless it has messages.
func withQuestion(r conversation.Request) *conversation.Request {
	if r.Messages == nil {
		r.Messages = []conversation.Message{message(conversation.RoleUser, text("hi"))}
	}
	return &r
}

func turns(messages ...conversation.Message) *conversation.Request {
	return &conversation.Request{Messages: messages}
}

var noParallel = false

const hi = `{"role":"user","parts":[{"text":"hi"}]}`

func TestEncodeRequest_WritesTurns(t *testing.T) {
	pdf := conversation.Media{Type: "application/pdf", Data: "JVBE", Name: "a.pdf"}
	for name, c := range map[string]struct {
		model string
		turns *conversation.Request
		want  string // the members systemInstruction and contents
	}{
		"one question": {second, turns(message(conversation.RoleUser, text("hi"))), `"contents":[` + hi + `]`},
		"system and developer messages": {
			second, turns(message(conversation.RoleSystem, text("a")), message(conversation.RoleUser, text("hi")),
				message(conversation.RoleDeveloper, text("b"))),
			`"systemInstruction":{"parts":[{"text":"a"},{"text":"b"}]},"contents":[` + hi + `]`,
		},
		"instructions for Gemma 3": {
			"models/gemma-3-27b-it",
			turns(message(conversation.RoleSystem, text("a")), message(conversation.RoleUser, text("hi")),
				message(conversation.RoleDeveloper, text("b"))),
			`"contents":[{"role":"user","parts":[{"text":"a\n\n"},{"text":"b\n\n"},{"text":"hi"}]}]`,
		},
		"instructions alone for Gemma 3": {
			"gemma-3n-e4b-it", turns(message(conversation.RoleSystem, text("a"))),
			`"contents":[{"role":"user","parts":[{"text":"a\n\n"},{"text":"(continue)"}]}]`,
		},
		"instructions for Gemma 3 before an answer": {
			"gemma-3-4b-it",
			turns(message(conversation.RoleSystem, text("a")), message(conversation.RoleAssistant, text("b")),
				message(conversation.RoleUser, text("hi"))),
			`"contents":[{"role":"user","parts":[{"text":"a\n\n"},{"text":"(continued)"}]},{"role":"model","parts":[{"text":"b"}]},` + hi + `]`,
		},
		"instructions for Gemma 4": {
			"gemma-4-31b-it",
			turns(message(conversation.RoleSystem, text("a")), message(conversation.RoleUser, text("hi"))),
			`"systemInstruction":{"parts":[{"text":"a"}]},"contents":[` + hi + `]`,
		},
		"consecutive messages of one role": {
			second, turns(message(conversation.RoleUser, text("a")), message(conversation.RoleUser, text("b")),
				message(conversation.RoleAssistant, text("c"),
					conversation.Part{Type: conversation.PartRefusal, Text: "no"})),
			`"contents":[{"role":"user","parts":[{"text":"a"},{"text":"b"}]},{"role":"model","parts":[{"text":"c"},{"text":"no"}]},{"role":"user","parts":[{"text":"(continue)"}]}]`,
		},
		"empty texts are left out": {second,
			turns(message(conversation.RoleUser, text("hi")), message(conversation.RoleAssistant, text("")),
				message(conversation.RoleSystem)), `"contents":[` + hi + `]`},
		"media by value and by URL": {
			second, turns(message(conversation.RoleUser,
				media(conversation.PartImage, conversation.Media{Type: "image/png", Data: "iVBO"}),
				media(conversation.PartImage, conversation.Media{URL: "https://x.example/a.JPG?b=c.png"}),
				media(conversation.PartImage, conversation.Media{URL: "https://x.example/a"}),
				media(conversation.PartFile, pdf),
				media(conversation.PartFile, conversation.Media{Data: "YQ==", Name: "notes.txt"}),
				media(conversation.PartAudio, conversation.Media{Type: "audio/wav", Data: "UklG"}))),
			`"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"iVBO"}},` +
				`{"fileData":{"mimeType":"image/jpeg","fileUri":"https://x.example/a.JPG?b=c.png"}},{"fileData":{"fileUri":"https://x.example/a"}},` +
				`{"inlineData":{"mimeType":"application/pdf","data":"JVBE"}},{"inlineData":{"mimeType":"text/plain","data":"YQ=="}},` +
				`{"inlineData":{"mimeType":"audio/wav","data":"UklG"}}]}]`,
		},
		"calls and results, parallel": {
			second, turns(message(conversation.RoleAssistant, call("1", `{"n":1.50}`, ""), call("2", " ", "")),
				result("1", text("rain")), result("2", text(`{"ok":true}`)),
				message(conversation.RoleUser, text("so?"))),
			`"contents":[{"role":"user","parts":[{"text":"(continued)"}]},{"role":"model","parts":[{"functionCall":{"id":"1","name":"f","args":{"n":1.50}}},{"functionCall":{"id":"2","name":"f","args":{}}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"id":"1","name":"f","response":{"result":"rain"}}},` +
				`{"functionResponse":{"id":"2","name":"f","response":{"result":"{\"ok\":true}"}}}]},{"role":"user","parts":[{"text":"so?"}]}]`,
		},
		"two results of a call": {
			second, turns(message(conversation.RoleAssistant, call("1", "", "")), result("1", text(`[1]`), text("two")),
				result("1", text(`{"a":1,"a":2}`))),
			`"contents":[{"role":"user","parts":[{"text":"(continued)"}]},{"role":"model","parts":[{"functionCall":{"id":"1","name":"f","args":{}}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"id":"1","name":"f","response":{"result":"[1]\ntwo\n{\"a\":1,\"a\":2}"}}}]}]`,
		},
		"a custom tool's call and result": {
			second, turns(message(conversation.RoleAssistant, conversation.Part{Type: conversation.PartToolCall,
				CallID: "1", Name: "sh", Custom: true, Arguments: "ls\n"}),
				message(conversation.RoleTool, conversation.Part{Type: conversation.PartToolResult, CallID: "1",
					Custom: true, Content: []conversation.Part{text("a.txt")}})),
			`"contents":[{"role":"user","parts":[{"text":"(continued)"}]},{"role":"model","parts":[{"functionCall":{"id":"1","name":"sh","args":{"input":"ls\n"}}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"id":"1","name":"sh","response":{"result":"a.txt"}}}]}]`,
		},
		"only Gemini's signatures are sent": {
			second,
			turns(message(conversation.RoleAssistant, thought("hm", "gemini:c2ln"), thought("other", "anthropic:x"),
				thought("bare", ""), text("a"), thought("", "gemini:dGV4dA=="), call("1", "", "gemini:Y2FsbA=="),
				call("2", "", "openai:y")), result("1"), result("2")),
			`"contents":[{"role":"user","parts":[{"text":"(continued)"}]},{"role":"model","parts":[{"text":"hm","thought":true,"thoughtSignature":"c2ln"},{"text":"a"},{"text":"","thoughtSignature":"dGV4dA=="},` +
				`{"functionCall":{"id":"1","name":"f","args":{}},"thoughtSignature":"Y2FsbA=="},{"functionCall":{"id":"2","name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"id":"1","name":"f","response":{"result":""}}},{"functionResponse":{"id":"2","name":"f","response":{"result":""}}}]}]`,
		},
		"a call's signature on the reasoning before it": {
			second, turns(message(conversation.RoleAssistant, thought("hm", "gemini:call:c2ln")),
				message(conversation.RoleAssistant, call("1", "", ""), call("2", "", "")), result("1"), result("2")),
			`"contents":[{"role":"user","parts":[{"text":"(continued)"}]},{"role":"model","parts":[{"functionCall":{"id":"1","name":"f","args":{}},"thoughtSignature":"c2ln"},{"functionCall":{"id":"2","name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"id":"1","name":"f","response":{"result":""}}},{"functionResponse":{"id":"2","name":"f","response":{"result":""}}}]}]`,
		},
		"the first call of each step is signed": {
			third, turns(message(conversation.RoleAssistant, text("a"), call("1", "", "x:y"), call("2", "", "")),
				result("2"), result("1"), message(conversation.RoleAssistant, call("3", "", "gemini:c2ln"),
					call("4", "", "")), result("3"), result("4")),
			`"contents":[{"role":"user","parts":[{"text":"(continued)"}]},{"role":"model","parts":[{"text":"a"},{"functionCall":{"id":"1","name":"f","args":{}},"thoughtSignature":"skip_thought_signature_validator"},{"functionCall":{"id":"2","name":"f","args":{}}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"id":"1","name":"f","response":{"result":""}}},{"functionResponse":{"id":"2","name":"f","response":{"result":""}}}]},` +
				`{"role":"model","parts":[{"functionCall":{"id":"3","name":"f","args":{}},"thoughtSignature":"c2ln"},{"functionCall":{"id":"4","name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"id":"3","name":"f","response":{"result":""}}},{"functionResponse":{"id":"4","name":"f","response":{"result":""}}}]}]`,
		},
		"media in a result": {
			third, turns(message(conversation.RoleAssistant, call("1", "", "gemini:c2ln")),
				result("1", text("see"), media(conversation.PartFile, pdf))),
			`"contents":[{"role":"user","parts":[{"text":"(continued)"}]},{"role":"model","parts":[{"functionCall":{"id":"1","name":"f","args":{}},"thoughtSignature":"c2ln"}]},` +
				`{"role":"user","parts":[{"functionResponse":{"id":"1","name":"f","response":{"result":"see"},"parts":[{"inlineData":{"mimeType":"application/pdf","data":"JVBE"}}]}}]}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			body, _, err := gemini.EncodeRequest(c.turns, gemini.Options{Model: c.model})
			if want := "{" + c.want + "}"; err != nil || string(body) != want {
				t.Errorf("got  %s, %v\nwant %s", body, err, want)
			}
		})
	}
}

func TestEncodeRequest_WritesSettings(t *testing.T) {
	tools := []conversation.Tool{{Name: "f", Description: "d",
		Parameters: json.RawMessage(`{"type":"object","properties":{"b":{},"a":{"$ref":"#"}}}`), Path: "tools[0]"}}
	const declared = `,"tools":[{"functionDeclarations":[{"name":"f","description":"d","parametersJsonSchema":{"type":"object","properties":{"b":{},"a":{"$ref":"#"}}}}]}]`
	for name, c := range map[string]struct {
		model string
		r     conversation.Request
		want  string
	}{
		"numbers keep their spelling": {
			"gemini-2.0-flash",
			conversation.Request{MaxOutput: 5, Temperature: "1.0", TopP: "9e-1", FrequencyPenalty: "0",
				PresencePenalty: "-2", Seed: "7.0", Stop: []string{"a", "b"}},
			`,"generationConfig":{"maxOutputTokens":5,"temperature":1.0,"topP":9e-1,"frequencyPenalty":0,"presencePenalty":-2,"seed":7.0,"stopSequences":["a","b"]}`,
		},
		"hints are left out": {second, conversation.Request{User: "u", CacheKey: "k", Metadata: json.RawMessage(`{}`),
			Tier: "auto", Truncation: "disabled", Verbosity: "medium", Store: &noParallel, ParallelCalls: &noParallel},
			``},
		"pictures and text": {"models/gemini-2.5-flash-image",
			conversation.Request{Modalities: []string{"text", "image"}},
			`,"generationConfig":{"responseModalities":["TEXT","IMAGE"]}`},
		"pictures alone": {"gemini-2.5-flash-image", conversation.Request{Modalities: []string{"image"}},
			`,"generationConfig":{"responseModalities":["IMAGE"]}`},
		"JSON without a schema": {
			second, conversation.Request{Format: conversation.Format{Type: conversation.FormatJSON}},
			`,"generationConfig":{"responseMimeType":"application/json"}`,
		},
		"JSON with a schema": {
			second,
			conversation.Request{Format: conversation.Format{Type: conversation.FormatSchema, Name: "n",
				Schema: json.RawMessage(`{"type":"object","z":1,"a":"\u00e9"}`)}},
			`,"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":{"type":"object","z":1,"a":"\u00e9"}}`,
		},
		"tools": {second, conversation.Request{Tools: tools}, declared},
		"a choice without tools": {second,
			conversation.Request{ToolChoice: conversation.ToolChoice{Mode: conversation.ToolChoiceAuto}}, ``},
		"choice auto": {second,
			conversation.Request{Tools: tools, ToolChoice: conversation.ToolChoice{Mode: conversation.ToolChoiceAuto}},
			declared + `,"toolConfig":{"functionCallingConfig":{"mode":"AUTO"}}`},
		"choice none": {second,
			conversation.Request{Tools: tools, ToolChoice: conversation.ToolChoice{Mode: conversation.ToolChoiceNone,
				Allowed: []string{"f"}}}, declared + `,"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}`},
		"choice required": {second,
			conversation.Request{Tools: tools,
				ToolChoice: conversation.ToolChoice{Mode: conversation.ToolChoiceRequired}},
			declared + `,"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}`},
		"choice named": {second,
			conversation.Request{Tools: tools,
				ToolChoice: conversation.ToolChoice{Mode: conversation.ToolChoiceNamed, Name: "f"}},
			declared + `,"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f"]}}`},
		"choice allowed tools": {second,
			conversation.Request{Tools: tools, ToolChoice: conversation.ToolChoice{Allowed: []string{"f"}}}, declared +
				`,"toolConfig":{"functionCallingConfig":{"mode":"VALIDATED","allowedFunctionNames":["f"]}}`},
		"choice required, allowed tools": {second,
			conversation.Request{Tools: tools,
				ToolChoice: conversation.ToolChoice{Mode: conversation.ToolChoiceRequired, Allowed: []string{"f"}}},
			declared + `,"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f"]}}`},
		"a custom tool": {
			second,
			conversation.Request{Tools: []conversation.Tool{{Name: "sh", Custom: true,
				Syntax: json.RawMessage(`{"type":"text"}`)}}},
			`,"tools":[{"functionDeclarations":[{"name":"sh","parametersJsonSchema":{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}}]}]`,
		},
		"effort as a budget": {second,
			conversation.Request{Reasoning: conversation.Reasoning{Effort: "medium"}},
			`,"generationConfig":{"thinkingConfig":{"thinkingBudget":8192}}`},
		"effort none": {second,
			conversation.Request{Reasoning: conversation.Reasoning{Effort: "none"}},
			`,"generationConfig":{"thinkingConfig":{"thinkingBudget":0}}`},
		"effort as a level, with a summary": {third,
			conversation.Request{Reasoning: conversation.Reasoning{Effort: "minimal", Summary: "auto"}},
			`,"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"MINIMAL"}}`},
		"the lowest level of pro": {"models/gemini-3.1-pro-preview",
			conversation.Request{Reasoning: conversation.Reasoning{Effort: "minimal"}},
			`,"generationConfig":{"thinkingConfig":{"thinkingLevel":"LOW"}}`},
		"a summary without effort": {"publishers/google/models/gemini-pro-latest",
			conversation.Request{Reasoning: conversation.Reasoning{Summary: "concise"}},
			`,"generationConfig":{"thinkingConfig":{"includeThoughts":true}}`},
		"a model that does not think": {"gemini-2.0-flash",
			conversation.Request{Reasoning: conversation.Reasoning{Effort: "none", Summary: "auto"}}, ``},
		"a model of another family": {"gemma-3-27b-it",
			conversation.Request{Reasoning: conversation.Reasoning{Effort: "none"}}, ``},
	} {
		t.Run(name, func(t *testing.T) {
			body, _, err := gemini.EncodeRequest(withQuestion(c.r), gemini.Options{Model: c.model})
			if want := `{"contents":[` + hi + `]` + c.want + `}`; err != nil || string(body) != want {
				t.Errorf("got  %s, %v\nwant %s", body, err, want)
			}
		})
	}
}

func TestEncodeRequest_RefusesFieldsThatTheAPICannotExpress(t *testing.T) {
	unsupported, invalid := problem.UnsupportedParameter, problem.InvalidType
	for name, c := range map[string]struct {
		r     *conversation.Request
		kind  problem.Kind
		param string
	}{
		"an untranslatable field": {withQuestion(conversation.Request{Untranslatable: []string{"logit_bias"}}),
			unsupported, "logit_bias"},
		"pictures of a model that draws none": {withQuestion(conversation.Request{Modalities: []string{"image"}}),
			unsupported, "modalities"},
		"an unknown effort": {withQuestion(
			conversation.Request{Reasoning: conversation.Reasoning{Effort: "heroic"}}), unsupported,
			"reasoning_effort"},
		"required without tools": {withQuestion(
			conversation.Request{ToolChoice: conversation.ToolChoice{Mode: conversation.ToolChoiceRequired}}),
			unsupported, "tool_choice"},
		"a file by id": {turns(message(conversation.RoleUser,
			media(conversation.PartFile, conversation.Media{ID: "file-1"}))), unsupported, "messages[0].content[0]"},
		"an unknown media type": {turns(message(conversation.RoleUser,
			media(conversation.PartFile, conversation.Media{Data: "YQ=="}))), invalid, "messages[0].content[0]"},
		"media in instructions": {turns(message(conversation.RoleSystem, media(conversation.PartImage,
			conversation.Media{URL: "https://x.example/a.png"}))), unsupported, "messages[0].content[0]"},
		"media in an assistant message": {turns(message(conversation.RoleAssistant,
			media(conversation.PartAudio, conversation.Media{ID: "a"}))), unsupported, "messages[0].content[0]"},
		"a call in a user message": {turns(message(conversation.RoleUser, call("1", "", ""))), unsupported,
			"messages[0].tool_calls[0]"},
		"a result without a call": {turns(result("1", text("x"))), invalid, "messages[0]"},
		"a call without a result": {turns(message(conversation.RoleAssistant, call("1", "", ""))), invalid,
			"messages[0].tool_calls[0]"},
		"no messages": {turns(), unsupported, "messages"},
		"only an empty text": {turns(message(conversation.RoleUser, text(""))), unsupported,
			"messages[0].content"},
		"an image of an unknown type": {turns(message(conversation.RoleUser, media(conversation.PartImage,
			conversation.Media{Type: "image/tiff", Data: "AA=="}))), unsupported, "messages[0].content[0]"},
		"six stop sequences": {withQuestion(conversation.Request{Stop: []string{"a", "b", "c", "d", "e", "f"}}),
			unsupported, "stop"},
		"functions and " +
			"JSON": {withQuestion(conversation.Request{Tools: []conversation.Tool{{Name: "f", Path: "tools[0]"}},
			Format: conversation.Format{Type: conversation.FormatJSON}}), unsupported, "response_format"},
		"media of an unknown type in a result": {
			turns(message(conversation.RoleAssistant, call("1", "", "")),
				result("1", media(conversation.PartImage, conversation.Media{Type: "image/tiff", Data: "AA=="}))),
			unsupported, "messages[0].content[0]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			body, _, err := gemini.EncodeRequest(c.r, gemini.Options{Model: second})
			var p *problem.Problem
			if !errors.As(err, &p) || p.Kind != c.kind || p.Param != c.param || body != nil {
				t.Errorf("got %v and the body %s, want a problem of kind %v for %s", err, body, c.kind, c.param)
			}
		})
	}
}

func TestEncodeRequest_RefusesModelsThatDrawForClientsWithoutPictures(t *testing.T) {
	for model, draws := range map[string]bool{
		"gemini-2.5-flash-image": true, "models/gemini-3-pro-image-preview": true,
		"gemini-2.0-flash-preview-image-generation": true,
		"gemini-2.5-flash":                          false, "gemini-3-pro": false, "imagine-1": false,
	} {
		for client, refused := range map[conversation.ClientDialect]bool{conversation.ClientMessages: draws,
			conversation.ClientChat: false, conversation.ClientResponses: false} {
			r := withQuestion(conversation.Request{Client: client, Model: "public"})
			_, _, err := gemini.EncodeRequest(r, gemini.Options{Model: model})
			var p *problem.Problem
			if errors.As(err, &p) != refused || refused &&
				(p.Kind != problem.UnsupportedParameter || p.Param != "model" || strings.Contains(p.Text(), model)) {
				t.Errorf("%s for the client %d: got %v, want refused: %t", model, client, err, refused)
			}
		}
	}
}

func TestEncodeRequest_LeavesOutWhatTheModelDoesNotHave(t *testing.T) {
	effort := func(word string) conversation.Request {
		return conversation.Request{Reasoning: conversation.Reasoning{Effort: word}}
	}
	for name, c := range map[string]struct {
		r             conversation.Request
		model         string
		want, ignored string
	}{
		"the highest effort": {effort("xhigh"), second,
			`,"generationConfig":{"thinkingConfig":{"thinkingBudget":24576}}`, ""},
		"the highest effort as a level": {effort("xhigh"), third,
			`,"generationConfig":{"thinkingConfig":{"thinkingLevel":"HIGH"}}`, ""},
		"the lowest effort, a drawing model of two levels": {effort("minimal"), "gemini-3.1-flash-image-preview",
			`,"generationConfig":{"thinkingConfig":{"thinkingLevel":"MINIMAL"}}`, ""},
		"a low effort, a drawing model of two levels": {effort("low"), "models/gemini-3.1-flash-lite-image",
			`,"generationConfig":{"thinkingConfig":{"thinkingLevel":"MINIMAL"}}`, ""},
		"a medium effort, a drawing model of two levels": {effort("medium"), "gemini-3.1-flash-image",
			`,"generationConfig":{"thinkingConfig":{"thinkingLevel":"HIGH"}}`, ""},
		"a low effort, a model of two levels": {effort("low"), "gemini-3-pro-image",
			`,"generationConfig":{"thinkingConfig":{"thinkingLevel":"LOW"}}`, ""},
		"a medium effort, a model of two levels": {effort("medium"), "gemini-3-pro-preview",
			`,"generationConfig":{"thinkingConfig":{"thinkingLevel":"HIGH"}}`, ""},
		"a medium effort, a model of four levels": {effort("medium"), "gemini-3.1-flash-lite",
			`,"generationConfig":{"thinkingConfig":{"thinkingLevel":"MEDIUM"}}`, ""},
		"a medium effort, a model of three levels": {effort("medium"), "gemini-3.1-pro-preview",
			`,"generationConfig":{"thinkingConfig":{"thinkingLevel":"MEDIUM"}}`, ""},
		"none, thinking cannot be off":  {effort("none"), third, ``, "reasoning_effort"},
		"an effort, a model without":    {effort("high"), "gemini-2.0-flash", ``, "reasoning_effort"},
		"an effort, a model that draws": {effort("low"), "gemini-2.5-flash-image", ``, "reasoning_effort"},
		"none, a model that draws":      {effort("none"), "gemini-2.5-flash-image-preview", ``, ""},
		"a summary, a model that draws": {
			conversation.Request{Reasoning: conversation.Reasoning{Summary: "auto"}}, "gemini-2.5-flash-image", ``, ""},
		"none, a model that does not think": {effort("none"), "gemini-2.0-flash", ``, ""},
		"penalties": {conversation.Request{FrequencyPenalty: "0.1", PresencePenalty: "-1"}, second, ``,
			"frequency_penalty presence_penalty"},
		"penalties, the third generation": {conversation.Request{PresencePenalty: "1"}, third, ``, "presence_penalty"},
		"penalties, the first generation": {conversation.Request{PresencePenalty: "1"}, "models/gemini-1.5-pro",
			`,"generationConfig":{"presencePenalty":1}`, ""},
		"penalties, an unknown model": {conversation.Request{PresencePenalty: "1"}, "tuned", ``, "presence_penalty"},
		"penalties of 0":              {conversation.Request{FrequencyPenalty: "0.0", PresencePenalty: "0"}, second, ``, ""},
		"the largest seed": {conversation.Request{Seed: "2147483647"}, second,
			`,"generationConfig":{"seed":2147483647}`, ""},
		"the smallest seed": {conversation.Request{Seed: "-2147483648"}, second,
			`,"generationConfig":{"seed":-2147483648}`, ""},
		"a larger seed":                     {conversation.Request{Seed: "2147483648"}, second, ``, "seed"},
		"a smaller seed":                    {conversation.Request{Seed: "-2147483649"}, third, ``, "seed"},
		"a seed beyond all numbers":         {conversation.Request{Seed: "1e999"}, second, ``, "seed"},
		"a fraction as the seed":            {conversation.Request{Seed: "1.5"}, second, ``, "seed"},
		"one call at a time, without tools": {conversation.Request{ParallelCalls: &noParallel}, second, ``, ""},
		"one call at a time, the older functions": {
			conversation.Request{ParallelCalls: &noParallel,
				Tools: []conversation.Tool{{Name: "f", Path: "functions[0]"}}}, second,
			`,"tools":[{"functionDeclarations":[{"name":"f"}]}]`, "",
		},
	} {
		body, ignored, err := gemini.EncodeRequest(withQuestion(c.r), gemini.Options{Model: c.model})
		if want := `{"contents":[` + hi + `]` + c.want + `}`; err != nil || string(body) != want ||
			strings.Join(ignored, " ") != c.ignored {
			t.Errorf("%s: got %s without %q, %v\nwant %s without %s", name, body, ignored, err, want, c.ignored)
		}
	}
}

// FuzzEncodeRequest checks that a request is encoded as valid JSON without empty signatures, or refused.
func FuzzEncodeRequest(f *testing.F) {
	f.Add("hi", `{"a":1}`, `{"ok":true}`, "gemini:c2ln", "1.0")
	f.Add("\xff", `{"a":"\ud800","a":2}`, `[`, "gemini:call:", "0")
	f.Fuzz(func(t *testing.T, prompt, args, output, seal, id string) {
		r := turns(message(conversation.RoleSystem, text(prompt)), message(conversation.RoleUser, text(prompt)),
			message(conversation.RoleAssistant, thought(prompt, seal), call(id, args, seal)), result(id, text(output)))
		body, _, err := gemini.EncodeRequest(r, gemini.Options{Model: third})
		if err == nil && !json.Valid(body) || err != nil && problem.From(err).Kind != problem.InvalidType {
			t.Errorf("got %v and the body %s, want valid JSON or InvalidType", err, body)
		}
		if strings.Contains(string(body), `"thoughtSignature":""`) {
			t.Errorf("an empty signature: %s", body)
		}
	})
}

func TestThinkingBudget_IsThatOfTheRequest(t *testing.T) {
	for effort, want := range map[string]int64{"": 0, "none": 0, "low": 1_024, "high": 24_576, "xhigh": 24_576} {
		if got := gemini.ThinkingBudget("gemini-2.5-pro", effort); got != want {
			t.Errorf("%q: got %d, want %d", effort, got, want)
		}
	}
}
