// Package weakpassword knows passwords that attackers try first: 49,233 passwords from breaches, the list
// passwords.json of the npm package @zxcvbn-ts/language-common 4.1.3, which is in turn that of zxcvbn, made from leaked
// passwords. The list has the MIT licence; its text is in LICENSE.txt.
//
// passwords.bin holds the sorted hashes of the list, hashLength bytes each. They are searched where they are in the
// program, so the list takes no memory of the heap and no time to load. With hashes of this length, one other password
// of twenty million is mistaken for one of the list. tools/passwords writes the file.
package weakpassword

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for passwords.bin
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// hashLength is the number of bytes of SHA-256 that stand for a password.
const hashLength = 5

//go:embed passwords.bin
var list string

// Encode returns the contents of passwords.bin for the passwords.
func Encode(passwords []string) []byte {
	hashes := make([][]byte, 0, len(passwords))
	for _, password := range passwords {
		hash := hashOf(strings.ToLower(password))
		hashes = append(hashes, hash[:])
	}
	slices.SortFunc(hashes, bytes.Compare)
	hashes = slices.CompactFunc(hashes, bytes.Equal)
	return bytes.Join(hashes, nil)
}

func hashOf(password string) (hash [hashLength]byte) {
	full := sha256.Sum256([]byte(password))
	copy(hash[:], full[:])
	return hash
}

// The limits of the rules for simple passwords.
const (
	decorated   = 16 // characters from which a common word with digits and signs around it is accepted
	fewDistinct = 4  // different characters that a password must have
)

// Match reports whether the password is common or simple. A password is common if it is in the list or among the words,
// in any case, or if it has fewer than 16 characters and is so without the digits and signs at its ends. It is simple
// if it has fewer than 4 different characters, or repeats such a common password. words are those that an attacker
// tries for this user, such as the address.
func Match(password string, words ...string) bool {
	password = strings.ToLower(password)
	common := func(word string) bool {
		return contains(word) || slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(word, w) })
	}
	if common(password) || distinct(password) < fewDistinct {
		return true
	}
	if part, ok := period(password); ok && (common(part) || utf8.RuneCountInString(part) < fewDistinct) {
		return true
	}
	word := strings.TrimFunc(password, func(r rune) bool { return !unicode.IsLetter(r) })
	return word != "" && utf8.RuneCountInString(password) < decorated && common(word)
}

// contains reports whether the password is in the list.
func contains(password string) bool {
	hash := hashOf(password)
	n := len(list) / hashLength
	at := sort.Search(n, func(i int) bool { return list[i*hashLength:(i+1)*hashLength] >= string(hash[:]) })
	return at < n && list[at*hashLength:(at+1)*hashLength] == string(hash[:])
}

// distinct returns the number of different characters, counted up to fewDistinct.
func distinct(password string) int {
	var runes []rune
	for _, r := range password {
		if !slices.Contains(runes, r) {
			runes = append(runes, r)
		}
		if len(runes) == fewDistinct {
			break
		}
	}
	return len(runes)
}

// period returns the shortest part of which the password is a repetition, and false if there is none.
func period(password string) (string, bool) {
	at := strings.Index((password + password)[1:], password) + 1
	return password[:at], at < len(password)
}
