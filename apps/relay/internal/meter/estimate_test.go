package meter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/wire/openai/media"
)

const prose = "The quick brown fox jumps over the lazy dog, again and again, while it rains in Spain. "

func chat(content string) []byte {
	quoted, _ := json.Marshal(content)
	return fmt.Appendf(nil, `{"model":"gpt-4o","messages":[{"role":"user","content":%s}],"stream":true}`, quoted)
}

func TestEstimateInput_CountsTextsMessagesAndMedia(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want int64
	}{
		"one message":   {string(chat("hello world")), 2 + 4 + 3},
		"no text":       {`{"messages":[]}`, 3},
		"not JSON":      {`hello`, 3},
		"an empty body": {``, 3},
		"roles are part of the " +
			"constant": {`{"messages":[{"role":"system","content":"hello world"},{"role":"user","content":"hello world"}]}`, 2*(2+4) + 3},
		"parts of text": {`{"messages":[{"role":"user","content":[{"type":"text","text":"hello world"},{"type":"text","text":"hello world"}]}]}`, 4 + 4 + 3},
		"an image is a " +
			"constant": {`{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},{"type":"text","text":"hello world"}]}]}`, 765 + 2 + 4 + 3},
		"a sound is a " +
			"constant": {`{"messages":[{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"AAAA"}}]}]}`, 765 + 4 + 3},
		"arguments of tool " +
			"calls": {`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"call_12345","type":"function","function":{"name":"hello","arguments":"hello world"}}]}]}`, 1 + 2 + 4 + 3},
		"tools with their names": {`{"messages":[],"tools":[{"hello":"hello world"}]}`, 1 + 2 + 3},
		"other fields are " +
			"ignored": {`{"user":"hello world","messages":[{"role":"user","content":"hello world"}],"metadata":{"text":"hello"}}`, 2 + 4 + 3},
		"input of responses":  {`{"input":"hello world","instructions":"hello world"}`, 2 + 2 + 4 + 3},
		"escapes are decoded": {`{"messages":[{"content":"\u0068ello\u0020world"}]}`, 2 + 4 + 3},
	} {
		if got := EstimateInput("gpt-4o", SampleOf([]byte(c.body))); got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
}

func TestEstimateInput_AddsNothingToTextsAndTokens(t *testing.T) {
	for body, want := range map[string]int64{
		`{"input":"hello world"}`:                   2,
		`{"input":["hello world","hello world"]}`:   4,
		`{"input":[1,2,3]}`:                         3,
		`{"input":[[1,2,3],[4]],"dimensions":9}`:    4,
		`{"input":[{"text":"hello world"},[1,-2]]}`: 4,
		`{}`: 0,
	} {
		sample := SampleOf([]byte(body))
		sample.Texts = true
		if got := EstimateInput("text-embedding-3-small", sample); got != want {
			t.Errorf("%s: got %d, want %d", body, got, want)
		}
	}
}

func TestEstimateInput_ExtrapolatesBeyondTheSample(t *testing.T) {
	for _, times := range []int{180, 1000, 20_000} {
		text := strings.Repeat(prose, times)
		exact := counterOf("gpt-4o")(text)
		got := EstimateInput("gpt-4o", SampleOf(chat(text)))
		if got < exact*97/100 || got > exact*103/100 {
			t.Errorf("%d bytes: got %d tokens, want %d within 3 percent", len(text), got, exact)
		}
		var many []string
		for range times {
			many = append(many, fmt.Sprintf(`{"role":"user","content":%q}`, prose))
		}
		body := `{"messages":[` + strings.Join(many, ",") + `]}`
		exact = (counterOf("gpt-4o")(prose) + messageTokens) * int64(times)
		got = EstimateInput("gpt-4o", SampleOf([]byte(body)))
		if got < exact*97/100 || got > exact*103/100 {
			t.Errorf("%d messages: got %d tokens, want %d within 3 percent", times, got, exact)
		}
	}
}

func TestEstimateInput_CountsALargeImageAsOneImage(t *testing.T) {
	data := strings.Repeat("QUJD", 1<<20)
	for name, body := range map[string]string{
		"a question":        `{"messages":[{"role":"user","content":[{"type":"text","text":"hello world"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + data + `"}}]}]}`,
		"an earlier answer": `{"messages":[{"role":"assistant","content":"hello world","images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + data + `"}}]}]}`,
		"a generated one, as " +
			"input": `{"input":[{"type":"image_generation_call","id":"ig_1","revised_prompt":"","text":"hello world","result":"` + data + `"}]}`,
	} {
		if got := EstimateInput("gpt-4o", SampleOf([]byte(body))); got != 2+765+4+3 {
			t.Errorf("%s: got %d tokens, want 774", name, got)
		}
	}
}

