// Package attribution defines what a call is attributed to besides its user and its token: the end user, who is a
// person in the client's own application, and tags, which are names with values that the client chooses.
//
// A client sends tags as headers, `x-tollgate-tag-NAME: value`, and as keys of the request field `metadata` that its
// tenant allows. The header is the gateway's own, so a fault in it is the caller's error. The request fields `user`,
// `safety_identifier` and `metadata` are OpenAI's: whatever OpenAI accepts there must not fail here. A value that is
// too long is cut, and one that cannot be kept is left out.
package attribution

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// The bounds of an attribution.
const (
	MaxTags  = 8   // tags of a call, and names that a tenant allows in metadata
	MaxName  = 32  // bytes of a tag's name
	MaxValue = 128 // bytes of a tag's value, and of an end user
)

// HeaderPrefix begins the name of a header with a tag, in the form of net/http.
const HeaderPrefix = "X-Tollgate-Tag-"

// ValidName reports whether a tag can have the name: 1 to 32 of the characters a-z, 0-9, '_' and '-'.
func ValidName(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return 1 <= len(name) && len(name) <= MaxName
}

// ValidValue reports whether a tag or an end user can have the value: 1 to 128 bytes of UTF-8 without control
// characters.
func ValidValue(value string) bool {
	return 1 <= len(value) && len(value) <= MaxValue && isText(value)
}

// isText reports whether s is UTF-8 without control characters.
func isText(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, unicode.IsControl) < 0
}

// Cut returns the value of a field of OpenAI in a form that ValidValue accepts, or "" if there is none. It leaves out a
// value with control characters, and cuts a longer one after the last whole character within 128 bytes.
func Cut(value string) string {
	if !isText(value) {
		return ""
	}
	if len(value) > MaxValue {
		end := MaxValue
		for !utf8.RuneStart(value[end]) {
			end--
		}
		value = value[:end]
	}
	return value
}

// Set collects the tags of one call. The zero Set is empty. It allocates nothing until Tags.
type Set struct {
	tags  [MaxTags]Tag
	count int
}

// Has reports whether the set has a tag with the name.
func (s *Set) Has(name string) bool {
	return slices.ContainsFunc(s.tags[:s.count], func(t Tag) bool { return t.Name == name })
}

// Add adds a tag if the set has room, no tag of that name yet, and both texts are valid. It reports whether it did.
func (s *Set) Add(name, value string) bool {
	if s.count == MaxTags || s.Has(name) || !ValidName(name) || !ValidValue(value) {
		return false
	}
	s.tags[s.count] = Tag{name, value}
	s.count++
	return true
}

// Tags returns the tags of the set.
func (s *Set) Tags() usage.Tags {
	if s.count == 0 {
		return ""
	}
	tags := s.tags // a copy
	slices.SortFunc(tags[:s.count], func(a, b Tag) int { return strings.Compare(a.Name, b.Name) })
	size := len("{}")
	for _, t := range tags[:s.count] {
		size += len(t.Name) + len(t.Value) + len(`"":"",`)
	}
	text := append(make([]byte, 0, size), '{')
	for i, t := range tags[:s.count] {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(append(text, '"'), t.Name...), '"', ':', '"')
		for i := range len(t.Value) { // a value has no control characters, so these two are all that JSON escapes
			if c := t.Value[i]; c == '"' || c == '\\' {
				text = append(text, '\\')
			}
			text = append(text, t.Value[i])
		}
		text = append(text, '"')
	}
	return usage.Tags(append(text, '}'))
}

// AddHeader adds the tags of a request's headers, whose names must be in the form of net/http. A malformed name or
// value, two values of one name, or more than eight tags are an InvalidType problem that names the header.
func (s *Set) AddHeader(header map[string][]string) error {
	for key, values := range header {
		if len(key) < len(HeaderPrefix) || key[:len(HeaderPrefix)] != HeaderPrefix {
			continue
		}
		if err := s.addHeader(strings.ToLower(key[len(HeaderPrefix):]), values); err != nil {
			return err
		}
	}
	return nil
}

// addHeader adds the tag of one header.
func (s *Set) addHeader(name string, values []string) error {
	if len(values) == 0 {
		return nil
	}
	header := strings.ToLower(HeaderPrefix) + name
	switch {
	case !ValidName(name):
		return problem.New(problem.InvalidType, "Invalid header '%.80s': the name of a tag must be 1 to %d of the "+
			"characters a-z, 0-9, '_' and '-'.", header, MaxName).At(header[:min(len(header), 80)])
	case len(values) > 1:
		return problem.New(problem.InvalidType, "The header '%s' was sent more than once. Send it once.", header).
			At(header)
	case !ValidValue(values[0]):
		return problem.New(problem.InvalidType, "Invalid value of the header '%s': it must be 1 to %d bytes of "+
			"UTF-8 without control characters.", header, MaxValue).At(header)
	case !s.Add(name, values[0]):
		return problem.New(problem.InvalidType,
			"The header '%s' is one tag too many: a request can have up to %d tags.", header, MaxTags).At(header)
	}
	return nil
}

// Names is a list of names of tags, separated by commas: the keys of metadata that are tags at a tenant.
type Names string

// NamesOf returns the list, or an InvalidType problem of the field metadata_tags if it has more than eight names, a
// duplicate, or a name that no tag can have.
func NamesOf(list []string) (Names, error) {
	if len(list) > MaxTags {
		return "", problem.New(problem.InvalidType, "metadata_tags must have at most %d names.", MaxTags).
			At("metadata_tags")
	}
	for i, name := range list {
		if !ValidName(name) {
			return "",
				problem.New(problem.InvalidType,
					"metadata_tags: each name must be 1 to %d of the characters a-z, 0-9, '_' and '-'.", MaxName).
					At("metadata_tags")
		}
		if slices.Contains(list[:i], name) {
			return "", problem.New(problem.InvalidType, "metadata_tags: %q is in the list more than once.", name).
				At("metadata_tags")
		}
	}
	return Names(strings.Join(list, ",")), nil
}

// List returns the names. It is never nil.
func (n Names) List() []string {
	if n == "" {
		return []string{}
	}
	return strings.Split(string(n), ",")
}

// Has reports whether the list has the name.
func (n Names) Has(name string) bool {
	for part := range strings.SplitSeq(string(n), ",") {
		if part == name && name != "" {
			return true
		}
	}
	return false
}

// Tag is one name with its value. In filters it is written name=value.
type Tag struct{ Name, Value string }

// ParseTags returns the tags of filters, or an InvalidType problem of the field tag if one is malformed or if there are
// more than eight.
func ParseTags(filters []string) ([]Tag, error) {
	if len(filters) > MaxTags {
		return nil, problem.New(problem.InvalidType, "There can be up to %d filters by tag.", MaxTags).At("tag")
	}
	var tags []Tag
	for _, filter := range filters {
		name, value, ok := strings.Cut(filter, "=")
		if !ok || !ValidName(name) || !ValidValue(value) {
			return nil, problem.New(problem.InvalidType, "tag must be name=value: a name of 1 to %d of the "+
				"characters a-z, 0-9, '_' and '-', and a value of 1 to %d bytes.", MaxName, MaxValue).At("tag")
		}
		tags = append(tags, Tag{name, value})
	}
	return tags, nil
}
