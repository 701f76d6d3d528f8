package pipeline_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest/responsetest"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// countingYAML declares a model for each dialect of an upstream, and one on Vertex AI.
const countingYAML = `
groups:
  - {name: default, models: ["*"]}
models:
  - {id: chat, owned_by: acme, price: {input: "1", output: "4"}}
  - {id: responses, owned_by: acme, price: {input: "1", output: "4"}}
  - {id: messages, owned_by: acme, price: {input: "1", output: "4"}}
  - {id: gemini, owned_by: acme, price: {input: "1", output: "4"}}
  - {id: vertex, owned_by: acme, price: {input: "1", output: "4"}}
channels:
  - {name: chat, type: openai, base_url: "${FIRST}/v1", endpoints: [chat], models: {chat: chat}}
  - {name: responses, type: openai, base_url: "${FIRST}/v1", endpoints: [responses], models: {responses: responses}}
  - {name: messages, type: anthropic, base_url: "${FIRST}/v1", endpoints: [messages], models: {messages: messages}}
  - {name: gemini, type: gemini, base_url: "${FIRST}/v1beta", endpoints: [gemini], models: {gemini: gemini-2.5-pro}}
  - {name: vertex, type: gemini, base_url: "${FIRST}/v1/projects/p/locations/global/publishers/google", endpoints: [gemini], models: {vertex: gemini-2.5-pro}}
tenants:
  - slug: acme
    name: Acme
    quota: "10.00"
    users:
      - email: owner@acme.example
        password: "a-long-password"
        role: owner
        group: default
        tokens:
          - {name: main, value: "a-token-for-the-tests"}
`

// countedText is the text of the answers: about 200 tokens.
var countedText = strings.TrimSpace(strings.Repeat("some words ", 100))

// countingUpstream writes the answers of an upstream dialect.
type countingUpstream struct {
	report func(in, out string) string                   // a usage object with the numbers
	whole  func(reported string) string                  // a JSON answer with the usage object
	stream func(reports []string) []string               // a stream with the usage objects, one after the other
	ask    map[string]func(extra string) relaytest.Reply // the ways of a client to ask for the model
}

// said returns an event of a stream.
func said(name, data string) string { return "event: " + name + "\ndata: " + data + "\n\n" }

