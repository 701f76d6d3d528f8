package output_test

import (
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

func TestFinishChunk_RepeatsTheMembersOfItsStream(t *testing.T) {
	const full = `{"id":"c\"1","object":"chat.completion.chunk","created":1700000000,"model":"m","service_tier":null,"system_fingerprint":"fp",`
	for name, c := range map[string]struct{ chunk, head string }{
		"all members":                     {full + `"choices":[{"index":0}],"usage":null}`, full},
		"another order and white space":   {`{ "choices" : [], "model":"m" ,"id": "1" }`, `{"id":"1","model":"m",`},
		"only choices":                    {`{"choices":[]}`, `{`},
		"objects and arrays are left out": {`{"id":{"x":tru},"model":["m"],"created":1,"choices":[]}`, `{"created":1,`},
		"cut off":                         {`{"id":"1","model":"m`, `{"id":"1",`},
	} {
		t.Run(name, func(t *testing.T) {
			e := output.ChunkTemplateOf([]byte(c.chunk))
			finish := string(e.FinishChunk(3))
			if want := c.head +
				`"choices":[{"index":3,"delta":{},"logprobs":null,"finish_reason":"length"}]}`; finish != want {
				t.Errorf("got %s, want %s", finish, want)
			}
			if chunk, err := output.ScanChunk([]byte(finish)); err != nil || !chunk.Finished || chunk.UsageOnly {
				t.Errorf("ScanChunk of the chunk: got %+v, %v, want a finished choice", chunk, err)
			}
		})
	}
}

func TestUsageChunk_IsReadAsTheSameUsage(t *testing.T) {
	e := output.ChunkTemplateOf([]byte(`{"id":"1"}`))
	for _, u := range []usage.Usage{
		{},
		{Input: 7, Output: 5},
		{Input: 1, CachedInput: 2, CacheWrite: 3, AudioInput: 4, Output: 5, Reasoning: 6, AudioOutput: 7},
		{Input: 5, CacheWrite: 3, Output: 7, Details: usage.Details{CacheWrite1h: 2, ImageInput: 4, ImageOutput: 6}},
	} {
		for _, quota := range []string{"", "0.000000893"} {
			data := e.UsageChunk(u, quota)
			chunk, err := output.ScanChunk(data)
			if err != nil || chunk.Usage == nil || *chunk.Usage != u || !chunk.UsageOnly {
				t.Errorf("%s: got %+v, %v, want %+v", data, chunk.Usage, err, u)
			}
			if strings.Contains(string(data), `"quota":"`+quota+`"`) != (quota != "") {
				t.Errorf("%s: want quota %q", data, quota)
			}
		}
	}
}

func TestEachFinishedChoice_ReportsChoicesWithAFinishReason(t *testing.T) {
	var got []int64
	for _, data := range []string{
		`{"choices":[{"index":2,"finish_reason":"stop"},{"index":1,"finish_reason":null},{"finish_reason":"length"}]}`,
		`{"choices":[]}`, `{"choices":"x"}`, `{`,
	} {
		output.EachFinishedChoice([]byte(data), func(index int64) { got = append(got, index) })
	}
	if len(got) != 2 || got[0] != 2 || got[1] != 0 {
		t.Errorf("got %v, want 2 and 0", got)
	}
}

func TestCountText_CountsUnescapedBytes(t *testing.T) {
	delta := func(content string) string { return `{"choices":[{"delta":{"content":"` + content + `"}}]}` }
	for _, c := range []struct {
		data        string
		texts, size int64
	}{
		{delta("hello"), 1, 5},
		{delta(""), 0, 0},
		{delta(`a\nb`), 1, 3},
		{delta(`\\u`), 1, 2},
		{delta(`\u4e2d\u6587`), 1, 6},
		{delta("中文"), 1, 6},
		{delta("a") + delta("bc"), 2, 3},
		{`{"choices":[{"delta":{"role":"assistant"}}]}`, 0, 0},
		{`{"choices":[{"delta":{"content":"","images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="},"index":0}]}}]}`, 0, 0},
		{`{"type":"response.output_item.done","item":{"id":"ig_1","type":"image_generation_call","status":"completed","output_format":"png","result":"iVBORw0KGgo="}}`, 0, 0},
		{`{"choices":[{"delta":{"content":"ab`, 0, 0},
	} {
		if texts, size := output.CountText([]byte(c.data)); texts != c.texts || size != c.size {
			t.Errorf("%s: got %d texts of %d bytes, want %d of %d", c.data, texts, size, c.texts, c.size)
		}
	}
}
