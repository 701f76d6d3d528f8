package gemini_test

import (
	"errors"
	"io"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/gemini"
)

// toolRequest returns a request with tools, one of them custom, and with an earlier call.
func toolRequest() *conversation.Request {
	r := turns(message(conversation.RoleAssistant, call("call_ef46db3751d8e999_1", "", "")))
	r.Tools = []conversation.Tool{{Name: "f"}, {Name: "sh", Custom: true}}
	return r
}

// parts returns a chunk, or a whole response, with the parts.
func parts(inside string) string {
	return `{"candidates":[{"content":{"parts":[` + inside + `],"role":"model"},"index":0}]}`
}

const stop = `{"candidates":[{"content":{},"finishReason":"STOP"}]}`

// stream reads frames up to the end of the stream.
func stream(d *gemini.Decoder, frames ...string) (g completion.Accumulator, err error) {
	var events []completion.Event
	for _, frame := range frames {
		if events, err = d.Frame(events, "", []byte(frame)); err != nil {
			break
		}
	}
	if err == nil {
		events, err = d.Close(events)
	}
	for _, e := range events {
		g.Add(e)
	}
	return g, err
}

func TestDecoder_ReadsItems(t *testing.T) {
	plain, encrypted := toolRequest(), toolRequest()
	encrypted.Reasoning.Encrypted = true
	textItem := func(s string) completion.Item { return completion.Item{Type: completion.ItemText, Text: s} }
	reasoningItem := func(s, seal string) completion.Item {
		return completion.Item{Type: completion.ItemReasoning, Text: s, Signature: seal}
	}
	callItem := func(id, name, args, seal string) completion.Item {
		return completion.Item{Type: completion.ItemToolCall, CallID: id, Name: name, Text: args, Signature: seal,
			Custom: name == "sh"}
	}
	pictureItem := func(mediaType, data string) completion.Item {
		return completion.Item{Type: completion.ItemPicture, MediaType: mediaType, Text: data}
	}
	items := func(items ...completion.Item) []completion.Item { return items }
	for name, c := range map[string]struct {
		r      *conversation.Request
		frames []string
		want   []completion.Item
		finish completion.FinishReason
	}{
		"text in chunks": {plain, []string{parts(`{"text":"a"}`), parts(`{"text":"b"},{"text":"c"}`), stop},
			items(textItem("abc")), completion.FinishStop},
		"no parts": {plain, []string{stop}, nil, completion.FinishStop},
		"thoughts, then text": {plain,
			[]string{parts(`{"text":"h","thought":true}`), parts(`{"text":"m","thought":true},{"text":"a"}`), stop},
			items(reasoningItem("hm", ""), textItem("a")), completion.FinishStop},
		"a call with an id": {plain,
			[]string{parts(`{"functionCall":{"id":"x1","name":"f","args":{ "n": 1.50, "big":12345678901234567890 }}}`),
				stop}, items(callItem("x1", "f", `{"n":1.50,"big":12345678901234567890}`, "")),
			completion.FinishToolCalls},
		"no id, no arguments": {plain,
			[]string{parts(`{"functionCall":{"name":"f"}},{"functionCall":{"name":"f","args":null}}`), stop},
			items(callItem("call_ef46db3751d8e999_2", "f", `{}`, ""),
				callItem("call_ef46db3751d8e999_3", "f", `{}`, "")), completion.FinishToolCalls},
		"free text": {plain,
			[]string{parts(
				`{"functionCall":{"id":"1","name":"sh","args":{"input":"ls\n"}}},{"functionCall":{"id":"2","name":"sh","args":{"cmd":"ls"}}}`), stop}, items(callItem("1", "sh", "ls\n", ""), callItem("2", "sh", `{"cmd":"ls"}`, "")), completion.FinishToolCalls},
		"a signed call": {plain,
			[]string{parts(
				`{"functionCall":{"id":"1","name":"f","args":{}},"thoughtSignature":"c2ln"},{"functionCall":{"id":"2","name":"f","args":{}}}`), stop}, items(callItem("1", "f", `{}`, "gemini:c2ln"), callItem("2", "f", `{}`, "")), completion.FinishToolCalls},
		"a signed text": {plain, []string{parts(`{"text":"a","thoughtSignature":"c2ln"}`), stop},
			items(textItem("a")), completion.FinishStop},
		"a signed thought": {plain,
			[]string{parts(`{"text":"hm","thought":true,"thoughtSignature":"c2ln"},{"text":"so","thought":true}`),
				stop}, items(reasoningItem("hm", "gemini:c2ln"), reasoningItem("so", "")), completion.FinishStop},
		"encrypted: a call's signature after reasoning": {encrypted,
			[]string{parts(`{"text":"hm","thought":true}`),
				parts(`{"functionCall":{"id":"1","name":"f"},"thoughtSignature":"c2ln"}`), stop},
			items(reasoningItem("hm", "gemini:call:c2ln"), callItem("1", "f", `{}`, "")), completion.FinishToolCalls},
		"encrypted: a call's signature after text": {encrypted,
			[]string{parts(`{"text":"a"},{"functionCall":{"id":"1","name":"f"},"thoughtSignature":"c2ln"}`), stop},
			items(textItem("a"), reasoningItem("", "gemini:call:c2ln"), callItem("1", "f", `{}`, "")),
			completion.FinishToolCalls},
		"encrypted: a text's signature": {encrypted,
			[]string{parts(`{"text":"a"}`), parts(`{"text":"","thoughtSignature":"c2ln"}`), parts(`{"text":"b"}`),
				stop}, items(textItem("ab"), reasoningItem("", "gemini:c2ln")), completion.FinishStop},
		"encrypted: two signatures of a text": {encrypted,
			[]string{parts(`{"text":"a","thoughtSignature":"MQ=="},{"text":"b","thoughtSignature":"Mg=="}`), stop},
			items(textItem("ab"), reasoningItem("", "gemini:MQ=="), reasoningItem("", "gemini:Mg==")),
			completion.FinishStop},
		"encrypted: a signature after reasoning": {encrypted,
			[]string{parts(`{"text":"hm","thought":true},{"text":"","thoughtSignature":"c2ln"}`), stop},
			items(reasoningItem("hm", ""), reasoningItem("", "gemini:c2ln")), completion.FinishStop},
		"pictures between texts": {plain,
			[]string{parts(`{"text":"a"},{"inlineData":{"mimeType":"image/webp","data":"AAAA"}}`),
				parts(`{"inlineData":{"mimeType":"image/jpg","data":"BBBB"}},{"text":"b"}`), stop},
			items(textItem("a"), pictureItem("image/webp", "AAAA"), pictureItem("image/jpeg", "BBBB"), textItem("b")),
			completion.FinishStop},
		"a picture with another type than it says": {plain,
			[]string{parts(`{"inlineData":{"mimeType":"image/jpeg","data":"iVBORw0KGgoA"}}`), stop},
			items(pictureItem("image/png", "iVBORw0KGgoA")), completion.FinishStop},
		"a draft among the thoughts": {plain,
			[]string{parts(
				`{"text":"hm","thought":true},{"inlineData":{"mimeType":"image/png","data":"AAAA"},"thought":true},{"text":"so","thought":true}`), parts(`{"inlineData":{"mimeType":"image/png","data":"BBBB"}}`), stop}, items(reasoningItem("hmso", ""), pictureItem("image/png", "BBBB")), completion.FinishStop},
		"a signed picture": {plain,
			[]string{parts(`{"inlineData":{"mimeType":"image/png","data":"AAAA"},"thoughtSignature":"c2ln"}`), stop},
			items(pictureItem("image/png", "AAAA")), completion.FinishStop},
		"encrypted: a picture's signature": {encrypted,
			[]string{parts(
				`{"text":"a"},{"inlineData":{"mimeType":"image/png","data":"AAAA"},"thoughtSignature":"c2ln"}`), stop},
			items(textItem("a"), reasoningItem("", "gemini:call:c2ln"), pictureItem("image/png", "AAAA")),
			completion.FinishStop},
		"several candidates": {plain,
			[]string{`{"candidates":[{"index":1,"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"},{"index":0,"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}`}, items(textItem("a")), completion.FinishStop},
		"unknown keys": {plain,
			[]string{`{"candidates":[{"content":{"parts":[{"text":"a","partMetadata":{}}]},"finishReason":"STOP","groundingMetadata":{},"citationMetadata":{}}],"x":1}`}, items(textItem("a")), completion.FinishStop},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := stream(gemini.NewDecoder(c.r), c.frames...)
			if err != nil || g.Error != nil || !reflect.DeepEqual(g.Response.Items, c.want) ||
				g.Response.FinishReason != c.finish {
				t.Errorf("got %+v, upstream error %v, error %v; want the items %+v and %q", g.Response, g.Error, err,
					c.want, c.finish)
			}
		})
	}
}

