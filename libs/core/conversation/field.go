package conversation

import "github.com/tollgate/tollgate/libs/core/problem"

// Field is a field of a Request that not every upstream understands.
type Field uint8

// The fields, by what they are called in Request.
const (
	FormatField Field = iota
	VerbosityField
	EffortField
	SummaryField
	MaxOutputField
	TemperatureField
	TopPField
	FrequencyPenaltyField
	PresencePenaltyField
	SeedField
	StopField
	ToolsField
	ToolChoiceField
	ParallelCallsField
	TierField
	TruncationField
)

// names are those of a field in a chat and in a responses request. Where a
// form has none, its clients cannot have given the field.
var names = map[Field][2]string{
	FormatField:           {"response_format", "text.format"},
	VerbosityField:        {"verbosity", "text.verbosity"},
	EffortField:           {"reasoning_effort", "reasoning.effort"},
	SummaryField:          {"", "reasoning.summary"},
	MaxOutputField:        {"max_completion_tokens", "max_output_tokens"},
	TemperatureField:      {"temperature", "temperature"},
	TopPField:             {"top_p", "top_p"},
	FrequencyPenaltyField: {"frequency_penalty", "frequency_penalty"},
	PresencePenaltyField:  {"presence_penalty", "presence_penalty"},
	SeedField:             {"seed", "seed"},
	StopField:             {"stop", "stop"},
	ToolsField:            {"tools", "tools"},
	ToolChoiceField:       {"tool_choice", "tool_choice"},
	ParallelCallsField:    {"parallel_tool_calls", "parallel_tool_calls"},
	TierField:             {"service_tier", "service_tier"},
	TruncationField:       {"", "truncation"},
}

// Refuse returns the UnsupportedParameter problem of a field that the channel
// cannot serve, by the name that the client knows it under.
func (r *Request) Refuse(f Field) *problem.Problem { return Unsupported(names[f][r.Form]) }

// Unsupported returns the problem of a part of the request, given by its path,
// that the channel cannot serve.
func Unsupported(path string) *problem.Problem {
	return problem.New(problem.UnsupportedParameter, "Unsupported parameter: '%s' is not supported with this model.", path).At(path)
}

// CheckBeyond refuses the first field that has no meaning outside of the
// client's own dialect.
func (r *Request) CheckBeyond() error {
	if len(r.Beyond) > 0 {
		return Unsupported(r.Beyond[0])
	}
	return nil
}