// countingUpstreams returns the upstreams of countingYAML.
func countingUpstreams(h *relaytest.Relay) map[string]*countingUpstream {
	chat := func(model string) func(string) relaytest.Reply {
		return func(extra string) relaytest.Reply { return h.Post(token, relaytest.ChatBody(model, extra)) }
	}
	respond := func(model string) func(string) relaytest.Reply {
		return func(extra string) relaytest.Reply {
			return h.Do(http.MethodPost, relaytest.ResponsesPath, token, `{"model":"`+model+`","input":"hello"`+extra+`}`)
		}
	}
	message := func(model string) func(string) relaytest.Reply {
		return func(extra string) relaytest.Reply {
			return postMessage(h, `{"model":"`+model+
				`","max_tokens":900,"messages":[{"role":"user","content":"hello"}]`+extra+`}`)
		}
	}
	gemini := func(model string) *countingUpstream {
		candidate := func(text, finish string) string {
			return `{"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"` + text +
				`"}]}` + finish + `}]`
		}
		return &countingUpstream{
			report: func(in, out string) string {
				return `{"promptTokenCount":` + in + `,"candidatesTokenCount":` + out + `}`
			},
			whole: func(reported string) string {
				return candidate(countedText, `,"finishReason":"STOP"`) + `,"usageMetadata":` + reported + `}`
			},
			stream: func(reports []string) (frames []string) {
				for i, reported := range reports {
					text, finish := "", ""
					if i == 0 {
						text = countedText
					}
					if i == len(reports)-1 {
						finish = `,"finishReason":"STOP"`
					}
					frames = append(frames, "data: "+candidate(text, finish)+`,"usageMetadata":`+reported+"}\n\n")
				}
				return frames
			},
			ask: map[string]func(string) relaytest.Reply{"from chat": chat(model), "from responses": respond(model),
				"from messages": message(model)},
		}
	}
	return map[string]*countingUpstream{
		"chat": {
			report: func(in, out string) string {
				return `{"prompt_tokens":` + in + `,"completion_tokens":` + out + `}`
			},
			whole: func(reported string) string {
				return `{"id":"c1","object":"chat.completion","created":1,"model":"chat","choices":[{"index":0,"message":{"role":"assistant","content":"` + countedText + `"},"finish_reason":"stop"}],"usage":` + reported + `}`
			},
			stream: func(reports []string) []string {
				frames := []string{strings.Replace(relaytest.ChunkHi, "hi there", countedText, 1), relaytest.ChunkStop}
				for _, reported := range reports {
					frames = append(frames,
						`data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"chat","choices":[],"usage":`+reported+"}\n\n")
				}
				return append(frames, relaytest.Done)
			},
			ask: map[string]func(string) relaytest.Reply{"native": chat("chat"), "from responses": respond("chat"),
				"from messages": message("chat")},
		},
		"responses": {
			report: func(in, out string) string { return `{"input_tokens":` + in + `,"output_tokens":` + out + `}` },
			whole: func(reported string) string {
				return responsetest.Object("resp_up", "completed",
					strings.Replace(responsetest.MessageItem, "hi there", countedText, 1),
					`,"usage":`+reported)
			},
			stream: func(reports []string) []string {
				frames := []string{strings.ReplaceAll(
					responsetest.EventsHi+responsetest.EventText+responsetest.EventPartDone+responsetest.EventItemDone,
					"hi there", countedText)}
				last := len(reports) - 1
				for _, reported := range reports[:last] {
					frames = append(frames,
						responsetest.State(7, "in_progress", responsetest.Object("resp_up", "in_progress", "", `,"usage":`+reported)))
				}
				item := strings.Replace(responsetest.MessageItem, "hi there", countedText, 1)
				return append(frames,
					responsetest.State(8, "completed", responsetest.Object("resp_up", "completed", item, `,"usage":`+reports[last])))
			},
			ask: map[string]func(string) relaytest.Reply{"native": respond("responses"), "from chat": chat("responses"),
				"from messages": message("responses")},
		},
		"messages": {
			report: func(in, out string) string { return `{"input_tokens":` + in + `,"output_tokens":` + out + `}` },
			whole: func(reported string) string {
				return `{"id":"msg_up","type":"message","role":"assistant","model":"messages","content":[{"type":"text","text":"` + countedText + `"}],"stop_reason":"end_turn","stop_sequence":null,"usage":` + reported + `}`
			},
			stream: func(reports []string) []string {
				frames := []string{
					said("message_start",
						`{"type":"message_start","message":{"id":"msg_up","type":"message","role":"assistant","model":"messages","content":[],"stop_reason":null,"stop_sequence":null,"usage":`+reports[0]+`}}`),
					relaytest.MessageBlock, strings.Replace(relaytest.MessageHi, "hi there", countedText, 1),
					relaytest.MessageClose,
				}
				for _, reported := range reports {
					frames = append(frames,
						said("message_delta",
							`{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":`+
								reported+`}`))
				}
				return append(frames, relaytest.MessageStop)
			},
			ask: map[string]func(string) relaytest.Reply{"native": message("messages"), "from chat": chat("messages"),
				"from responses": respond("messages")},
		},
		"gemini": gemini("gemini"),
		"vertex": gemini("vertex"),
	}
}