func TestDecoder_MapsFinishReasonsAfterCalls(t *testing.T) {
	for reason, want := range map[string]completion.FinishReason{
		"STOP": completion.FinishToolCalls, "FUNCTION_CALL": completion.FinishToolCalls,
		"SOMETHING_NEW": completion.FinishToolCalls, "MAX_TOKENS": completion.FinishLength,
		"SAFETY": completion.FinishContentFilter, "MALFORMED_FUNCTION_CALL": completion.FinishToolCalls,
		"UNEXPECTED_TOOL_CALL": completion.FinishToolCalls, "OTHER": "",
	} {
		answer, err := gemini.NewDecoder(nil).
			Whole(
				[]byte(
					`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{}}}]},"finishReason":"` +
						reason + `"}]}`))
		if answer.FinishReason != want || (want == "") != (err != nil) {
			t.Errorf("%s: got %q, %v, want %q", reason, answer.FinishReason, err, want)
		}
	}
}

func TestDecoder_ReadsNamesOfFunctionsBehindThatOfTheirLibrary(t *testing.T) {
	r := &conversation.Request{Tools: []conversation.Tool{{Name: "f"}, {Name: "default_api:g"},
		{Name: "g"}, {Name: "1st"}}}
	for called, want := range map[string]string{
		"f": "f", "default_api:f": "f", "default_api.f": "f", "default_api:_1st": "1st",
		"default_api:g": "default_api:g", "default_api:other": "default_api:other", "default_api": "default_api",
	} {
		answer, err := gemini.NewDecoder(r).
			Whole([]byte(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"` + called +
				`","args":{}}}]},"finishReason":"STOP"}]}`))
		if err != nil || len(answer.Items) != 1 || answer.Items[0].Name != want {
			t.Errorf("%s: got %+v, %v, want %q", called, answer.Items, err, want)
		}
	}
}

