package translate_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// reports holds, for each dialect of upstreams, an answer with a service tier and tools, as JSON and as a stream, and
// the usage that it reports.
var reports = map[catalog.Dialect]struct {
	whole, stream string
	want          usage.Usage
}{
	catalog.Chat: {
		`{"id":"c","model":"gpt-4o-search-preview","choices":[{"index":0,"message":{"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":4,"cost":0.0123},"service_tier":"flex"}`,
		`data: {"id":"c","model":"gpt-4o-search-preview","service_tier":"flex","choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":null}]}` + "\n\n" +
			`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"usage":{"prompt_tokens":9,"completion_tokens":4,"cost":0.0123}}}` + "\n\ndata: [DONE]\n\n",
		usage.Usage{Input: 9, Output: 4, Details: usage.Details{ServiceTier: "flex", ReportedCost: 12_300_000,
			Tools: usage.Tools{WebSearchCalls: 1}}},
	},
	catalog.Responses: {
		`{"id":"r","status":"completed","service_tier":"priority","output":[{"type":"code_interpreter_call","container_id":"c"},{"type":"message","content":[{"type":"output_text","text":"hi"}]}],"tool_usage":{"web_search":{"num_requests":2},"image_gen":{"input_tokens":5,"output_tokens":6}},"usage":{"input_tokens":9,"output_tokens":4,"cost_in_usd_ticks":5}}`,
		`data: {"type":"response.output_text.delta","output_index":0,"delta":"hi"}` + "\n\n" +
			`data: {"type":"response.completed","response":{"id":"r","status":"completed","service_tier":"priority","output":[{"type":"code_interpreter_call","container_id":"c"}],"tool_usage":{"web_search":{"num_requests":2},"image_gen":{"input_tokens":5,"output_tokens":6}},"usage":{"input_tokens":9,"output_tokens":4,"cost_in_usd_ticks":5}}}` + "\n\n",
		usage.Usage{Input: 9, Output: 4,
			Details: usage.Details{ServiceTier: "priority", ReportedCost: 1,
				Tools: usage.Tools{WebSearchCalls: 2, CodeInterpreterSessions: 1, ImageGenerationInput: 5,
					ImageGenerationOutput: 6}}},
	},
	catalog.Messages: {
		`{"type":"message","id":"m","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","usage":{"input_tokens":9,"cache_creation_input_tokens":7,"cache_creation":{"ephemeral_5m_input_tokens":2,"ephemeral_1h_input_tokens":5},"output_tokens":4,"server_tool_use":{"web_search_requests":3},"service_tier":"priority"}}`,
		`data: {"type":"message_start","message":{"id":"m","usage":{"input_tokens":9,"cache_creation_input_tokens":7,"cache_creation":{"ephemeral_5m_input_tokens":2,"ephemeral_1h_input_tokens":5},"output_tokens":1,"service_tier":"priority"}}}` + "\n\n" +
			`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n" +
			`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}}` + "\n\n" +
			`data: {"type":"content_block_stop","index":0}` + "\n\n" +
			`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":4,"server_tool_use":{"web_search_requests":3}}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n",
		usage.Usage{Input: 9, CacheWrite: 7, Output: 4,
			Details: usage.Details{CacheWrite1h: 5, ServiceTier: "priority", Tools: usage.Tools{WebSearchCalls: 3}}},
	},
	catalog.Gemini: {
		`{"candidates":[{"content":{"parts":[{"text":"hi"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":4,"serviceTier":"flex"}}`,
		`data: {"candidates":[{"content":{"parts":[{"text":"h"}]}}],"usageMetadata":{"promptTokenCount":9,"serviceTier":"flex"}}` + "\n\n" +
			`data: {"candidates":[{"content":{"parts":[{"text":"i"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":4,"serviceTier":"flex"}}` + "\n\n",
		usage.Usage{Input: 9, Output: 4, Details: usage.Details{ServiceTier: "flex"}},
	},
}

// charged returns the usage that the relay reads from the stream for a client.
func charged(t *testing.T, client catalog.Dialect, src io.Reader) (charged usage.Usage, found bool) {
	t.Helper()
	stream := open(client, src, maxFrame)
	var report output.Report
	for {
		frame, err := stream.Next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			if u := report.ReportedUsage(); u != nil {
				return *u, true
			}
			return usage.Usage{}, false
		}
		report.Add(&frame)
	}
}

func TestTranslator_KeepsTheTierAndTheToolsOfTheUsage(t *testing.T) {
	for upstream, report := range reports {
		for _, client := range clients {
			translator := answer(client, decoders[upstream]())
			body, err := translator.Whole([]byte(report.whole))
			if err != nil {
				t.Fatal(err)
			}
			if client == catalog.Messages { // the dialect has no place for some of the counts
				streamed := answer(client, decoders[upstream]())
				_, err := io.ReadAll(streamed.Stream(strings.NewReader(report.stream), maxFrame))
				for _, got := range []*usage.Usage{translator.FullUsage(), streamed.FullUsage()} {
					if err != nil || got == nil || *got != report.want {
						t.Errorf("%s for %s: got %+v, %v, want %+v", upstream, client, got, err, report.want)
					}
				}
				continue
			}
			if answer, err := output.ScanAnswer(client, body); err != nil || answer.Usage == nil ||
				*answer.Usage != report.want {
				t.Errorf("%s for %s, whole: got %+v, want %+v in %s", upstream, client, answer.Usage, report.want, body)
			}
			src := answer(client, decoders[upstream]()).Stream(strings.NewReader(report.stream), maxFrame)
			if got, found := charged(t, client, src); !found || got != report.want {
				t.Errorf("%s for %s, stream: got %+v, want %+v", upstream, client, got, report.want)
			}
		}
	}
}