// An answer with a text has an input and an output, whatever its server reports, in each dialect, natively and
// translated. A later report of a stream never lowers an earlier one to nothing.
func TestUsage_IsCountedOrEstimatedInEachDialect(t *testing.T) {
	h := relaytest.NewWith(t, countingYAML)
	type pair = [2]string
	for name, c := range map[string]struct {
		reports       []pair // input and output as they are spelled; "" for an empty usage object
		input, output int64  // 0: estimated
	}{
		"zeros":                          {[]pair{{"0", "0"}}, 0, 0},
		"an empty object":                {[]pair{{}}, 0, 0},
		"no output":                      {[]pair{{"40", "0"}}, 40, 0},
		"no input":                       {[]pair{{"0", "230"}}, 0, 230},
		"null":                           {[]pair{{"null", "null"}}, 0, 0},
		"negative":                       {[]pair{{"-40", "-230"}}, 0, 0},
		"strings":                        {[]pair{{`"40"`, `"230"`}}, 0, 0},
		"more than is plausible":         {[]pair{{"1e30", "99999999999999999999"}}, 0, 0},
		"a float":                        {[]pair{{"40.0", "230.0"}}, 40, 230},
		"a report, then zeros":           {[]pair{{"40", "230"}, {"0", "0"}}, 40, 230},
		"a report, then an empty object": {[]pair{{"40", "230"}, {}}, 40, 230},
		"a report, then null":            {[]pair{{"40", "230"}, {"null", "null"}}, 40, 230},
		"a report, then a negative one":  {[]pair{{"40", "230"}, {"-1", "-1"}}, 40, 230},
		"a report, then no output":       {[]pair{{"40", "230"}, {"41", "0"}}, 41, 230},
		"a report, then no input":        {[]pair{{"40", "230"}, {"0", "231"}}, 40, 231},
		"a cumulative report":            {[]pair{{"40", "1"}, {"40", "100"}, {"40", "230"}}, 40, 230},
		"a repeated report":              {[]pair{{"40", "230"}, {"40", "230"}, {"40", "230"}}, 40, 230},
	} {
		for dialect, up := range countingUpstreams(h) {
			reports := make([]string, len(c.reports))
			for i, r := range c.reports {
				if reports[i] = "{}"; r != (pair{}) {
					reports[i] = up.report(r[0], r[1])
				}
			}
			forms := map[string]http.HandlerFunc{`,"stream":true`: relaytest.Streams(up.stream(reports)...)}
			if len(reports) == 1 {
				forms[""] = relaytest.Status(200, up.whole(reports[0]))
			}
			for extra, upstream := range forms {
				for front, ask := range up.ask {
					h.ServeFirst(upstream)
					got := ask(extra)
					log := h.Log(got)
					input, output := log.Usage.InputTotal(), log.Usage.OutputTotal()
					if got.Status != 200 || log.Outcome != usage.Success ||
						log.Estimated != (c.input == 0 || c.output == 0) || log.Quota != log.Cost || log.Cost == 0 ||
						c.input > 0 && input != c.input || c.input == 0 && (input < 5 || input > 20) ||
						c.output > 0 && output != c.output || c.output == 0 && (output < 150 || output > 300) {
						t.Errorf("%s of %s, %s %s: got %d, %s, %d input and %d output tokens, estimated %v, cost "+
							"%v; want %d and %d\n%s",
							name, dialect, front, extra, got.Status, log.Outcome, input, output, log.Estimated,
							log.Cost, c.input, c.output, reports)
					}
				}
			}
		}
	}
}

// serverReport holds the members of an answer by which a server reports tokens, and how they are billed.
type serverReport struct {
	usage  string // the usage object
	choice string // members of the last choice
	answer string // members of the answer, or of the last chunk
	billed usage.Usage
}