// The media of the whole body count by their own rules, wherever the sample ends, and their data is never text.
func TestEstimateInput_CountsKnownMedia(t *testing.T) {
	const image = `{"type":"image_url","image_url":{"url":"data:image/png;base64,`
	data := strings.Repeat("QUJD", 1<<18)
	text := strings.Repeat(prose, 200) // more than the sample
	exact := counterOf("gpt-4o")(text) + messageTokens + answerTokens
	known := media.Parts{Images: 1, Bytes: int64(len(data))}
	for name, row := range map[string]struct {
		body   string
		known  media.Parts
		beyond int64 // tokens besides those of the text
	}{
		"an image before the text": {`{"messages":[{"content":[` + image + data + `"}},{"type":"text","text":"` + text +
			`"}]}]}`, known, 765},
		"an image after the text": {`{"messages":[{"content":[{"type":"text","text":"` + text + `"},` + image + data +
			`"}}]}]}`, known, 765},
		"two small images": {
			`{"messages":[{"content":[` + image + `AAAA"}},` + image + `AAAA"}},{"type":"text","text":"` + text +
				`"}]}]}`, media.Parts{Images: 2, Bytes: 8}, 2 * 765,
		},
	} {
		sample := SampleOf([]byte(row.body))
		sample.Media = row.known
		want := exact + row.beyond
		if strings.HasSuffix(name, "before the text") { // the sample has no text, so four bytes count as a token
			want = int64(len(text))/bytesPerToken + row.beyond
		}
		if got := EstimateInput("gpt-4o", sample); got < want*97/100 || got > want*103/100 {
			t.Errorf("%s: got %d tokens, want %d within 3 percent", name, got, want)
		}
	}
}

func TestMediaTokens_AreUsualNumbers(t *testing.T) {
	for name, row := range map[string]struct {
		parts media.Parts
		want  int64
	}{
		"none":                           {media.Parts{}, 0},
		"two images":                     {media.Parts{Images: 2, Bytes: 1 << 20}, 2 * 765},
		"a minute of sound at 96 kbit/s": {media.Parts{Sounds: 1, SoundChars: 60 * 16_000}, 60*32 - 45},
		"a PDF of 300,000 characters":    {media.Parts{PDFs: 1, PDFChars: 300_000}, 765 + 9_375},
		"a text":                         {media.Parts{TextBytes: 4_000}, 1_000},
	} {
		if got := MediaTokens(row.parts); got != row.want {
			t.Errorf("%s: got %d, want %d", name, got, row.want)
		}
	}
}

func TestEstimateInput_AcceptsASampleThatEndsAtAnyByte(t *testing.T) {
	body :=
		[]byte(
			`{"model":"m","messages":[{"role":"user","content":"caf\u00e9 \"x\" \ud83d\ude00"},{"role":"user","content":[{"type":"text","text":"hello"},{"type":"image_url","image_url":{"url":"http://x/y.png"}}]}],"tools":[{"a":"b"}]}`)
	whole := EstimateInput("gpt-4o", SampleOf(body))
	for length := range body {
		got := EstimateInput("gpt-4o", Sample{head: body[:length], total: int64(length)})
		if got < answerTokens || got > whole+10 {
			t.Errorf("sample of %d bytes: got %d tokens, want at most about %d", length, got, whole)
		}
	}
}

func TestSampleOf_CopiesABoundedPartOfTheBody(t *testing.T) {
	body := chat(strings.Repeat(prose, 1000))
	s := SampleOf(body)
	if len(s.head) != sampleBytes || cap(s.head) > 2*sampleBytes || s.total != int64(len(body)) {
		t.Errorf("got a sample of %d bytes of %d", len(s.head), s.total)
	}
	before := EstimateInput("gpt-4o", s)
	clear(body)
	if after := EstimateInput("gpt-4o", s); after != before {
		t.Errorf("the estimate changed with the body: got %d before and %d after", before, after)
	}
}

