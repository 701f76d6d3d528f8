// Package language names the languages of the console and of the mails to its users.
package language

import "slices"

// Tag is a language by its tag (BCP 47). "" means that the user has chosen none.
type Tag string

// The languages.
const (
	English           Tag = "en"
	SimplifiedChinese Tag = "zh-Hans"
)

// All returns all languages.
func All() []Tag { return []Tag{English, SimplifiedChinese} }

// Valid reports whether t is one of All.
func (t Tag) Valid() bool { return slices.Contains(All(), t) }
