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

// decoder converts YAML nodes into values and collects faults. It walks the nodes itself instead of using the YAML
// package's decoder, whose errors quote the file and so could show secrets.
type decoder struct {
	lookup func(string) (string, bool) // see Source.Lookup
	lines  map[string]int              // path of each key and entry -> its line
	faults []Fault
}

// reader decodes the value of one key into a variable that the function was created for. path is the path of the key.
type reader func(node ast.Node, path string)

// keys maps the keys that a mapping may have to the readers of their values.
type keys map[string]reader

// err returns an *Error with all faults sorted by line, or nil if there are none.
func (d *decoder) err(file string) error {
	if len(d.faults) == 0 {
		return nil
	}
	slices.SortStableFunc(d.faults, func(a, b Fault) int { return cmp.Compare(a.Line, b.Line) })
	return &Error{File: file, Faults: d.faults}
}

// fault records a fault. The arguments must not contain values of the file that could be secret.
func (d *decoder) fault(line int, path, format string, args ...any) {
	d.faults = append(d.faults, Fault{Line: line, Key: path, Text: fmt.Sprintf(format, args...)})
}

// faultAt records a fault of a key that was decoded before. Its line is that of the key, or that of the nearest entry
// around it if the file omits the key.
func (d *decoder) faultAt(path, format string, args ...any) {
	line, ok := d.lines[path]
	for parent := path; !ok && parent != ""; { // from "a[0].b" to "a[0]", then to "a"
		parent = parent[:max(strings.LastIndexAny(parent, ".["), 0)]
		line, ok = d.lines[parent]
	}
	d.fault(line, path, format, args...)
}

// root returns the node of the file's only document. It returns nil for an empty file, and for one that cannot be
// parsed or has several documents, which it records as a fault.
func (d *decoder) root(text []byte) ast.Node {
	tokens := lexer.Tokenize(string(text))
	// The check must come before the parser, whose memory it protects.
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
	d.fault(lineOf(bodies[1]), "", "a manifest must be a single YAML document")
	return nil
}

// maxNesting is the deepest nesting of a manifest, far more than a real one has. The memory of the YAML parser grows
// with the square of the depth, so a small hostile file could exhaust it.
const maxNesting = 100

