package e2e

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"

	"github.com/tollgate/tollgate/e2e/story"
	consoleclient "github.com/tollgate/tollgate/openapi/clients/go/console"
)

// sdk returns the official client, configured only with base URL and key.
func (w *testbed) sdk(token string, options ...option.RequestOption) openai.Client {
	return openai.NewClient(append([]option.RequestOption{option.WithBaseURL(w.Relay.URL + "/v1"),
		option.WithAPIKey(token)}, options...)...)
}

// hello returns a chat request whose answer reports 7 input tokens, 2 of them cached, and 13 output tokens, 3
// of them for reasoning.
func hello(model string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model: model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage("Be brief."),
			openai.UserMessage("Hello. usage:7/13/2/3")},
	}
}

const answerText = "Hello from the upstream, where every answer is the same."

func TestGoSDK_Chat(t *testing.T) {
	w := sharedTestbed(t)
	var response *http.Response
	client := w.sdk(acmeToken)
	got, err := client.Chat.Completions.New(story.Context(t), hello("gpt-4o-mini"), option.WithResponseInto(&response))
	if err != nil {
		t.Fatal(err)
	}
	if choice := got.Choices[0]; got.Object != "chat.completion" || choice.Message.Content != answerText ||
		choice.FinishReason != "stop" || choice.Message.Role != "assistant" {
		t.Errorf("got %s", got.RawJSON())
	}
	if u := got.Usage; u.PromptTokens != 7 || u.CompletionTokens != 13 || u.PromptTokensDetails.CachedTokens != 2 ||
		u.CompletionTokensDetails.ReasoningTokens != 3 {
		t.Errorf("got the usage %s", u.RawJSON())
	}
	want := bill(counts{7, 13, 2, 3}, "1")
	if got := response.Header.Get("X-Tollgate-Quota"); got != usd(want) {
		t.Errorf("got x-tollgate-quota %q, want %q", got, usd(want))
	}
	for _, name := range []string{"X-Request-Id", "Openai-Processing-Ms", "X-Tollgate-Channel"} {
		if response.Header.Get(name) == "" {
			t.Errorf("the answer has no header %s", name)
		}
	}
	if strings.Contains(strings.Join(response.Header.Values("X-Request-Id"), ","), "req_upstream") ||
		response.Header.Get("Openai-Organization") != "" {
		t.Errorf("the answer has headers of the upstream: %v", response.Header)
	}
	if row := w.awaitRow(t, "acme", response.Header.Get("X-Request-Id")); row !=
		(usageRow{"gpt-4o-mini", "success", want}) {
		t.Errorf("got the usage log %+v, want quota %d", row, want)
	}
}

func TestGoSDK_Stream(t *testing.T) {
	w := sharedTestbed(t)
	client := w.sdk(acmeToken)
	for _, tt := range []struct {
		name  string
		asked bool
	}{{"without usage", false}, {"with usage", true}} {
		t.Run(tt.name, func(t *testing.T) {
			params := hello("gpt-4o-mini")
			if tt.asked {
				params.StreamOptions.IncludeUsage = openai.Bool(true)
			}
			stream := client.Chat.Completions.NewStreaming(story.Context(t), params)
			defer stream.Close() //nolint:errcheck // read up to its end
			var all openai.ChatCompletionAccumulator
			var usages int
			for stream.Next() {
				chunk := stream.Current()
				if !all.AddChunk(chunk) {
					t.Fatalf("chunk does not fit: %s", chunk.RawJSON())
				}
				if chunk.JSON.Usage.Valid() {
					usages++
				}
				if !tt.asked && len(chunk.Choices) == 0 {
					t.Errorf("got a usage chunk that was not requested: %s", chunk.RawJSON())
				}
			}
			if err := stream.Err(); err != nil {
				t.Fatal(err)
			}
			if all.Choices[0].Message.Content != answerText || all.Choices[0].FinishReason != "stop" {
				t.Errorf("got %+v", all.Choices)
			}
			if want := map[bool]int{false: 0, true: 1}[tt.asked]; usages != want {
				t.Errorf("got %d chunks with usage, want %d", usages, want)
			}
			if tt.asked && (all.Usage.PromptTokens != 7 || all.Usage.CompletionTokens != 13) {
				t.Errorf("got the usage %+v", all.Usage)
			}
		})
	}
}

