package sqldump

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

// kind is what a token is.
type kind int

const (
	end    kind = iota
	word        // a name or key word that is not quoted, or a number
	quoted      // a name in quotes
	text        // a text in single quotes
	mark        // one other character
)

type token struct {
	kind kind
	text string
}

func (t token) is(character string) bool { return t.kind == mark && t.text == character }
func (t token) word(w string) bool       { return t.kind == word && strings.EqualFold(t.text, w) }

// scanner splits a dump into tokens. Comments are none.
type scanner struct {
	in    *bufio.Reader
	line  int
	blind bool // texts are passed over, not kept
	mysql bool // a backslash in a text says what the next character means
}

func newScanner(r io.Reader) *scanner { return &scanner{in: bufio.NewReaderSize(r, 1<<16), line: 1} }

// refuseBinary tells of files that are the database itself.
func (s *scanner) refuseBinary() error {
	head, err := s.in.Peek(16)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch {
	case bytes.HasPrefix(head, []byte("SQLite format 3")):
		return &Error{Line: 1, Text: "this is the SQLite database itself; dump it first: sqlite3 one-api.db .dump > one-api.sql"}
	case bytes.HasPrefix(head, []byte("PGDMP")):
		return &Error{Line: 1, Text: "this is pg_dump's own format; write it as text: pg_restore -f one-api.sql FILE"}
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return &Error{Line: 1, Text: "this is compressed; unpack it first, as by gunzip"}
	}
	return nil
}

// read returns the next byte, or 0 and false at the end.
func (s *scanner) read() (c byte, ok bool, err error) {
	c, err = s.in.ReadByte()
	if errors.Is(err, io.EOF) {
		return 0, false, nil
	}
	if c == '\n' {
		s.line++
	}
	return c, err == nil, err
}

// peek returns the next byte without reading it, 0 at the end.
func (s *scanner) peek() byte {
	if next, err := s.in.Peek(1); err == nil {
		return next[0]
	}
	return 0
}

// next returns the next token.
func (s *scanner) next() (token, error) {
	for {
		c, ok, err := s.read()
		switch {
		case err != nil || !ok:
			return token{}, err
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		case c == '-' && s.peek() == '-', c == '#' && s.mysql:
			err = s.comment()
		case c == '/' && s.peek() == '*':
			err = s.block()
		default:
			return s.token(c)
		}
		if err != nil {
			return token{}, err
		}
	}
}

// token reads the token that begins with c.
func (s *scanner) token(c byte) (token, error) {
	switch {
	case c == '\'':
		return s.quote(c, text)
	case c == '"' || c == '`':
		return s.quote(c, quoted)
	case c == '[':
		return s.quote(']', quoted)
	case c == '$' && (s.peek() == '$' || letter(s.peek())):
		return s.dollar()
	case letter(c) || digit(c):
		return s.word(c)
	}
	return token{mark, string([]byte{c})}, nil
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}
func digit(c byte) bool { return c >= '0' && c <= '9' }

// maxWord is longer than any name or number.
const maxWord = 4096

// word reads a name, a key word or a number such as 1.5e+7.
func (s *scanner) word(first byte) (token, error) {
	w := []byte{first}
	for len(w) < maxWord {
		c, last := s.peek(), w[len(w)-1]
		exponent := digit(first) && (last == 'e' || last == 'E') && (c == '+' || c == '-') && !hex(w)
		if !letter(c) && !digit(c) && !(digit(first) && c == '.') && !exponent && c != '$' || c == 0 {
			break
		}
		if _, _, err := s.read(); err != nil {
			return token{}, err
		}
		w = append(w, c)
	}
	if strings.EqualFold(string(w), "ENGINE") {
		s.mysql = true
	}
	return token{word, string(w)}, nil
}

func hex(w []byte) bool { return len(w) > 1 && w[0] == '0' && (w[1] == 'x' || w[1] == 'X') }

// quote reads to the closing quote; doubled, it stands for itself.
func (s *scanner) quote(closing byte, k kind) (token, error) {
	var b bytes.Buffer
	began := s.line
	for {
		c, ok, err := s.read()
		switch {
		case err != nil:
			return token{}, err
		case !ok:
			return token{}, &Error{Line: began, Text: "a quote is not closed"}
		case c == closing && s.peek() != closing:
			return token{k, b.String()}, nil
		case c == closing:
			_, _, err = s.read()
		case c == '\\' && s.mysql && closing != '`':
			c, err = s.escaped()
		}
		if err != nil {
			return token{}, err
		}
		if err := s.append(&b, c); err != nil {
			return token{}, err
		}
	}
}

func (s *scanner) append(b *bytes.Buffer, c byte) error {
	if s.blind {
		return nil
	}
	if b.Len() >= maxText {
		return &Error{Line: s.line, Text: "a value is longer than 16 MiB"}
	}
	return b.WriteByte(c)
}

// escapes are MySQL's; every other character stands for itself.
var escapes = map[byte]byte{'0': 0, 'b': '\b', 'n': '\n', 'r': '\r', 't': '\t', 'Z': 0x1a}

func (s *scanner) escaped() (byte, error) {
	c, _, err := s.read()
	if meant, special := escapes[c]; special {
		return meant, err
	}
	return c, err
}

// dollar reads $tag$ ... $tag$, PostgreSQL's other quotes.
func (s *scanner) dollar() (token, error) {
	tag := []byte{'$'}
	for {
		c, ok, err := s.read()
		if err != nil || !ok || len(tag) > 64 || c != '$' && !letter(c) && !digit(c) {
			return token{mark, "$"}, err
		}
		if tag = append(tag, c); c == '$' {
			break
		}
	}
	var b, last bytes.Buffer
	for {
		c, ok, err := s.read()
		if err != nil {
			return token{}, err
		}
		if !ok {
			return token{}, &Error{Line: s.line, Text: "a quote is not closed"}
		}
		if last.Len() == len(tag) {
			last.Next(1)
		}
		last.WriteByte(c)
		if err := s.append(&b, c); err != nil {
			return token{}, err
		}
		if bytes.Equal(last.Bytes(), tag) {
			b.Truncate(max(b.Len()-len(tag), 0))
			return token{text, b.String()}, nil
		}
	}
}

// comment passes over the rest of the line, which may tell whose dump it is.
func (s *scanner) comment() error {
	head, _ := s.in.Peek(40)
	head, _, _ = bytes.Cut(head, []byte("\n"))
	if bytes.Contains(head, []byte("MySQL dump")) || bytes.Contains(head, []byte("MariaDB dump")) {
		s.mysql = true
	}
	return s.skipLine()
}

func (s *scanner) skipLine() error {
	for {
		c, ok, err := s.read()
		if err != nil || !ok || c == '\n' {
			return err
		}
	}
}

// block passes over a comment; one that begins with an exclamation mark is
// MySQL's.
func (s *scanner) block() error {
	_, _, err := s.read()
	s.mysql = s.mysql || s.peek() == '!'
	for last := byte(0); err == nil; {
		c, ok, failed := s.read()
		if !ok || last == '*' && c == '/' {
			return failed
		}
		last, err = c, failed
	}
	return err
}