// tooDeep reports whether brackets, and the marks that nest a value within one line ("- ", "? ", "&", "!"), are nested
// deeper than maxNesting, and in which line. It need not count indentation: nesting to depth n by indentation takes n
// lines of up to n spaces, which the bounded size of a manifest prevents.
func tooDeep(tokens token.Tokens) (line int, deep bool) {
	var open []token.Type // closing tokens that the open brackets need
	marks := 0            // marks in the present line
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
			if top := len(open) - 1; top >= 0 && open[top] == t.Type {
				open = open[:top]
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

// lineOf returns the line in which a node begins. For a mapping in block style it is the line of the first key, because
// the node's own token is the colon behind that key.
func lineOf(node ast.Node) int {
	if pair, ok := node.(*ast.MappingValueNode); ok {
		return lineOf(pair.Key)
	}
	if mapping, ok := node.(*ast.MappingNode); ok && len(mapping.Values) > 0 && !mapping.IsFlowStyle {
		return lineOf(mapping.Values[0].Key)
	}
	return node.GetToken().Position.Line
}

// plain returns the node without its anchors and tags. It records a fault and returns nil for an alias: aliases of
// aliases can expand a small file to an enormous one.
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

// pairs returns the entries of a mapping. If the node is not a mapping, it records a fault and returns false.
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

// key returns the text of a key. Numbers and truth values count as the text that the file has. For any other key it
// records a fault and returns false.
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

// object decodes a mapping. The map readers has a reader for each key that the mapping may have. It records a
// fault for each unknown, duplicate or missing required key. If the node is not a mapping, it records that and
// returns false.
func (d *decoder) object(node ast.Node, path string, readers keys, required ...string) (mapping bool) {
	d.lines[path] = lineOf(node)
	pairs, ok := d.pairs(node, path)
	if !ok {
		return false
	}
	names := map[string]bool{}
	for _, pair := range pairs {
		name, ok := d.key(pair, path)
		if !ok {
			continue
		}
		at := join(path, name)
		line := lineOf(pair.Key)
		read, exists := readers[name]
		switch {
		case !exists:
			d.fault(line, at, "unknown key%s", suggestion(name, readers))
		case names[name]:
			d.fault(line, at, "duplicate key")
		default:
			names[name] = true
			d.lines[at] = line
			read(pair.Value, at)
		}
	}
	for _, name := range required {
		if !names[name] {
			d.fault(lineOf(node), join(path, name), "is missing")
		}
	}
	return true
}

// has reports whether the mapping at path, which was decoded before, has the key.
func (d *decoder) has(path, key string) bool {
	_, ok := d.lines[join(path, key)]
	return ok
}

// suggestion returns the end of the fault of an unknown key: the known key with a similar name, or all known keys.
func suggestion(name string, readers keys) string {
	names := make([]string, 0, len(readers))
	for key := range readers {
		names = append(names, key)
	}
	slices.Sort(names)
	if similar := spelling.Closest(name, names); similar != "" {
		return "; did you mean " + similar + "?"
	}
	return "; the known keys are " + strings.Join(names, ", ")
}

// join returns the path of a key in the mapping at path.
func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// list returns a reader that calls entry for each entry of a sequence.
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

// listOf returns a reader that stores the decoded entries of a sequence in out. An empty sequence gives an empty
// slice, which is not nil, because nil means that the file does not have the key.
func listOf[T any](d *decoder, out *[]T, entry func(node ast.Node, path string) T) reader {
	read := d.list(func(node ast.Node, path string) { *out = append(*out, entry(node, path)) })
	return func(node ast.Node, path string) {
		*out = []T{}
		read(node, path)
	}
}

// texts returns a reader that stores a mapping of texts in out.
func (d *decoder) texts(out *map[string]string) reader {
	return func(node ast.Node, path string) {
		*out = map[string]string{}
		d.each(node, path, func(name string, value ast.Node, at string) { (*out)[name] = d.string(value, at) })
	}
}

// scalar is a single value whose type is not decided yet.
type scalar struct {
	text   string // variables are replaced
	quoted bool   // YAML reads it as a text, and it has no variables: a number must not be written this way
	line   int
}

// scalar returns a single value with its variables replaced. If the node has no value or is not a single value, it
// records a fault and returns false.
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
	text, ok := d.fill(s, path)
	s.quoted = s.quoted && text == s.text
	s.text = text
	return s, ok
}

// variables matches ${NAME}, its escape $${, and a malformed ${.
var variables = regexp.MustCompile(`\$\$\{|\$\{[A-Za-z_][A-Za-z0-9_]*\}|\$\{`)

// fill replaces ${NAME} by the value of the variable, and $${ by ${. It records a fault and returns false for a
// variable that is not set or empty, and for a malformed one. A value is inserted as text and never parsed as YAML.
func (d *decoder) fill(s scalar, path string) (text string, ok bool) {
	ok = true
	text = variables.ReplaceAllStringFunc(s.text, func(match string) string {
		switch match {
		case "$${":
			return "${"
		case "${":
			d.fault(s.line, path, "malformed variable: write ${NAME}, or $${ for a literal ${")
			ok = false
			return ""
		}
		name := match[2 : len(match)-1]
		if d.lookup == nil {
			d.fault(s.line, path, "%s is not replaced here: write the value itself, or $${ for a literal ${", match)
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
	return text, ok
}

// string returns a text. It records a fault for numbers and truth values without quotes, because YAML changes them: it
// reads 007 as 7.
func (d *decoder) string(node ast.Node, path string) string {
	s, ok := d.scalar(node, path)
	if ok && !s.quoted && !isText(node) {
		d.fault(s.line, path, "must be a text: put it in quotes")
	}
	return s.text
}

// isText reports whether YAML reads the node as a text rather than as a number or a truth value.
func isText(node ast.Node) bool {
	switch node.Type() {
	case ast.IntegerType, ast.FloatType, ast.BoolType:
		return false
	}
	return true
}

// text returns a reader that stores a text in out.
func (d *decoder) text(out *string) reader {
	return func(node ast.Node, path string) { *out = d.string(node, path) }
}

// value returns a reader that passes the text of a value, which may have quotes, to parse and stores the result in
// out. If parse fails, the fault is "must be " followed by expected.
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

// optional is like value, for a key that the file may omit.
func optional[T any](d *decoder, out **T, parse func(string) (T, error), expected string) reader {
	return func(node ast.Node, path string) {
		*out = new(T)
		value(d, *out, parse, expected)(node, path)
	}
}

// whole returns a reader that calls parse with a whole number of at most 32 bits. The number may come from a variable
// but must not be quoted.
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

// truth returns a reader that stores true or false in out. The value may come from a variable but must not be
// quoted.
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
