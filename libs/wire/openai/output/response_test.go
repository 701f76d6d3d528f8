package output_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

const choices = `"choices":[{"index":0,"message":{"role":"assistant","content":"hi"}}]`

func TestScanResponse_CountsEachTokenInOneClass(t *testing.T) {
	for name, c := range map[string]struct {
		usage string
		want  *usage.Usage
	}{
		"absent":                   {`"x":1`, nil},
		"null":                     {`"usage":null`, nil},
		"a string":                 {`"usage":"many"`, nil},
		"an object without counts": {`"usage":{}`, nil},
		"counts that are null":     {`"usage":{"prompt_tokens":null,"completion_tokens":null,"total_tokens":7}`, nil},
		"counts that are 0":        {`"usage":{"prompt_tokens":0,"completion_tokens":0}`, &usage.Usage{}},
		"thoughts in the total " +
			"alone": {`"model":"m","usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":90}`,
			&usage.Usage{Input: 10, Output: 4, Reasoning: 76}},
		"a total beyond what is " +
			"explained": {`"model":"m","usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":90,"completion_tokens_details":{"reasoning_tokens":0}}`, &usage.Usage{Input: 10, Output: 4}},
		"a prompt without the " +
			"cache": {`"usage":{"prompt_tokens":100,"completion_tokens":50,"total_tokens":1050,"prompt_tokens_details":{"cached_tokens":900}}`, &usage.Usage{Input: 100, CachedInput: 900, Output: 50}},
		"no prompt, but a total": {`"usage":{"prompt_tokens":0,"completion_tokens":4,"total_tokens":14}`,
			&usage.Usage{Input: 10, Output: 4}},
		"no completion, but a total": {`"usage":{"prompt_tokens":10,"total_tokens":14}`,
			&usage.Usage{Input: 10, Output: 4}},
		"usage in a choice": {`"choices":[{"index":0,"usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":14}}]`, &usage.Usage{Input: 10, Output: 4}},
		"thoughts of Gemini in the " +
			"total": {`"model":"models/gemini-2.5-pro","usage":{"prompt_tokens":758,"completion_tokens":102,"total_tokens":1725}`, &usage.Usage{Input: 758, Output: 102, Reasoning: 865}},
		"thoughts of Gemini, the model " +
			"last": {`"usage":{"prompt_tokens":758,"completion_tokens":102,"total_tokens":1725},"model":"google/gemini-3-flash-preview"`, &usage.Usage{Input: 758, Output: 102, Reasoning: 865}},
		"thoughts of Gemini that are " +
			"counted": {`"model":"gemini-2.5-pro","usage":{"prompt_tokens":7,"completion_tokens":124,"total_tokens":1228,"completion_tokens_details":{"reasoning_tokens":1097}}`, &usage.Usage{Input: 7, Output: 124, Reasoning: 1097}},
		"a total of Gemini below its " +
			"parts": {`"model":"gemini-2.5-pro","usage":{"prompt_tokens":7,"completion_tokens":4,"total_tokens":1}`,
			&usage.Usage{Input: 7, Output: 4}},
		"negative": {`"usage":{"prompt_tokens":-1,"completion_tokens":2}`, nil},
		"plain": {`"usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":14}`,
			&usage.Usage{Input: 10, Output: 4}},
		"cached tokens inside the " +
			"prompt": {`"usage":{"prompt_tokens":10,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":6}}`,
			&usage.Usage{Input: 4, CachedInput: 6, Output: 4}},
		"audio tokens inside the " +
			"totals": {`"usage":{"prompt_tokens":10,"completion_tokens":4,"prompt_tokens_details":{"audio_tokens":3},"completion_tokens_details":{"audio_tokens":1}}`, &usage.Usage{Input: 7, AudioInput: 3, Output: 3, AudioOutput: 1}},
		"reasoning tokens inside the " +
			"completion": {`"usage":{"prompt_tokens":1,"completion_tokens":9,"completion_tokens_details":{"reasoning_tokens":8}}`, &usage.Usage{Input: 1, Output: 1, Reasoning: 8}},
		"null details": {`"usage":{"prompt_tokens":1,"completion_tokens":9,"completion_tokens_details":null}`,
			&usage.Usage{Input: 1, Output: 9}},
		"details beyond the " +
			"total": {`"usage":{"prompt_tokens":5,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":9,"audio_tokens":9}}`, &usage.Usage{CachedInput: 5, Output: 1}},
		"of responses": {`"usage":{"input_tokens":10,"output_tokens":4,"input_tokens_details":{"cached_tokens":2},"output_tokens_details":{"reasoning_tokens":1}}`, &usage.Usage{Input: 8, CachedInput: 2, Output: 3, Reasoning: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			answer, err := output.ScanAnswer(catalog.Chat, []byte(`{"id":"1",`+choices+`,`+c.usage+`}`))
			if err != nil {
				t.Fatal(err)
			}
			if (answer.Usage == nil) != (c.want == nil) || answer.Usage != nil && *answer.Usage != *c.want {
				t.Errorf("got %+v, want %+v", answer.Usage, c.want)
			}
		})
	}
}

