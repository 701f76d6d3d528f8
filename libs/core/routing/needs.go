package routing

import (
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// Needs are the features that a call needs and that some channels lack.
type Needs struct {
	Stream           bool
	Tools            bool
	Vision           bool
	StructuredOutput bool
}

// lacking returns the reason to drop a channel that lacks the given features: that of the first feature that the call
// needs, or Eligible if it needs none of them.
func (n Needs) lacking(features []catalog.Feature) Reason {
	for _, feature := range features {
		switch {
		case feature == catalog.Streaming && n.Stream:
			return LacksStream
		case feature == catalog.ToolCalling && n.Tools:
			return LacksTools
		case feature == catalog.Vision && n.Vision:
			return LacksVision
		case feature == catalog.StructuredOutput && n.StructuredOutput:
			return LacksStructuredOutput
		}
	}
	return Eligible
}

// field returns the field by which a request of the dialect asks for the missing feature. It returns "" for reasons
// that are not about a missing feature.
func (r Reason) field(dialect catalog.Dialect) string {
	responses := dialect == catalog.Responses
	switch {
	case r == LacksStream:
		return "stream"
	case r == LacksTools:
		return "tools"
	case r == LacksVision && responses:
		return "input"
	case r == LacksVision:
		return "messages"
	case r == LacksStructuredOutput && responses:
		return "text.format"
	case r == LacksStructuredOutput:
		return "response_format"
	}
	return ""
}

// Refuse returns the problem for a plan without a usable channel. If every channel lacks a feature that the call needs,
// it is an UnsupportedParameter problem, which the client can fix, with the field that the first channel lacks.
// Otherwise it is a NoChannel problem.
func Refuse(plan []Candidate, dialect catalog.Dialect) *problem.Problem {
	var field string
	for _, candidate := range plan {
		if field = candidate.Reason.field(dialect); field == "" {
			break
		}
	}
	if field == "" {
		return problem.Of(problem.NoChannel)
	}
	return conversation.UnsupportedPath(plan[0].Reason.field(dialect))
}