func TestDecoder_MapsFinishReasons(t *testing.T) {
	for reason, want := range map[string]completion.FinishReason{
		"STOP": completion.FinishStop, "MAX_TOKENS": completion.FinishLength, "SAFETY": completion.FinishContentFilter,
		"RECITATION": completion.FinishContentFilter,
		"BLOCKLIST":  completion.FinishContentFilter, "PROHIBITED_CONTENT": completion.FinishContentFilter,
		"SPII": completion.FinishContentFilter, "LANGUAGE": completion.FinishContentFilter,
		"MALFORMED_FUNCTION_CALL": completion.FinishStop, "MALFORMED_RESPONSE": completion.FinishStop,
		"UNEXPECTED_TOOL_CALL": completion.FinishStop, "TOO_MANY_TOOL_CALLS": completion.FinishStop,
		"OTHER": "", "SOMETHING_NEW": completion.FinishStop,
	} {
		answer, err := gemini.NewDecoder(nil).
			Whole([]byte(`{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"` + reason + `"}]}`))
		var fault *completion.UpstreamError
		if answer.FinishReason != want || want == "" && (!errors.As(err, &fault) || fault.Code != reason ||
			fault.Message == "") || want != "" && err != nil {
			t.Errorf("%s: got %q, %v, want %q", reason, answer.FinishReason, err, want)
		}
	}
}

func TestDecoder_ReadsIDModelAndTime(t *testing.T) {
	answer, err := gemini.NewDecoder(nil).
		Whole(
			[]byte(
				`{"candidates":[{"finishReason":"STOP"}],"modelVersion":"gemini-2.5-flash","responseId":"r1","createTime":"2026-01-02T03:04:05.5Z"}`))
	if err != nil || answer.ID != "r1" || answer.Model != "gemini-2.5-flash" ||
		!answer.Created.Equal(time.Date(2026, 1, 2, 3, 4, 5, 5e8, time.UTC)) {
		t.Errorf("got %+v, %v, want the id r1, the model and the time of the response", answer, err)
	}
}