func TestTranslator_ReportsTheInputOfAStreamThatIsCut(t *testing.T) {
	for upstream, want := range map[catalog.Dialect]*usage.Usage{
		catalog.Chat: nil, catalog.Responses: nil,
		catalog.Messages: {Input: 9, CacheWrite: 7, Output: 1,
			Details: usage.Details{CacheWrite1h: 5, ServiceTier: "priority"}},
		catalog.Gemini: {Input: 9, Details: usage.Details{ServiceTier: "flex"}},
	} {
		first, _, _ := strings.Cut(reports[upstream].stream, "\n\n")
		translator := answer(catalog.Chat, decoders[upstream]())
		if translator.ReportedUsage() != nil {
			t.Errorf("%s: usage before the first frame", upstream)
		}
		if _, err := io.ReadAll(translator.Stream(strings.NewReader(first+"\n\n"), maxFrame)); err == nil {
			t.Errorf("%s: the stream that is cut ends without an error", upstream)
		}
		if got := translator.ReportedUsage(); (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%s: got %+v, want %+v", upstream, got, want)
		}
	}
}

func TestTranslator_StatesTheChargesOfAStreamThatIsCut(t *testing.T) {
	for upstream, c := range map[catalog.Dialect]struct {
		stream string
		want   usage.Details
	}{
		catalog.Chat: {
			`data: {"id":"c","model":"m","service_tier":"priority","choices":[{"index":0,"delta":{"content":"hi"}}]}` +
				"\n\n" +
				`data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"annotations":[{"type":"url_citation","url_citation":{"url":"u"}}]}}]}` + "\n\n",
			usage.Details{ServiceTier: "priority", Tools: usage.Tools{WebSearchCalls: 1}},
		},
		catalog.Responses: {
			`data: {"type":"response.created","response":{"id":"r","service_tier":"flex","output":[]}}` + "\n\n" +
				`data: {"type":"response.output_item.done","output_index":0,"item":{"type":"file_search_call","status":"completed"}}` + "\n\n" +
				`data: {"type":"response.output_text.delta","output_index":1,"delta":"hi"}` + "\n\n",
			usage.Details{ServiceTier: "flex", Tools: usage.Tools{FileSearchCalls: 1}},
		},
		catalog.Messages: {
			`data: {"type":"message_start","message":{"id":"m","usage":{"input_tokens":9,"output_tokens":1,"service_tier":"priority"}}}` + "\n\n",
			usage.Details{ServiceTier: "priority"},
		},
		catalog.Gemini: {
			`data: {"candidates":[{"content":{"parts":[{"text":"h"}]},"groundingMetadata":{"webSearchQueries":["q"]}}],"modelVersion":"gemini-3-pro","usageMetadata":{"promptTokenCount":9,"serviceTier":"flex"}}` + "\n\n",
			usage.Details{ServiceTier: "flex", Tools: usage.Tools{WebSearchCalls: 1}},
		},
	} {
		for _, client := range clients {
			translator := answer(client, decoders[upstream]())
			if _, err := io.ReadAll(translator.Stream(strings.NewReader(c.stream), maxFrame)); err == nil {
				t.Errorf("%s: the stream that is cut ends without an error", upstream)
			}
			if got := translator.StatedDetails(); got != c.want {
				t.Errorf("%s for %s: got %+v, want %+v", upstream, client, got, c.want)
			}
		}
	}
}

func TestTranslator_StatesWhatTheUpstreamCharges(t *testing.T) {
	const used = `"usage":{"input_tokens":9,"output_tokens":4,"cost":0.25,"server_tool_use":{"web_search_requests":2}}`
	want := usage.Details{ReportedCost: 250_000_000, Tools: usage.Tools{WebSearchCalls: 2}}
	for upstream, text := range map[catalog.Dialect]struct{ whole, stream string }{
		catalog.Chat: {
			`{"id":"c","choices":[{"index":0,"message":{"content":"hi"},"finish_reason":"stop"}],` + used + `}`,
			`data: {"id":"c","choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}` + "\n\n" +
				`data: {"choices":[],` + used + "}\n\ndata: [DONE]\n\n",
		},
		catalog.Responses: {
			`{"id":"r","status":"completed","output":[],` + used + `}`,
			`data: {"type":"response.completed","response":{"id":"r","status":"completed","output":[],` +
				used + "}}\n\n",
		},
	} {
		whole, stream := answer(catalog.Chat, decoders[upstream]()), answer(catalog.Responses, decoders[upstream]())
		if _, err := whole.Whole([]byte(text.whole)); err != nil || whole.StatedDetails() != want {
			t.Errorf("%s, whole: got %+v, %v, want %+v", upstream, whole.StatedDetails(), err, want)
		}
		if _, err := io.ReadAll(stream.Stream(strings.NewReader(text.stream), maxFrame)); err != nil ||
			stream.StatedDetails() != want {
			t.Errorf("%s, stream: got %+v, %v, want %+v", upstream, stream.StatedDetails(), err, want)
		}
	}
}
