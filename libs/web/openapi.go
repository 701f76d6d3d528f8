package web

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/yaml"
)

// Spec is a version of OpenAPI.
type Spec string

// The versions in which documents are published.
const (
	Spec31 Spec = "3.1"
	Spec30 Spec = "3.0" // 3.0.3, for tools that do not support 3.1
)

// Document returns the OpenAPI document of an API as YAML. The same API always gives the same text. Version 3.0 cannot
// express everything: null becomes `nullable`, of several examples only the first one stays, and security requirements
// name no scopes.
func Document(document *huma.OpenAPI, spec Spec) ([]byte, error) {
	var text []byte
	var err error
	switch spec {
	case Spec31:
		text, err = document.YAML()
	case Spec30:
		text, err = downgrade(document)
	default:
		return nil, fmt.Errorf("the version of OpenAPI must be 3.1 or 3.0, not %q", spec)
	}
	if err != nil {
		return nil, fmt.Errorf("write OpenAPI document: %w", err)
	}
	return text, nil
}

// downgrade returns the document in version 3.0 as YAML.
func downgrade(document *huma.OpenAPI) ([]byte, error) {
	raw, err := document.Downgrade()
	if err != nil {
		return nil, fmt.Errorf("downgrade OpenAPI document: %w", err)
	}
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return nil, fmt.Errorf("decode OpenAPI document: %w", err)
	}
	wrapReferences(tree)
	dropScopes(tree)
	if raw, err = json.Marshal(tree); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = yaml.Convert(&text, bytes.NewReader(raw))
	return text.Bytes(), err
}

// wrapReferences replaces each $ref that has sibling keys, such as a description, by an allOf with that $ref. OpenAPI 3.0
// ignores siblings of a $ref.
func wrapReferences(tree any) {
	switch node := tree.(type) {
	case []any:
		for _, child := range node {
			wrapReferences(child)
		}
	case map[string]any:
		if reference, ok := node["$ref"].(string); ok && len(node) > 1 {
			delete(node, "$ref")
			node["allOf"] = []any{map[string]any{"$ref": reference}}
		}
		for _, child := range node {
			wrapReferences(child)
		}
	}
}

// dropScopes empties the lists of scopes in all security requirements. OpenAPI 3.0 permits scopes only for OAuth 2 and
// OpenID Connect, which no document uses.
func dropScopes(tree any) {
	switch node := tree.(type) {
	case []any:
		for _, child := range node {
			dropScopes(child)
		}
	case map[string]any:
		for name, child := range node {
			if name == "security" {
				withoutScopes(child)
				continue
			}
			dropScopes(child)
		}
	}
}

// withoutScopes empties the lists of scopes of one list of security requirements.
func withoutScopes(requirements any) {
	list, _ := requirements.([]any)
	for _, requirement := range list {
		schemes, _ := requirement.(map[string]any)
		for name := range schemes {
			schemes[name] = []any{}
		}
	}
}
