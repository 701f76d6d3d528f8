package param

import (
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// The bounds of stop sequences. OpenAI documents the number. The length bounds the text that the relay holds back.
const (
	maxStops = 4
	maxStop  = 1024 // bytes
)

// CheckStop checks the stop sequences as OpenAI's API for chat completions does. Its problems have OpenAI's own
// codes. It must be called before the caller looks for the sequences itself, which costs time for each of them, and
// before they are sent to OpenAI.
func CheckStop(r *conversation.Request) error {
	field := r.NameOf(conversation.FieldStop)
	if n := len(r.Stop); n > maxStops {
		return wrongStop("array_above_max_length", field, "array too long. Expected an array with maximum length "+
			"%d, but got an array with length %d instead.", maxStops, n)
	}
	for i, sequence := range r.Stop {
		path := Element(field, i)
		if sequence == "" {
			return wrongStop("empty_string", path,
				"empty string. Expected a string with minimum length 1, but got an empty string instead.")
		}
		if n := len(sequence); n > maxStop {
			return wrongStop("string_above_max_length", path, "string too long. Expected a string with maximum "+
				"length %d, but got a string with length %d instead.", maxStop, n)
		}
	}
	return nil
}

// wrongStop returns the problem of a stop sequence with OpenAI's own code.
func wrongStop(code, path, format string, args ...any) error {
	p := problem.New(problem.InvalidType, "Invalid '"+path+"': "+format, args...).At(path)
	p.Code = code
	return p
}
