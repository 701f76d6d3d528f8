// Package thought knows which of Google's models want a thought signature with the calls of earlier turns, by their
// names, also behind a path such as google/gemini-3-flash. Both of Google's APIs refuse a call without one.
package thought

import "strings"

// NoSignature is the value that Google documents for a call that another model made, or whose signature was lost. It is
// valid for pictures, too.
const NoSignature = "skip_thought_signature_validator"

// WantsSignature reports whether a model refuses a step whose first call has no signature: each of the third and later
// generations does, and so do names without a number, such as gemini-pro-latest.
func WantsSignature(model string) bool {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	return strings.HasPrefix(name, "gemini-") && !strings.HasPrefix(name, "gemini-1") &&
		!strings.HasPrefix(name, "gemini-2")
}