func TestDecoder_CountsEachTokenInOneClass(t *testing.T) {
	for name, c := range map[string]struct {
		metadata string
		want     usage.Usage
	}{
		"plain": {`"promptTokenCount":10,"candidatesTokenCount":4,"totalTokenCount":14`,
			usage.Usage{Input: 10, Output: 4}},
		"thoughts": {`"promptTokenCount":10,"candidatesTokenCount":4,"thoughtsTokenCount":20,"totalTokenCount":34`,
			usage.Usage{Input: 10, Output: 4, Reasoning: 20}},
		"cached tokens inside the " +
			"prompt": {`"promptTokenCount":10,"cachedContentTokenCount":8,"candidatesTokenCount":4`,
			usage.Usage{Input: 2, CachedInput: 8, Output: 4}},
		"a tool's prompt is added": {`"promptTokenCount":10,"toolUsePromptTokenCount":5`, usage.Usage{Input: 15}},
		"audio inside the " +
			"prompt": {`"promptTokenCount":10,"promptTokensDetails":[{"modality":"TEXT","tokenCount":3},{"modality":"AUDIO","tokenCount":7}]`, usage.Usage{Input: 3, AudioInput: 7}},
		"audio partly " +
			"cached": {`"promptTokenCount":10,"cachedContentTokenCount":6,"promptTokensDetails":[{"modality":"AUDIO","tokenCount":7}],"cacheTokensDetails":[{"modality":"AUDIO","tokenCount":5}]`, usage.Usage{Input: 2, CachedInput: 6, AudioInput: 2}},
		"audio out": {`"promptTokenCount":1,"candidatesTokenCount":9,"candidatesTokensDetails":[{"modality":"AUDIO","tokenCount":8}]`, usage.Usage{Input: 1, Output: 1, AudioOutput: 8}},
		"details above the " +
			"totals": {`"promptTokenCount":5,"cachedContentTokenCount":9,"promptTokensDetails":[{"modality":"AUDIO","tokenCount":9}],"candidatesTokenCount":1,"candidatesTokensDetails":[{"modality":"AUDIO","tokenCount":8}]`, usage.Usage{CachedInput: 5, AudioOutput: 1}},
		"images that a tool " +
			"read": {`"promptTokenCount":10,"toolUsePromptTokenCount":5,"toolUsePromptTokensDetails":[{"modality":"IMAGE","tokenCount":4},{"modality":"TEXT","tokenCount":1}]`, usage.Usage{Input: 15, Details: usage.Details{ImageInput: 4}}},
		"audio that a tool " +
			"heard": {`"promptTokenCount":10,"toolUsePromptTokenCount":5,"toolUsePromptTokensDetails":[{"modality":"AUDIO","tokenCount":9}]`, usage.Usage{Input: 10, AudioInput: 5}},
		"the ordinary tier": {`"promptTokenCount":10,"serviceTier":"standard"`, usage.Usage{Input: 10}},
		"the priority tier": {`"promptTokenCount":10,"serviceTier":"priority"`,
			usage.Usage{Input: 10, Details: usage.Details{ServiceTier: "priority"}}},
		"an unknown tier":      {`"promptTokenCount":10,"serviceTier":"unspecified"`, usage.Usage{Input: 10}},
		"the ordinary traffic": {`"promptTokenCount":10,"trafficType":"ON_DEMAND"`, usage.Usage{Input: 10}},
		"flexible traffic": {`"promptTokenCount":10,"trafficType":"ON_DEMAND_FLEX"`,
			usage.Usage{Input: 10, Details: usage.Details{ServiceTier: "flex"}}},
		"traffic that is paid for": {`"promptTokenCount":10,"trafficType":"PROVISIONED_THROUGHPUT"`,
			usage.Usage{Input: 10, Details: usage.Details{ServiceTier: "provisioned_throughput"}}},
		"details that are not " +
			"numbers": {`"promptTokenCount":10,"cachedContentTokenCount":"8","candidatesTokenCount":4,"candidatesTokensDetails":[{"modality":"IMAGE","tokenCount":1e30}],"serviceTier":7`, usage.Usage{Input: 10, Output: 4}},
		"details that are not " +
			"lists": {`"promptTokenCount":10,"promptTokensDetails":{"modality":"AUDIO","tokenCount":7},"cacheTokensDetails":"none","candidatesTokensDetails":[1]`, usage.Usage{Input: 10}},
		"nothing": {``, usage.Usage{}},
	} {
		t.Run(name, func(t *testing.T) {
			answer, err := gemini.NewDecoder(nil).
				Whole([]byte(`{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{` + c.metadata + `}}`))
			if err != nil || answer.Usage == nil || *answer.Usage != c.want {
				t.Errorf("got %+v, %v, want %+v", answer.Usage, err, c.want)
			}
		})
	}
	t.Run("the last chunk with usage counts", func(t *testing.T) {
		g, err := stream(gemini.NewDecoder(nil),
			`{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":1}}`,
			`{"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":2}}`)
		if err != nil || *g.Response.Usage != (usage.Usage{Input: 10, Output: 2}) {
			t.Errorf("got %+v, %v, want 10 input and 2 output tokens", g.Response.Usage, err)
		}
	})
	for name, metadata := range map[string]string{
		"negative":  `"promptTokenCount":-5,"candidatesTokenCount":3`,
		"too large": `"promptTokenCount":9223372036854775807`, "far too large": `"thoughtsTokenCount":1e30`,
		"a string": `"candidatesTokenCount":"3"`,
	} {
		t.Run("a total that is "+name, func(t *testing.T) {
			if answer, err := gemini.NewDecoder(nil).
				Whole([]byte(`{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{` + metadata + `}}`)); err !=
				nil || answer.Usage != nil {
				t.Errorf("got %+v, %v, want no usage", answer.Usage, err)
			}
		})
	}
	for _, metadata := range []string{`null`, `"many"`, `[1]`, `7`} {
		t.Run("no object: "+metadata, func(t *testing.T) {
			if answer, err := gemini.NewDecoder(nil).
				Whole([]byte(`{"candidates":[{"finishReason":"STOP"}],"usageMetadata":` + metadata + `}`)); err !=
				nil || answer.Usage != nil {
				t.Errorf("got %+v, %v, want no usage", answer.Usage, err)
			}
		})
	}
	t.Run("no usage", func(t *testing.T) {
		if answer, err := gemini.NewDecoder(nil).Whole([]byte(stop)); err != nil || answer.Usage != nil {
			t.Errorf("got %+v, %v, want nil", answer.Usage, err)
		}
	})
}