// Servers that speak OpenAI's dialect of chat completions report the same things in other places and under other names.
func TestUsage_IsReadAsEachServerReportsIt(t *testing.T) {
	h := relaytest.NewWith(t, countingYAML)
	for name, c := range map[string]serverReport{
		"OpenAI": {
			usage:  `{"prompt_tokens":1000,"completion_tokens":300,"total_tokens":1300,"prompt_tokens_details":{"cached_tokens":400,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":200,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}`,
			billed: usage.Usage{Input: 600, CachedInput: 400, Output: 100, Reasoning: 200},
		},
		"Azure": {
			usage:  `{"completion_tokens":300,"completion_tokens_details":{"accepted_prediction_tokens":0,"audio_tokens":0,"reasoning_tokens":200,"rejected_prediction_tokens":0},"prompt_tokens":1000,"prompt_tokens_details":{"audio_tokens":0,"cached_tokens":400},"total_tokens":1300}`,
			answer: `"prompt_filter_results":[{"prompt_index":0,"content_filter_results":{}}]`,
			billed: usage.Usage{Input: 600, CachedInput: 400, Output: 100, Reasoning: 200},
		},
		"Gemini in OpenAI's dialect, thoughts in the " +
			"total": {usage: `{"prompt_tokens":40,"completion_tokens":30,"total_tokens":270}`,
			billed: usage.Usage{Input: 40, Output: 30, Reasoning: 200}},
		"DeepSeek": {
			usage:  `{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":5},"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}`,
			billed: usage.Usage{Input: 36, CachedInput: 64, Output: 15, Reasoning: 5},
		},
		"Moonshot": {usage: `{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"cached_tokens":30}`,
			billed: usage.Usage{Input: 70, CachedInput: 30, Output: 20}},
		"Moonshot, in the " +
			"choice": {choice: `"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"cached_tokens":30}`, billed: usage.Usage{Input: 70, CachedInput: 30, Output: 20}},
		"xAI, reasoning next to the " +
			"output": {usage: `{"prompt_tokens":32,"completion_tokens":9,"total_tokens":135,"prompt_tokens_details":{"text_tokens":32,"audio_tokens":0,"image_tokens":0,"cached_tokens":6},"completion_tokens_details":{"reasoning_tokens":94,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0},"num_sources_used":0}`, billed: usage.Usage{Input: 26, CachedInput: 6, Output: 9, Reasoning: 94}},
		"Groq":            {usage: `{"queue_time":0.03,"prompt_tokens":18,"prompt_time":0.001,"completion_tokens":556,"completion_time":0.46,"total_tokens":574,"total_time":0.463,"prompt_tokens_details":{"cached_tokens":8}}`, billed: usage.Usage{Input: 10, CachedInput: 8, Output: 556}},
		"Groq, in x_groq": {answer: `"x_groq":{"id":"req_1","usage":{"queue_time":0.03,"prompt_tokens":18,"completion_tokens":556,"total_tokens":574}}`, billed: usage.Usage{Input: 18, Output: 556}},
		"Mistral":         {usage: `{"prompt_tokens":1013,"completion_tokens":12,"total_tokens":1025,"prompt_audio_seconds":null,"prompt_tokens_details":{"cached_tokens":1008}}`, billed: usage.Usage{Input: 5, CachedInput: 1008, Output: 12}},
		"OpenRouter":      {usage: `{"prompt_tokens":194,"completion_tokens":32,"total_tokens":226,"cost":0.95,"is_byok":false,"prompt_tokens_details":{"cached_tokens":10,"cache_write_tokens":100,"audio_tokens":0,"video_tokens":0},"cost_details":{"upstream_inference_cost":null},"completion_tokens_details":{"reasoning_tokens":30,"image_tokens":0}}`, billed: usage.Usage{Input: 84, CachedInput: 10, CacheWrite: 100, Output: 2, Reasoning: 30, Details: usage.Details{ReportedCost: 950_000_000}}},
		"vLLM":            {usage: `{"prompt_tokens":50,"total_tokens":80,"completion_tokens":30,"prompt_tokens_details":{"cached_tokens":32}}`, billed: usage.Usage{Input: 18, CachedInput: 32, Output: 30}},
		"vLLM without " +
			"details": {usage: `{"prompt_tokens":50,"total_tokens":80,"completion_tokens":30,"prompt_tokens_details":null}`, billed: usage.Usage{Input: 50, Output: 30}},
		"SGLang": {usage: `{"prompt_tokens":516,"total_tokens":620,"completion_tokens":104,"prompt_tokens_details":{"cached_tokens":512},"reasoning_tokens":100}`, billed: usage.Usage{Input: 4, CachedInput: 512, Output: 4, Reasoning: 100}},
		"Ollama": {usage: `{"prompt_tokens":26,"completion_tokens":298,"total_tokens":324}`,
			billed: usage.Usage{Input: 26, Output: 298}},
		"Ollama, which counts its " +
			"cache": {usage: `{"prompt_tokens":26,"completion_tokens":298,"total_tokens":324,"prompt_tokens_details":{"cached_tokens":20}}`, billed: usage.Usage{Input: 6, CachedInput: 20, Output: 298}},
		"llama.cpp": {usage: `{"completion_tokens":35,"prompt_tokens":237,"total_tokens":272,"prompt_tokens_details":{"cached_tokens":236}}`, answer: `"timings":{"cache_n":236,"prompt_n":1,"prompt_ms":30.9,"predicted_n":35,"predicted_ms":661.0}`, billed: usage.Usage{Input: 1, CachedInput: 236, Output: 35}},
		"llama.cpp, in " +
			"timings": {answer: `"timings":{"cache_n":236,"prompt_n":1,"prompt_ms":30.9,"predicted_n":35,"predicted_ms":661.0}`, billed: usage.Usage{Input: 1, CachedInput: 236, Output: 35}},
		"a proxy with Anthropic's " +
			"names": {usage: `{"prompt_tokens":1000,"completion_tokens":20,"total_tokens":1020,"cache_creation_input_tokens":200,"cache_read_input_tokens":700}`, billed: usage.Usage{Input: 100, CachedInput: 700, CacheWrite: 200, Output: 20}},
		"a proxy with Anthropic's own " +
			"count": {usage: `{"input_tokens":100,"output_tokens":20,"total_tokens":1020,"cache_creation_input_tokens":200,"cache_read_input_tokens":700}`, billed: usage.Usage{Input: 100, CachedInput: 700, CacheWrite: 200, Output: 20}},
	} {
		members := func(lists ...string) string {
			lists = slices.DeleteFunc(lists, func(list string) bool { return list == "" })
			return strings.Join(lists, ",")
		}
		reported := ""
		if c.usage != "" {
			reported = `"usage":` + c.usage
		}
		whole := members(`{"id":"c1","object":"chat.completion","created":1,"model":"chat","choices":[{`+
			members(`"index":0,"message":{"role":"assistant","content":"`+countedText+`"},"finish_reason":"stop"`,
				c.choice)+`}]`, reported, c.answer) + `}`
		last := members(`{"id":"c1","object":"chat.completion.chunk","created":1,"model":"chat","choices":[{`+
			members(`"index":0,"delta":{},"finish_reason":"stop"`, c.choice)+`}]`, reported, c.answer) + `}`
		for extra, upstream := range map[string]http.HandlerFunc{
			"": relaytest.Status(200, whole), `,"stream":true`: relaytest.Streams(strings.Replace(relaytest.ChunkHi, "hi there", countedText, 1),
				"data: "+last+"\n\n", relaytest.Done),
		} {
			if !json.Valid([]byte(whole)) || !json.Valid([]byte(last)) {
				t.Fatalf("%s: %s %s", name, whole, last)
			}
			for front, ask := range countingUpstreams(h)["chat"].ask {
				h.ServeFirst(upstream)
				if log := h.Log(ask(extra)); log.Usage != c.billed || log.Estimated {
					t.Errorf("%s, %s %s: got %+v, estimated %v, want %+v", name, front, extra, log.Usage,
						log.Estimated, c.billed)
				}
			}
		}
	}
}

