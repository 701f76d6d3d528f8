package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/tollgate/tollgate/libs/core/spelling"
)

// decoder turns YAML nodes into values and collects what is wrong with them.
// It reads nodes itself, for errors of the usual decoders quote the file.
type decoder struct {
	lookup func(string) (string, bool)
	lines  map[string]int
	faults []Fault
}

// reader reads the value of one key into wherever it was made for.
type reader func(node ast.Node, path string)

// keys are the keys a mapping may have.
type keys map[string]reader

func (d *decoder) err(file string) error {
	if len(d.faults) == 0 {
		return nil
	}
	slices.SortStableFunc(d.faults, func(a, b Fault) int { return cmp.Compare(a.Line, b.Line) })
	return &Error{File: file, Faults: d.faults}
}

func (d *decoder) fault(line int, path, format string, args ...any) {
	d.faults = append(d.faults, Fault{Line: line, Key: path, Text: fmt.Sprintf(format, args...)})
}

// faultAt notes a fault of something that was read before: of the key itself,
// or where the key is absent, of the entry it is missing in.
func (d *decoder) faultAt(path, format string, args ...any) {
	line, known := d.lines[path]
	for parent := path; !known && parent != ""; {
		parent = parent[:max(strings.LastIndexAny(parent, ".["), 0)]
		line, known = d.lines[parent]
	}
	d.fault(line, path, format, args...)
}

// root returns the node of the only document, nil for an empty file.
func (d *decoder) root(text []byte) ast.Node {
	tokens := lexer.Tokenize(string(text))
	if line, deep := tooDeep(tokens); deep {
		d.fault(line, "", "nested more than %d levels deep", maxNesting)
		return nil
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		line, message := 1, "not valid YAML"
		var syntax *yaml.SyntaxError
		if errors.As(err, &syntax) {
			line, message = syntax.Token.Position.Line, message+": "+syntax.Message
		}
		d.fault(line, "", "%s", message)
		return nil
	}
	var bodies []ast.Node
	for _, document := range file.Docs {
		if body := document.Body; body != nil && body.Type() != ast.NullType && body.Type() != ast.CommentType {
			bodies = append(bodies, body)
		}
	}
	switch len(bodies) {
	case 0:
		return nil
	case 1:
		return bodies[0]
	}
	d.fault(lineOf(bodies[1]), "", "a manifest is one YAML document")
	return nil
}

// maxNesting is far more than any manifest has. The parser's memory grows with
// the square of the depth.
const maxNesting = 100

// tooDeep returns the line in which brackets, or the marks before a value in
// one line, are nested too deep. Indentation alone cannot nest deeply in a text of
// bounded size.
func tooDeep(tokens token.Tokens) (line int, deep bool) {
	var open []token.Type // that have to be closed
	marks := 0            // in the line
	for _, t := range tokens {
		if t.Position.Line != line {
			line, marks = t.Position.Line, 0
		}
		switch t.Type {
		case token.SequenceStartType:
			open = append(open, token.SequenceEndType)
		case token.MappingStartType:
			open = append(open, token.MappingEndType)
		case token.SequenceEndType, token.MappingEndType:
			if last := len(open) - 1; last >= 0 && open[last] == t.Type {
				open = open[:last]
			}
		case token.SequenceEntryType, token.MappingKeyType, token.AnchorType, token.TagType:
			marks++
		}
		if len(open)+marks > maxNesting {
			return line, true
		}
	}
	return 0, false
}

func lineOf(node ast.Node) int {
	if pair, ok := node.(*ast.MappingValueNode); ok {
		return lineOf(pair.Key)
	}
	if mapping, ok := node.(*ast.MappingNode); ok && len(mapping.Values) > 0 && !mapping.IsFlowStyle {
		return lineOf(mapping.Values[0].Key)
	}
	return node.GetToken().Position.Line
}

// plain takes off anchors and tags, and refuses aliases.
func (d *decoder) plain(node ast.Node, path string) ast.Node {
	switch n := node.(type) {
	case *ast.AnchorNode:
		return d.plain(n.Value, path)
	case *ast.TagNode:
		return d.plain(n.Value, path)
	case *ast.AliasNode:
		d.fault(lineOf(n), path, "aliases are not supported")
		return nil
	}
	return node
}

// pairs returns the entries of a mapping; ok is false where it is none.
func (d *decoder) pairs(node ast.Node, path string) (pairs []*ast.MappingValueNode, ok bool) {
	switch n := d.plain(node, path).(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	case nil:
		return nil, false
	}
	d.fault(lineOf(node), path, "must be a mapping")
	return nil, false
}

// key returns the text of a mapping's key; ok is false for one that is no text.
func (d *decoder) key(pair *ast.MappingValueNode, path string) (name string, ok bool) {
	switch n := pair.Key.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	}
	d.fault(lineOf(pair.Key), path, "a key must be a text")
	return "", false
}

// object reads a mapping with the given keys, of which the required ones must
// be there.
func (d *decoder) object(node ast.Node, path string, known keys, required ...string) {
	d.lines[path] = lineOf(node)
	pairs, ok := d.pairs(node, path)
	if !ok {
		return
	}
	seen := map[string]bool{}
	for _, pair := range pairs {
		name, ok := d.key(pair, path)
		if !ok {
			continue
		}
		at := join(path, name)
		line := lineOf(pair.Key)
		read, exists := known[name]
		switch {
		case !exists:
			d.fault(line, at, "unknown key%s", suggestion(name, known))
		case seen[name]:
			d.fault(line, at, "duplicate key")
		default:
			seen[name] = true
			d.lines[at] = line
			read(pair.Value, at)
		}
	}
	for _, name := range required {
		if !seen[name] {
			d.fault(lineOf(node), join(path, name), "is missing")
		}
	}
}

