package routing

import (
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// Needs are the features that a call asks for.
type Needs struct {
	Stream           bool
	Tools            bool
	Vision           bool
	StructuredOutput bool
}

// lacking returns the reason to drop a channel that lacks the features, Eligible
// if the call needs none of them.
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

// field names what asks for the feature in a request of the dialect, "" for
// reasons that are no lack.
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

// Refuse returns the problem of a plan in which nothing is usable:
// UnsupportedParameter, with the field, where every channel lacks a feature
// that the call needs, and NoChannel otherwise.
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