// The same for the APIs of Anthropic and Google, and for OpenAI's responses.
func TestUsage_IsReadAsEachAPIReportsIt(t *testing.T) {
	h := relaytest.NewWith(t, countingYAML)
	for name, c := range map[string]struct {
		dialect, usage string
		billed         usage.Usage
	}{
		"OpenAI's responses": {
			"responses",
			`{"input_tokens":1000,"input_tokens_details":{"cached_tokens":400,"cache_write_tokens":100},"output_tokens":300,"output_tokens_details":{"reasoning_tokens":200},"total_tokens":1300}`,
			usage.Usage{Input: 500, CachedInput: 400, CacheWrite: 100, Output: 100, Reasoning: 200},
		},
		"xAI's responses, reasoning next to the output": {
			"responses",
			`{"input_tokens":32,"input_tokens_details":{"cached_tokens":6},"output_tokens":9,"output_tokens_details":{"reasoning_tokens":94},"total_tokens":135}`,
			usage.Usage{Input: 26, CachedInput: 6, Output: 9, Reasoning: 94},
		},
		"Anthropic, cached tokens next to the input": {
			"messages",
			`{"input_tokens":21,"cache_creation_input_tokens":2000,"cache_read_input_tokens":1024,"cache_creation":{"ephemeral_5m_input_tokens":1500,"ephemeral_1h_input_tokens":500},"output_tokens":120,"service_tier":"standard"}`,
			usage.Usage{Input: 21, CachedInput: 1024, CacheWrite: 2000, Output: 120,
				Details: usage.Details{CacheWrite1h: 500}},
		},
		"Gemini, thoughts next to the candidates": {
			"gemini",
			`{"promptTokenCount":1000,"cachedContentTokenCount":400,"candidatesTokenCount":100,"thoughtsTokenCount":250,"totalTokenCount":1350,"promptTokensDetails":[{"modality":"TEXT","tokenCount":1000}],"cacheTokensDetails":[{"modality":"TEXT","tokenCount":400}]}`,
			usage.Usage{Input: 600, CachedInput: 400, Output: 100, Reasoning: 250},
		},
		"Gemini, thoughts in the candidates": {
			"gemini",
			`{"promptTokenCount":10,"candidatesTokenCount":100,"thoughtsTokenCount":60,"totalTokenCount":110}`,
			usage.Usage{Input: 10, Output: 40, Reasoning: 60},
		},
		"Gemini, thoughts in the total alone": {"gemini",
			`{"promptTokenCount":10,"candidatesTokenCount":40,"totalTokenCount":110}`,
			usage.Usage{Input: 10, Output: 40, Reasoning: 60}},
		"Gemini, the output in the total": {"gemini", `{"promptTokenCount":10,"totalTokenCount":110}`,
			usage.Usage{Input: 10, Output: 100}},
		"Gemini, the input in the total": {"gemini", `{"candidatesTokenCount":100,"totalTokenCount":110}`,
			usage.Usage{Input: 10, Output: 100}},
		"Gemini, a total without a meaning": {"gemini",
			`{"promptTokenCount":10,"candidatesTokenCount":40,"thoughtsTokenCount":5,"totalTokenCount":70}`,
			usage.Usage{Input: 10, Output: 40, Reasoning: 5}},
		"Gemini, a total that is too small": {"gemini",
			`{"promptTokenCount":10,"candidatesTokenCount":40,"thoughtsTokenCount":5,"totalTokenCount":12}`,
			usage.Usage{Input: 10, Output: 40, Reasoning: 5}},
		"Vertex AI": {
			"vertex",
			`{"promptTokenCount":7,"toolUsePromptTokenCount":70,"candidatesTokenCount":100,"thoughtsTokenCount":250,"totalTokenCount":427,"trafficType":"ON_DEMAND","promptTokensDetails":[{"modality":"TEXT","tokenCount":7}],"candidatesTokensDetails":[{"modality":"TEXT","tokenCount":100}]}`,
			usage.Usage{Input: 77, Output: 100, Reasoning: 250},
		},
	} {
		up := countingUpstreams(h)[c.dialect]
		for extra, upstream := range map[string]http.HandlerFunc{"": relaytest.Status(200, up.whole(c.usage)),
			`,"stream":true`: relaytest.Streams(up.stream([]string{c.usage})...)} {
			for front, ask := range up.ask {
				h.ServeFirst(upstream)
				if log := h.Log(ask(extra)); log.Usage != c.billed || log.Estimated {
					t.Errorf("%s, %s %s: got %+v, estimated %v, want %+v", name, front, extra, log.Usage,
						log.Estimated, c.billed)
				}
			}
		}
	}
}
