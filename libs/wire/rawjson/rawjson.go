// Package rawjson scans and edits JSON objects without decoding them. It exists because the gateway must pass
// a client's body on unchanged: decoding and encoding it again would drop unknown members, reorder keys and
// rewrite numbers.
//
// A Scanner walks over the top level of an object once and reports each member as a Span, a range of bytes of
// the body. The caller reads the few members that it needs. An edit is a Span and the bytes that replace it,
// and Splice builds the new body from the untouched ranges and the replacements:
//
//	body      {"model":"a", "x":1e2, "messages":[...]}
//	edit               ^^^ "b"
//	segments  {"model":  "b"  , "x":1e2, "messages":[...]}
//
// A Draft collects edits of one object by the names of its members, and a Body is the result.
//
// The scanner is not a validator. It checks the syntax of the top level, and inside nested values only
// strings and brackets. A body with a fault deeper inside passes, and the upstream refuses it. Duplicate keys
// are the caller's to detect.
package rawjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Span is a range of bytes of a scanned body, from Start up to but not including End. The zero Span
// represents an absent value.
type Span struct{ Start, End int }

// Of returns the bytes of the span. The result refers to body.
func (s Span) Of(body []byte) []byte { return body[s.Start:s.End] }

// SyntaxError reports that a body is not one JSON object, or that a value inside it is malformed.
type SyntaxError struct {
	Offset int // in bytes from the start of the body
	Reason string
}

// Error returns the reason and the byte offset.
func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at byte %d", e.Reason, e.Offset) }

// Text returns the decoded text of a scanned JSON string, and nil for any other value or an empty raw.
func Text(raw []byte) []byte {
	if len(raw) == 0 || raw[0] != '"' {
		return nil
	}
	return Unquote(raw)
}

// Unquote decodes a scanned string, which includes its quotes. If the string has a bad escape, it returns the
// string undecoded and with its quotes, so that it equals no known key. The result can refer to quoted.
func Unquote(quoted []byte) []byte {
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return quoted
	}
	return []byte(text)
}

// Plain returns the text of a scanned JSON string without escapes, and nil for any other value, for a string with a
// control character and for an empty raw. The result refers to raw.
func Plain(raw []byte) []byte {
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	inner := raw[1 : len(raw)-1]
	for _, c := range inner {
		if c < ' ' || c == '\\' {
			return nil
		}
	}
	return inner
}

// Quote returns the text as a JSON string.
func Quote(text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || strings.IndexByte(`"\<>&`, c) >= 0 {
			raw, _ := json.Marshal(text) // a string always marshals
			return raw
		}
	}
	raw := make([]byte, 0, len(text)+2)
	return append(append(append(raw, '"'), text...), '"')
}

// IsObject reports whether a scanned value is an object. It looks at the first byte only.
func IsObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }

// IsEmptyObject reports whether a scanned object has no members. The value must be an object.
func IsEmptyObject(raw []byte) bool {
	s := Scanner{Body: raw, At: 1}
	s.Space()
	return s.Eat('}')
}

// AppendMember appends a member to an object that is being written. dst must end with the brace that opens
// the object or with an earlier member. The caller appends the closing brace.
func AppendMember(dst []byte, name string, raw []byte) []byte {
	if len(dst) > 0 && dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(append(dst, Quote(name)...), ':')
	return append(dst, raw...)
}
