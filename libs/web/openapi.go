package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

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

// UnmarshalText reads a version from a flag.
func (s *Spec) UnmarshalText(text []byte) error {
	switch v := Spec(text); v {
	case Spec31, Spec30:
		*s = v
		return nil
	}
	return errors.New("must be one of 3.1, 3.0")
}

// MarshalText returns the version.
func (s Spec) MarshalText() ([]byte, error) { return []byte(s), nil }

// Format is the format of an OpenAPI document.
type Format string

// The formats.
const (
	YAML Format = "yaml"
	JSON Format = "json"
)

// Document returns the OpenAPI document of an API. The same API always gives the same text. Version 3.0 cannot express
// everything: null becomes `nullable`, of several examples only the first one stays, and security requirements name no
// scopes.
func Document(document *huma.OpenAPI, spec Spec, format Format) ([]byte, error) {
	var text []byte
	var err error
	switch spec {
	case Spec31:
		text, err = json.Marshal(document)
	case Spec30:
		text, err = downgrade(document)
	default:
		return nil, fmt.Errorf("the version of OpenAPI must be 3.1 or 3.0, not %q", spec)
	}
	if err == nil && format == YAML {
		text, err = asYAML(text)
	}
	if err != nil {
		return nil, fmt.Errorf("write OpenAPI document: %w", err)
	}
	return text, nil
}

// asYAML returns a JSON text as YAML.
func asYAML(text []byte) ([]byte, error) {
	var buffer bytes.Buffer
	err := yaml.Convert(&buffer, bytes.NewReader(text))
	return buffer.Bytes(), err
}

// downgrade returns the document in version 3.0 as JSON.
func downgrade(document *huma.OpenAPI) ([]byte, error) {
	raw, err := document.Downgrade()
	if err != nil {
		return nil, fmt.Errorf("downgrade OpenAPI document: %w", err)
	}
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return nil, fmt.Errorf("decode OpenAPI document: %w", err)
	}
	nullableReferences(tree, schemasOf(tree))
	wrapReferences(tree)
	dropScopes(tree)
	return json.Marshal(tree)
}

// nullableReferences writes each anyOf of a $ref and null as OpenAPI 3.0 does, which has no type null. An object
// becomes an allOf that is nullable, as generators expect it. For other types the null stays a choice: a nullable needs
// a type.
func nullableReferences(tree any, schemas map[string]any) {
	switch node := tree.(type) {
	case []any:
		for _, child := range node {
			nullableReferences(child, schemas)
		}
	case map[string]any:
		if choices, ok := node["anyOf"].([]any); ok && len(choices) == 2 && isNull(choices[1]) {
			if isObject(choices[0], schemas) {
				delete(node, "anyOf")
				node["allOf"], node["nullable"], node["type"] = choices[:1], true, "object"
			} else {
				choices[1] = map[string]any{"type": "string", "nullable": true, "enum": []any{nil}}
			}
		}
		for _, child := range node {
			nullableReferences(child, schemas)
		}
	}
}

// schemasOf returns the named schemas of a document.
func schemasOf(tree any) map[string]any {
	document, _ := tree.(map[string]any)
	components, _ := document["components"].(map[string]any)
	schemas, _ := components["schemas"].(map[string]any)
	return schemas
}

// isObject reports whether a $ref refers to the schema of an object.
func isObject(reference any, schemas map[string]any) bool {
	node, _ := reference.(map[string]any)
	name, _ := node["$ref"].(string)
	schema, _ := schemas[strings.TrimPrefix(name, "#/components/schemas/")].(map[string]any)
	return schema["type"] == "object"
}

// isNull reports whether a schema allows only null.
func isNull(schema any) bool {
	node, _ := schema.(map[string]any)
	return node["type"] == "null"
}

// wrapReferences replaces each $ref that has sibling keys, such as a description, by an allOf with that $ref. OpenAPI
// 3.0 ignores siblings of a $ref.
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
