package rawjson

import (
	"bytes"
	"encoding/json"
)

const (
	maxDepth = 1_000 // nested arrays and objects
	maxKeys  = 512   // members of one object that is read; it also bounds what callers spend on finding duplicates
)

// Scanner walks over the top level of one JSON object or array. Inside nested values it checks only strings
// and brackets, because the upstream checks the rest. Its errors are *SyntaxError, and the errors of the
// functions that the caller passes in.
//
// To read a nested value, use a second Scanner over the same Body, cut off at the value's end, with At at its
// start. Offsets then stay those of the whole body. A Scanner is more than 1 kB large because it holds the
// stack of open brackets. Declare it as a local variable, so that it is not allocated on the heap.
type Scanner struct {
	Body []byte
	At   int  // offset of the next byte in Body
	Key  Span // of the top-level member that was read last
	// Strings, unless nil, is called with each string inside nested values, keys included.
	Strings StringVisitor
	stack   [maxDepth]byte // the closing brackets that are still expected
}

// StringVisitor is called with the strings that a Scanner passes. It is an interface and not a function,
// because a function value in the Scanner would be allocated on the heap.
type StringVisitor interface {
	// VisitString is called with a string, quotes included and escapes not decoded.
	VisitString(quoted []byte)
}

// Object reads the object that comes next. It calls field for each member, with the decoded key and the span
// of the value, and returns the offset of the closing brace. It stops at the first error of field and returns
// that error. An object with more than 512 members is refused.
func (s *Scanner) Object(field func(key []byte, value Span) error) (end int, err error) {
	s.Space()
	if !s.Eat('{') {
		return 0, s.fail("expected a JSON object")
	}
	for n := 0; ; n++ {
		s.Space()
		if n == 0 && s.Eat('}') {
			return s.At - 1, nil
		}
		if n == maxKeys {
			return 0, s.fail("too many keys")
		}
		if err := s.member(field); err != nil {
			return 0, err
		}
		s.Space()
		if s.Eat('}') {
			return s.At - 1, nil
		}
		if !s.Eat(',') {
			return 0, s.fail("expected ',' or '}'")
		}
	}
}

// member reads one key, its colon and its value, and calls field.
func (s *Scanner) member(field func([]byte, Span) error) error {
	key, err := s.String()
	if err != nil {
		return err
	}
	s.Space()
	if !s.Eat(':') {
		return s.fail("expected ':'")
	}
	s.Space()
	value, err := s.Value()
	if err != nil {
		return err
	}
	s.Key = key
	return field(Unquote(key.Of(s.Body)), value)
}

// Elements calls the function visit for every element of the array that comes next. It stops at the first
// error and returns it. White space before the array is not skipped.
func (s *Scanner) Elements(visit func(value Span) error) error {
	if !s.Eat('[') {
		return s.fail("expected an array")
	}
	if s.Space(); s.Eat(']') {
		return nil
	}
	for {
		s.Space()
		value, err := s.Value()
		if err == nil {
			err = visit(value)
		}
		if err != nil {
			return err
		}
		if s.Space(); s.Eat(']') {
			return nil
		}
		if !s.Eat(',') {
			return s.fail("expected ',' or ']'")
		}
	}
}

// Finish returns an error unless only white space follows.
func (s *Scanner) Finish() error {
	s.Space()
	if s.At != len(s.Body) {
		return s.fail("unexpected data after the object")
	}
	return nil
}

// Value skips one value of any type and returns its span. It checks a number, true, false or null completely,
// and a string, an array or an object as described at Scanner.
func (s *Scanner) Value() (Span, error) {
	start := s.At
	if s.At == len(s.Body) {
		return Span{}, s.fail("unexpected end")
	}
	switch s.Body[s.At] {
	case '"':
		return s.String()
	case '{', '[':
		if err := s.nested(); err != nil {
			return Span{}, err
		}
		return Span{start, s.At}, nil
	}
	for s.At < len(s.Body) && !delimits(s.Body[s.At]) {
		s.At++
	}
	if !isScalar(s.Body[start:s.At]) {
		s.At = start
		return Span{}, s.fail("invalid value")
	}
	return Span{start, s.At}, nil
}

// isScalar reports whether raw is a number, true, false or null. Most numbers of the API are whole, so those are
// checked without the decoder.
func isScalar(raw []byte) bool {
	switch string(raw) {
	case "null", "true", "false":
		return true
	}
	for _, c := range raw {
		if c < '0' || c > '9' {
			return json.Valid(raw)
		}
	}
	return len(raw) == 1 || len(raw) > 1 && raw[0] != '0'
}

// delimits reports whether c ends a number, true, false or null.
func delimits(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\r', ',', '}', ']', ':', '"', '{', '[':
		return true
	}
	return false
}

// nested skips one array or object. It is a loop over a stack of fixed size and not recursive, so that a
// deeply nested body cannot exhaust memory.
func (s *Scanner) nested() error {
	depth := 0
	for s.At < len(s.Body) {
		switch c := s.Body[s.At]; c {
		case '"': // brackets inside a string do not count
			text, err := s.String()
			if err != nil {
				return err
			}
			if s.Strings != nil {
				s.Strings.VisitString(text.Of(s.Body))
			}
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
				s.At++
				return nil
			}
		}
		s.At++
	}
	return s.fail("unexpected end")
}

// String skips one string and returns its span, quotes included. It looks only for the closing quote: escapes
// and control characters inside are not checked.
func (s *Scanner) String() (Span, error) {
	start := s.At
	if !s.Eat('"') {
		return Span{}, s.fail("expected a string")
	}
	for {
		n := bytes.IndexByte(s.Body[s.At:], '"')
		if n < 0 {
			s.At = len(s.Body)
			return Span{}, s.fail("unterminated string")
		}
		end := s.At + n
		// The quote is escaped if an odd number of backslashes precedes it.
		escapes := 0
		for i := end - 1; i >= s.At && s.Body[i] == '\\'; i-- {
			escapes++
		}
		s.At = end + 1
		if escapes%2 == 0 {
			return Span{start, s.At}, nil
		}
	}
}

// Space skips white space.
func (s *Scanner) Space() {
	for s.At < len(s.Body) {
		switch s.Body[s.At] {
		case ' ', '\t', '\n', '\r':
			s.At++
		default:
			return
		}
	}
}

// Eat skips c if it comes next and reports whether it did.
func (s *Scanner) Eat(c byte) bool {
	if s.At < len(s.Body) && s.Body[s.At] == c {
		s.At++
		return true
	}
	return false
}

func (s *Scanner) fail(reason string) error { return &SyntaxError{Offset: s.At, Reason: reason} }

// EachElement calls the function visit for every element of the array at a span of data, until it returns
// false. It stops without an error at the first malformed element, and does nothing if the span is not an
// array.
func EachElement(data []byte, array Span, visit func(element Span) bool) {
	s := Scanner{Body: data[:array.End], At: array.Start}
	if !s.Eat('[') {
		return
	}
	for {
		s.Space()
		value, err := s.Value()
		if err != nil || value.Start == value.End || !visit(value) {
			return
		}
		s.Space()
		if !s.Eat(',') {
			return
		}
	}
}
