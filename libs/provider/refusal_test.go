package provider_test

import (
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/provider"
)

func TestRefusesClient_KnowsTheRefusalsOfEachDialect(t *testing.T) {
	for _, row := range []struct {
		dialect catalog.Dialect
		status  int
		body    string
		want    bool
	}{
		{catalog.Chat, 400,
			`{"error":{"message":"This model's maximum context length is 128000 tokens.","code":"context_length_exceeded"}}`, true},
		// vLLM
		{catalog.Chat, 400,
			`{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens","type":"BadRequestError","code":400}`, true},
		// llama.cpp
		{catalog.Chat, 400,
			`{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`, true},
		{catalog.Chat, 400,
			`{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","code":"content_filter"}}`, true},
		{catalog.Responses, 400,
			`{"error":{"message":"Invalid prompt: your prompt was flagged","code":"invalid_prompt"}}`, true},
		{catalog.Responses, 400,
			`{"error":{"message":"The image data you provided does not represent a valid image.","code":"invalid_image"}}`, true},
		{catalog.Chat, 413, ``, true},
		{catalog.Responses, 400,
			`{"error":{"message":"Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 129 instead.","param":"tools","code":"array_above_max_length"}}`, true},
		// DeepSeek
		{catalog.Chat, 400,
			`{"error":{"message":"Invalid max_tokens value, the valid range of max_tokens is [1, 8192]","type":"invalid_request_error","code":"invalid_request_error"}}`, true},
		// Alibaba
		{catalog.Chat, 400,
			`{"error":{"message":"<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]","code":"invalid_parameter_error"}}`, true},
		{catalog.Chat, 400,
			`{"error":{"message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]","code":"invalid_parameter_error"}}`, true},
		{catalog.Chat, 400, `{"error":{"message":"Unknown parameter: 'messages[0].id'.","code":"unknown_parameter"}}`,
			false},
		{catalog.Chat, 400,
			`{"error":{"message":"Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.","code":null}}`, false},
		{catalog.Chat, 422, `{"detail":[{"loc":["body","messages"],"msg":"field required"}]}`, false},
		{catalog.Messages, 400,
			`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"}}`, true},
		{catalog.Messages, 400,
			`{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: 99999 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5"}}`, true},
		{catalog.Messages, 400,
			`{"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}`, true},
		{catalog.Messages, 400,
			`{"type":"error","error":{"type":"invalid_request_error","message":"messages.0.content.0.image.source.base64: Could not process image"}}`, true},
		{catalog.Messages, 400,
			`{"type":"error","error":{"type":"invalid_request_error","message":"messages: text content blocks must contain non-whitespace text"}}`, false},
		{catalog.Messages, 400,
			`{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: must be greater than thinking.budget_tokens"}}`, false},
		{catalog.Gemini, 400,
			`{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`, true},
		{catalog.Gemini, 400,
			`{"error":{"code":400,"message":"Unable to process input image. Please retry or report","status":"INVALID_ARGUMENT"}}`, true},
		{catalog.Gemini, 400,
			`{"error":{"code":400,"message":"Unable to submit request because it has a maxOutputTokens value of 99999 but the supported range is from 1 (inclusive) to 65537 (exclusive). Update the value and try again.","status":"INVALID_ARGUMENT"}}`, true},
		{catalog.Gemini, 400,
			`{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"id\" at 'contents[1].parts[0].function_call'","status":"INVALID_ARGUMENT"}}`, false},
	} {
		if got := provider.RefusesClient(row.dialect, row.status, []byte(row.body)); got != row.want {
			t.Errorf("%s %d %s: got %v, want %v", row.dialect, row.status, row.body, got, row.want)
		}
	}
}
