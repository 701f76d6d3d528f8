package sqldump

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

// copy reads COPY name (columns) FROM stdin; and the rows after
// it: one line each, up to a line with \. or the end of the dump.
func (p *parser) copy() error {
	name, t, err := p.name()
	if err != nil {
		return err
	}
	columns := p.dump.Fields[name]
	if t.is("(") {
		if columns, err = p.columns(); err != nil {
			return err
		}
	}
	if err := p.skip(); err != nil {
		return err
	}
	if err := p.scanner.skipLine(); err != nil {
		return err
	}
	for {
		line, err := p.line()
		if errors.Is(err, io.EOF) || err == nil && line == `\.` {
			return nil
		}
		if err != nil {
			return err
		}
		if !p.wants(name) {
			p.count(name)
			continue
		}
		if err := p.keep(name, columns, fields(line)); err != nil {
			return err
		}
	}
}

// line reads one line and returns it without the line break. It returns io.EOF at the end of the dump.
func (p *parser) line() (string, error) {
	var b bytes.Buffer
	for {
		part, err := p.scanner.in.ReadSlice('\n')
		b.Write(part)
		switch {
		case errors.Is(err, bufio.ErrBufferFull) && b.Len() <= maxText:
			continue
		case errors.Is(err, bufio.ErrBufferFull):
			return "", p.fault("a row is longer than 16 MiB")
		case err != nil && b.Len() == 0:
			return "", err
		case err != nil && !errors.Is(err, io.EOF):
			return "", err
		}
		p.scanner.line++
		return strings.TrimRight(b.String(), "\r\n"), nil
	}
}

// copied maps the letters of COPY's escape sequences to their characters.
// After a backslash, every other character stands for itself.
var copyEscapes = map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}

// fields splits a line of COPY at its tabs and decodes the values; \N is NULL.
func fields(line string) []Value {
	parts := strings.Split(line, "\t")
	values := make([]Value, len(parts))
	for i, part := range parts {
		if values[i].Null = part == `\N`; !values[i].Null {
			values[i].Text = uncopied(part)
		}
	}
	return values
}

// uncopied decodes the escape sequences of a value of COPY.
func uncopied(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if meant, special := copyEscapes[s[i]]; special {
			b.WriteByte(meant)
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
