package conversation

import "github.com/tollgate/tollgate/libs/core/problem"

// Field identifies a field of a Request that some upstreams do not support.
type Field uint8

// The fields, by their names in Request.
const (
	FieldFormat Field = iota
	FieldVerbosity
	FieldEffort
	FieldSummary
	FieldMaxOutput
	FieldTemperature
	FieldTopP
	FieldFrequencyPenalty
	FieldPresencePenalty
	FieldSeed
	FieldStop
	FieldTools
	FieldToolChoice
	FieldParallelCalls
	FieldTier
	FieldTruncation
)

// names holds the name of each field in a chat request and in a responses request, in the order of the
// ClientDialect constants. It is "" where the dialect has no such field; no client can have given it then.
var names = map[Field][2]string{
	FieldFormat:           {"response_format", "text.format"},
	FieldVerbosity:        {"verbosity", "text.verbosity"},
	FieldEffort:           {"reasoning_effort", "reasoning.effort"},
	FieldSummary:          {"", "reasoning.summary"},
	FieldMaxOutput:        {"max_completion_tokens", "max_output_tokens"},
	FieldTemperature:      {"temperature", "temperature"},
	FieldTopP:             {"top_p", "top_p"},
	FieldFrequencyPenalty: {"frequency_penalty", "frequency_penalty"},
	FieldPresencePenalty:  {"presence_penalty", "presence_penalty"},
	FieldSeed:             {"seed", "seed"},
	FieldStop:             {"stop", "stop"},
	FieldTools:            {"tools", "tools"},
	FieldToolChoice:       {"tool_choice", "tool_choice"},
	FieldParallelCalls:    {"parallel_tool_calls", "parallel_tool_calls"},
	FieldTier:             {"service_tier", "service_tier"},
	FieldTruncation:       {"", "truncation"},
}

// UnsupportedField returns the UnsupportedParameter problem of a field that the channel cannot serve. The problem
// names the field as the client's dialect does.
func (r *Request) UnsupportedField(f Field) *problem.Problem {
	return UnsupportedPath(names[f][r.Client])
}

// UnsupportedPath returns the UnsupportedParameter problem of a part of the request that the channel cannot serve.
// path is the path of that part in the client's body. The wording is OpenAI's own.
func UnsupportedPath(path string) *problem.Problem {
	return problem.New(problem.UnsupportedParameter, "Unsupported parameter: '%s' is not supported with this model.", path).At(path)
}

// CheckTranslatable returns the UnsupportedParameter problem of the first given field that only the client's own
// dialect has, or nil if there is none. Encoders of other dialects call it first.
func (r *Request) CheckTranslatable() error {
	if len(r.Untranslatable) > 0 {
		return UnsupportedPath(r.Untranslatable[0])
	}
	return nil
}
