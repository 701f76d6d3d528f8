package rawjson_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// The pieces are characters of each length at the ends of their ranges, and bytes that are not valid.
func TestValidUTF8_AgreesWithTheStandardLibrary(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"a", "\x7f", "\u0080", "\u07ff", "\u0800", "\u1000", "\ucfff", "\ud000", "\ud7ff", "\ue000", "\uffff",
		"\U00010000", "\U0010ffff", "中", "abcdefgh",
		"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xe0\x9f\xbf", "\xe0\xa0", "\xed\xa0\x80", "\xef\xbf",
		"\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5", "\xff",
	}
	for _, first := range pieces {
		for _, second := range pieces {
			for _, third := range pieces {
				for _, after := range []string{"", "a", strings.Repeat("a", 40), "中中中"} {
					text := []byte(first + second + third + after)
					if got, want := rawjson.ValidUTF8(text), utf8.Valid(text); got != want {
						t.Fatalf("%q: got %t, want %t", text, got, want)
					}
				}
			}
		}
	}
}

func FuzzValidUTF8(f *testing.F) {
	for _, seed := range []string{"", "plain text that is longer than a word", "中文和 English", "дом\xd0",
		"\xed\xa0\x80中中", "😀😀é"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if got, want := rawjson.ValidUTF8(text), utf8.Valid(text); got != want {
			t.Fatalf("%q: got %t, want %t", text, got, want)
		}
	})
}