func TestDecoder_CountsTheSearchesThatGoogleChargesFor(t *testing.T) {
	for name, c := range map[string]struct {
		model, grounding string
		want             int64
	}{
		"each query of a later model":    {"gemini-3-flash-preview", `{"webSearchQueries":["a","b","c"]}`, 3},
		"a query twice, and empty ones":  {"gemini-3.8-flash", `{"webSearchQueries":["","a","","a"]}`, 1},
		"one answer of an earlier model": {"gemini-2.5-pro", `{"webSearchQueries":["a","b","c"]}`, 1},
		"a path with an earlier model":   {"models/gemini-2.0-flash", `{"webSearchQueries":["a","b"]}`, 1},
		"no queries": {"gemini-2.5-pro",
			`{"webSearchQueries":[],"groundingChunks":[{"web":{"uri":"u"}}]}`, 0},
		"only empty queries":              {"gemini-2.5-pro", `{"webSearchQueries":[""]}`, 0},
		"queries that are not a list":     {"gemini-3-pro", `{"webSearchQueries":"a"}`, 0},
		"metadata that are not an object": {"gemini-3-pro", `["a"]`, 0},
		"more than are plausible":         {"gemini-3-pro", `{"webSearchQueries":[` + manyQueries(10_001) + `]}`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := gemini.NewDecoder(nil)
			g, err := stream(d, `{"modelVersion":"`+c.model+`","candidates":[{"content":{"parts":[{"text":"a"}]}}]}`,
				`{"modelVersion":"`+c.model+`","candidates":[{"finishReason":"STOP","groundingMetadata":`+c.grounding+
					`}],"usageMetadata":{"promptTokenCount":9}}`)
			if err != nil || g.Response.Usage == nil || g.Response.Usage.WebSearchCalls != c.want ||
				d.ReportedUsage().WebSearchCalls != c.want {
				t.Errorf("got %+v, %v, want %d searches", g.Response.Usage, err, c.want)
			}
		})
	}
}

// manyQueries returns n different queries as the inside of a JSON array.
func manyQueries(n int) string {
	queries := make([]string, n)
	for i := range queries {
		queries[i] = strconv.Quote(strconv.Itoa(i))
	}
	return strings.Join(queries, ",")
}

