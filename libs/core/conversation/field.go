package conversation

import "github.com/tollgate/tollgate/libs/core/problem"

// Field is a field of a Request that not every upstream supports.
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

// names has the name of each field in a chat and in a responses request. It is ""
// where the dialect has no such field, so that no client can have given it.
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

// UnsupportedField returns the UnsupportedParameter problem of a field that the
// channel cannot serve. It uses the name of the field in the client's dialect.
func (r *Request) UnsupportedField(f Field) *problem.Problem {
	return UnsupportedPath(names[f][r.Client])
}

// UnsupportedPath returns the UnsupportedParameter problem of a part of the
// request that the channel cannot serve, given by its path in the client's body.
func UnsupportedPath(path string) *problem.Problem {
	return problem.New(problem.UnsupportedParameter, "Unsupported parameter: '%s' is not supported with this model.", path).At(path)
}

// CheckTranslatable returns the UnsupportedParameter problem of the first field
// that only the client's own dialect has.
func (r *Request) CheckTranslatable() error {
	if len(r.Untranslatable) > 0 {
		return UnsupportedPath(r.Untranslatable[0])
	}
	return nil
}
