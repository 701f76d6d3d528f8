package output_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
	"github.com/tollgate/tollgate/libs/wire/openai/tally"
)

// billed returns a usage with a service tier and tools.
func billed(in, out int64, tier string, tools usage.Tools) usage.Usage {
	return usage.Usage{Input: in, Output: out, Details: usage.Details{ServiceTier: tier, Tools: tools}}
}

const fewTokens = `"usage":{"input_tokens":9,"output_tokens":4,"total_tokens":13}`

func TestScanResponse_ReadsTheTierAndTheTools(t *testing.T) {
	for name, c := range map[string]struct {
		members string
		want    usage.Usage
	}{
		"no tier": {`"output":[],` + fewTokens, billed(9, 4, "", usage.Tools{})},
		"the ordinary tier": {`"service_tier":"default","output":[],` + fewTokens,
			billed(9, 4, "", usage.Tools{})},
		"the priority tier": {`"service_tier":"priority","output":[],` + fewTokens,
			billed(9, 4, "priority", usage.Tools{})},
		"a tier after the usage": {`"output":[],` + fewTokens + `,"service_tier":"flex"`,
			billed(9, 4, "flex", usage.Tools{})},
		"an invalid tier": {`"service_tier":"a b","output":[],` + fewTokens,
			billed(9, 4, "", usage.Tools{})},
		"a tier that is a number": {`"service_tier":1e30,"output":[],` + fewTokens, billed(9, 4, "", usage.Tools{})},
		"a tier inside of the " +
			"usage": {`"output":[],"usage":{"input_tokens":9,"output_tokens":4,"service_tier":"priority"}`,
			billed(9, 4, "priority", usage.Tools{})},
		"searches": {`"output":[{"type":"web_search_call","status":"completed","action":{"type":"search","query":"q"}},{"type":"web_search_call","status":"completed"}],` + fewTokens, billed(9, 4, "", usage.Tools{WebSearchCalls: 2})},
		"pages that were " +
			"opened": {`"output":[{"type":"web_search_call","status":"completed","action":{"type":"open_page","url":"u"}},{"type":"web_search_call","status":"completed","action":{"type":"find_in_page"}}],` + fewTokens, billed(9, 4, "", usage.Tools{})},
		"a search that failed": {`"output":[{"type":"web_search_call","status":"failed","action":{"type":"search"}}],` +
			fewTokens, billed(9, 4, "", usage.Tools{})},
		"searches that are " +
			"counted": {`"output":[{"type":"web_search_call","status":"completed","action":{"type":"search"}}],"tool_usage":{"web_search":{"num_requests":3}},` + fewTokens, billed(9, 4, "", usage.Tools{WebSearchCalls: 3})},
		"a count of zero":        {`"output":[{"type":"web_search_call","status":"completed","action":{"type":"search"}}],"tool_usage":{"web_search":{"num_requests":0}},` + fewTokens, billed(9, 4, "", usage.Tools{WebSearchCalls: 1})},
		"searches in files":      {`"output":[{"type":"file_search_call","status":"completed"},{"type":"file_search_call","status":"incomplete"}],` + fewTokens, billed(9, 4, "", usage.Tools{FileSearchCalls: 1})},
		"code in one container":  {`"output":[{"type":"code_interpreter_call","container_id":"cntr_1","status":"completed"},{"type":"code_interpreter_call","container_id":"cntr_1","status":"incomplete"}],` + fewTokens, billed(9, 4, "", usage.Tools{CodeInterpreterSessions: 1})},
		"code in two containers": {`"output":[{"type":"code_interpreter_call","container_id":"cntr_1"},{"type":"shell_call","environment":{"type":"container_reference","container_id":"cntr_2"}}],` + fewTokens, billed(9, 4, "", usage.Tools{CodeInterpreterSessions: 2})},
		"code on the client":     {`"output":[{"type":"shell_call","environment":{"type":"local"}},{"type":"local_shell_call"},{"type":"function_call"},{"type":"mcp_call"}],` + fewTokens, billed(9, 4, "", usage.Tools{})},
		"images that were generated": {
			`"output":[{"type":"image_generation_call","status":"completed","result":"AAAA"}],"tool_usage":{"image_gen":{"input_tokens":60,"input_tokens_details":{"text_tokens":10,"image_tokens":50},"output_tokens":272,"total_tokens":332}},` + fewTokens,
			billed(9, 4, "", usage.Tools{ImageGenerationInput: 10, ImageGenerationImageInput: 50,
				ImageGenerationOutput: 272}),
		},
		"images without " +
			"details": {`"output":[],"tool_usage":{"image_gen":{"input_tokens":27,"output_tokens":515}},` + fewTokens,
			billed(9, 4, "", usage.Tools{ImageGenerationInput: 27, ImageGenerationOutput: 515})},
		"images beyond their " +
			"total": {`"output":[],"tool_usage":{"image_gen":{"input_tokens":5,"input_tokens_details":{"image_tokens":9}}},` + fewTokens, billed(9, 4, "", usage.Tools{ImageGenerationImageInput: 5})},
		"hostile counts": {`"output":[],"tool_usage":{"web_search":{"num_requests":-1},"image_gen":{"input_tokens":1e30,"output_tokens":"272"}},` + fewTokens, billed(9, 4, "", usage.Tools{})},
		"a count beyond all reason": {`"output":[],"tool_usage":{"web_search":{"num_requests":10001}},` + fewTokens,
			billed(9, 4, "", usage.Tools{})},
		"tools that are a list":  {`"output":[],"tool_usage":[1],` + fewTokens, billed(9, 4, "", usage.Tools{})},
		"searches of OpenRouter": {`"output":[],"usage":{"input_tokens":9,"output_tokens":4,"server_tool_use":{"web_search_requests":2}}`, billed(9, 4, "", usage.Tools{WebSearchCalls: 2})},
		"tools of xAI":           {`"output":[],"usage":{"input_tokens":9,"output_tokens":4,"server_side_tool_usage_details":{"web_search_calls":1,"x_search_calls":2,"code_interpreter_calls":3,"file_search_calls":4,"mcp_calls":5}}`, billed(9, 4, "", usage.Tools{WebSearchCalls: 3, CodeInterpreterSessions: 3, FileSearchCalls: 4})},
		"a search model":         {`"model":"gpt-4o-search-preview-2025-03-11","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4}`, billed(9, 4, "", usage.Tools{WebSearchCalls: 1})},
		"a search model of a " +
			"gateway": {`"model":"openai/gpt-5-search-api","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4}`, billed(9, 4, "", usage.Tools{WebSearchCalls: 1})},
		"citations of the " +
			"web": {`"model":"m","choices":[{"message":{"content":"a","annotations":[{"type":"url_citation","url_citation":{"url":"u"}}]}}],"usage":{"prompt_tokens":9,"completion_tokens":4}`, billed(9, 4, "", usage.Tools{WebSearchCalls: 1})},
		"a citation in a " +
			"text": {`"model":"m","choices":[{"message":{"content":"\"url_citation\""}}],"usage":{"prompt_tokens":9,"completion_tokens":4}`, billed(9, 4, "", usage.Tools{})},
		"a text that is a " +
			"citation": {`"model":"m","choices":[{"message":{"content":"url_citation"}}],"usage":{"prompt_tokens":9,"completion_tokens":4}`, billed(9, 4, "", usage.Tools{})},
		"a function for " +
			"citations": {`"model":"m","choices":[{"message":{"tool_calls":[{"id":"1","type":"function","function":{"name":"add_citation","arguments":"{}"}},{"id":"2","type":"function","function":{"name":"url_citation","arguments":"{}"}}],"annotations":[]}}],"usage":{"prompt_tokens":9,"completion_tokens":4}`, billed(9, 4, "", usage.Tools{})},
		"a citation of a " +
			"file": {`"model":"m","choices":[{"message":{"content":"a","annotations":[{"type":"file_citation","file_id":"f"}]}}],"usage":{"prompt_tokens":9,"completion_tokens":4}`, billed(9, 4, "", usage.Tools{})},
		"a citation in a late " +
			"choice": {`"model":"m","choices":[{"message":{"content":"a","annotations":[]}},{"message":{"annotations":[{"start_index":1,"type":"url_citation"}]}}],"usage":{"prompt_tokens":9,"completion_tokens":4}`, billed(9, 4, "", usage.Tools{WebSearchCalls: 1})},
		"tools that Groq ran": {
			`"model":"groq/compound","choices":[{"message":{"content":"a","executed_tools":[{"index":0,"type":"search","arguments":"{}"},{"index":1,"type":"search","arguments":"{}"},{"index":2,"type":"code_interpreter"},{"index":3,"type":"visit"}]}}],"usage":{"prompt_tokens":9,"completion_tokens":4}`,
			billed(9, 4, "", usage.Tools{WebSearchCalls: 2, CodeInterpreterSessions: 1}),
		},
		// The bound ends the count, whatever the last index was.
		"tools of Groq beyond all reason": {
			`"model":"groq/compound","choices":[{"message":{"executed_tools":[{"index":10000,"type":"search"},{"type":"search"},{"type":"search"}]}}],` +
				`"usage":{"prompt_tokens":9,"completion_tokens":4}`,
			billed(9, 4, "", usage.Tools{WebSearchCalls: 1}),
		},
		"tools in a text":       {`"model":"m","choices":[{"message":{"content":"\"executed_tools\":[{\"type\":\"search\"}]","executed_tools":null}}],"usage":{"prompt_tokens":9,"completion_tokens":4}`, billed(9, 4, "", usage.Tools{})},
		"results of Perplexity": {`"model":"sonar","choices":[{"message":{"content":"a"}}],"search_results":[{"url":"u"},{"url":"v"}],"usage":{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13}`, billed(9, 4, "", usage.Tools{WebSearchCalls: 1})},
		"queries of Perplexity": {`"model":"sonar-deep-research","choices":[{"message":{"content":"a"}}],"usage":{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13,"num_search_queries":21}`, billed(9, 4, "", usage.Tools{WebSearchCalls: 21})},
		"results of Zhipu":      {`"model":"glm-4-plus","choices":[{"message":{"content":"a"}}],"usage":{"prompt_tokens":9,"completion_tokens":4},"web_search":[{"title":"t","link":"u"}]`, billed(9, 4, "", usage.Tools{WebSearchCalls: 1})},
		"results of Alibaba " +
			"Cloud": {`"model":"qwen-plus","choices":[{"message":{"content":"a"}}],"usage":{"prompt_tokens":9,"completion_tokens":4},"search_info":{"search_results":[{"url":"u"}]}`, billed(9, 4, "", usage.Tools{WebSearchCalls: 1})},
		"no results":       {`"model":"m","choices":[{"message":{"content":"a"}}],"usage":{"prompt_tokens":9,"completion_tokens":4},"search_info":{},"search_results":[ ],"web_search":"x"`, billed(9, 4, "", usage.Tools{})},
		"audio in seconds": {`"model":"voxtral","choices":[{"message":{"content":"a"}}],"usage":{"prompt_audio_seconds":203,"prompt_tokens":4,"completion_tokens":635,"total_tokens":3264}`, usage.Usage{Input: 4, Output: 635, AudioInput: 2625}},
		"audio among the " +
			"prompt": {`"model":"voxtral","choices":[{"message":{"content":"a"}}],"usage":{"prompt_audio_seconds":31,"prompt_tokens":800,"completion_tokens":5,"total_tokens":805}`, usage.Usage{Input: 50, Output: 5, AudioInput: 750}},
		"audio without a " +
			"total": {`"model":"voxtral","choices":[{"message":{"content":"a"}}],"usage":{"prompt_audio_seconds":30,"prompt_tokens":7,"completion_tokens":5}`, usage.Usage{Input: 7, Output: 5, AudioInput: 375}},
		"no audio": {`"model":"mistral-small","choices":[{"message":{"content":"a"}}],"usage":{"prompt_audio_seconds":{},"prompt_tokens":7,"completion_tokens":5,"total_tokens":12}`, billed(7, 5, "", usage.Tools{})},
		"a tool named in a " +
			"text": {`"output":[{"type":"message","content":[{"text":"{\"type\":\"file_search_call\"}"}]}],` +
			fewTokens, billed(9, 4, "", usage.Tools{})},
	} {
		t.Run(name, func(t *testing.T) {
			answer, err := output.ScanAnswer(catalog.Chat, []byte(`{"id":"1",`+c.members+`}`))
			if err != nil || answer.Usage == nil || *answer.Usage != c.want {
				t.Errorf("got %+v, %v, want %+v", answer.Usage, err, c.want)
			}
			if estimate := answer.Charges.AddTo(usage.Usage{Input: 1}); estimate.Input != 1 ||
				strings.Contains(c.members, `"tool_usage":{"image`) && estimate.Tools != c.want.Tools {
				t.Errorf("charges on an estimate: got %+v", estimate)
			}
		})
	}
}

