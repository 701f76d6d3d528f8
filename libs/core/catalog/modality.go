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

// maxTokens is the greatest number of tokens of the context of a model, and of its output.
const maxTokens = 1_000_000_000

// CheckTokens returns an InvalidType problem at the field unless a model's length of the context or of the output is 0,
// for not known, to maxTokens.
func CheckTokens(field string, tokens int64) error {
	if tokens < 0 || tokens > maxTokens {
		return problem.New(problem.InvalidType, "%s must be 0 to %d", field, maxTokens).At(field)
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
