package bpe

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// class is the set of properties of a character on which the split depends.
type class uint8

const (
	upper   class = 1 << iota // may begin a word: Lu, Lt, Lm, Lo, M
	lower                     // may continue a word: Ll, Lm, Lo, M
	letter                    // L
	number                    // N
	space                     // white space
	newline                   // \r or \n
)

// tabulated is the number of characters whose classes are in a table: nearly all that are in use, emoji included.
const tableEnd = 0x20000

// classes returns the table. It has 128 KB and takes about a millisecond to build.
var classes = sync.OnceValue(func() *[tableEnd]class {
	table := new([tableEnd]class)
	for r := range rune(tableEnd) {
		table[r] = classify(r)
	}
	return table
})

// classify returns the class of a character.
func classify(r rune) class {
	switch {
	case r == '\r' || r == '\n':
		return space | newline
	case unicode.IsSpace(r):
		return space
	case unicode.In(r, unicode.Lu, unicode.Lt):
		return letter | upper
	case unicode.Is(unicode.Ll, r):
		return letter | lower
	case unicode.IsLetter(r):
		return letter | upper | lower
	case unicode.IsMark(r):
		return upper | lower
	case unicode.IsNumber(r):
		return number
	}
	return 0
}

// scanner reads a text by characters.
type scanner struct {
	text  string
	table *[tableEnd]class
}

// at returns the class and the size of the character at i, and the size 0 at the end of the text.
func (s scanner) at(i int) (c class, size int) {
	if i >= len(s.text) {
		return 0, 0
	}
	if b := s.text[i]; b < utf8.RuneSelf {
		return s.table[b], 1
	}
	r, size := utf8.DecodeRuneInString(s.text[i:])
	if r < tableEnd {
		return s.table[r], size
	}
	return classify(r), size
}

// run returns the end of the longest run of characters from i that have a class in mask.
func (s scanner) run(i int, mask class) int {
	for {
		c, size := s.at(i)
		if c&mask == 0 {
			return i
		}
		i += size
	}
}

// cl100kPiece returns the length of the first piece of a text, which OpenAI describes by
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
func cl100kPiece(text string) int {
	s := scanner{text, classes()}
	if n := contraction(text); n > 0 {
		return n
	}
	head, size := s.at(0)
	begin := 0
	if head&(newline|letter|number) == 0 {
		begin = size
	}
	if end := s.run(begin, letter); end > begin {
		return end
	}
	return s.other(head, "\r\n")
}

// o200kPiece returns the length of the first piece of a text, which OpenAI describes by
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|
//	\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
func o200kPiece(text string) int {
	s := scanner{text, classes()}
	head, size := s.at(0)
	if head&(newline|number) == 0 {
		// A mark may be the character before the word or belong to the word. The expression tries both, in this order.
		begins := [2]int{size, 0}
		if head&letter != 0 {
			begins[0] = 0
		}
		for _, begin := range begins {
			if end := s.mixedWord(begin); end > 0 {
				return end + contraction(text[end:])
			}
		}
		for _, begin := range begins {
			if end := s.run(begin, upper); end > begin {
				return end + contraction(text[end:])
			}
		}
	}
	return s.other(head, "\r\n/")
}

// mixedWord returns the end of a word from begin that ends in a lower character, after any number of upper ones; 0 if
// there is none. Some characters are upper and lower.
func (s scanner) mixedWord(begin int) int {
	end, lastEnd := begin, 0 // lastEnd is the end of the last character that is upper and lower
	for {
		c, size := s.at(end)
		if c&upper == 0 {
			break
		}
		end += size
		if c&lower != 0 {
			lastEnd = end
		}
	}
	if after := s.run(end, lower); after > end {
		return after
	}
	return lastEnd
}

// other returns the length of a first piece that is not a word. trailing holds the characters that may follow
// punctuation.
func (s scanner) other(head class, trailing string) int {
	if head&number != 0 {
		end := 0
		for range 3 {
			c, size := s.at(end)
			if c&number == 0 {
				break
			}
			end += size
		}
		return end
	}
	begin := 0
	if s.text[0] == ' ' {
		begin = 1
	}
	if end := s.punctuation(begin); end > begin {
		for end < len(s.text) && contains(trailing, s.text[end]) {
			end++
		}
		return end
	}
	return s.blank()
}

// punctuation returns the end of a run of characters that are neither spaces nor letters nor numbers.
func (s scanner) punctuation(begin int) int {
	for end := begin; ; {
		c, size := s.at(end)
		if size == 0 || c&(space|letter|number) != 0 {
			return end
		}
		end += size
	}
}

// blank returns the length of a piece of white space. It ends after the last newline, or else before the last
// character of the white space, which belongs to the word that follows.
func (s scanner) blank() int {
	end, before, newlines := 0, 0, 0
	for {
		c, size := s.at(end)
		if c&space == 0 {
			break
		}
		before, end = end, end+size
		if c&newline != 0 {
			newlines = end
		}
	}
	switch {
	case newlines > 0:
		return newlines
	case end < len(s.text) && before > 0:
		return before
	}
	return end
}

// contraction returns the length of an English contraction at the beginning of text, such as 're; 0 if there is none.
func contraction(text string) int {
	if len(text) < 2 || text[0] != '\'' {
		return 0
	}
	switch text[1] | 0x20 {
	case 's', 't', 'm', 'd':
		return 2
	case 'r', 'v':
		if len(text) > 2 && text[2]|0x20 == 'e' {
			return 3
		}
	case 'l':
		if len(text) > 2 && text[2]|0x20 == 'l' {
			return 3
		}
	case 0xc5 | 0x20: // the long s, an s to expressions that ignore case
		if len(text) > 2 && text[1] == 0xc5 && text[2] == 0xbf {
			return 3
		}
	}
	return 0
}

// contains reports whether the ASCII characters of set include b.
func contains(set string, b byte) bool {
	for i := range len(set) {
		if set[i] == b {
			return true
		}
	}
	return false
}
