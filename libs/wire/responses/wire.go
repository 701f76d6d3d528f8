package responses

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// Strings of the API that are both read and written.
const (
	instructions     = "instructions"
	encryptedContent = "reasoning.encrypted_content"

	message          = "message"
	reasoning        = "reasoning"
	namespace        = "namespace"
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
func read(raw []byte, path string, into any) error {
	err := json.Unmarshal(raw, into, lenient)
	if err == nil {
		return nil
	}
	var wrong *json.SemanticError
	if !errors.As(err, &wrong) {
		return problem.Wrap(problem.InvalidJSON, err)
	}
	where := join(path, wrong.JSONPointer)
	if where == "" {
		return problem.New(problem.InvalidJSON, "The body must be a JSON object.")
	}
	return problem.New(problem.InvalidType, "Invalid type for '%s'.", where).At(where)
}

// join returns the path of a JSON pointer below path, in the form that clients know: input[0].role.
func join(path string, pointer jsontext.Pointer) string {
	var b strings.Builder
	b.WriteString(path)
	for token := range pointer.Tokens() {
		switch {
		case token != "" && strings.Trim(token, "0123456789") == "":
			b.WriteString("[" + token + "]")
			continue
		case b.Len() > 0:
			b.WriteByte('.')
		}
		b.WriteString(token)
	}
	return b.String()
}

// write marshals structs and values that were read before, which cannot fail.
func write(value any) jsontext.Value {
	raw, err := json.Marshal(value, lenient)
	if err != nil {
		return jsontext.Value("null")
	}
	return raw
}

// given reports whether a field was sent and is not null.
func given(raw jsontext.Value) bool { return len(raw) > 0 && raw.Kind() != 'n' }

// missing returns the problem of a required field that is absent.
func missing(param string) error {
	return problem.New(problem.MissingParameter, "Missing required parameter: '%s'.", param).At(param)
}

// wrongType returns the problem of a field with the wrong type. want is a phrase for the accepted types.
func wrongType(param, want string) error {
	return problem.New(problem.InvalidType, "Invalid type for '%s': expected %s.", param, want).At(param)
}