// TestGoSDK_StreamWhoseQuotaIsUsedUpEndsWithLength checks that a stream that uses up the quota looks to the
// client like a stream that reached its output limit.
func TestGoSDK_StreamWhoseQuotaIsUsedUpEndsWithLength(t *testing.T) {
	w := sharedTestbed(t)
	little := "0.001"
	made, err := w.signIn(t, victimOwner).
		CreateToken(story.Context(t), consoleclient.NewToken{Name: "little", Quota: &little})
	story.Must(t, made, err)
	client := w.sdk(made.JSON201.Value)
	params := hello("long-winded")
	params.StreamOptions.IncludeUsage = openai.Bool(true)
	var response *http.Response
	stream := client.Chat.Completions.NewStreaming(story.Context(t), params, option.WithResponseInto(&response))
	defer stream.Close() //nolint:errcheck // read up to its end
	var all openai.ChatCompletionAccumulator
	for stream.Next() {
		if chunk := stream.Current(); !all.AddChunk(chunk) {
			t.Fatalf("chunk does not fit: %s", chunk.RawJSON())
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	if len(all.Choices) != 1 || all.Choices[0].FinishReason != "length" ||
		len(all.Choices[0].Message.Content) < 1_024 || len(all.Choices[0].Message.Content) > 2_000 {
		t.Fatalf("got %+v", all.Choices)
	}
	if all.Usage.PromptTokens == 0 || all.Usage.CompletionTokens == 0 ||
		all.Usage.TotalTokens != all.Usage.PromptTokens+all.Usage.CompletionTokens {
		t.Errorf("got the usage %+v", all.Usage)
	}
	row := w.awaitRow(t, "victim", response.Header.Get("X-Request-Id"))
	if want := bill(counts{all.Usage.PromptTokens, all.Usage.CompletionTokens, 0, 0},
		"1"); row != (usageRow{"long-winded", "partial", want}) || row.quota > 1_000_000 {
		t.Errorf("got the usage log %+v, want quota %d", row, want)
	}
}

func TestGoSDK_Tools(t *testing.T) {
	w := sharedTestbed(t)
	client := w.sdk(acmeToken)
	params := hello("gpt-4o-mini")
	params.Tools =
		[]openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: "weather",
			Parameters: shared.FunctionParameters{"type": "object",
				"properties": map[string]any{"city": map[string]string{"type": "string"}}},
		})}
	got, err := client.Chat.Completions.New(story.Context(t), params)
	if err != nil {
		t.Fatal(err)
	}
	message := got.Choices[0].Message
	if len(message.ToolCalls) != 1 || message.ToolCalls[0].Function.Name != "weather" ||
		!strings.Contains(message.ToolCalls[0].Function.Arguments, "Paris") {
		t.Fatalf("got %s", got.RawJSON())
	}
	params.Messages = append(params.Messages, message.ToParam(),
		openai.ToolMessage("18 degrees", message.ToolCalls[0].ID))
	if got, err = client.Chat.Completions.New(story.Context(t), params); err != nil ||
		got.Choices[0].Message.Content != answerText {
		t.Errorf("after the tool result: got %v, %v", got, err)
	}

	params.Messages = params.Messages[:2]
	stream := client.Chat.Completions.NewStreaming(story.Context(t), params)
	var all openai.ChatCompletionAccumulator
	for stream.Next() {
		all.AddChunk(stream.Current())
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	if calls := all.Choices[0].Message.ToolCalls; len(calls) != 1 || !json.Valid([]byte(calls[0].Function.Arguments)) {
		t.Errorf("stream: got the tool calls %+v", calls)
	}
}