func TestScanResponse_DistinguishesResponsesErrorsAndOtherBodies(t *testing.T) {
	for name, c := range map[string]struct {
		body      string
		ok, isErr bool
	}{
		"a completion":           {`{` + choices + `}`, true, false},
		"empty choices":          {`{"choices":[]}`, true, false},
		"choices and error null": {`{"error":null,` + choices + `}`, true, false},
		"an error":               {`{"error":{"message":"no"}}`, true, true},
		"an error string":        {`{"error":"no"}`, true, true},
		"an empty object":        {`{}`, false, false},
		"something else":         {`{"detail":"x"}`, false, false},
		"choices an object":      {`{"choices":{}}`, false, false},
		"HTML":                   {`<html>`, false, false},
		"empty body":             {``, false, false},
		"cut off":                {`{` + choices, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			answer, err := output.ScanAnswer(catalog.Chat, []byte(c.body))
			if (err == nil) != c.ok || (answer.Error != nil) != c.isErr {
				t.Errorf("got the error %v and the upstream's error %+v; want ok %v, an upstream's error %v", err,
					answer.Error, c.ok, c.isErr)
			}
		})
	}
}

func TestScanChunk_ReadsUsageErrorAndFinish(t *testing.T) {
	for name, c := range map[string]struct {
		data                     string
		usage, only, done, isErr bool
	}{
		"content":  {data: `{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}`},
		"finished": {data: `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, done: true},
		"a later choice " +
			"finished": {data: `{"choices":[{"index":0,"delta":{},"finish_reason":null},{"index":1,"delta":{},"finish_reason":"stop"}]}`, done: true},
		"an earlier one " +
			"finished": {data: `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"},{"index":1,"delta":{},"finish_reason":null}]}`, done: true},
		"no choice finished": {data: `{"choices":[{"index":0,"delta":{},"finish_reason":null},{"index":1,"delta":{},"finish_reason":null}]}`},
		"usage null":         {data: `{"choices":[{"index":0,"delta":{"content":"a"}}],"usage":null}`},
		"usage chunk": {data: `{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}`,
			usage: true, only: true},
		"usage chunk, spaced": {data: `{"choices": [ ] ,"usage":{"prompt_tokens":1,"completion_tokens":1}}`,
			usage: true, only: true},
		"usage without choices": {data: `{"usage":{"prompt_tokens":1,"completion_tokens":1}}`,
			usage: true, only: true},
		"usage of Groq after " +
			"null": {data: `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null,"x_groq":{"usage":{"prompt_tokens":1,"completion_tokens":1}}}`, usage: true, done: true},
		"usage after another " +
			"null": {data: `{"choices":[],"tool_usage":null,"usage":{"prompt_tokens":1,"completion_tokens":1}}`,
			usage: true, only: true},
		"usage in a choice": {data: `{"choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":19,"completion_tokens":13}}]}`, usage: true, done: true},
		"usage in both " +
			"places": {data: `{"choices":[{"index":0,"delta":{},"usage":{"prompt_tokens":19}}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`, usage: true},
		"usage without counts": {data: `{"choices":[{"index":0,"delta":{}}],"usage":{}}`},
		"usage next to " +
			"content": {data: `{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`, usage: true},
		"keys inside a text":       {data: `{"choices":[{"index":0,"delta":{"content":"\"usage\": {} \"error\":1"}}]}`},
		"error":                    {data: `{"error":{"message":"no"}}`, isErr: true},
		"error null":               {data: `{"choices":[],"error":null}`},
		"a content filter's chunk": {data: `{"choices":[],"prompt_filter_results":[]}`},
	} {
		t.Run(name, func(t *testing.T) {
			chunk, err := output.ScanChunk([]byte(c.data))
			if err != nil {
				t.Fatal(err)
			}
			if (chunk.Usage != nil) != c.usage || chunk.UsageOnly != c.only || chunk.Finished != c.done ||
				(chunk.Error != nil) != c.isErr {
				t.Errorf("got %+v", chunk)
			}
		})
	}
	for _, bad := range []string{
		``, `[DONE]`, `{`, `null`, `{"choices"`, `{"choices":[{"index":0,"delta":{"content":"a"}`,
		`{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}`,
	} {
		if _, err := output.ScanChunk([]byte(bad)); err == nil {
			t.Errorf("ScanChunk(%q) returned no error", bad)
		}
	}
}

func TestWithQuota_AddsTheQuotaToTheUsage(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{`{"choices":[],"usage":{"prompt_tokens":1}}`, `{"choices":[],"usage":{"prompt_tokens":1,"quota":"0.5"}}`},
		{`{"usage":{ "prompt_tokens":1 },"choices":[]}`, `{"usage":{ "prompt_tokens":1 ,"quota":"0.5"},"choices":[]}`},
		{`{"choices":[],"usage":{"quota":"7","prompt_tokens":1}}`,
			`{"choices":[],"usage":{"quota":"0.5","prompt_tokens":1}}`},
		{`{"choices":[]}`, `{"choices":[]}`},
		{`{"choices":[],"usage":null}`, `{"choices":[],"usage":null}`},
	} {
		if got := string(output.WithQuota([]byte(c.data), "0.5").Bytes()); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
		if strings.Contains(c.data, `"quota"`) {
			continue // a stream hides it
		}
		stream := output.NewStream(catalog.Chat, strings.NewReader("data: "+c.data+"\n\n"), 1<<10, nil)
		frame, err := stream.Next()
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(frame.WithQuota("0.5")), "data: "+c.want+"\n\n"; got != want {
			t.Errorf("a frame: got %s, want %s", got, want)
		}
	}
}

