// Package rawjson scans and edits JSON objects without decoding them. A body is
// scanned once, its top level is checked, and the caller reads the few members
// that it needs. All other bytes stay as they were sent, so unknown members, the
// order of keys and the spelling of numbers survive.
package rawjson

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Span is a range of bytes of a scanned body. The zero Span stands for an absent
// value.
type Span struct{ Start, End int }

// Of returns the bytes of the span.
func (s Span) Of(body []byte) []byte { return body[s.Start:s.End] }

// SyntaxError says why a body is not one JSON object.
type SyntaxError struct {
	Offset int // in bytes
	Reason string
}

// Error returns the reason with its place.
func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at byte %d", e.Reason, e.Offset) }

// Text returns the text of a JSON string, nil for any other value.
func Text(raw []byte) []byte {
	if len(raw) == 0 || raw[0] != '"' {
		return nil
	}
	return Unquote(raw)
}

// Unquote decodes a scanned string, quotes included. It returns a string with a
// bad escape undecoded, with its quotes, which no known key equals.
func Unquote(quoted []byte) []byte {
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	var decoded string
	if json.Unmarshal(quoted, &decoded) != nil {
		return quoted
	}
	return []byte(decoded)
}

// Quote returns the text as a JSON string.
func Quote(text string) []byte {
	raw, _ := json.Marshal(text) // a string always marshals
	return raw
}

// IsObject reports whether a scanned value is an object.
func IsObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }

// IsEmptyObject reports whether a scanned object has no members.
func IsEmptyObject(raw []byte) bool {
	s := Scanner{Body: raw, At: 1}
	s.Space()
	return s.Eat('}')
}

// AppendMember appends a member to an object that is being written. dst ends
// with the brace that opens the object or with an earlier member.
func AppendMember(dst []byte, name string, raw []byte) []byte {
	if len(dst) > 0 && dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(append(dst, Quote(name)...), ':')
	return append(dst, raw...)
}