func TestGoSDK_StructuredOutput(t *testing.T) {
	w := sharedTestbed(t)
	client := w.sdk(acmeToken)
	params := hello("gpt-4o-mini")
	params.ResponseFormat.OfJSONSchema =
		&shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
			Name: "answer", Strict: openai.Bool(true), Schema: map[string]any{
				"type": "object", "properties": map[string]any{"answer": map[string]string{"type": "integer"}},
				"required": []string{"answer"}, "additionalProperties": false,
			},
		}}
	got, err := client.Chat.Completions.New(story.Context(t), params)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Answer int }
	if err := json.Unmarshal([]byte(got.Choices[0].Message.Content), &answer); err != nil || answer.Answer != 42 {
		t.Errorf("got %q: %v", got.Choices[0].Message.Content, err)
	}
}

func TestGoSDK_MultimodalPartsAndN(t *testing.T) {
	w := sharedTestbed(t)
	client := w.sdk(acmeToken)
	const image = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAA" +
		"DUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	got, err := client.Chat.Completions.New(story.Context(t), openai.ChatCompletionNewParams{
		Model: "gpt-4o-mini", N: openai.Int(3),
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(
			[]openai.ChatCompletionContentPartUnionParam{
				openai.TextContentPart("What is this marker-multimodal?"),
				openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: image, Detail: "low"}),
			})},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Choices) != 3 || got.Choices[2].Index != 2 {
		t.Errorf("got %s", got.RawJSON())
	}
	if sent, ok := w.upstream.Find(t, "marker-multimodal"); !ok || !strings.Contains(string(sent.Body), image) {
		t.Error("the image did not reach the upstream")
	}
}

func TestGoSDK_Models(t *testing.T) {
	w := sharedTestbed(t)
	client := w.sdk(acmeToken)
	page, err := client.Models.List(story.Context(t))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, m := range page.Data {
		ids = append(ids, m.ID)
		if m.Object != "model" || m.OwnedBy != "acme" {
			t.Errorf("got the model %s", m.RawJSON())
		}
	}
	var want []string
	for _, o := range offers() {
		want = append(want, o.model)
	}
	slices.Sort(want)
	slices.Sort(ids)
	if !slices.Equal(ids, want) {
		t.Errorf("got the models %v, want %v", ids, want)
	}
	for _, id := range []string{"gpt-4o-mini", "acme/llama-3:70b"} {
		if m, err := client.Models.Get(story.Context(t), id); err != nil || m.ID != id {
			t.Errorf("model %s: got %v, %v", id, m, err)
		}
	}
	for whose, token := range map[string]string{"a token for one model": narrowToken,
		"a group for one model": groupedToken} {
		narrow := w.sdk(token)
		page, err := narrow.Models.List(story.Context(t))
		if err != nil || len(page.Data) != 1 || page.Data[0].ID != "gpt-4o-mini" {
			t.Errorf("models of %s: got %+v, %v", whose, page, err)
		}
		if _, err := narrow.Models.Get(story.Context(t), "acme/llama-3:70b"); status(err) != http.StatusNotFound {
			t.Errorf("another model for %s: got %v, want 404", whose, err)
		}
	}
	if got, err := client.Chat.Completions.New(story.Context(t), hello("acme/llama-3:70b")); err != nil ||
		got.Choices[0].Message.Content != answerText {
		t.Errorf("chat with a slash in the model id: got %v, %v", got, err)
	}
}

// status returns the HTTP status of an error of the SDK, 0 for other errors.
func status(err error) int {
	var failed *openai.Error
	if errors.As(err, &failed) {
		return failed.StatusCode
	}
	return 0
}

