package tally_test

import (
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/tally"
)

func TestParse_ReadsCompatibleServers(t *testing.T) {
	for name, c := range map[string]struct {
		raw  string
		want usage.Usage
	}{
		"DeepSeek": {`{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36,"completion_tokens_details":{"reasoning_tokens":5}}`, usage.Usage{Input: 36, CachedInput: 64, Output: 15, Reasoning: 5}},
		"DeepSeek with OpenAI's " +
			"detail": {`{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":64},"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}`, usage.Usage{Input: 36, CachedInput: 64, Output: 20}},
		"hits and misses without a " +
			"total": {`{"completion_tokens":20,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}`,
			usage.Usage{Input: 36, CachedInput: 64, Output: 20}},
		"Moonshot": {`{"prompt_tokens":100,"completion_tokens":20,"cached_tokens":30}`,
			usage.Usage{Input: 70, CachedInput: 30, Output: 20}},
		"xAI counts the reasoning " +
			"apart": {`{"prompt_tokens":32,"completion_tokens":9,"total_tokens":135,"completion_tokens_details":{"reasoning_tokens":94}}`, usage.Usage{Input: 32, Output: 9, Reasoning: 94}},
		"OpenAI counts it in the " +
			"completion": {`{"prompt_tokens":32,"completion_tokens":103,"total_tokens":135,"completion_tokens_details":{"reasoning_tokens":94}}`, usage.Usage{Input: 32, Output: 9, Reasoning: 94}},
		"OpenRouter": {`{"prompt_tokens":194,"completion_tokens":2,"total_tokens":196,"cost":0.95,"cost_details":{"upstream_inference_cost":19},"prompt_tokens_details":{"cached_tokens":10,"cache_write_tokens":100,"audio_tokens":0}}`, usage.Usage{Input: 84, CachedInput: 10, CacheWrite: 100, Output: 2, Details: usage.Details{ReportedCost: 950_000_000}}},
		"Alibaba Cloud counts cache " +
			"writes": {`{"prompt_tokens":3019,"completion_tokens":104,"total_tokens":3123,"prompt_tokens_details":{"cached_tokens":1000,"cache_creation_input_tokens":1500,"cache_type":"ephemeral"}}`, usage.Usage{Input: 519, CachedInput: 1000, CacheWrite: 1500, Output: 104}},
		"xAI counts the sources of a search": {`{"prompt_tokens":100,"completion_tokens":20,"num_sources_used":4}`,
			usage.Usage{Input: 100, Output: 20, Details: usage.Details{Tools: usage.Tools{WebSearchCalls: 4}}}},
		"Mistral": {`{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25,"prompt_audio_seconds":{},"prompt_tokens_details":{"cached_tokens":16}}`, usage.Usage{Input: 4, CachedInput: 16, Output: 5}},
		"a detail that is a " +
			"string": {`{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":"64"}}`,
			usage.Usage{Input: 100, Output: 20}},
		"a detail that is too " +
			"large": {`{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":1e30,"audio_tokens":99999999999999}}`, usage.Usage{Input: 100, Output: 20}},
		"a detail that is " +
			"negative": {`{"prompt_tokens":100,"completion_tokens":20,"completion_tokens_details":{"reasoning_tokens":-5}}`, usage.Usage{Input: 100, Output: 20}},
		"details that are a list": {`{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":[1]}`,
			usage.Usage{Input: 100, Output: 20}},
		"reasoning and total do not " +
			"agree": {`{"prompt_tokens":32,"completion_tokens":9,"total_tokens":200,"completion_tokens_details":{"reasoning_tokens":94}}`, usage.Usage{Input: 32, Reasoning: 9}},
		"hits beyond the total": {`{"prompt_tokens":5,"completion_tokens":1,"prompt_cache_hit_tokens":9}`,
			usage.Usage{CachedInput: 5, Output: 1}},
		"cache writes for one hour and " +
			"others": {`{"prompt_tokens":100,"completion_tokens":1,"prompt_tokens_details":{"cache_write_tokens":60,"cache_write_1h_tokens":50}}`, usage.Usage{Input: 40, CacheWrite: 60, Output: 1, Details: usage.Details{CacheWrite1h: 50}}},
	} {
		if got := tally.Parse([]byte(c.raw)); got == nil || *got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
	for _, raw := range []string{
		`{"prompt_tokens":1e30,"completion_tokens":1}`, `{"prompt_tokens":"5","completion_tokens":1}`,
		`{"prompt_tokens":1099511627777}`, `{"completion_tokens":-1}`,
		`{"prompt_tokens":9223372036854775807,"completion_tokens":9223372036854775807}`, `{"prompt_tokens":[]}`,
	} {
		if got := tally.Parse([]byte(raw)); got != nil {
			t.Errorf("%s: got %+v, want no usage", raw, got)
		}
	}
}

func TestParse_ReadsWhatTheUpstreamCharges(t *testing.T) {
	for members, want := range map[string]money.Amount{
		`"cost":0.00014`:               140_000,
		`"cost":1.4E-4`:                140_000,
		`"cost":0.0000000005`:          1, // half a nano-dollar is rounded up
		`"cost":0.00000000049`:         0,
		`"cost":10000`:                 10_000 * money.USD,
		`"cost_in_usd_ticks":37756000`: 3_775_600,
		`"cost_in_usd_ticks":15`:       2,
		`"cost":0`:                     0,
		`"cost":-1`:                    0,
		`"cost":"1"`:                   0,
		`"cost":null`:                  0,
		`"cost":{"total":1}`:           0,
		`"cost":1e30`:                  0,
		`"cost":1e999999999`:           0,
		`"cost":1e-999999999`:          0,
		`"cost":10000.01`:              0,
		`"cost_in_usd_ticks":99999999999999999999`: 0,
		`"cost":0.` + strings.Repeat("1", 100):     0, // no upstream writes an amount like this
	} {
		if got := tally.Parse([]byte(`{"prompt_tokens":9,` + members + `}`)); got == nil || got.ReportedCost != want {
			t.Errorf("%s: got %+v, want %d", members, got, want)
		}
	}
}

func TestAppendTools_IsReadAsTheSameTools(t *testing.T) {
	for _, tools := range []usage.Tools{
		{}, {WebSearchCalls: 2}, {FileSearchCalls: 3, CodeInterpreterSessions: 4}, {ImageGenerationOutput: 5},
		{ImageGenerationImageInput: 6},
		{WebSearchCalls: 1, FileSearchCalls: 2, CodeInterpreterSessions: 3, ImageGenerationInput: 4,
			ImageGenerationImageInput: 5, ImageGenerationOutput: 6},
	} {
		var charges tally.Charges
		charges.SetCounts(tally.AppendTools(nil, tools))
		if got := charges.AddTo(usage.Usage{}); got.Tools != tools {
			t.Errorf("got %+v, want %+v", got.Tools, tools)
		}
		chunk := string(tally.AppendChat(nil, usage.Usage{Input: 1, Details: usage.Details{Tools: tools}}))
		if got := tally.Parse([]byte(chunk)); got == nil || got.Tools != tools {
			t.Errorf("%s: got %+v, want %+v", chunk, got, tools)
		}
	}
}

// FuzzParse checks that no usage object leads to counts that cannot be recorded.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"prompt_tokens":1e30,"completion_tokens":"4","prompt_tokens_details":{"cached_tokens":-1}}`))
	f.Add(
		[]byte(
			`{"input_tokens":9,"total_tokens":1099511627776,"output_tokens_details":{"reasoning_tokens":1099511627767},"tool_usage":{"image_gen":{"input_tokens":5}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		u := tally.Parse(raw)
		if u == nil {
			return
		}
		if fault := u.Fault(); fault != "" || u.Total() < 0 {
			t.Errorf("%s: %s: %+v", raw, fault, u)
		}
	})
}
