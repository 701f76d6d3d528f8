package charge_test

import (
	"slices"
	"testing"

	"github.com/tollgate/tollgate/libs/core/charge"
)

func TestKinds_KeepTheirNumbersAndNames(t *testing.T) {
	want := []string{
		"service_tier", "web_search", "file_search", "code_interpreter", "image_generation", "other_tool",
		"image_output", "audio_output", "cache_write_1h",
	}
	for number, name := range want {
		if got := charge.Kind(number).String(); got != name {
			t.Errorf("kind %d: got %s, want %s: stored sets depend on the numbers", number, got, name)
		}
	}
	if got := charge.Kind(len(want)).String(); got != "unknown" {
		t.Errorf("a later kind: got %s", got)
	}
	set := charge.Kinds(0).With(charge.CacheWrite1h).With(charge.WebSearch).With(charge.WebSearch) | 1<<40
	if got := slices.Collect(set.All()); !slices.Equal(got, []charge.Kind{charge.WebSearch, charge.CacheWrite1h}) {
		t.Errorf("got %v", got)
	}
}
