package readme

import (
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/provider/registry"
	"github.com/tollgate/tollgate/libs/provider/translate"
	"github.com/tollgate/tollgate/libs/wire/openai"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// counted is a usage object that a provider reports, and the token counts that are billed for it.
type counted struct {
	says   string // the cell of the table in docs/pricing.md that describes it
	usage  string // JSON
	billed string // the counts, see counts
}

// reported are usage objects by provider: at least one for each row of the table in docs/pricing.md.
var reported = map[string][]counted{
	"OpenAI and compatible servers": {
		{
			"`prompt_tokens` or `input_tokens`, which include cached, cache-write and audio tokens",
			`{"prompt_tokens": 1000, "completion_tokens": 5, "total_tokens": 1005,
				"prompt_tokens_details": {"cached_tokens": 400, "cache_write_tokens": 30, "audio_tokens": 200}}`,
			"input 370, cached_input 400, cache_write 30, audio_input 200, output 5",
		},
		{
			"`prompt_tokens` or `input_tokens`, which include cached, cache-write and audio tokens",
			`{"input_tokens": 1000, "output_tokens": 5, "total_tokens": 1005,
				"input_tokens_details": {"cached_tokens": 400, "cache_write_tokens": 30, "audio_tokens": 200}}`,
			"input 370, cached_input 400, cache_write 30, audio_input 200, output 5",
		},
		{
			"of the input that is neither cached nor audio, `image_tokens`; of the output likewise",
			`{"input_tokens": 1000, "output_tokens": 500, "total_tokens": 1500, "input_tokens_details": {"text_tokens": 100, "image_tokens": 900, "cached_tokens": 50},
				"output_tokens_details": {"image_tokens": 400, "text_tokens": 100}}`,
			"input 950, image_input 900, cached_input 50, output 500, image_output 400",
		},
		{
			"`completion_tokens` or `output_tokens`, which include reasoning and audio tokens",
			`{"prompt_tokens": 7, "completion_tokens": 500, "total_tokens": 507,
				"completion_tokens_details": {"reasoning_tokens": 300, "audio_tokens": 150}}`,
			"input 7, output 50, reasoning 300, audio_output 150",
		},
		{
			"`completion_tokens` or `output_tokens`, which include reasoning and audio tokens",
			`{"input_tokens": 7, "output_tokens": 500, "total_tokens": 507, "output_tokens_details": {"reasoning_tokens": 300, "audio_tokens": 150}}`,
			"input 7, output 50, reasoning 300, audio_output 150",
		},
	},
	"Anthropic": {
		{
			"`input_tokens`, which do not include cached tokens",
			`{"input_tokens": 21, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 4}`,
			"input 21, output 4",
		},
		{
			"`cache_read_input_tokens`; `cache_creation_input_tokens`, of which `ephemeral_1h_input_tokens`",
			`{"input_tokens": 21, "cache_read_input_tokens": 1024, "cache_creation_input_tokens": 2000, "output_tokens": 4,
				"cache_creation": {"ephemeral_5m_input_tokens": 1500, "ephemeral_1h_input_tokens": 500}}`,
			"input 21, cached_input 1024, cache_write 2000, cache_write_1h 500, output 4",
		},
		{
			"`output_tokens`, which include thinking",
			`{"input_tokens": 21, "output_tokens": 120, "output_tokens_details": {"thinking_tokens": 90}}`,
			"input 21, output 30, reasoning 90",
		},
	},
	"Gemini": {
		{
			"`promptTokenCount`, which includes cached and audio tokens, plus `toolUsePromptTokenCount`",
			`{"promptTokenCount": 1000, "cachedContentTokenCount": 400, "toolUsePromptTokenCount": 70, "candidatesTokenCount": 3, "totalTokenCount": 1073,
				"promptTokensDetails": [{"modality": "TEXT", "tokenCount": 700}, {"modality": "AUDIO", "tokenCount": 300}],
				"cacheTokensDetails": [{"modality": "TEXT", "tokenCount": 300}, {"modality": "AUDIO", "tokenCount": 100}]}`,
			"input 470, cached_input 400, audio_input 200, output 3",
		},
		{
			"`candidatesTokenCount`, plus `thoughtsTokenCount`",
			`{"promptTokenCount": 7, "candidatesTokenCount": 100, "thoughtsTokenCount": 250, "totalTokenCount": 357,
				"candidatesTokensDetails": [{"modality": "TEXT", "tokenCount": 40}, {"modality": "AUDIO", "tokenCount": 60}]}`,
			"input 7, output 40, audio_output 60, reasoning 250",
		},
		{
			"of `totalTokenCount`, what no other count has; or `thoughtsTokenCount` in the candidates, if the total " +
				"counts them once",
			`{"promptTokenCount": 10, "candidatesTokenCount": 40, "totalTokenCount": 110}`,
			"input 10, output 40, reasoning 60",
		},
		{
			"of `totalTokenCount`, what no other count has; or `thoughtsTokenCount` in the candidates, if the total " +
				"counts them once",
			`{"promptTokenCount": 10, "candidatesTokenCount": 100, "thoughtsTokenCount": 60, "totalTokenCount": 110}`,
			"input 10, output 40, reasoning 60",
		},
		{
			"of the input, `promptTokensDetails` of images that are not in `cacheTokensDetails`; of the output, " +
				"those in `candidatesTokensDetails`",
			`{"promptTokenCount": 1000, "cachedContentTokenCount": 300, "candidatesTokenCount": 1300, "totalTokenCount": 2300,
				"promptTokensDetails": [{"modality": "TEXT", "tokenCount": 400}, {"modality": "IMAGE", "tokenCount": 600}],
				"cacheTokensDetails": [{"modality": "IMAGE", "tokenCount": 300}],
				"candidatesTokensDetails": [{"modality": "TEXT", "tokenCount": 10}, {"modality": "IMAGE", "tokenCount": 1290}]}`,
			"input 700, image_input 300, cached_input 300, output 1300, image_output 1290",
		},
	},
	"Gemini on Vertex AI": {{
		"as Gemini: `promptTokenCount`, `cachedContentTokenCount`, `candidatesTokenCount`, `thoughtsTokenCount`",
		`{"promptTokenCount": 1000, "cachedContentTokenCount": 400, "candidatesTokenCount": 100, "thoughtsTokenCount": 250, "totalTokenCount": 1350, "trafficType": "ON_DEMAND"}`,
		"input 600, cached_input 400, output 100, reasoning 250",
	}},
	"Azure": {{
		"as OpenAI: of `prompt_tokens`, `cached_tokens`; of `completion_tokens`, `reasoning_tokens`",
		`{"completion_tokens": 300, "completion_tokens_details": {"accepted_prediction_tokens": 0, "audio_tokens": 0, "reasoning_tokens": 200}, "prompt_tokens": 1000,
			"prompt_tokens_details": {"audio_tokens": 0, "cached_tokens": 400}, "total_tokens": 1300}`,
		"input 600, cached_input 400, output 100, reasoning 200",
	}},
	"Groq": {{
		"of `prompt_tokens`, `cached_tokens`; a stream may have its usage in `x_groq`",
		`{"queue_time": 0.03, "prompt_tokens": 18, "completion_tokens": 556, "total_tokens": 574, "total_time": 0.46, "prompt_tokens_details": {"cached_tokens": 8}, "x_groq": null}`,
		"input 10, cached_input 8, output 556",
	}},
	"vLLM": {{
		"of `prompt_tokens`, `cached_tokens`, if the server is started with `--enable-prompt-tokens-details`",
		`{"prompt_tokens": 50, "total_tokens": 80, "completion_tokens": 30, "prompt_tokens_details": {"cached_tokens": 32}}`,
		"input 18, cached_input 32, output 30",
	}},
	"SGLang": {{
		"of `completion_tokens`, `reasoning_tokens` of the usage; of `prompt_tokens`, `cached_tokens` if it is " +
			"started with `--enable-cache-report`",
		`{"prompt_tokens": 516, "total_tokens": 620, "completion_tokens": 104, "prompt_tokens_details": {"cached_tokens": 512}, "reasoning_tokens": 100}`,
		"input 4, cached_input 512, output 4, reasoning 100",
	}},
	"Ollama": {{
		"of `prompt_tokens`, `cached_tokens`; versions before 0.3 report 0 for a prompt in their cache, which is " +
			"then estimated",
		`{"prompt_tokens": 26, "completion_tokens": 298, "total_tokens": 324, "prompt_tokens_details": {"cached_tokens": 20}}`,
		"input 6, cached_input 20, output 298",
	}},
	"llama.cpp": {{
		"`prompt_n`, besides it `cache_n`, and `predicted_n` of `timings`, if it reports no usage",
		`{"cache_n": 236, "prompt_n": 1, "prompt_ms": 30.9, "predicted_n": 35, "predicted_ms": 661.0, "timings": null}`,
		"input 1, cached_input 236, output 35",
	}},
	"proxies with Anthropic's names": {
		{
			"`cache_read_input_tokens` and `cache_creation_input_tokens`, in the input or besides it: " +
				"`total_tokens` decides",
			`{"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020, "cache_creation_input_tokens": 200, "cache_read_input_tokens": 700}`,
			"input 100, cached_input 700, cache_write 200, output 20",
		},
		{
			"`cache_read_input_tokens` and `cache_creation_input_tokens`, in the input or besides it: " +
				"`total_tokens` decides",
			`{"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 1020, "cache_creation_input_tokens": 200, "cache_read_input_tokens": 700}`,
			"input 100, cached_input 700, cache_write 200, output 20",
		},
	},
	"DeepSeek": {{
		"of `prompt_tokens`, `prompt_cache_hit_tokens`; the rest is `prompt_cache_miss_tokens`",
		`{"prompt_tokens": 100, "prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 36, "completion_tokens": 20, "total_tokens": 120}`,
		"input 36, cached_input 64, output 20",
	}},
	"OpenRouter": {{
		"of `prompt_tokens`, `cached_tokens` and `cache_write_tokens`",
		`{"prompt_tokens": 194, "completion_tokens": 2, "total_tokens": 196, "prompt_tokens_details": {"cached_tokens": 10, "cache_write_tokens": 100, "audio_tokens": 0}}`,
		"input 84, cached_input 10, cache_write 100, output 2",
	}},
	"xAI": {{
		"`completion_tokens`, and `reasoning_tokens` in addition if `total_tokens` counts both",
		`{"prompt_tokens": 32, "completion_tokens": 9, "total_tokens": 135, "completion_tokens_details": {"reasoning_tokens": 94}}`,
		"input 32, output 9, reasoning 94",
	}},
	"Mistral": {{
		"of `prompt_tokens`, `cached_tokens`",
		`{"prompt_tokens": 1013, "completion_tokens": 12, "total_tokens": 1025, "prompt_tokens_details": {"cached_tokens": 1008}}`,
		"input 5, cached_input 1008, output 12",
	}, {
		"audio, which `prompt_audio_seconds` counts: what the total has besides the two counts, else 375 tokens for " +
			"each begun 30 seconds",
		`{"prompt_audio_seconds": 203, "prompt_tokens": 4, "completion_tokens": 635, "total_tokens": 3264}`,
		"input 4, audio_input 2625, output 635",
	}},
	"Alibaba Cloud": {{
		"of `prompt_tokens`, `cached_tokens` and `cache_creation_input_tokens`",
		`{"prompt_tokens": 3019, "completion_tokens": 104, "total_tokens": 3123, "prompt_tokens_details": {"cached_tokens": 1000, "cache_creation_input_tokens": 1500}}`,
		"input 519, cached_input 1000, cache_write 1500, output 104",
	}},
	"Moonshot": {{
		"`cached_tokens` of the usage, which a stream has in the last choice",
		`{"prompt_tokens": 100, "completion_tokens": 20, "cached_tokens": 30}`,
		"input 70, cached_input 30, output 20",
	}},
	"Gemini in OpenAI's dialect": {{
		"`completion_tokens`, and what `total_tokens` counts in addition",
		`{"prompt_tokens": 758, "completion_tokens": 102, "total_tokens": 1725}`,
		"input 758, output 102, reasoning 865",
	}},
}

// upstream returns a channel of the provider and a JSON response with the usage object. OpenAI has two
// dialects; the usage object decides which.
func upstream(name, usage string) (channel catalog.Channel, answer string) {
	switch {
	case name == "Anthropic":
		return catalog.Channel{Type: "anthropic", Dialects: []catalog.Dialect{catalog.Messages}},
			`{"type": "message", "content": [{"type": "text", "text": "Hi."}], "stop_reason": "end_turn", "usage": ` +
				usage + `}`
	case name == "Gemini", name == "Gemini on Vertex AI":
		return catalog.Channel{Type: "gemini", Dialects: []catalog.Dialect{catalog.Gemini}},
			`{"candidates": [{"content": {"parts": [{"text": "Hi."}]}, "finishReason": "STOP"}], "usageMetadata": ` +
				usage + `}`
	case name == "llama.cpp":
		return catalog.Channel{Type: "openai", Dialects: []catalog.Dialect{catalog.Chat}},
			`{"object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi."}, "finish_reason": "stop"}], "timings": ` + usage + `}`
	case strings.Contains(usage, `"prompt_tokens"`):
		model := "m"
		if strings.HasPrefix(name, "Gemini ") {
			model = "gemini-2.5-pro"
		}
		return catalog.Channel{Type: "openai", Dialects: []catalog.Dialect{catalog.Chat}},
			`{"object": "chat.completion", "model": "` + model +
				`", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi."}, "finish_reason": "stop"}], "usage": ` + usage + `}`
	}
	return catalog.Channel{Type: "openai", Dialects: []catalog.Dialect{catalog.Responses}},
		`{"object": "response", "status": "completed", "output": [], "usage": ` + usage + `}`
}

// billed returns the usage that the relay meters if a client of the dialect gets the response.
func billed(t *testing.T, channel catalog.Channel, dialect catalog.Dialect, answer []byte) *usage.Usage {
	t.Helper()
	p, ok := registry.Lookup(channel.Type)
	if !ok {
		t.Fatalf("unknown provider %s", channel.Type)
	}
	asked := map[catalog.Dialect]string{
		catalog.Chat:      `{"model": "m", "messages": [{"role": "user", "content": "Hello"}]}`,
		catalog.Responses: `{"model": "m", "input": "Hello"}`,
	}[dialect]
	request, err := openai.ScanRequest([]byte(asked), dialect)
	if err != nil {
		t.Fatal(err)
	}
	call := provider.Call{
		Dialect: dialect, Channel: &channel, Base: &url.URL{Scheme: "https", Host: "upstream.example"},
		UpstreamModel: "m", Request: request,
	}
	if !channel.Speaks(dialect) {
		if call.Conversation, err = translate.DecodeRequest([]byte(asked), dialect); err != nil {
			t.Fatal(err)
		}
	}
	out, err := p.Request(call)
	if err != nil {
		t.Fatal(err)
	}
	if out.Decoder != nil {
		head := completion.Header{ID: "1", Model: "m", Created: time.Unix(1, 0), Request: call.Conversation}
		if answer, err = translate.NewTranslator(dialect, head, out.Decoder).Whole(answer); err != nil {
			t.Fatal(err)
		}
	}
	scanned, err := output.ScanAnswer(catalog.Chat, answer)
	if err != nil {
		t.Fatalf("ScanResponse: %v: %s", err, answer)
	}
	return scanned.Usage
}

var quoted = regexp.MustCompile("`([a-zA-Z_0-9]+)`")

// A provider's usage is billed as the table says, whatever dialect the client speaks.
func TestPricingPage_ProviderTableAgreesWithTheCodecs(t *testing.T) {
	_, table, _ := strings.Cut(read(t, "docs/pricing.md"), "\n| provider | reports | billed as |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	documented, name := map[string][]string{}, ""
	for _, row := range rows(table, regexp.MustCompile(``)) {
		if len(row) == 3 { // otherwise the row belongs to the provider above
			name, row = row[0], row[1:]
		}
		says, becomes := row[0], row[1]
		documented[name] = append(documented[name], says)
		fields := map[string]bool{} // whether a usage object has the field
		for _, field := range quoted.FindAllStringSubmatch(says, -1) {
			fields[field[1]] = false
		}
		for _, c := range reported[name] {
			if c.says != says {
				continue
			}
			for field := range fields {
				fields[field] = fields[field] || strings.Contains(c.usage, `"`+field+`": `)
			}
			want := counts(t, c.billed)
			for _, class := range quoted.FindAllStringSubmatch(becomes, -1) {
				if count := classOf(t, &want, class[1]); count == 0 {
					t.Errorf("%s, %s: %s has no tokens of the class %s", name, says, c.billed, class[1])
				}
			}
			channel, answer := upstream(name, c.usage)
			for _, dialect := range []catalog.Dialect{catalog.Chat, catalog.Responses} {
				if got := billed(t, channel, dialect, []byte(answer)); got == nil || *got != want {
					t.Errorf("%s, client %s: %s: got %+v, want %s", name, dialect, c.usage, got, c.billed)
				}
			}
		}
		for field, there := range fields {
			if !there {
				t.Errorf("%s, %s: no usage object of this test has the field %s", name, says, field)
			}
		}
	}
	for name, cases := range reported {
		for _, c := range cases {
			if !slices.Contains(documented[name], c.says) {
				t.Errorf("docs/pricing.md has no row of %s with the cell %s", name, c.says)
			}
		}
	}
	if len(documented) != len(reported) {
		t.Errorf("docs/pricing.md has %d providers, want the %d of this test", len(documented), len(reported))
	}
}

// classOf returns the count of a class by its name in the documents.
func classOf(t *testing.T, u *usage.Usage, class string) int64 {
	t.Helper()
	field, ok := named(t, reflect.ValueOf(u).Elem())[class]
	if !ok {
		t.Fatalf("unknown class %s", class)
	}
	return field.Int()
}
