// Package spreadsheet writes text for files that people open in a spreadsheet.
package spreadsheet

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Begin is the text with which a CSV file begins: the byte order mark. Without it, Excel reads UTF-8 in the character
// set of the country.
const Begin = "\uFEFF"

// formulas are the characters with which spreadsheets begin a formula, as ASCII and as full-width characters.
const formulas = "=+-@\uFF1D\uFF0B\uFF0D\uFF20"

// Cell returns text in a form that no spreadsheet executes as a formula (CSV injection): it puts an apostrophe before a
// text that looks like one, after blanks too. The text may come from a client, such as the name of a model. It replaces
// control characters by blanks.
func Cell(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	if first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(text, unicode.IsSpace)); first != utf8.RuneError &&
		strings.ContainsRune(formulas, first) {
		return "'" + text
	}
	return text
}
