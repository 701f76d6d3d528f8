package sqldump

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

// kind is the kind of a token.
type kind int

const (
	end    kind = iota // the end of the dump
	word               // a name or key word without quotes, or a number
	quoted             // a name in double quotes, backquotes or brackets
	text               // a text in single quotes or dollar quotes
	mark               // any other single character
)

// token is one token of a dump. Its text has no quotes, and escape sequences are decoded.
type token struct {
	kind kind
	text string
}

// is reports whether the token is the mark character.
func (t token) is(character string) bool { return t.kind == mark && t.text == character }

// word reports whether the token is the key word w, without regard to case.
func (t token) word(w string) bool { return t.kind == word && strings.EqualFold(t.text, w) }

// scanner splits a dump into tokens and skips comments.
type scanner struct {
	in    *bufio.Reader
	line  int
	blind bool // texts are read but not stored, because the caller skips them
	mysql bool // the dump is of MySQL or MariaDB: a backslash in a text starts an escape sequence
}

func newScanner(r io.Reader) *scanner { return &scanner{in: bufio.NewReaderSize(r, 1<<16), line: 1} }

// refuseBinary returns an *Error with advice if the file is a database or an archive and not an SQL text.
func (s *scanner) refuseBinary() error {
	head, err := s.in.Peek(16)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch {
	case bytes.HasPrefix(head, []byte("SQLite format 3")):
		return &Error{Line: 1,
			Text: "the file is an SQLite database; dump it first: sqlite3 one-api.db .dump > one-api.sql"}
	case bytes.HasPrefix(head, []byte("PGDMP")):
		return &Error{Line: 1, Text: "the file has pg_dump's binary format; convert it to text first: pg_restore -f " +
			"one-api.sql FILE"}
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return &Error{Line: 1, Text: "the file is compressed; decompress it first, for example with gunzip"}
	}
	return nil
}

// read returns the next byte and counts lines. ok is false at the end of the dump.
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

// peek returns the next byte without reading it, or 0 at the end of the dump.
func (s *scanner) peek() byte {
	if next, err := s.in.Peek(1); err == nil {
		return next[0]
	}
	return 0
}

// next returns the next token; its kind is end at the end of the dump.
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

// token reads the token that starts with c, which is already read.
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

// letter reports whether c can start a name. Bytes of multi-byte characters count as letters.
func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

// digit reports whether c is a decimal digit.
func digit(c byte) bool { return c >= '0' && c <= '9' }

// maxWord is the length at which a word is split: longer than any name or number.
const maxWord = 4096

// word reads the rest of a name, a key word or a number such as 1.5e+7. The key word
// ENGINE, which ends every CREATE TABLE of MySQL, reveals the dialect.
func (s *scanner) word(head byte) (token, error) {
	w := []byte{head}
	for len(w) < maxWord {
		c, tail := s.peek(), w[len(w)-1]
		// 0x1E+2 is a hexadecimal number and a sum, not one number with an exponent.
		exponent := digit(head) && (tail == 'e' || tail == 'E') && (c == '+' || c == '-') && !hex(w)
		if !letter(c) && !digit(c) && !(digit(head) && c == '.') && !exponent && c != '$' || c == 0 {
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

// hex reports whether the word is a hexadecimal number such as 0x1F.
func hex(w []byte) bool { return len(w) > 1 && w[0] == '0' && (w[1] == 'x' || w[1] == 'X') }

// quote reads a quoted text or name up to the closing quote. A doubled closing quote stands for one quote.
func (s *scanner) quote(closing byte, k kind) (token, error) {
	var b bytes.Buffer
	start := s.line
	for {
		c, ok, err := s.read()
		switch {
		case err != nil:
			return token{}, err
		case !ok:
			return token{}, &Error{Line: start, Text: "a quoted text is not closed"}
		case c == closing && s.peek() != closing:
			return token{k, b.String()}, nil
		case c == closing: // doubled: read the second quote and keep one
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

// append adds a byte to a text, unless texts are skipped.
func (s *scanner) append(b *bytes.Buffer, c byte) error {
	if s.blind {
		return nil
	}
	if b.Len() >= maxText {
		return &Error{Line: s.line, Text: "a value is longer than 16 MiB"}
	}
	return b.WriteByte(c)
}

// escapes maps the letters of MySQL's escape sequences to their
// characters. After a backslash, every other character stands for itself.
var escapes = map[byte]byte{'0': 0, 'b': '\b', 'n': '\n', 'r': '\r', 't': '\t', 'Z': 0x1a}

// escaped reads the character after a backslash and returns the character that the sequence stands for.
func (s *scanner) escaped() (byte, error) {
	c, _, err := s.read()
	if meant, special := escapes[c]; special {
		return meant, err
	}
	return c, err
}

// dollar reads PostgreSQL's dollar quotes, $tag$ ... $tag$; the first
// $ is already read. If no tag follows, it returns the $ as a mark.
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
	// tail holds the last bytes of the text, as many as the tag has: the text ends when they equal the tag.
	var b, tail bytes.Buffer
	for {
		c, ok, err := s.read()
		if err != nil {
			return token{}, err
		}
		if !ok {
			return token{}, &Error{Line: s.line, Text: "a quoted text is not closed"}
		}
		if tail.Len() == len(tag) {
			tail.Next(1)
		}
		tail.WriteByte(c)
		if err := s.append(&b, c); err != nil {
			return token{}, err
		}
		if bytes.Equal(tail.Bytes(), tag) {
			b.Truncate(max(b.Len()-len(tag), 0))
			return token{text, b.String()}, nil
		}
	}
}

// comment skips a comment up to the end of the line. The first
// comment of a MySQL or MariaDB dump reveals the dialect.
func (s *scanner) comment() error {
	head, _ := s.in.Peek(40)
	head, _, _ = bytes.Cut(head, []byte("\n"))
	if bytes.Contains(head, []byte("MySQL dump")) || bytes.Contains(head, []byte("MariaDB dump")) {
		s.mysql = true
	}
	return s.skipLine()
}

// skipLine skips the rest of the line.
func (s *scanner) skipLine() error {
	for {
		c, ok, err := s.read()
		if err != nil || !ok || c == '\n' {
			return err
		}
	}
}

// block skips a /* comment */. A comment that starts with an
// exclamation mark, which MySQL executes, reveals the dialect.
func (s *scanner) block() error {
	_, _, err := s.read()
	s.mysql = s.mysql || s.peek() == '!' // such as /*!40101 SET NAMES utf8 */
	for previous := byte(0); err == nil; {
		c, ok, readErr := s.read()
		if !ok || previous == '*' && c == '/' {
			return readErr
		}
		previous, err = c, readErr
	}
	return err
}