func TestGoSDK_Errors(t *testing.T) {
	w := sharedTestbed(t)
	tests := []struct {
		name, token, model string
		status             int
		kind, code, param  string
		retry              string
	}{
		{"unknown token", "nobody-knows-this-token-1", "gpt-4o-mini", 401, "invalid_request_error",
			"invalid_api_key", "", "false"},
		{"damaged token", "sk-tg-abc", "gpt-4o-mini", 401, "invalid_request_error", "invalid_api_key", "", "false"},
		{"unknown model", acmeToken, "gpt-99", 404, "invalid_request_error", "model_not_found", "model", "false"},
		{"model not permitted for the token", narrowToken, "flat-model", 404, "invalid_request_error",
			"model_not_found", "model", "false"},
		{"model not permitted for the group", groupedToken, "flat-model", 404, "invalid_request_error",
			"model_not_found", "model", "false"},
		{"no quota", brokeToken, "gpt-4o-mini", 429, "insufficient_quota", "insufficient_quota", "", "false"},
		{"upstream failed", acmeToken, "only-500", 502, "upstream_error", "upstream_error", "", "true"},
		{"upstream refuses the channel's key", acmeToken, "only-401", 502, "upstream_error",
			"upstream_error", "", "true"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client := w.sdk(tt.token, option.WithMaxRetries(0))
			_, err := client.Chat.Completions.New(story.Context(t), hello(tt.model))
			var got *openai.Error
			if !errors.As(err, &got) {
				t.Fatalf("got %v, want an error of the API", err)
			}
			if got.StatusCode != tt.status || got.Type != tt.kind || got.Code != tt.code || got.Param != tt.param ||
				got.Message == "" {
				t.Errorf("got %d %s, want %+v", got.StatusCode, got.RawJSON(), tt)
			}
			if h := got.Response.Header; h.Get("X-Request-Id") == "" || h.Get("X-Should-Retry") != tt.retry {
				t.Errorf("got x-request-id %q, x-should-retry %q, want %q", h.Get("X-Request-Id"),
					h.Get("X-Should-Retry"), tt.retry)
			}
		})
	}
}

func TestGoSDK_RetriesWhenTheRelayAllowsIt(t *testing.T) {
	w := sharedTestbed(t)
	client := w.sdk(acmeToken, option.WithMaxRetries(3))
	before := w.upstream.Of(t, "bad").Requests
	if _, err := client.Chat.Completions.New(story.Context(t), hello("only-503")); status(err) !=
		http.StatusBadGateway {
		t.Errorf("got %v", err)
	}
	if sent := w.upstream.Of(t, "bad").Requests - before; sent != 4 {
		t.Errorf("the upstream received %d requests, want 1 and 3 retries", sent)
	}
}

// TestGoSDK_RepeatsAStreamWithItsKey checks that the same stream is sent again, and charged once.
func TestGoSDK_RepeatsAStreamWithItsKey(t *testing.T) {
	w := sharedTestbed(t)
	client, key := w.sdk(acmeToken), option.WithHeader("Idempotency-Key", uuid.NewString())
	var texts [2]string
	var responses [2]*http.Response
	for i := range texts {
		stream := client.Chat.Completions.NewStreaming(story.Context(t), hello("gpt-4o-mini"), key,
			option.WithResponseInto(&responses[i]))
		for stream.Next() {
			texts[i] += stream.Current().RawJSON()
		}
		if err := stream.Err(); err != nil {
			t.Fatal(err)
		}
	}
	if texts[0] == "" || texts[1] != texts[0] || responses[1].Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("got %q and then %q with %v, want the same stream, replayed", texts[0], texts[1], responses[1].Header)
	}
	w.awaitRow(t, "acme", responses[0].Header.Get("X-Request-Id"))
	if n := w.query(t, "SELECT count(*) FROM usage_logs WHERE id = $1", responses[1].Header.Get("X-Request-Id")); n !=
		0 {
		t.Errorf("got %d usage logs of the replayed call, want none", n)
	}
}