func TestDecoder_ReadsABlockedPromptAsAnEmptyResponse(t *testing.T) {
	answer, err := gemini.NewDecoder(nil).
		Whole([]byte(`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":7}}`))
	if err != nil || answer.FinishReason != completion.FinishContentFilter || len(answer.Items) != 0 ||
		*answer.Usage != (usage.Usage{Input: 7}) {
		t.Errorf("got %+v, %v, want content_filter, no items and 7 input tokens", answer, err)
	}
}

func TestDecoder_ReportsErrors(t *testing.T) {
	const overloaded = `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`
	for name, c := range map[string]struct {
		frames []string
		want   completion.UpstreamError
		items  int
	}{
		"an error": {[]string{overloaded}, completion.UpstreamError{Message: "The model is overloaded.",
			Type: "UNAVAILABLE", Code: "503"}, 0},
		"an error in an array": {[]string{" [" + overloaded + "]"},
			completion.UpstreamError{Message: "The model is overloaded.", Type: "UNAVAILABLE", Code: "503"}, 0},
		"an error after text": {[]string{parts(`{"text":"a"}`), overloaded, parts(`{"text":"b"}`)},
			completion.UpstreamError{Message: "The model is overloaded.", Type: "UNAVAILABLE", Code: "503"}, 1},
		"a string as code": {[]string{`{"error":{"code":"busy","message":"m"}}`},
			completion.UpstreamError{Message: "m", Code: "busy"}, 0},
		"a sound": {[]string{parts(
			`{"text":"a"},{"inlineData":{"mimeType":"audio/wav","data":"UklG"}}`)},
			completion.UpstreamError{Message: "the response has a part that the client's dialect cannot express: " +
				"inlineData", Type: "unsupported_part", Code: "inlineData"}, 1},
		"a picture without data": {[]string{parts(`{"inlineData":{"mimeType":"image/png"}}`)},
			completion.UpstreamError{Message: "the response has a part that the client's dialect cannot express: " +
				"inlineData", Type: "unsupported_part", Code: "inlineData"}, 0},
		"executable code": {[]string{parts(`{"executableCode":{"code":"1"}}`)},
			completion.UpstreamError{Message: "the response has a part that the client's dialect cannot express: " +
				"executableCode", Type: "unsupported_part", Code: "executableCode"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := stream(gemini.NewDecoder(nil), c.frames...)
			if err != nil || g.Error == nil || *g.Error != c.want || len(g.Response.Items) != c.items ||
				g.Response.FinishReason != "" {
				t.Errorf("got %+v, %+v, %v, want the error %+v after %d items", g.Error, g.Response, err,
					c.want, c.items)
			}
		})
	}
}

func TestDecoder_FailsAPictureForWhichTheClientHasNoPlace(t *testing.T) {
	d := gemini.NewDecoder(&conversation.Request{Client: conversation.ClientMessages})
	g, err := stream(d,
		`{"candidates":[{"content":{"parts":[{"text":"a"},{"inlineData":{"mimeType":"image/png","data":"iVBO"}}]}}],"usageMetadata":{"promptTokenCount":8,"candidatesTokenCount":1295}}`)
	if err != nil || g.Error == nil || g.Error.Code != "inlineData" || len(g.Response.Items) != 1 {
		t.Errorf("got %+v, %+v, %v, want an error at inlineData after the text", g.Error, g.Response, err)
	}
	if u := d.ReportedUsage(); u == nil || u.Output != 1295 {
		t.Errorf("got the usage %+v, want the reported one: the answer was billed", u)
	}
}

func TestDecoder_RefusesOtherBodiesAndIncompleteStreams(t *testing.T) {
	for name, body := range map[string]string{
		"empty": ``, "HTML": `<html>`, "a number": `1`, "an array": `[{}]`, "another form": `{"candidates":{"a":1}}`,
		"cut off": parts(`{"text":"a"}`)[:20],
	} {
		if answer, err := gemini.NewDecoder(nil).Whole([]byte(body)); err == nil {
			t.Errorf("%s: got %+v, want an error", name, answer)
		}
	}
	for name, frames := range map[string][]string{
		"no finish reason": {parts(`{"text":"a"}`)}, "no frame": nil,
		"only usage": {`{"usageMetadata":{"promptTokenCount":7}}`}, "an empty object": {`{}`},
	} {
		if g, err := stream(gemini.NewDecoder(nil), frames...); !errors.Is(err, io.ErrUnexpectedEOF) ||
			g.Response.FinishReason != "" {
			t.Errorf("%s: got %+v, %v, want io.ErrUnexpectedEOF", name, g.Response, err)
		}
	}
}

