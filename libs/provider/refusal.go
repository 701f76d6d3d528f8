package provider

import (
	"bytes"
	"net/http"

	"github.com/tollgate/tollgate/libs/core/catalog"
)

// refusals holds, by dialect of the upstream, the texts and codes by which an error response says that the client's own
// request is at fault: it would be as wrong in any dialect. They are in lower case. Read on 2026-11-28 in the
// providers' documents and in the sources of servers that speak the dialect.
var refusals = map[catalog.Dialect][]string{
	// https://platform.openai.com/docs/guides/error-codes, the enum of ResponseError in openai-node, vLLM, SGLang,
	// llama.cpp, DeepSeek, Alibaba.
	catalog.Chat: openAIRefusals, catalog.Responses: openAIRefusals,
	// https://docs.claude.com/en/api/errors, https://docs.claude.com/en/docs/build-with-claude/vision and /pdf-support.
	catalog.Messages: {
		"prompt is too long", "exceed context limit", "context window", "which is the maximum allowed",
		"request_too_large",
		"content filtering policy", "usage policy",
		"could not process image", "could not process pdf", "image exceeds", "image dimensions exceed",
		"image does not match",
		"invalid base64", "pdf specified", "pdf pages", "password protected", "unable to download",
		"error while downloading",
	},
	// https://ai.google.dev/gemini-api/docs/troubleshooting,
	// https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/api-errors.
	catalog.Gemini: {
		"input token count", "exceeds the maximum number of tokens", "payload size exceeds",
		"unable to process input", "provided image is not valid", "image is not valid", "cannot fetch content",
		"base64 decoding failed",
		"unsupported mime type", "document has no pages", "page limit", "prohibited_content",
		"but the supported range is",
	},
}

var openAIRefusals = []string{
	`"context_length_exceeded"`, "maximum context length", "context length", "context size", "context window",
	"too many tokens",
	`"string_above_max_length"`, "input is too long", "prompt is too long", "reduce the length",
	`"integer_above_max_value"`, `"integer_below_min_value"`, `"decimal_above_max_value"`, `"decimal_below_min_value"`,
	`"array_above_max_length"`,
	`"unsupported_value"`, "max_tokens is too large", "max_completion_tokens is too large",
	"valid range of max_tokens", "range of max_tokens should be", "range of input length should be",
	`"content_policy_violation"`, `"content_filter"`, `"moderation_blocked"`, `"invalid_prompt"`, `"cyber_policy"`,
	"content management policy", "usage policy",
	`"invalid_image`, `"image_`, `"unsupported_image`, `"unsupported_file`, `"invalid_file`, `"empty_image_file"`,
	`"failed_to_download_image"`, `"invalid_base64`, "unsupported image", "error while downloading",
	"failed to download", "cannot identify image",
	`"invalid_json_schema"`, `"invalid_function_parameters"`, "invalid schema",
}

// RefusesClient reports whether an error response to a translated call says that the client's own request is at fault.
// Of any other refusal the translation is the cause: the upstream refuses a body that the client never wrote. dialect
// is that of the body that the upstream got.
func RefusesClient(dialect catalog.Dialect, status int, body []byte) bool {
	if status == http.StatusRequestEntityTooLarge {
		return true
	}
	body = bytes.ToLower(body)
	for _, text := range refusals[dialect] {
		if bytes.Contains(body, []byte(text)) {
			return true
		}
	}
	return false
}