func TestEachText_FindsGeneratedStrings(t *testing.T) {
	const data = `{"choices":[{"delta":{"role":"assistant","content":"a\"b","refusal":null,"reasoning_content": "r",` +
		`"tool_calls":[{"function":{"name":"f","arguments":"{\"x\":1}"}}]}},{"delta":{"content":""}},{"delta":{"content":"c"}}]}`
	var got []string
	output.EachText([]byte(data), func(escaped []byte) { got = append(got, string(escaped)) })
	if want := `a\"b|c|{\"x\":1}|r`; strings.Join(got, "|") != want {
		t.Errorf("got %s, want %s", strings.Join(got, "|"), want)
	}
}

func TestEachText_FindsReasoningOnce(t *testing.T) {
	for data, want := range map[string]string{
		`{"choices":[{"delta":{"reasoning":"r"}}],"reasoning":{"effort":"low"}}`:                                      "r",
		`{"choices":[{"delta":{"reasoning":"r","reasoning_content":"r"}}]}`:                                           "r",
		`{"choices":[{"delta":{"reasoning":"r","reasoning_details":[{"type":"reasoning.text","text":"r"}]}}]}`:        "r",
		`{"choices":[{"delta":{"content":"about \"reasoning_content\": and more","reasoning":"r"}}]}`:                 `about \"reasoning_content\": and more|r`,
		`{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"r"}]}]},"index":0}]}`: "r",
	} {
		var got []string
		output.EachText([]byte(data), func(escaped []byte) { got = append(got, string(escaped)) })
		if strings.Join(got, "|") != want {
			t.Errorf("%s: got %s, want %s", data, strings.Join(got, "|"), want)
		}
	}
}

