package conversation

import "github.com/tollgate/tollgate/libs/core/problem"

// Field identifies a field of a Request that some upstreams do not support.
type Field uint8

// The fields, by their names in Request.
const (
	FieldFormat Field = iota
	fieldVerbosity
	FieldEffort
	fieldSummary
	FieldMaxOutput
	FieldTemperature
	FieldTopP
	fieldFrequencyPenalty
	fieldPresencePenalty
	fieldSeed
	FieldStop
	FieldTools
	FieldToolChoice
	fieldParallelCalls
	fieldTier
	fieldTruncation
	FieldTopK
	fieldUser
	fieldCacheKey
	fieldMetadata
	fieldStore
	fieldEncrypted
	fieldFormatDescription

	// Fields of a message, a part or a tool. They have no name of their own, see Lacking.
	fieldMessageName
	fieldImageDetail
	fieldPicture // a picture of an earlier answer
	fieldCacheControl
	fieldToolStrict
	fieldToolSyntax
)

// names holds the name of each field in a chat, a responses and a messages request, in the order of the
// ClientDialect constants. It is "" where the dialect has no such field; no client can have given it then.
var names = map[Field][3]string{
	FieldFormat:           {"response_format", "text.format", "output_config.format"},
	fieldVerbosity:        {"verbosity", "text.verbosity", ""},
	FieldEffort:           {"reasoning_effort", "reasoning.effort", "thinking"},
	fieldSummary:          {"", "reasoning.summary", "thinking.display"},
	FieldMaxOutput:        {"max_completion_tokens", "max_output_tokens", "max_tokens"},
	FieldTemperature:      {"temperature", "temperature", "temperature"},
	FieldTopP:             {"top_p", "top_p", "top_p"},
	fieldFrequencyPenalty: {"frequency_penalty", "frequency_penalty", ""},
	fieldPresencePenalty:  {"presence_penalty", "presence_penalty", ""},
	fieldSeed:             {"seed", "seed", ""},
	FieldStop:             {"stop", "stop", "stop_sequences"},
	FieldTools:            {"tools", "tools", "tools"},
	FieldToolChoice:       {"tool_choice", "tool_choice", "tool_choice"},
	fieldParallelCalls:    {"parallel_tool_calls", "parallel_tool_calls", "tool_choice.disable_parallel_tool_use"},
	fieldTier:             {"service_tier", "service_tier", "service_tier"},
	fieldTruncation:       {"", "truncation", ""},
	FieldTopK:             {"top_k", "", "top_k"},
	fieldCacheKey:         {"prompt_cache_key", "prompt_cache_key", ""},
	fieldMetadata:         {"metadata", "metadata", ""},
	fieldStore:            {"store", "store", ""},

	fieldFormatDescription: {"response_format.json_schema.description", "text.format.description", ""},
}

// UnsupportedField returns the UnsupportedParameter problem of a field that the channel cannot serve. The problem
// names the field as the client's dialect does.
func (r *Request) UnsupportedField(f Field) *problem.Problem {
	return UnsupportedPath(r.NameOf(f))
}

// NameOf returns the client's name of the field.
func (r *Request) NameOf(f Field) string {
	switch {
	case f == FieldEffort && r.Reasoning.Field != "":
		return r.Reasoning.Field
	case f == fieldUser:
		return r.UserField
	case f == fieldEncrypted:
		return r.Reasoning.EncryptedField
	}
	if name := r.FieldNames[f]; name != "" {
		return name
	}
	return names[f][r.Client]
}

// UnsupportedPath returns the UnsupportedParameter problem of a part of the request that the channel cannot serve.
// path is the path of that part in the client's body. The wording is OpenAI's own.
func UnsupportedPath(path string) *problem.Problem {
	return problem.New(problem.UnsupportedParameter, "Unsupported parameter: '%s' is not supported with this model.",
		path).At(path)
}

// CheckTranslatable returns the UnsupportedParameter problem of the first given field that only the client's own
// dialect has, or of its Modalities, or nil if there is none. Encoders of other dialects call it first; one whose model
// answers with pictures removes the Modalities before.
func (r *Request) CheckTranslatable() error {
	if len(r.Untranslatable) > 0 {
		return UnsupportedPath(r.Untranslatable[0])
	}
	if len(r.Modalities) > 0 {
		return UnsupportedPath("modalities")
	}
	return nil
}
