package responses

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/wire/param"
)

// Strings of the API that are both read and written.
const (
	instructions     = "instructions"
	encryptedContent = "reasoning.encrypted_content"

	message          = "message"
	reasoning        = "reasoning"
	namespace        = "namespace"
	pictureCall      = "image_generation_call"
	functionCall     = "function_call"
	functionOutput   = "function_call_output"
	customCall       = "custom_tool_call"
	customOutput     = "custom_tool_call_output"
	inputText        = "input_text"
	inputImage       = "input_image"
	inputFile        = "input_file"
	outputText       = "output_text"
	refusal          = "refusal"
	summaryText      = "summary_text"
	function, custom = "function", "custom"
	allowedTools     = "allowed_tools"

	completed  = "completed"
	incomplete = "incomplete"
	failed     = "failed"
	inProgress = "in_progress"

	reasonLength   = "max_output_tokens"
	reasonFiltered = "content_filter"
)

// lenient accepts lone surrogates, which JavaScript clients make when they cut a string. They become U+FFFD.
var lenient = jsontext.AllowInvalidUTF8(true)

// read reads the value at path of a request. Errors are problems that name the field.
func read(raw []byte, path string, target any) error {
	if err := json.Unmarshal(raw, target, lenient); err != nil {
		return param.Problem(err, path)
	}
	return nil
}

// write marshals structs and values that were read before, which cannot fail.
func write(value any) jsontext.Value {
	raw, err := json.Marshal(value, lenient)
	if err != nil {
		return jsontext.Value("null")
	}
	return raw
}