func suggestion(name string, known keys) string {
	names := make([]string, 0, len(known))
	for key := range known {
		names = append(names, key)
	}
	slices.Sort(names)
	if similar := spelling.Closest(name, names); similar != "" {
		return "; did you mean " + similar + "?"
	}
	return "; known are " + strings.Join(names, ", ")
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// list reads a sequence, one entry at a time.
func (d *decoder) list(entry reader) reader {
	return func(node ast.Node, path string) {
		node = d.plain(node, path)
		if node == nil {
			return
		}
		sequence, ok := node.(*ast.SequenceNode)
		if !ok {
			d.fault(lineOf(node), path, "must be a list")
			return
		}
		for i, value := range sequence.Values {
			at := fmt.Sprintf("%s[%d]", path, i)
			d.lines[at] = lineOf(value)
			entry(value, at)
		}
	}
}

// listOf appends one entry to out for each entry of a sequence.
func listOf[T any](d *decoder, out *[]T, entry func(node ast.Node, path string) T) reader {
	read := d.list(func(node ast.Node, path string) { *out = append(*out, entry(node, path)) })
	return func(node ast.Node, path string) {
		*out = []T{}
		read(node, path)
	}
}

// texts reads a mapping of texts.
func (d *decoder) texts(out *map[string]string) reader {
	return func(node ast.Node, path string) {
		*out = map[string]string{}
		d.each(node, path, func(name string, value ast.Node, at string) { (*out)[name] = d.string(value, at) })
	}
}

// scalar is a value before it has a type.
type scalar struct {
	text   string
	quoted bool // a text, be it by its form or by quotes, and not from a variable
	line   int
}

// scalar returns a value with its variables filled in; ok is false, and the
// fault noted, where there is none.
func (d *decoder) scalar(node ast.Node, path string) (s scalar, ok bool) {
	node = d.plain(node, path)
	if node == nil {
		return scalar{}, false
	}
	s.line = lineOf(node)
	switch n := node.(type) {
	case *ast.StringNode:
		s.text, s.quoted = n.Value, true
	case *ast.LiteralNode:
		s.text, s.quoted = n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return scalar{text: n.GetToken().Value, line: s.line}, true
	case *ast.NullNode:
		d.fault(s.line, path, "has no value")
		return s, false
	default:
		d.fault(s.line, path, "must be a single value")
		return s, false
	}
	filled, ok := d.fill(s, path)
	s.quoted = s.quoted && filled == s.text
	s.text = filled
	return s, ok
}

// variables matches ${NAME}, its escape $${, and a ${ that is neither.
var variables = regexp.MustCompile(`\$\$\{|\$\{[A-Za-z_][A-Za-z0-9_]*\}|\$\{`)

// fill puts the environment's values in the place of ${NAME}.
func (d *decoder) fill(s scalar, path string) (filled string, ok bool) {
	ok = true
	filled = variables.ReplaceAllStringFunc(s.text, func(found string) string {
		switch found {
		case "$${":
			return "${"
		case "${":
			d.fault(s.line, path, "${ does not begin a variable: write ${NAME}, or $${ for the characters themselves")
			ok = false
			return ""
		}
		name := found[2 : len(found)-1]
		if d.lookup == nil {
			d.fault(s.line, path, "%s is not filled in here: write the value itself, or $${ for the characters", found)
			ok = false
			return ""
		}
		value, _ := d.lookup(name)
		if value == "" {
			d.fault(s.line, path, "the environment variable %s is not set", name)
			ok = false
		}
		return value
	})
	return filled, ok
}

// string returns a text. Numbers and truth values must be quoted, or they
// would be read as YAML reads them: 007 is 7.
func (d *decoder) string(node ast.Node, path string) string {
	s, ok := d.scalar(node, path)
	if ok && !s.quoted && !isText(node) {
		d.fault(s.line, path, "must be a text: put it in quotes")
	}
	return s.text
}

func isText(node ast.Node) bool {
	switch node.Type() {
	case ast.IntegerType, ast.FloatType, ast.BoolType:
		return false
	}
	return true
}

// text reads a text into out.
func (d *decoder) text(out *string) reader {
	return func(node ast.Node, path string) { *out = d.string(node, path) }
}

// value reads a value that parse understands, be it quoted or not.
func value[T any](d *decoder, out *T, parse func(string) (T, error), expected string) reader {
	return func(node ast.Node, path string) {
		s, ok := d.scalar(node, path)
		if !ok {
			return
		}
		parsed, err := parse(s.text)
		if err != nil {
			d.fault(s.line, path, "must be %s", expected)
			return
		}
		*out = parsed
	}
}

// optional is value for a key that may be left out.
func optional[T any](d *decoder, out **T, parse func(string) (T, error), expected string) reader {
	return func(node ast.Node, path string) {
		*out = new(T)
		value(d, *out, parse, expected)(node, path)
	}
}

// whole reads a whole number that is not quoted.
func (d *decoder) whole(parse func(int64)) reader {
	return func(node ast.Node, path string) {
		s, ok := d.scalar(node, path)
		if !ok {
			return
		}
		n, err := strconv.ParseInt(s.text, 10, 32)
		if err != nil || s.quoted {
			d.fault(s.line, path, "must be a whole number")
			return
		}
		parse(n)
	}
}

// truth reads true or false, not quoted.
func (d *decoder) truth(out *bool) reader {
	return func(node ast.Node, path string) {
		s, ok := d.scalar(node, path)
		if !ok {
			return
		}
		if s.quoted || s.text != "true" && s.text != "false" {
			d.fault(s.line, path, "must be true or false")
			return
		}
		*out = s.text == "true"
	}
}
