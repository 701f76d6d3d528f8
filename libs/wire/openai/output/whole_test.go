package output_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

func TestStreamOf_SaysTheSameAsACompletion(t *testing.T) {
	const head = `"id":"c","created":1,"model":"m"`
	for name, c := range map[string]struct{ body, want string }{
		"a text, of several lines": {
			"{" + head + `,"object":"chat.completion",` + "\n" +
				` "choices":[{"index":0,"message":{"role":"assistant","content":"a\nb","x":1.50},"logprobs":null,"finish_reason":"stop"}], "usage":{"prompt_tokens":7,"completion_tokens":1}}`,
			"data: {" + head + `,"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"a\nb","x":1.50},"logprobs":null,"finish_reason":"stop"}]}` +
				"\n\n" + `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":1}}` + "\n\ndata: [DONE]\n\n",
		},
		"two choices, with calls": {
			"{" + head + `,"choices":[{"index":0,"message":{"tool_calls":[{"id":"1"},{"id":"2"}]}},{"index":1,"message":{"tool_calls":[{"index":5,"id":"3"}]}}],"usage":null}`,
			"data: {" + head + `,"choices":[{"index":0,"delta":{"tool_calls":[{"id":"1","index":0},{"id":"2","index":1}]}},{"index":1,"delta":{"tool_calls":[{"index":5,"id":"3"}]}}]}` +
				"\n\ndata: [DONE]\n\n",
		},
	} {
		if got := string(output.StreamOf(catalog.Chat, []byte(c.body))); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestStreamOf_HasTheUsageOfTheAnswer(t *testing.T) {
	const response = `{"id":"r","object":"response","status":"STATUS","output":[{"id":"m","type":"message","role":"assistant","content":[{"type":"output_text","text":"hi"}]}],"usage":{"input_tokens":7,"output_tokens":1}}`
	for name, c := range map[string]struct {
		dialect catalog.Dialect
		body    string
		frames  int // 0 for no stream
	}{
		"a completion":                  {catalog.Chat, `{"choices":[{"index":0,"message":{"content":"hi"}}],"usage":{"prompt_tokens":7,"completion_tokens":1}}`, 3},
		"a response":                    {catalog.Responses, strings.Replace(response, "STATUS", "completed", 1), 9},
		"a response that is cut off":    {catalog.Responses, strings.Replace(response, "STATUS", "incomplete", 1), 9},
		"a response that has not begun": {catalog.Responses, strings.Replace(response, "STATUS", "queued", 1), 0},
		"a message":                     {catalog.Messages, `{"type":"message","content":[]}`, 0},
	} {
		frames := output.StreamOf(c.dialect, []byte(c.body))
		if got := strings.Count(string(frames), "\n\n"); got != c.frames {
			t.Errorf("%s: got %d frames, want %d: %s", name, got, c.frames, frames)
		}
		var report output.Report
		stream := output.NewStream(c.dialect, strings.NewReader(string(frames)), 1<<20, nil)
		for {
			frame, err := stream.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil || frame.Err != nil {
				t.Fatalf("%s: got %v, %v", name, err, frame.Err)
			}
			report.Add(&frame)
		}
		if c.frames > 0 && (report.Usage == nil || *report.Usage != (usage.Usage{Input: 7, Output: 1})) {
			t.Errorf("%s: got the usage %+v", name, report.Usage)
		}
	}
}
