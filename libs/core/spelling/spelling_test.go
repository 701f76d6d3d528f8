package spelling_test

import (
	"testing"

	"github.com/tollgate/tollgate/libs/core/spelling"
)

func TestClosest_SuggestsNamesWithinATypingError(t *testing.T) {
	t.Parallel()
	names := []string{"base_url", "models", "model_id", "on_disconnect"}
	for _, row := range []struct{ condition, name, want string }{
		{"the name itself", "models", "models"},
		{"one substitution", "models_id", "model_id"},
		{"one insertion", "modells", "models"},
		{"one deletion", "base_ur", "base_url"},
		{"two edits of a long name", "on_disconect_", "on_disconnect"},
		{"two edits of a short name", "mdel", ""},
		{"an unrelated name", "priority", ""},
		{"no name", "", ""},
	} {
		if got := spelling.Closest(row.name, names); got != row.want {
			t.Errorf("%s: Closest(%q) = %q, want %q", row.condition, row.name, got, row.want)
		}
	}
	if got := spelling.Closest("x", nil); got != "" {
		t.Errorf("without candidates: %q", got)
	}
}
