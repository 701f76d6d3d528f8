package displaytext

import (
	"slices"
	"strings"
)

// Trim returns the texts without white space at their ends, in a new list. The result of nil is nil.
func Trim(texts []string) []string {
	trimmed := slices.Clone(texts)
	for i, text := range trimmed {
		trimmed[i] = strings.TrimSpace(text)
	}
	return trimmed
}
