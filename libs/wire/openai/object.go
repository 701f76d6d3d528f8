// Package openai reads and edits the bytes of OpenAI's dialects without
// decoding them: a request or an answer is scanned once, its top level is
// checked, and only the few fields the gateway needs are read. Everything else
// stays as it was sent.
package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

const (
	maxDepth = 1_000 // of nested arrays and objects
	maxKeys  = 512   // at the top level
)

// span is a range of bytes of the scanned body.
type span struct{ start, end int }

func (s span) of(body []byte) []byte { return body[s.start:s.end] }

// SyntaxError tells why a body is not one JSON object.
type SyntaxError struct {
	Offset int
	Reason string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at byte %d", e.Reason, e.Offset) }

// scanner walks over the top level of one JSON object. Inside nested values
// it checks strings and brackets alone: the rest is the upstream's to refuse.
type scanner struct {
	body  []byte
	at    int
	key   span // of the top-level field that was met last
	media int  // strings met that name a part whose bytes are elsewhere
	stack [maxDepth]byte
}

// object calls field for each top-level key of the object and returns the
// offset of its closing brace. Keys come decoded.
func (s *scanner) object(field func(key []byte, value span) error) (end int, err error) {
	s.space()
	if !s.eat('{') {
		return 0, s.fail("expected a JSON object")
	}
	for n := 0; ; n++ {
		s.space()
		if n == 0 && s.eat('}') {
			return s.at - 1, nil
		}
		if n == maxKeys {
			return 0, s.fail("too many keys")
		}
		if err := s.member(field); err != nil {
			return 0, err
		}
		s.space()
		if s.eat('}') {
			return s.at - 1, nil
		}
		if !s.eat(',') {
			return 0, s.fail("expected ',' or '}'")
		}
	}
}

func (s *scanner) member(field func([]byte, span) error) error {
	key, err := s.string()
	if err != nil {
		return err
	}
	s.space()
	if !s.eat(':') {
		return s.fail("expected ':'")
	}
	s.space()
	value, err := s.value()
	if err != nil {
		return err
	}
	s.key = key
	return field(unquote(key.of(s.body)), value)
}

// elements calls each for every element of the array that comes next.
func (s *scanner) elements(each func(value span) error) error {
	if !s.eat('[') {
		return s.fail("expected an array")
	}
	if s.space(); s.eat(']') {
		return nil
	}
	for {
		s.space()
		value, err := s.value()
		if err == nil {
			err = each(value)
		}
		if err != nil {
			return err
		}
		if s.space(); s.eat(']') {
			return nil
		}
		if !s.eat(',') {
			return s.fail("expected ',' or ']'")
		}
	}
}

// finish checks that nothing but white space follows.
func (s *scanner) finish() error {
	s.space()
	if s.at != len(s.body) {
		return s.fail("unexpected data after the object")
	}
	return nil
}

func (s *scanner) value() (span, error) {
	start := s.at
	if s.at == len(s.body) {
		return span{}, s.fail("unexpected end")
	}
	switch s.body[s.at] {
	case '"':
		return s.string()
	case '{', '[':
		if err := s.nested(); err != nil {
			return span{}, err
		}
		return span{start, s.at}, nil
	}
	for s.at < len(s.body) && !delimits(s.body[s.at]) {
		s.at++
	}
	if !json.Valid(s.body[start:s.at]) {
		s.at = start
		return span{}, s.fail("invalid value")
	}
	return span{start, s.at}, nil
}

func delimits(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\r', ',', '}', ']', ':', '"', '{', '[':
		return true
	}
	return false
}

// nested skips one array or object.
func (s *scanner) nested() error {
	depth := 0
	for s.at < len(s.body) {
		switch c := s.body[s.at]; c {
		case '"':
			text, err := s.string()
			if err != nil {
				return err
			}
			s.countMedia(text)
			continue
		case '{', '[':
			if depth == maxDepth {
				return s.fail("nested too deeply")
			}
			s.stack[depth] = c + 2 // the matching bracket in ASCII
			depth++
		case '}', ']':
			if s.stack[depth-1] != c {
				return s.fail("mismatched bracket")
			}
			if depth--; depth == 0 {
				s.at++
				return nil
			}
		}
		s.at++
	}
	return s.fail("unexpected end")
}

func (s *scanner) countMedia(text span) {
	switch string(text.of(s.body)) {
	case `"image_url"`, `"input_image"`, `"file_id"`:
		s.media++
	}
}

// string skips one string and returns its span, quotes included.
func (s *scanner) string() (span, error) {
	start := s.at
	if !s.eat('"') {
		return span{}, s.fail("expected a string")
	}
	for {
		n := bytes.IndexByte(s.body[s.at:], '"')
		if n < 0 {
			s.at = len(s.body)
			return span{}, s.fail("unterminated string")
		}
		end := s.at + n
		escapes := 0
		for i := end - 1; i >= s.at && s.body[i] == '\\'; i-- {
			escapes++
		}
		s.at = end + 1
		if escapes%2 == 0 {
			return span{start, s.at}, nil
		}
	}
}

func (s *scanner) space() {
	for s.at < len(s.body) {
		switch s.body[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

func (s *scanner) eat(c byte) bool {
	if s.at < len(s.body) && s.body[s.at] == c {
		s.at++
		return true
	}
	return false
}

func (s *scanner) fail(reason string) error { return &SyntaxError{Offset: s.at, Reason: reason} }

// unquote decodes a scanned string; one that is not valid JSON (a bad escape)
// comes back undecoded, which no known key equals.
func unquote(quoted []byte) []byte {
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

// validText reports whether the body is UTF-8, which JSON requires.
func validText(body []byte) bool { return utf8.Valid(body) }
