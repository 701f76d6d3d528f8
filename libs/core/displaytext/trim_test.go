package displaytext

import (
	"slices"
	"testing"
)

func TestTrim_LeavesNoSpacesAtTheEnds(t *testing.T) {
	t.Parallel()
	given := []string{" a b\t", "c"}
	if got := Trim(given); !slices.Equal(got, []string{"a b", "c"}) {
		t.Errorf("got %q", got)
	}
	if given[0] != " a b\t" {
		t.Error("the given list was changed")
	}
	if Trim(nil) != nil {
		t.Error("got a list for nil")
	}
}
