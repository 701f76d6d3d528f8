package readme

import (
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// stated is an answer that states a service tier or tools.
type stated struct {
	says   string // the cell of the table in docs/pricing.md that describes it
	answer string // JSON without the usage object of a few tokens that stateTokens adds
	want   usage.Details
}

const stateTokens = `"usage": {"input_tokens": 9, "output_tokens": 4}`

func tool(t usage.Tools) usage.Details { return usage.Details{Tools: t} }

// googleSearches is the cell of the searches that Google makes for an answer.
const googleSearches = "different queries in `groundingMetadata.webSearchQueries`, and with models before Gemini 3 " +
	"at most one for an answer"

// shownSearches is the cell of servers that show the results of a search and count none.
const shownSearches = "an answer with results of a search: `search_results`, `web_search`, `search_info`"

// searchedBy returns an answer of a Gemini model with two different searches.
func searchedBy(model string) string {
	return `{"modelVersion": "` + model +
		`", "candidates": [{"content": {"parts": [{"text": "Hi."}]}, "finishReason": "STOP",
		"groundingMetadata": {"webSearchQueries": ["a", "b", "a", ""]}}], "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 4}}`
}

// answers are answers by provider: at least one for each row of the table.
var answers = map[string][]stated{
	"OpenAI, Azure": {
		{"`service_tier` of the answer; in a stream, the last one", `{"output": [], "service_tier": "priority", ` +
			stateTokens + `}`, usage.Details{ServiceTier: "priority"}},
		{"`service_tier` of the answer; in a stream, the last one", `{"output": [], "service_tier": "default", ` +
			stateTokens + `}`, usage.Details{}},
		{"`tool_usage.web_search.num_requests`", `{"output": [], "tool_usage": {"web_search": {"num_requests": 2}}, ` +
			stateTokens + `}`, tool(usage.Tools{WebSearchCalls: 2})},
		{
			"without that count, items `web_search_call` whose action is `search`; not `open_page` and `find_in_page`",
			`{"output": [{"type": "web_search_call", "status": "completed", "action": {"type": "search"}}, {"type": "web_search_call", "status": "completed", "action": {"type": "open_page"}},
				{"type": "web_search_call", "status": "completed", "action": {"type": "find_in_page"}}], ` +
				stateTokens + `}`,
			tool(usage.Tools{WebSearchCalls: 1}),
		},
		{
			"chat completions of a search model (`-search-preview`, `-search-api`), or with a `url_citation`",
			`{"model": "gpt-5-search-api", "choices": [], ` + stateTokens + `}`, tool(usage.Tools{WebSearchCalls: 1}),
		},
		{
			"chat completions of a search model (`-search-preview`, `-search-api`), or with a `url_citation`",
			`{"model": "m", "choices": [{"message": {"annotations": [{"type": "url_citation"}]}}], ` + stateTokens +
				`}`, tool(usage.Tools{WebSearchCalls: 1}),
		},
		{"items `file_search_call`", `{"output": [{"type": "file_search_call", "status": "completed"}], ` +
			stateTokens + `}`, tool(usage.Tools{FileSearchCalls: 1})},
		{
			"items `code_interpreter_call` and `shell_call`, by their container",
			`{"output": [{"type": "code_interpreter_call", "container_id": "cntr_1"}, {"type": "code_interpreter_call", "container_id": "cntr_1"},
				{"type": "shell_call", "environment": {"type": "container_reference", "container_id": "cntr_2"}}], ` +
				stateTokens + `}`,
			tool(usage.Tools{CodeInterpreterSessions: 2}),
		},
		{
			"`tool_usage.image_gen`: tokens of text and of images, and `output_tokens`",
			`{"output": [], "tool_usage": {"image_gen": {"input_tokens": 60, "input_tokens_details": {"text_tokens": 10, "image_tokens": 50}, "output_tokens": 272}}, ` + stateTokens + `}`,
			tool(usage.Tools{ImageGenerationInput: 10, ImageGenerationImageInput: 50, ImageGenerationOutput: 272}),
		},
	},
	"Anthropic": {
		{"`service_tier` of the usage", `{"input_tokens": 9, "output_tokens": 4, "service_tier": "priority"}`,
			usage.Details{ServiceTier: "priority"}},
		{"`service_tier` of the usage", `{"input_tokens": 9, "output_tokens": 4, "service_tier": "standard"}`,
			usage.Details{}},
		{"`server_tool_use.web_search_requests`; in a stream, the last one",
			`{"input_tokens": 9, "output_tokens": 4, "server_tool_use": {"web_search_requests": 3}}`,
			tool(usage.Tools{WebSearchCalls: 3})},
		{
			"the `container` of the answer, if the request has a tool `code_execution` and none of the later web " +
				"tools (`web_search_20260209`, `web_fetch_20260209`), with which it is free",
			`{"type": "message", "content": [], "container": {"id": "container_1"}, ` + stateTokens + `}`,
			tool(usage.Tools{CodeInterpreterSessions: 1}),
		},
	},
	"Gemini": {
		{"`serviceTier`, or on Vertex AI `trafficType` without its beginning `ON_DEMAND_`",
			`{"promptTokenCount": 9, "candidatesTokenCount": 4, "serviceTier": "flex"}`,
			usage.Details{ServiceTier: "flex"}},
		{"`serviceTier`, or on Vertex AI `trafficType` without its beginning `ON_DEMAND_`",
			`{"promptTokenCount": 9, "candidatesTokenCount": 4, "serviceTier": "standard"}`, usage.Details{}},
		{"`serviceTier`, or on Vertex AI `trafficType` without its beginning `ON_DEMAND_`",
			`{"promptTokenCount": 9, "candidatesTokenCount": 4, "trafficType": "ON_DEMAND_PRIORITY"}`,
			usage.Details{ServiceTier: "priority"}},
		{"`serviceTier`, or on Vertex AI `trafficType` without its beginning `ON_DEMAND_`",
			`{"promptTokenCount": 9, "candidatesTokenCount": 4, "trafficType": "ON_DEMAND"}`, usage.Details{}},
		{googleSearches, searchedBy("gemini-3-flash-preview"), tool(usage.Tools{WebSearchCalls: 2})},
		{googleSearches, searchedBy("gemini-2.5-flash"), tool(usage.Tools{WebSearchCalls: 1})},
	},
	"Groq": {
		{"`service_tier` of the answer", `{"choices": [], "service_tier": "on_demand", ` + stateTokens + `}`,
			usage.Details{}},
		{"`service_tier` of the answer", `{"choices": [], "service_tier": "flex", ` + stateTokens + `}`,
			usage.Details{ServiceTier: "flex"}},
		{"`x_groq.usage` of the last chunk of a stream that has no usage object", `{"choices": [], "x_groq": {` +
			stateTokens + `}}`, usage.Details{}},
		{
			"`executed_tools` of a message, by their index: searches (`search`, `browser.search`), and code " +
				"(`python`, `code_interpreter`)",
			`{"choices": [{"message": {"executed_tools": [{"index": 0, "type": "search"}, {"index": 1, "type": "function", "name": "browser.search"},
				{"index": 2, "type": "python"}, {"index": 3, "type": "code_interpreter"}, {"index": 4, "type": "visit"}]}}], ` + stateTokens + `}`,
			tool(usage.Tools{WebSearchCalls: 2, CodeInterpreterSessions: 1}),
		},
	},
	"Perplexity": {
		{"`num_search_queries` of the usage",
			`{"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4, "num_search_queries": 7}}`,
			tool(usage.Tools{WebSearchCalls: 7})},
		{"without that count, a model `sonar` or an answer with `search_results`",
			`{"model": "sonar-pro", "choices": [], ` + stateTokens + `}`, tool(usage.Tools{WebSearchCalls: 1})},
		{"without that count, a model `sonar` or an answer with `search_results`",
			`{"choices": [], "search_results": [{"url": "u"}], ` + stateTokens + `}`,
			tool(usage.Tools{WebSearchCalls: 1})},
	},
	"Baidu, Zhipu, Alibaba Cloud": {
		{shownSearches, `{"choices": [], "search_results": [{"url": "u"}], ` + stateTokens + `}`,
			tool(usage.Tools{WebSearchCalls: 1})},
		{shownSearches, `{"choices": [], "web_search": [{"link": "u"}], ` + stateTokens + `}`,
			tool(usage.Tools{WebSearchCalls: 1})},
		{shownSearches, `{"choices": [], "search_info": {"search_results": []}, ` + stateTokens + `}`,
			tool(usage.Tools{WebSearchCalls: 1})},
		{shownSearches, `{"choices": [], "search_info": {}, "web_search": null, ` + stateTokens + `}`, usage.Details{}},
	},
	"OpenRouter": {
		{"`server_tool_use.web_search_requests` of the usage",
			`{"choices": [], "usage": {"input_tokens": 9, "output_tokens": 4, "server_tool_use": {"web_search_requests": 2}}}`, tool(usage.Tools{WebSearchCalls: 2})},
		{"`cost` of the usage, in USD",
			`{"choices": [], "usage": {"input_tokens": 9, "output_tokens": 4, "cost": 0.00014}}`,
			usage.Details{ReportedCost: 140_000}},
	},
	"xAI": {
		{"`num_sources_used` of the usage, for calls with `search_parameters`",
			`{"choices": [], "usage": {"input_tokens": 9, "output_tokens": 4, "num_sources_used": 3}}`,
			tool(usage.Tools{WebSearchCalls: 3})},
		{"`cost_in_usd_ticks` of the usage, in 10^-10 USD",
			`{"choices": [], "usage": {"input_tokens": 9, "output_tokens": 4, "cost_in_usd_ticks": 37756000}}`,
			usage.Details{ReportedCost: 3_775_600}},
		{
			"`server_side_tool_usage_details` of the usage: `web_search_calls` and `x_search_calls`, " +
				"`file_search_calls` and `document_search_calls`, `code_interpreter_calls`",
			`{"output": [], "usage": {"input_tokens": 9, "output_tokens": 4, "server_side_tool_usage_details":
				{"web_search_calls": 1, "x_search_calls": 2, "file_search_calls": 1, "document_search_calls": 3, "code_interpreter_calls": 5}}}`,
			tool(usage.Tools{WebSearchCalls: 3, FileSearchCalls: 4, CodeInterpreterSessions: 5}),
		},
	},
}

// The service tier and the tools of an answer are counted as the table says.
func TestPricingPage_TableOfTiersAndToolsAgreesWithTheCodecs(t *testing.T) {
	_, table, _ := strings.Cut(read(t, "docs/pricing.md"), "\n| provider | states | counted as |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	documented, name := map[string]bool{}, ""
	for line := range strings.SplitSeq(strings.TrimSpace(table), "\n") {
		cells := strings.Split(strings.Trim(line, "|"), " | ")
		if first := strings.TrimSpace(cells[0]); first != "" {
			name = first
		}
		documented[name+": "+strings.TrimSpace(cells[1])] = true
	}
	for name, cases := range answers {
		for _, c := range cases {
			row := name + ": " + c.says
			if _, known := documented[row]; !known {
				t.Errorf("docs/pricing.md has no row %s", row)
			}
			documented[row] = false
			scanned, _ := output.ScanAnswer(catalog.Chat, []byte(c.answer))
			got := scanned.Usage
			switch message, err := output.ScanAnswer(catalog.Messages, []byte(c.answer)); {
			case name == "Anthropic" && err == nil:
				u := message.Charges.AddTo(*message.Usage)
				got = &u
			case name == "Anthropic", name == "Gemini":
				channel, answer := upstream(name, c.answer)
				if strings.Contains(c.answer, `"candidates"`) { // a whole answer
					answer = c.answer
				}
				got = billed(t, channel, catalog.Chat, []byte(answer))
			}
			if got == nil || got.Input != 9 || got.Output != 4 || got.Details != c.want {
				t.Errorf("%s: got %+v, want %+v", row, got, c.want)
			}
		}
	}
	for row, untested := range documented {
		if untested {
			t.Errorf("no answer of this test shows the row %s", row)
		}
	}
}
