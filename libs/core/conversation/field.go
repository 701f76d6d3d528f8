package conversation

import "github.com/tollgate/tollgate/libs/core/problem"

// Field is a field of a Request that not every upstream understands.
type Field uint8

// The fields, by what they are called in Request.
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

// names are those of a field in a chat and in a responses request. Where a
// form has none, its clients cannot have given the field.
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

// UnsupportedField returns the UnsupportedParameter problem of a field that the channel
// cannot serve, by the name that the client knows it under.
func (r *Request) UnsupportedField(f Field) *problem.Problem {
	return UnsupportedPath(names[f][r.Client])
}

// UnsupportedPath returns the problem of a part of the request, given by its path,
// that the channel cannot serve.
func UnsupportedPath(path string) *problem.Problem {
	return problem.New(problem.UnsupportedParameter, "Unsupported parameter: '%s' is not supported with this model.", path).At(path)
}

// CheckTranslatable refuses the first field that has no meaning outside of the
// client's own dialect.
func (r *Request) CheckTranslatable() error {
	if len(r.Untranslatable) > 0 {
		return UnsupportedPath(r.Untranslatable[0])
	}
	return nil
}