func TestScanError_AcceptsErrorsOfCompatibleServers(t *testing.T) {
	for body, want := range map[string]*output.ErrorBody{
		`{"error":{"message":"m","type":"t","param":"p","code":"c"}}`: {"m", "t", "p", "c"},
		`{"error":{"message":"m","code":404}}`:                        {Message: "m", Code: "404"},
		`{"error":"m"}`:                                               {Message: "m"},
		` [{"error":{"message":"m","code":400}}]`:                     {Message: "m", Code: "400"}, // Google
		`[]`:              nil,
		`{"error":null}`:  nil,
		`{"message":"m"}`: nil,
		`not JSON`:        nil,
	} {
		got := output.ScanError([]byte(body))
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%s: got %+v, want %+v", body, got, want)
		}
	}
}

// FuzzScanChunk checks that no bytes make the readers panic, and that a chunk with a quota is still JSON.
func FuzzScanChunk(f *testing.F) {
	f.Add([]byte(`{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":3,"completion_tokens":4}}`))
	f.Add([]byte(`{"error":{"message":1}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		chunk, err := output.ScanChunk(data)
		output.EachText(data, func([]byte) {})
		_, _ = output.ScanAnswer(catalog.Chat, data)
		output.ScanError(data)
		if err != nil || !json.Valid(data) {
			return
		}
		if quoted := output.WithQuota(data, "1").Bytes(); !json.Valid(quoted) {
			t.Fatalf("with quota: %s", quoted)
		}
		if u := chunk.Usage; u != nil && (u.Input < 0 || u.Output < 0 || u.Total() < 0) {
			t.Fatalf("usage %+v", u)
		}
	})
}

func BenchmarkScanChunk(b *testing.B) {
	data :=
		[]byte(
			`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-4o-mini","system_fingerprint":"fp","choices":[{"index":0,"delta":{"content":"hello"},"logprobs":null,"finish_reason":null}]}`)
	b.ReportAllocs()
	for b.Loop() {
		chunk, err := output.ScanChunk(data)
		if err != nil || chunk.Usage != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScanAnswer(b *testing.B) {
	body :=
		[]byte(
			`{"id":"1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"` + strings.Repeat("hello ", 100) + `"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":14,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0}}}`)
	b.ReportAllocs()
	for b.Loop() {
		if answer, err := output.ScanAnswer(catalog.Chat, body); err != nil || answer.Usage == nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRewriteBody rewrites a response with the fields that OpenAI sends, one message and some reasoning.
func BenchmarkRewriteBody(b *testing.B) {
	body :=
		[]byte(
			`{"id":"resp_1","object":"response","created_at":1,"status":"completed","error":null,"incomplete_details":null,"instructions":null,"max_output_tokens":null,"model":"m","output":[{"type":"reasoning","id":"rs_1","summary":[]},{"type":"message","id":"msg_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"` + strings.Repeat("hello ", 30) + `","annotations":[]}]}],"parallel_tool_calls":true,"previous_response_id":null,"reasoning":{"effort":null,"summary":null},"store":true,"temperature":1.0,"text":{"format":{"type":"text"}},"tool_choice":"auto","tools":[],"top_p":1.0,"truncation":"disabled","usage":{"input_tokens":10,"input_tokens_details":{"cached_tokens":0},"output_tokens":4,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":14},"user":null,"metadata":{}}`)
	name := func(id string) string { return id + ".tg1" }
	n := output.Rewriter{ResponseID: name, PreviousID: name, MarkID: name, Tag: func() string { return "tag" },
		CleanMessage: name}
	b.ReportAllocs()
	for b.Loop() {
		if len(n.RewriteBody(body)) <= len(body) {
			b.Fatal("nothing was rewritten")
		}
	}
}
