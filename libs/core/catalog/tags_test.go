package catalog

import (
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/problem"
)

func TestCheckTags_NamesTheFirstWrongTag(t *testing.T) {
	t.Parallel()
	eleven := strings.Split("a b c d e f g h i j k", " ")
	for _, row := range []struct {
		name, at string
		tags     []string
	}{
		{"no tags", "", nil},
		{"ten tags", "", eleven[:10]},
		{"forty characters, some of which are many bytes", "", []string{strings.Repeat("渠", 40)}},
		{"words", "", []string{"eu west", "Staging", "staging"}},
		{"eleven tags", "tags", eleven},
		{"an empty tag", "tags[1]", []string{"a", ""}},
		{"a tag that is too long", "tags[0]", []string{strings.Repeat("a", 41)}},
		{"a space at the end", "tags[1]", []string{"a", "b "}},
		{"a control character", "tags[0]", []string{"a\nb"}},
		{"text that is not UTF-8", "tags[0]", []string{"a\xff"}},
		{"a tag twice", "tags[2]", []string{"a", "b", "a"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			err := checkTags(row.tags)
			if row.at == "" && err != nil {
				t.Fatalf("got %v, want no problem", err)
			}
			if row.at == "" {
				return
			}
			if p := problem.From(err); err == nil || p.Kind != problem.InvalidType || p.Param != row.at {
				t.Errorf("got %v, want an invalid %s", err, row.at)
			}
		})
	}
}
