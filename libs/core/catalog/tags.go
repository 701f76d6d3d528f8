package catalog

import (
	"fmt"
	"slices"

	"github.com/tollgate/tollgate/libs/core/displaytext"
	"github.com/tollgate/tollgate/libs/core/problem"
)

const (
	maxTags = 10 // tags of a channel
	maxTag  = 40 // characters of a tag
)

// checkTags returns an InvalidType problem that names the first tag that is malformed or in the list more than once, or
// the field tags if there are too many. It returns nil if there is none.
func checkTags(tags []string) error {
	if len(tags) > maxTags {
		return problem.New(problem.InvalidType, "a channel can have at most %d tags", maxTags).At("tags")
	}
	for i, tag := range tags {
		at := fmt.Sprintf("tags[%d]", i)
		if !displaytext.IsName(tag, maxTag) {
			return problem.New(problem.InvalidType,
				"a tag must have 1 to %d characters, no control characters, and no spaces at its ends", maxTag).At(at)
		}
		if slices.Contains(tags[:i], tag) {
			return problem.New(problem.InvalidType, "the tag %q is in the list more than once", tag).At(at)
		}
	}
	return nil
}
