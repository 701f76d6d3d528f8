package rawjson

import (
	"encoding/binary"
	"unicode/utf8"
)

// ValidUTF8 reports the same as utf8.Valid. It takes less than half of the time for Chinese text, whose characters have
// three bytes each and no blanks between them, a fifth more for Korean text, and about as long for other text.
func ValidUTF8(text []byte) bool {
	for len(text) >= 8 {
		word := binary.LittleEndian.Uint64(text)
		switch {
		case isWide(word) && isWide(word>>24):
			text = text[6:]
		case word&notASCII == 0:
			text = text[8:]
			for len(text) >= 32 && (binary.LittleEndian.Uint64(text)|binary.LittleEndian.Uint64(text[8:])|
				binary.LittleEndian.Uint64(text[16:])|binary.LittleEndian.Uint64(text[24:]))&notASCII == 0 {
				text = text[32:]
			}
		default:
			n := validPrefix(text)
			if n == 0 {
				return false
			}
			text = text[n:]
		}
	}
	return utf8.Valid(text)
}

// notASCII has the bits that are 0 in eight ASCII characters.
const notASCII = 0x8080808080808080

// isWide reports whether the first three bytes of a word are a character. It returns false for one whose first byte is
// E0 or ED: only some second bytes may follow those.
func isWide(word uint64) bool {
	return word&0xC0C0F0 == 0x8080E0 && word&0xF != 0 && word&0xF != 0xD
}

// validPrefix returns the length of some valid characters at the beginning of the text, which must have at least eight
// bytes. It returns 0 if the first character is not valid.
func validPrefix(text []byte) int {
	n := 0
	for n < 8 {
		switch c := text[n]; {
		case c < utf8.RuneSelf:
			n++
		case 0xC2 <= c && c < 0xE0 && n+1 < len(text) && text[n+1]&0xC0 == 0x80:
			n += 2
		case n > 0:
			return n
		default:
			if _, size := utf8.DecodeRune(text); size > 1 {
				return size
			}
			return 0
		}
	}
	return n
}