func TestEstimateOutput_CountsTextAndExtrapolates(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		extra int64
		want  int64
	}{
		"no text":                         {"", 0, 0},
		"text":                            {"hello world", 0, 2},
		"as much further text":            {"hello world", 11, 4},
		"only further text":               {"", 9, 3},
		"a negative size of further text": {"hello world", -5, 2},
		"not UTF-8":                       {"\xff\xfe", 0, 2},
	} {
		if got := estimateOutput(counterOf("gpt-4o"), []byte(c.text), c.extra); got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
	long := strings.Repeat(prose, 4000)
	exact := counterOf("gpt-4o")(long)
	if got := estimateOutput(counterOf("gpt-4o"), []byte(long), 0); got < exact*98/100 || got > exact*102/100 {
		t.Errorf("got %d tokens, want %d within 2 percent", got, exact)
	}
}

func TestEstimate_CountsTextThatIsNotInTheSampleByItsBytes(t *testing.T) {
	role, hello := `{"choices":[{"delta":{"content":""}}]}`, `{"choices":[{"delta":{"content":"hello world"}}]}`
	for name, c := range map[string]struct {
		output Output
		want   int64
	}{
		"nothing":                              {Output{}, 0},
		"no sample":                            {Output{Unsampled: 400}, 100},
		"a sample without a text":              {Output{Sample: []byte(role), Sampled: 1, Pieces: 1, Unsampled: 400}, 100},
		"a sample":                             {Output{Sample: []byte(hello), Sampled: 1, Pieces: 1, Unsampled: 22}, 6},
		"a sample, and further pieces like it": {Output{Sample: []byte(hello), Sampled: 1, Pieces: 3, Unsampled: 22}, 10},
	} {
		if got := Estimate("gpt-4o", Sample{}, c.output).Output; got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
}

func TestIsOlder_RecognizesModelsBeforeGPT4o(t *testing.T) {
	for model, older := range map[string]bool{
		"gpt-4": true, "gpt-4-turbo": true, "gpt-3.5-turbo-16k": true, "openai/gpt-4-0613": true,
		"ft:gpt-3.5-turbo:acme::1": true,
		"gpt-4o":                   false, "gpt-4o-mini": false, "gpt-4.1-nano": false, "gpt-5.1": false,
		"o3-mini":         false,
		"claude-sonnet-4": false, "gemini-2.5-pro": false, "": false, "/": false,
	} {
		if got := isOlder(model); got != older {
			t.Errorf("%q: got %v", model, got)
		}
	}
}

func FuzzEstimateInput(f *testing.F) {
	f.Add([]byte(`{"messages":[{"role":"user","content":"hi"}]}`), uint16(7))
	f.Add(chat(prose), uint16(60))
	f.Fuzz(func(t *testing.T, body []byte, cut uint16) {
		s := SampleOf(body)
		s.head = s.head[:min(len(s.head), int(cut))]
		if n := EstimateInput("gpt-4o", s); n < 0 {
			t.Errorf("EstimateInput: got %d tokens, want at least 0", n)
		}
		if n := estimateOutput(counterOf("gpt-4"), body, int64(cut)<<45); n < 0 {
			t.Errorf("EstimateOutput: got %d tokens, want at least 0", n)
		}
	})
}

func BenchmarkSampleOf200KB(b *testing.B) {
	body := chat(strings.Repeat(prose, 2300))
	b.ReportAllocs()
	for b.Loop() {
		SampleOf(body)
	}
}

func BenchmarkEstimateInput1KB(b *testing.B)   { benchmarkInput(b, strings.Repeat(prose, 12)) }
func BenchmarkEstimateInput200KB(b *testing.B) { benchmarkInput(b, strings.Repeat(prose, 2300)) }
func BenchmarkEstimateInputOneWord(b *testing.B) {
	benchmarkInput(b, strings.Repeat("a", 200<<10))
}

func benchmarkInput(b *testing.B, text string) {
	s := SampleOf(chat(text))
	counterOf("gpt-4o")("warm")
	b.ReportAllocs()
	for b.Loop() {
		EstimateInput("gpt-4o", s)
	}
}

func BenchmarkEstimateOutput64KB(b *testing.B)       { benchmarkOutput(b, prose) }
func BenchmarkEstimateOutput64KBBlanks(b *testing.B) { benchmarkOutput(b, " \n") }

func benchmarkOutput(b *testing.B, unit string) {
	text := bytes.Repeat([]byte(unit), tokenizeBytes/len(unit))
	counterOf("gpt-4o")("warm")
	for b.Loop() {
		estimateOutput(counterOf("gpt-4o"), text, 0)
	}
}
