package manifest

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// YAML writes the manifest as a file that reads back as the same manifest.
// Nothing in it is a variable. Passwords, credentials and the values of tokens
// are in it as they are: keep it secret.
func (m *Manifest) YAML() ([]byte, error) {
	root, err := yaml.ValueToNode(m,
		yaml.OmitZero(), yaml.IndentSequence(true),
		// Quoted texts need no care for those that YAML reads as something else.
		yaml.CustomMarshaler(func(s string) ([]byte, error) { return []byte(strconv.Quote(strings.ToValidUTF8(s, "\uFFFD"))), nil }),
		yaml.CustomMarshaler(func(n netip.Prefix) ([]byte, error) { return []byte(strconv.Quote(n.String())), nil }),
		yaml.CustomMarshaler(func(value json.RawMessage) ([]byte, error) { return value, nil }), // JSON is YAML
	)
	if err != nil {
		return nil, fmt.Errorf("write manifest: %w", err)
	}
	ast.Walk(escaper{}, root)
	return []byte(root.String() + "\n"), nil
}

// escaper visits the values of a document and escapes the texts in which the
// decoder would find variables. It finds none in keys.
type escaper struct{}

// Visit escapes a text, and leads to the values below a node.
func (e escaper) Visit(node ast.Node) ast.Visitor {
	switch n := node.(type) {
	case *ast.MappingValueNode:
		ast.Walk(e, n.Value)
		return nil
	case *ast.StringNode:
		n.Value = strings.ReplaceAll(n.Value, "${", "$${")
	}
	return e
}
