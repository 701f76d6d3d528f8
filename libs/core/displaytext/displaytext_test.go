package displaytext_test

import (
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/displaytext"
)

func TestIsName_RefusesWhatChangesTheTextAroundIt(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"Acme, Inc.": true, "Ä": true, "שלום": true, "می\u200cخواهم": true, "👩\u200d💻 team": true,
		strings.Repeat("ü", 200): true,
		"":                       false, " ": false, " a": false, "a ": false, "\u00a0a": false, "\u200d": false,
		strings.Repeat("a", 201): false,
		"a\x00b":                 false, "a\nb": false, "a\x7fb": false, "a\u0085b": false, "a\xffb": false,
		"a\u202egpj.exe": false, "a\u202ab": false, "a\u2066b\u2069": false, "a\u200eb": false, "a\u061cb": false,
		"a\u2028b": false, "a\u2029b": false, "a\u200bb": false, "\ufeffa": false, "a\u00adb": false,
		"a\U000e0041b": false,
		"\u3164":       false, "a\u3164": false, "\u115f": false, "\uffa0": false, "\u2800": false, "\ufe0f": false,
		"❤\ufe0f": true,
	} {
		if got := displaytext.IsName(name, 200); got != want {
			t.Errorf("IsName(%q) = %v, want %v", name, got, want)
		}
	}
}
