package sqldump

import (
	"bytes"
	enc "encoding/hex"
	"strconv"
	"strings"
	"unicode/utf16"
)

// maxCalls is the largest depth of nested calls and the largest number of arguments.
// sqlite3 nests one call of replace for each kind of line break in a text.
const maxCalls = 8

// value reads one value and the token after it. depth is the number of calls around the value.
func (p *parser) value(depth int) (v Value, after token, err error) {
	t, err := p.scanner.next()
	if err != nil {
		return v, t, err
	}
	sign := ""
	if t.is("-") || t.is("+") {
		if t.is("-") {
			sign = "-"
		}
		if t, err = p.scanner.next(); err != nil {
			return v, t, err
		}
		if t.kind != word || !digit(t.text[0]) {
			return v, t, p.fault("a sign is not followed by a number")
		}
	}
	switch t.kind {
	case text:
		v.Text = t.text
	case quoted: // in MySQL a text may be in double quotes
		v.Text = t.text
	case word:
		return p.named(t, sign, depth)
	default:
		return v, t, p.fault("expected a value")
	}
	after, err = p.cast()
	return v, after, err
}

// named reads a value that starts with the word t: a number,
// NULL, a boolean, a call of a function, or a text with a prefix.
func (p *parser) named(t token, sign string, depth int) (v Value, after token, err error) {
	switch upper := strings.ToUpper(t.text); {
	case hex([]byte(t.text)):
		raw, err := enc.DecodeString(t.text[2:])
		if err != nil {
			return v, t, p.fault("a hexadecimal number is malformed")
		}
		v.Text = string(raw)
	case digit(t.text[0]):
		v.Text = sign + t.text
	case upper == "NULL", upper == "DEFAULT":
		v.Null = true
	case upper == "TRUE":
		v.Text = "1"
	case upper == "FALSE":
		v.Text = "0"
	default:
		return p.prefixed(upper, depth)
	}
	after, err = p.cast()
	return v, after, err
}

// prefixed reads the rest of X'..' (hexadecimal), E'..' (with backslash escapes), N'..' or _utf8mb4'..'
// (with a character set), or of a call of the function name. name is in upper case and already read.
func (p *parser) prefixed(name string, depth int) (v Value, after token, err error) {
	if name == "E" && p.scanner.peek() == '\'' {
		// PostgreSQL's E'..' has backslash escapes, which the scanner otherwise decodes for MySQL only.
		was := p.scanner.mysql
		p.scanner.mysql = true
		defer func() { p.scanner.mysql = was }()
	}
	t, err := p.scanner.next()
	switch {
	case err != nil:
		return v, t, err
	case t.kind == text && name == "X":
		raw, err := enc.DecodeString(t.text)
		if err != nil {
			return v, t, p.fault("a hexadecimal value is malformed")
		}
		v.Text = string(raw)
	case t.kind == text && (name == "E" || name == "N" || strings.HasPrefix(name, "_")):
		v.Text = t.text
	case t.is("(") && depth < maxCalls:
		if v, err = p.call(name, depth); err != nil {
			return v, t, err
		}
	default:
		return v, t, p.fault("a value has an unknown form")
	}
	after, err = p.cast()
	return v, after, err
}

// call evaluates a call of a function that sqlite3 uses to write texts with line breaks: replace, char and
// unistr. The opening parenthesis is already read. It bounds the size of the result before it computes it.
func (p *parser) call(name string, depth int) (v Value, err error) {
	var arguments []string
	for {
		v, after, err := p.value(depth + 1)
		if err != nil {
			return v, err
		}
		if arguments = append(arguments, v.Text); after.is(")") {
			break
		}
		if !after.is(",") || len(arguments) > maxCalls {
			return v, p.fault("a call of %s is malformed", strings.ToLower(name))
		}
	}
	switch {
	case name == "REPLACE" && len(arguments) == 3 && arguments[1] != "":
		// Checked before the replacement: nested calls could otherwise multiply a short text.
		if n := strings.Count(arguments[0], arguments[1]); n*len(arguments[2]) > maxText {
			return v, p.fault("a value is longer than 16 MiB")
		}
		return Value{Text: strings.ReplaceAll(arguments[0], arguments[1], arguments[2])}, nil
	case name == "CHAR" && len(arguments) == 1:
		code, err := strconv.ParseUint(arguments[0], 10, 20)
		if err != nil {
			return v, p.fault("a call of char is malformed")
		}
		return Value{Text: string(rune(code))}, nil
	case name == "UNISTR" && len(arguments) == 1:
		return Value{Text: unistr(arguments[0])}, nil
	}
	return v, p.fault("unknown function %s", strings.ToLower(name))
}

// unistr decodes \uXXXX and \\ as SQLite's function of this name does,
// surrogate pairs included. It leaves a malformed escape as it is.
func unistr(s string) string {
	var b bytes.Buffer
	for s != "" {
		before, tail, ok := strings.Cut(s, `\`)
		b.WriteString(before)
		if !ok {
			break
		}
		s = tail
		switch {
		case strings.HasPrefix(tail, `\`):
			b.WriteByte('\\')
			s = tail[1:]
		case len(tail) >= 5 && tail[0] == 'u':
			code, err := strconv.ParseUint(tail[1:5], 16, 16)
			if err != nil {
				b.WriteByte('\\')
				continue
			}
			s = tail[5:]
			high := rune(code)
			if utf16.IsSurrogate(high) && len(s) >= 6 && s[:2] == `\u` {
				if low, err := strconv.ParseUint(s[2:6], 16, 16); err == nil {
					high, s = utf16.DecodeRune(high, rune(low)), s[6:]
				}
			}
			b.WriteRune(high)
		default:
			b.WriteByte('\\')
		}
	}
	return b.String()
}

// cast skips PostgreSQL's ::type casts and returns the token after them.
func (p *parser) cast() (token, error) {
	t, err := p.scanner.next()
	for err == nil && t.is(":") {
		for range 2 { // the second colon and the type
			if t, err = p.scanner.next(); err != nil {
				return t, err
			}
		}
		for t.kind == word && err == nil {
			t, err = p.scanner.next()
		}
	}
	return t, err
}