// FuzzUsage checks that no usage metadata leads to a usage that cannot be recorded.
func FuzzUsage(f *testing.F) {
	f.Add(
		`{"promptTokenCount":9,"cachedContentTokenCount":1e30,"toolUsePromptTokenCount":"7","promptTokensDetails":[{"modality":"AUDIO","tokenCount":-1}],"serviceTier":"flex"}`)
	f.Fuzz(func(t *testing.T, used string) {
		answer, err := gemini.NewDecoder(nil).
			Whole([]byte(`{"candidates":[{"finishReason":"STOP"}],"usageMetadata":` + used + `}`))
		if err != nil || answer.Usage == nil {
			return
		}
		if fault := answer.Usage.Fault(); fault != "" || answer.Usage.Total() < 0 {
			t.Errorf("%s: %s: %+v", used, fault, answer.Usage)
		}
	})
}

// FuzzStream checks that any frames give events in order.
func FuzzStream(f *testing.F) {
	f.Add(parts(`{"text":"h","thought":true,"thoughtSignature":"c2ln"},{"text":"a"}`) + "\n" +
		parts(`{"functionCall":{"name":"sh","args":{"input":"x"}},"thoughtSignature":"c2ln"}`) + "\n" + stop)
	f.Add(`{"error":{"code":503,"message":"m"}}` + "\n" + stop)
	f.Add(`[{"error":{}}]` + "\n" + `{"promptFeedback":{"blockReason":"X"},"usageMetadata":{"promptTokenCount":9}}`)
	f.Fuzz(func(t *testing.T, frames string) {
		r := toolRequest()
		r.Reasoning.Encrypted = len(frames)%2 == 0
		d := gemini.NewDecoder(r)
		var events []completion.Event
		var err error
		for frame := range strings.Lines(frames) {
			if events, err = d.Frame(events, "", []byte(frame)); err != nil {
				return
			}
		}
		if events, err = d.Close(events); err != nil {
			return
		}
		checkOrder(t, events)
	})
}

// checkOrder checks that the events are in the order that completion.EventType describes.
func checkOrder(t *testing.T, events []completion.Event) {
	t.Helper()
	open, next := -1, 0
	for i, e := range events {
		last := i == len(events)-1
		switch e.Type {
		case completion.EventBegin:
			if i != 0 {
				t.Errorf("EventBegin is event %d, want the first", i)
			}
		case completion.EventItemBegin:
			if open >= 0 || e.Index != next {
				t.Errorf("item %d begins, want item %d with no item open; open is %d", e.Index, next, open)
			}
			open, next = e.Index, next+1
		case completion.EventItemDelta, completion.EventItemEnd:
			if e.Index != open {
				t.Errorf("event of item %d, but item %d is open", e.Index, open)
			}
			if e.Type == completion.EventItemEnd {
				open = -1
			}
		case completion.EventEnd:
			if !last || open >= 0 || e.Response.FinishReason == "" || e.Response.Usage != nil &&
				e.Response.Usage.Total() < 0 {
				t.Errorf("EventEnd is event %d of %d with item %d open: %+v", i, len(events), open, e.Response)
			}
		case completion.EventFail:
			if !last {
				t.Errorf("events follow EventFail: %+v", events)
			}
		}
	}
}

func BenchmarkFrame(b *testing.B) {
	frame :=
		[]byte(
			`{"candidates": [{"content": {"parts": [{"text": " and some more words to fill up the chunk here"}],"role": "model"},"index": 0}],` +
				`"usageMetadata": {"promptTokenCount": 11,"candidatesTokenCount": 64,"totalTokenCount": 75,"promptTokensDetails": [{"modality": "TEXT","tokenCount": 11}]},"modelVersion": "gemini-2.5-flash","responseId": "r1"}`)
	d := gemini.NewDecoder(nil)
	events := make([]completion.Event, 0, 8)
	b.ReportAllocs()
	b.SetBytes(int64(len(frame)))
	for b.Loop() {
		if _, err := d.Frame(events[:0], "", frame); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWhole(b *testing.B) {
	body := []byte(`{"candidates":[{"content":{"parts":[{"text":"` + strings.Repeat("word ", 2000) +
		`"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":2000}}`)
	b.ReportAllocs()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := gemini.NewDecoder(nil).Whole(body); err != nil {
			b.Fatal(err)
		}
	}
}
