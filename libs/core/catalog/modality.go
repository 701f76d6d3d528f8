package catalog

import (
	"slices"
	"strings"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// Modality is a kind of content that a model reads or writes.
type Modality string

// modalities lists the known modalities.
var modalities = [...]Modality{"text", "image", "audio", "video", "file"}

// Modalities lists the kinds of content of a model. An empty list means that they are not known.
type Modalities struct {
	Input  []Modality
	Output []Modality
}

// Known reports whether any modality is known.
func (m *Modalities) Known() bool { return len(m.Input)+len(m.Output) > 0 }

// MaxTokens is the greatest number of tokens of the context of a model, and of its output.
const MaxTokens = 1_000_000_000

// CheckContextLength returns an InvalidType problem unless the context length is 0, for not known, to MaxTokens.
func CheckContextLength(tokens int64) error {
	if tokens < 0 || tokens > MaxTokens {
		return problem.New(problem.InvalidType, "context_length must be 0 to %d", MaxTokens).At("context_length")
	}
	return nil
}

// CheckModalities returns an InvalidType problem at the field unless each modality is known and named once.
func CheckModalities(field string, list []Modality) error {
	for i, modality := range list {
		if !slices.Contains(modalities[:], modality) || slices.Contains(list[:i], modality) {
			words := make([]string, len(modalities))
			for i, m := range modalities {
				words[i] = string(m)
			}
			return problem.New(problem.InvalidType, "%s must name each of these at most once: %s", field,
				strings.Join(words, ", ")).At(field)
		}
	}
	return nil
}
