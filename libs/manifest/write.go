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

// YAML returns the manifest as a text that Parse reads as the same manifest. The text contains no variables, and it
// contains passwords, credentials and values of tokens in clear: keep it secret.
func (m *Manifest) YAML() ([]byte, error) {
	root, err := yaml.ValueToNode(m,
		yaml.OmitZero(), yaml.IndentSequence(true),
		// All texts are quoted, so that YAML does not read one like 007 or yes as something else.
		yaml.CustomMarshaler(func(s string) ([]byte, error) {
			return []byte(strconv.Quote(strings.ToValidUTF8(s, "\uFFFD"))), nil
		}),
		yaml.CustomMarshaler(func(n netip.Prefix) ([]byte, error) { return []byte(strconv.Quote(n.String())), nil }),
		yaml.CustomMarshaler(func(value json.RawMessage) ([]byte, error) { return value, nil }), // JSON is YAML
	)
	if err != nil {
		return nil, fmt.Errorf("write manifest: %w", err)
	}
	ast.Walk(escaper{}, root)
	return []byte(root.String() + "\n"), nil
}

// escaper is a visitor that escapes ${ in the values of a document, so that the decoder finds no variables there. It
// leaves keys alone: the decoder does not look for variables in them.
type escaper struct{}

// Visit escapes a text and visits the values below a node.
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