// seen returns the charges of a stream, and the last usage that it reports.
func seen(t testing.TB, stream *output.Stream) (charges tally.Charges, reported *usage.Usage) {
	t.Helper()
	var report output.Report
	for {
		frame, err := stream.Next()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return report.Charges, report.Usage
		}
		if err != nil {
			t.Fatal(err)
		}
		report.Add(&frame)
	}
}

func frames(data ...string) io.Reader {
	return strings.NewReader("data: " + strings.Join(data, "\n\ndata: ") + "\n\n")
}

func TestCharges_SeeTheEventsOfAResponsesStream(t *testing.T) {
	const (
		created  = `{"type":"response.created","response":{"id":"r","service_tier":"auto","tool_usage":{"web_search":{"num_requests":0}},"output":[],"usage":null}}`
		priority = `{"type":"response.created","response":{"id":"r","service_tier":"priority","usage":null}}`
		search   = `{"type":"response.output_item.done","output_index":0,"item":{"id":"ws_1","type":"web_search_call","status":"completed","action":{"type":"search"}}}`
		open     = `{"type":"response.output_item.done","output_index":1,"item":{"id":"ws_2","type":"web_search_call","status":"completed","action":{"type":"open_page"}}}`
		code     = `{"type":"response.output_item.done","output_index":2,"item":{"id":"ci_1","type":"code_interpreter_call","status":"completed","container_id":"cntr_1"}}`
		again    = `{"type":"response.output_item.done","output_index":3,"item":{"id":"ci_2","type":"code_interpreter_call","status":"completed","container_id":"cntr_1"}}`
		files    = `{"type":"response.output_item.done","output_index":4,"item":{"id":"fs_1","type":"file_search_call","status":"completed"}}`
		added    = `{"type":"response.output_item.added","output_index":5,"item":{"id":"fs_2","type":"file_search_call","status":"in_progress"}}`
		text     = `{"type":"response.output_text.delta","delta":"\"type\":\"file_search_call\""}`
		end      = `{"type":"response.completed","response":{"id":"r","service_tier":"default",` +
			`"output":[{"type":"web_search_call","status":"completed","action":{"type":"search"}},{"type":"code_interpreter_call","container_id":"cntr_1"},{"type":"file_search_call","status":"completed"}],` + fewTokens + `}}`
		empty = `{"type":"response.incomplete","response":{"id":"r","service_tier":"flex","output":[],"tool_usage":{"image_gen":{"input_tokens":7,"output_tokens":9}},` + fewTokens + `}}`
		cut   = `{"type":"response.failed","response":{"id":"r","status":"failed","output":[{"type":"web_search_call","status":"completed"}],"error":{"message":"m"},` + fewTokens + `}}`
	)
	all := usage.Tools{WebSearchCalls: 1, FileSearchCalls: 1, CodeInterpreterSessions: 1}
	for name, c := range map[string]struct {
		data []string
		want usage.Usage // on an estimate of 1 token if the stream reports no usage
	}{
		"whole": {[]string{created, search, open, code, again, files, added, text,
			end}, billed(9, 4, "", all)},
		"the tier is lowered": {[]string{priority, text, end}, billed(9, 4, "", all)},
		"the end does not repeat the items": {[]string{created, search, code, files, empty},
			billed(9, 4, "flex", usage.Tools{WebSearchCalls: 1, FileSearchCalls: 1, CodeInterpreterSessions: 1,
				ImageGenerationInput: 7, ImageGenerationOutput: 9})},
		"broken off": {[]string{priority, search, open, code, again, files, added, text},
			billed(1, 0, "priority", all)},
		"broken off before a tool was completed": {[]string{created, added, text}, billed(1, 0, "", usage.Tools{})},
		"failed": {[]string{created, search, cut},
			billed(9, 4, "", usage.Tools{WebSearchCalls: 1})},
	} {
		t.Run(name, func(t *testing.T) {
			charges, reported := seen(t, output.NewStream(catalog.Responses, frames(c.data...), 1<<20, nil))
			if reported == nil {
				reported = &usage.Usage{Input: 1}
			}
			if got := charges.AddTo(*reported); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestHoldFailure_ReportsTheTierAndTheToolsOfAFailedAnswer(t *testing.T) {
	stream := output.NewStream(catalog.Responses, frames(
		`{"type":"response.created","response":{"id":"r","service_tier":"priority"}}`,
		`{"type":"response.failed","response":{"id":"r","status":"failed","service_tier":"flex","output":[{"type":"web_search_call","status":"completed"}],"error":{"message":"m"},`+fewTokens+`}}`,
	), 1<<20, nil)
	if _, err := stream.Peek(); err != nil {
		t.Fatal(err)
	}
	if got, want := stream.HoldFailure(), billed(9, 4, "flex", usage.Tools{WebSearchCalls: 1}); got == nil ||
		*got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestCharges_SeeTheChunksOfAChatStream(t *testing.T) {
	const (
		text     = `{"id":"1","model":"m","service_tier":"default","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}`
		priority = `{"id":"1","model":"m","service_tier":"priority","choices":[{"index":0,"delta":{"role":"assistant"},"finish_reason":null}],"usage":null}`
		plain    = `{"id":"1","model":"m","choices":[{"index":0,"delta":{"content":"service_tier"},"finish_reason":null}]}`
		filter   = `{"id":"","model":"","choices":[],"prompt_filter_results":[{"prompt_index":0}]}`
		last     = `{"id":"1","model":"m","service_tier":"default","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4}}`
		flex     = `{"id":"1","model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4},"service_tier":"flex"}`
		searches = `{"id":"1","model":"gpt-4o-mini-search-preview","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}`
		cites    = `{"id":"1","model":"m","choices":[{"index":0,"delta":{"annotations":[{"type":"url_citation","url_citation":{"url":"u"}}]},"finish_reason":null}]}`
		quotes   = `{"id":"1","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"url_citation\""}}]},"finish_reason":null}]}`
		function = `{"id":"1","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"1","type":"function","function":{"name":"url_citation","arguments":""}}]},"finish_reason":null}]}`
		groq     = `{"id":"1","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"req_1","usage":{"queue_time":0.06,"prompt_tokens":9,"completion_tokens":4,"total_tokens":13}}}`
		ran      = `{"id":"1","model":"m","choices":[{"index":0,"delta":{"executed_tools":[{"index":0,"type":"search","arguments":"{}","output":null}]},"finish_reason":null}]}`
		ranAgain = `{"id":"1","model":"m","choices":[{"index":0,"delta":{"executed_tools":[{"index":0,"type":"search","arguments":"{}","output":"o","search_results":{"results":[{"url":"u"}]}}]},"finish_reason":null}]}`
		ranMore  = `{"id":"1","model":"m","choices":[{"index":0,"delta":{"executed_tools":[{"index":1,"type":"python","arguments":"{}"},{"index":2,"type":"function","name":"browser.search"},{"index":3,"type":"visit"},{"index":4,"type":"python"}]},"finish_reason":null}]}`
		found    = `{"id":"1","model":"m","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}],"search_results":[{"url":"u"}]}`
		zhipu    = `{"id":"1","model":"m","choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}],"web_search":[{"link":"u"}],"usage":{"prompt_tokens":9,"completion_tokens":4}}`
		nothing  = `{"id":"1","model":"m","choices":[{"index":0,"delta":{"content":"a","tool_calls":[]},"finish_reason":null}],"search_results":[],"web_search":null,"search_info":{ }}`
		queries  = `{"id":"1","model":"m","choices":[],"search_results":[{"url":"u"}],"usage":{"prompt_tokens":9,"completion_tokens":4,"num_search_queries":7}}`
		fee      = `{"id":"1","model":"sonar-pro","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}`
		both     = `{"id":"1","model":"m","choices":[],"x_groq":{"id":"req_1","usage":{"prompt_tokens":1}},"usage":{"prompt_tokens":9,"completion_tokens":4}}`
	)
	for name, c := range map[string]struct {
		data []string
		want usage.Usage
	}{
		"no tier":                      {[]string{plain, plain}, billed(1, 0, "", usage.Tools{})},
		"the tier is lowered":          {[]string{priority, text, last}, billed(9, 4, "", usage.Tools{})},
		"the tier is named at the end": {[]string{plain, flex}, billed(9, 4, "flex", usage.Tools{})},
		"broken off":                   {[]string{priority, plain}, billed(1, 0, "priority", usage.Tools{})},
		"broken off after a content filter": {[]string{filter, priority, plain},
			billed(1, 0, "priority", usage.Tools{})},
		"a search model, broken off": {[]string{searches, searches},
			billed(1, 0, "", usage.Tools{WebSearchCalls: 1})},
		"citations": {[]string{plain, cites, cites, last},
			billed(9, 4, "", usage.Tools{WebSearchCalls: 1})},
		"a citation in the arguments": {[]string{plain, quotes, last}, billed(9, 4, "", usage.Tools{})},
		"a function for citations":    {[]string{plain, function, last}, billed(9, 4, "", usage.Tools{})},
		"tools that Groq ran": {[]string{ran, plain, ranAgain, ranMore, last},
			billed(9, 4, "", usage.Tools{WebSearchCalls: 2, CodeInterpreterSessions: 1})},
		"tools that Groq ran, broken off": {[]string{ran}, billed(1, 0, "", usage.Tools{WebSearchCalls: 1})},
		"results of a search": {[]string{plain, plain, plain, plain, plain, found, found, last},
			billed(9, 4, "", usage.Tools{WebSearchCalls: 1})},
		"results at the end": {[]string{plain, plain, plain, plain, plain, zhipu},
			billed(9, 4, "", usage.Tools{WebSearchCalls: 1})},
		"no results":                   {[]string{nothing, last}, billed(9, 4, "", usage.Tools{})},
		"queries that are counted":     {[]string{found, queries}, billed(9, 4, "", usage.Tools{WebSearchCalls: 7})},
		"a fee for each request":       {[]string{fee, plain}, billed(1, 0, "", usage.Tools{WebSearchCalls: 1})},
		"usage of Groq":                {[]string{plain, groq}, billed(9, 4, "", usage.Tools{})},
		"usage of Groq in both places": {[]string{plain, both}, billed(9, 4, "", usage.Tools{})},
	} {
		t.Run(name, func(t *testing.T) {
			charges, reported := seen(t, output.NewStream(catalog.Chat, frames(c.data...), 1<<20, nil))
			if reported == nil {
				reported = &usage.Usage{Input: 1}
			}
			if got := charges.AddTo(*reported); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// FuzzCharges checks that no answer leads to a usage that cannot be recorded, or to more calls of tools than are
// plausible.
func FuzzCharges(f *testing.F) {
	f.Add(
		[]byte(
			`{"type":"response.completed","response":{"service_tier":"flex","output":[{"type":"web_search_call"}],"tool_usage":{"web_search":{"num_requests":1e3},"image_gen":{"input_tokens":-7}},` + fewTokens + `}}`))
	f.Add([]byte(`{"type":"response.output_item.done","item":{"type":"code_interpreter_call","container_id":"c"}}`))
	f.Add(
		[]byte(
			`{"service_tier":"priority","model":"a-search-api","choices":[{"delta":{"annotations":["url_citation"]}}],"usage":{"prompt_tokens":5,"server_tool_use":{"web_search_requests":99999}},"x_groq":{"usage":{}}}`))
	f.Add(
		[]byte(
			`{"output":[{"type":"shell_call","environment":{"container_id":"c"}}],"usage":{"input_tokens":1099511627776,"output_tokens":1099511627776,"total_tokens":1,"prompt_cache_hit_tokens":9e9}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		check := func(u usage.Usage) {
			if fault := u.Fault(); fault != "" {
				t.Fatalf("%s: %s: %+v", data, fault, u)
			}
			if calls := max(u.WebSearchCalls, u.FileSearchCalls, u.CodeInterpreterSessions); calls > 20_000+
				int64(len(data)) {
				t.Fatalf("%s: %d calls", data, calls)
			}
			if u.Total() < 0 || u.Total() > 1<<43 {
				t.Fatalf("%s: %d tokens", data, u.Total())
			}
		}
		if answer, _ := output.ScanAnswer(catalog.Chat, data); answer.Usage != nil {
			check(*answer.Usage)
		} else {
			check(answer.Charges.AddTo(usage.Usage{}))
		}
		for _, event := range []bool{false, true} {
			frame := output.Frame{Data: data}
			if event {
				frame.Chunk, frame.Event, frame.Err = output.ScanEvent(data)
			} else {
				frame.Chunk, frame.Err = output.ScanChunk(data)
			}
			if frame.Err != nil {
				continue
			}
			var report output.Report
			report.Add(&frame)
			report.Add(&frame)
			if u := report.ReportedUsage(); u != nil {
				check(*u)
			} else {
				check(report.Charges.AddTo(usage.Usage{}))
			}
		}
	})
}

// BenchmarkCharges measures a stream of texts without a tier or tools, the common one.
func BenchmarkCharges(b *testing.B) {
	chunk, err :=
		output.ScanChunk(
			[]byte(
				`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-4o-mini","system_fingerprint":"fp","choices":[{"index":0,"delta":{"content":"hello"},"logprobs":null,"finish_reason":null}]}`))
	if err != nil {
		b.Fatal(err)
	}
	frame := output.Frame{Chunk: chunk}
	var report output.Report
	b.ReportAllocs()
	for b.Loop() {
		report.Add(&frame)
	}
}
