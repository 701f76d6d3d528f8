package rawjson

import (
	"bytes"
	"encoding/json"
)

const (
	maxDepth = 1_000 // of nested arrays and objects
	maxKeys  = 512   // at the top level
)

// Scanner walks over the top level of one JSON object or array. Inside nested
// values it checks only strings and brackets: the upstream refuses the rest. Its
// errors are *SyntaxError, and those of the caller's functions. It is large and
// belongs on the stack.
type Scanner struct {
	Body []byte
	At   int  // offset of the next byte in Body
	Key  Span // of the top-level member that was read last
	// Strings, unless nil, is called with each string inside nested values.
	Strings StringVisitor
	stack   [maxDepth]byte
}

// StringVisitor is called with a string, quotes included. It is an interface and
// not a function because a Scanner's function would be allocated.
type StringVisitor interface {
	VisitString(quoted []byte)
}

// Object calls field for each member of the object that comes next and returns
// the offset of its closing brace. Keys are decoded.
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

// Elements calls each for every element of the array that comes next.
func (s *Scanner) Elements(each func(value Span) error) error {
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
			err = each(value)
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

// Finish checks that only white space follows.
func (s *Scanner) Finish() error {
	s.Space()
	if s.At != len(s.Body) {
		return s.fail("unexpected data after the object")
	}
	return nil
}

// Value skips one value of any type and returns its span.
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
	if !json.Valid(s.Body[start:s.At]) {
		s.At = start
		return Span{}, s.fail("invalid value")
	}
	return Span{start, s.At}, nil
}

func delimits(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\r', ',', '}', ']', ':', '"', '{', '[':
		return true
	}
	return false
}

// nested skips one array or object.
func (s *Scanner) nested() error {
	depth := 0
	for s.At < len(s.Body) {
		switch c := s.Body[s.At]; c {
		case '"':
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

// String skips one string and returns its span, quotes included.
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

// EachElement calls each with the elements of the array at a place in data, until
// each returns false. It stops at a fault.
func EachElement(data []byte, array Span, each func(element Span) bool) {
	s := Scanner{Body: data[:array.End], At: array.Start}
	if !s.Eat('[') {
		return
	}
	for {
		s.Space()
		value, err := s.Value()
		if err != nil || value.Start == value.End || !each(value) {
			return
		}
		s.Space()
		if !s.Eat(',') {
			return
		}
	}
}
