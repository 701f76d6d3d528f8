// Package displaytext decides which text a person may choose as a name: the name of a tenant, a token, a channel, a
// group, a model's owner, a passkey or an access key. Names appear in pages, mails and logs of other people, so a name
// must not change how the text around it reads.
package displaytext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// joiners are the format characters that scripts and emoji need within a word: the zero-width non-joiner and joiner.
const joiners = "\u200c\u200d"

// blank is a character that Unicode counts as a symbol, and that has no dots: a pattern of Braille.
const blank = '\u2800'

// Valid reports whether the text is valid UTF-8 without characters that do not print or that change the text around
// them: control characters, separators of lines and paragraphs, fillers, and format characters, among them those that
// change the direction of text. Two format characters are allowed, the zero-width joiner and non-joiner.
func Valid(text string) bool {
	if !utf8.ValidString(text) {
		return false
	}
	for _, r := range text {
		if r == blank || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp,
			unicode.Other_Default_Ignorable_Code_Point) && !isJoiner(r) {
			return false
		}
	}
	return true
}

// IsVisible reports whether the text is plain and each of its characters is seen: it has neither joiners nor selectors
// of variants. Two such texts that look alike may still have letters of different scripts.
func IsVisible(text string) bool {
	return Valid(text) && !strings.ContainsFunc(text,
		func(r rune) bool { return isJoiner(r) || unicode.Is(unicode.Variation_Selector, r) })
}

func isJoiner(r rune) bool {
	for _, joiner := range joiners {
		if r == joiner {
			return true
		}
	}
	return false
}

// IsName reports whether the text is plain and has 1 to longest characters, the first and the last of which print.
func IsName(text string, longest int) bool {
	if text == "" || utf8.RuneCountInString(text) > longest || !Valid(text) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	return !unicode.IsSpace(first) && !isJoiner(first) && !unicode.Is(unicode.Variation_Selector, first) &&
		!unicode.IsSpace(last)
}
